// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/elementwise.hpp"

/// dst[i] = src[i] * (1 + erf(src[i] / sqrt(2))) / 2, or its approximation by tanh
/// Shapes: dst as src. Rank 0..12, zero sizes allowed.
/// Types:  src and dst the same, f32, bf16, f16 or f64.
/// Values: computed in double and rounded once to dst. In place: dst may be src when the layout
///         agrees.
/// Errors: invalid_graph_op for a missing or wrong attribute; invalid_shape when dst is given
///         another shape; none at run time.
/// Source: oneDNN Graph GELU-1.
namespace tern::ops {
namespace {

constexpr std::array<ir::type_rule, 1> types = {{{"T", floating}}};

constexpr std::array<std::string_view, 2> modes = {"gelu_erf", "gelu_tanh"};
constexpr std::array<ir::attr_def, 1> attrs = {
        {{op_attr::mode, false, std::string_view("gelu_erf"), modes}}};

constexpr double root_of_half = 0.70710678118654752440;
constexpr double root_of_two_over_pi = 0.79788456080286535588;

double with_erf(double x) {
    return x * std::erfc(-x * root_of_half) / 2;
}

/// (1 + tanh(u)) / 2 is 1 / (1 + exp(-2u)), in which nothing cancels.
double with_tanh(double x) {
    const double u = root_of_two_over_pi * (x + 0.044715 * x * x * x);
    return x / (1 + std::exp(-2 * u));
}

void reference(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    const bool by_tanh = ir::attr_of<std::string>(args.attrs, op_attr::mode) == "gelu_tanh";
    map(args, begin, end, [=](double x) { return by_tanh ? with_tanh(x) : with_erf(x); });
}

} // namespace

extern const ir::op_def gelu;
const ir::op_def gelu = {
        .kind = op_kind::GELU,
        .doc = "dst = src * (1 + erf(src / sqrt(2))) / 2, or by tanh",
        .inputs = unary_inputs,
        .outputs = one_output,
        .types = types,
        .attrs = attrs,
        .infer = infer_same,
        .reference = reference,
        .in_place_inputs = src_in_place,
};

} // namespace tern::ops
