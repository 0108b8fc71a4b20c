// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "base/error.hpp"
#include "base/shape.hpp"
#include "ops/elementwise.hpp"

/// dst[..., m, n] = sum over k of src[..., m, k] * weights[..., k, n], plus bias
/// Shapes: numpy matmul. transpose_a and transpose_b swap the last two axes of src and weights. A
///         1-D operand is a row (src) or a column (weights) whose axis of one element is left out
///         of dst; its transpose is ignored. The axes before the last two broadcast both ways, bias
///         broadcasts one way into dst. Rank 1..12, zero sizes allowed; k = 0 gives bias or zeros.
/// Types:  src and weights one of f32, bf16, f16, f64; bias that type or f32; dst that type or f32.
///         Or all of one integer type of 8 to 64 bits.
/// Values: products and sums in f64, in the order of k, then bias; rounded once to dst. A faster
///         loop may sum in f32 in an order of its own. accumulation_mode is accepted and changes
///         nothing: every loop sums in f32 or wider. Integers exactly, modulo 2^n.
/// Errors: invalid_shape at finalize or compile, naming both operands, the axis and both sizes;
///         none at run time.
/// Source: oneDNN Graph MatMul-1; numpy.matmul; the further types are Tern's own.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 3> inputs = {
        {{"src", "T"}, {"weights", "T"}, {"bias", "B", ir::port_use::optional}}};
constexpr std::array<ir::port_def, 1> outputs = {{{"dst", "D"}}};

constexpr std::array<ir::type_rule, 3> types = {{{"T", numeric}, {"B", numeric}, {"D", numeric}}};

constexpr std::array<std::string_view, 6> accumulation_modes = {
        "strict", "relaxed", "any", "f32", "s32", "f16"};
constexpr std::array<ir::attr_def, 3> attrs = {{
        {op_attr::transpose_a, false, false, {}},
        {op_attr::transpose_b, false, false, {}},
        {op_attr::accumulation_mode, false, std::string_view("strict"), accumulation_modes},
}};

void check(const ir::op_label &label, const ir::attr_list &, std::span<const tensor_desc> in,
        std::span<const tensor_desc> out) {
    const data_type type = in[0].type;
    const bool is_exact = is_integer(type);
    auto check_type = [&](std::string_view name, data_type found) {
        if (found == type || (found == data_type::f32 && !is_exact)) return;
        fail(status::invalid_graph_op, "{}: {} has data type {}; expected src's, {}{}",
                ir::to_string(label), name, tern::name_of(found), tern::name_of(type),
                is_exact ? "" : ", or f32");
    };
    if (in.size() > 2) check_type("bias", in[2].type);
    check_type("dst", out[0].type);
}

/// An operand as a stack of matrices.
struct matrices {
    dims batch;
    dims batch_strides;
    bool is_vector = false;
    int row_axis = -1; ///< Of the operand; -1: a vector has no such axis.
    int column_axis = -1;
};

matrices split(const dims &shape, const dims &strides, bool transpose, bool is_left) {
    matrices result;
    const int rank = shape.rank();
    result.is_vector = rank == 1;
    if (result.is_vector) {
        (is_left ? result.column_axis : result.row_axis) = 0;
        return result;
    }
    result.row_axis = rank - 2;
    result.column_axis = rank - 1;
    if (transpose) std::swap(result.row_axis, result.column_axis);
    result.batch.assign(shape.begin(), shape.end() - 2);
    result.batch_strides.assign(strides.begin(), strides.end() - 2);
    return result;
}

std::array<matrices, 2> split_operands(const ir::attr_list &attrs, const dims &src,
        const dims &src_strides, const dims &weights, const dims &weights_strides) {
    return {split(src, src_strides, ir::attr_of<bool>(attrs, op_attr::transpose_a), true),
            split(weights, weights_strides, ir::attr_of<bool>(attrs, op_attr::transpose_b), false)};
}

