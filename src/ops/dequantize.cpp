// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "ops/operands.hpp"
#include "ops/quantization.hpp"
#include "ops/rules.hpp"

/// dst[i] = (src[i] - zp) * scale
/// Shapes: dst as src. qtype per_tensor: one scale; per_channel: one for each element along axis.
///         As many zps as scales, or none. Rank 0..12 (per_channel 1..12), zero sizes allowed.
/// Types:  src u8, s8, f8_e5m2, f8_e4m3 (the last two without zps); dst f32, bf16, f16.
/// Values: in f64, rounded once to dst.
/// Errors: invalid_graph_op for numbers of scales and zps, invalid_shape where they do not match
///         src; none at run time.
/// Source: oneDNN Graph Dequantize-1.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 1> inputs = {{{"src", "Q"}}};
constexpr std::array<ir::port_def, 1> outputs = {{{"dst", "T"}}};
constexpr std::array<ir::type_rule, 2> types = {{{"Q", quantized_types}, {"T", low_floating}}};

} // namespace

extern const ir::op_def dequantize;
const ir::op_def dequantize = {
        .kind = op_kind::Dequantize,
        .doc = "dst = (src - zp) * scale, with scales and zps as attributes",
        .inputs = inputs,
        .outputs = outputs,
        .types = types,
        .attrs = static_quantization_attrs,
        .check = check_static_quantization,
        .infer = infer_static_quantization,
        .reference = dequantize_elements,
        .in_place_inputs = {},
};

} // namespace tern::ops
