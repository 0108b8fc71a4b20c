// SPDX-License-Identifier: Apache-2.0
#include "ops/rules.hpp"

#include <array>
#include <cstring>

#include "base/error.hpp"
#include "base/shape.hpp"

namespace tern::ops {

void settle_shape(const ir::op_label &label, std::string_view name, const dims &inferred,
        tensor_desc &output) {
    if (!output.rank_known) {
        output.rank_known = true;
        output.shape = inferred;
        if (output.layout == layout_type::strided)
            output.strides = dims(inferred.rank(), unknown_dim);
        return;
    }
    if (output.shape.rank() != inferred.rank())
        fail(status::invalid_shape, "{}: {} is given as {}, but the inputs give {}",
                ir::to_string(label), name, shape_to_string(output), to_string(inferred));
    for (int axis = 0; axis < inferred.rank(); ++axis) {
        if (output.shape[axis] == unknown_dim) output.shape[axis] = inferred[axis];
        if (inferred[axis] != unknown_dim && output.shape[axis] != inferred[axis])
            fail(status::invalid_shape,
                    "{}: {} is given as {}, but the inputs give {}: axis {} has {}, expected {}",
                    ir::to_string(label), name, shape_to_string(output), to_string(inferred), axis,
                    output.shape[axis], inferred[axis]);
    }
}

void infer_same(const ir::op_label &label, const ir::attr_list & /*attrs*/,
        std::span<const tensor_desc> in, std::span<tensor_desc> out) {
    if (in[0].rank_known) settle_shape(label, "dst", in[0].shape, out[0]);
}

dims broadcast(const ir::op_label &label, std::string_view name, const dims &shape,
        std::string_view against_name, const dims &against) {
    broadcast_result result = broadcast_two_way(shape, against);
    if (result.ok()) return result.shape;
    int from_end = result.shape.rank() - result.bad_axis;
    fail(status::invalid_shape,
            "{}: {} {} and {} {} do not broadcast: axis {} (of {}) has {} against {}",
            ir::to_string(label), name, to_string(shape), against_name, to_string(against),
            result.bad_axis, result.shape.rank(), shape[shape.rank() - from_end],
            against[against.rank() - from_end]);
}

bool may_broadcast(const ir::attr_list &attrs) {
    const auto *rule = ir::find_as<std::string>(attrs, op_attr::auto_broadcast);
    return rule == nullptr || *rule != "none";
}

dims infer_equal(const ir::op_label &label, std::span<const ir::port_def> ports,
        std::span<const tensor_desc> in) {
    dims shape = in[0].shape;
    for (std::size_t i = 1; i < in.size(); ++i) {
        if (in[i].shape.rank() != shape.rank())
            fail(status::invalid_shape,
                    "{}: auto_broadcast=none wants equal shapes, but {} is {} and {} is {}",
                    ir::to_string(label), ports[0].name, shape_to_string(in[0]), ports[i].name,
                    shape_to_string(in[i]));
        for (int axis = 0; axis < shape.rank(); ++axis) {
            std::int64_t dim = in[i].shape[axis];
            if (shape[axis] == unknown_dim) shape[axis] = dim;
            if (dim != unknown_dim && dim != shape[axis])
                fail(status::invalid_shape,
                        "{}: auto_broadcast=none wants equal shapes, but at axis {} {} has {} "
                        "where {} is expected",
                        ir::to_string(label), axis, ports[i].name, dim, shape[axis]);
        }
    }
    return shape;
}

void choose(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    const ir::mutable_view &dst = args.out[0];
    const std::size_t bytes = bytes_of(dst.type);
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

} // namespace tern::ops