dims infer_product(const ir::op_label &label, const ir::attr_list &attrs, const dims &src,
        const dims &weights) {
    for (const auto &[shape, name] : {std::pair(&src, "src"), std::pair(&weights, "weights")})
        if (shape->empty())
            fail(status::invalid_shape, "{}: {} is a scalar; expected rank 1 or more",
                    ir::to_string(label), name);
    const auto [a, b] = split_operands(attrs, src, src, weights, weights);
    const std::int64_t src_k = src[a.column_axis];
    const std::int64_t weights_k = weights[b.row_axis];
    if (src_k != weights_k && src_k != unknown_dim && weights_k != unknown_dim)
        fail(status::invalid_shape,
                "{}: src {} and weights {} do not multiply: axis {} of src has {}, axis {} of "
                "weights has {}",
                ir::to_string(label), to_string(src), to_string(weights), a.column_axis, src_k,
                b.row_axis, weights_k);
    const broadcast_result batch = broadcast_two_way(a.batch, b.batch);
    if (!batch.ok()) {
        const int from_end = batch.shape.rank() - batch.bad_axis;
        fail(status::invalid_shape,
                "{}: src {} and weights {} do not broadcast before their last two axes: axis {} "
                "has {} against {}",
                ir::to_string(label), to_string(src), to_string(weights), batch.bad_axis,
                a.batch[a.batch.rank() - from_end], b.batch[b.batch.rank() - from_end]);
    }
    dims result = batch.shape;
    if (!a.is_vector) result.push_back(src[a.row_axis]);
    if (!b.is_vector) result.push_back(weights[b.column_axis]);
    return result;
}

void check_bias(const ir::op_label &label, const dims &bias, const dims &dst) {
    const broadcast_result result = broadcast_one_way(bias, dst);
    if (result.ok()) return;
    if (bias.rank() > dst.rank())
        fail(status::invalid_shape,
                "{}: bias {} has rank {}, but may not widen dst, which is {} (rank {})",
                ir::to_string(label), to_string(bias), bias.rank(), to_string(dst), dst.rank());
    fail(status::invalid_shape,
            "{}: bias {} does not broadcast to dst {}: axis {} of dst has {} against {}",
            ir::to_string(label), to_string(bias), to_string(dst), result.bad_axis,
            dst[result.bad_axis], bias[bias.rank() - dst.rank() + result.bad_axis]);
}

void infer(const ir::op_label &label, const ir::attr_list &attrs, std::span<const tensor_desc> in,
        std::span<tensor_desc> out) {
    if (!in[0].rank_known || !in[1].rank_known) return;
    const dims dst = infer_product(label, attrs, in[0].shape, in[1].shape);
    if (in.size() > 2 && in[2].rank_known) check_bias(label, in[2].shape, dst);
    settle_shape(label, "dst", dst, out[0]);
}

/// Columns whose sums are formed side by side: one sum alone waits for each of its additions.
constexpr std::int64_t columns_at_once = 32;

/// A row of src and the first of some columns of weights. Strides in bytes.
struct dot_operands {
    const unsigned char *row;
    const unsigned char *column;
    std::int64_t row_stride;     ///< From one k to the next, in src ...
    std::int64_t weights_stride; ///< ... and in weights.
    std::int64_t column_stride;  ///< From one column to the next.
    std::int64_t n;              ///< How many k.
};

using column_sums = std::array<double, columns_at_once>;

column_sums sum_columns(
        auto load, const dot_operands &of, auto column_stride, auto columns) noexcept {
    column_sums sums{};
    for (std::int64_t k = 0; k < of.n; ++k) {
        const double factor = load(of.row + k * of.row_stride);
        const unsigned char *at = of.column + k * of.weights_stride;
        for (std::int64_t i = 0; i < columns; ++i)
            sums[static_cast<std::size_t>(i)] += factor * load(at + i * column_stride);
    }
    return sums;
}

column_sums sum_columns(data_type type, const dot_operands &of, std::int64_t columns) noexcept {
    if (type != data_type::f32)
        return sum_columns([type](const void *element) { return load_f64(type, element); }, of,
                of.column_stride, columns);
    auto load_f32 = [](const void *element) {
        float value;
        std::memcpy(&value, element, sizeof value);
        return static_cast<double>(value);
    };
    // Constants, for columns that lie side by side to be taken as vectors.
    constexpr std::integral_constant<std::int64_t, sizeof(float)> side_by_side;
    constexpr std::integral_constant<std::int64_t, columns_at_once> all;
    if (of.column_stride == side_by_side && columns == all)
        return sum_columns(load_f32, of, side_by_side, all);
    return sum_columns(load_f32, of, of.column_stride, columns);
}

