// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <string>

#include "base/error.hpp"
#include "ops/values.hpp"

/// output = a sequence without tensors
/// Forms:  no input; output a sequence.
/// Types:  what the attribute dtype says, out of ONNX's list, and bf16, which is Tern's own.
/// Errors: invalid_graph_op where output has another type than dtype; none at run time.
/// Source: ONNX SequenceEmpty-11.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 1> outputs = {
        {{"output", "T", ir::port_use::required, only_sequences}}};
constexpr std::array<ir::type_rule, 1> types = {{{"T", onnx_types}}};
constexpr std::array<std::string_view, 16> names = {"bf16", "boolean", "c64", "c128", "f64", "f32",
        "f16", "s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64", "string"};
constexpr std::array<ir::attr_def, 1> attrs = {
        {{op_attr::dtype, false, std::string_view("f32"), names}}};

void check(const ir::op_label &label, const ir::attr_list &given, std::span<const tensor_desc>,
        std::span<const tensor_desc> out) {
    const auto &dtype = ir::attr_of<std::string>(given, op_attr::dtype);
    if (dtype != name_of(out[0].type))
        fail(status::invalid_graph_op, "{}: attribute dtype is \"{}\", but output is {}",
                ir::to_string(label), dtype, to_string(out[0].value_type()));
}

void evaluate(const ir::value_args &args) {
    const auto &name = ir::attr_of<std::string>(args.attrs, op_attr::dtype);
    args.out[0] = value::sequence(data_type_from_name(name).value_or(data_type::undef));
}

} // namespace

extern const ir::op_def sequence_empty;
const ir::op_def sequence_empty = {
        .kind = op_kind::SequenceEmpty,
        .doc = "output = a sequence without tensors",
        .inputs = {},
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
