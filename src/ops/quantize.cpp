// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "ops/operands.hpp"
#include "ops/quantization.hpp"
#include "ops/rules.hpp"

/// dst[i] = saturate(round(src[i] / scale) + zp)
/// Shapes: dst as src. qtype per_tensor: one scale; per_channel: one for each element along axis.
///         As many zps as scales, or none. Rank 0..12 (per_channel 1..12), zero sizes allowed.
/// Types:  src f32, bf16, f16; dst u8, s8, f8_e5m2, f8_e4m3 (the last two without zps).
/// Values: in f64; halves round to even; what does not fit u8 or s8 becomes the nearest value that
///         does, NaN becomes 0. To f8: src / scale to nearest, ties to even; what is too large
///         becomes infinity, or NaN in f8_e4m3, which has none; it does not saturate. The scales
///         are used as they are: 0 gives infinities and NaN, which are then stored by these rules.
/// Errors: invalid_graph_op for numbers of scales and zps, invalid_shape where they do not match
///         src; none at run time.
/// Source: oneDNN Graph Quantize-1; zp is added after rounding, as in ONNX.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 1> inputs = {{{"src", "T"}}};
constexpr std::array<ir::port_def, 1> outputs = {{{"dst", "Q"}}};
constexpr std::array<ir::type_rule, 2> types = {{{"T", low_floating}, {"Q", quantized_types}}};

} // namespace

extern const ir::op_def quantize;
const ir::op_def quantize = {
        .kind = op_kind::Quantize,
        .doc = "dst = saturate(round(src / scale) + zp), with scales and zps as attributes",
        .inputs = inputs,
        .outputs = outputs,
        .types = types,
        .attrs = static_quantization_attrs,
        .check = check_static_quantization,
        .infer = infer_static_quantization,
        .reference = quantize_elements,
        .in_place_inputs = {},
};

} // namespace tern::ops
