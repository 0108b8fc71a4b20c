// SPDX-License-Identifier: Apache-2.0
#include "driver/rewrite.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/shape.hpp"
#include "base/text.hpp"
#include "base/topological.hpp"
#include "ops/registry.hpp"

namespace tern::driver {
namespace {

template <typename Map>
void check_tensor_ids(const working_graph &graph, std::string_view option, const Map &by_id) {
    for (const auto &[id, value] : by_id)
        if (!graph.tensors.contains(id))
            fail_rewrite("option --{}: no tensor of the graph has id {}", option, id);
}

void check_op_ids(const working_graph &graph, std::string_view option, const id_values &by_id) {
    for (const auto &[id, value] : by_id)
        if (!graph.has_op(id))
            fail_rewrite("option --{}: no op of the graph has id {}", option, id);
}

void check_ids(const working_graph &graph, const case_options &options) {
    check_tensor_ids(graph, "in-shapes", options.in_shapes);
    for (const auto &[id, value] : options.in_shapes)
        if (!graph.is_input(id) && !graph.is_output(id))
            fail_rewrite(
                    "option --in-shapes: tensor {} is neither an input nor an output of the graph",
                    id);
    check_op_ids(graph, "op-attrs", options.op_attrs);
    check_op_ids(graph, "op-kind", options.op_kind);
    check_tensor_ids(graph, "dt", options.dt_map);
    check_tensor_ids(graph, "tensor-property", options.tensor_property);
}

/// No op takes these yet; benchdnn skips types that the library cannot run.
void check_types(const working_graph &graph) {
    for (const auto &[id, desc] : graph.tensors)
        if (desc.type == data_type::s4 || desc.type == data_type::u4)
            throw verdict(outcome::skipped, reason::data_type,
                    format_text("tensor {} has data type {}, which no op supports", id,
                            name_of(desc.type)));
}

} // namespace

working_graph::working_graph(formats::graph_file &graph) : file(graph) {
    for (const ir::op_spec &op : file.ops) {
        for (const ir::port &port : op.outputs) {
            written.insert(port.id);
            tensors[port.id] = port.desc;
        }
    }
    for (const ir::op_spec &op : file.ops) {
        for (const ir::port &port : op.inputs) {
            read.insert(port.id);
            tensors.emplace(port.id, port.desc); // what an op writes it describes best
        }
    }
    in_file = tensors;
}

bool working_graph::has_op(std::size_t id) const {
    return std::any_of(
            file.ops.begin(), file.ops.end(), [id](const ir::op_spec &op) { return op.id == id; });
}

bool working_graph::is_output(std::size_t id) const {
    if (!written.contains(id)) return false;
    const std::vector<std::size_t> &ports = file.output_ports;
    return !read.contains(id) || std::find(ports.begin(), ports.end(), id) != ports.end();
}

void working_graph::write_back() {
    for (ir::op_spec &op : file.ops) {
        for (ir::port &port : op.inputs)
            port.desc = tensors.at(port.id);
        for (ir::port &port : op.outputs)
            port.desc = tensors.at(port.id);
    }
    for (std::size_t id : read) {
        std::vector<std::size_t> &ports = file.input_ports;
        if (is_input(id) && std::find(ports.begin(), ports.end(), id) == ports.end())
            ports.push_back(id);
    }
}

void sort_topologically(std::vector<ir::op_spec> &ops) {
    // Of two writers only the later one counts; the library complains about the other.
    std::map<std::size_t, int> writers;
    for (std::size_t i = 0; i < ops.size(); ++i)
        for (const ir::port &port : ops[i].outputs)
            writers[port.id] = static_cast<int>(i);
    std::vector<std::vector<int>> needs(ops.size());
    for (std::size_t i = 0; i < ops.size(); ++i)
        for (const ir::port &port : ops[i].inputs)
            if (auto at = writers.find(port.id); at != writers.end())
                needs[i].push_back(at->second);
    const std::vector<int> order = topological_order(needs);
    if (order.size() < ops.size()) {
        int at = find_on_cycle(needs, order);
        fail(status::invalid_graph, "{}: the graph has a cycle through this op",
                to_string(ops[static_cast<std::size_t>(at)].label()));
    }
    std::vector<ir::op_spec> sorted;
    sorted.reserve(ops.size());
    for (int i : order)
        sorted.push_back(std::move(ops[static_cast<std::size_t>(i)]));
    ops = std::move(sorted);
}

void rewrite(formats::graph_file &file, const case_options &options) {
    sort_topologically(file.ops);
    working_graph graph(file);
    check_ids(graph, options);
    round_scales(graph);
    rewrite_input_shapes(graph, options.in_shapes);
    rewrite_attrs(graph, options.op_attrs);
    rewrite_kinds(graph, options.op_kind);
    rewrite_types(graph, options.dt);
    rewrite_types(graph, options.dt_map);
    rewrite_properties(graph, options.tensor_property);
    if (options.fpmath) {
        file.fpmath = options.fpmath->mode;
        file.fpmath_apply_to_int = options.fpmath->apply_to_int;
    }
    // Shapes last: everything that can be said about options has been said when an op turns out to
    // have no shape rule.
    check_types(graph);
    if (options.mb != 0) rewrite_batch(graph, options.mb);
    rewrite_groups(graph, options);
    infer_shapes(graph);
    rewrite_output_shapes(graph, options.in_shapes);
    graph.write_back();
}

} // namespace tern::driver
