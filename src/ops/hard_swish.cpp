// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise.hpp"

/// dst[i] = src[i] * max(0, min(6, src[i] + 3)) / 6
/// Shapes: dst as src. Rank 0..12, zero sizes allowed.
/// Types:  src and dst the same, f32, bf16, f16 or f64.
/// Values: computed in double and rounded once to dst. In place: dst may be src when the layout
///         agrees.
/// Errors: invalid_shape when dst is given another shape; none at run time.
/// Source: oneDNN Graph HardSwish-1.
namespace tern::ops {
namespace {

constexpr std::array<ir::type_rule, 1> types = {{{"T", floating}}};

double six(double x) {
    return x < 0 ? 0 : x > 6 ? 6 : x;
}

void reference(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    map(args, begin, end, [=](double x) { return x * six(x + 3) / 6; });
}

} // namespace

extern const ir::op_def hard_swish;
const ir::op_def hard_swish = {
        .kind = op_kind::HardSwish,
        .doc = "dst = src * max(0, min(6, src + 3)) / 6",
        .inputs = unary_inputs,
        .outputs = one_output,
        .types = types,
        .attrs = {},
        .infer = infer_same,
        .reference = reference,
        .in_place_inputs = src_in_place,
};

} // namespace tern::ops
