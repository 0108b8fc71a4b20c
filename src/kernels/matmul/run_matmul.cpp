// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/parallel.hpp"
#include "kernels/matmul/matmul.hpp"
#include "kernels/matmul/tile.hpp"

namespace tern::kernels {
namespace {

struct call {
    const matmul_loops &loops;
    const std::uint8_t *a;
    const std::uint8_t *b;
    const tile_sink &sink;
    std::uint8_t *scratch;
    const float *packed; ///< All of b, or null.
    packed_layout layout;
};

/// Which tile a unit is. Units that read the same columns of b follow one another.
struct tile_place {
    std::int64_t batch;
    std::int64_t row;
    std::int64_t column;
};

bool all_zero(const dims &strides) {
    return std::all_of(strides.begin(), strides.end(), [](std::int64_t s) { return s == 0; });
}

tile_place place_of(const matmul_loops &loops, std::int64_t unit) {
    const matmul_problem &problem = loops.problem;
    const std::int64_t row_tiles = divide_up(problem.m, loops.tile_rows);
    const std::int64_t column_tiles = divide_up(problem.n, loops.tile_columns);
    const std::int64_t row = unit % row_tiles * loops.tile_rows;
    unit /= row_tiles;
    if (all_zero(problem.b.batch_strides))
        return {unit % loops.batches, row, unit / loops.batches * loops.tile_columns};
    return {unit / column_tiles, row, unit % column_tiles * loops.tile_columns};
}

/// In bytes, from the operand's first element.
std::int64_t offset_of(const matmul_problem &problem, const matmul_operand &operand,
        std::int64_t batch, std::int64_t row, std::int64_t column) {
    std::int64_t at = row * operand.row_stride + column * operand.column_stride;
    for (int axis = problem.batch.rank() - 1; axis >= 0; --axis) {
        at += batch % problem.batch[axis] * operand.batch_strides[axis];
        batch /= problem.batch[axis];
    }
    return at * static_cast<std::int64_t>(bytes_of(operand.type));
}

packed_layout layout_of(const matmul_loops &loops) {
    const matmul_problem &problem = loops.problem;
    packed_layout layout;
    layout.column_tiles = divide_up(problem.n, loops.tile_columns);
    layout.k_blocks = divide_up(problem.k, loops.block_k);
    layout.batches = 1;
    for (int axis = 0; axis < problem.batch.rank(); ++axis)
        if (problem.b.batch_strides[axis] != 0) layout.batches *= problem.batch[axis];
    layout.elements = static_cast<std::int64_t>(loops.packed_b / sizeof(float));
    return layout;
}

/// Which of b's batches one of the result's reads, as layout_of counts them.
std::int64_t batch_of_b(const matmul_problem &problem, std::int64_t batch) {
    std::int64_t number = 0;
    std::int64_t step = 1;
    for (int axis = problem.batch.rank() - 1; axis >= 0; --axis) {
        if (problem.b.batch_strides[axis] != 0) {
            number += batch % problem.batch[axis] * step;
            step *= problem.batch[axis];
        }
        batch /= problem.batch[axis];
    }
    return number;
}

/// In bytes, from b's first element: where one of its batches begins, as layout_of counts them.
std::int64_t offset_of_b(const matmul_problem &problem, std::int64_t batch) {
    std::int64_t at = 0;
    for (int axis = problem.batch.rank() - 1; axis >= 0; --axis) {
        if (problem.b.batch_strides[axis] == 0) continue;
        at += batch % problem.batch[axis] * problem.b.batch_strides[axis];
        batch /= problem.batch[axis];
    }
    return at * static_cast<std::int64_t>(bytes_of(problem.b.type));
}

bool aligned(const std::uint8_t *pointer) {
    return reinterpret_cast<std::uintptr_t>(pointer) % alignof(float) == 0;
}

/// A thread's part of scratch, and what it holds from one unit to the next.
class slab {
public:
    slab(const call &of, std::int64_t number) : call_(of) {
        std::uint8_t *at = of.scratch + number * static_cast<std::int64_t>(of.loops.thread_scratch);
        work_.packed_a = reinterpret_cast<float *>(at);
        at += of.loops.packed_a;
        work_.packed_b = reinterpret_cast<float *>(at);
        at += of.loops.packed_b;
        work_.tile = reinterpret_cast<float *>(at);
        sink_scratch_ = at + of.loops.tile_bytes;
        work_.direct_a = of.loops.direct_a && aligned(of.a);
        work_.direct_b = of.loops.direct_b && !of.packed && aligned(of.b);
        work_.kept_elements = of.layout.elements;
    }

