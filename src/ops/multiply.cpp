// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise.hpp"

/// dst[i] = src_0[i] * src_1[i]
/// Shapes: numpy: src_0 and src_1 broadcast both ways to dst; none: all shapes equal. Rank 0..12,
///         zero sizes allowed.
/// Types:  src_0, src_1 and dst each f32, bf16, f16, f64 or an integer of 8 to 64 bits.
/// Values: integers exactly, modulo 2^n; others in double, rounded once (an integer dst saturates,
///         NaN becomes 0). In place: dst may be src_0 or src_1 when type size, shape and layout
///         agree.
/// Errors: invalid_graph_op for a wrong attribute; invalid_shape at finalize or compile, naming
///         operands and axis; none at run time.
/// Source: oneDNN Graph Multiply-1; the further types are Tern's own.
namespace tern::ops {
namespace {

constexpr std::array<ir::type_rule, 3> types = {
        {{"T1", numeric}, {"T2", numeric}, {"T3", numeric}}};

void reference(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    map_pairs(
            args, begin, end, [](double a, double b) { return a * b; },
            [](std::uint64_t a, std::uint64_t b) { return a * b; });
}

} // namespace

extern const ir::op_def multiply;
const ir::op_def multiply = {
        .kind = op_kind::Multiply,
        .doc = "dst = src_0 * src_1",
        .inputs = mixed_inputs,
        .outputs = mixed_output,
        .types = types,
        .attrs = broadcast_attrs,
        .infer = infer_binary,
        .reference = reference,
        .in_place_inputs = either_in_place,
};

} // namespace tern::ops
