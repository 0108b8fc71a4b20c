// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise.hpp"

/// dst[i] = max(src_0[i], src_1[i])
/// Shapes: numpy: src_0 and src_1 broadcast both ways to dst; none: all shapes equal. Rank 0..12,
///         zero sizes allowed.
/// Types:  src_0, src_1 and dst the same: f32, bf16, f16, f64 or an integer of 8 to 64 bits.
/// Values: NaN when either is NaN; +0 is above -0; a copy of the bits. In place: dst may be
///         src_0 or src_1 when shape and layout agree.
/// Errors: invalid_graph_op for a wrong attribute; invalid_shape at finalize or compile, naming
///         operands and axis; none at run time.
/// Source: oneDNN Graph Maximum-1; the further types are Tern's own.
namespace tern::ops {
namespace {

constexpr std::array<ir::type_rule, 1> types = {{{"T", numeric}}};

void reference(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    choose_greater(args, begin, end);
}

} // namespace

extern const ir::op_def maximum;
const ir::op_def maximum = {
        .kind = op_kind::Maximum,
        .doc = "dst = max(src_0, src_1)",
        .inputs = binary_inputs,
        .outputs = one_output,
        .types = types,
        .attrs = broadcast_attrs,
        .infer = infer_binary,
        .reference = reference,
        .in_place_inputs = either_in_place,
};

} // namespace tern::ops
