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

} // namespace

void check_ram(const prepared_graph &prepared, run_mode mode, int verbose) {
    ram_estimate estimate;
    std::map<std::size_t, std::size_t> tensors;
    for (const compiled_step &step : prepared.steps) {
        for (const auto *ports : {&step.inputs, &step.outputs})
            for (const compiled_port &port : *ports)
                tensors[port.id] = *bytes_needed(port.desc);
        estimate.add(step.scratch_bytes);
        if (mode == run_mode::bitwise)
            for (const compiled_port &port : step.outputs)
                estimate.add(*bytes_needed(port.desc));
        if (mode != run_mode::correctness) continue;
        estimate.add(reference_bytes(step));
        // The reference's outputs and those of the execution in place.
        for (const compiled_port &port : step.outputs) {
            estimate.add(*bytes_needed(port.desc));
            estimate.add(*bytes_needed(port.desc));
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
        buffer output(port.desc);
        fill_with_pattern(output);
        memory.insert_or_assign(port.id, std::move(output));
    }
}

step_pointers pointers_of(const compiled_step &step, memory_map &memory) {
    step_pointers pointers;
    for (const compiled_port &port : step.inputs)
        pointers.inputs.push_back(memory.at(port.id).data());
    for (const compiled_port &port : step.outputs)
        pointers.outputs.push_back(memory.at(port.id).data());
    return pointers;
}

void execute_tensors(
        const prepared_graph &prepared, const compiled_step &step, memory_map &memory) {
    std::vector<graph::tensor> inputs;
    for (const compiled_port &port : step.inputs)
        inputs.push_back(to_tensor(prepared, port, memory));
    std::vector<graph::tensor> outputs;
    for (const compiled_port &port : step.outputs)
        outputs.push_back(to_tensor(prepared, port, memory));
    stream queue(prepared.where);
    step.compiled.execute(queue, inputs, outputs);
    queue.wait();
}

void execute_pointers(const prepared_graph &prepared, const compiled_step &step,
        const step_pointers &pointers, void *scratch) {
    stream queue(prepared.where);
    step.compiled.execute(queue, pointers.inputs.data(), pointers.outputs.data(), scratch);
}

std::map<std::size_t, std::size_t> last_uses(const prepared_graph &prepared) {
    std::map<std::size_t, std::size_t> uses;
    for (std::size_t i = 0; i < prepared.steps.size(); ++i)
        for (const compiled_port &port : prepared.steps[i].inputs)
            uses[port.id] = i;
    return uses;
}

} // namespace tern::driver
