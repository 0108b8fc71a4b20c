// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/error.hpp"
#include "ops/values.hpp"

/// output_sequence = the inputs, in their order
/// Forms:  inputs one tensor or more, of any shapes; output_sequence a sequence.
/// Types:  all the same, out of ONNX's list, and bf16, which is Tern's own.
/// Values: the sequence refers to the inputs, nothing is copied.
/// Errors: invalid_graph_op without input; none at run time.
/// Source: ONNX SequenceConstruct-11.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 1> inputs = {{{"inputs", "T", ir::port_use::repeated}}};
constexpr std::array<ir::port_def, 1> outputs = {
        {{"output_sequence", "T", ir::port_use::required, only_sequences}}};
constexpr std::array<ir::type_rule, 1> types = {{{"T", onnx_types}}};

void check(const ir::op_label &label, const ir::attr_list &, std::span<const tensor_desc> in,
        std::span<const tensor_desc>) {
    if (in.empty())
        fail(status::invalid_graph_op, "{}: 0 inputs given, expected 1 or more",
                ir::to_string(label));
}

void evaluate(const ir::value_args &args) {
    if (args.in.empty())
        fail(status::invalid_arguments, "{}: there is no input", ir::to_string(args.label));
    args.out[0] = value::sequence(args.in[0].type().element, {args.in.begin(), args.in.end()});
}

} // namespace

extern const ir::op_def sequence_construct;
const ir::op_def sequence_construct = {
        .kind = op_kind::SequenceConstruct,
        .doc = "output_sequence = the inputs, in their order",
        .inputs = inputs,
        .outputs = outputs,
        .types = types,
        .attrs = {},
        .check = check,
        .infer = infer_nothing,
        .reference = nullptr,
        .in_place_inputs = {},
        .evaluate = evaluate,
};

} // namespace tern::ops
