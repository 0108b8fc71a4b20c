// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_FORMATS_ONNX_OP_TABLE_HPP
#define TERN_FORMATS_ONNX_OP_TABLE_HPP

/// \file
/// THE table of ONNX ops that the importer knows. docs/onnx.md is written from it.

#include <span>
#include <string>
#include <string_view>

#include "formats/onnx/node_context.hpp"

namespace tern::formats::onnx {

/// The newest version of ONNX's operator set whose rules are known here.
inline constexpr int newest_version = 26;
/// Of a number of ports: any.
inline constexpr int any_number = 1 << 20;

struct op_rule {
    std::string_view name; ///< Of the domain "", ONNX's own.
    int since;             ///< First version of the operator set that the rule holds for.
    int until;             ///< Last one.
    int least_inputs;
    int most_inputs;
    void (*import)(node_context &node);
    op_kind kind;              ///< What it becomes; Wildcard: it depends, or nothing.
    bool takes_values = false; ///< Inputs may be sequences and optionals.
};

std::span<const op_rule> op_rules();

/// The rule for a node of a model that imports `version` of the node's domain; null: none.
const op_rule *find_rule(const node &source, int version);

/// True for ONNX's own domain, which has two spellings.
bool is_default_domain(std::string_view domain);
/// "Add", or "com.example.Add".
std::string qualified_name(const node &source);

// What rules do, by the file that they are in.

// rules_elementwise.cpp
void import_unary(node_context &node);
void import_binary(node_context &node);
void import_comparison(node_context &node);
void import_chain(node_context &node);
void import_cast(node_context &node);
void import_cast_like(node_context &node);
void import_clip(node_context &node);
void import_clip_by_attributes(node_context &node);
void import_pow(node_context &node);
void import_where(node_context &node);
// rules_activation.cpp
void import_elu(node_context &node);
void import_selu(node_context &node);
void import_celu(node_context &node);
void import_leaky_relu(node_context &node);
void import_prelu(node_context &node);
void import_thresholded_relu(node_context &node);
void import_hard_sigmoid(node_context &node);
void import_gelu(node_context &node);
void import_softplus(node_context &node);
void import_softsign(node_context &node);
// rules_reduce.cpp
void import_matmul(node_context &node);
void import_softmax(node_context &node);
void import_flat_softmax(node_context &node);
void import_reduce(node_context &node);
void import_non_zero(node_context &node);
// rules_shape.cpp
void import_constant(node_context &node);
void import_identity(node_context &node);
void import_shape(node_context &node);
void import_size(node_context &node);
void import_reshape(node_context &node);
void import_flatten(node_context &node);
void import_squeeze(node_context &node);
void import_unsqueeze(node_context &node);
void import_transpose(node_context &node);
void import_constant_of_shape(node_context &node);
void import_range(node_context &node);
// rules_values.cpp
void import_optional(node_context &node);
void import_optional_get_element(node_context &node);
void import_optional_has_element(node_context &node);
void import_sequence_at(node_context &node);
void import_sequence_construct(node_context &node);
void import_sequence_empty(node_context &node);
void import_sequence_length(node_context &node);
// rules_move.cpp
void import_concat(node_context &node);
void import_expand(node_context &node);
void import_gather(node_context &node);
void import_slice(node_context &node);
void import_slice_by_attributes(node_context &node);
void import_split(node_context &node);
void import_mod(node_context &node);
void import_is_nan(node_context &node);
void import_is_inf(node_context &node);

} // namespace tern::formats::onnx

#endif
