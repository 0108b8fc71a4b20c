// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/reduce_sum.hpp"

#include <algorithm>

#include "base/arithmetic.hpp"
#include "base/loop_nest.hpp"
#include "kernels/reduce/reduce_limits.hpp"
#include "kernels/reduce/reduce_parts.hpp"

namespace tern::kernels {
namespace {

/// Fewer sums leave too many lanes of a vector idle.
constexpr std::int64_t least_lanes = 8;
/// Shorter runs are cheaper to transpose.
constexpr std::int64_t least_run = 16;
/// Units that keep the threads of most machines busy.
constexpr std::int64_t wanted_units = 16;
constexpr std::int64_t most_parts = 64;
/// Terms that are worth being cut into parts, and a thread.
constexpr std::int64_t least_cut_terms = 262144;
constexpr std::int64_t grain_terms = 65536;

using axis_nest = loop_nest<4>; // Operands: src, dst; the rest is not used.

bool is_reduced(const axis_nest &nest, int axis) {
    return nest.strides[1][axis] == 0;
}

/// The kept axis that lanes lie along: where src is contiguous, else dst's innermost; -1 if there
/// is none.
int find_lane_axis(const axis_nest &nest) {
    int best = -1;
    for (int axis = 0; axis < nest.extents.rank(); ++axis) {
        if (is_reduced(nest, axis)) continue;
        if (nest.strides[0][axis] == 1 && nest.extents[axis] >= least_lanes) return axis;
        if (best < 0 || nest.strides[1][axis] < nest.strides[1][best]) best = axis;
    }
    return best;
}

/// The reduced axis with the smallest stride; -1 if there is none.
int find_run_axis(const axis_nest &nest) {
    for (int axis = nest.extents.rank() - 1; axis >= 0; --axis)
        if (is_reduced(nest, axis)) return axis;
    return -1;
}

void choose_blocks(reduce_loops &loops) {
    const std::int64_t sums = loops.outer * loops.lanes;
    const std::int64_t wanted = round_up(sums / wanted_units, 64);
    loops.columns = std::min(std::clamp<std::int64_t>(wanted, 64, most_sums), loops.lanes);
    loops.blocks = divide_up(loops.lanes, loops.columns);
    // In doubles: products may be beyond int64 where a stride is 0.
    const double terms = static_cast<double>(sums) * static_cast<double>(loops.terms);
    if (loops.outer * loops.blocks < wanted_units && terms >= double{least_cut_terms})
        loops.parts = std::clamp<std::int64_t>(
                std::min(most_partial_sums / sums, loops.terms / 16), 1, most_parts);
    const double unit = static_cast<double>(loops.columns) * static_cast<double>(loops.terms)
                        / static_cast<double>(loops.parts);
    loops.grain = std::max<std::int64_t>(
            unit < 1 ? grain_terms : static_cast<std::int64_t>(grain_terms / unit), 1);
}

} // namespace

reduce_loops make_reduce_loops(const dims &shape, const dims &src_strides, const dims &dst_strides,
        data_type src_type, data_type dst_type) {
    reduce_loops loops;
    loops.src_type = src_type;
    loops.dst_type = dst_type;
    loops.src_bytes = static_cast<std::int64_t>(bytes_of(src_type));
    loops.dst_bytes = static_cast<std::int64_t>(bytes_of(dst_type));
    loops.vector = &find_reduce_parts();

    dims extents = shape;
    for (std::int64_t &extent : extents) {
        if (extent == 0) loops.terms = 0; // The sum of nothing is 0.
        extent = std::max<std::int64_t>(extent, 1);
    }
    const dims none(shape.rank(), 0);
    // An empty src may be null: nothing steps through it.
    const dims &walked = loops.terms == 0 ? none : src_strides;
    const axis_nest nest = coalesce<4>(extents, {walked, dst_strides, none, none}, 0);
    const int lane_axis = find_lane_axis(nest);
    int run_axis = find_run_axis(nest);
    if (lane_axis >= 0) {
        loops.lanes = nest.extents[lane_axis];
        loops.src_lane_step = nest.strides[0][lane_axis] * loops.src_bytes;
        loops.dst_lane_step = nest.strides[1][lane_axis] * loops.dst_bytes;
    }
    const bool has_runs =
            run_axis >= 0 && nest.strides[0][run_axis] == 1 && nest.extents[run_axis] >= least_run;
    if (has_runs || loops.lanes < least_lanes)
        loops.path = reduce_path::runs;
    else
        run_axis = -1;
    loops.run_step = loops.src_bytes;
    for (int axis = 0; axis < nest.extents.rank(); ++axis) {
        const std::int64_t extent = nest.extents[axis];
        const std::int64_t src_step = nest.strides[0][axis] * loops.src_bytes;
        if (is_reduced(nest, axis)) {
            loops.terms *= extent;
            if (axis == run_axis) {
                loops.run = extent;
                loops.run_step = src_step;
            } else {
                loops.reduced.push_back(extent);
                loops.reduced_steps.push_back(src_step);
            }
        } else if (axis != lane_axis) {
            loops.outer *= extent;
            loops.kept.push_back(extent);
            loops.src_kept_steps.push_back(src_step);
            loops.dst_kept_steps.push_back(nest.strides[1][axis] * loops.dst_bytes);
        }
    }
    choose_blocks(loops);
    return loops;
}

} // namespace tern::kernels
