// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>
#include <utility>

#include "api/dump.hpp"
#include "api/states.hpp"
#include "base/shape.hpp"
#include "compiler/execute_values.hpp"
#include "ops/registry.hpp"
#include "runtime/local_list.hpp"

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

namespace {

/// Does a caller's tensor lie in memory as it was compiled?
bool is_as_compiled(const tensor_desc &found, const tensor_desc &expected) {
    return found.type == expected.type && found.rank_known && found.shape == expected.shape
           && found.layout == layout_type::strided
           && same_strides(expected.shape, found.strides, expected.strides);
}

/// Agrees with what was compiled as far as both are known.
bool may_become(const tensor_desc &found, const tensor_desc &expected) {
    if (found.type != expected.type) return false;
    if (!found.rank_known) return true;
    return found.shape.rank() == expected.shape.rank()
           && std::equal(found.shape.begin(), found.shape.end(), expected.shape.begin(),
                   [](std::int64_t a, std::int64_t b) {
                       return a == b || a == unknown_dim || b == unknown_dim;
                   });
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

/// Outputs given as pointers: those that are null come from the provider.
class provided_pointers final : public runtime::output_places {
public:
    provided_pointers(const output_provider &provider, void *const *given)
        : provider_(provider),
          given_(given) {}

    const runtime::plan_port *room(std::size_t) const noexcept override { return nullptr; }
    bool can_provide(std::size_t output) const noexcept override {
        return provider_.get && !(given_ && given_[output]);
    }
    void *provide(std::size_t output, const runtime::plan_port &layout) override {
        const dims &shape = layout.desc.shape;
        return provider_.get(
                provider_.user, output, shape.begin(), static_cast<std::size_t>(shape.rank()));
    }
    void finish(std::size_t, const runtime::plan_port &) noexcept override {}

private:
    const output_provider &provider_;
    void *const *given_;
};

} // namespace

void compiled_partition::execute(const stream &astream, const void *const *inputs,
        void *const *outputs, void *scratchpad) const {
    if (!state_ || !astream) fail(status::invalid_arguments, "execute: an empty handle");
    check_takes_memory(*state_->compiled.part);
    state_->compiled.execute(inputs, outputs, scratchpad);
}

void compiled_partition::execute(const stream &astream, const void *const *inputs,
        void *const *outputs, const output_provider &provider, void *scratchpad) const {
    if (!state_ || !astream) fail(status::invalid_arguments, "execute: an empty handle");
    check_takes_memory(*state_->compiled.part);
    provided_pointers places(provider, outputs);
    state_->compiled.execute(inputs, outputs, scratchpad, &places);
}

/// Outputs given as tensors, some of which are filled in by the library or come from a provider.
class TERN_NO_EXPORT tensor::places final : public runtime::output_places {
public:
    places(const compiler::compiled &compiled, const std::vector<tensor> &outputs,
            const output_provider *provider)
        : ports_(compiled.plan->parts().outputs),
          outputs_(outputs),
          provider_(provider),
          rooms_(outputs.size()),
          fresh_(outputs.size()) {
        for (std::size_t o = 0; o < outputs.size(); ++o) {
            fresh_[o] = nullptr;
            if (ports_[o].is_open && outputs[o] && !can_provide(o)) set_room(compiled, o);
        }
    }
    places(const places &) = delete;
    places &operator=(const places &) = delete;
    ~places() override {
        for (std::size_t o = 0; o < outputs_.size(); ++o)
            if (fresh_[o]) outputs_[o].state_->where.state()->deallocate(fresh_[o]);
    }

