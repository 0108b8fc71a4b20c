// SPDX-License-Identifier: Apache-2.0
#include "compiler/compile.hpp"

#include <algorithm>
#include <chrono>

#include "base/error.hpp"
#include "base/text.hpp"
#include "compiler/make_plan.hpp"
#include "compiler/plan_key.hpp"
#include "compiler/ports.hpp"
#include "runtime/environment.hpp"
#include "runtime/plan_cache.hpp"
#include "runtime/verbose.hpp"

namespace tern::compiler {
namespace {

void report(const compiled &result, bool is_hit, double milliseconds) {
    runtime::verbose_level level = runtime::verbose();
    if (!level.dispatch && !level.create) return;
    const runtime::plan_parts &parts = result.plan->parts();
    std::string text = result.verbose_text(parts.inputs, parts.outputs);
    if (level.dispatch)
        for (const runtime::passed_over &refusal : parts.refusals)
            runtime::write_verbose(
                    "graph,create:dispatch,{},{},{}", text, refusal.implementation, refusal.reason);
    if (level.create)
        for (std::size_t i = 0; i < parts.steps.size(); ++i) {
            const runtime::plan_step &step = parts.steps[i];
            runtime::write_verbose("graph,create:step,cpu,{},{},{},{},bytes:{},arena:{},scratch:{}",
                    result.part->id, i, step.ops, step.implementation, step.moved_bytes,
                    step.arena_bytes, step.scratch_bytes);
        }
    if (level.create)
        runtime::write_verbose("graph,compile:{},{},scratchpad:{},{},tern_backend,{:g}",
                is_hit ? "cache_hit" : "cache_miss", text, parts.scratch_bytes,
                parts.implementation, milliseconds);
}

} // namespace

std::string compiled::input(std::size_t port) const {
    return to_string(port_ref{*part, true, port});
}

std::string compiled::output(std::size_t port) const {
    return to_string(port_ref{*part, false, port});
}

std::string compiled::verbose_text(std::span<const runtime::plan_port> inputs,
        std::span<const runtime::plan_port> outputs) const {
    static constexpr std::string_view fpmath_names[] = {"strict", "bf16", "f16", "any", "tf32"};
    std::string names;
    for (int index : part->ops) {
        if (!names.empty()) names += ';';
        // A name is the caller's text; it must not look like the end of a field or of the line.
        for (char c : part->op(index).name)
            names += c == ',' || c == ';' || static_cast<unsigned char>(c) < ' ' ? '_' : c;
    }
    std::string tensors;
    auto add = [&](bool is_input, std::span<const runtime::plan_port> ports) {
        for (std::size_t i = 0; i < ports.size(); ++i) {
            std::string text = to_string(ports[i].desc);
            const std::size_t type_end = std::min(text.find(':'), text.size());
            tensors += format_text("{}{}{}_{}:{}{}", tensors.empty() ? "" : " ",
                    is_input ? "in" : "out", i, text.substr(0, type_end),
                    port_ref{*part, is_input, i}.value().id, text.substr(type_end));
        }
    };
    add(true, inputs);
    add(false, outputs);
    return format_text("cpu,{},misc_post_ops,{},,{},fpm:{}{}", part->id, names, tensors,
            fpmath_names[static_cast<std::size_t>(part->fpmath)],
            part->fpmath_on_integers ? ":true" : "");
}

namespace {

/// A plan without steps: it knows what the graph knows of the ports, and the op is evaluated.
runtime::plan_parts make_ports_plan(const partition &part, const std::string &implementation) {
    if (!implementation.empty() && implementation != "evaluate" && implementation != "reference")
        fail(status::unimplemented,
                "compile: {} works on values and is evaluated; there is no implementation {}",
                ir::to_string(part.op(part.ops.front()).label()), implementation);
    runtime::plan_parts parts;
    for (int v : part.inputs)
        parts.inputs.push_back({part.value(v).desc, 0, true});
    for (int v : part.outputs)
        parts.outputs.push_back({part.value(v).desc, 0, true});
    parts.implementation = "evaluate";
    return parts;
}

} // namespace

compiled compile(std::shared_ptr<const partition> part, std::span<const ir::port> inputs,
        std::span<const ir::port> outputs, const runtime::engine_state &engine,
        const std::string &implementation) {
    auto start = std::chrono::steady_clock::now();
    if (!part->is_supported)
        fail(status::unimplemented, "compile: {} is {}",
                ir::to_string(part->op(part->ops.front()).label()),
                part->op(part->ops.front()).def ? "never executed" : "known to Tern by name only");
    const std::string &wanted =
            implementation.empty() ? runtime::environment_implementation() : implementation;
    compiled result;
    if (part->on_values) {
        result.plan = std::make_shared<runtime::plan>(make_ports_plan(*part, wanted), engine);
        result.part = std::move(part);
        report(result, false, 0);
        return result;
    }
    given_list in = find_all(*part, true, inputs);
    given_list out = find_all(*part, false, outputs);

    runtime::plan_cache &cache = runtime::the_plan_cache();
    std::string key = make_plan_key(*part, in, out, engine, wanted);
    result.plan = cache.find(key);
    bool is_hit = result.plan != nullptr;
    if (!is_hit)
        result.plan = cache.insert(std::move(key),
                std::make_shared<runtime::plan>(make_plan(*part, in, out, wanted), engine));
    result.part = std::move(part);
    std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    report(result, is_hit, took.count());
    return result;
}

} // namespace tern::compiler
