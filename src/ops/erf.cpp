// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/elementwise.hpp"

/// dst[i] = erf(src[i]), the error function
/// Shapes: dst as src. Rank 0..12, zero sizes allowed.
/// Types:  src and dst the same, f32, bf16, f16 or f64.
/// Values: computed in double and rounded once to dst. In place: dst may be src when the layout
///         agrees.
/// Errors: invalid_shape when dst is given another shape; none at run time.
/// Source: ONNX Erf-13.
namespace tern::ops {
namespace {

constexpr std::array<ir::type_rule, 1> types = {{{"T", floating}}};

void reference(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    map(args, begin, end, [](double x) { return std::erf(x); });
}

} // namespace

extern const ir::op_def erf;
const ir::op_def erf = {
        .kind = op_kind::Erf,
        .doc = "dst = erf(src)",
        .inputs = unary_inputs,
        .outputs = one_output,
        .types = types,
        .attrs = {},
        .infer = infer_same,
        .reference = reference,
        .in_place_inputs = src_in_place,
};

} // namespace tern::ops
