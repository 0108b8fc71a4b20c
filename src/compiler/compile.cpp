// SPDX-License-Identifier: Apache-2.0
#include "compiler/compile.hpp"

#include <algorithm>
#include <chrono>

#include "base/error.hpp"
#include "base/overlap.hpp"
#include "base/shape.hpp"
#include "base/text.hpp"
#include "compiler/lowering.hpp"
#include "runtime/verbose.hpp"

namespace tern::compiler {
namespace {

/// What messages call a port: its name in the op that has it, and the op.
std::string port_name(const ir::op &op, std::string_view direction, std::size_t index) {
    auto ports = direction == "input" ? op.def->inputs : op.def->outputs;
    return format_text("{} of {}", ports[index].name, ir::to_string(op.label()));
}

const ir::port &find_port(std::span<const ir::port> given, const ir::port &wanted,
        const std::string &name, std::string_view list) {
    const ir::port *found = nullptr;
    for (const ir::port &candidate : given) {
        if (candidate.id != wanted.id) continue;
        if (found && !(found->desc == candidate.desc))
            fail(status::invalid_arguments,
                    "compile: tensor {} is given twice among the {}: {} and {}", wanted.id, list,
                    to_string(found->desc), to_string(candidate.desc));
        found = &candidate;
    }
    if (!found)
        fail(status::invalid_arguments, "compile: {} (tensor {}) is missing among the {}", name,
                wanted.id, list);
    if (found->desc.type != wanted.desc.type)
        fail(status::invalid_data_type,
                "compile: {} (tensor {}) is given as {}, but the partition has {}", name, wanted.id,
                tern::name_of(found->desc.type), tern::name_of(wanted.desc.type));
    return *found;
}

/// Dims that graph and caller both know must agree.
void check_against_graph(const tensor_desc &given, const ir::port &known, const std::string &name) {
    if (!given.rank_known || !known.desc.rank_known) return;
    if (given.shape.rank() != known.desc.shape.rank())
        fail(status::invalid_shape, "compile: {} (tensor {}) is given with shape {}, expected {}",
                name, known.id, shape_to_string(given), shape_to_string(known.desc));
    for (int axis = 0; axis < given.shape.rank(); ++axis) {
        std::int64_t expected = known.desc.shape[axis];
        std::int64_t found = given.shape[axis];
        if (expected != unknown_dim && found != unknown_dim && expected != found)
            fail(status::invalid_shape,
                    "compile: {} (tensor {}) is given with shape {}, expected {}: axis {} has {}, "
                    "expected {}",
                    name, known.id, shape_to_string(given), shape_to_string(known.desc), axis,
                    found, expected);
    }
}

void make_dense(tensor_desc &desc) {
    desc.layout = layout_type::strided;
    // Strides that do not fit belong to an empty tensor, where they do not matter, or to one that
    // make_plan_port refuses.
    desc.strides = dense_strides(desc.shape).value_or(dims(desc.shape.rank(), 1));
}

tensor_desc resolve_input(const ir::port &given, const ir::port &known, const std::string &name) {
    tensor_desc desc = given.desc;
    if (!desc.shape_known())
        fail(status::invalid_arguments,
                "compile: {} (tensor {}) has shape {}; every dimension of an input must be known",
                name, given.id, shape_to_string(desc));
    check_against_graph(desc, known, name);
    switch (desc.layout) {
        case layout_type::any: make_dense(desc); break;
        case layout_type::strided:
            if (has_unknown(desc.strides))
                fail(status::invalid_arguments,
                        "compile: {} (tensor {}) has unknown strides; those of an input must be "
                        "known",
                        name, given.id);
            break;
        case layout_type::opaque:
            fail(status::invalid_arguments,
                    "compile: {} (tensor {}) has an opaque layout; Tern makes none and takes none",
                    name, given.id);
        case layout_type::undef:
            fail(status::invalid_arguments,
                    "compile: {} (tensor {}) has layout undef; expected strided or any", name,
                    given.id);
    }
    return desc;
}

/// Before shape inference: what the caller knows of an output, completed by what the graph knows.
tensor_desc prepare_output(const ir::port &given, const ir::port &known, const std::string &name) {
    tensor_desc desc = given.desc;
    if (desc.layout == layout_type::opaque)
        fail(status::invalid_arguments,
                "compile: {} (tensor {}) has an opaque layout; expected strided or any", name,
                given.id);
    check_against_graph(desc, known, name);
    if (!desc.rank_known && known.desc.rank_known) {
        desc.rank_known = true;
        desc.shape = known.desc.shape;
        if (desc.layout == layout_type::strided)
            desc.strides = dims(desc.shape.rank(), unknown_dim);
    }
    return desc;
}

/// After shape inference: settles the layout.
void settle_output(tensor_desc &desc, std::size_t id, const std::string &name) {
    if (!desc.shape_known())
        fail(status::invalid_shape, "compile: the shape of {} (tensor {}) cannot be told: {}", name,
                id, shape_to_string(desc));
    if (desc.layout != layout_type::strided || has_unknown(desc.strides)) make_dense(desc);
}

void check_elements_apart(const tensor_desc &desc, std::size_t id, const std::string &name) {
    if (elements_overlap(desc.shape, desc.strides))
        fail(status::invalid_arguments,
                "compile: {} (tensor {}) has shape {} with strides {}: different elements would "
                "share memory",
                name, id, to_string(desc.shape), to_string(desc.strides));
}

runtime::plan_port make_plan_port(
        std::size_t id, const tensor_desc &desc, std::string name, std::string_view direction) {
    std::optional<std::int64_t> count = element_count(desc.shape);
    std::optional<std::int64_t> bytes = byte_span(desc.shape, desc.strides, bytes_of(desc.type));
    if (!count || !bytes)
        fail(status::invalid_shape,
                "compile: {} {} (tensor {}) of shape {}, strides {} and type {} is too large: its "
                "size "
                "does not fit 63 bits",
                direction, name, id, to_string(desc.shape), to_string(desc.strides),
                tern::name_of(desc.type));
    return {{id, desc}, std::move(name), *bytes, *bytes == 0};
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
        parts.may_alias[i] = same_view(parts.inputs[i].port.desc, dst.port.desc);
    for (int candidate : op.def->in_place_inputs) {
        auto port =
                static_cast<std::size_t>(parts.kernel_inputs[static_cast<std::size_t>(candidate)]);
        const runtime::plan_port &input = parts.inputs[port];
        // A constant must survive the execution, a host scalar has no memory of its own.
        bool overwritable = input.port.desc.property != property_type::constant
                            && input.port.desc.property != property_type::host_scalar;
        if (parts.may_alias[port] && overwritable) {
            parts.in_place_ids.emplace_back(input.port.id, dst.port.id);
            return; // one pair per output
        }
    }
}

std::string verbose_text(const partition &part, const runtime::plan_parts &parts) {
    static constexpr std::string_view fpmath_names[] = {"strict", "bf16", "f16", "any", "tf32"};
    std::string names;
    for (int index : part.ops) {
        if (!names.empty()) names += ';';
        // A name is the caller's text; it must not look like the end of a field or of the line.
        for (char c : part.op(index).name)
            names += c == ',' || c == ';' || static_cast<unsigned char>(c) < ' ' ? '_' : c;
    }
    std::string tensors;
    auto add = [&](std::string_view direction, const std::vector<runtime::plan_port> &ports) {
        for (std::size_t i = 0; i < ports.size(); ++i) {
            const tensor_desc &desc = ports[i].port.desc;
            std::string text = to_string(desc);
            std::size_t type_end = text.find(':');
            tensors += format_text("{}{}{}_{}:{}{}", tensors.empty() ? "" : " ", direction, i,
                    text.substr(0, type_end), ports[i].port.id, text.substr(type_end));
        }
    };
    add("in", parts.inputs);
    add("out", parts.outputs);
    return format_text("cpu,{},misc_post_ops,{},,{},fpm:{}{}", part.id, names, tensors,
            fpmath_names[static_cast<std::size_t>(part.fpmath)],
            part.fpmath_on_integers ? ":true" : "");
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

void report(const runtime::plan_parts &parts, double milliseconds) {
    runtime::verbose_level level = runtime::verbose();
    if (level.dispatch)
        for (const runtime::passed_over &refusal : parts.refusals)
            runtime::write_verbose("graph,create:dispatch,{},{},{}", parts.verbose_text,
                    refusal.implementation, refusal.reason);
    if (level.create)
        runtime::write_verbose("graph,compile:cache_miss,{},scratchpad:{},{},tern_backend,{:g}",
                parts.verbose_text, parts.scratch_bytes, parts.implementation, milliseconds);
}

/// The op's operands by port of the op; a partition has each tensor only once.
struct resolved_operands {
    std::vector<tensor_desc> in;
    std::vector<tensor_desc> out;
};

void resolve_inputs(const partition &part, std::span<const ir::port> given,
        resolved_operands &operands, runtime::plan_parts &parts) {
    const ir::op &op = part.op(part.ops.front());
    for (std::size_t i = 0; i < op.inputs.size(); ++i) {
        const ir::value &value = part.value(op.inputs[i]);
        ir::port known{value.id, value.desc};
        std::string name = port_name(op, "input", i);
        operands.in.push_back(resolve_input(find_port(given, known, name, "inputs"), known, name));
        auto port = std::find(part.inputs.begin(), part.inputs.end(), op.inputs[i])
                    - part.inputs.begin();
        if (port == static_cast<std::ptrdiff_t>(parts.inputs.size()))
            parts.inputs.push_back(make_plan_port(known.id, operands.in.back(), name, "input"));
        parts.kernel_inputs.push_back(static_cast<int>(port));
    }
}

void resolve_outputs(const partition &part, std::span<const ir::port> given,
        resolved_operands &operands, runtime::plan_parts &parts) {
    const ir::op &op = part.op(part.ops.front());
    for (std::size_t o = 0; o < op.outputs.size(); ++o) {
        const ir::value &value = part.value(op.outputs[o]);
        ir::port known{value.id, value.desc};
        std::string name = port_name(op, "output", o);
        operands.out.push_back(
                prepare_output(find_port(given, known, name, "outputs"), known, name));
    }
    op.def->infer(op.label(), op.attrs, operands.in, operands.out);
    for (std::size_t o = 0; o < op.outputs.size(); ++o) {
        std::size_t id = part.value(op.outputs[o]).id;
        std::string name = port_name(op, "output", o);
        tensor_desc &desc = operands.out[o];
        settle_output(desc, id, name);
        runtime::plan_port port = make_plan_port(id, desc, name, "output");
        check_elements_apart(desc, id, name); // after the sizes, which it relies on
        parts.outputs.push_back(std::move(port));
    }
}

} // namespace

std::shared_ptr<const runtime::plan> compile(const partition &part,
        std::span<const ir::port> inputs, std::span<const ir::port> outputs,
        const runtime::engine_state &engine, const std::string &implementation) {
    auto start = std::chrono::steady_clock::now();
    const ir::op &op = part.op(part.ops.front());
    if (!part.is_supported)
        fail(status::unimplemented, "compile: {} is known to Tern by name only",
                ir::to_string(op.label()));

    runtime::plan_parts parts;
    resolved_operands operands;
    resolve_inputs(part, inputs, operands, parts);
    resolve_outputs(part, outputs, operands, parts);
    find_in_place(parts, op);
    parts.verbose_text = verbose_text(part, parts);
    bool nothing_to_do = std::all_of(parts.outputs.begin(), parts.outputs.end(),
            [](const runtime::plan_port &port) { return port.is_empty; });
    if (nothing_to_do)
        parts.implementation = "empty";
    else
        choose(parts, {op, operands.in, operands.out},
                implementation.empty() ? runtime::environment_implementation() : implementation);
    std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    report(parts, took.count());
    return std::make_shared<runtime::plan>(std::move(parts), engine);
}

} // namespace tern::compiler
