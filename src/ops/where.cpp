// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "ops/rules.hpp"

/// output[i] = condition[i] ? X[i] : Y[i]
/// Shapes: condition, X and Y broadcast (numpy rules, every operand every way) to output. Rank
///         0..12, zero sizes allowed.
/// Types:  condition boolean (one byte, nonzero is true); X, Y, output the same type, any of 1, 2,
///         4, 8 or 16 bytes. ONNX's list and the two f8 types.
/// Values: bits are copied unchanged. In place: output may be X or Y when shape and layout agree.
/// Errors: invalid_shape at finalize or compile, naming operand and axis; none at run time.
/// Source: ONNX Where-16.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 3> inputs = {{{"condition", "B"}, {"X", "T"}, {"Y", "T"}}};
constexpr std::array<ir::port_def, 1> outputs = {{{"output", "T"}}};

constexpr std::array<ir::type_rule, 2> types = {{
        {"B", type_set(data_type::boolean)},
        {"T", any_fixed_size},
}};

constexpr std::array<int, 2> in_place_inputs = {1, 2};

void infer(const ir::op_label &label, const ir::attr_list &, std::span<const tensor_desc> in,
        std::span<tensor_desc> out) {
    for (const tensor_desc &desc : in)
        if (!desc.rank_known) return;
    dims sources = broadcast(label, "X", in[1].shape, "Y", in[2].shape);
    dims shape = broadcast(label, "condition", in[0].shape, "X with Y", sources);
    settle_shape(label, "output", shape, out[0]);
}

} // namespace

extern const ir::op_def where;
const ir::op_def where = {
        .kind = op_kind::Where,
        .doc = "output[i] = condition[i] ? X[i] : Y[i], with a three-way broadcast",
        .inputs = inputs,
        .outputs = outputs,
        .types = types,
        .attrs = {},
        .infer = infer,
        .reference = choose,
        .in_place_inputs = in_place_inputs,
};

} // namespace tern::ops
