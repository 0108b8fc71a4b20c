// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <vector>

#include "base/error.hpp"
#include "ops/operands.hpp"
#include "ops/rules.hpp"

/// dst = src with its axes in another order: axis i of dst is axis order[i] of src
/// Shapes: order is a permutation of src's axes, negative ones count from the end; an empty order
///         reverses them. Rank 0..12, zero sizes allowed.
/// Types:  src and dst the same type, any of 1, 2, 4, 8 or 16 bytes.
/// Values: bits are copied unchanged.
/// Errors: invalid_graph_op for an order that is no permutation; invalid_shape where it does not
///         match a rank that is known later; none at run time.
/// Source: oneDNN Graph StaticTranspose-1.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 1> inputs = {{{"src", "T"}}};
constexpr std::array<ir::port_def, 1> outputs = {{{"dst", "T"}}};
constexpr std::array<ir::type_rule, 1> types = {{{"T", any_fixed_size}}};
constexpr std::array<ir::attr_def, 1> attrs = {{{op_attr::order, true, {}, {}}}};

const std::vector<std::int64_t> &order_of(const ir::attr_list &attrs) {
    return ir::attr_of<std::vector<std::int64_t>>(attrs, op_attr::order);
}

void check_rank(status code, const ir::op_label &label, const ir::attr_list &attrs,
        const tensor_desc &src) {
    const std::size_t size = order_of(attrs).size();
    if (!src.rank_known || size == 0 || size == static_cast<std::size_t>(src.shape.rank())) return;
    fail(code, "{}: attribute order has {} axes, but src {} has rank {}", ir::to_string(label),
            size, to_string(src.shape), src.shape.rank());
}

void check(const ir::op_label &label, const ir::attr_list &attrs, std::span<const tensor_desc> in,
        std::span<const tensor_desc>) {
    const std::vector<std::int64_t> &order = order_of(attrs);
    if (order.size() > static_cast<std::size_t>(max_rank))
        fail(status::invalid_graph_op, "{}: attribute order has {} axes; at most {} are allowed",
                ir::to_string(label), order.size(), max_rank);
    check_rank(status::invalid_graph_op, label, attrs, in[0]);
    std::array<bool, max_rank> is_taken{};
    for (std::int64_t given : order) {
        const int axis = resolve_axis(given, static_cast<int>(order.size()));
        if (axis < 0)
            fail(status::invalid_graph_op, "{}: attribute order has axis {}, but {} axes",
                    ir::to_string(label), given, order.size());
        bool &taken = is_taken[static_cast<std::size_t>(axis)];
        if (taken)
            fail(status::invalid_graph_op, "{}: attribute order has axis {} twice",
                    ir::to_string(label), axis);
        taken = true;
    }
}

/// Shape or strides of src in dst's order.
dims permute(const ir::attr_list &attrs, const dims &values) {
    const std::vector<std::int64_t> &order = order_of(attrs);
    const int rank = values.rank();
    dims result;
    for (int i = 0; i < rank; ++i)
        result.push_back(
                values[order.empty() ? rank - 1 - i
                                     : resolve_axis(order[static_cast<std::size_t>(i)], rank)]);
    return result;
}

void infer(const ir::op_label &label, const ir::attr_list &attrs, std::span<const tensor_desc> in,
        std::span<tensor_desc> out) {
    if (!in[0].rank_known) return;
    check_rank(status::invalid_shape, label, attrs, in[0]);
    settle_shape(label, "dst", permute(attrs, in[0].shape), out[0]);
}

void copy(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    const ir::const_view &src = args.in[0];
    copy_elements(
            src, args.out[0].shape, permute(args.attrs, src.strides), args.out[0], begin, end);
}

} // namespace

extern const ir::op_def static_transpose;
const ir::op_def static_transpose = {
        .kind = op_kind::StaticTranspose,
        .doc = "dst = src with its axes in another order",
        .inputs = inputs,
        .outputs = outputs,
        .types = types,
        .attrs = attrs,
        .check = check,
        .infer = infer,
        .reference = copy,
        .in_place_inputs = {},
};

} // namespace tern::ops
