// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/mutation.hpp"
#include "base/shape.hpp"
#include "base/text.hpp"
#include "compiler/lower_lanes.hpp"
#include "compiler/lowering.hpp"
#include "kernels/lanes/run_lanes.hpp"
#include "kernels/matmul/matmul.hpp"

namespace tern::compiler {
namespace {

/// Where an operand of the epilogue is when the tile at (batch, row, column) is done.
struct tile_operand {
    int operand = -1; ///< Of the group: input or output; -1: constant, index or the tile itself.
    std::shared_ptr<const std::vector<float>> constant;
    bool is_index = false;
    std::int64_t element_bytes = 0;
    dims batch_strides; ///< All in elements.
    std::int64_t row_stride = 0;
    std::int64_t column_stride = 0;
};

struct epilogue {
    std::shared_ptr<const kernels::lane_code> code;
    dims batch;
    std::vector<tile_operand> inputs; ///< The first one is the tile.
    std::vector<tile_operand> outputs;
};

/// What the sink of one call knows.
struct call_context {
    const epilogue &work;
    const void *const *in;
    void *const *out;
};

constexpr std::size_t most_operands = 160;

std::int64_t offset_of(const tile_operand &o, const dims &index, const kernels::matmul_tile &tile) {
    std::int64_t offset = tile.row * o.row_stride + tile.column * o.column_stride;
    for (int axis = 0; axis < index.rank(); ++axis)
        offset += index[axis] * o.batch_strides[axis];
    return offset;
}

void finish_tile(const void *erased, const kernels::matmul_tile &tile) noexcept {
    const auto &call = *static_cast<const call_context *>(erased);
    const dims &batch = call.work.batch;
    dims index(batch.rank(), 0);
    std::int64_t rest = tile.batch;
    for (int axis = batch.rank() - 1; axis >= 0; --axis) {
        index[axis] = rest % batch[axis];
        rest /= batch[axis];
    }
    std::array<kernels::lane_place, most_operands> places;
    std::size_t next = 0;
    auto at = [&](const void *memory, const tile_operand &o) {
        std::int64_t offset = offset_of(o, index, tile);
        auto *data = static_cast<char *>(const_cast<void *>(memory));
        places[next++] = {data ? data + offset * o.element_bytes : nullptr, o.row_stride,
                o.column_stride,
                o.is_index && !is_mutated(mutation::diagonal_by_tile) ? offset : 0};
    };
    places[next++] = {const_cast<float *>(tile.values), tile.stride, 1, 0};
    for (std::size_t i = 1; i < call.work.inputs.size(); ++i) {
        const tile_operand &o = call.work.inputs[i];
        at(o.operand >= 0    ? call.in[o.operand]
                : o.constant ? static_cast<const void *>(o.constant->data())
                             : nullptr,
                o);
    }
    for (const tile_operand &o : call.work.outputs)
        at(call.out[o.operand], o);
    kernels::run_lane_tile(*call.work.code, tile.rows, tile.columns, places.data(), tile.scratch);
}

class pack_kernel final : public runtime::kernel {
public:
    explicit pack_kernel(const kernels::matmul_loops &loops) : loops_(loops) {}

    void run(const void *const *in, void *const *out, void *) const noexcept override {
        kernels::pack_b(loops_, in[0], out[0]);
    }
    bool works_in_place(std::size_t, std::size_t) const noexcept override { return false; }

private:
    kernels::matmul_loops loops_;
};

class matmul_kernel final : public runtime::kernel {
public:
    matmul_kernel(kernels::matmul_loops loops, epilogue work, int a, int b, std::size_t inputs,
            bool has_packed)
        : loops_(loops),
          work_(std::move(work)),
          a_(static_cast<std::size_t>(a)),
          b_(static_cast<std::size_t>(b)),
          inputs_(inputs),
          has_packed_(has_packed) {}

