// SPDX-License-Identifier: Apache-2.0
#include "formats/onnx/node_context.hpp"

#include <algorithm>

#include "base/element.hpp"
#include "base/error.hpp"
#include "formats/onnx/op_table.hpp"
#include "ir/print.hpp"
#include "ops/registry.hpp"

namespace tern::formats::onnx {

std::string label_of(const node &source, std::size_t index) {
    return source.name.empty()
                   ? format_text("node {} ({})", index, source.op_type)
                   : format_text("node {} {} ({})", index, ir::quoted(source.name), source.op_type);
}

void node_context::refuse(const std::string &text) const {
    throw error(status::invalid_graph_op, text);
}

void node_context::decline(const std::string &text) const {
    throw declined(qualified_name(source), text);
}

const traced &node_context::any(std::size_t port) const {
    static const traced absent;
    return port < in_.size() ? in_[port] : absent;
}

const traced &node_context::in(std::size_t port) const {
    if (!has(port)) refuse(format_text("input {} is required", port));
    const traced &value = in_[port];
    if (!value.is_tensor())
        refuse(format_text("input {} (\"{}\") is {}; expected a tensor", port, source.inputs[port],
                to_string(value.desc.value_type())));
    return value;
}

const constant &node_context::content(std::size_t port) const {
    const traced &value = in(port);
    if (!value.content) throw content_needed{source.inputs[port]};
    return *value.content;
}

std::vector<std::int64_t> node_context::integers(std::size_t port) const {
    const traced &value = in(port);
    if (value.desc.shape.rank() > 1 || !is_integer(value.desc.type))
        refuse(format_text("input {} (\"{}\") is {}{}; expected a list of integers", port,
                source.inputs[port], name_of(value.desc.type), to_string(value.desc.shape)));
    const constant &known = content(port);
    std::vector<std::int64_t> values;
    for (std::int64_t i = 0; i < known.count(); ++i)
        values.push_back(
                load_s64(known.type, static_cast<const std::byte *>(known.data)
                                             + static_cast<std::size_t>(i) * bytes_of(known.type)));
    return values;
}

const attribute *node_context::find(std::string_view name) const {
    for (const attribute &candidate : source.attributes)
        if (candidate.name == name) return &candidate;
    return nullptr;
}

const attribute *node_context::find(std::string_view name, attribute_kind kind) const {
    const attribute *found = find(name);
    if (found && found->kind != kind)
        refuse(format_text(
                "attribute {} is {}; expected {}", name, name_of(found->kind), name_of(kind)));
    return found;
}

std::int64_t node_context::integer(std::string_view name, std::int64_t when_unset) const {
    const attribute *found = find(name, attribute_kind::INT);
    return found ? found->ints[0] : when_unset;
}

float node_context::number(std::string_view name, float when_unset) const {
    const attribute *found = find(name, attribute_kind::FLOAT);
    return found ? found->floats[0] : when_unset;
}

std::string node_context::text(std::string_view name, std::string_view when_unset) const {
    const attribute *found = find(name, attribute_kind::STRING);
    return found ? found->strings[0] : std::string(when_unset);
}

std::optional<std::vector<std::int64_t>> node_context::integer_list(std::string_view name) const {
    const attribute *found = find(name, attribute_kind::INTS);
    if (!found) return std::nullopt;
    return found->ints;
}

int node_context::axis(std::string_view field, std::int64_t given, int rank) const {
    if (given < -rank || given >= rank)
        refuse(format_text("{} is {}, but the input has rank {}", field, given, rank));
    return static_cast<int>(given < 0 ? given + rank : given);
}

void node_context::set_step(const ir::attr_list &attrs, traced result) {
    value_step step;
    step.label = {rule.kind, build.new_id()};
    ir::op_spec spec;
    spec.id = step.label.id;
    spec.kind = rule.kind;
    spec.attrs = attrs;
    for (const traced &value : in_) {
        if (value.is_given && !value.content && value.slot < 0) throw not_yet();
        step.in.push_back(value);
        spec.inputs.push_back({0, value.desc});
    }
    while (!step.in.empty() && !step.in.back().is_given) {
        step.in.pop_back();
        spec.inputs.pop_back();
    }
    result.id = build.new_id();
    spec.outputs.push_back({0, result.desc});
    ir::verify_schema(spec, *ops::find(rule.kind));
    step.attrs = std::move(spec.attrs);
    step.out = result;
    steps.push_back(std::move(step));
    set(std::move(result));
}

traced node_context::list(const std::vector<std::int64_t> &values) const {
    return stage_builder::of(make_constant(dims{static_cast<std::int64_t>(values.size())}, values));
}

traced node_context::scalar(data_type type, double value) const {
    new_constant made = make_constant(type, dims());
    store_f64(type, value, made.data);
    return stage_builder::of(made.value);
}

} // namespace tern::formats::onnx
