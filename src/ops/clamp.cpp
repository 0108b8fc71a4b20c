// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "ops/elementwise.hpp"

/// dst[i] = min(max(src[i], min), max)
/// Shapes: dst as src. Rank 0..12, zero sizes allowed.
/// Types:  src and dst the same, f32, bf16, f16, f64 or an integer of 8 to 64 bits.
/// Values: computed in double and rounded once to dst. NaN stays NaN. Of an integer type the bounds
///         are integers: rounded to nearest even, then saturated. When min exceeds max every number
///         becomes max. In place: dst may be src when the layout agrees.
/// Errors: invalid_graph_op for a missing or wrong attribute; invalid_shape when dst is given
///         another shape; none at run time.
/// Source: oneDNN Graph Clamp-1.
namespace tern::ops {
namespace {

constexpr std::array<ir::type_rule, 1> types = {{{"T", numeric}}};

constexpr std::array<ir::attr_def, 2> attrs = {
        {{op_attr::min, true, {}, {}}, {op_attr::max, true, {}, {}}}};

void clamp_integers(const ir::reference_args &args, std::int64_t begin, std::int64_t end,
        double least, double most) noexcept {
    const data_type type = args.in[0].type;
    std::uint64_t low = 0, high = 0; // as elements
    store_result(type, least, &low);
    store_result(type, most, &high);
    for_each_element<1>(args, begin, end, [=](void *to, const void *from) {
        const void *value = std::is_lt(compare(type, from, &low)) ? &low : from;
        if (std::is_gt(compare(type, value, &high))) value = &high;
        std::memmove(to, value, bytes_of(type)); // in place, both may be the same
    });
}

void reference(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    const double least = number_of(args.attrs, op_attr::min);
    const double most = number_of(args.attrs, op_attr::max);
    if (is_integer(args.in[0].type)) return clamp_integers(args, begin, end, least, most);
    map(args, begin, end, [=](double x) {
        const double raised = x < least ? least : x;
        return raised > most ? most : raised;
    });
}

} // namespace

extern const ir::op_def clamp;
const ir::op_def clamp = {
        .kind = op_kind::Clamp,
        .doc = "dst = min(max(src, min), max)",
        .inputs = unary_inputs,
        .outputs = one_output,
        .types = types,
        .attrs = attrs,
        .infer = infer_same,
        .reference = reference,
        .in_place_inputs = src_in_place,
};

} // namespace tern::ops
