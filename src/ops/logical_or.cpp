// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise.hpp"

/// dst[i] = src_0[i] or src_1[i]
/// Shapes: numpy: src_0 and src_1 broadcast both ways to dst; none: all shapes equal. Rank 0..12,
///         zero sizes allowed.
/// Types:  boolean.
/// Values: any byte but 0 is true; dst is 1 or 0. In place: dst may be src_0 or src_1 when shape
///         and layout agree.
/// Errors: invalid_graph_op for a wrong attribute; invalid_shape at finalize or compile, naming
///         operands and axis; none at run time.
/// Source: ONNX Or-7.
namespace tern::ops {
namespace {

constexpr std::array<ir::type_rule, 1> types = {{{"T", type_set(data_type::boolean)}}};

void reference(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    map_truth(args, begin, end, [](bool a, bool b) { return a || b; });
}

} // namespace

extern const ir::op_def logical_or;
const ir::op_def logical_or = {
        .kind = op_kind::Or,
        .doc = "dst = src_0 or src_1",
        .inputs = binary_inputs,
        .outputs = one_output,
        .types = types,
        .attrs = broadcast_attrs,
        .infer = infer_binary,
        .reference = reference,
        .in_place_inputs = either_in_place,
};

} // namespace tern::ops
