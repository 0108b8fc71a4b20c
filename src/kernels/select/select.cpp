// SPDX-License-Identifier: Apache-2.0
#include "kernels/select/select.hpp"

#include <algorithm>

#include "base/arithmetic.hpp"
#include "base/cpu.hpp"

namespace tern::kernels {
namespace {

/// Bytes that a thread should read and write at least. Measured with two threads of a 2-core AVX2
/// machine on dense f32, median microseconds on one thread and on two: 213 KB 2.4 and 3.1-4.8; 426
/// KB 4.6 and 4.0-6.8 (4.0 with this grain); 852 KB 13.4 and 8.9-10.9 (8.9); 1.7 MB 24.8 and 15-18.
/// Calling another thread costs 1.7.
constexpr std::int64_t grain_bytes = std::int64_t{128} << 10;

std::int64_t element_bytes(const select_loops &loops, std::size_t operand) {
    return operand == select_cond ? 1 : loops.lane_bytes;
}

/// dst contiguous along the inner axis, all others contiguous or broadcast.
bool is_vector_row(const loop_nest<4> &nest) {
    int inner = nest.extents.rank() - 1;
    if (inner < 0) return true;
    for (const dims &strides : nest.strides)
        if (strides[inner] > 1) return false;
    return nest.strides[select_dst][inner] == 1;
}

void move_axis(loop_nest<4> &nest, int from, int to) {
    std::rotate(nest.extents.begin() + from, nest.extents.begin() + from + 1,
            nest.extents.begin() + to + 1);
    for (dims &strides : nest.strides)
        std::rotate(strides.begin() + from, strides.begin() + from + 1, strides.begin() + to + 1);
}

/// For strided rows: the axis around the inner one is, if there is such a one, the axis along which
/// an operand that jumps within rows is contiguous. Short rows change places with long columns.
void arrange_strided(loop_nest<4> &nest) {
    constexpr std::int64_t short_row = 16;
    int inner = nest.extents.rank() - 1;
    if (inner < 1) return;
    auto serves = [&](int axis) {
        return std::any_of(nest.strides.begin(), nest.strides.end(),
                [&](const dims &strides) { return strides[inner] > 1 && strides[axis] == 1; });
    };
    for (int axis = inner - 1; axis >= 0; --axis)
        if (serves(axis)) {
            move_axis(nest, axis, inner - 1);
            break;
        }
    if (nest.extents[inner] < short_row && nest.extents[inner - 1] > nest.extents[inner])
        move_axis(nest, inner - 1, inner);
}

void set_plane(select_loops &loops) {
    const loop_nest<4> &nest = loops.nest;
    int rank = nest.extents.rank();
    select_rows &plane = loops.plane;
    plane.n = rank > 0 ? nest.extents[rank - 1] : 1;
    plane.rows = rank > 1 ? nest.extents[rank - 2] : 1;
    for (std::size_t operand = 0; operand < nest.strides.size(); ++operand) {
        std::int64_t bytes = element_bytes(loops, operand);
        const dims &strides = nest.strides[operand];
        plane.stride[operand] = rank > 0 ? strides[rank - 1] * bytes : bytes;
        plane.step[operand] = rank > 1 ? strides[rank - 2] * bytes : 0;
    }
}

/// Bytes of the longest rows for which packing is faster than a loop per row. Measured on AVX2 with
/// 512 and 16384 rows of 4-byte lanes, packed against per row:
/// a source that changes with the row must be spread over each: 32 bytes 1.2-1.5 times as fast, 64
/// bytes 0.7-0.8; the same for cond, which is a quarter as long and else mispredicts: 128 bytes
/// 0.8- 1.6, 192 bytes 0.6-1.2; the same row again and again is laid out once: 256 bytes 1.0-1.3,
/// 512 bytes 0.8-1.05.
std::int64_t longest_packed_row(const select_rows &plane, int lane_bytes) {
    auto changes = [&](std::size_t operand, std::int64_t bytes) {
        bool is_dense = plane.stride[operand] != 0 && plane.step[operand] == plane.n * bytes;
        return plane.step[operand] != 0 && !is_dense;
    };
    if (changes(select_src_0, lane_bytes) || changes(select_src_1, lane_bytes)) return 48;
    return changes(select_cond, 1) ? 128 : 256;
}

bool packs(const select_rows &plane, int lane_bytes) {
    constexpr std::int64_t fewest_rows = 8;
    return plane.rows >= fewest_rows && plane.step[select_dst] == plane.n * lane_bytes
           && plane.n * lane_bytes <= longest_packed_row(plane, lane_bytes);
}

/// In a tile all operands lie dense, but for a source that is one value throughout.
row_motion tile_motion(const select_rows &plane) {
    auto moves = [&](std::size_t operand) {
        return plane.stride[operand] != 0 || plane.step[operand] != 0;
    };
    return {true, moves(select_src_0), moves(select_src_1)};
}

/// An operand that jumps within rows is contiguous from row to row, or nearly so: in row order each
/// element would be in a cache line of its own.
bool has_columns(const select_loops &loops) {
    constexpr std::int64_t line = 64;
    const select_rows &plane = loops.plane;
    if (plane.rows == 1) return false;
    for (std::size_t operand = 0; operand < plane.stride.size(); ++operand) {
        std::int64_t stride = plane.stride[operand];
        std::int64_t step = plane.step[operand];
        bool is_column = step == element_bytes(loops, operand) && stride > step;
        if (is_column || (stride >= line && step < line)) return true;
    }
    return false;
}

/// Bytes read and written for an element, roughly; for what is not bound by memory, as many as a
/// vector loop does in the same time.
std::int64_t touched_bytes(const select_loops &loops) {
    if (loops.path == select_path::strided) return 32;
    if (loops.path == select_path::tiled) return std::max(4 * loops.lane_bytes, 16);
    std::int64_t element = loops.lane_bytes;
    for (std::size_t operand : {select_cond, select_src_0, select_src_1})
        element += loops.plane.stride[operand];
    return element;
}

/// Cuts the work into units of a quarter of a grain or more.
void split(select_loops &loops) {
    const select_rows &plane = loops.plane;
    std::int64_t element = touched_bytes(loops);
    loops.strip_rows = 1;
    if (loops.path == select_path::tiled) // Several tiles below one another: see run_tiled.
        loops.strip_rows = std::min<std::int64_t>(plane.rows, std::max(512 / loops.lane_bytes, 64));
    loops.cut_n = plane.n;
    std::int64_t strip_bytes = capped_product(loops.strip_rows * element, plane.n);
    std::int64_t pieces = strip_bytes / (grain_bytes / 4);
    if (pieces >= 2) {
        // Whole cache lines for any lane and for cond, and whole stretches (runs-inl.hpp).
        constexpr std::int64_t elements = 256;
        loops.cut_n = divide_up(divide_up(plane.n, pieces), elements) * elements;
    }
    loops.cuts = divide_up(plane.n, loops.cut_n);
    loops.grain = divide_up(grain_bytes, capped_product(loops.strip_rows * element, loops.cut_n));
    loops.units = loops.cuts * divide_up(plane.rows, loops.strip_rows);
    for (int axis = 0; axis + 2 < loops.nest.extents.rank(); ++axis)
        loops.units *= loops.nest.extents[axis];
}

/// Bytes of all operands' elements. They are distinct, but for broadcasting.
double all_bytes(const select_loops &loops) {
    double sum = 0;
    for (std::size_t operand = 0; operand < loops.nest.strides.size(); ++operand) {
        double bytes = static_cast<double>(element_bytes(loops, operand));
        for (int axis = 0; axis < loops.nest.extents.rank(); ++axis)
            if (loops.nest.strides[operand][axis] != 0)
                bytes *= static_cast<double>(loops.nest.extents[axis]);
        sum += bytes;
    }
    return sum;
}

} // namespace

select_loops make_select_loops(
        const dims &shape, const std::array<dims, 4> &strides, int lane_bytes) {
    select_loops loops{};
    loops.nest = coalesce<4>(shape, strides, select_dst);
    loops.lane_bytes = lane_bytes;
    loops.path = is_vector_row(loops.nest) ? select_path::vector : select_path::strided;
    if (loops.path == select_path::strided) arrange_strided(loops.nest);
    set_plane(loops);

    const select_rows &plane = loops.plane;
    loops.motion = {plane.stride[select_cond] != 0, plane.stride[select_src_0] != 0,
            plane.stride[select_src_1] != 0};
    if (loops.path == select_path::vector && packs(plane, lane_bytes)) {
        loops.path = select_path::packed;
        loops.motion = tile_motion(plane);
    }
    if (loops.path == select_path::strided && has_columns(loops)) loops.path = select_path::tiled;
    split(loops);

    // A store past the caches saves reading dst's lines first, and loses where the next reader
    // would find them in the cache. Measured on dense f32 with 32 MB of it: dst of 8 MB (27 MB in
    // all) 0.9-1.1 times as fast, 12 MB (41 MB) 1.7, 24 MB 1.9, 128 MB 1.2-1.3.
    loops.is_far = level_with_room(all_bytes(loops)) == memory_level::main;
    for (std::size_t operand = 0; operand < strides.size(); ++operand)
        loops.same_walk[operand] = element_bytes(loops, operand) == lane_bytes
                                   && loops.nest.strides[operand] == loops.nest.strides[select_dst];
    loops.vector = &find_vector_loops();
    return loops;
}

std::string_view select_target() {
    return find_target_name();
}

} // namespace tern::kernels
