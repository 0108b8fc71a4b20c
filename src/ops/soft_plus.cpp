// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise.hpp"

/// dst[i] = log(1 + exp(beta * src[i])) / beta
/// Shapes: dst as src. Rank 0..12, zero sizes allowed.
/// Types:  src and dst the same, f32, bf16, f16 or f64.
/// Values: computed in double and rounded once to dst. In place: dst may be src when the layout
///         agrees.
/// Errors: invalid_graph_op for a missing or wrong attribute; invalid_shape when dst is given
///         another shape; none at run time.
/// Source: oneDNN Graph SoftPlus-1.
namespace tern::ops {
namespace {

constexpr std::array<ir::type_rule, 1> types = {{{"T", floating}}};

constexpr std::array<ir::attr_def, 1> attrs = {{{op_attr::beta, false, 1.0F, {}}}};

void reference(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    const double beta = number_of(args.attrs, op_attr::beta);
    map(args, begin, end, [=](double x) { return soft_plus_of(beta * x) / beta; });
}

} // namespace

extern const ir::op_def soft_plus;
const ir::op_def soft_plus = {
        .kind = op_kind::SoftPlus,
        .doc = "dst = log(1 + exp(beta * src)) / beta",
        .inputs = unary_inputs,
        .outputs = one_output,
        .types = types,
        .attrs = attrs,
        .infer = infer_same,
        .reference = reference,
        .in_place_inputs = src_in_place,
};

} // namespace tern::ops
