// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_OPS_VALUES_HPP
#define TERN_OPS_VALUES_HPP

/// \file
/// What the ops on sequences and optionals have in common.

#include <span>
#include <string_view>

#include "ops/rules.hpp"

namespace tern::ops {

/// Fails (invalid_graph_op) unless the only output is of this form.
void check_output_form(
        const ir::op_label &label, std::string_view name, const tensor_desc &out, value_form form);

/// A tensor of rank 0 and type boolean, made once for all.
const value &boolean_value(bool truth);

/// Shape rule of the ops whose output, if it is a tensor, has the shape of the first input, if that
/// is one.
void infer_handed_on(const ir::op_label &label, const ir::attr_list &attrs,
        std::span<const tensor_desc> in, std::span<tensor_desc> out);
/// Shape rule of the ops whose output is a scalar.
void infer_scalar(const ir::op_label &label, const ir::attr_list &attrs,
        std::span<const tensor_desc> in, std::span<tensor_desc> out);
/// Shape rule of the ops of whose output's shape nothing can be told.
void infer_nothing(const ir::op_label &label, const ir::attr_list &attrs,
        std::span<const tensor_desc> in, std::span<tensor_desc> out);

/// Reference loop that copies the first input, as tensors.
void copy_input(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept;

} // namespace tern::ops

#endif
