// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/error.hpp"
#include "ops/values.hpp"

/// output = what input holds, or input itself where it is no optional
/// Forms:  input a tensor, a sequence, or an optional of either; output the tensor or sequence.
/// Types:  ONNX's list, and bf16, which is Tern's own.
/// Values: output refers to the element, nothing is copied; tensors in memory are copied bit by
///         bit, and output may be input when shape and layout agree.
/// Errors: invalid_arguments at run time for an empty optional.
/// Source: ONNX OptionalGetElement-18. Version 15 takes optionals only.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 1> inputs = {{{"input", "T", ir::port_use::required, any_form}}};
constexpr std::array<ir::port_def, 1> outputs = {
        {{"output", "T", ir::port_use::required, tensor_or_sequence}}};
constexpr std::array<ir::type_rule, 1> types = {{{"T", onnx_types}}};
constexpr std::array<int, 1> in_place_inputs = {0};

void check(const ir::op_label &label, const ir::attr_list &, std::span<const tensor_desc> in,
        std::span<const tensor_desc> out) {
    check_output_form(label, "output", out[0], held_form(in[0].form));
}

void evaluate(const ir::value_args &args) {
    const value &input = args.in[0];
    if (!input.has_element())
        fail(status::invalid_arguments, "{}: input is an empty {}", ir::to_string(args.label),
                input.is_absent() ? "optional" : to_string(input.type()));
    args.out[0] = input.is_optional() ? input.element() : input;
}

} // namespace

extern const ir::op_def optional_get_element;
const ir::op_def optional_get_element = {
        .kind = op_kind::OptionalGetElement,
        .doc = "output = the element of an optional, or the tensor or sequence itself",
        .inputs = inputs,
        .outputs = outputs,
        .types = types,
        .attrs = {},
        .check = check,
        .infer = infer_handed_on,
        .reference = copy_input,
        .in_place_inputs = in_place_inputs,
        .evaluate = evaluate,
};

} // namespace tern::ops
