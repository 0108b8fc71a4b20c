// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/elementwise.hpp"

/// dst[i] = src[i] is NaN
/// Shapes: dst as src. Rank 0..12, zero sizes allowed.
/// Types:  src any floating-point type; dst boolean.
/// Values: 1 or 0. In place: not, but for elements of one byte.
/// Errors: invalid_shape when dst is given another shape; none at run time.
/// Source: ONNX IsNaN-20.
namespace tern::ops {
namespace {

constexpr std::array<ir::type_rule, 2> types = {{
        {"T", type_set(data_type::f16, data_type::bf16, data_type::f32, data_type::f64,
                      data_type::f8_e5m2, data_type::f8_e4m3)},
        {"B", type_set(data_type::boolean)},
}};

void reference(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    map(args, begin, end, [](double x) { return std::isnan(x) ? 1.0 : 0.0; });
}

} // namespace

extern const ir::op_def is_nan;
const ir::op_def is_nan = {
        .kind = op_kind::IsNaN,
        .doc = "dst = src is NaN",
        .inputs = unary_inputs,
        .outputs = mask_output,
        .types = types,
        .attrs = {},
        .infer = infer_same,
        .reference = reference,
        .in_place_inputs = src_in_place,
};

} // namespace tern::ops
