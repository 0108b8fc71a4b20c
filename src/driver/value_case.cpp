// SPDX-License-Identifier: Apache-2.0
#include "driver/value_case.hpp"

#include <algorithm>
#include <map>

#include "base/shape.hpp"
#include "base/text.hpp"
#include "driver/error_model.hpp"
#include "driver/fill.hpp"
#include "driver/measure.hpp"
#include "driver/prepared_graph.hpp"
#include "driver/ram.hpp"
#include "driver/reference.hpp"
#include "driver/report.hpp"
#include "driver/rewrite.hpp"
#include "driver/value_reference.hpp"
#include "ops/registry.hpp"

namespace tern::driver {
namespace {

using graph::logical_tensor;
using value_map = std::map<std::size_t, value>;
using formats::value_sample;

std::vector<const ir::port *> ports_of(const ir::op_spec &op) {
    std::vector<const ir::port *> ports;
    for (const auto *side : {&op.inputs, &op.outputs})
        for (const ir::port &port : *side)
            ports.push_back(&port);
    return ports;
}

/// Makes the graph's inputs.
class input_maker {
public:
    input_maker(const formats::graph_file &file, const run_settings &settings)
        : file_(file),
          settings_(settings),
          roles_(input_roles(file.ops)) {}

    value_map make() {
        value_map inputs;
        for (const ir::op_spec &op : file_.ops)
            for (const ir::port &port : op.inputs)
                if (roles_.contains(port.id) && !inputs.contains(port.id))
                    inputs.emplace(port.id, make(port));
        return inputs;
    }

private:
    value make(const ir::port &port) {
        if (port.desc.is_tensor()) {
            if (!port.desc.shape_known())
                throw verdict(outcome::invalid_arguments, reason::invalid_case,
                        format_text("tensor {}: the shape of a graph input is unknown", port.id));
            return tensor(port, port.desc.shape, 0);
        }
        auto at = file_.samples.find(port.id);
        const value_sample sample = at == file_.samples.end() ? value_sample() : at->second;
        if (sample.what == value_sample::state::absent) return {};
        const value_form held = held_form(port.desc.form);
        if (sample.what == value_sample::state::empty)
            return value::empty_optional({held, port.desc.type});
        value element =
                held == value_form::sequence
                        ? sequence(port, sample.shapes)
                        : tensor(port, sample.shapes.empty() ? dims() : sample.shapes[0], 0);
        return is_optional(port.desc.form) ? value::optional(std::move(element)) : element;
    }

    value sequence(const ir::port &port, const std::vector<dims> &shapes) {
        std::vector<value> items;
        for (const dims &shape : shapes)
            items.push_back(tensor(port, shape, items.size()));
        return value::sequence(port.desc.type, std::move(items));
    }

    /// `number`: of the tensors under one id.
    value tensor(const ir::port &port, const dims &shape, std::size_t number) {
        tensor_desc desc;
        desc.type = port.desc.type;
        desc.layout = layout_type::strided;
        desc.rank_known = true;
        desc.shape = shape;
        const std::optional<dims> strides = dense_strides(shape);
        if (strides) desc.strides = *strides;
        const std::optional<std::size_t> bytes = strides ? bytes_needed(desc) : std::nullopt;
        if (!bytes)
            throw verdict(outcome::invalid_arguments, reason::invalid_case,
                    format_text("tensor {}: the size of shape {} does not fit 64 bits", port.id,
                            to_string(shape)));
        needed_.add(*bytes);
        needed_.add(*bytes); // the value is a copy
        if (!needed_.fits())
            throw verdict(outcome::skipped, reason::not_enough_ram,
                    format_text("{} bytes needed", needed_.bytes()));
        buffer memory(desc);
        const input_role &role = roles_.at(port.id);
        const std::size_t stream = port.id ^ (number << 32);
        if (measures(settings_.mode) && role.kind != value_kind::one_of)
            fill_for_measuring(memory, stream, role, settings_.seed, settings_.cond_density);
        else
            fill_for_comparison(memory, stream, role, settings_.seed, settings_.masked_rows);
        return to_value(memory);
    }

