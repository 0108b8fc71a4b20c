// SPDX-License-Identifier: Apache-2.0
#include "ops/quantization.hpp"

#include <cmath>
#include <vector>

#include "base/error.hpp"
#include "base/shape.hpp"
#include "ops/operands.hpp"
#include "ops/rules.hpp"

namespace tern::ops {
namespace {

const std::string &qtype_of(const ir::attr_list &attrs) {
    return ir::attr_of<std::string>(attrs, op_attr::qtype);
}

const std::vector<std::int64_t> &list_of(const ir::attr_list &attrs, op_attr name) {
    static const std::vector<std::int64_t> none;
    const auto *found = ir::find_as<std::vector<std::int64_t>>(attrs, name);
    return found ? *found : none;
}

/// Per tensor: one element. Per channel: one, or one per element along the axis.
void infer_flat_parameter(const ir::op_label &label, const ir::attr_list &attrs,
        std::string_view name, const tensor_desc &parameter, const tensor_desc &src,
        bool may_be_one) {
    const dims &shape = parameter.shape;
    const bool is_per_tensor = qtype_of(attrs) == "per_tensor";
    if (shape.rank() > 1 || (shape.rank() == 0 && !is_per_tensor && !may_be_one))
        fail(status::invalid_shape, "{}: {} is {}; expected rank {} for qtype {}",
                ir::to_string(label), name, to_string(shape), is_per_tensor ? "0 or 1" : "1",
                qtype_of(attrs));
    if (shape.rank() == 0 || shape[0] == unknown_dim) return;
    if (is_per_tensor) {
        if (shape[0] != 1)
            fail(status::invalid_shape, "{}: {} has {} elements; expected 1 for qtype per_tensor",
                    ir::to_string(label), name, shape[0]);
        return;
    }
    if (!src.rank_known || (may_be_one && shape[0] == 1)) return;
    const int axis = axis_of(status::invalid_shape, label, attrs, "src", src);
    if (src.shape[axis] != unknown_dim && src.shape[axis] != shape[0])
        fail(status::invalid_shape, "{}: {} has {} elements, but axis {} of src {} has {}",
                ir::to_string(label), name, shape[0], axis, to_string(src.shape), src.shape[axis]);
}

/// Per group: src's rank; src's dims divided by those of a group.
void infer_grouped_parameter(const ir::op_label &label, const ir::attr_list &attrs,
        std::string_view name, const tensor_desc &parameter, const tensor_desc &src) {
    if (!src.rank_known) return;
    const std::vector<std::int64_t> &group = list_of(attrs, op_attr::group_shape);
    const int rank = src.shape.rank();
    if (rank < 2 || static_cast<std::size_t>(rank) != group.size())
        fail(status::invalid_shape,
                "{}: src {} has rank {}; qtype per_group with a group_shape of {} expects rank {}",
                ir::to_string(label), to_string(src.shape), rank, group.size(), group.size());
    if (parameter.shape.rank() != rank)
        fail(status::invalid_shape, "{}: {} {} has rank {}; expected src's, {}",
                ir::to_string(label), name, to_string(parameter.shape), parameter.shape.rank(),
                rank);
    for (int axis = 0; axis < rank; ++axis) {
        const std::int64_t size = group[static_cast<std::size_t>(axis)];
        const std::int64_t dim = src.shape[axis];
        const std::int64_t groups = parameter.shape[axis];
        if (dim == unknown_dim) continue;
        if (dim % size != 0)
            fail(status::invalid_shape,
                    "{}: axis {} of src {} has {}, which is no multiple of group_shape's {}",
                    ir::to_string(label), axis, to_string(src.shape), dim, size);
        if (groups != unknown_dim && groups != dim / size)
            fail(status::invalid_shape,
                    "{}: axis {} of {} {} has {}; src {} in groups of {} expects {}",
                    ir::to_string(label), axis, name, to_string(parameter.shape), groups,
                    to_string(src.shape), size, dim / size);
    }
}

/// How to get from an element's index to its scale or zero point.
struct parameter_walk {
    dims group; ///< Elements along each axis that share one.
    dims strides;

