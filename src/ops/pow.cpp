// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "base/error.hpp"
#include "ops/elementwise.hpp"

/// dst[i] = src[i] ^ beta, or src[i] ^ exponent[i]
/// Shapes: dst as src; with an exponent, both broadcast both ways to dst (numpy). Rank 0..12, zero
///         sizes allowed.
/// Types:  src and dst the same: f32, bf16, f16 or f64; with an exponent also an integer of 8 to 64
///         bits. exponent any of these.
/// Values: floating point computed in double and rounded once to dst. An integer to the power of an
///         integer exactly, modulo 2^n, if that is not negative, else the quotient towards zero (0
///         of 0); to another power computed in double, then towards zero, saturating, NaN 0. In
///         place: dst may be src when shape and layout agree.
/// Errors: invalid_graph_op for a wrong attribute, and unless one of beta and exponent is given;
///         invalid_shape at finalize or compile, naming operands and axis; none at run time.
/// Source: oneDNN Graph Pow-1; the exponent is that of ONNX Pow-15. Special values as std::pow.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 2> inputs = {
        {{"src", "T"}, {"exponent", "E", ir::port_use::optional}}};
constexpr std::array<ir::type_rule, 2> types = {{{"T", numeric}, {"E", numeric}}};

constexpr std::array<ir::attr_def, 1> attrs = {{{op_attr::beta, false, {}, {}}}};

void check(const ir::op_label &label, const ir::attr_list &attrs, std::span<const tensor_desc> in,
        std::span<const tensor_desc> /*out*/) {
    const bool has_beta = ir::find(attrs, op_attr::beta) != nullptr;
    if (in.size() > 1 && has_beta)
        fail(status::invalid_graph_op, "{}: both exponent and attribute beta are given; one is",
                ir::to_string(label));
    if (in.size() > 1) return;
    if (!has_beta)
        fail(status::invalid_graph_op, "{}: attribute beta is required where there is no exponent",
                ir::to_string(label));
    if (is_integer(in[0].type))
        fail(status::invalid_graph_op,
                "{}: src has data type {}; expected floating point, or an exponent",
                ir::to_string(label), tern::name_of(in[0].type));
}

void infer(const ir::op_label &label, const ir::attr_list &attrs, std::span<const tensor_desc> in,
        std::span<tensor_desc> out) {
    if (in.size() < 2) return infer_same(label, attrs, in, out);
    if (!in[0].rank_known || !in[1].rank_known) return;
    settle_shape(
            label, "dst", broadcast(label, "src", in[0].shape, "exponent", in[1].shape), out[0]);
}

/// Modulo 2^64.
std::uint64_t whole_power(std::uint64_t base, std::uint64_t exponent) {
    std::uint64_t result = 1;
    for (; exponent != 0; exponent >>= 1, base *= base)
        if ((exponent & 1) != 0) result *= base;
    return result;
}

/// 1 / base^n, towards zero.
std::uint64_t whole_root(std::uint64_t base, bool is_odd) {
    const bool is_minus_one = base == ~std::uint64_t{0};
    if (is_minus_one) return is_odd ? base : 1;
    return base == 1 ? 1 : 0;
}

/// One integer to the power of another.
void raise_integers(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    const data_type type = args.in[0].type;
    const data_type exponent_type = args.in[1].type;
    const bool is_signed = is_signed_integer(type);
    const bool may_be_negative = is_signed_integer(exponent_type);
    for_each_element<2>(args, begin, end, [=](void *to, const void *a, const void *b) {
        const auto base = static_cast<std::uint64_t>(load_s64(type, a));
        const std::int64_t exponent = load_s64(exponent_type, b);
        std::uint64_t result = 0;
        if (exponent >= 0 || !may_be_negative)
            result = whole_power(base, static_cast<std::uint64_t>(exponent));
        else if (is_signed || base == 1)
            result = whole_root(base, (exponent & 1) != 0);
        store_s64(type, static_cast<std::int64_t>(result), to);
    });
}

void reference(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    const data_type type = args.in[0].type;
    if (args.in.size() < 2) {
        const double beta = number_of(args.attrs, op_attr::beta);
        return map(args, begin, end, [=](double x) { return std::pow(x, beta); });
    }
    const data_type exponent_type = args.in[1].type;
    if (is_integer(type) && is_integer(exponent_type)) return raise_integers(args, begin, end);
    for_each_element<2>(args, begin, end, [=](void *to, const void *a, const void *b) {
        store_f64(type, std::pow(load_f64(type, a), load_f64(exponent_type, b)), to);
    });
}

} // namespace

extern const ir::op_def pow;
const ir::op_def pow = {
        .kind = op_kind::Pow,
        .doc = "dst = src ^ beta, or src ^ exponent",
        .inputs = inputs,
        .outputs = one_output,
        .types = types,
        .attrs = attrs,
        .check = check,
        .infer = infer,
        .reference = reference,
        .in_place_inputs = src_in_place,
};

} // namespace tern::ops
