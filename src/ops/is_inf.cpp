// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/elementwise.hpp"

/// dst[i] = src[i] is infinite
/// Shapes: dst as src. Rank 0..12, zero sizes allowed.
/// Types:  src any floating-point type (f8_e4m3 has no infinity); dst boolean.
/// Values: 1 or 0; of one sign only when detect_negative or detect_positive is false. In place:
/// not,
///         but for elements of one byte.
/// Errors: invalid_graph_op for a wrong attribute; invalid_shape when dst is given another shape;
///         none at run time.
/// Source: ONNX IsInf-20.
namespace tern::ops {
namespace {

constexpr std::array<ir::type_rule, 2> types = {{
        {"T", type_set(data_type::f16, data_type::bf16, data_type::f32, data_type::f64,
                      data_type::f8_e5m2, data_type::f8_e4m3)},
        {"B", type_set(data_type::boolean)},
}};
constexpr std::array<ir::attr_def, 2> attrs = {{
        {op_attr::detect_negative, false, true, {}},
        {op_attr::detect_positive, false, true, {}},
}};

void reference(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    const bool with_negative = ir::attr_of<bool>(args.attrs, op_attr::detect_negative);
    const bool with_positive = ir::attr_of<bool>(args.attrs, op_attr::detect_positive);
    map(args, begin, end, [=](double x) {
        return std::isinf(x) && (x < 0 ? with_negative : with_positive) ? 1.0 : 0.0;
    });
}

} // namespace

extern const ir::op_def is_inf;
const ir::op_def is_inf = {
        .kind = op_kind::IsInf,
        .doc = "dst = src is infinite",
        .inputs = unary_inputs,
        .outputs = mask_output,
        .types = types,
        .attrs = attrs,
        .infer = infer_same,
        .reference = reference,
        .in_place_inputs = src_in_place,
};

} // namespace tern::ops
