// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "ops/values.hpp"

/// output = an optional that holds input, or an empty one
/// Forms:  input a tensor or a sequence, or left out; output the optional of it.
/// Types:  ONNX's list, and bf16, which is Tern's own.
/// Values: the optional refers to input, nothing is copied. The attribute type, "tensor(f32)" or
///         "seq(tensor(f32))" for example, says what an empty optional would hold; it is needed
///         without input, and must agree with input and output where it is given.
/// Errors: invalid_graph_op for a wrong attribute or form; none at run time.
/// Source: ONNX Optional-15.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 1> inputs = {
        {{"input", "T", ir::port_use::optional, tensor_or_sequence}}};
constexpr std::array<ir::port_def, 1> outputs = {
        {{"output", "T", ir::port_use::required, only_optionals}}};
constexpr std::array<ir::type_rule, 1> types = {{{"T", onnx_types}}};
constexpr std::array<ir::attr_def, 1> attrs = {{{op_attr::type, false, {}, {}}}};

/// The type of a tensor or a sequence that the attribute names; nullopt: it is none.
std::optional<value_type> find_type(const std::string &text) {
    for (int i = 1; i < data_type_count; ++i) {
        const auto element = static_cast<data_type>(i);
        if (!onnx_types.contains(element)) continue;
        for (value_form form : {value_form::tensor, value_form::sequence})
            if (to_string(value_type{form, element}) == text) return value_type{form, element};
    }
    return std::nullopt;
}

void check(const ir::op_label &label, const ir::attr_list &given, std::span<const tensor_desc> in,
        std::span<const tensor_desc> out) {
    if (!in.empty()) check_output_form(label, "output", out[0], optional_form(in[0].form));
    const auto *text = ir::find_as<std::string>(given, op_attr::type);
    if (text == nullptr) {
        if (in.empty())
            fail(status::invalid_graph_op, "{}: without input, attribute type is required",
                    ir::to_string(label));
        return;
    }
    const std::optional<value_type> type = find_type(*text);
    if (!type)
        fail(status::invalid_graph_op,
                "{}: attribute type is \"{}\"; expected tensor(T) or seq(tensor(T)) with a data "
                "type T that the op takes",
                ir::to_string(label), *text);
    if (optional_form(type->form) != out[0].form || type->element != out[0].type)
        fail(status::invalid_graph_op, "{}: attribute type is \"{}\", but output is {}",
                ir::to_string(label), *text, to_string(out[0].value_type()));
}

void evaluate(const ir::value_args &args) {
    if (!args.in.empty()) {
        args.out[0] = value::optional(args.in[0]);
        return;
    }
    const auto *text = ir::find_as<std::string>(args.attrs, op_attr::type);
    const std::optional<value_type> type = text == nullptr ? std::nullopt : find_type(*text);
    if (!type)
        fail(status::invalid_arguments, "{}: there is neither an input nor a type",
                ir::to_string(args.label));
    args.out[0] = value::empty_optional(*type);
}

} // namespace

extern const ir::op_def optional;
const ir::op_def optional = {
        .kind = op_kind::Optional,
        .doc = "output = an optional that holds input, or an empty one",
        .inputs = inputs,
        .outputs = outputs,
        .types = types,
        .attrs = attrs,
        .check = check,
        .infer = infer_nothing,
        .reference = nullptr,
        .in_place_inputs = {},
        .evaluate = evaluate,
};

} // namespace tern::ops
