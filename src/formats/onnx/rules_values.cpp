// SPDX-License-Identifier: Apache-2.0
//
// Ops on sequences and optionals. They run on whole values, between the graphs.
#include "base/error.hpp"
#include "formats/onnx/op_table.hpp"
#include "ops/registry.hpp"

namespace tern::formats::onnx {
namespace {

traced make(value_form form, data_type element) {
    traced result;
    result.is_given = true;
    result.desc.type = element;
    result.desc.form = form;
    return result;
}

traced make_scalar(data_type type) {
    traced result;
    result.is_given = true;
    result.desc = dense_desc(type, dims());
    return result;
}

traced truth(node_context &node, bool answer) {
    return node.scalar(data_type::boolean, answer ? 1 : 0);
}

/// "seq(tensor(f32))", as the graph's op wants it.
std::string type_text(node_context &node, const formats::onnx::value_type &declared) {
    value_info info;
    info.name = "attribute type";
    info.type = declared;
    const traced held = traced::declared(info);
    if (is_optional(held.desc.form)) node.refuse("attribute type is an optional's");
    return to_string(held.desc.value_type());
}

/// Sequences and optionals of version 15 are not what tensors are.
void demand_optional(node_context &node) {
    if (node.version < 18 && node.has(0) && !is_optional(node.any(0).desc.form))
        node.refuse("input 0 is no optional, which operator sets before 18 demand");
}

} // namespace

void import_optional(node_context &node) {
    ir::attr_list attrs;
    value_form form = value_form::tensor;
    data_type element = data_type::undef;
    if (const attribute *a = node.find("type", attribute_kind::TYPE_PROTO)) {
        attrs.emplace_back(op_attr::type, type_text(node, a->types[0]));
        value_info info;
        info.type = a->types[0];
        const traced held = traced::declared(info);
        form = held.desc.form;
        element = held.desc.type;
    } else if (!node.has(0)) {
        node.refuse("attribute type is required without an input");
    }
    if (node.has(0)) {
        if (is_optional(node.any(0).desc.form)) node.refuse("input 0 is an optional");
        form = node.any(0).desc.form;
        element = node.any(0).desc.type;
    }
    node.set_step(attrs, make(optional_form(form), element));
}

void import_optional_has_element(node_context &node) {
    demand_optional(node);
    if (node.version < 18 && !node.has(0)) node.refuse("input 0 is required");
    if (!node.has(0)) return node.set(truth(node, false));
    if (!is_optional(node.any(0).desc.form)) return node.set(truth(node, true));
    node.set_step({}, make_scalar(data_type::boolean));
}

void import_optional_get_element(node_context &node) {
    demand_optional(node);
    const tensor_desc &input = node.any(0).desc;
    if (!is_optional(input.form)) return node.set(node.any(0));
    node.set_step({}, make(held_form(input.form), input.type));
}

void import_sequence_construct(node_context &node) {
    node.set_step({}, make(value_form::sequence, node.in(0).desc.type));
}

void import_sequence_empty(node_context &node) {
    const auto dtype = static_cast<element_type>(
            node.integer("dtype", static_cast<std::int64_t>(element_type::FLOAT)));
    const data_type type = data_type_of(dtype);
    if (type == data_type::undef)
        node.decline(format_text("a sequence of {} is not supported", name_of(dtype)));
    node.set_step({{op_attr::dtype, std::string(name_of(type))}}, make(value_form::sequence, type));
}

void import_sequence_at(node_context &node) {
    node.set_step({}, make(value_form::tensor, node.any(0).desc.type));
}

void import_sequence_length(node_context &node) {
    node.set_step({}, make_scalar(data_type::s64));
}

} // namespace tern::formats::onnx
