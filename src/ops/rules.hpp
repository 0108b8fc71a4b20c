// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_OPS_RULES_HPP
#define TERN_OPS_RULES_HPP

/// \file
/// Rules that several ops have in common.

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "ir/op_def.hpp"

namespace tern::ops {

/// Every type whose elements are whole bytes of one fixed number: what an op can copy without
/// knowing what it means. Strings are among them, for their elements are references.
inline constexpr type_set any_fixed_size(data_type::f16, data_type::bf16, data_type::f32,
        data_type::f64, data_type::s8, data_type::s16, data_type::s32, data_type::s64,
        data_type::u8, data_type::u16, data_type::u32, data_type::u64, data_type::boolean,
        data_type::f8_e5m2, data_type::f8_e4m3, data_type::c64, data_type::c128, data_type::string);

/// The types that ONNX's ops on values and tensors of any kind list, and bf16, which some of its
/// older lists lack.
inline constexpr type_set onnx_types(data_type::bf16, data_type::boolean, data_type::c64,
        data_type::c128, data_type::f64, data_type::f32, data_type::f16, data_type::s8,
        data_type::s16, data_type::s32, data_type::s64, data_type::u8, data_type::u16,
        data_type::u32, data_type::u64, data_type::string);

inline constexpr ir::form_set any_form(value_form::tensor, value_form::sequence,
        value_form::optional_tensor, value_form::optional_sequence);
inline constexpr ir::form_set tensor_or_sequence(value_form::tensor, value_form::sequence);
inline constexpr ir::form_set only_sequences(value_form::sequence);
inline constexpr ir::form_set only_optionals(
        value_form::optional_tensor, value_form::optional_sequence);

/// The types that are computed in f32 and stored as they are.
inline constexpr type_set low_floating(data_type::f16, data_type::bf16, data_type::f32);
inline constexpr type_set floating(data_type::f16, data_type::bf16, data_type::f32, data_type::f64);

/// Every type there is, and none: for ops that are never executed.
inline constexpr type_set any_or_undef = type_set::all();
inline constexpr std::array<std::string_view, 2> broadcast_rules = {"none", "numpy"};
/// Attributes of the ops that have nothing but auto_broadcast.
inline constexpr std::array<ir::attr_def, 1> broadcast_attrs = {
        {{op_attr::auto_broadcast, false, std::string_view("numpy"), broadcast_rules}}};

/// False when auto_broadcast is "none": then all shapes must be equal.
bool may_broadcast(const ir::attr_list &attrs);

/// Puts the inferred shape into an output of which some or all may be known already. Throws
/// invalid_shape when the two disagree.
void settle_shape(const ir::op_label &label, std::string_view name, const dims &inferred,
        tensor_desc &output);

/// Shape rule of the ops whose first output, dst, has the shape of the first input.
void infer_same(const ir::op_label &label, const ir::attr_list &attrs,
        std::span<const tensor_desc> in, std::span<tensor_desc> out);

/// The shape that two operands broadcast to, both ways. Throws invalid_shape naming both operands,
/// the axis and its two sizes. `against` may be the result of such a call.
dims broadcast(const ir::op_label &label, std::string_view name, const dims &shape,
        std::string_view against_name, const dims &against);

/// The one shape that all inputs have; a dim that one of them leaves open is taken from the others.
/// Ranks are known. Throws invalid_shape naming the input, the axis and both sizes.
dims infer_equal(const ir::op_label &label, std::span<const ir::port_def> ports,
        std::span<const tensor_desc> in);

/// Reference loop of the ops that choose: out[0] = in[0] ? in[1] : in[2], all of which broadcast
/// one way into out[0]. Bits are copied unchanged.
void choose(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept;

} // namespace tern::ops

#endif
