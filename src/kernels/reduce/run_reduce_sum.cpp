// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>

#include "base/mutation.hpp"
#include "base/parallel.hpp"
#include "kernels/copy_plane.hpp"
#include "kernels/offset_walk.hpp"
#include "kernels/reduce/reduce_limits.hpp"
#include "kernels/reduce/reduce_parts.hpp"
#include "kernels/reduce/reduce_sum.hpp"

namespace tern::kernels {
namespace {

constexpr std::size_t levels = 4;
/// Sums of one level that are added up to one of the next.
constexpr std::int64_t level_terms = 16;

/// Evenly cuts [0, n) into `parts` parts: where part `index` begins.
std::int64_t cut(std::int64_t n, std::int64_t parts, std::int64_t index) {
    return n / parts * index + std::min(n % parts, index);
}

/// Sums side by side, of many terms: those of each level are of level_terms of the one below.
template <typename Sum, std::int64_t Most>
class cascade {
public:
    explicit cascade(std::int64_t columns) : columns_(columns) { clear(0); }

    /// Where the next terms are to be added.
    Sum *sums() { return sums_[0]; }
    /// After terms were added.
    void carry() {
        ++count_;
        std::int64_t period = level_terms;
        for (std::size_t level = 0; level + 1 < levels; ++level, period *= level_terms) {
            if (count_ % period != 0) return;
            if (level + 1 == used_) clear(used_++);
            add(level + 1, level);
            clear(level);
        }
    }
    /// Brings all together in sums().
    void finish() {
        for (std::size_t level = 1; level < used_; ++level)
            add(0, level);
    }

private:
    void clear(std::size_t level) { std::fill_n(sums_[level], columns_, Sum{0}); }
    void add(std::size_t to, std::size_t from) {
        for (std::int64_t i = 0; i < columns_; ++i)
            sums_[to][i] = sums_[to][i] + sums_[from][i];
    }

    std::int64_t columns_;
    std::int64_t count_ = 0;
    std::size_t used_ = 1; ///< Levels; the others have not been written.
    alignas(64) Sum sums_[levels][Most];
};

constexpr std::int64_t packed_bytes = rows_at_once * most_sums * 8;

/// The sums of blocks; of one part of their terms if there are several.
template <typename Sum>
class block_sums {
public:
    explicit block_sums(const reduce_loops &loops)
        : loops_(loops),
          functions_(loops.vector->of(loops.src_type)) {}

    /// The terms [begin, end) of `columns` sums, the first of which has its first term at `src`.
    void compute(const std::uint8_t *src, std::int64_t columns, std::int64_t begin,
            std::int64_t end, Sum *sums) {
        if (loops_.path == reduce_path::columns) return add_rows(src, columns, begin, end, sums);
        for (std::int64_t i = 0; i < columns; ++i)
            sums[i] = sum_runs(src + i * loops_.src_lane_step, begin, end);
    }

    void store(const Sum *sums, std::int64_t columns, std::uint8_t *dst) {
        const auto put = loops_.vector->of(loops_.dst_type).store;
        if (loops_.dst_lane_step == loops_.dst_bytes || columns == 1)
            return put(sums, columns, dst);
        put(sums, columns, packed_);
        copy_plane({packed_, 0, loops_.dst_bytes}, {dst, 0, loops_.dst_lane_step}, 1, columns,
                loops_.dst_bytes);
    }

private:
    void add_rows(const std::uint8_t *src, std::int64_t columns, std::int64_t begin,
            std::int64_t end, Sum *sums) {
        cascade<Sum, most_sums> total(columns);
        offset_walk<1> walk(loops_.reduced, {&loops_.reduced_steps}, begin);
        const bool packs = loops_.src_lane_step != loops_.src_bytes && columns > 1;
        const std::int64_t packed_row = columns * loops_.src_bytes;
        std::array<const std::uint8_t *, rows_at_once> rows{};
        for (std::int64_t row = begin; row < end; row += rows_at_once) {
            const std::int64_t count = std::min<std::int64_t>(rows_at_once, end - row);
            for (std::int64_t i = 0; i < count; ++i, walk.next()) {
                const std::uint8_t *&from = rows[static_cast<std::size_t>(i)];
                from = src + walk.at(0);
                if (!packs) continue;
                std::uint8_t *to = packed_ + i * packed_row;
                copy_plane({from, 0, loops_.src_lane_step}, {to, 0, loops_.src_bytes}, 1, columns,
                        loops_.src_bytes);
                from = to;
            }
            functions_.add(rows.data(), count, columns, total.sums());
            total.carry();
        }
        total.finish();
        std::copy_n(total.sums(), columns, sums);
    }