    void run(std::int64_t unit) noexcept {
        const matmul_loops &loops = call_.loops;
        const matmul_problem &problem = loops.problem;
        const tile_place place = place_of(loops, unit);
        work_.a = call_.a;
        work_.b = call_.b;
        if (problem.k > 0) { // Else there is nothing to point to, perhaps not even a block.
            work_.a += offset_of(problem, problem.a, place.batch, place.row, 0);
            if (call_.packed) {
                const packed_layout &layout = call_.layout;
                const std::int64_t tile = batch_of_b(problem, place.batch) * layout.column_tiles
                                          + place.column / loops.tile_columns;
                work_.kept_b = call_.packed + tile * layout.k_blocks * layout.elements;
            } else {
                work_.b += offset_of(problem, problem.b, place.batch, 0, place.column);
            }
        }
        work_.rows = std::min(loops.tile_rows, problem.m - place.row);
        work_.columns = std::min(loops.tile_columns, problem.n - place.column);
        loops.code->run_tile(loops, work_);
        matmul_tile tile = {work_.tile, loops.tile_stride, place.batch, place.row, place.column,
                work_.rows, work_.columns, sink_scratch_};
        if (loops.transposed) { // One row, which is one column to the caller.
            tile.stride = 1;
            std::swap(tile.row, tile.column);
            std::swap(tile.rows, tile.columns);
        }
        call_.sink.call(call_.sink.context, tile);
    }

private:
    const call &call_;
    tile_work work_ = {};
    void *sink_scratch_ = nullptr;
};

constexpr std::int64_t most_slabs = 128;

/// Deals units out in shares, one per slab. A thread that is done with its own takes from others.
class unit_shares {
public:
    unit_shares(std::int64_t units, std::int64_t shares) : units_(units), shares_(shares) {
        for (std::int64_t share = 0; share < shares; ++share)
            next(share).store(first(share), std::memory_order_relaxed);
    }

    template <typename Work>
    void take_all(std::int64_t own, const Work &work) noexcept {
        for (std::int64_t i = 0; i < shares_; ++i) {
            const std::int64_t share = (own + i) % shares_;
            const std::int64_t end = first(share + 1);
            for (;;) {
                const std::int64_t unit = next(share).fetch_add(1, std::memory_order_relaxed);
                if (unit >= end) break;
                work(unit);
            }
        }
    }

private:
    struct alignas(64) counter {
        std::atomic<std::int64_t> value;
    };
    std::int64_t first(std::int64_t share) const {
        return units_ / shares_ * share + std::min(units_ % shares_, share);
    }
    std::atomic<std::int64_t> &next(std::int64_t share) {
        return next_[static_cast<std::size_t>(share)].value;
    }

    std::int64_t units_;
    std::int64_t shares_;
    std::array<counter, most_slabs> next_; // By share: the unit to be taken next.
};

} // namespace

std::size_t packed_b_bytes(const matmul_loops &loops) {
    const bool is_packed = loops.path == matmul_path::panels && !loops.transposed && !loops.direct_b
                           && loops.problem.k > 0;
    if (!is_packed) return 0;
    const packed_layout layout = layout_of(loops);
    const std::int64_t blocks = layout.batches * layout.column_tiles * layout.k_blocks;
    // A b whose elements share memory may be larger than any memory.
    constexpr double most = 1e15;
    if (static_cast<double>(loops.packed_b) * static_cast<double>(blocks) > most) return 0;
    return loops.packed_b * static_cast<std::size_t>(blocks);
}

void pack_b(const matmul_loops &loops, const void *b, void *to) noexcept {
    const packed_layout layout = layout_of(loops);
    const matmul_problem &problem = loops.problem;
    const auto element = static_cast<std::int64_t>(bytes_of(problem.b.type));
    const std::int64_t blocks = layout.batches * layout.column_tiles * layout.k_blocks;
    constexpr std::int64_t elements_of_grain = 32768;
    const std::int64_t grain = std::max<std::int64_t>(elements_of_grain / layout.elements, 1);
    parallel_for(blocks, grain, [&](std::int64_t begin, std::int64_t end) noexcept {
        for (std::int64_t block = begin; block < end; ++block) {
            const std::int64_t first_k = block % layout.k_blocks * loops.block_k;
            const std::int64_t tile = block / layout.k_blocks;
            const std::int64_t column = tile % layout.column_tiles * loops.tile_columns;
            const std::int64_t at =
                    offset_of_b(problem, tile / layout.column_tiles)
                    + (first_k * problem.b.row_stride + column * problem.b.column_stride) * element;
            loops.code->pack_b(loops, static_cast<const std::uint8_t *>(b) + at,
                    std::min(loops.block_k, problem.k - first_k),
                    std::min(loops.tile_columns, problem.n - column),
                    static_cast<float *>(to) + block * layout.elements);
        }
    });
}

void run_matmul(const matmul_loops &loops, const void *a, const void *b, const tile_sink &sink,
        void *scratch, const void *packed) noexcept {
    if (loops.transposed) std::swap(a, b);
    const call all = {loops, static_cast<const std::uint8_t *>(a),
            static_cast<const std::uint8_t *>(b), sink, static_cast<std::uint8_t *>(scratch),
            static_cast<const float *>(packed), packed ? layout_of(loops) : packed_layout{}};
    const std::int64_t shares = std::min({loops.slabs, loops.units / loops.grain,
            static_cast<std::int64_t>(max_concurrency()), most_slabs});
    if (shares <= 1) {
        slab own(all, 0);
        for (std::int64_t unit = 0; unit < loops.units; ++unit)
            own.run(unit);
        return;
    }
    // A share is one thread's at a time, and so is the slab of the same number.
    unit_shares queue(loops.units, shares);
    parallel_for(shares, 1, [&](std::int64_t begin, std::int64_t end) noexcept {
        for (std::int64_t share = begin; share < end; ++share) {
            slab own(all, share);
            queue.take_all(share, [&](std::int64_t unit) noexcept { own.run(unit); });
        }
    });
}

} // namespace tern::kernels