    void run(const void *const *in, void *const *out, void *scratch) const noexcept override {
        call_context call{work_, in, out};
        kernels::run_matmul(loops_, in[a_], in[b_], {finish_tile, &call}, scratch,
                has_packed_ ? in[inputs_] : nullptr);
    }
    /// Tiles are read and written element by element, but for the factors.
    bool works_in_place(std::size_t in, std::size_t) const noexcept override {
        return in != a_ && in != b_ && in < inputs_;
    }

private:
    kernels::matmul_loops loops_;
    epilogue work_;
    std::size_t a_;
    std::size_t b_;
    std::size_t inputs_; ///< Of the group.
    bool has_packed_;    ///< One input more: b as pack_kernel makes it, or null.
};

/// The two inner axes of a factor, which may be missing.
struct factor {
    dims batch_shape;
    dims batch_strides;
    std::int64_t rows = 1;
    std::int64_t columns = 1;
    std::int64_t row_stride = 0;
    std::int64_t column_stride = 0;
};

factor split(const tensor_desc &desc, bool transposed, bool is_row) {
    factor f;
    const int rank = desc.shape.rank();
    if (rank == 1) {
        (is_row ? f.columns : f.rows) = desc.shape[0];
        (is_row ? f.column_stride : f.row_stride) = desc.strides[0];
        return f;
    }
    f.batch_shape.assign(desc.shape.begin(), desc.shape.end() - 2);
    f.batch_strides.assign(desc.strides.begin(), desc.strides.end() - 2);
    f.rows = desc.shape[rank - 2];
    f.columns = desc.shape[rank - 1];
    f.row_stride = desc.strides[rank - 2];
    f.column_stride = desc.strides[rank - 1];
    if (transposed) {
        std::swap(f.rows, f.columns);
        if (!is_mutated(mutation::transpose_ignored)) std::swap(f.row_stride, f.column_stride);
    }
    return f;
}

bool is_matmul_type(data_type type) {
    return type == data_type::f32 || type == data_type::bf16 || type == data_type::f16;
}

/// Axes of the result that the tile's rows and columns are; -1: a vector has none.
struct tile_axes {
    int row;
    int column;
    int batch; ///< How many axes come before.
};

tile_operand place_operand(
        const lane_operand &from, const tile_axes &axes, std::int64_t element_bytes) {
    tile_operand o;
    o.constant = from.constant;
    o.is_index = from.is_index;
    o.element_bytes = element_bytes;
    if (from.is_tile) return o;
    o.batch_strides.assign(from.strides.begin(), from.strides.begin() + axes.batch);
    if (axes.row >= 0) o.row_stride = from.strides[axes.row];
    if (axes.column >= 0) o.column_stride = from.strides[axes.column];
    return o;
}

} // namespace

std::string matmul_obstacle(const region &r, int op) {
    for (const std::vector<int> *values : {&r.op(op).in, &r.op(op).out})
        for (int v : *values)
            if (!is_matmul_type(r.desc(v).type))
                return format_text("data type {}", name_of(r.desc(v).type));
    return {};
}

answer make_matmul(const work &w) {
    group g = w.ops;
    if (g.kind == group_kind::single) { // alone, its operands still are a group's
        g.kind = group_kind::matmul;
        g.matmul = g.ops[0];
    }
    const region_op &product = w.in.op(g.matmul);
    const tensor_desc &src = w.in.desc(product.in[0]);
    const tensor_desc &weights = w.in.desc(product.in[1]);
    const tensor_desc &sums = w.in.desc(product.out[0]);
    if (std::string obstacle = matmul_obstacle(w.in, g.matmul); !obstacle.empty())
        return {nullptr, obstacle};

    factor a = split(src, ir::attr_or(product.op->attrs, op_attr::transpose_a, false), true);
    factor b = split(weights, ir::attr_or(product.op->attrs, op_attr::transpose_b, false), false);
    if (is_mutated(mutation::factor_of_first_batch))
        b.batch_strides = dims(b.batch_shape.rank(), 0);
    const int vector_axes = (src.shape.rank() == 1) + (weights.shape.rank() == 1);
    tile_axes axes{-1, -1, sums.shape.rank() - 2 + vector_axes};
    int next = axes.batch;
    if (src.shape.rank() > 1) axes.row = next++;
    if (weights.shape.rank() > 1) axes.column = next++;
    dims batch;
    batch.assign(sums.shape.begin(), sums.shape.begin() + axes.batch);

    kernels::matmul_problem problem;
    problem.batch = batch;
    problem.m = a.rows;
    problem.n = b.columns;
    problem.k = a.columns;
    if (is_mutated(mutation::product_term_lost) && problem.k > 1) --problem.k;
    problem.a = {src.type, broadcast_strides(a.batch_shape, a.batch_strides, batch), a.row_stride,
            a.column_stride};
    problem.b = {weights.type, broadcast_strides(b.batch_shape, b.batch_strides, batch),
            b.row_stride, b.column_stride};

    lane_build build = build_lanes(w.in, g, sums.shape);
    if (build.inputs.size() + build.outputs.size() > most_operands)
        return {nullptr, "too many operands"};
    epilogue finish;
    finish.batch = batch;
    for (const lane_operand &from : build.inputs) {
        std::int64_t bytes =
                from.value >= 0 ? static_cast<std::int64_t>(bytes_of(w.in.desc(from.value).type))
                                : static_cast<std::int64_t>(sizeof(float));
        tile_operand o = place_operand(from, axes, bytes);
        auto at = std::find(g.in.begin(), g.in.end(), from.value);
        if (from.value >= 0) o.operand = static_cast<int>(at - g.in.begin());
        finish.inputs.push_back(std::move(o));
    }
    for (std::size_t i = 0; i < build.outputs.size(); ++i) {
        tile_operand o = place_operand(build.outputs[i], axes,
                static_cast<std::int64_t>(bytes_of(w.in.desc(build.outputs[i].value).type)));
        o.operand = static_cast<int>(i);
        finish.outputs.push_back(std::move(o));
    }
    finish.code = kernels::make_lane_code(std::move(build.program));
    kernels::matmul_loops loops =
            kernels::make_matmul_loops(problem, kernels::lane_scratch_bytes(*finish.code));
    auto operand = [&](int value) {
        return static_cast<int>(std::find(g.in.begin(), g.in.end(), value) - g.in.begin());
    };
    const std::size_t scratch = loops.scratch_bytes;
    const int a_operand = operand(product.in[0]);
    const int b_operand = operand(product.in[1]);
    preparation packing;
    // Who else reads b wants it as it is.
    const bool is_b_read = a_operand == b_operand
                           || std::any_of(finish.inputs.begin(), finish.inputs.end(),
                                   [&](const tile_operand &o) { return o.operand == b_operand; });
    if (w.in.value(product.in[1]).is_constant && !is_b_read && g.in.size() < most_operands)
        packing = {nullptr, static_cast<std::size_t>(b_operand), kernels::packed_b_bytes(loops)};
    if (packing.bytes > 0) packing.kernel = std::make_unique<pack_kernel>(loops);
    return {std::make_unique<matmul_kernel>(loops, std::move(finish), a_operand, b_operand,
                    g.in.size(), packing.kernel != nullptr),
            std::string(kernels::matmul_target()), scratch, std::move(packing)};
}

} // namespace tern::compiler