    const formats::graph_file &file_;
    const run_settings &settings_;
    std::map<std::size_t, input_role> roles_;
    ram_estimate needed_;
};

/// A partition, compiled for the values it got.
struct ready_partition {
    graph::compiled_partition compiled;
    std::vector<const ir::op_spec *> ops;
    std::vector<std::size_t> input_ids;
    std::vector<std::size_t> output_ids;
    std::vector<value> inputs;
    std::vector<value> outputs;
};

class value_run {
public:
    value_run(const formats::graph_file &file, const run_settings &settings,
            const tensor_dump &dump, case_result &result)
        : file_(file),
          settings_(settings),
          dump_(dump),
          result_(result) {}

    void run(const std::vector<graph::partition> &partitions) {
        {
            phase_timer timer(result_.phases.fill);
            values_ = input_maker(file_, settings_).make();
        }
        for (const auto &[id, input] : values_)
            write_dump("in", id, input);
        for (const graph::partition &partition : partitions) {
            ready_partition ready = compile(partition);
            {
                phase_timer timer(result_.phases.execute);
                execute(ready);
            }
            if (settings_.mode == run_mode::correctness) compare_with_reference(ready);
            if (settings_.mode == run_mode::bitwise) compare_with_second_run(ready);
            for (std::size_t i = 0; i < ready.outputs.size(); ++i) {
                values_[ready.output_ids[i]] = ready.outputs[i];
                write_dump("out", ready.output_ids[i], ready.outputs[i]);
            }
            ready_.push_back(std::move(ready));
        }
    }

    void measure() {
        measure_calls(settings_, result_, [this] {
            for (ready_partition &ready : ready_)
                execute(ready);
        });
    }

private:
    ready_partition compile(const graph::partition &partition) {
        phase_timer timer(result_.phases.create_prim);
        ready_partition ready;
        std::vector<logical_tensor> inputs = partition.get_input_ports();
        for (logical_tensor &port : inputs) {
            ready.input_ids.push_back(port.get_id());
            ready.inputs.push_back(values_.at(port.get_id()));
            const value &given = ready.inputs.back();
            if (given.is_tensor())
                port = logical_tensor(port.get_id(), given.type().element, given.shape(),
                        layout_type::strided, port.get_property_type());
        }
        for (const logical_tensor &port : partition.get_output_ports())
            ready.output_ids.push_back(port.get_id());
        ready.compiled = partition.compile(
                inputs, partition.get_output_ports(), where_, {settings_.implementation});
        ready.ops = ops_of(partition, file_);
        if (settings_.verbose >= 3)
            print_line(format_text("[INFO]: partition #{}: implementation {}", ready_.size(),
                    ready.compiled.get_implementation()));
        return ready;
    }

    void execute(ready_partition &ready) const {
        ready.compiled.execute(stream(where_), ready.inputs, ready.outputs);
    }

    /// The values of the op's inputs, the results of the partition's earlier ops among them.
    static std::vector<value> inputs_of(const ir::op_spec &op, const value_map &known) {
        std::vector<value> in;
        for (const ir::port &port : op.inputs)
            in.push_back(known.at(port.id));
        return in;
    }

    static bool works_on_values(const ir::op_spec &op) {
        const std::vector<const ir::port *> ports = ports_of(op);
        return std::any_of(ports.begin(), ports.end(),
                [](const ir::port *port) { return !port->desc.is_tensor(); });
    }

    /// By the op's reference loop, over dense tensors.
    static void run_loop(const ir::op_spec &op, value_map &known, error_model &errors) {
        std::vector<buffer> memory;
        std::vector<ir::const_view> in;
        ir::op_spec complete = op;
        ir::verify_schema(complete, *ops::find(op.kind));
        std::vector<tensor_desc> in_descs;
        std::vector<tensor_desc> out_descs;
        memory.reserve(op.inputs.size() + op.outputs.size());
        for (const value &input : inputs_of(op, known)) {
            memory.push_back(to_buffer(input));
            in.push_back(std::as_const(memory.back()).view());
            in_descs.push_back(memory.back().desc());
        }
        for (const ir::port &port : op.outputs) {
            tensor_desc desc;
            desc.type = port.desc.type;
            out_descs.push_back(desc);
        }
        ops::find(op.kind)->infer(op.label(), complete.attrs, in_descs, out_descs);
        std::vector<ir::mutable_view> out;
        for (tensor_desc &desc : out_descs) {
            desc.layout = layout_type::strided;
            desc.strides = dense_strides(desc.shape).value();
            memory.emplace_back(desc);
            fill_with_pattern(memory.back());
            out.push_back(memory.back().view());
        }
        run_reference(op, in, out);
        errors.add(op, in, out);
        for (std::size_t i = 0; i < op.outputs.size(); ++i)
            known[op.outputs[i].id] = to_value(memory[op.inputs.size() + i]);
    }

