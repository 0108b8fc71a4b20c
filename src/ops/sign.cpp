// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/elementwise.hpp"

/// dst[i] = 1, 0 or -1, as src[i] is above, equal to or below 0
/// Shapes: dst as src. Rank 0..12, zero sizes allowed.
/// Types:  src and dst the same, f32, bf16, f16, f64 or an integer of 8 to 64 bits.
/// Values: exact; of -0 it is +0, of NaN NaN. In place: dst may be src when the layout
///         agrees.
/// Errors: invalid_shape when dst is given another shape; none at run time.
/// Source: ONNX Sign-13.
namespace tern::ops {
namespace {

constexpr std::array<ir::type_rule, 1> types = {{{"T", numeric}}};

void reference(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    const bool is_signed = !is_integer(args.in[0].type) || is_signed_integer(args.in[0].type);
    map(
            args, begin, end,
            [](double x) {
                return x > 0 ? 1.0 : x < 0 ? -1.0 : x == 0 ? 0.0 : x;
            },
            [=](std::int64_t x) { return x == 0               ? 0
                                         : x < 0 && is_signed ? -1
                                                              : 1; });
}

} // namespace

extern const ir::op_def sign;
const ir::op_def sign = {
        .kind = op_kind::Sign,
        .doc = "dst = 1, 0 or -1 by the sign of src",
        .inputs = unary_inputs,
        .outputs = one_output,
        .types = types,
        .attrs = {},
        .infer = infer_same,
        .reference = reference,
        .in_place_inputs = src_in_place,
};

} // namespace tern::ops
