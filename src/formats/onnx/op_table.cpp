// SPDX-License-Identifier: Apache-2.0
#include "formats/onnx/op_table.hpp"

#include <array>

namespace tern::formats::onnx {
namespace {

constexpr int newest = newest_version;

// By name, then by version. Where ONNX only added types, one line serves all versions: which types
// an op takes is what Tern's op takes.
constexpr auto table = std::to_array<op_rule>({
        {"Abs", 6, newest, 1, 1, import_unary, op_kind::Abs},
        {"Add", 7, newest, 2, 2, import_binary, op_kind::Add},
        {"And", 7, newest, 2, 2, import_binary, op_kind::And},
        {"Cast", 6, newest, 1, 1, import_cast, op_kind::TypeCast},
        {"CastLike", 15, newest, 2, 2, import_cast_like, op_kind::TypeCast},
        {"Ceil", 6, newest, 1, 1, import_unary, op_kind::Ceil},
        {"Celu", 12, newest, 1, 1, import_celu, op_kind::Elu},
        {"Clip", 6, 10, 1, 1, import_clip_by_attributes, op_kind::Clamp},
        {"Clip", 11, newest, 1, 3, import_clip, op_kind::Clamp},
        {"Concat", 4, newest, 1, any_number, import_concat, op_kind::Concat},
        {"Constant", 1, newest, 0, 0, import_constant, op_kind::Wildcard},
        {"ConstantOfShape", 9, newest, 1, 1, import_constant_of_shape, op_kind::Wildcard},
        {"Div", 7, newest, 2, 2, import_binary, op_kind::Divide},
        {"Elu", 6, newest, 1, 1, import_elu, op_kind::Elu},
        {"Equal", 7, newest, 2, 2, import_comparison, op_kind::Equal},
        {"Erf", 9, newest, 1, 1, import_unary, op_kind::Erf},
        {"Exp", 6, newest, 1, 1, import_unary, op_kind::Exp},
        {"Expand", 8, newest, 2, 2, import_expand, op_kind::Expand},
        {"Flatten", 1, newest, 1, 1, import_flatten, op_kind::StaticReshape},
        {"Floor", 6, newest, 1, 1, import_unary, op_kind::Floor},
        {"Gather", 1, newest, 2, 2, import_gather, op_kind::Gather},
        {"Gelu", 20, newest, 1, 1, import_gelu, op_kind::GELU},
        {"Greater", 7, newest, 2, 2, import_comparison, op_kind::Greater},
        {"GreaterOrEqual", 12, newest, 2, 2, import_comparison, op_kind::GreaterEqual},
        {"HardSigmoid", 6, newest, 1, 1, import_hard_sigmoid, op_kind::HardSigmoid},
        {"HardSwish", 14, newest, 1, 1, import_unary, op_kind::HardSwish},
        {"Identity", 1, newest, 1, 1, import_identity, op_kind::Wildcard, true},
        {"IsInf", 10, newest, 1, 1, import_is_inf, op_kind::IsInf},
        {"IsNaN", 9, newest, 1, 1, import_is_nan, op_kind::IsNaN},
        {"LeakyRelu", 6, newest, 1, 1, import_leaky_relu, op_kind::LeakyReLU},
        {"Less", 7, newest, 2, 2, import_comparison, op_kind::Less},
        {"LessOrEqual", 12, newest, 2, 2, import_comparison, op_kind::LessEqual},
        {"Log", 6, newest, 1, 1, import_unary, op_kind::Log},
        {"MatMul", 1, newest, 2, 2, import_matmul, op_kind::MatMul},
        {"Max", 8, newest, 1, any_number, import_chain, op_kind::Maximum},
        {"Min", 8, newest, 1, any_number, import_chain, op_kind::Minimum},
        {"Mish", 18, newest, 1, 1, import_unary, op_kind::Mish},
        {"Mod", 10, newest, 2, 2, import_mod, op_kind::Mod},
        {"Mul", 7, newest, 2, 2, import_binary, op_kind::Multiply},
        {"Neg", 6, newest, 1, 1, import_unary, op_kind::Neg},
        {"NonZero", 9, newest, 1, 1, import_non_zero, op_kind::NonZero},
        {"Not", 1, newest, 1, 1, import_unary, op_kind::Not},
        {"Optional", 15, newest, 0, 1, import_optional, op_kind::Optional, true},
        {"OptionalGetElement", 15, newest, 1, 1, import_optional_get_element,
                op_kind::OptionalGetElement, true},
        {"OptionalHasElement", 15, newest, 0, 1, import_optional_has_element,
                op_kind::OptionalHasElement, true},
        {"Or", 7, newest, 2, 2, import_binary, op_kind::Or},
        {"PRelu", 7, newest, 2, 2, import_prelu, op_kind::Where},
        {"Pow", 7, newest, 2, 2, import_pow, op_kind::Pow},
        {"Range", 11, newest, 3, 3, import_range, op_kind::Wildcard},
        {"Reciprocal", 6, newest, 1, 1, import_unary, op_kind::Reciprocal},
        {"ReduceL1", 1, newest, 1, 2, import_reduce, op_kind::ReduceSum},
        {"ReduceL2", 1, newest, 1, 2, import_reduce, op_kind::ReduceSum},
        {"ReduceLogSum", 1, newest, 1, 2, import_reduce, op_kind::ReduceSum},
        {"ReduceMean", 1, newest, 1, 2, import_reduce, op_kind::ReduceSum},
        {"ReduceSum", 1, newest, 1, 2, import_reduce, op_kind::ReduceSum},
        {"ReduceSumSquare", 1, newest, 1, 2, import_reduce, op_kind::ReduceSum},
        {"Relu", 6, newest, 1, 1, import_unary, op_kind::ReLU},
        {"Reshape", 5, newest, 2, 2, import_reshape, op_kind::StaticReshape},
        {"Round", 11, newest, 1, 1, import_unary, op_kind::Round},
        {"Selu", 6, newest, 1, 1, import_selu, op_kind::Elu},
        {"SequenceAt", 11, newest, 2, 2, import_sequence_at, op_kind::SequenceAt, true},
        {"SequenceConstruct", 11, newest, 1, any_number, import_sequence_construct,
                op_kind::SequenceConstruct, true},
        {"SequenceEmpty", 11, newest, 0, 0, import_sequence_empty, op_kind::SequenceEmpty, true},
        {"SequenceLength", 11, newest, 1, 1, import_sequence_length, op_kind::SequenceLength, true},
        {"Shape", 1, newest, 1, 1, import_shape, op_kind::Wildcard},
        {"Sigmoid", 6, newest, 1, 1, import_unary, op_kind::Sigmoid},
        {"Sign", 9, newest, 1, 1, import_unary, op_kind::Sign},
        {"Size", 1, newest, 1, 1, import_size, op_kind::Wildcard},
        {"Slice", 1, 9, 1, 1, import_slice_by_attributes, op_kind::Slice},
        {"Slice", 10, newest, 3, 5, import_slice, op_kind::Slice},
        {"Softmax", 1, 12, 1, 1, import_flat_softmax, op_kind::SoftMax},
        {"Softmax", 13, newest, 1, 1, import_softmax, op_kind::SoftMax},
        {"Softplus", 1, newest, 1, 1, import_softplus, op_kind::SoftPlus},
        {"Softsign", 1, newest, 1, 1, import_softsign, op_kind::Divide},
        {"Split", 2, newest, 1, 2, import_split, op_kind::Slice},
        {"Sqrt", 6, newest, 1, 1, import_unary, op_kind::Sqrt},
        {"Squeeze", 1, newest, 1, 2, import_squeeze, op_kind::StaticReshape},
        {"Sub", 7, newest, 2, 2, import_binary, op_kind::Subtract},
        {"Sum", 8, newest, 1, any_number, import_chain, op_kind::Add},
        {"Tanh", 6, newest, 1, 1, import_unary, op_kind::Tanh},
        {"ThresholdedRelu", 10, newest, 1, 1, import_thresholded_relu, op_kind::Where},
        {"Transpose", 1, newest, 1, 1, import_transpose, op_kind::StaticTranspose},
        {"Unsqueeze", 1, newest, 1, 2, import_unsqueeze, op_kind::StaticReshape},
        {"Where", 9, newest, 3, 3, import_where, op_kind::Where},
        {"Xor", 7, newest, 2, 2, import_binary, op_kind::Xor},
});

} // namespace

std::span<const op_rule> op_rules() {
    return table;
}

const op_rule *find_rule(const node &source, int version) {
    if (!is_default_domain(source.domain)) return nullptr;
    for (const op_rule &rule : table)
        if (rule.name == source.op_type && rule.since <= version && version <= rule.until)
            return &rule;
    return nullptr;
}

bool is_default_domain(std::string_view domain) {
    return domain.empty() || domain == "ai.onnx";
}

std::string qualified_name(const node &source) {
    return is_default_domain(source.domain) ? source.op_type : source.domain + "." + source.op_type;
}

} // namespace tern::formats::onnx
