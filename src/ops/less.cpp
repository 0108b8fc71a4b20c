// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise.hpp"

/// dst[i] = src_0[i] < src_1[i]
/// Shapes: numpy: src_0 and src_1 broadcast both ways to dst; none: all shapes equal. Rank 0..12,
///         zero sizes allowed.
/// Types:  src_0 and src_1 the same: any floating-point type or integer; dst boolean.
/// Values: 1 or 0, exact for every type; NaN: 0. In place: not, but for elements of one byte.
/// Errors: invalid_graph_op for a wrong attribute; invalid_shape at finalize or compile, naming
///         operands and axis; none at run time.
/// Source: ONNX Less-13.
namespace tern::ops {
namespace {

constexpr std::array<ir::type_rule, 2> types = {{{"T", real}, {"B", type_set(data_type::boolean)}}};

void reference(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    map_order(args, begin, end, [](std::partial_ordering order) { return std::is_lt(order); });
}

} // namespace

extern const ir::op_def less;
const ir::op_def less = {
        .kind = op_kind::Less,
        .doc = "dst = src_0 < src_1",
        .inputs = binary_inputs,
        .outputs = mask_output,
        .types = types,
        .attrs = broadcast_attrs,
        .infer = infer_binary,
        .reference = reference,
        .in_place_inputs = either_in_place,
};

} // namespace tern::ops
