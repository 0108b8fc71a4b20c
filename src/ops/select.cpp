// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/error.hpp"
#include "base/shape.hpp"
#include "ops/rules.hpp"

/// dst[i] = cond[i] ? src_0[i] : src_1[i]
/// Shapes: numpy: src_0 and src_1 broadcast both ways to dst, then cond broadcasts one way into dst
///         (it never widens dst); none: all shapes equal. Rank 0..12, zero sizes allowed.
/// Types:  cond boolean (one byte, nonzero is true); src_0, src_1, dst the same type, any of 1, 2,
///         4, 8 or 16 bytes.
/// Values: bits are copied unchanged. In place: dst may be src_0 or src_1 when shape and layout
///         agree.
/// Errors: invalid_shape at finalize or compile, naming operand and axis; none at run time.
/// Source: oneDNN Graph Select-1.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 3> inputs = {{{"cond", "B"}, {"src_0", "T"}, {"src_1", "T"}}};
constexpr std::array<ir::port_def, 1> outputs = {{{"dst", "T"}}};

constexpr std::array<ir::type_rule, 2> types = {{
        {"B", type_set(data_type::boolean)},
        {"T", any_fixed_size},
}};

constexpr std::array<int, 2> in_place_inputs = {1, 2};

dims infer_numpy(const ir::op_label &label, std::span<const tensor_desc> in) {
    const dims &cond = in[0].shape;
    dims shape = broadcast(label, "src_0", in[1].shape, "src_1", in[2].shape);
    broadcast_result result = broadcast_one_way(cond, shape);
    if (result.ok()) return shape;
    if (cond.rank() > shape.rank())
        fail(status::invalid_shape,
                "{}: cond {} has rank {}, but may not widen dst, which is {} (rank {})",
                ir::to_string(label), to_string(cond), cond.rank(), to_string(shape), shape.rank());
    fail(status::invalid_shape, "{}: cond {} does not broadcast to dst {} at axis {}",
            ir::to_string(label), to_string(cond), to_string(shape), result.bad_axis);
}

void infer(const ir::op_label &label, const ir::attr_list &attrs, std::span<const tensor_desc> in,
        std::span<tensor_desc> out) {
    for (const tensor_desc &desc : in)
        if (!desc.rank_known) return;
    dims shape = may_broadcast(attrs) ? infer_numpy(label, in) : infer_equal(label, inputs, in);
    settle_shape(label, "dst", shape, out[0]);
}

} // namespace

extern const ir::op_def select;
const ir::op_def select = {
        .kind = op_kind::Select,
        .doc = "dst[i] = cond[i] ? src_0[i] : src_1[i], with a two-step broadcast",
        .inputs = inputs,
        .outputs = outputs,
        .types = types,
        .attrs = broadcast_attrs,
        .infer = infer,
        .reference = choose,
        .in_place_inputs = in_place_inputs,
};

} // namespace tern::ops
