// SPDX-License-Identifier: Apache-2.0
//
// Products and sums.
#include <numeric>

#include "base/error.hpp"
#include "base/shape.hpp"
#include "formats/onnx/op_table.hpp"

namespace tern::formats::onnx {
namespace {

traced softmax(node_context &node, const traced &value, std::int64_t axis) {
    return node.emit(op_kind::SoftMax, {{op_attr::axis, axis}}, {value});
}

traced reshape(node_context &node, const traced &value, const dims &shape) {
    return node.emit(op_kind::StaticReshape,
            {{op_attr::shape, std::vector<std::int64_t>(shape.begin(), shape.end())},
                    {op_attr::special_zero, false}},
            {value});
}

/// The axes of a reduction: an attribute, since 13 (ReduceSum) and 18 (the others) an input.
std::vector<std::int64_t> axes_of(node_context &node) {
    const bool is_input = node.version >= (node.source.op_type == "ReduceSum" ? 13 : 18);
    if (is_input) return node.has(1) ? node.integers(1) : std::vector<std::int64_t>();
    if (node.has(1)) node.refuse("input 1 (axes) is not known before a newer operator set");
    return node.integer_list("axes").value_or(std::vector<std::int64_t>());
}

} // namespace

void import_matmul(node_context &node) {
    node.set(node.emit(op_kind::MatMul, {}, {node.in(0), node.in(1)}));
}

void import_softmax(node_context &node) {
    const int axis = node.axis("attribute axis", node.integer("axis", -1), node.rank(0));
    node.set(softmax(node, node.in(0), axis));
}

/// Before version 13: the axes before `axis` and those from it on are made one each.
void import_flat_softmax(node_context &node) {
    const traced &value = node.in(0);
    const dims shape = value.desc.shape;
    const int axis = node.axis("attribute axis", node.integer("axis", 1), node.rank(0));
    dims flat{1, 1};
    for (int i = 0; i < shape.rank(); ++i)
        flat[i < axis ? 0 : 1] *= shape[i];
    node.set(reshape(node, softmax(node, reshape(node, value, flat), 1), shape));
}

void import_reduce(node_context &node) {
    traced value = node.in(0);
    const std::string &name = node.source.op_type;
    std::vector<std::int64_t> axes = axes_of(node);
    const bool keep = node.integer("keepdims", 1) != 0;
    const bool is_identity = axes.empty() && node.integer("noop_with_empty_axes", 0) != 0;
    if (name == "ReduceSumSquare" || name == "ReduceL2")
        value = node.emit(op_kind::Multiply, {}, {value, value});
    if (name == "ReduceL1") value = node.emit(op_kind::Abs, {}, {value});
    for (std::int64_t &axis : axes)
        axis = node.axis("axes", axis, node.rank(0));
    if (axes.empty()) {
        axes.resize(static_cast<std::size_t>(node.rank(0)));
        std::iota(axes.begin(), axes.end(), 0);
    }
    double count = 1; // of the elements in one sum
    for (std::int64_t axis : axes)
        count *= static_cast<double>(node.shape(0)[static_cast<int>(axis)]);
    if (!is_identity && !axes.empty())
        value = node.emit(
                op_kind::ReduceSum, {{op_attr::axes, axes}, {op_attr::keep_dims, keep}}, {value});
    if (name == "ReduceL2") value = node.emit(op_kind::Sqrt, {}, {value});
    if (name == "ReduceLogSum") value = node.emit(op_kind::Log, {}, {value});
    if (name == "ReduceMean" && !is_identity)
        value = node.emit(op_kind::Divide, {}, {value, node.scalar(value.desc.type, count)});
    node.set(value);
}

void import_non_zero(node_context &node) {
    node.set(node.build.emit(op_kind::NonZero, {}, {node.in(0)}, data_type::s64));
}

} // namespace tern::formats::onnx
