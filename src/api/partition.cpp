// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "api/dump.hpp"
#include "api/states.hpp"
#include "base/shape.hpp"
#include "compiler/execute_values.hpp"
#include "ops/registry.hpp"

namespace tern::graph {

// partition

partition::partition() = default;

partition::partition(const op &aop, engine::kind ekind) {
    graph single(ekind);
    single.add_op(aop);
    single.finalize();
    *this = single.get_partitions().front();
}

std::size_t partition::get_ops_num() const {
    return checked(state_, "partition::get_ops_num").partition->ops.size();
}

std::vector<std::size_t> partition::get_ops() const {
    const compiler::partition &part = *checked(state_, "partition::get_ops").partition;
    std::vector<std::size_t> ids;
    for (int index : part.ops)
        ids.push_back(part.op(index).id);
    return ids;
}

std::size_t partition::get_id() const {
    return checked(state_, "partition::get_id").partition->id;
}

bool partition::is_supported() const {
    return checked(state_, "partition::is_supported").partition->is_supported;
}

namespace {

std::vector<logical_tensor> ports_of(
        const compiler::partition &part, const std::vector<int> &indices) {
    std::vector<logical_tensor> ports;
    for (int index : indices) {
        const ir::value &value = part.value(index);
        ports.push_back(to_logical_tensor({value.id, value.desc}));
    }
    return ports;
}

} // namespace

std::vector<logical_tensor> partition::get_input_ports() const {
    const compiler::partition &part = *checked(state_, "partition::get_input_ports").partition;
    return ports_of(part, part.inputs);
}

std::vector<logical_tensor> partition::get_output_ports() const {
    const compiler::partition &part = *checked(state_, "partition::get_output_ports").partition;
    return ports_of(part, part.outputs);
}

namespace {

std::vector<value_type> types_of(const compiler::partition &part, const std::vector<int> &indices) {
    std::vector<value_type> types;
    for (int index : indices)
        types.push_back(part.value(index).desc.value_type());
    return types;
}

} // namespace

std::vector<value_type> partition::get_input_types() const {
    const compiler::partition &part = *checked(state_, "partition::get_input_types").partition;
    return types_of(part, part.inputs);
}

std::vector<value_type> partition::get_output_types() const {
    const compiler::partition &part = *checked(state_, "partition::get_output_types").partition;
    return types_of(part, part.outputs);
}

engine::kind partition::get_engine_kind() const {
    return checked(state_, "partition::get_engine_kind").kind;
}

compiled_partition partition::compile(const std::vector<logical_tensor> &inputs,
        const std::vector<logical_tensor> &outputs, const engine &e) const {
    return compile(inputs, outputs, e, compile_options());
}

compiled_partition partition::compile(const std::vector<logical_tensor> &inputs,
        const std::vector<logical_tensor> &outputs, const engine &e,
        const compile_options &options) const {
    const state &self = checked(state_, "partition::compile");
    if (!e) fail(status::invalid_arguments, "compile: the engine is empty");
    compiled_partition result;
    result.state_ = std::make_shared<compiled_partition::state>(
            compiled_partition::state{compiler::compile(self.partition, to_ports(inputs),
                    to_ports(outputs), *e.state(), options.implementation)});
    if (dumps(graph_dump_mode::subgraph)) dump_compiled(result.state_->compiled);
    return result;
}

// compiled_partition

compiled_partition::compiled_partition() = default;

logical_tensor compiled_partition::query_logical_tensor(std::size_t tid) const {
    const compiler::compiled &compiled =
            checked(state_, "compiled_partition::query_logical_tensor").compiled;
    const compiler::partition &part = *compiled.part;
    auto find =
            [&](const std::vector<int> &values,
                    const std::vector<runtime::plan_port> &ports) -> const runtime::plan_port * {
        for (std::size_t i = 0; i < values.size(); ++i)
            if (part.value(values[i]).id == tid) return &ports[i];
        return nullptr;
    };
    const runtime::plan_port *port = find(part.inputs, compiled.plan->parts().inputs);
    if (!port) port = find(part.outputs, compiled.plan->parts().outputs);
    if (!port)
        fail(status::invalid_arguments,
                "query_logical_tensor: the partition has no port with tensor {}", tid);
    return to_logical_tensor({tid, port->desc});
}

std::vector<std::pair<std::size_t, std::size_t>> compiled_partition::get_inplace_ports() const {
    const compiler::compiled &compiled =
            checked(state_, "compiled_partition::get_inplace_ports").compiled;
    const compiler::partition &part = *compiled.part;
    std::vector<std::pair<std::size_t, std::size_t>> ids;
    for (auto [input, output] : compiled.plan->parts().in_place)
        ids.emplace_back(part.value(part.inputs[input]).id, part.value(part.outputs[output]).id);
    return ids;
}

logical_tensor compiled_partition::get_scratchpad_logical_tensor() const {
    auto bytes = checked(state_, "compiled_partition::get_scratchpad_logical_tensor")
                         .compiled.plan->parts()
                         .scratch_bytes;
    return {SIZE_MAX, data_type::u8, logical_tensor::dims{static_cast<std::int64_t>(bytes)},
            layout_type::strided};
}

std::string compiled_partition::get_implementation() const {
    return checked(state_, "compiled_partition::get_implementation")
            .compiled.plan->parts()
            .implementation;
}

std::vector<refusal> compiled_partition::get_refusals() const {
    std::vector<refusal> result;
    for (const auto &[implementation, reason] :
            checked(state_, "compiled_partition::get_refusals").compiled.plan->parts().refusals)
        result.push_back({implementation, reason});
    return result;
}

namespace {

/// Memory is not enough for a partition that works on values.
void check_takes_memory(const compiler::partition &part) {
    if (part.on_values)
        fail(status::invalid_arguments,
                "execute: {} works on values; expected the execute that takes them",
                ir::to_string(part.op(part.ops.front()).label()));
}

} // namespace

void compiled_partition::execute(const stream &astream, const void *const *inputs,
        void *const *outputs, void *scratchpad) const {
    if (!state_ || !astream) fail(status::invalid_arguments, "execute: an empty handle");
    check_takes_memory(*state_->compiled.part);
    state_->compiled.execute(inputs, outputs, scratchpad);
}

namespace {

/// Does a caller's tensor lie in memory as it was compiled?
bool is_as_compiled(const tensor_desc &found, const tensor_desc &expected) {
    return found.type == expected.type && found.rank_known && found.shape == expected.shape
           && found.layout == layout_type::strided
           && same_strides(expected.shape, found.strides, expected.strides);
}

[[noreturn]] void fail_not_as_compiled(
        const std::string &name, const tensor_desc &found, const tensor_desc &expected) {
    fail(status::invalid_arguments, "execute: {} is given as {}, compiled as {}", name,
            to_string(found), to_string(expected));
}

void check_count(const char *what, std::size_t found, std::size_t expected) {
    if (found != expected)
        fail(status::invalid_arguments, "execute: {} {} given, expected {} (in port order)", found,
                what, expected);
}

/// Pointers of one call: on the stack unless the partition has very many ports.
template <typename Pointer>
class pointer_list {
public:
    explicit pointer_list(std::size_t count) {
        if (count <= few_.size()) return;
        many_ = std::make_unique<Pointer[]>(count);
        data_ = many_.get();
    }
    Pointer *data() { return data_; }

private:
    std::array<Pointer, 16> few_;
    std::unique_ptr<Pointer[]> many_;
    Pointer *data_ = few_.data();
};

} // namespace

void compiled_partition::execute(stream &astream, const std::vector<tensor> &inputs,
        const std::vector<tensor> &outputs, const tensor &scratchpad) const {
    if (!state_ || !astream) fail(status::invalid_arguments, "execute: an empty handle");
    check_takes_memory(*state_->compiled.part);
    const runtime::plan_parts &parts = state_->compiled.plan->parts();
    check_count("inputs", inputs.size(), parts.inputs.size());
    check_count("outputs", outputs.size(), parts.outputs.size());
    pointer_list<const void *> in(inputs.size());
    pointer_list<void *> out(outputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const tensor::state &given = checked(inputs[i].state_, "execute: an input tensor");
        if (!is_as_compiled(given.port.desc, parts.inputs[i].desc))
            fail_not_as_compiled(state_->compiled.input(i), given.port.desc, parts.inputs[i].desc);
        in.data()[i] = given.input();
    }
    for (std::size_t o = 0; o < outputs.size(); ++o) {
        const tensor::state &given = checked(outputs[o].state_, "execute: an output tensor");
        if (!is_as_compiled(given.port.desc, parts.outputs[o].desc))
            fail_not_as_compiled(
                    state_->compiled.output(o), given.port.desc, parts.outputs[o].desc);
        out.data()[o] = given.data;
    }
    void *scratch = nullptr;
    if (scratchpad) {
        std::size_t bytes = scratchpad.get_logical_tensor().get_mem_size();
        if (bytes == static_cast<std::size_t>(-1) || bytes < parts.scratch_bytes)
            fail(status::invalid_arguments,
                    "execute: the scratchpad is too small; {} bytes expected", parts.scratch_bytes);
        scratch = scratchpad.get_data_handle();
    }
    state_->compiled.execute(in.data(), out.data(), scratch);
}

void compiled_partition::execute(const stream &astream, const std::vector<value> &inputs,
        std::vector<value> &outputs) const {
    if (!state_ || !astream) fail(status::invalid_arguments, "execute: an empty handle");
    const runtime::plan_parts &parts = state_->compiled.plan->parts();
    check_count("inputs", inputs.size(), parts.inputs.size());
    if (outputs.size() == parts.outputs.size()) {
        compiler::execute_values(state_->compiled, inputs, outputs);
        return;
    }
    std::vector<value> results(parts.outputs.size());
    compiler::execute_values(state_->compiled, inputs, results);
    outputs = std::move(results);
}

} // namespace tern::graph
