// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/shape.hpp"
#include "ops/operands.hpp"
#include "ops/rules.hpp"

/// dst[i] = exp(src[i] - max) / sum, with max and sum = sum of exp(src - max) of the row along axis
/// stats = max + log(sum), one per row
/// Shapes: dst as src; stats as src with 1 at axis. Rank 1..12, zero sizes allowed: a row of no
///         elements has none in dst.
/// Types:  src, dst: f32, bf16, f16, equal or one of them f32; or both f64. stats f32.
/// Values: in f64, rounded once. NaN or +inf in a row gives a row of NaN. A row of nothing but -inf
///         gives NaN; with mode inf_as_zero it gives zeros, and 0 in stats, so that
///         exp(src - stats) is dst for such a row as well. mode has no effect on other rows.
/// Errors: invalid_graph_op or invalid_shape for an axis that src does not have; none at run time.
/// Source: oneDNN Graph SoftMax-1.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 1> inputs = {{{"src", "T"}}};
constexpr std::array<ir::port_def, 2> outputs = {
        {{"dst", "D"}, {"stats", "S", ir::port_use::optional}}};

constexpr std::array<ir::type_rule, 3> types = {{
        {"T", floating},
        {"D", floating},
        {"S", type_set(data_type::f32)},
}};

constexpr std::array<std::string_view, 2> modes = {"none", "inf_as_zero"};
constexpr std::array<ir::attr_def, 2> attrs = {{
        {op_attr::axis, false, std::int64_t{1}, {}},
        {op_attr::mode, false, std::string_view("none"), modes},
}};

void check(const ir::op_label &label, const ir::attr_list &attrs, std::span<const tensor_desc> in,
        std::span<const tensor_desc> out) {
    const data_type src = in[0].type;
    const data_type dst = out[0].type;
    const bool is_widened = src == data_type::f32 || dst == data_type::f32;
    const bool has_f64 = src == data_type::f64 || dst == data_type::f64;
    if (src != dst && (!is_widened || has_f64))
        fail(status::invalid_graph_op,
                "{}: dst has data type {} and src {}; expected equal ones, or f32 with bf16 or f16",
                ir::to_string(label), tern::name_of(dst), tern::name_of(src));
    if (in[0].rank_known) axis_of(status::invalid_graph_op, label, attrs, "src", in[0]);
}

void infer(const ir::op_label &label, const ir::attr_list &attrs, std::span<const tensor_desc> in,
        std::span<tensor_desc> out) {
    if (!in[0].rank_known) return;
    const int axis = axis_of(status::invalid_shape, label, attrs, "src", in[0]);
    settle_shape(label, "dst", in[0].shape, out[0]);
    if (out.size() < 2) return;
    dims stats = in[0].shape;
    stats[axis] = 1;
    if (in[0].shape[axis] == 0 && !is_empty(stats))
        fail(status::invalid_shape,
                "{}: src {} has no elements along axis {}: there is nothing that stats could say",
                ir::to_string(label), to_string(in[0].shape), axis);
    settle_shape(label, "stats", stats, out[1]);
}

/// max and sum of a row; what stats holds of them.
struct row_sums {
    double max = -std::numeric_limits<double>::infinity();
    double sum = 0;
    bool is_all_minus_inf = true;

    double stats() const { return max + std::log(sum); }
};

row_sums sum_row(
        const ir::const_view &src, std::int64_t first, std::int64_t step, std::int64_t n) noexcept {
    row_sums result;
    for (std::int64_t i = 0; i < n; ++i) {
        const double value = load(src, first + i * step);
        result.is_all_minus_inf = result.is_all_minus_inf && std::isinf(value) && value < 0;
        result.max = std::max(result.max, value);
    }
    for (std::int64_t i = 0; i < n; ++i)
        result.sum += std::exp(load(src, first + i * step) - result.max);
    return result;
}

/// Rows are numbered by what is before the axis, then by what is after it: all rows of one `outer`
/// interleave in a stretch of n * rows elements.
void normalize(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    if (begin >= end) return;
    const ir::const_view &src = args.in[0];
    const ir::mutable_view &dst = args.out[0];
    const bool inf_as_zero = ir::attr_of<std::string>(args.attrs, op_attr::mode) == "inf_as_zero";
    const int axis =
            resolve_axis(ir::attr_of<std::int64_t>(args.attrs, op_attr::axis), src.shape.rank());
    const std::int64_t n = src.shape[axis];
    std::int64_t rows = 1;
    for (int i = axis + 1; i < src.shape.rank(); ++i)
        rows *= src.shape[i];
    // First of the indices along the axis whose element is not before element `from`.
    auto first_index = [&](std::int64_t from, std::int64_t row_start) noexcept {
        return std::clamp<std::int64_t>((from - row_start + rows - 1) / rows, 0, n);
    };
    for (std::int64_t outer = begin / (n * rows); outer * n * rows < end; ++outer)
        for (std::int64_t row = 0; row < rows; ++row) {
            const std::int64_t row_start = outer * n * rows + row;
            const std::int64_t first = first_index(begin, row_start);
            const std::int64_t last = first_index(end, row_start);
            if (first >= last) continue;
            const dims index = index_of(row_start, src.shape);
            const std::int64_t src_at = offset_of(index, src.strides);
            const std::int64_t dst_at = offset_of(index, dst.strides);
            const row_sums sums = sum_row(src, src_at, src.strides[axis], n);
            const bool is_zero = inf_as_zero && sums.is_all_minus_inf;
            for (std::int64_t i = first; i < last; ++i) {
                const double value = load(src, src_at + i * src.strides[axis]);
                store(dst, dst_at + i * dst.strides[axis],
                        is_zero ? 0 : std::exp(value - sums.max) / sums.sum);
            }
            if (first == 0 && args.out.size() > 1)
                store(args.out[1], offset_of(index, args.out[1].strides),
                        is_zero ? 0 : sums.stats());
        }
}

} // namespace

// Nothing in place here: parts of one row may be computed at the same time, each from the whole
// row of src.
extern const ir::op_def softmax;
const ir::op_def softmax = {
        .kind = op_kind::SoftMax,
        .doc = "dst = exp(src - max) / sum of exp(src - max), along one axis",
        .inputs = inputs,
        .outputs = outputs,
        .types = types,
        .attrs = attrs,
        .check = check,
        .infer = infer,
        .reference = normalize,
        .in_place_inputs = {},
};

} // namespace tern::ops
