// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_OPS_QUANTIZATION_HPP
#define TERN_OPS_QUANTIZATION_HPP

/// \file
/// What Quantize, Dequantize, DynamicQuantize and DynamicDequantize have in common. Everywhere
/// quantized = round(real / scale) + zp and real = (quantized - zp) * scale, in f64.

#include <array>

#include "ir/op_def.hpp"

namespace tern::ops {

inline constexpr type_set quantized_integers(data_type::u8, data_type::s8);
inline constexpr type_set quantized_types(
        data_type::u8, data_type::s8, data_type::f8_e5m2, data_type::f8_e4m3);
inline constexpr type_set zero_point_types(data_type::u8, data_type::s8, data_type::s32);

inline constexpr std::array<std::string_view, 2> tensor_or_channel = {"per_tensor", "per_channel"};

/// Quantize and Dequantize: scales and zps are attributes.
inline constexpr std::array<ir::attr_def, 4> static_quantization_attrs = {{
        {op_attr::qtype, false, std::string_view("per_tensor"), tensor_or_channel},
        {op_attr::axis, false, std::int64_t{1}, {}},
        {op_attr::scales, true, {}, {}},
        {op_attr::zps, false, {}, {}},
}};
void check_static_quantization(const ir::op_label &label, const ir::attr_list &attrs,
        std::span<const tensor_desc> in, std::span<const tensor_desc> out);
void infer_static_quantization(const ir::op_label &label, const ir::attr_list &attrs,
        std::span<const tensor_desc> in, std::span<tensor_desc> out);

/// DynamicQuantize and DynamicDequantize: scales and zps are inputs 1 and 2.
void check_dynamic_quantization(const ir::op_label &label, const ir::attr_list &attrs,
        std::span<const tensor_desc> in, std::span<const tensor_desc> out);
void infer_dynamic_quantization(const ir::op_label &label, const ir::attr_list &attrs,
        std::span<const tensor_desc> in, std::span<tensor_desc> out);

/// Reference loops of all four.
void quantize_elements(
        const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept;
void dequantize_elements(
        const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept;

} // namespace tern::ops

#endif
