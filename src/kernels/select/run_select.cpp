// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include <hwy/cache_control.h>

#include "base/arithmetic.hpp"
#include "base/mutation.hpp"
#include "base/parallel.hpp"
#include "kernels/select/select.hpp"

namespace tern::kernels {
namespace {

/// The operands' first elements, in some part of the work.
struct pointers {
    const std::uint8_t *cond;
    const std::uint8_t *src_0;
    const std::uint8_t *src_1;
    std::uint8_t *dst;

    void advance(const per_operand<std::int64_t> &bytes, std::int64_t times) {
        cond += bytes[select_cond] * times;
        src_0 += bytes[select_src_0] * times;
        src_1 += bytes[select_src_1] * times;
        dst += bytes[select_dst] * times;
    }
};

select_rows block_at(const select_rows &plane, const pointers &at) {
    select_rows block = plane;
    block.cond = at.cond;
    block.src_0 = at.src_0;
    block.src_1 = at.src_1;
    block.dst = at.dst;
    return block;
}

// ---- short rows --------------------------------------------------------------------------------

/// Bytes of one operand in a tile: three of them and dst fit in any L1.
constexpr std::int64_t tile_bytes = 4096;

/// Presents one operand as dense elements, row after row, for tiles of a block of rows.
class packed_operand {
public:
    packed_operand(const vector_loops &vector, const select_rows &block, std::size_t operand,
            const std::uint8_t *first, int bytes)
        : repeat_(vector.repeat[lane_index(bytes)]),
          at_(first),
          stride_(block.stride[operand]),
          step_(block.step[operand]),
          n_(block.n),
          row_bytes_(block.n * bytes) {}

    /// Where the next `rows` rows lie. Never more rows than the first time.
    const std::uint8_t *take(std::int64_t rows) {
        const std::uint8_t *from = at_;
        at_ += step_ * rows;
        if (stride_ != 0 && step_ == row_bytes_) return from;
        if (step_ == 0 && filled_) return tile_;
        filled_ = true;
        if (stride_ == 0)
            repeat_(from, step_, rows, n_, tile_);
        else if (step_ == 0)
            fill_with_copies(from, rows);
        else
            for (std::int64_t row = 0; row < rows; ++row)
                std::memcpy(tile_ + row * row_bytes_, from + row * step_,
                        static_cast<std::size_t>(row_bytes_));
        return tile_;
    }

private:
    /// What is there is doubled until all is there.
    void fill_with_copies(const std::uint8_t *row, std::int64_t rows) {
        std::memcpy(tile_, row, static_cast<std::size_t>(row_bytes_));
        std::int64_t all = rows * row_bytes_;
        for (std::int64_t done = row_bytes_; done < all; done *= 2)
            std::memcpy(tile_ + done, tile_, static_cast<std::size_t>(std::min(done, all - done)));
    }

    vector_loops::repeat_function repeat_;
    const std::uint8_t *at_;
    std::int64_t stride_;
    std::int64_t step_;
    std::int64_t n_;
    std::int64_t row_bytes_;
    bool filled_ = false;
    alignas(64) std::uint8_t tile_[tile_bytes + repeat_slack];
};

void run_packed(const select_loops &loops, rows_function run, const select_rows &block) {
    int bytes = loops.lane_bytes;
    packed_operand cond(*loops.vector, block, select_cond, block.cond, 1);
    packed_operand src_0(*loops.vector, block, select_src_0, block.src_0, bytes);
    packed_operand src_1(*loops.vector, block, select_src_1, block.src_1, bytes);
    std::int64_t most_rows = tile_bytes / (block.n * bytes);
    select_rows tile = block;
    // A source that is one value throughout stays one.
    tile.stride = {1, loops.motion.src_0 ? bytes : 0, loops.motion.src_1 ? bytes : 0, bytes};
    for (std::int64_t row = 0; row < block.rows; row += most_rows) {
        std::int64_t rows = std::min(most_rows, block.rows - row);
        tile.rows = 1;
        tile.n = rows * block.n;
        tile.cond = cond.take(rows);
        if (loops.motion.src_0) tile.src_0 = src_0.take(rows);
        if (loops.motion.src_1) tile.src_1 = src_1.take(rows);
        tile.dst = block.dst + row * block.step[select_dst];
        run(tile);
    }
}

// ---- the walk ----------------------------------------------------------------------------------

/// Goes over the planes of inner axes.
class outer_walk {
public:
    outer_walk(const select_loops &loops, const pointers &base, std::int64_t plane)
        : loops_(loops),
          axes_(std::max(loops.nest.extents.rank() - 2, 0)),
          at_(base) {
        for (int axis = axes_ - 1; axis >= 0; --axis) {
            std::int64_t extent = loops_.nest.extents[axis];
            index_[axis] = plane % extent;
            plane /= extent;
            at_.advance(bytes(axis), index_[axis]);
        }
    }

    const pointers &at() const { return at_; }

