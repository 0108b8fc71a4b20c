// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise.hpp"

/// dst[i] = max(0, min(1, alpha * src[i] + beta))
/// Shapes: dst as src. Rank 0..12, zero sizes allowed.
/// Types:  src and dst the same, f32, bf16, f16 or f64.
/// Values: NaN stays NaN. Computed in double and rounded once to dst. In place: dst may be src when
///         the layout agrees.
/// Errors: invalid_graph_op for a missing or wrong attribute; invalid_shape when dst is given
///         another shape; none at run time.
/// Source: oneDNN Graph HardSigmoid-1.
namespace tern::ops {
namespace {

constexpr std::array<ir::type_rule, 1> types = {{{"T", floating}}};

constexpr std::array<ir::attr_def, 2> attrs = {
        {{op_attr::alpha, true, {}, {}}, {op_attr::beta, true, {}, {}}}};

double unit(double x) {
    return x < 0 ? 0 : x > 1 ? 1 : x;
}

void reference(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    const double alpha = number_of(args.attrs, op_attr::alpha);
    const double beta = number_of(args.attrs, op_attr::beta);
    map(args, begin, end, [=](double x) { return unit(alpha * x + beta); });
}

} // namespace

extern const ir::op_def hard_sigmoid;
const ir::op_def hard_sigmoid = {
        .kind = op_kind::HardSigmoid,
        .doc = "dst = max(0, min(1, alpha * src + beta))",
        .inputs = unary_inputs,
        .outputs = one_output,
        .types = types,
        .attrs = attrs,
        .infer = infer_same,
        .reference = reference,
        .in_place_inputs = src_in_place,
};

} // namespace tern::ops
