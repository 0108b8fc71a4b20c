// SPDX-License-Identifier: Apache-2.0
#include "driver/execution.hpp"

#include <algorithm>

#include "base/shape.hpp"
#include "base/text.hpp"
#include "driver/fill.hpp"
#include "driver/partition_reference.hpp"
#include "driver/report.hpp"

namespace tern::driver {
namespace {

graph::tensor to_tensor(
        const prepared_graph &prepared, const compiled_port &port, memory_map &memory) {
    buffer &its_memory = memory.at(port.id);
    if (port.desc.property == property_type::host_scalar)
        return graph::tensor::make_scalar_tensor(port.tensor, its_memory.data());
    return graph::tensor(port.tensor, prepared.where, its_memory.data());
}

bool has_open_outputs(const compiled_step &step) {
    return std::any_of(step.outputs.begin(), step.outputs.end(),
            [](const compiled_port &port) { return port.is_open(); });
}

/// Makes outputs when execution knows their shapes: exactly as large as is asked for.
struct output_maker {
    const compiled_step &step;
    memory_map &memory;

    graph::output_provider provider() {
        return {this,
                [](void *user, std::size_t output, const std::int64_t *shape,
                        std::size_t rank) -> void * {
                    return static_cast<output_maker *>(user)->make(output, shape, rank);
                }};
    }

    void *make(std::size_t output, const std::int64_t *shape, std::size_t rank) {
        const compiled_port &port = step.outputs[output];
        tensor_desc desc = port.desc;
        desc.shape.assign(shape, shape + rank);
        desc.strides = dense_strides(desc.shape).value();
        auto at = memory.find(port.id);
        if (at != memory.end() && at->second.desc() == desc) return at->second.data();
        buffer made(desc);
        fill_with_pattern(made);
        return memory.insert_or_assign(port.id, std::move(made)).first->second.data();
    }
};

} // namespace

void check_ram(const prepared_graph &prepared, run_mode mode, int verbose) {
    ram_estimate estimate;
    std::map<std::size_t, std::size_t> tensors;
    for (const compiled_step &step : prepared.steps) {
        for (const auto *ports : {&step.inputs, &step.outputs})
            for (const compiled_port &port : *ports)
                tensors[port.id] = most_bytes(step, port);
        estimate.add(step.scratch_bytes);
        if (mode == run_mode::bitwise)
            for (const compiled_port &port : step.outputs)
                estimate.add(most_bytes(step, port));
        if (mode != run_mode::correctness) continue;
        estimate.add(reference_bytes(step));
        // The reference's outputs and those of the execution in place.
        for (const compiled_port &port : step.outputs) {
            estimate.add(most_bytes(step, port));
            estimate.add(most_bytes(step, port));
        }
    }
    for (const auto &[id, bytes] : tensors)
        estimate.add(bytes);
    if (verbose >= 8)
        print_line(format_text(
                "[INFO]: memory needed: {} of {} bytes", estimate.bytes(), usable_ram()));
    if (!estimate.fits())
        throw verdict(outcome::skipped, reason::not_enough_ram,
                format_text("{} bytes needed; there are {}, of which 75 % may be used",
                        estimate.bytes(), usable_ram()));
}

std::size_t most_bytes(const compiled_step &step, const compiled_port &port) {
    if (!port.is_open()) return *bytes_needed(port.desc);
    // As many as all inputs have, along each axis that is open.
    std::int64_t most = 1;
    for (const compiled_port &input : step.inputs)
        most = std::max(most, element_count(input.desc.shape).value_or(INT64_MAX));
    tensor_desc desc = port.desc;
    for (std::int64_t &dim : desc.shape)
        if (dim == unknown_dim) dim = most;
    desc.strides = dense_strides(desc.shape).value_or(dims(desc.shape.rank(), INT64_MAX));
    return bytes_needed(desc).value_or(SIZE_MAX);
}

memory_map make_inputs(const prepared_graph &prepared, const formats::graph_file &file,
        const run_settings &settings, phase_seconds &phases) {
    phase_timer timer(phases.fill);
    std::map<std::size_t, input_role> roles = input_roles(file.ops);
    memory_map memory;
    for (const compiled_step &step : prepared.steps) {
        for (const compiled_port &port : step.inputs) {
            auto role = roles.find(port.id);
            if (role == roles.end() || memory.contains(port.id)) continue;
            buffer input(port.desc);
            if (measures(settings.mode))
                fill_for_measuring(
                        input, port.id, role->second, settings.seed, settings.cond_density);
            else
                fill_for_comparison(
                        input, port.id, role->second, settings.seed, settings.masked_rows);
            memory.emplace(port.id, std::move(input));
        }
    }
    return memory;
}

void make_outputs(const compiled_step &step, memory_map &memory) {
    for (const compiled_port &port : step.outputs) {
        if (port.is_open()) continue;
        buffer output(port.desc);
        fill_with_pattern(output);
        memory.insert_or_assign(port.id, std::move(output));
    }
}

step_pointers pointers_of(const compiled_step &step, memory_map &memory) {
    step_pointers pointers{{}, {}, &memory};
    for (const compiled_port &port : step.inputs)
        pointers.inputs.push_back(memory.at(port.id).data());
    for (const compiled_port &port : step.outputs)
        pointers.outputs.push_back(port.is_open() ? nullptr : memory.at(port.id).data());
    return pointers;
}

void execute_tensors(
        const prepared_graph &prepared, const compiled_step &step, memory_map &memory) {
    std::vector<graph::tensor> inputs;
    for (const compiled_port &port : step.inputs)
        inputs.push_back(to_tensor(prepared, port, memory));
    std::vector<graph::tensor> outputs;
    for (const compiled_port &port : step.outputs)
        outputs.push_back(port.is_open() ? graph::tensor() : to_tensor(prepared, port, memory));
    stream queue(prepared.where);
    output_maker maker{step, memory};
    if (has_open_outputs(step))
        step.compiled.execute(queue, inputs, outputs, maker.provider());
    else
        step.compiled.execute(queue, inputs, outputs);
    queue.wait();
}

void execute_pointers(const prepared_graph &prepared, const compiled_step &step,
        const step_pointers &pointers, void *scratch) {
    stream queue(prepared.where);
    if (!has_open_outputs(step)) {
        step.compiled.execute(queue, pointers.inputs.data(), pointers.outputs.data(), scratch);
        return;
    }
    output_maker maker{step, *pointers.memory};
    step.compiled.execute(
            queue, pointers.inputs.data(), pointers.outputs.data(), maker.provider(), scratch);
}

std::map<std::size_t, std::size_t> last_uses(const prepared_graph &prepared) {
    std::map<std::size_t, std::size_t> uses;
    for (std::size_t i = 0; i < prepared.steps.size(); ++i)
        for (const compiled_port &port : prepared.steps[i].inputs)
            uses[port.id] = i;
    return uses;
}

} // namespace tern::driver
