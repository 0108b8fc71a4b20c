// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>

#include "base/error.hpp"
#include "base/shape.hpp"
#include "base/text.hpp"
#include "ops/operands.hpp"
#include "ops/rules.hpp"

/// output[i.., j.., k..] = data[i.., indices[j..], k..]
/// Shapes: data's shape with that of indices in the place of axis; i are the axes before it, k
/// those
///         behind it. Ranks 0..12 (data 1..12), zero sizes allowed.
/// Types:  data and output the same type, any of 1, 2, 4, 8 or 16 bytes; indices s32 or s64.
/// Values: bits are copied unchanged. Negative indices count from the end.
/// Errors: invalid_graph_op or invalid_shape for an axis that data does not have; invalid_shape for
///         a rank above 12; at run time invalid_arguments for an index that is out of range, before
///         anything is written.
/// Source: ONNX Gather-13.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 2> inputs = {{{"data", "T"}, {"indices", "I"}}};
constexpr std::array<ir::port_def, 1> outputs = {{{"output", "T"}}};
constexpr std::array<ir::type_rule, 2> types = {
        {{"T", any_fixed_size}, {"I", type_set(data_type::s32, data_type::s64)}}};
constexpr std::array<ir::attr_def, 1> attrs = {{{op_attr::axis, false, std::int64_t{0}, {}}}};

void check(const ir::op_label &label, const ir::attr_list &attrs, std::span<const tensor_desc> in,
        std::span<const tensor_desc> /*out*/) {
    if (in[0].rank_known) axis_of(status::invalid_graph_op, label, attrs, "data", in[0]);
}

void infer(const ir::op_label &label, const ir::attr_list &attrs, std::span<const tensor_desc> in,
        std::span<tensor_desc> out) {
    if (!in[0].rank_known) return;
    const int axis = axis_of(status::invalid_shape, label, attrs, "data", in[0]);
    if (!in[1].rank_known) return;
    const dims &data = in[0].shape;
    const dims &indices = in[1].shape;
    if (data.rank() - 1 + indices.rank() > max_rank)
        fail(status::invalid_shape,
                "{}: data {} and indices {} give output a rank of {}; at most {} is allowed",
                ir::to_string(label), to_string(data), to_string(indices),
                data.rank() - 1 + indices.rank(), max_rank);
    dims shape;
    for (int i = 0; i < data.rank(); ++i) {
        if (i != axis) {
            shape.push_back(data[i]);
            continue;
        }
        for (std::int64_t dim : indices)
            shape.push_back(dim);
    }
    settle_shape(label, "output", shape, out[0]);
}

std::optional<ir::data_fault> check_data(const ir::reference_args &args) {
    const ir::const_view &data = args.in[0];
    const ir::const_view &indices = args.in[1];
    const int axis =
            resolve_axis(ir::attr_of<std::int64_t>(args.attrs, op_attr::axis), data.shape.rank());
    const std::int64_t size = data.shape[axis];
    const std::int64_t count = element_count(indices.shape).value_or(0);
    if (count == 0) return std::nullopt;
    element_walk<1> walk(indices.shape, {indices.strides}, 0);
    for (std::int64_t i = 0; i < count; ++i, walk.next()) {
        const std::int64_t index = load_s64(indices.type, at(indices, walk.at(0)));
        if (index < -size || index >= size)
            return ir::data_fault{1, format_text("has index {}, but data {} has {} along axis {}",
                                             index, to_string(data.shape), size, axis)};
    }
    return std::nullopt;
}

void copy(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    const ir::const_view &data = args.in[0];
    const ir::const_view &indices = args.in[1];
    const ir::mutable_view &output = args.out[0];
    const int axis =
            resolve_axis(ir::attr_of<std::int64_t>(args.attrs, op_attr::axis), data.shape.rank());
    for (std::int64_t element = begin; element < end; ++element) {
        const dims index = index_of(element, output.shape);
        std::int64_t from = 0;
        for (int i = 0; i < axis; ++i)
            from += index[i] * data.strides[i];
        std::int64_t index_at = 0;
        for (int i = 0; i < indices.shape.rank(); ++i)
            index_at += index[axis + i] * indices.strides[i];
        std::int64_t chosen = load_s64(indices.type, at(indices, index_at));
        if (chosen < 0) chosen += data.shape[axis];
        from += chosen * data.strides[axis];
        for (int i = axis + 1; i < data.shape.rank(); ++i)
            from += index[i - 1 + indices.shape.rank()] * data.strides[i];
        std::memcpy(at(output, offset_of(index, output.strides)), at(data, from),
                bytes_of(output.type));
    }
}

} // namespace

extern const ir::op_def gather;
const ir::op_def gather = {
        .kind = op_kind::Gather,
        .doc = "output = what data has at the indices along an axis",
        .inputs = inputs,
        .outputs = outputs,
        .types = types,
        .attrs = attrs,
        .check = check,
        .infer = infer,
        .reference = copy,
        .in_place_inputs = {},
        .check_data = check_data,
};

} // namespace tern::ops
