// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "ops/values.hpp"

/// output = is there something in input?
/// Forms:  input may be a tensor, a sequence, an optional of either, or left out; output is a
///         tensor of rank 0.
/// Types:  input ONNX's list, and bf16, which is Tern's own; output boolean.
/// Values: 1 for an optional that holds an element and for every tensor and sequence, empty ones
///         included; 0 for an empty optional and without input. The content is not looked at.
/// Errors: none at run time.
/// Source: ONNX OptionalHasElement-18. Version 15 takes optionals only.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 1> inputs = {{{"input", "T", ir::port_use::optional, any_form}}};
constexpr std::array<ir::port_def, 1> outputs = {{{"output", "B"}}};
constexpr std::array<ir::type_rule, 2> types = {
        {{"T", onnx_types}, {"B", type_set(data_type::boolean)}}};

/// Of a tensor in memory, or of no input at all.
void reference(const ir::reference_args &args, std::int64_t, std::int64_t) noexcept {
    *static_cast<unsigned char *>(args.out[0].data) = args.in.empty() ? 0 : 1;
}

void evaluate(const ir::value_args &args) {
    args.out[0] = boolean_value(!args.in.empty() && args.in[0].has_element());
}

} // namespace

extern const ir::op_def optional_has_element;
const ir::op_def optional_has_element = {
        .kind = op_kind::OptionalHasElement,
        .doc = "output = is there a tensor, a sequence, or an optional that is not empty?",
        .inputs = inputs,
        .outputs = outputs,
        .types = types,
        .attrs = {},
        .infer = infer_scalar,
        .reference = reference,
        .in_place_inputs = {},
        .evaluate = evaluate,
};

} // namespace tern::ops
