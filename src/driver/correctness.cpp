// SPDX-License-Identifier: Apache-2.0
#include "driver/correctness.hpp"

#include <algorithm>
#include <set>

#include "base/shape.hpp"
#include "base/text.hpp"
#include "driver/compare.hpp"
#include "driver/error_model.hpp"
#include "driver/fill.hpp"
#include "driver/npy.hpp"
#include "driver/op_classes.hpp"
#include "driver/partition_reference.hpp"
#include "driver/report.hpp"
#include "ops/registry.hpp"

namespace tern::driver {
namespace {

/// Tensor ids that some op of the file reads.
std::set<std::size_t> ids_read(const formats::graph_file &file) {
    std::set<std::size_t> ids;
    for (const ir::op_spec &op : file.ops)
        for (const ir::port &port : op.inputs)
            ids.insert(port.id);
    return ids;
}

/// Outputs of which nothing but one number can be expected.
std::set<std::size_t> ids_of_one_value(const formats::graph_file &file) {
    std::set<std::size_t> ids;
    for (const ir::op_spec &op : file.ops)
        if (gives_one_value(op)) ids.insert(op.outputs[0].id);
    return ids;
}

const compiled_port *find_port(const std::vector<compiled_port> &ports, std::size_t id) {
    for (const compiled_port &port : ports)
        if (port.id == id) return &port;
    return nullptr;
}

using id_pair = std::pair<std::size_t, std::size_t>;

bool same_layout(const tensor_desc &a, const tensor_desc &b) {
    return a.type == b.type && a.shape == b.shape && same_strides(a.shape, a.strides, b.strides);
}

/// Inputs of a single op that its definition allows to share memory with its output. The library
/// accepts them all, reported or not.
std::vector<id_pair> legal_pairs(const compiled_step &step) {
    std::vector<id_pair> pairs;
    if (step.ops.size() != 1 || step.outputs.size() != 1) return pairs;
    const ir::op_spec &op = *step.ops[0];
    const ir::op_def &def = *ops::find(op.kind);
    std::set<int> allowed(def.in_place_inputs.begin(), def.in_place_inputs.end());
    for (int port : def.in_place_inputs) {
        std::size_t id = op.inputs[static_cast<std::size_t>(port)].id;
        bool only_there = true;
        for (std::size_t i = 0; i < op.inputs.size(); ++i)
            if (op.inputs[i].id == id && !allowed.contains(static_cast<int>(i))) only_there = false;
        const compiled_port *input = find_port(step.inputs, id);
        if (only_there && input != nullptr && same_layout(input->desc, step.outputs[0].desc))
            pairs.emplace_back(id, step.outputs[0].id);
    }
    return pairs;
}

std::vector<id_pair> in_place_pairs(const compiled_step &step) {
    std::vector<id_pair> pairs = step.compiled.get_inplace_ports();
    for (const id_pair &pair : legal_pairs(step))
        if (std::find(pairs.begin(), pairs.end(), pair) == pairs.end()) pairs.push_back(pair);
    return pairs;
}

class comparing_run {
public:
    comparing_run(const prepared_graph &prepared, const formats::graph_file &file,
            const run_settings &settings, const tensor_dump &dump, case_result &result)
        : prepared_(prepared),
          file_(file),
          settings_(settings),
          dump_(dump),
          result_(result),
          read_(ids_read(file)),
          one_value_(ids_of_one_value(file)),
          last_uses_(last_uses(prepared)) {}

    /// Whether nearly all elements of some output are the same.
    bool uniform() const { return uniform_; }

    void run() {
        found_ = make_inputs(prepared_, file_, settings_, result_.phases);
        dump_.write_inputs(found_);
        for (std::size_t i = 0; i < prepared_.steps.size(); ++i) {
            if (settings_.verbose >= 3)
                print_line(format_text("[INFO]: Start execution of partition #{}.", i));
            run_step(prepared_.steps[i]);
            release_after(i);
        }
    }

private:
    void run_step(const compiled_step &step) {
        error_model errors;
        {
            phase_timer timer(result_.phases.compute_ref);
            expected_ = run_partition_reference(step, found_, errors);
        }
        accepted_.clear();
        for (const compiled_port &port : step.outputs)
            accepted_.emplace(port.id, errors.of(port.id));
        make_outputs(step, found_);
        std::map<std::size_t, std::uint64_t> before = fingerprints(step);
        {
            phase_timer timer(result_.phases.execute);
            execute_tensors(prepared_, step, found_);
        }
        check_inputs(step, before);
        for (const compiled_port &port : step.outputs) {
            check_output(port.id, expected_.at(port.id), found_.at(port.id), "DST");
            if (!read_.contains(port.id)) dump_.write("out", port.id, found_.at(port.id));
        }
        for (const id_pair &pair : in_place_pairs(step))
            run_in_place(step, pair);
        expected_.clear();
    }

    std::map<std::size_t, std::uint64_t> fingerprints(const compiled_step &step) {
        phase_timer timer(result_.phases.compare);
        std::map<std::size_t, std::uint64_t> prints;
        for (const compiled_port &port : step.inputs)
            prints[port.id] = fingerprint(found_.at(port.id));
        return prints;
    }