/// One sum of integers, modulo 2^64, for column number `column`.
std::uint64_t exact_dot(data_type type, const dot_operands &of, std::int64_t column) noexcept {
    std::uint64_t sum = 0;
    for (std::int64_t k = 0; k < of.n; ++k)
        sum += static_cast<std::uint64_t>(load_s64(type, of.row + k * of.row_stride))
               * static_cast<std::uint64_t>(load_s64(
                       type, of.column + k * of.weights_stride + column * of.column_stride));
    return sum;
}

void multiply(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    const ir::const_view &src = args.in[0];
    const ir::const_view &weights = args.in[1];
    const ir::mutable_view &dst = args.out[0];
    const auto [a, b] =
            split_operands(args.attrs, src.shape, src.strides, weights.shape, weights.strides);
    // How src and weights move along the axes of dst.
    dims batch;
    batch.assign(
            dst.shape.begin(), dst.shape.end() - (a.is_vector ? 0 : 1) - (b.is_vector ? 0 : 1));
    dims src_walk = broadcast_strides(a.batch, a.batch_strides, batch);
    dims weights_walk = broadcast_strides(b.batch, b.batch_strides, batch);
    if (!a.is_vector) src_walk.push_back(src.strides[a.row_axis]);
    if (!a.is_vector) weights_walk.push_back(0);
    if (!b.is_vector) src_walk.push_back(0);
    if (!b.is_vector) weights_walk.push_back(weights.strides[b.column_axis]);
    const bool has_bias = args.in.size() > 2;
    const dims bias_walk =
            has_bias ? broadcast_strides(args.in[2].shape, args.in[2].strides, dst.shape) : dims();

    const auto bytes = static_cast<std::int64_t>(bytes_of(src.type));
    const std::int64_t n = src.shape[a.column_axis];
    const std::int64_t src_step = src.strides[a.column_axis] * bytes;
    const std::int64_t weights_step = weights.strides[b.row_axis] * bytes;
    const std::int64_t columns = b.is_vector ? 1 : dst.shape[dst.shape.rank() - 1];
    const std::int64_t column_step = b.is_vector ? 0 : weights.strides[b.column_axis] * bytes;
    column_sums sums{};
    for (std::int64_t element = begin; element < end;) {
        const std::int64_t count =
                std::min({columns_at_once, end - element, columns - element % columns});
        dims index = index_of(element, dst.shape);
        // Without a k the operands have no elements, and may have no memory.
        auto element_of = [&](const ir::const_view &view, const dims &walk) {
            return n == 0 ? nullptr
                          : static_cast<const unsigned char *>(at(view, offset_of(index, walk)));
        };
        const dot_operands of = {
                element_of(src, src_walk),
                element_of(weights, weights_walk),
                src_step,
                weights_step,
                column_step,
                n,
        };
        if (!is_integer(src.type)) sums = sum_columns(src.type, of, count);
        for (std::int64_t i = 0; i < count; ++i, ++element) {
            void *to = at(dst, offset_of(index, dst.strides));
            const void *bias = has_bias ? at(args.in[2], offset_of(index, bias_walk)) : nullptr;
            if (is_integer(src.type)) {
                std::uint64_t exact = exact_dot(src.type, of, i);
                if (has_bias) exact += static_cast<std::uint64_t>(load_s64(src.type, bias));
                store_s64(dst.type, static_cast<std::int64_t>(exact), to);
            } else {
                const double sum = sums[static_cast<std::size_t>(i)];
                store_f64(dst.type, has_bias ? sum + load_f64(args.in[2].type, bias) : sum, to);
            }
            if (!index.empty()) ++index[index.rank() - 1];
        }
    }
}

} // namespace

extern const ir::op_def matmul;
const ir::op_def matmul = {
        .kind = op_kind::MatMul,
        .doc = "dst = src x weights [+ bias], matrix by matrix, as numpy's matmul",
        .inputs = inputs,
        .outputs = outputs,
        .types = types,
        .attrs = attrs,
        .check = check,
        .infer = infer,
        .reference = multiply,
        .in_place_inputs = {},
};

} // namespace tern::ops
