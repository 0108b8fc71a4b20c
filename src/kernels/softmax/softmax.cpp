// SPDX-License-Identifier: Apache-2.0
#include "kernels/softmax/softmax.hpp"

#include <algorithm>

#include "base/arithmetic.hpp"
#include "base/cpu.hpp"
#include "base/shape.hpp"
#include "kernels/softmax/softmax_parts.hpp"

namespace tern::kernels {
namespace {

/// Rows that are shorter are cheaper to transpose.
constexpr std::int64_t least_row = 16;
/// Fewer columns leave too many lanes of a vector idle.
constexpr std::int64_t least_lanes = 4;
/// Columns of a tile that are worth going past the caches.
constexpr std::int64_t least_far_columns = 32;
/// Floats and rows of a block on the path of rows: what a short row waits for is
/// hidden by others, while long ones come from memory as they are computed.
constexpr std::int64_t row_block_floats = 512;
constexpr std::int64_t most_rows = 32;
/// Elements that are worth a thread: some ten microseconds.
constexpr std::int64_t grain_elements = 16384;

/// The axes beside that of the rows, by dst, src and stats.
loop_nest<4> find_outer(const softmax_problem &problem) {
    dims shape;
    std::array<dims, 4> strides;
    for (int axis = 0; axis < problem.shape.rank(); ++axis) {
        if (axis == problem.axis) continue;
        shape.push_back(problem.shape[axis]);
        strides[0].push_back(problem.dst.strides[axis]);
        strides[1].push_back(problem.src.strides[axis]);
        strides[2].push_back(problem.has_stats ? problem.stats.strides[axis] : 0);
        strides[3].push_back(0);
    }
    return coalesce<4>(shape, strides, 0);
}

/// The axis of `nest` that lanes should lie along if not along the rows; -1 if there is none.
int find_lane_axis(const loop_nest<4> &nest) {
    int best = nest.extents.rank() - 1;
    int best_score = 0;
    for (int axis = 0; axis < nest.extents.rank(); ++axis) {
        int score = (nest.strides[0][axis] == 1 ? 2 : 0) + (nest.strides[1][axis] == 1 ? 2 : 0);
        if (score != 0 && nest.extents[axis] >= least_lanes) ++score;
        if (score > best_score) {
            best = axis;
            best_score = score;
        }
    }
    return best;
}

/// Rows of a block on the path of rows.
std::int64_t find_rows(std::int64_t n, std::int64_t lanes) {
    const std::int64_t rows = row_block_floats / tile_width(std::min(n, tile_floats));
    return std::clamp<std::int64_t>(rows, 1, std::min(lanes, most_rows));
}

std::int64_t find_columns(std::int64_t n, std::int64_t lanes) {
    // Where not even a line of each row fits, rows come from memory again and again: wide ones.
    std::int64_t columns = tile_floats / n / tile_multiple * tile_multiple;
    if (columns == 0) columns = most_columns;
    return std::min({columns, most_columns, lanes});
}

/// As for select: see there for figures. Not on the path of rows: they take too long to compute.
/// And whole cache lines only: with parts of some, blocks take up to five times as long.
bool goes_past_caches(const softmax_loops &loops, std::int64_t elements) {
    const softmax_walk &dst = loops.walks[1];
    const double all_bytes =
            static_cast<double>(elements) * (loops.walks[0].element_bytes + dst.element_bytes);
    const auto is_whole = [](std::int64_t bytes) { return bytes % softmax_line == 0; };
    return loops.path == softmax_path::columns && loops.types[1] == data_type::f32
           && loops.n * tile_width(loops.columns) <= tile_floats // not in pieces
           && loops.columns >= least_far_columns && dst.lane_step == dst.element_bytes
           && is_whole(dst.axis_step) && is_whole(loops.lanes * dst.lane_step)
           && std::all_of(loops.outer_steps[1].begin(), loops.outer_steps[1].end(), is_whole)
           && level_with_room(all_bytes) == memory_level::main;
}

} // namespace

softmax_loops make_softmax_loops(const softmax_problem &problem) {
    softmax_loops loops;
    loops.inf_as_zero = problem.inf_as_zero;
    loops.has_stats = problem.has_stats;
    loops.types = {problem.src.type, problem.dst.type};
    loops.parts = &find_softmax_parts();

    const bool has_axis = !problem.shape.empty();
    loops.n = has_axis ? problem.shape[problem.axis] : 1;
    const std::array<const softmax_operand *, 3> operands{
            &problem.src, &problem.dst, &problem.stats};
    const std::array<std::size_t, 3> place{1, 0, 2}; // In the nest.
    const loop_nest<4> nest = find_outer(problem);
    const int lane_axis = find_lane_axis(nest);

    bool contiguous = true;
    for (std::size_t i = 0; i < 3; ++i) {
        softmax_walk &walk = loops.walks[i];
        walk.element_bytes = i == 2 ? 4 : static_cast<int>(bytes_of(operands[i]->type));
        if (i == 2 || !has_axis) continue;
        const std::int64_t stride = loops.n == 1 ? 1 : operands[i]->strides[problem.axis];
        walk.axis_step = stride * walk.element_bytes;
        contiguous = contiguous && stride == 1;
    }
    const std::int64_t lanes = lane_axis >= 0 ? nest.extents[lane_axis] : 1;
    if (lanes < least_lanes || (contiguous && loops.n >= least_row)) {
        // Rows that are not contiguous are copied one by one.
        loops.columns = contiguous ? find_rows(loops.n, lanes) : 1;
    } else {
        loops.path = softmax_path::columns;
        loops.columns = find_columns(loops.n, lanes);
    }
    loops.lanes = lanes;
    loops.blocks = divide_up(lanes, loops.columns);

    loops.units = loops.blocks;
    for (int axis = 0; axis < nest.extents.rank(); ++axis) {
        if (axis != lane_axis) {
            loops.outer.push_back(nest.extents[axis]);
            loops.units *= nest.extents[axis];
        }
        for (std::size_t i = 0; i < 3; ++i) {
            const std::int64_t step = nest.strides[place[i]][axis] * loops.walks[i].element_bytes;
            if (axis == lane_axis)
                loops.walks[i].lane_step = step;
            else
                loops.outer_steps[i].push_back(step);
        }
    }
    loops.is_far = goes_past_caches(loops, element_count(problem.shape).value_or(0));
    const std::int64_t unit = std::min(loops.n, grain_elements) * loops.columns;
    loops.grain = std::max<std::int64_t>(grain_elements / unit, 1);
    return loops;
}

} // namespace tern::kernels
