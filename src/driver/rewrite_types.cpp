// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "driver/rewrite.hpp"
#include "ops/registry.hpp"

namespace tern::driver {
namespace {

constexpr type_set floating_types(data_type::f32, data_type::bf16, data_type::f16);

/// Ops whose point is a change of type: a graph with one of them has no single type to change.
constexpr std::array<op_kind, 5> converting_ops = {op_kind::TypeCast, op_kind::Quantize,
        op_kind::Dequantize, op_kind::DynamicQuantize, op_kind::DynamicDequantize};

bool port_takes(std::span<const ir::port_def> ports, std::span<const ir::type_rule> rules,
        std::size_t port, data_type type) {
    if (port >= ports.size()) return true;
    for (const ir::type_rule &rule : rules)
        if (rule.variable == ports[port].type_variable) return rule.types.contains(type);
    return true;
}

/// Tensors that some op cannot take in the new type: a softmax's statistics, say, are always f32.
std::set<std::size_t> bound_to_their_type(const std::vector<ir::op_spec> &ops, data_type type) {
    std::set<std::size_t> bound;
    for (const ir::op_spec &op : ops) {
        const ir::op_def *def = ops::find(op.kind);
        if (def == nullptr) continue;
        for (std::size_t i = 0; i < op.inputs.size(); ++i)
            if (!port_takes(def->inputs, def->types, i, type)) bound.insert(op.inputs[i].id);
        for (std::size_t i = 0; i < op.outputs.size(); ++i)
            if (!port_takes(def->outputs, def->types, i, type)) bound.insert(op.outputs[i].id);
    }
    return bound;
}

/// --op-kind may have removed a tensor that the file has.
tensor_desc &remaining_tensor(working_graph &graph, std::string_view option, std::size_t id) {
    auto at = graph.tensors.find(id);
    if (at == graph.tensors.end())
        fail_rewrite("option --{}: tensor {} went with an op that --op-kind removed", option, id);
    return at->second;
}

} // namespace

void rewrite_types(working_graph &graph, data_type type) {
    if (type == data_type::undef) return;
    if (!floating_types.contains(type))
        fail_rewrite(
                "option --dt={}: a whole graph can be given f32, bf16 or f16; for other types name "
                "the tensors, as in --dt=1:{}",
                name_of(type), name_of(type));
    for (const ir::op_spec &op : graph.file.ops)
        if (std::find(converting_ops.begin(), converting_ops.end(), op.kind)
                != converting_ops.end())
            fail_rewrite("option --dt={}: {} converts types, so the graph has no single one",
                    name_of(type), to_string(op.label()));
    std::set<std::size_t> bound = bound_to_their_type(graph.file.ops, type);
    bool found = false;
    for (auto &[id, desc] : graph.tensors) {
        if (!floating_types.contains(desc.type) || bound.contains(id)) continue;
        desc.type = type;
        found = true;
    }
    if (!found)
        fail_rewrite("option --dt={}: no tensor of the graph is f32, bf16 or f16", name_of(type));
}

void rewrite_types(working_graph &graph, const id_types &types) {
    for (const auto &[id, type] : types)
        if (type != data_type::undef) remaining_tensor(graph, "dt", id).type = type;
}

void rewrite_properties(working_graph &graph, const id_values &properties) {
    for (const auto &[id, word] : properties)
        remaining_tensor(graph, "tensor-property", id).property =
                *formats::property_from_name(word);
}

} // namespace tern::driver
