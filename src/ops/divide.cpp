// SPDX-License-Identifier: Apache-2.0
#include "base/error.hpp"
#include "ops/elementwise.hpp"

/// dst[i] = src_0[i] / src_1[i]
/// Shapes: numpy: src_0 and src_1 broadcast both ways to dst; none: all shapes equal. Rank 0..12,
///         zero sizes allowed.
/// Types:  src_0, src_1 and dst each f32, bf16, f16 or f64, or all the same integer type of 8 to 64
///         bits.
/// Values: computed in double and rounded once to dst; integers towards zero, modulo 2^n, and 0
///         where src_1 is 0. In place: dst may be src_0 or src_1 when type size, shape and layout
///         agree.
/// Errors: invalid_graph_op for a wrong attribute, and for integers of several types or together
///         with floating point; invalid_shape at finalize or compile, naming
///         operands and axis; none at run time.
/// Source: oneDNN Graph Divide-1; the further types are Tern's own.
namespace tern::ops {
namespace {

constexpr std::array<ir::type_rule, 3> types = {
        {{"T1", numeric}, {"T2", numeric}, {"T3", numeric}}};

void check(const ir::op_label &label, const ir::attr_list &, std::span<const tensor_desc> in,
        std::span<const tensor_desc> out) {
    const data_type type = in[0].type;
    const bool any_integer = is_integer(type) || is_integer(in[1].type) || is_integer(out[0].type);
    if (any_integer && (in[1].type != type || out[0].type != type))
        fail(status::invalid_graph_op,
                "{}: data types are {}, {} and {}; expected one integer type for all, or floating "
                "point",
                ir::to_string(label), tern::name_of(type), tern::name_of(in[1].type),
                tern::name_of(out[0].type));
}

void reference(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    const bool is_signed = is_signed_integer(args.in[0].type);
    map_pairs(
            args, begin, end, [](double a, double b) { return a / b; },
            [=](std::uint64_t a, std::uint64_t b) {
                if (b == 0) return b;
                if (!is_signed) return a / b;
                if (b == ~std::uint64_t{0}) return -a; // by -1, of which the least has no quotient
                return static_cast<std::uint64_t>(
                        static_cast<std::int64_t>(a) / static_cast<std::int64_t>(b));
            });
}

} // namespace

extern const ir::op_def divide;
const ir::op_def divide = {
        .kind = op_kind::Divide,
        .doc = "dst = src_0 / src_1",
        .inputs = mixed_inputs,
        .outputs = mixed_output,
        .types = types,
        .attrs = broadcast_attrs,
        .check = check,
        .infer = infer_binary,
        .reference = reference,
        .in_place_inputs = either_in_place,
};

} // namespace tern::ops
