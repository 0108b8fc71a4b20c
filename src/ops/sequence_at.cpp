// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/element.hpp"
#include "base/error.hpp"
#include "ops/values.hpp"

/// tensor = input_sequence[position]
/// Forms:  input_sequence a sequence; position a tensor of rank 0; tensor a tensor, whose shape is
///         known at run time only.
/// Types:  input_sequence and tensor the same, out of ONNX's list, and bf16, which is Tern's own;
///         position s32 or s64.
/// Values: a negative position counts from the end. Nothing is copied.
/// Errors: invalid_shape where the position has dims; invalid_arguments at run time for a position
///         outside [-n, n - 1] of a sequence of n.
/// Source: ONNX SequenceAt-11.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 2> inputs = {
        {{"input_sequence", "T", ir::port_use::required, only_sequences}, {"position", "I"}}};
constexpr std::array<ir::port_def, 1> outputs = {{{"tensor", "T"}}};
constexpr std::array<ir::type_rule, 2> types = {
        {{"T", onnx_types}, {"I", type_set(data_type::s32, data_type::s64)}}};

void infer(const ir::op_label &label, const ir::attr_list &, std::span<const tensor_desc> in,
        std::span<tensor_desc>) {
    if (in[1].rank_known && in[1].shape.rank() != 0)
        fail(status::invalid_shape, "{}: position has shape {}, expected a scalar",
                ir::to_string(label), shape_to_string(in[1]));
}

void evaluate(const ir::value_args &args) {
    const value &position = args.in[1];
    if (!position.shape().empty())
        fail(status::invalid_arguments, "{}: position has {} dims, expected a scalar",
                ir::to_string(args.label), position.shape().size());
    const std::int64_t given = load_s64(position.type().element, position.data());
    const auto size = static_cast<std::int64_t>(args.in[0].size());
    if (given < -size || given >= size)
        fail(status::invalid_arguments,
                "{}: position is {}, but the sequence has {} tensors: expected {} to {}",
                ir::to_string(args.label), given, size, -size, size - 1);
    args.out[0] = args.in[0].at(static_cast<std::size_t>(given < 0 ? given + size : given));
}

} // namespace

extern const ir::op_def sequence_at;
const ir::op_def sequence_at = {
        .kind = op_kind::SequenceAt,
        .doc = "tensor = input_sequence[position]",
        .inputs = inputs,
        .outputs = outputs,
        .types = types,
        .attrs = {},
        .infer = infer,
        .reference = nullptr,
        .in_place_inputs = {},
        .evaluate = evaluate,
};

} // namespace tern::ops