    Sum sum_runs(const std::uint8_t *src, std::int64_t begin, std::int64_t end) {
        if (loops_.reduced.empty()) return sum_run(src + begin * loops_.run_step, end - begin);
        cascade<Sum, 1> total(1);
        offset_walk<1> walk(loops_.reduced, {&loops_.reduced_steps}, begin / loops_.run);
        for (std::int64_t first = begin % loops_.run; begin < end; first = 0, walk.next()) {
            const std::int64_t n = std::min(loops_.run - first, end - begin);
            *total.sums() = *total.sums() + sum_run(src + walk.at(0) + first * loops_.run_step, n);
            total.carry();
            begin += n;
        }
        total.finish();
        return *total.sums();
    }

    Sum sum_run(const std::uint8_t *src, std::int64_t n) {
        Sum sum = 0;
        if (loops_.run_step == loops_.src_bytes) {
            functions_.sum(src, n, &sum);
            return sum;
        }
        cascade<Sum, 1> total(1);
        const std::int64_t most = packed_bytes / 8;
        for (std::int64_t i = 0; i < n; i += most) {
            const std::int64_t count = std::min(most, n - i);
            copy_plane({src + i * loops_.run_step, 0, loops_.run_step},
                    {packed_, 0, loops_.src_bytes}, 1, count, loops_.src_bytes);
            functions_.sum(packed_, count, &sum);
            *total.sums() = *total.sums() + sum;
            total.carry();
        }
        total.finish();
        return *total.sums();
    }

    const reduce_loops &loops_;
    const reduce_parts::functions &functions_;
    alignas(64) std::uint8_t packed_[packed_bytes];
};

/// Where a block lies.
struct block_place {
    std::int64_t columns;
    std::int64_t src; ///< Offset of that sum's first term.
    std::int64_t dst;
    std::int64_t sum; ///< Its index among all sums.
};

block_place place_of(const reduce_loops &loops, std::int64_t block) {
    const std::int64_t outer = block / loops.blocks;
    const offset_walk<2> walk(loops.kept, {&loops.src_kept_steps, &loops.dst_kept_steps}, outer);
    const std::int64_t first = block % loops.blocks * loops.columns;
    return {std::min(loops.columns, loops.lanes - first), walk.at(0) + first * loops.src_lane_step,
            walk.at(1) + first * loops.dst_lane_step, outer * loops.lanes + first};
}

template <typename Sum>
void run_blocks(const reduce_loops &loops, const std::uint8_t *src, std::uint8_t *dst) {
    parallel_for(loops.outer * loops.blocks, loops.grain,
            [&](std::int64_t begin, std::int64_t end) noexcept {
                block_sums<Sum> blocks(loops);
                alignas(64) Sum sums[most_sums];
                for (std::int64_t block = begin; block < end; ++block) {
                    const block_place place = place_of(loops, block);
                    blocks.compute(src + place.src, place.columns, 0, loops.terms, sums);
                    blocks.store(sums, place.columns, dst + place.dst);
                }
            });
}

template <typename Sum>
void run_parts(const reduce_loops &loops, const std::uint8_t *src, std::uint8_t *dst) {
    alignas(64) Sum partial[most_partial_sums]; // by part, then by sum
    const std::int64_t sums = loops.outer * loops.lanes;
    const std::int64_t blocks = loops.outer * loops.blocks;
    parallel_for(
            blocks * loops.parts, loops.grain, [&](std::int64_t begin, std::int64_t end) noexcept {
                block_sums<Sum> run(loops);
                for (std::int64_t unit = begin; unit < end; ++unit) {
                    const block_place place = place_of(loops, unit / loops.parts);
                    const std::int64_t part = unit % loops.parts;
                    run.compute(src + place.src, place.columns, cut(loops.terms, loops.parts, part),
                            cut(loops.terms, loops.parts, part + 1),
                            partial + part * sums + place.sum);
                }
            });
    for (std::int64_t n = loops.parts; n > 1;) {
        const std::int64_t half = (n + 1) / 2;
        for (std::int64_t i = 0; i < (n - half) * sums; ++i)
            partial[i] = partial[i] + partial[half * sums + i];
        n = half;
    }
    block_sums<Sum> run(loops);
    for (std::int64_t block = 0; block < blocks; ++block) {
        const block_place place = place_of(loops, block);
        run.store(partial + place.sum, place.columns, dst + place.dst);
    }
}

template <typename Sum>
void run(const reduce_loops &loops, const std::uint8_t *src, std::uint8_t *dst) {
    if (loops.parts == 1)
        run_blocks<Sum>(loops, src, dst);
    else
        run_parts<Sum>(loops, src, dst);
}

} // namespace

void run_reduce_sum(const reduce_loops &loops, const void *src, void *dst) noexcept {
    const auto *from = static_cast<const std::uint8_t *>(src);
    auto *to = static_cast<std::uint8_t *>(dst);
    if (loops.src_type == data_type::s64)
        run<std::uint64_t>(loops, from, to);
    else if (loops.src_type == data_type::s32)
        run<std::uint32_t>(loops, from, to);
    else
        run<float>(loops, from, to);
    if (is_mutated(mutation::flip_lane)) to[loops.dst_bytes - 1] ^= std::uint8_t{0x40};
}

} // namespace tern::kernels
