// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <vector>

#include "base/error.hpp"
#include "base/shape.hpp"
#include "ops/operands.hpp"
#include "ops/rules.hpp"

/// dst[i] = sum of src over the axes
/// Shapes: dst is src without the axes, or with 1 at each of them when keep_dims. Negative axes
///         count from the end. Rank 1..12, zero sizes allowed: the sum of nothing is 0.
/// Types:  src and dst the same, f32, bf16, f16, f64, s32, s64, u32 or u64.
/// Values: floating point in f64, in row-major order, rounded once to dst; integers exact, modulo
///         2^32 or 2^64.
/// Errors: invalid_graph_op when axes is empty or has an axis twice, and for axes given as an
///         input: shapes would depend on data; invalid_graph_op or invalid_shape for an axis that
///         src does not have; none at run time.
/// Source: oneDNN Graph ReduceSum-1; the further types are those of ONNX ReduceSum-13.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 2> inputs = {
        {{"src", "T"}, {"axes", "A", ir::port_use::optional}}};
constexpr std::array<ir::port_def, 1> outputs = {{{"dst", "T"}}};

constexpr std::array<ir::type_rule, 2> types = {{
        {"T", type_set(data_type::f32, data_type::bf16, data_type::f16, data_type::f64,
                      data_type::s32, data_type::s64, data_type::u32, data_type::u64)},
        {"A", type_set(data_type::s32)},
}};

constexpr std::array<ir::attr_def, 2> attrs = {{
        {op_attr::axes, false, ir::empty_list(), {}},
        {op_attr::keep_dims, false, false, {}},
}};

using axis_set = std::array<bool, max_rank>;

const std::vector<std::int64_t> &axes_of(const ir::attr_list &attrs) {
    return attr<std::vector<std::int64_t>>(attrs, op_attr::axes);
}

axis_set reduced_axes(const ir::attr_list &attrs, int rank) noexcept {
    axis_set result{};
    for (std::int64_t axis : axes_of(attrs))
        result[static_cast<std::size_t>(resolve_axis(axis, rank))] = true;
    return result;
}

void check_axes(status code, const ir::op_label &label, const ir::attr_list &attrs, int rank) {
    axis_set is_taken{};
    for (std::int64_t given : axes_of(attrs)) {
        const int axis = resolve_axis(given, rank);
        if (axis < 0)
            fail(code, "{}: attribute axes has {}, but src has rank {}", ir::to_string(label),
                    given, rank);
        bool &taken = is_taken[static_cast<std::size_t>(axis)];
        if (taken) fail(code, "{}: attribute axes has axis {} twice", ir::to_string(label), axis);
        taken = true;
    }
}

void check(const ir::op_label &label, const ir::attr_list &attrs, std::span<const tensor_desc> in,
        std::span<const tensor_desc>) {
    if (in.size() > 1)
        fail(status::invalid_graph_op,
                "{}: axes is given as an input, so the shape of dst would depend on data; give it "
                "as an attribute",
                ir::to_string(label));
    if (axes_of(attrs).empty())
        fail(status::invalid_graph_op, "{}: attribute axes is empty; expected one axis or more",
                ir::to_string(label));
    if (in[0].rank_known) check_axes(status::invalid_graph_op, label, attrs, in[0].shape.rank());
}

void infer(const ir::op_label &label, const ir::attr_list &attrs, std::span<const tensor_desc> in,
        std::span<tensor_desc> out) {
    if (!in[0].rank_known) return;
    const dims &src = in[0].shape;
    check_axes(status::invalid_shape, label, attrs, src.rank());
    const axis_set reduced = reduced_axes(attrs, src.rank());
    dims dst;
    for (int axis = 0; axis < src.rank(); ++axis) {
        if (!reduced[static_cast<std::size_t>(axis)])
            dst.push_back(src[axis]);
        else if (attr<bool>(attrs, op_attr::keep_dims))
            dst.push_back(1);
    }
    settle_shape(label, "dst", dst, out[0]);
}

void sum(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    const ir::const_view &src = args.in[0];
    const ir::mutable_view &dst = args.out[0];
    const axis_set reduced = reduced_axes(args.attrs, src.shape.rank());
    dims kept_strides; // of src, along the axes of dst
    dims inner_shape;
    dims inner_strides;
    for (int axis = 0; axis < src.shape.rank(); ++axis) {
        if (!reduced[static_cast<std::size_t>(axis)]) {
            kept_strides.push_back(src.strides[axis]);
            continue;
        }
        if (attr<bool>(args.attrs, op_attr::keep_dims)) kept_strides.push_back(0);
        inner_shape.push_back(src.shape[axis]);
        inner_strides.push_back(src.strides[axis]);
    }
    const bool is_exact = is_integer(src.type);
    const std::int64_t n = element_count(inner_shape).value_or(0);
    for (std::int64_t element = begin; element < end; ++element) {
        const dims index = index_of(element, dst.shape);
        const std::int64_t first = offset_of(index, kept_strides);
        double real = 0;
        std::uint64_t whole = 0; // unsigned, because it may wrap around
        for (std::int64_t i = 0; i < n; ++i) {
            const std::int64_t offset = first + offset_of(index_of(i, inner_shape), inner_strides);
            if (is_exact)
                whole += static_cast<std::uint64_t>(load_s64(src.type, at(src, offset)));
            else
                real += load(src, offset);
        }
        void *to = at(dst, offset_of(index, dst.strides));
        if (is_exact)
            store_s64(dst.type, static_cast<std::int64_t>(whole), to);
        else
            store_f64(dst.type, real, to);
    }
}

} // namespace

extern const ir::op_def reduce_sum;
const ir::op_def reduce_sum = {
        .kind = op_kind::ReduceSum,
        .doc = "dst = sum of src over some axes",
        .inputs = inputs,
        .outputs = outputs,
        .types = types,
        .attrs = attrs,
        .check = check,
        .infer = infer,
        .reference = sum,
        .in_place_inputs = {},
};

} // namespace tern::ops