    const runtime::plan_port *room(std::size_t output) const noexcept override {
        return outputs_[output] ? &rooms_[output] : nullptr;
    }
    bool can_provide(std::size_t output) const noexcept override {
        const state *given = outputs_[output].state_.get();
        if (given && given->is_library_allocated) return true;
        return provider_ && provider_->get && !(given && given->data);
    }
    void *provide(std::size_t output, const runtime::plan_port &layout) override {
        const state *given = outputs_[output].state_.get();
        if (!given || !given->is_library_allocated)
            return provided_pointers(*provider_, nullptr).provide(output, layout);
        const auto bytes = static_cast<std::size_t>(layout.bytes);
        if (bytes <= given->owned_bytes) return given->data;
        fresh_[output] = given->where.state()->allocate(bytes, 64);
        return fresh_[output];
    }
    void finish(std::size_t output, const runtime::plan_port &layout) noexcept override {
        state *given = outputs_[output].state_.get();
        if (!given || !(ports_[output].is_open || given->is_library_allocated)) return;
        if (void *fresh = std::exchange(fresh_[output], nullptr)) {
            if (given->owns_data) given->where.state()->deallocate(given->data);
            given->data = fresh;
            given->owns_data = true;
            given->owned_bytes = static_cast<std::size_t>(layout.bytes);
        }
        if (!given->made) given->made = given->port.desc;
        const property_type property = given->port.desc.property;
        given->port.desc = layout.desc;
        given->port.desc.property = property;
    }

private:
    /// Takes what the caller gives for an open output.
    void set_room(const compiler::compiled &compiled, std::size_t o) {
        const tensor_desc &desc = outputs_[o].state_->as_output();
        if (!desc.fully_known() || !is_dense(desc.shape, desc.strides))
            fail(status::invalid_arguments,
                    "execute: {} is given as {}; expected a dense tensor of known size, {}",
                    compiled.output(o), to_string(desc),
                    "for its shape depends on what the inputs hold");
        std::optional<std::int64_t> bytes =
                byte_span(desc.shape, desc.strides, bytes_of(desc.type));
        if (!bytes)
            fail(status::invalid_arguments, "execute: {} is given as {}: its size does not fit",
                    compiled.output(o), to_string(desc));
        rooms_[o] = {desc, *bytes, *bytes == 0, false};
    }

    const std::vector<runtime::plan_port> &ports_;
    const std::vector<tensor> &outputs_;
    const output_provider *provider_;
    runtime::local_list<runtime::plan_port, 2> rooms_;
    runtime::local_list<void *, 16> fresh_; ///< Allocated by this call, not yet a tensor's own.
};

void compiled_partition::execute(stream &astream, const std::vector<tensor> &inputs,
        const std::vector<tensor> &outputs, const tensor &scratchpad) const {
    execute_tensors(astream, inputs, outputs, nullptr, scratchpad);
}

void compiled_partition::execute(stream &astream, const std::vector<tensor> &inputs,
        const std::vector<tensor> &outputs, const output_provider &provider,
        const tensor &scratchpad) const {
    execute_tensors(astream, inputs, outputs, &provider, scratchpad);
}

void compiled_partition::execute_tensors(const stream &astream, const std::vector<tensor> &inputs,
        const std::vector<tensor> &outputs, const output_provider *provider,
        const tensor &scratchpad) const {
    if (!state_ || !astream) fail(status::invalid_arguments, "execute: an empty handle");
    check_takes_memory(*state_->compiled.part);
    const runtime::plan_parts &parts = state_->compiled.plan->parts();
    check_count("inputs", inputs.size(), parts.inputs.size());
    check_count("outputs", outputs.size(), parts.outputs.size());
    runtime::local_list<const void *, 16> in(inputs.size());
    runtime::local_list<void *, 16> out(outputs.size());
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const tensor::state &given = checked(inputs[i].state_, "execute: an input tensor");
        if (!is_as_compiled(given.port.desc, parts.inputs[i].desc))
            fail_not_as_compiled(state_->compiled.input(i), given.port.desc, parts.inputs[i].desc);
        in[i] = given.input();
    }
    bool has_places = provider != nullptr;
    for (std::size_t o = 0; o < outputs.size(); ++o) {
        out[o] = nullptr;
        if (provider && !outputs[o]) continue;
        const tensor::state &given = checked(outputs[o].state_, "execute: an output tensor");
        const runtime::plan_port &port = parts.outputs[o];
        const bool is_open = given.is_library_allocated || port.is_open;
        if (!(is_open ? may_become(given.as_output(), port.desc)
                      : is_as_compiled(given.as_output(), port.desc)))
            fail_not_as_compiled(state_->compiled.output(o), given.as_output(), port.desc);
        if (!given.is_library_allocated) out[o] = given.data;
        has_places = has_places || is_open;
    }
    void *scratch = nullptr;
    if (scratchpad) {
        std::size_t bytes = scratchpad.get_logical_tensor().get_mem_size();
        if (bytes == static_cast<std::size_t>(-1) || bytes < parts.scratch_bytes)
            fail(status::invalid_arguments,
                    "execute: the scratchpad is too small; {} bytes expected", parts.scratch_bytes);
        scratch = scratchpad.get_data_handle();
    }
    if (!has_places) {
        state_->compiled.execute(in.data(), out.data(), scratch);
        return;
    }
    tensor::places places(state_->compiled, outputs, provider);
    state_->compiled.execute(in.data(), out.data(), scratch, &places);
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
