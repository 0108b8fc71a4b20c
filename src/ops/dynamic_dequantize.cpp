// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "ops/operands.hpp"
#include "ops/quantization.hpp"
#include "ops/rules.hpp"

/// dst[i] = (src[i] - zp) * scale
/// Shapes: dst as src. qtype per_tensor: scales and zps of one element, rank 0 or 1; per_channel:
///         1-D, one for each element along axis; zps may be a single one; per_group: scales and zps
///         have src's rank, 2..12, and src's dims divided by those of group_shape, which must be
///         divisors; axis says nothing. Rank 0..12 (per_channel 1..12), zero sizes allowed.
/// Types:  src u8, s8 (not oneDNN's s4 and u4); zps u8, s8, s32; scales and dst one of f32, bf16,
///         f16.
/// Values: in f64, rounded once to dst.
/// Errors: invalid_graph_op or invalid_shape where axis, group_shape, scales or zps do not match
///         src; none at run time.
/// Source: oneDNN Graph DynamicDequantize-1.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 3> inputs = {
        {{"src", "Q"}, {"scales", "T"}, {"zps", "Z", ir::port_use::optional}}};
constexpr std::array<ir::port_def, 1> outputs = {{{"dst", "T"}}};

constexpr std::array<ir::type_rule, 3> types = {{
        {"Q", quantized_integers},
        {"T", low_floating},
        {"Z", zero_point_types},
}};

constexpr std::array<std::string_view, 3> qtypes = {"per_tensor", "per_channel", "per_group"};
constexpr std::array<ir::attr_def, 3> attrs = {{
        {op_attr::qtype, false, std::string_view("per_tensor"), qtypes},
        {op_attr::axis, false, std::int64_t{1}, {}},
        {op_attr::group_shape, false, {}, {}},
}};

} // namespace

extern const ir::op_def dynamic_dequantize;
const ir::op_def dynamic_dequantize = {
        .kind = op_kind::DynamicDequantize,
        .doc = "dst = (src - zp) * scale, with scales and zps as inputs",
        .inputs = inputs,
        .outputs = outputs,
        .types = types,
        .attrs = attrs,
        .check = check_dynamic_quantization,
        .infer = infer_dynamic_quantization,
        .reference = dequantize_elements,
        .in_place_inputs = {},
};

} // namespace tern::ops
