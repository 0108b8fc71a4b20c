// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "ops/quantization.hpp"

/// dst[i] = saturate(round(src[i] / scale) + zp)
/// Shapes: dst as src. qtype per_tensor: scales and zps of one element, rank 0 or 1; per_channel:
///         1-D, one for each element along axis; zps may be a single one. Rank 0..12 (per_channel
///         1..12), zero sizes allowed.
/// Types:  src and scales f32; zps u8, s8, s32; dst u8, s8.
/// Values: in f64; halves round to even; what does not fit becomes the nearest value that does, NaN
///         becomes 0.
/// Errors: invalid_graph_op or invalid_shape where axis, scales or zps do not match src; none at
///         run time.
/// Source: oneDNN Graph DynamicQuantize-1; zp is added after rounding, as in ONNX.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 3> inputs = {
        {{"src", "T"}, {"scales", "T"}, {"zps", "Z", ir::port_use::optional}}};
constexpr std::array<ir::port_def, 1> outputs = {{{"dst", "Q"}}};

constexpr std::array<ir::type_rule, 3> types = {{
        {"T", type_set(data_type::f32)},
        {"Z", zero_point_types},
        {"Q", quantized_integers},
}};

constexpr std::array<ir::attr_def, 2> attrs = {{
        {op_attr::qtype, false, std::string_view("per_tensor"), tensor_or_channel},
        {op_attr::axis, false, std::int64_t{1}, {}},
}};

} // namespace

extern const ir::op_def dynamic_quantize;
const ir::op_def dynamic_quantize = {
        .kind = op_kind::DynamicQuantize,
        .doc = "dst = saturate(round(src / scale) + zp), with scales and zps as inputs",
        .inputs = inputs,
        .outputs = outputs,
        .types = types,
        .attrs = attrs,
        .check = check_dynamic_quantization,
        .infer = infer_dynamic_quantization,
        .reference = quantize_elements,
        .in_place_inputs = {},
};

} // namespace tern::ops
