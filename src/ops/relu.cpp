// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise.hpp"

/// dst[i] = max(src[i], 0)
/// Shapes: dst as src. Rank 0..12, zero sizes allowed.
/// Types:  src and dst the same: f32, bf16, f16, f64 or a signed integer.
/// Values: NaN stays NaN. Integers exactly, modulo 2^n; others in double, rounded once. In place:
///         dst may be src when the layout agrees.
/// Errors: invalid_shape when dst is given another shape; none at run time.
/// Source: oneDNN Graph ReLU-1; integers are Tern's own.
namespace tern::ops {
namespace {

constexpr std::array<ir::type_rule, 1> types = {{{"T", floating_or_signed}}};

void reference(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    map(
            args, begin, end, [=](double x) { return x < 0 ? 0 : x; },
            [](std::int64_t x) { return static_cast<std::uint64_t>(x < 0 ? 0 : x); });
}

} // namespace

extern const ir::op_def relu;
const ir::op_def relu = {
        .kind = op_kind::ReLU,
        .doc = "dst = max(src, 0)",
        .inputs = unary_inputs,
        .outputs = one_output,
        .types = types,
        .attrs = {},
        .infer = infer_same,
        .reference = reference,
        .in_place_inputs = src_in_place,
};

} // namespace tern::ops
