// SPDX-License-Identifier: Apache-2.0
#include "tern/graph.hpp"
#include "base/text.hpp"

#include "api/dump.hpp"
#include "api/states.hpp"
#include "ops/registry.hpp"
#include "runtime/plan_cache.hpp"
#include "runtime/verbose.hpp"

namespace tern::graph {
namespace {

void check_engine_kind(engine::kind kind, const char *what) {
    if (engine::get_count(kind) == 0)
        fail(status::invalid_arguments, "{}: there is no gpu engine; expected cpu", what);
}

} // namespace

// op

op::op(std::size_t id, kind akind, const std::string &verbose_name)
    : state_(std::make_shared<state>()) {
    ir::op_spec &spec = state_->spec;
    spec.id = id;
    spec.kind = akind;
    spec.name = verbose_name.empty() ? format_text("{}_{}", ir::name_of(akind), id) : verbose_name;
}

op::op(std::size_t id, kind akind, const std::vector<logical_tensor> &inputs,
        const std::vector<logical_tensor> &outputs, const std::string &verbose_name)
    : op(id, akind, verbose_name) {
    add_inputs(inputs);
    add_outputs(outputs);
}

void op::add_input(const logical_tensor &t) {
    checked(state_, "op::add_input").spec.inputs.push_back(to_port(t));
}

void op::add_input(const logical_value &v) {
    checked(state_, "op::add_input").spec.inputs.push_back(to_port(v));
}

void op::add_inputs(const std::vector<logical_tensor> &ts) {
    for (const logical_tensor &t : ts)
        add_input(t);
}

void op::add_output(const logical_tensor &t) {
    checked(state_, "op::add_output").spec.outputs.push_back(to_port(t));
}

void op::add_output(const logical_value &v) {
    checked(state_, "op::add_output").spec.outputs.push_back(to_port(v));
}

void op::add_outputs(const std::vector<logical_tensor> &ts) {
    for (const logical_tensor &t : ts)
        add_output(t);
}

namespace {

void store(ir::op_spec &spec, op_attr name, ir::attr_value value) {
    for (auto &[known, old] : spec.attrs)
        if (known == name) {
            old = std::move(value);
            return;
        }
    spec.attrs.emplace_back(name, std::move(value));
}

} // namespace

void op::store_attr(attr name, std::int64_t value) {
    store(checked(state_, "op::set_attr").spec, name, value);
}
void op::store_attr(attr name, float value) {
    store(checked(state_, "op::set_attr").spec, name, value);
}
void op::store_attr(attr name, bool value) {
    store(checked(state_, "op::set_attr").spec, name, value);
}
void op::store_attr(attr name, const std::string &value) {
    if (value.empty())
        fail(status::invalid_arguments, "{}: attribute {} is an empty string",
                ir::to_string(checked(state_, "op::set_attr").spec.label()), ir::name_of(name));
    store(checked(state_, "op::set_attr").spec, name, value);
}
void op::store_attr(attr name, const std::vector<std::int64_t> &value) {
    store(checked(state_, "op::set_attr").spec, name, value);
}
void op::store_attr(attr name, const std::vector<float> &value) {
    store(checked(state_, "op::set_attr").spec, name, value);
}

std::string op::kind2str(kind v) {
    return std::string(ir::name_of(v));
}

// graph

graph::graph(engine::kind engine_kind) : graph(engine_kind, fpmath_mode::strict) {}

graph::graph(engine::kind engine_kind, fpmath_mode mode) {
    check_engine_kind(engine_kind, "graph");
    state_ = std::make_shared<state>(
            state{std::make_shared<ir::graph>(ops::find), engine::kind::cpu, mode});
    state_->id = next_graph_id();
}

void graph::set_fpmath_mode(fpmath_mode mode, bool apply_to_int) {
    if (is_finalized())
        fail(status::invalid_graph, "graph::set_fpmath_mode: the graph is finalized");
    state_->fpmath = mode; // is_finalized has looked at the handle
    state_->fpmath_on_integers = apply_to_int;
}

void graph::get_fpmath_mode(fpmath_mode &mode, bool &apply_to_int) const {
    const state &self = checked(state_, "graph::get_fpmath_mode");
    mode = self.fpmath;
    apply_to_int = self.fpmath_on_integers;
}

status graph::add_op(const op &aop, bool allow_exception) {
    try {
        checked(state_, "graph::add_op")
                .graph->add_op(checked(aop.state_, "graph::add_op: the op").spec);
    } catch (const error &e) {
        if (allow_exception) throw;
        return e.status;
    }
    return status::success;
}

void graph::finalize() {
    checked(state_, "graph::finalize").graph->finalize();
}

bool graph::is_finalized() const {
    return checked(state_, "graph::is_finalized").graph->finalized();
}

std::vector<partition> graph::get_partitions(partition::policy apolicy) const {
    if (!is_finalized())
        fail(status::invalid_graph, "graph::get_partitions: the graph is not finalized");
    const dumped_graph dumped{
            state_->id, *state_->graph, state_->fpmath, state_->fpmath_on_integers};
    if (dumps(graph_dump_mode::graph)) dump_graph(dumped);
    auto all = compiler::make_partitions(state_->graph,
            static_cast<compiler::partition_policy>(apolicy), state_->fpmath,
            state_->fpmath_on_integers);
    if (dumps(graph_dump_mode::graph)) dump_partitioning(dumped, all);
    std::vector<partition> result;
    for (auto &made : all) {
        partition p;
        p.state_ = std::make_shared<partition::state>(partition::state{made, state_->kind});
        result.push_back(std::move(p));
    }
    return result;
}

// the cache of compiled partitions

int get_compiled_partition_cache_capacity() {
    return static_cast<int>(runtime::the_plan_cache().capacity());
}

void set_compiled_partition_cache_capacity(int capacity) {
    if (capacity < 0)
        fail(status::invalid_arguments,
                "set_compiled_partition_cache_capacity: {} given; expected 0 or more", capacity);
    runtime::the_plan_cache().set_capacity(static_cast<std::size_t>(capacity));
}

// verbose

void set_verbose(int level) {
    runtime::set_verbose(runtime::parse_verbose(std::to_string(std::clamp(level, 0, 2))));
}

void set_verbose_callback(void (*callback)(void *user, const char *line), void *user) {
    runtime::set_verbose_callback(callback, user);
}

} // namespace tern::graph
