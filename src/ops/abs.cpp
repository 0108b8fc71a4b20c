// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "ops/elementwise.hpp"

/// dst[i] = |src[i]|
/// Shapes: dst as src. Rank 0..12, zero sizes allowed.
/// Types:  src and dst the same: f32, bf16, f16, f64 or an integer of 8 to 64 bits.
/// Values: integers exactly, modulo 2^n; others in double, rounded once. In place: dst may be src
///         when the layout agrees.
/// Errors: invalid_shape when dst is given another shape; none at run time.
/// Source: oneDNN Graph Abs-1; integers are Tern's own.
namespace tern::ops {
namespace {

constexpr std::array<ir::type_rule, 1> types = {{{"T", numeric}}};

void reference(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    const bool is_signed = is_signed_integer(args.in[0].type);
    map(
            args, begin, end, [=](double x) { return std::abs(x); },
            [=](std::int64_t x) {
                auto bits = static_cast<std::uint64_t>(x);
                return x < 0 && is_signed ? -bits : bits;
            });
}

} // namespace

extern const ir::op_def abs;
const ir::op_def abs = {
        .kind = op_kind::Abs,
        .doc = "dst = |src|",
        .inputs = unary_inputs,
        .outputs = one_output,
        .types = types,
        .attrs = {},
        .infer = infer_same,
        .reference = reference,
        .in_place_inputs = src_in_place,
};

} // namespace tern::ops