    void check_inputs(
            const compiled_step &step, const std::map<std::size_t, std::uint64_t> &before) {
        for (const auto &[id, print] : fingerprints(step)) {
            if (before.at(id) == print) continue;
            ++result_.errors;
            print_line(format_text("Error: execution wrote to input {}", id));
        }
    }

    void check_output(
            std::size_t id, const buffer &expected, const buffer &found, std::string_view label) {
        phase_timer timer(result_.phases.compare);
        comparison compared = compare(expected, found, accepted_.at(id), label, settings_.verbose);
        result_.errors += compared.errors;
        result_.total += compared.total;
        if (compared.uniform && !uniform_ && !one_value_.contains(id)) {
            uniform_ = true;
            print_line(format_text(
                    "Error: {}: nearly all elements of output {} are the same", label, id));
        }
    }

    void run_in_place(const compiled_step &step, const id_pair &pair) {
        const auto [input, output] = pair;
        const buffer &source = found_.at(input);
        if (source.bytes() == 0) return;
        buffer shared = source.copy();
        step_pointers pointers = pointers_of(step, found_);
        for (std::size_t i = 0; i < step.inputs.size(); ++i)
            if (step.inputs[i].id == input) pointers.inputs[i] = shared.data();
        for (std::size_t i = 0; i < step.outputs.size(); ++i)
            if (step.outputs[i].id == output) pointers.outputs[i] = shared.data();
        std::map<std::size_t, std::uint64_t> before = fingerprints(step);
        {
            phase_timer timer(result_.phases.execute);
            execute_pointers(prepared_, step, pointers, nullptr);
        }
        check_inputs(step, before);
        // Between the elements the shared memory holds the input's bytes, not the pattern.
        buffer expected = source.copy();
        copy_elements(expected_.at(output), expected);
        check_output(output, expected, shared, format_text("DST in place of {}", input));
    }

    void release_after(std::size_t step) {
        for (const auto &[id, last] : last_uses_) {
            if (last != step) continue;
            found_.erase(id);
        }
        for (const compiled_port &port : prepared_.steps[step].outputs) {
            if (last_uses_.contains(port.id)) continue;
            found_.erase(port.id);
        }
    }

    const prepared_graph &prepared_;
    const formats::graph_file &file_;
    const run_settings &settings_;
    const tensor_dump &dump_;
    case_result &result_;
    std::set<std::size_t> read_;
    std::set<std::size_t> one_value_;
    std::map<std::size_t, std::size_t> last_uses_;
    memory_map found_;    ///< Graph inputs, and what the library computes.
    memory_map expected_; ///< What the reference computes of the step that runs.
    std::map<std::size_t, acceptance> accepted_;
    bool uniform_ = false;
};

} // namespace

void tensor_dump::write(const char *side, std::size_t id, const buffer &memory) const {
    if (folder_.empty()) return;
    if (memory.desc().type == data_type::string) {
        print_line(format_text("[INFO]: tensor {} holds strings and is not dumped", id));
        return;
    }
    write_npy(format_text("{}/{}_{}_{}.npy", folder_, case_index_, side, id), memory);
}

void tensor_dump::write_inputs(const memory_map &inputs) const {
    for (const auto &[id, memory] : inputs)
        write("in", id, memory);
}

void run_once(const prepared_graph &prepared, const formats::graph_file &file,
        const run_settings &settings, const tensor_dump &dump, case_result &result) {
    memory_map memory = make_inputs(prepared, file, settings, result.phases);
    dump.write_inputs(memory);
    std::set<std::size_t> read = ids_read(file);
    for (const compiled_step &step : prepared.steps) {
        make_outputs(step, memory);
        {
            phase_timer timer(result.phases.execute);
            execute_tensors(prepared, step, memory);
        }
        for (const compiled_port &port : step.outputs)
            if (!read.contains(port.id)) dump.write("out", port.id, memory.at(port.id));
    }
}

void run_and_compare(const prepared_graph &prepared, const formats::graph_file &file,
        const run_settings &settings, const tensor_dump &dump, case_result &result) {
    comparing_run run(prepared, file, settings, dump, result);
    run.run();
    result.end = result.errors != 0 ? outcome::failed
                 : run.uniform()    ? outcome::mistrusted
                                    : outcome::passed;
}

void run_twice(const prepared_graph &prepared, const formats::graph_file &file,
        const run_settings &settings, case_result &result) {
    memory_map memory = make_inputs(prepared, file, settings, result.phases);
    for (const compiled_step &step : prepared.steps) {
        make_outputs(step, memory);
        memory_map again;
        make_outputs(step, again);
        step_pointers pointers = pointers_of(step, memory);
        {
            phase_timer timer(result.phases.execute);
            execute_tensors(prepared, step, memory);
            for (std::size_t i = 0; i < step.outputs.size(); ++i)
                if (!step.outputs[i].is_open())
                    pointers.outputs[i] = again.at(step.outputs[i].id).data();
            pointers.memory = &again;
            execute_pointers(prepared, step, pointers, nullptr);
        }
        phase_timer timer(result.phases.compare);
        for (const auto &[id, second] : again) {
            comparison compared = compare(memory.at(id), second, compare_rule::exact_bits,
                    "SECOND RUN", settings.verbose);
            result.errors += compared.errors;
            result.total += compared.total;
        }
    }
    result.end = result.errors == 0 ? outcome::passed : outcome::failed;
}

} // namespace tern::driver