    std::int64_t offset(const dims &index) const noexcept {
        std::int64_t result = 0;
        for (int axis = 0; axis < index.rank(); ++axis)
            result += index[axis] / group[axis] * strides[axis];
        return result;
    }
};

/// A walk along `axis` with `stride`, or to one and the same when there is but one parameter.
parameter_walk walk_axis(const ir::reference_args &args, std::int64_t count, std::int64_t stride) {
    const int rank = args.in[0].shape.rank();
    parameter_walk walk{dims(rank, 1), dims(rank, 0)};
    if (count > 1)
        walk.strides[resolve_axis(ir::attr_of<std::int64_t>(args.attrs, op_attr::axis), rank)] =
                stride;
    return walk;
}

parameter_walk walk_view(const ir::reference_args &args, const ir::const_view &parameter) noexcept {
    if (qtype_of(args.attrs) == "per_group") {
        const std::vector<std::int64_t> &group = list_of(args.attrs, op_attr::group_shape);
        parameter_walk walk{{}, parameter.strides};
        walk.group.assign(group.begin(), group.end());
        return walk;
    }
    if (parameter.shape.empty()) return walk_axis(args, 1, 0);
    return walk_axis(args, parameter.shape[0], parameter.strides[0]);
}

/// Calls compute(real or quantized value, scale, zero point) for each element.
template <typename Compute>
void map_elements(const ir::reference_args &args, std::int64_t begin, std::int64_t end,
        Compute compute) noexcept {
    const ir::const_view &src = args.in[0];
    const ir::mutable_view &dst = args.out[0];
    auto run = [&](auto scale_of, auto zp_of) noexcept {
        for (std::int64_t element = begin; element < end; ++element) {
            const dims index = index_of(element, dst.shape);
            const double value = load(src, offset_of(index, src.strides));
            store(dst, offset_of(index, dst.strides),
                    compute(value, scale_of(index), zp_of(index)));
        }
    };
    if (args.in.size() == 1) {
        const auto &scales = ir::attr_of<std::vector<float>>(args.attrs, op_attr::scales);
        const std::vector<std::int64_t> &zps = list_of(args.attrs, op_attr::zps);
        const parameter_walk walk = walk_axis(args, static_cast<std::int64_t>(scales.size()), 1);
        auto number = [&](const dims &index) noexcept {
            return static_cast<std::size_t>(walk.offset(index));
        };
        run([&](const dims &index) noexcept { return double{scales[number(index)]}; },
                [&](const dims &index) noexcept {
                    return zps.empty() ? 0.0 : static_cast<double>(zps[number(index)]);
                });
        return;
    }
    const bool has_zps = args.in.size() > 2;
    const ir::const_view &zps = args.in[has_zps ? 2 : 1];
    const parameter_walk scale_walk = walk_view(args, args.in[1]);
    const parameter_walk zp_walk = walk_view(args, zps);
    run([&](const dims &index) noexcept { return load(args.in[1], scale_walk.offset(index)); },
            [&](const dims &index) noexcept {
                return has_zps ? load(zps, zp_walk.offset(index)) : 0.0;
            });
}

} // namespace

void check_static_quantization(const ir::op_label &label, const ir::attr_list &attrs,
        std::span<const tensor_desc> in, std::span<const tensor_desc> out) {
    const auto scales = ir::attr_of<std::vector<float>>(attrs, op_attr::scales).size();
    const bool has_zps = ir::find(attrs, op_attr::zps) != nullptr;
    const auto zps = list_of(attrs, op_attr::zps).size();
    if (qtype_of(attrs) == "per_tensor" && scales != 1)
        fail(status::invalid_graph_op,
                "{}: attribute scales has {} values; expected 1 for qtype per_tensor",
                ir::to_string(label), scales);
    if (has_zps && zps != scales)
        fail(status::invalid_graph_op,
                "{}: attribute zps has {} values; expected {}, as many as scales",
                ir::to_string(label), zps, scales);
    for (const tensor_desc &desc : {in[0], out[0]})
        if (has_zps && (desc.type == data_type::f8_e5m2 || desc.type == data_type::f8_e4m3))
            fail(status::invalid_graph_op, "{}: {} has no zero points, but attribute zps is set",
                    ir::to_string(label), tern::name_of(desc.type));
    if (qtype_of(attrs) == "per_channel" && in[0].rank_known)
        axis_of(status::invalid_graph_op, label, attrs, "src", in[0]);
}

void infer_static_quantization(const ir::op_label &label, const ir::attr_list &attrs,
        std::span<const tensor_desc> in, std::span<tensor_desc> out) {
    if (!in[0].rank_known) return;
    if (qtype_of(attrs) == "per_channel") {
        const int axis = axis_of(status::invalid_shape, label, attrs, "src", in[0]);
        const std::int64_t dim = in[0].shape[axis];
        const auto scales = static_cast<std::int64_t>(
                ir::attr_of<std::vector<float>>(attrs, op_attr::scales).size());
        if (dim != unknown_dim && dim != scales)
            fail(status::invalid_shape,
                    "{}: attribute scales has {} values, but axis {} of src {} has {}",
                    ir::to_string(label), scales, axis, to_string(in[0].shape), dim);
    }
    infer_same(label, attrs, in, out);
}

void check_dynamic_quantization(const ir::op_label &label, const ir::attr_list &attrs,
        std::span<const tensor_desc> in, std::span<const tensor_desc>) {
    if (qtype_of(attrs) == "per_channel" && in[0].rank_known)
        axis_of(status::invalid_graph_op, label, attrs, "src", in[0]);
    if (qtype_of(attrs) != "per_group") return;
    const std::vector<std::int64_t> &group = list_of(attrs, op_attr::group_shape);
    if (group.size() < 2 || group.size() > static_cast<std::size_t>(max_rank))
        fail(status::invalid_graph_op,
                "{}: attribute group_shape has {} values; expected 2 to {} for qtype per_group",
                ir::to_string(label), group.size(), max_rank);
    for (std::size_t i = 0; i < group.size(); ++i)
        if (group[i] < 1)
            fail(status::invalid_graph_op,
                    "{}: attribute group_shape has {} at axis {}; expected 1 or more",
                    ir::to_string(label), group[i], i);
}

void infer_dynamic_quantization(const ir::op_label &label, const ir::attr_list &attrs,
        std::span<const tensor_desc> in, std::span<tensor_desc> out) {
    static constexpr std::string_view names[] = {"src", "scales", "zps"};
    for (std::size_t i = 1; i < in.size(); ++i) {
        if (!in[i].rank_known) continue;
        if (qtype_of(attrs) == "per_group")
            infer_grouped_parameter(label, attrs, names[i], in[i], in[0]);
        else
            infer_flat_parameter(label, attrs, names[i], in[i], in[0], i == 2);
    }
    infer_same(label, attrs, in, out);
}

void quantize_elements(
        const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    const bool rounds = quantized_integers.contains(args.out[0].type);
    map_elements(args, begin, end, [=](double value, double scale, double zp) noexcept {
        const double scaled = value / scale;
        return rounds ? std::nearbyint(scaled) + zp : scaled; // storing saturates, or rounds to f8
    });
}

void dequantize_elements(
        const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    map_elements(args, begin, end,
            [](double value, double scale, double zp) noexcept { return (value - zp) * scale; });
}

} // namespace tern::ops
