// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <vector>

#include "base/error.hpp"
#include "base/shape.hpp"
#include "ops/operands.hpp"
#include "ops/rules.hpp"

/// dst = src with another shape; elements keep their row-major order
/// Shapes: dst is the attribute shape. One entry may be -1: what the number of elements leaves. 0
///         is src's dim at that axis with special_zero, else a size of zero. Both have equally many
///         elements. Rank 0..12.
/// Types:  src and dst the same type, any of 1, 2, 4, 8 or 16 bytes.
/// Values: bits are copied unchanged.
/// Errors: invalid_graph_op for a bad entry; invalid_shape, naming both shapes, where the numbers
///         of elements differ, and where -1 could be anything; none at run time.
/// Source: oneDNN Graph StaticReshape-1.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 1> inputs = {{{"src", "T"}}};
constexpr std::array<ir::port_def, 1> outputs = {{{"dst", "T"}}};
constexpr std::array<ir::type_rule, 1> types = {{{"T", any_fixed_size}}};
constexpr std::array<ir::attr_def, 2> attrs = {
        {{op_attr::shape, true, {}, {}}, {op_attr::special_zero, true, {}, {}}}};

void check(const ir::op_label &label, const ir::attr_list &attrs, std::span<const tensor_desc>,
        std::span<const tensor_desc>) {
    const auto &shape = ir::attr_of<std::vector<std::int64_t>>(attrs, op_attr::shape);
    if (shape.size() > static_cast<std::size_t>(max_rank))
        fail(status::invalid_graph_op, "{}: attribute shape has {} values; at most {} are allowed",
                ir::to_string(label), shape.size(), max_rank);
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (shape[i] < -1)
            fail(status::invalid_graph_op,
                    "{}: attribute shape has {} at axis {}; expected -1, 0 or more",
                    ir::to_string(label), shape[i], i);
    const auto open = std::count(shape.begin(), shape.end(), std::int64_t{-1});
    if (open > 1)
        fail(status::invalid_graph_op, "{}: attribute shape has {} values of -1; one is allowed",
                ir::to_string(label), open);
}

/// The attribute with zeros replaced; -1 stays. What hangs on an unknown src is unknown.
dims requested_shape(
        const ir::op_label &label, const ir::attr_list &attrs, const tensor_desc &src) {
    dims result;
    for (std::int64_t dim : ir::attr_of<std::vector<std::int64_t>>(attrs, op_attr::shape)) {
        const int axis = result.rank();
        if (dim == 0 && ir::attr_of<bool>(attrs, op_attr::special_zero)) {
            if (src.rank_known && axis >= src.shape.rank())
                fail(status::invalid_shape,
                        "{}: attribute shape has 0 (as in src) at axis {}, but src {} has rank {}",
                        ir::to_string(label), axis, to_string(src.shape), src.shape.rank());
            dim = src.rank_known ? src.shape[axis] : unknown_dim;
        }
        result.push_back(dim);
    }
    return result;
}

void infer(const ir::op_label &label, const ir::attr_list &attrs, std::span<const tensor_desc> in,
        std::span<tensor_desc> out) {
    dims shape = requested_shape(label, attrs, in[0]);
    std::int64_t *open = std::find(shape.begin(), shape.end(), std::int64_t{-1});
    const bool is_open = open != shape.end();
    const std::string text = to_string(shape);
    if (is_open) *open = 1;
    if (!in[0].shape_known() || has_unknown(shape)) {
        if (is_open) *open = unknown_dim;
        return settle_shape(label, "dst", shape, out[0]);
    }
    const std::int64_t count = element_count(in[0].shape).value_or(-1);
    std::int64_t rest = element_count(shape).value_or(-1);
    if (is_open && rest > 0 && count % rest == 0) {
        *open = count / rest;
        rest = count;
    } else if (is_open && rest == 0) {
        fail(status::invalid_shape,
                "{}: attribute shape is {}: beside a size of 0, -1 could be anything",
                ir::to_string(label), text);
    }
    if (count < 0 || rest != count)
        fail(status::invalid_shape,
                "{}: src {} does not have as many elements as the attribute shape, {}",
                ir::to_string(label), to_string(in[0].shape), text);
    settle_shape(label, "dst", shape, out[0]);
}

void copy(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    const ir::const_view &src = args.in[0];
    copy_elements(src, src.shape, src.strides, args.out[0], begin, end);
}

} // namespace

extern const ir::op_def static_reshape;
const ir::op_def static_reshape = {
        .kind = op_kind::StaticReshape,
        .doc = "dst = src with another shape",
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