    void next() {
        for (int axis = axes_ - 1; axis >= 0; --axis) {
            at_.advance(bytes(axis), 1);
            if (++index_[axis] < loops_.nest.extents[axis]) return;
            at_.advance(bytes(axis), -index_[axis]);
            index_[axis] = 0;
        }
    }

private:
    per_operand<std::int64_t> bytes(int axis) const {
        const auto &strides = loops_.nest.strides;
        return {strides[select_cond][axis], strides[select_src_0][axis] * loops_.lane_bytes,
                strides[select_src_1][axis] * loops_.lane_bytes,
                strides[select_dst][axis] * loops_.lane_bytes};
    }

    const select_loops &loops_;
    int axes_;
    pointers at_;
    std::int64_t index_[max_rank];
};

class select_run {
public:
    select_run(const select_loops &loops, const pointers &base)
        : loops_(loops),
          base_(base),
          memory_(!loops.is_far  ? memory::cached
                  : may_stream() ? memory::streamed
                                 : memory::far),
          function_(loops.vector->find(loops.lane_bytes, memory_, loops.motion)) {}

    void run_units(std::int64_t begin, std::int64_t end) const noexcept {
        std::int64_t strips = divide_up(loops_.plane.rows, loops_.strip_rows);
        std::int64_t per_plane = strips * loops_.cuts;
        outer_walk walk(loops_, base_, begin / per_plane);
        for (std::int64_t first = begin % per_plane; begin < end; first = 0, walk.next()) {
            std::int64_t count = std::min(per_plane - first, end - begin);
            run_in_plane(walk.at(), first, first + count);
            begin += count;
        }
        if (memory_ == memory::streamed) hwy::FlushStream();
    }

private:
    bool is_in_place(std::size_t operand, const std::uint8_t *first) const {
        return first == base_.dst && loops_.same_walk[operand];
    }

    bool may_stream() const {
        auto dst = reinterpret_cast<std::uintptr_t>(base_.dst);
        // In place, what is written has just been read, and is in the cache.
        bool in_place = is_in_place(select_src_0, base_.src_0)
                        || is_in_place(select_src_1, base_.src_1) || base_.dst == base_.cond;
        bool writes_rows = loops_.plane.stride[select_dst] == loops_.lane_bytes;
        return !in_place && writes_rows
               && dst % static_cast<std::uintptr_t>(loops_.lane_bytes) == 0;
    }

    void run_in_plane(const pointers &plane, std::int64_t begin, std::int64_t end) const {
        if (loops_.cuts == 1) return run_strips(plane, begin, end, 0, loops_.plane.n);
        while (begin < end) {
            std::int64_t cut = begin % loops_.cuts;
            std::int64_t count = std::min(loops_.cuts - cut, end - begin);
            std::int64_t from = cut * loops_.cut_n;
            std::int64_t n = std::min(count * loops_.cut_n, loops_.plane.n - from);
            std::int64_t strip = begin / loops_.cuts;
            run_strips(plane, strip, strip + 1, from, n);
            begin += count;
        }
    }

    /// The elements [from, from + n) of the rows of some strips.
    void run_strips(const pointers &plane, std::int64_t begin, std::int64_t end, std::int64_t from,
            std::int64_t n) const {
        const select_rows &rows = loops_.plane;
        std::int64_t first = begin * loops_.strip_rows;
        pointers at = plane;
        at.advance(rows.step, first);
        at.advance(rows.stride, from);
        select_rows block = block_at(rows, at);
        block.rows = std::min(end * loops_.strip_rows, rows.rows) - first;
        block.n = n;
        if (is_mutated(mutation::last_row_lost) && block.rows > 1) --block.rows;
        if (is_mutated(mutation::row_tail_lost) && n > 8) block.n = n / 8 * 8;
        run_block(block);
    }

    void run_block(const select_rows &block) const {
        switch (loops_.path) {
            case select_path::packed: return run_packed(loops_, function_, block);
            case select_path::tiled: return run_tiled(block, loops_.lane_bytes, function_);
            case select_path::strided: return run_elements(block, loops_.lane_bytes);
            case select_path::vector: return function_(block);
        }
    }

    const select_loops &loops_;
    pointers base_;
    memory memory_;
    rows_function function_;
};

/// For mutation::flip_lane.
void flip_middle_element(const select_loops &loops, std::uint8_t *dst) {
    for (int axis = 0; axis < loops.nest.extents.rank(); ++axis)
        dst += loops.nest.extents[axis] / 2 * loops.nest.strides[select_dst][axis]
               * loops.lane_bytes;
    *dst = static_cast<std::uint8_t>(*dst ^ 1);
}

} // namespace

void run_select(const select_loops &loops, const std::uint8_t *cond, const void *src_0,
        const void *src_1, void *dst) noexcept {
    const select_run run(loops,
            {cond, static_cast<const std::uint8_t *>(src_0),
                    static_cast<const std::uint8_t *>(src_1), static_cast<std::uint8_t *>(dst)});
    parallel_for(loops.units, loops.grain,
            [&run](std::int64_t begin, std::int64_t end) noexcept { run.run_units(begin, end); });
    if (is_mutated(mutation::flip_lane))
        flip_middle_element(loops, static_cast<std::uint8_t *>(dst));
}

} // namespace tern::kernels
