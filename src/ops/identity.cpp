// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "ops/values.hpp"

/// output = input
/// Forms:  any; output that of input.
/// Types:  any of 1, 2, 4, 8 or 16 bytes.
/// Values: output refers to what input refers to; tensors in memory are copied bit by bit, or only
///         seen differently where the compiler can do without a copy. In place: output may be input
///         when shape and layout agree.
/// Errors: invalid_shape at finalize or compile where a given output differs; none at run time.
/// Source: ONNX Identity-16.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 1> inputs = {{{"input", "T", ir::port_use::required, any_form}}};
constexpr std::array<ir::port_def, 1> outputs = {
        {{"output", "T", ir::port_use::required, any_form}}};
constexpr std::array<ir::type_rule, 1> types = {{{"T", any_fixed_size}}};
constexpr std::array<int, 1> in_place_inputs = {0};

void check(const ir::op_label &label, const ir::attr_list &, std::span<const tensor_desc> in,
        std::span<const tensor_desc> out) {
    check_output_form(label, "output", out[0], in[0].form);
}

void evaluate(const ir::value_args &args) {
    args.out[0] = args.in[0];
}

} // namespace

extern const ir::op_def identity;
const ir::op_def identity = {
        .kind = op_kind::Identity,
        .doc = "output = input",
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
