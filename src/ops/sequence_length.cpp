// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "ops/values.hpp"

/// length = number of tensors in input_sequence
/// Forms:  input_sequence a sequence; length a tensor of rank 0.
/// Types:  input_sequence ONNX's list, and bf16, which is Tern's own; length s64.
/// Errors: none at run time.
/// Source: ONNX SequenceLength-11.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 1> inputs = {
        {{"input_sequence", "T", ir::port_use::required, only_sequences}}};
constexpr std::array<ir::port_def, 1> outputs = {{{"length", "I"}}};
constexpr std::array<ir::type_rule, 2> types = {
        {{"T", onnx_types}, {"I", type_set(data_type::s64)}}};

void evaluate(const ir::value_args &args) {
    const auto length = static_cast<std::int64_t>(args.in[0].size());
    args.out[0] = value::tensor(data_type::s64, {}, &length);
}

} // namespace

extern const ir::op_def sequence_length;
const ir::op_def sequence_length = {
        .kind = op_kind::SequenceLength,
        .doc = "length = number of tensors in input_sequence",
        .inputs = inputs,
        .outputs = outputs,
        .types = types,
        .attrs = {},
        .infer = infer_scalar,
        .reference = nullptr,
        .in_place_inputs = {},
        .evaluate = evaluate,
};

} // namespace tern::ops
