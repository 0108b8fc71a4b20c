// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>
#include <vector>

#include "base/error.hpp"
#include "base/shape.hpp"
#include "ops/operands.hpp"
#include "ops/rules.hpp"

/// output = the elements start, start + step, ... before end of data, along each of the axes
/// Shapes: starts, ends, axes and steps have one entry per axis that is cut. axes may be left out:
///         the first ones; and so may steps: 1. Negative axes, starts and ends count from the end;
///         starts and ends out of range are clamped, so that 2^63 - 1 is the end of an axis, and
///         -2^63, for a negative step, what stands before its beginning. Rank 0..12, zero sizes
///         allowed.
/// Types:  data and output the same type, any of 1, 2, 4, 8 or 16 bytes.
/// Values: bits are copied unchanged.
/// Errors: invalid_graph_op for lists of different lengths, a step of 0, and an axis given twice;
///         invalid_graph_op or invalid_shape for an axis that data does not have; none at run time.
/// Source: ONNX Slice-13, with attributes for what are inputs there.
namespace tern::ops {
namespace {

using s64s = std::vector<std::int64_t>;

constexpr std::array<ir::port_def, 1> inputs = {{{"data", "T"}}};
constexpr std::array<ir::port_def, 1> outputs = {{{"output", "T"}}};
constexpr std::array<ir::type_rule, 1> types = {{{"T", any_fixed_size}}};
constexpr std::array<ir::attr_def, 4> attrs = {{
        {op_attr::starts, true, {}, {}},
        {op_attr::ends, true, {}, {}},
        {op_attr::axes, false, ir::empty_list(), {}},
        {op_attr::steps, false, ir::empty_list(), {}},
}};

void check_axes(status code, const ir::op_label &label, const ir::attr_list &attrs, int rank) {
    const s64s &axes = ir::attr_of<s64s>(attrs, op_attr::axes);
    const std::size_t count = ir::attr_of<s64s>(attrs, op_attr::starts).size();
    if (axes.empty() && count > static_cast<std::size_t>(rank))
        fail(code, "{}: attribute starts has {} values, but data has rank {}", ir::to_string(label),
                count, rank);
    std::array<bool, max_rank> is_taken{};
    for (std::int64_t given : axes) {
        const int axis = resolve_axis(given, rank);
        if (axis < 0)
            fail(code, "{}: attribute axes has {}, but data has rank {}", ir::to_string(label),
                    given, rank);
        bool &taken = is_taken[static_cast<std::size_t>(axis)];
        if (taken) fail(code, "{}: attribute axes has axis {} twice", ir::to_string(label), axis);
        taken = true;
    }
}

void check(const ir::op_label &label, const ir::attr_list &attrs, std::span<const tensor_desc> in,
        std::span<const tensor_desc> /*out*/) {
    const std::size_t count = ir::attr_of<s64s>(attrs, op_attr::starts).size();
    auto check_length = [&](op_attr name, bool may_be_empty) {
        const std::size_t found = ir::attr_of<s64s>(attrs, name).size();
        if (found == count || (may_be_empty && found == 0)) return;
        fail(status::invalid_graph_op, "{}: attribute {} has {} values, but starts has {}",
                ir::to_string(label), ir::name_of(name), found, count);
    };
    check_length(op_attr::ends, false);
    check_length(op_attr::axes, true);
    check_length(op_attr::steps, true);
    for (std::int64_t step : ir::attr_of<s64s>(attrs, op_attr::steps))
        if (step == 0)
            fail(status::invalid_graph_op, "{}: attribute steps has 0", ir::to_string(label));
    if (in[0].rank_known) check_axes(status::invalid_graph_op, label, attrs, in[0].shape.rank());
}

/// What is taken of each axis of data. Precondition: the axes are legal; axes of unknown dims have
/// a range of no meaning.
std::array<index_range, max_rank> ranges_of(const ir::attr_list &attrs, const dims &data) noexcept {
    const s64s &starts = ir::attr_of<s64s>(attrs, op_attr::starts);
    const s64s &ends = ir::attr_of<s64s>(attrs, op_attr::ends);
    const s64s &axes = ir::attr_of<s64s>(attrs, op_attr::axes);
    const s64s &steps = ir::attr_of<s64s>(attrs, op_attr::steps);
    std::array<index_range, max_rank> ranges;
    for (int axis = 0; axis < data.rank(); ++axis)
        ranges[static_cast<std::size_t>(axis)].count = data[axis];
    for (std::size_t i = 0; i < starts.size(); ++i) {
        const int axis = axes.empty() ? static_cast<int>(i) : resolve_axis(axes[i], data.rank());
        if (data[axis] < 0) continue;
        ranges[static_cast<std::size_t>(axis)] =
                slice_range(data[axis], starts[i], ends[i], steps.empty() ? 1 : steps[i]);
    }
    return ranges;
}

void infer(const ir::op_label &label, const ir::attr_list &attrs, std::span<const tensor_desc> in,
        std::span<tensor_desc> out) {
    if (!in[0].rank_known) return;
    const dims &data = in[0].shape;
    check_axes(status::invalid_shape, label, attrs, data.rank());
    const auto ranges = ranges_of(attrs, data);
    dims shape = data;
    for (int axis = 0; axis < shape.rank(); ++axis)
        if (data[axis] != unknown_dim) shape[axis] = ranges[static_cast<std::size_t>(axis)].count;
    settle_shape(label, "output", shape, out[0]);
}

void copy(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    const ir::const_view &data = args.in[0];
    const ir::mutable_view &output = args.out[0];
    const auto ranges = ranges_of(args.attrs, data.shape);
    for (std::int64_t element = begin; element < end; ++element) {
        dims index = index_of(element, output.shape);
        void *to = at(output, offset_of(index, output.strides));
        for (int axis = 0; axis < index.rank(); ++axis) {
            const index_range &range = ranges[static_cast<std::size_t>(axis)];
            index[axis] = range.first + index[axis] * range.step;
        }
        std::memcpy(to, at(data, offset_of(index, data.strides)), bytes_of(output.type));
    }
}

} // namespace

extern const ir::op_def slice;
const ir::op_def slice = {
        .kind = op_kind::Slice,
        .doc = "output = some indices of each axis of data: start, start + step, ... before end",
        .inputs = inputs,
        .outputs = outputs,
        .types = types,
        .attrs = attrs,
        .check = check,
        .infer = infer,
        .reference = copy,
        .in_place_inputs = {},
};

} // namespace tern::ops
