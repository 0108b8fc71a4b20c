// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "driver/layout.hpp"
#include "driver/option_values.hpp"
#include "driver/rewrite.hpp"

namespace tern::driver {
namespace {

template <typename Value>
Value *find_attr(ir::op_spec &op, op_attr attr) {
    for (auto &[name, value] : op.attrs)
        if (name == attr) return std::get_if<Value>(&value);
    return nullptr;
}

bool has_qtype(ir::op_spec &op, std::string_view wanted) {
    const auto *qtype = find_attr<std::string>(op, op_attr::qtype);
    return qtype != nullptr && *qtype == wanted;
}

bool is_static_quantization(const ir::op_spec &op) {
    return op.kind == op_kind::Quantize || op.kind == op_kind::Dequantize;
}

/// Whether an option's value for this op sets the attribute.
bool sets_attr(const id_values &op_attrs, std::size_t op, std::string_view name) {
    auto at = op_attrs.find(op);
    if (at == op_attrs.end()) return false;
    std::vector<std::string> entries = split(at->second, '*');
    return std::any_of(entries.begin(), entries.end(),
            [&](const std::string &entry) { return entry.substr(0, entry.find(':')) == name; });
}

[[noreturn]] void fail_groups(const ir::op_spec &op, const dims &src, const dims &scales,
        const std::vector<std::int64_t> &groups) {
    dims shape;
    for (std::int64_t size : groups)
        if (shape.rank() < max_rank) shape.push_back(size);
    fail_rewrite("{}: src {} is not scales {} times group_shape {}", to_string(op.label()),
            to_string(src), to_string(scales), to_string(shape));
}

/// `whole` / `part` for each axis; nullopt when that is not whole.
std::optional<dims> quotient(const dims &whole, const dims &part) {
    if (whole.rank() != part.rank()) return std::nullopt;
    dims result;
    for (int axis = 0; axis < whole.rank(); ++axis) {
        if (part[axis] <= 0 || whole[axis] % part[axis] != 0) return std::nullopt;
        result.push_back(whole[axis] / part[axis]);
    }
    return result;
}

dims to_dims(const std::vector<std::int64_t> &values) {
    dims result;
    for (std::size_t i = 0; i < values.size() && i < static_cast<std::size_t>(max_rank); ++i)
        result.push_back(values[i]);
    return result;
}

void set_shape(working_graph &graph, std::size_t id, const dims &shape) {
    tensor_desc &desc = graph.tensors.at(id);
    const dims old = desc.strides;
    desc.shape = shape;
    const bool keeps_order = old.rank() == shape.rank();
    std::optional<dims> strides =
            strides_in_order(shape, order_from_strides(keeps_order ? old : dims(shape.rank(), 1)));
    if (strides) desc.strides = *strides;
}

void settle_groups(working_graph &graph, ir::op_spec &op, const case_options &options) {
    auto *groups = find_attr<std::vector<std::int64_t>>(op, op_attr::group_shape);
    const tensor_desc &src = graph.tensors.at(op.inputs[0].id);
    if (groups == nullptr || !src.shape_known()) return;
    const bool shapes_given = std::any_of(op.inputs.begin(), op.inputs.end(),
            [&](const ir::port &port) { return options.in_shapes.contains(port.id); });
    const bool groups_given = sets_attr(options.op_attrs, op.id, "group_shape");
    if (!shapes_given && !groups_given) return;
    const tensor_desc &scales = graph.tensors.at(op.inputs[1].id);
    if (!shapes_given) {
        std::optional<dims> shape = quotient(src.shape, to_dims(*groups));
        if (!shape) fail_groups(op, src.shape, scales.shape, *groups);
        for (std::size_t i = 1; i < op.inputs.size(); ++i)
            if (graph.is_input(op.inputs[i].id)) set_shape(graph, op.inputs[i].id, *shape);
        return;
    }
    std::optional<dims> shape = quotient(src.shape, scales.shape);
    if (!shape || (groups_given && !(*shape == to_dims(*groups))))
        fail_groups(op, src.shape, scales.shape, *groups);
    groups->assign(shape->begin(), shape->end());
    if (op.inputs.size() > 2 && !(graph.tensors.at(op.inputs[2].id).shape == scales.shape))
        fail_rewrite("{}: zps {} have another shape than scales {}", to_string(op.label()),
                to_string(graph.tensors.at(op.inputs[2].id).shape), to_string(scales.shape));
}

} // namespace

void round_scales(working_graph &graph) {
    for (ir::op_spec &op : graph.file.ops) {
        if (!is_static_quantization(op)) continue;
        auto *scales = find_attr<std::vector<float>>(op, op_attr::scales);
        if (scales == nullptr) continue;
        for (float &scale : *scales)
            if (scale > 0 && std::isfinite(scale)) scale = std::exp2(std::ceil(std::log2(scale)));
    }
}

void rewrite_groups(working_graph &graph, const case_options &options) {
    for (ir::op_spec &op : graph.file.ops)
        if (op.kind == op_kind::DynamicDequantize && op.inputs.size() > 1
                && has_qtype(op, "per_group"))
            settle_groups(graph, op, options);
}

void fit_channels(ir::op_spec &op, const tensor_desc &src) {
    if (!is_static_quantization(op) || !has_qtype(op, "per_channel") || src.shape.empty()) return;
    const auto *axis_attr = find_attr<std::int64_t>(op, op_attr::axis);
    std::int64_t axis = axis_attr == nullptr ? 1 : *axis_attr;
    if (axis < 0) axis += src.shape.rank();
    if (axis < 0 || axis >= src.shape.rank()) return; // the op's own check names it
    const auto channels = static_cast<std::size_t>(src.shape[static_cast<int>(axis)]);
    auto fit = [channels](auto *values) {
        if (values == nullptr || values->empty() || values->size() == channels) return;
        const std::size_t given = values->size();
        values->reserve(channels);
        while (values->size() < channels)
            values->push_back((*values)[values->size() % given]);
        values->resize(channels);
    };
    fit(find_attr<std::vector<float>>(op, op_attr::scales));
    fit(find_attr<std::vector<std::int64_t>>(op, op_attr::zps));
}

} // namespace tern::driver
