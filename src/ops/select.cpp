// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>

#include "base/error.hpp"
#include "base/shape.hpp"
#include "ir/op_def.hpp"

/// dst[i] = cond[i] ? src_0[i] : src_1[i]
/// Shapes: numpy: src_0 and src_1 broadcast both ways to dst, then cond broadcasts one way into dst
/// (it never
///         widens dst); none: all shapes equal. Rank 0..12, zero sizes allowed.
/// Types:  cond boolean (one byte, nonzero is true); src_0, src_1, dst the same type, any of 1, 2,
/// 4, 8 or 16 bytes. Values: bits are copied unchanged. In place: dst may be src_0 or src_1 when
/// shape and layout agree. Errors: invalid_shape at finalize or compile, naming operand and axis;
/// none at run time. Source: oneDNN Graph Select-1.
namespace tern::ops {
namespace {

using dt = data_type;

constexpr std::array<ir::port_def, 3> inputs = {{{"cond", "B"}, {"src_0", "T"}, {"src_1", "T"}}};
constexpr std::array<ir::port_def, 1> outputs = {{{"dst", "T"}}};

constexpr std::array<ir::type_rule, 2> types = {{
        {"B", type_set(dt::boolean)},
        {"T", type_set(dt::f16, dt::bf16, dt::f32, dt::f64, dt::s8, dt::s16, dt::s32, dt::s64,
                      dt::u8, dt::u16, dt::u32, dt::u64, dt::boolean, dt::f8_e5m2, dt::f8_e4m3,
                      dt::c64, dt::c128)},
}};

constexpr std::array<std::string_view, 2> broadcast_rules = {"none", "numpy"};
constexpr std::array<ir::attr_def, 1> attrs = {
        {{op_attr::auto_broadcast, false, "numpy", broadcast_rules}}};

constexpr std::array<int, 2> in_place_inputs = {1, 2};

[[noreturn]] void fail_axis(const ir::op_label &label, std::string_view what, int axis,
        const tensor_desc &found, std::string_view against, const dims &expected) {
    fail(status::invalid_shape, "{}: {} {} does not broadcast to {} {} at axis {}",
            ir::to_string(label), what, shape_to_string(found), against, to_string(expected), axis);
}

void infer_equal(const ir::op_label &label, std::span<const tensor_desc> in, dims &shape) {
    shape = in[0].shape;
    for (std::size_t i = 1; i < in.size(); ++i) {
        if (in[i].shape.rank() != shape.rank())
            fail(status::invalid_shape,
                    "{}: auto_broadcast=none wants equal shapes, but cond is {} and {} is {}",
                    ir::to_string(label), shape_to_string(in[0]), inputs[i].name,
                    shape_to_string(in[i]));
        for (int axis = 0; axis < shape.rank(); ++axis) {
            std::int64_t dim = in[i].shape[axis];
            if (shape[axis] == unknown_dim) shape[axis] = dim;
            if (dim != unknown_dim && dim != shape[axis])
                fail(status::invalid_shape,
                        "{}: auto_broadcast=none wants equal shapes, but at axis {} {} has {} "
                        "where {} "
                        "is expected",
                        ir::to_string(label), axis, inputs[i].name, dim, shape[axis]);
        }
    }
}

void infer_numpy(const ir::op_label &label, std::span<const tensor_desc> in, dims &shape) {
    broadcast_result sources = broadcast_two_way(in[1].shape, in[2].shape);
    if (!sources.ok()) {
        int axis = sources.bad_axis;
        auto dim_at = [&](const tensor_desc &desc) {
            return desc.shape[desc.shape.rank() - (sources.shape.rank() - axis)];
        };
        fail(status::invalid_shape,
                "{}: src_0 {} and src_1 {} do not broadcast: axis {} (of {}) has {} against {}",
                ir::to_string(label), shape_to_string(in[1]), shape_to_string(in[2]), axis,
                sources.shape.rank(), dim_at(in[1]), dim_at(in[2]));
    }
    shape = sources.shape;
    broadcast_result cond = broadcast_one_way(in[0].shape, shape);
    if (cond.ok()) return;
    if (in[0].shape.rank() > shape.rank())
        fail(status::invalid_shape,
                "{}: cond {} has rank {}, but may not widen dst, which is {} (rank {})",
                ir::to_string(label), shape_to_string(in[0]), in[0].shape.rank(), to_string(shape),
                shape.rank());
    fail_axis(label, "cond", cond.bad_axis, in[0], "dst", shape);
}

void infer(const ir::op_label &label, const ir::attr_list &attrs, std::span<const tensor_desc> in,
        std::span<tensor_desc> out) {
    for (const tensor_desc &desc : in)
        if (!desc.rank_known) return;
    dims shape;
    const ir::attr_value *rule = ir::find(attrs, op_attr::auto_broadcast);
    if (rule && std::get<std::string>(*rule) == "none")
        infer_equal(label, in, shape);
    else
        infer_numpy(label, in, shape);

    tensor_desc &dst = out[0];
    if (!dst.rank_known) {
        dst.rank_known = true;
        dst.shape = shape;
        if (dst.layout == layout_type::strided) dst.strides = dims(shape.rank(), unknown_dim);
        return;
    }
    if (dst.shape.rank() != shape.rank())
        fail(status::invalid_shape, "{}: dst is given as {}, but the inputs give {}",
                ir::to_string(label), shape_to_string(dst), to_string(shape));
    for (int axis = 0; axis < shape.rank(); ++axis) {
        if (dst.shape[axis] == unknown_dim) dst.shape[axis] = shape[axis];
        if (shape[axis] != unknown_dim && dst.shape[axis] != shape[axis])
            fail(status::invalid_shape,
                    "{}: dst is given as {}, but the inputs give {}: axis {} has {}, expected {}",
                    ir::to_string(label), shape_to_string(dst), to_string(shape), axis,
                    dst.shape[axis], shape[axis]);
    }
}

void reference(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    const ir::mutable_view &dst = args.out[0];
    const std::size_t bytes = bytes_of(args.type);
    std::array<dims, 3> strides;
    for (std::size_t i = 0; i < 3; ++i)
        strides[i] = broadcast_strides(args.in[i].shape, args.in[i].strides, dst.shape);

    for (std::int64_t element = begin; element < end; ++element) {
        std::array<std::int64_t, 3> at = {0, 0, 0};
        std::int64_t dst_at = 0;
        std::int64_t rest = element;
        for (int axis = dst.shape.rank() - 1; axis >= 0; --axis) {
            std::int64_t index = rest % dst.shape[axis];
            rest /= dst.shape[axis];
            for (std::size_t i = 0; i < 3; ++i)
                at[i] += index * strides[i][axis];
            dst_at += index * dst.strides[axis];
        }
        bool chosen = static_cast<const unsigned char *>(args.in[0].data)[at[0]] != 0;
        std::size_t source = chosen ? 1 : 2;
        const auto *from = static_cast<const unsigned char *>(args.in[source].data);
        auto *to = static_cast<unsigned char *>(dst.data);
        // memmove: in place, source and destination may be the same element.
        std::memmove(to + static_cast<std::size_t>(dst_at) * bytes,
                from + static_cast<std::size_t>(at[source]) * bytes, bytes);
    }
}

} // namespace

extern const ir::op_def select;
const ir::op_def select = {
        .kind = op_kind::Select,
        .doc = "dst[i] = cond[i] ? src_0[i] : src_1[i], with a two-step broadcast",
        .inputs = inputs,
        .outputs = outputs,
        .types = types,
        .attrs = attrs,
        .infer = infer,
        .reference = reference,
        .in_place_inputs = in_place_inputs,
};

} // namespace tern::ops