    void compare_with_reference(const ready_partition &ready) {
        value_map known;
        error_model errors;
        {
            phase_timer timer(result_.phases.compute_ref);
            for (std::size_t i = 0; i < ready.inputs.size(); ++i)
                known[ready.input_ids[i]] = ready.inputs[i];
            for (const ir::op_spec *op : ready.ops)
                if (works_on_values(*op))
                    known[op->outputs.at(0).id] = reference_value(*op, inputs_of(*op, known));
                else
                    run_loop(*op, known, errors);
        }
        for (std::size_t i = 0; i < ready.outputs.size(); ++i) {
            const std::size_t id = ready.output_ids[i];
            check(known.at(id), ready.outputs[i], errors.of(id), "DST");
        }
    }

    void compare_with_second_run(ready_partition &ready) {
        const std::vector<value> first = ready.outputs;
        execute(ready);
        for (std::size_t i = 0; i < first.size(); ++i)
            check(first[i], ready.outputs[i], compare_rule::exact_bits, "SECOND RUN");
    }

    void check(const value &expected, const value &found, const acceptance &accepted,
            std::string_view label) {
        phase_timer timer(result_.phases.compare);
        const comparison compared =
                compare_values(expected, found, accepted, label, settings_.verbose);
        result_.errors += compared.errors;
        result_.total += compared.total;
    }

    void write_dump(const char *side, std::size_t id, const value &v) const {
        if (v.is_tensor()) dump_.write(side, id, to_buffer(v));
    }

    const formats::graph_file &file_;
    const run_settings &settings_;
    const tensor_dump &dump_;
    case_result &result_;
    engine where_ = engine(engine::kind::cpu, 0);
    value_map values_;
    std::vector<ready_partition> ready_;
};

} // namespace

bool has_values(const formats::graph_file &file) {
    return std::any_of(file.ops.begin(), file.ops.end(), [](const ir::op_spec &op) {
        const std::vector<const ir::port *> ports = ports_of(op);
        return std::any_of(ports.begin(), ports.end(),
                [](const ir::port *port) { return !port->desc.is_tensor(); });
    });
}

void settle_values(formats::graph_file &file, const case_options &options) {
    const bool changes = !options.in_shapes.empty() || !options.op_attrs.empty()
                         || !options.op_kind.empty() || !options.tensor_property.empty()
                         || !options.dt_map.empty() || options.dt != data_type::undef
                         || options.mb != 0;
    if (changes)
        fail_rewrite("a graph with sequences or optionals runs as the file has it: no --in-shapes, "
                     "--op-attrs, --op-kind, --tensor-property, --dt or --mb");
    if (options.fpmath) {
        file.fpmath = options.fpmath->mode;
        file.fpmath_apply_to_int = options.fpmath->apply_to_int;
    }
    sort_topologically(file.ops);
    working_graph(file).write_back(); // of several descriptions of a tensor the writer's counts
}

void run_value_case(const formats::graph_file &file, const case_options &options,
        const run_settings &settings, const tensor_dump &dump, case_result &result) {
    const std::vector<graph::partition> partitions =
            make_partitions(file, options.expected_n_partitions, settings, result.phases);
    if (settings.mode == run_mode::initialize) {
        result.end = outcome::initialized;
        return;
    }
    value_run run(file, settings, dump, result);
    run.run(partitions);
    if (measures(settings.mode)) run.measure();
    const bool compares =
            settings.mode == run_mode::correctness || settings.mode == run_mode::bitwise;
    result.end = !compares           ? outcome::executed
                 : result.errors > 0 ? outcome::failed
                                     : outcome::passed;
}

} // namespace tern::driver
