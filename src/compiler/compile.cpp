// SPDX-License-Identifier: Apache-2.0
#include "compiler/compile.hpp"

#include <algorithm>
#include <chrono>

#include "base/error.hpp"
#include "base/overlap.hpp"
#include "base/shape.hpp"
#include "base/text.hpp"
#include "compiler/lowering.hpp"
#include "compiler/plan_key.hpp"
#include "runtime/environment.hpp"
#include "runtime/plan_cache.hpp"
#include "runtime/verbose.hpp"

namespace tern::compiler {
namespace {

/// A port of the partition that is compiled.
struct port_ref {
    const partition &part;
    bool is_input;
    std::size_t index;

    const ir::value &value() const {
        return part.value((is_input ? part.inputs : part.outputs)[index]);
    }
    std::string_view direction() const { return is_input ? "input" : "output"; }
};

/// What messages call it: its name in the first op that has it, the op, and the tensor.
std::string to_string(const port_ref &port) {
    int wanted = (port.is_input ? port.part.inputs : port.part.outputs)[port.index];
    for (int index : port.part.ops) {
        const ir::op &op = port.part.op(index);
        const std::vector<int> &values = port.is_input ? op.inputs : op.outputs;
        auto found = std::find(values.begin(), values.end(), wanted);
        if (found == values.end()) continue;
        auto ports = port.is_input ? op.def->inputs : op.def->outputs;
        return format_text("{} of {} (tensor {})",
                ports[static_cast<std::size_t>(found - values.begin())].name,
                ir::to_string(op.label()), port.value().id);
    }
    return format_text("tensor {}", port.value().id);
}

/// What the caller gives for a port.
const tensor_desc &find_given(const port_ref &port, std::span<const ir::port> given) {
    const ir::value &wanted = port.value();
    const ir::port *found = nullptr;
    for (const ir::port &candidate : given) {
        if (candidate.id != wanted.id) continue;
        if (found && !(found->desc == candidate.desc))
            fail(status::invalid_arguments,
                    "compile: tensor {} is given twice among the {}s: {} and {}", wanted.id,
                    port.direction(), to_string(found->desc), to_string(candidate.desc));
        found = &candidate;
    }
    if (!found)
        fail(status::invalid_arguments, "compile: {} is missing among the {}s", to_string(port),
                port.direction());
    if (found->desc.type != wanted.desc.type)
        fail(status::invalid_data_type, "compile: {} is given as {}, but the partition has {}",
                to_string(port), tern::name_of(found->desc.type), tern::name_of(wanted.desc.type));
    return found->desc;
}

/// Dims that graph and caller both know must agree.
void check_against_graph(const port_ref &port, const tensor_desc &given) {
    const tensor_desc &known = port.value().desc;
    if (!given.rank_known || !known.rank_known) return;
    if (given.shape.rank() != known.shape.rank())
        fail(status::invalid_shape, "compile: {} is given with shape {}, expected {}",
                to_string(port), shape_to_string(given), shape_to_string(known));
    for (int axis = 0; axis < given.shape.rank(); ++axis) {
        std::int64_t expected = known.shape[axis];
        std::int64_t found = given.shape[axis];
        if (expected != unknown_dim && found != unknown_dim && expected != found)
            fail(status::invalid_shape,
                    "compile: {} is given with shape {}, expected {}: axis {} has {}, expected {}",
                    to_string(port), shape_to_string(given), shape_to_string(known), axis, found,
                    expected);
    }
}

void make_dense(tensor_desc &desc) {
    desc.layout = layout_type::strided;
    // Strides that do not fit belong to an empty tensor, where they do not matter, or to one that
    // make_plan_port refuses.
    desc.strides = dense_strides(desc.shape).value_or(dims(desc.shape.rank(), 1));
}

tensor_desc resolve_input(const port_ref &port, const tensor_desc &given) {
    tensor_desc desc = given;
    if (!desc.shape_known())
        fail(status::invalid_arguments,
                "compile: {} has shape {}; every dimension of an input must be known",
                to_string(port), shape_to_string(desc));
    check_against_graph(port, desc);
    switch (desc.layout) {
        case layout_type::any: make_dense(desc); break;
        case layout_type::strided:
            if (has_unknown(desc.strides))
                fail(status::invalid_arguments,
                        "compile: {} has unknown strides; those of an input must be known",
                        to_string(port));
            break;
        case layout_type::opaque:
            fail(status::invalid_arguments,
                    "compile: {} has an opaque layout; Tern makes none and takes none",
                    to_string(port));
        case layout_type::undef:
            fail(status::invalid_arguments, "compile: {} has layout undef; expected strided or any",
                    to_string(port));
    }
    return desc;
}

/// Before shape inference: what the caller knows of an output, completed by what the graph knows.
tensor_desc prepare_output(const port_ref &port, const tensor_desc &given) {
    tensor_desc desc = given;
    if (desc.layout == layout_type::opaque)
        fail(status::invalid_arguments, "compile: {} has an opaque layout; expected strided or any",
                to_string(port));
    check_against_graph(port, desc);
    const tensor_desc &known = port.value().desc;
    if (!desc.rank_known && known.rank_known) {
        desc.rank_known = true;
        desc.shape = known.shape;
        if (desc.layout == layout_type::strided)
            desc.strides = dims(desc.shape.rank(), unknown_dim);
    }
    return desc;
}

/// After shape inference: settles the layout.
void settle_output(const port_ref &port, tensor_desc &desc) {
    if (!desc.shape_known())
        fail(status::invalid_shape, "compile: the shape of {} cannot be told: {}", to_string(port),
                shape_to_string(desc));
    if (desc.layout != layout_type::strided || has_unknown(desc.strides)) make_dense(desc);
}

void check_elements_apart(const port_ref &port, const tensor_desc &desc) {
    if (elements_overlap(desc.shape, desc.strides))
        fail(status::invalid_arguments,
                "compile: {} has shape {} with strides {}: different elements would share memory",
                to_string(port), to_string(desc.shape), to_string(desc.strides));
}

runtime::plan_port make_plan_port(const port_ref &port, const tensor_desc &desc) {
    std::optional<std::int64_t> count = element_count(desc.shape);
    std::optional<std::int64_t> bytes = byte_span(desc.shape, desc.strides, bytes_of(desc.type));
    if (!count || !bytes)
        fail(status::invalid_shape,
                "compile: {} {} of shape {}, strides {} and type {} is too large: its size does "
                "not fit 63 bits",
                port.direction(), to_string(port), to_string(desc.shape), to_string(desc.strides),
                tern::name_of(desc.type));
    return {desc, *bytes, *bytes == 0};
}

/// Is one memory good for both? Only the very same view is.
bool same_view(const tensor_desc &a, const tensor_desc &b) {
    return a.shape == b.shape && bytes_of(a.type) == bytes_of(b.type)
           && same_strides(a.shape, a.strides, b.strides);
}

void find_in_place(runtime::plan_parts &parts, const ir::op &op) {
    parts.may_alias.assign(parts.outputs.size() * parts.inputs.size(), 0);
    const runtime::plan_port &dst = parts.outputs[0];
    for (std::size_t i = 0; i < parts.inputs.size(); ++i)
        parts.may_alias[i] = same_view(parts.inputs[i].desc, dst.desc);
    for (int candidate : op.def->in_place_inputs) {
        auto port =
                static_cast<std::size_t>(parts.kernel_inputs[static_cast<std::size_t>(candidate)]);
        const runtime::plan_port &input = parts.inputs[port];
        // A constant must survive the execution, a host scalar has no memory of its own.
        bool overwritable = input.desc.property != property_type::constant
                            && input.desc.property != property_type::host_scalar;
        if (parts.may_alias[port] && overwritable) {
            parts.in_place.emplace_back(port, 0);
            return; // one pair per output
        }
    }
}

void choose(runtime::plan_parts &parts, const resolved_op &op, const std::string &wanted) {
    std::string known;
    for (const candidate &choice : candidates_of(op.op.kind)) {
        known += format_text("{}{}", known.empty() ? "" : ", ", choice.name);
        if (!wanted.empty() && choice.name != wanted) {
            parts.refusals.push_back(
                    {std::string(choice.name), format_text("{} was asked for", wanted)});
            continue;
        }
        answer result = choice.make(op);
        if (result.kernel) {
            parts.work = std::move(result.kernel);
            parts.implementation = format_text(
                    "{}{}{}", choice.name, result.detail.empty() ? "" : ":", result.detail);
            return;
        }
        parts.refusals.push_back({std::string(choice.name), result.detail});
        if (!wanted.empty())
            fail(status::unimplemented, "compile: {} cannot run as {}: {}",
                    ir::to_string(op.op.label()), wanted, result.detail);
    }
    if (!wanted.empty())
        fail(status::unimplemented, "compile: {} has no implementation \"{}\"; it has: {}",
                ir::to_string(op.op.label()), wanted, known);
    fail(status::unimplemented, "compile: {} has no implementation for these tensors",
            ir::to_string(op.op.label()));
}

void report(const compiled &result, bool is_hit, double milliseconds) {
    runtime::verbose_level level = runtime::verbose();
    if (!level.dispatch && !level.create) return;
    const runtime::plan_parts &parts = result.plan->parts();
    std::string text = result.verbose_text(parts);
    if (level.dispatch)
        for (const runtime::passed_over &refusal : parts.refusals)
            runtime::write_verbose(
                    "graph,create:dispatch,{},{},{}", text, refusal.implementation, refusal.reason);
    if (level.create)
        runtime::write_verbose("graph,compile:{},{},scratchpad:{},{},tern_backend,{:g}",
                is_hit ? "cache_hit" : "cache_miss", text, parts.scratch_bytes,
                parts.implementation, milliseconds);
}

/// What the caller gives, by port.
using given_list = std::vector<const tensor_desc *>;

given_list find_all(const partition &part, bool is_input, std::span<const ir::port> given) {
    given_list found;
    for (std::size_t i = 0; i < (is_input ? part.inputs : part.outputs).size(); ++i)
        found.push_back(&find_given({part, is_input, i}, given));
    return found;
}

/// The op's operands by port of the op; a partition has each tensor only once.
struct resolved_operands {
    std::vector<tensor_desc> in;
    std::vector<tensor_desc> out;
};

void resolve_inputs(const partition &part, const given_list &given, resolved_operands &operands,
        runtime::plan_parts &parts) {
    for (std::size_t i = 0; i < given.size(); ++i) {
        port_ref port{part, true, i};
        parts.inputs.push_back(make_plan_port(port, resolve_input(port, *given[i])));
    }
    for (int value : part.op(part.ops.front()).inputs) {
        auto port = std::find(part.inputs.begin(), part.inputs.end(), value) - part.inputs.begin();
        operands.in.push_back(parts.inputs[static_cast<std::size_t>(port)].desc);
        parts.kernel_inputs.push_back(static_cast<int>(port));
    }
}

void resolve_outputs(const partition &part, const given_list &given, resolved_operands &operands,
        runtime::plan_parts &parts) {
    const ir::op &op = part.op(part.ops.front());
    for (std::size_t o = 0; o < given.size(); ++o)
        operands.out.push_back(prepare_output({part, false, o}, *given[o]));
    op.def->infer(op.label(), op.attrs, operands.in, operands.out);
    for (std::size_t o = 0; o < given.size(); ++o) {
        port_ref port{part, false, o};
        tensor_desc &desc = operands.out[o];
        settle_output(port, desc);
        parts.outputs.push_back(make_plan_port(port, desc));
        check_elements_apart(port, desc); // after the sizes, which it relies on
    }
}

runtime::plan_parts make_parts(const partition &part, const given_list &inputs,
        const given_list &outputs, const std::string &implementation) {
    const ir::op &op = part.op(part.ops.front());
    runtime::plan_parts parts;
    resolved_operands operands;
    resolve_inputs(part, inputs, operands, parts);
    resolve_outputs(part, outputs, operands, parts);
    find_in_place(parts, op);
    bool nothing_to_do = std::all_of(parts.outputs.begin(), parts.outputs.end(),
            [](const runtime::plan_port &port) { return port.is_empty; });
    if (nothing_to_do)
        parts.implementation = "empty";
    else
        choose(parts, {op, operands.in, operands.out}, implementation);
    return parts;
}

} // namespace

std::string compiled::input(std::size_t port) const {
    return to_string(port_ref{*part, true, port});
}

std::string compiled::output(std::size_t port) const {
    return to_string(port_ref{*part, false, port});
}

std::string compiled::verbose_text(const runtime::plan_parts &parts) const {
    static constexpr std::string_view fpmath_names[] = {"strict", "bf16", "f16", "any", "tf32"};
    std::string names;
    for (int index : part->ops) {
        if (!names.empty()) names += ';';
        // A name is the caller's text; it must not look like the end of a field or of the line.
        for (char c : part->op(index).name)
            names += c == ',' || c == ';' || static_cast<unsigned char>(c) < ' ' ? '_' : c;
    }
    std::string tensors;
    auto add = [&](bool is_input, const std::vector<runtime::plan_port> &ports) {
        for (std::size_t i = 0; i < ports.size(); ++i) {
            std::string text = to_string(ports[i].desc);
            std::size_t type_end = text.find(':');
            tensors += format_text("{}{}{}_{}:{}{}", tensors.empty() ? "" : " ",
                    is_input ? "in" : "out", i, text.substr(0, type_end),
                    port_ref{*part, is_input, i}.value().id, text.substr(type_end));
        }
    };
    add(true, parts.inputs);
    add(false, parts.outputs);
    return format_text("cpu,{},misc_post_ops,{},,{},fpm:{}{}", part->id, names, tensors,
            fpmath_names[static_cast<std::size_t>(part->fpmath)],
            part->fpmath_on_integers ? ":true" : "");
}

compiled compile(std::shared_ptr<const partition> part, std::span<const ir::port> inputs,
        std::span<const ir::port> outputs, const runtime::engine_state &engine,
        const std::string &implementation) {
    auto start = std::chrono::steady_clock::now();
    if (!part->is_supported)
        fail(status::unimplemented, "compile: {} is known to Tern by name only",
                ir::to_string(part->op(part->ops.front()).label()));
    const std::string &wanted =
            implementation.empty() ? runtime::environment_implementation() : implementation;
    given_list in = find_all(*part, true, inputs);
    given_list out = find_all(*part, false, outputs);

    runtime::plan_cache &cache = runtime::the_plan_cache();
    std::string key = make_plan_key(*part, in, out, engine, wanted);
    compiled result;
    result.plan = cache.find(key);
    bool is_hit = result.plan != nullptr;
    if (!is_hit)
        result.plan = cache.insert(std::move(key),
                std::make_shared<runtime::plan>(make_parts(*part, in, out, wanted), engine));
    result.part = std::move(part);
    std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    report(result, is_hit, took.count());
    return result;
}

} // namespace tern::compiler
