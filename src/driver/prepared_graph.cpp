// SPDX-License-Identifier: Apache-2.0
#include "driver/prepared_graph.hpp"

#include <algorithm>
#include <map>
#include <variant>

#include "base/shape.hpp"
#include "base/text.hpp"
#include "driver/buffer.hpp"
#include "driver/report.hpp"

namespace tern::driver {
namespace {

using graph::logical_tensor;

logical_tensor to_logical_tensor(const ir::port &port) {
    const tensor_desc &desc = port.desc;
    if (!desc.rank_known) return logical_tensor(port.id, desc.type);
    logical_tensor::dims shape(desc.shape.begin(), desc.shape.end());
    if (desc.layout != layout_type::strided)
        return logical_tensor(port.id, desc.type, shape, desc.layout, desc.property);
    logical_tensor::dims strides(desc.strides.begin(), desc.strides.end());
    return logical_tensor(port.id, desc.type, shape, strides, desc.property);
}

graph::op to_op(const ir::op_spec &spec) {
    graph::op op(spec.id, spec.kind, spec.name);
    for (const ir::port &port : spec.inputs)
        if (port.desc.is_tensor())
            op.add_input(to_logical_tensor(port));
        else
            op.add_input(graph::logical_value{port.id, port.desc.value_type()});
    for (const ir::port &port : spec.outputs)
        if (port.desc.is_tensor())
            op.add_output(to_logical_tensor(port));
        else
            op.add_output(graph::logical_value{port.id, port.desc.value_type()});
    for (const auto &[attr, value] : spec.attrs)
        std::visit([&op, name = attr](const auto &typed) { op.set_attr(name, typed); }, value);
    return op;
}

graph::graph build(const formats::graph_file &file) {
    graph::graph built(engine::kind::cpu);
    if (file.fpmath) built.set_fpmath_mode(*file.fpmath, file.fpmath_apply_to_int);
    for (const ir::op_spec &spec : file.ops)
        built.add_op(to_op(spec));
    built.finalize();
    return built;
}

compiled_port resolve(const graph::compiled_partition &compiled, std::size_t id) {
    compiled_port port{id, compiled.query_logical_tensor(id), {}};
    const logical_tensor &tensor = port.tensor;
    port.desc.type = tensor.get_data_type();
    port.desc.property = tensor.get_property_type();
    port.desc.layout = layout_type::strided;
    port.desc.rank_known = true;
    logical_tensor::dims shape = tensor.get_dims();
    port.desc.shape.assign(shape.begin(), shape.end());
    if (tensor.get_layout_type() == layout_type::strided) {
        logical_tensor::dims strides = tensor.get_strides();
        port.desc.strides.assign(strides.begin(), strides.end());
    } else {
        port.desc.strides = dense_strides(port.desc.shape).value_or(dims());
    }
    if (!port.is_open() && !bytes_needed(port.desc))
        throw verdict(outcome::invalid_arguments, reason::invalid_case,
                format_text("tensor {}: the size of shape {} does not fit 64 bits", id,
                        to_string(port.desc.shape)));
    return port;
}

} // namespace

std::vector<const ir::op_spec *> ops_of(
        const graph::partition &partition, const formats::graph_file &file) {
    std::vector<std::size_t> ids = partition.get_ops();
    std::vector<const ir::op_spec *> ops;
    for (const ir::op_spec &op : file.ops)
        if (std::find(ids.begin(), ids.end(), op.id) != ids.end()) ops.push_back(&op);
    return ops;
}

namespace {

/// A mark on a tensor: there is nothing to run.
bool is_end(const graph::partition &partition, const formats::graph_file &file) {
    const std::vector<const ir::op_spec *> ops = ops_of(partition, file);
    return ops.size() == 1 && ops[0]->kind == op_kind::End;
}

void check_supported(const std::vector<graph::partition> &partitions,
        const formats::graph_file &file, int verbose) {
    for (std::size_t i = 0; i < partitions.size(); ++i) {
        if (partitions[i].is_supported()) continue;
        std::string names;
        for (const ir::op_spec *op : ops_of(partitions[i], file))
            names += format_text("{}{}", names.empty() ? "" : ", ", to_string(op->label()));
        if (verbose >= 3) print_line(format_text("[INFO]: partition #{} is unsupported!", i));
        throw verdict(outcome::unimplemented, reason::none, names + " is not implemented");
    }
}

void check_number(
        const std::vector<graph::partition> &partitions, std::size_t expected, int verbose) {
    if (verbose >= 3) {
        std::string counts;
        for (const graph::partition &partition : partitions)
            counts += format_text(" {{{}}}", partition.get_ops_num());
        print_line(format_text(
                "[INFO]: n_partitions:{}; ops_in_partitions:{}", partitions.size(), counts));
    }
    if (expected == 0 || expected == partitions.size()) return;
    throw verdict(outcome::untested, reason::none,
            format_text("the graph has {} partitions, but {} were expected", partitions.size(),
                    expected));
}

void print_compiled(const compiled_step &step, std::size_t index, int verbose) {
    if (verbose >= 3)
        print_line(format_text("[INFO]: partition #{}: implementation {}", index,
                step.compiled.get_implementation()));
    if (verbose >= 3)
        for (const graph::refusal &refusal : step.compiled.get_refusals())
            print_line(format_text("[INFO]: partition #{}: not {}: {}", index,
                    refusal.implementation, refusal.reason));
    if (verbose < 8) return;
    for (const auto *ports : {&step.inputs, &step.outputs})
        for (const compiled_port &port : *ports)
            print_line(format_text("[INFO]: tensor {}: {}, {} bytes", port.id, to_string(port.desc),
                    port.is_open() ? "?" : format_text("{}", *bytes_needed(port.desc))));
}

} // namespace

std::vector<graph::partition> make_partitions(const formats::graph_file &file,
        std::size_t expected_n_partitions, const run_settings &settings, phase_seconds &phases) {
    std::vector<graph::partition> partitions;
    {
        phase_timer timer(phases.create_pd);
        partitions = build(file).get_partitions();
    }
    std::erase_if(partitions, [&](const auto &partition) { return is_end(partition, file); });
    check_supported(partitions, file, settings.verbose);
    check_number(partitions, expected_n_partitions, settings.verbose);
    return partitions;
}

prepared_graph prepare(const formats::graph_file &file, std::size_t expected_n_partitions,
        const run_settings &settings, phase_seconds &phases) {
    const int verbose = settings.verbose;
    const graph::compile_options compile_options{settings.implementation};
    const std::vector<graph::partition> partitions =
            make_partitions(file, expected_n_partitions, settings, phases);
    phase_timer timer(phases.create_prim);
    prepared_graph prepared;
    prepared.where = engine(engine::kind::cpu, 0);
    std::map<std::size_t, logical_tensor> resolved; // what earlier partitions write
    for (const graph::partition &partition : partitions) {
        std::vector<logical_tensor> inputs = partition.get_input_ports();
        for (logical_tensor &input : inputs)
            if (auto at = resolved.find(input.get_id()); at != resolved.end()) input = at->second;
        compiled_step step;
        step.compiled = partition.compile(
                inputs, partition.get_output_ports(), prepared.where, compile_options);
        step.ops = ops_of(partition, file);
        for (const logical_tensor &input : inputs)
            step.inputs.push_back(resolve(step.compiled, input.get_id()));
        for (const logical_tensor &output : partition.get_output_ports()) {
            step.outputs.push_back(resolve(step.compiled, output.get_id()));
            resolved.emplace(output.get_id(), step.outputs.back().tensor);
        }
        step.scratch_bytes = step.compiled.get_scratchpad_logical_tensor().get_mem_size();
        print_compiled(step, prepared.steps.size(), verbose);
        prepared.steps.push_back(std::move(step));
    }
    return prepared;
}

} // namespace tern::driver
