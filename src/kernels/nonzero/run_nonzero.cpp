// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <span>

#include <hwy/cache_control.h>

#include "base/arithmetic.hpp"
#include "base/cpu.hpp"
#include "base/mutation.hpp"
#include "base/parallel.hpp"
#include "base/shape.hpp"
#include "kernels/nonzero/nonzero.hpp"
#include "kernels/offset_walk.hpp"
#include "kernels/select/select_rows.hpp"

namespace tern::kernels {
namespace {

constexpr std::int64_t word_n = 64;

/// What the first pass leaves for the second one.
struct marks {
    std::int64_t *first; ///< By block: how many come before it; then the count.
    std::uint64_t *bits; ///< By element, unless a block is listed.

    marks(const nonzero_loops &loops, void *scratch)
        : first(static_cast<std::int64_t *>(scratch)),
          bits(static_cast<std::uint64_t *>(scratch) + loops.blocks + 1) {}

    std::uint64_t *bits_at(std::int64_t element) const { return bits + element / word_n; }
    /// Of a listed block, in place of its bits: for each chunk how many there are, and where in the
    /// chunk.
    std::uint16_t *lists_at(std::int64_t element) const {
        return reinterpret_cast<std::uint16_t *>(bits_at(element));
    }
};

/// A block of few elements is listed by the first pass: it has the bits in its hands, and time,
/// as it waits for memory.
bool is_listed(const nonzero_loops &loops, std::int64_t block_n, std::int64_t count) {
    if (!loops.can_list) return false;
    const std::int64_t chunk_n = loops.sparse.chunk_n();
    const std::int64_t room = block_n / word_n * std::int64_t{sizeof(std::uint64_t) / 2};
    return divide_up(block_n, chunk_n) + count + list_slack <= room;
}

bit_density density(std::int64_t count, std::int64_t words) {
    // Where there are so many on average, hardly any word has more than two, four, eight.
    if (4 * count <= 3 * words) return bit_density::two;
    if (2 * count <= 3 * words) return bit_density::four;
    return count <= 4 * words ? bit_density::eight : bit_density::many;
}

// ---- first pass --------------------------------------------------------------------------------

template <std::size_t Bytes>
void copy_run(const std::uint8_t *from, std::int64_t step, std::int64_t n, std::uint8_t *to) {
    for (std::int64_t i = 0; i < n; ++i, from += step, to += Bytes)
        std::memcpy(to, from, Bytes);
}

void copy_run(
        const std::uint8_t *from, std::int64_t step, std::int64_t n, int bytes, std::uint8_t *to) {
    if (step == bytes) {
        std::memcpy(to, from, static_cast<std::size_t>(n * bytes));
        return;
    }
    switch (bytes) {
        case 1: return copy_run<1>(from, step, n, to);
        case 2: return copy_run<2>(from, step, n, to);
        case 4: return copy_run<4>(from, step, n, to);
        case 8: return copy_run<8>(from, step, n, to);
        default: return copy_run<16>(from, step, n, to);
    }
}

/// Goes through a strided tensor in row-major order.
class run_reader {
public:
    run_reader(const nonzero_loops &loops, const std::uint8_t *x, std::int64_t first)
        : loops_(loops),
          x_(x),
          rank_(loops.extents.rank()),
          row_n_(loops.extents[rank_ - 1]),
          step_(loops.steps[rank_ - 1]),
          at_(first % row_n_) {
        outer_.assign(loops.extents.begin(), loops.extents.end() - 1);
        outer_steps_.assign(loops.steps.begin(), loops.steps.end() - 1);
        walk_.emplace(outer_, std::array<const dims *, 1>{&outer_steps_}, first / row_n_);
    }
    run_reader(const run_reader &) = delete;
    run_reader &operator=(const run_reader &) = delete;

    /// The next n elements, dense.
    void read(std::int64_t n, std::uint8_t *to) {
        while (n > 0) {
            const std::int64_t run = std::min(n, row_n_ - at_);
            const int bytes = loops_.element.bytes;
            copy_run(x_ + walk_->at(0) + at_ * step_, step_, run, bytes, to);
            to += run * bytes;
            n -= run;
            at_ += run;
            if (at_ < row_n_) return;
            at_ = 0;
            walk_->next();
        }
    }

private:
    const nonzero_loops &loops_;
    const std::uint8_t *x_;
    int rank_;
    std::int64_t row_n_;
    std::int64_t step_;
    std::int64_t at_; ///< In the row.
    dims outer_;
    dims outer_steps_;
    std::optional<offset_walk<1>> walk_;
};

std::int64_t mark_strided(const nonzero_loops &loops, const std::uint8_t *x, std::int64_t begin,
        std::int64_t end, std::uint64_t *bits) {
    constexpr std::int64_t tile_n = 512;
    alignas(64) std::array<std::uint8_t, tile_n * 16> tile;
    auto mark = loops.parts->mark[lane_index(loops.element.bytes)];
    run_reader reader(loops, x, begin);
    std::int64_t count = 0;
    for (std::int64_t at = begin; at < end; at += tile_n) {
        const std::int64_t n = std::min(tile_n, end - at);
        reader.read(n, tile.data());
        const std::int64_t words = divide_up(n, word_n);
        const auto bytes = static_cast<std::size_t>(loops.element.bytes);
        std::memset(tile.data() + static_cast<std::size_t>(n) * bytes, 0,
                static_cast<std::size_t>(words * word_n - n) * bytes);
        count += mark(tile.data(), words, loops.element.mask.data(), bits + (at - begin) / word_n);
    }
    return count;
}

/// Elements [begin, end).
std::int64_t mark_block(const nonzero_loops &loops, const std::uint8_t *x, std::int64_t begin,
        std::int64_t end, std::uint64_t *bits) {
    if (!loops.is_dense) return mark_strided(loops, x, begin, end, bits);
    const std::int64_t words = (end - begin) / word_n;
    const std::int64_t whole = begin + words * word_n;
    std::int64_t count = 0;
    if (words > 0)
        count = loops.parts->mark[lane_index(loops.element.bytes)](
                x + begin * loops.element.bytes, words, loops.element.mask.data(), bits);
    // The last few elements: no byte beyond them is read.
    if (whole < end) count += mark_strided(loops, x, whole, end, bits + words);
    return count;
}

/// Lists a block; returns the count of its elements, or none when there are too many of them.
std::optional<std::int64_t> list_block(const nonzero_loops &loops, const std::uint8_t *x,
        std::int64_t begin, std::int64_t end, std::uint16_t *lists) {
    const std::int64_t chunk_n = loops.sparse.chunk_n();
    std::array<std::uint64_t, most_chunk_n / word_n> bits;
    std::int64_t count = 0;
    for (std::int64_t at = begin; at < end; at += chunk_n) {
        const std::int64_t n = std::min(chunk_n, end - at);
        const std::int64_t listed = mark_block(loops, x, at, at + n, bits.data());
        count += listed;
        if (!is_listed(loops, end - begin, count)) return std::nullopt;
        const bit_density few = density(listed, divide_up(n, word_n));
        *lists++ = static_cast<std::uint16_t>(listed);
        if (listed > 0)
            lists +=
                    loops.parts->expand[static_cast<std::size_t>(few)](bits.data(), 0, n, 0, lists);
    }
    return count;
}

// ---- second pass -------------------------------------------------------------------------------

class block_writer {
public:
    block_writer(const nonzero_loops &loops, const marks &found, std::uint8_t *y, bool streams)
        : loops_(loops),
          found_(found),
          y_(y),
          axis_bytes_(found.first[loops.blocks] * index_bytes),
          streams_(streams) {}

    void write(std::int64_t block) {
        const std::int64_t begin = block * loops_.block_n;
        const std::int64_t end = std::min(begin + loops_.block_n, loops_.n);
        const std::int64_t count = found_.first[block + 1] - found_.first[block];
        if (count == 0) return;
        to_ = y_ + found_.first[block] * index_bytes;
        if (is_listed(loops_, end - begin, count)) {
            const std::uint16_t *lists = found_.lists_at(begin);
            write_chunks(loops_.sparse, begin, end, [&](std::int64_t, std::int64_t, std::int64_t) {
                const std::uint16_t *list = lists + 1;
                lists = list + *lists;
                return std::span(list, lists);
            });
            return;
        }
        const auto expand =
                loops_.parts
                        ->expand[static_cast<std::size_t>(density(count, (end - begin) / word_n))];
        write_chunks(loops_.dense, begin, end,
                [&](std::int64_t at, std::int64_t n, std::int64_t skipped) {
                    const std::int64_t listed =
                            expand(found_.bits, at, at + n, skipped, list_.data());
                    return std::span<const std::uint16_t>(
                            list_.data(), static_cast<std::size_t>(listed));
                });
    }

private:
    static constexpr std::int64_t index_bytes = sizeof(std::int64_t);
    using index_list = std::array<std::uint16_t, most_chunk_n + list_slack>;

    /// `next_list(at, n, skipped)`: where in their chunk the set elements among [at, at + n) are,
    /// which begin `skipped` elements after the chunk does.
    template <class NextList>
    void write_chunks(const nonzero_chunks &chunks, std::int64_t begin, std::int64_t end,
            const NextList &next_list) {
        const std::int64_t chunk_n = chunks.chunk_n();
        const std::int64_t row_n = loops_.shape[chunks.split] * chunks.inner;
        find_outer(chunks.split, begin / row_n);
        std::int64_t in_row = begin % row_n;
        for (std::int64_t at = begin; at < end;) {
            const std::int64_t skipped = in_row % chunk_n;
            const std::int64_t n = std::min({chunk_n - skipped, row_n - in_row, end - at});
            const std::span<const std::uint16_t> list = next_list(at, n, skipped);
            if (!list.empty()) write_chunk(chunks, list, (in_row - skipped) / chunks.inner);
            at += n;
            in_row += n;
            if (in_row < row_n) continue;
            in_row = 0;
            next_outer(chunks.split);
        }
    }

    void find_outer(int split, std::int64_t number) {
        for (int axis = split - 1; axis >= 0; --axis) {
            outer_[axis] = number % loops_.shape[axis];
            number /= loops_.shape[axis];
        }
    }
    void next_outer(int split) {
        if (is_mutated(mutation::nonzero_outer_frozen)) return;
        for (int axis = split - 1; axis >= 0; --axis) {
            if (++outer_[axis] < loops_.shape[axis]) return;
            outer_[axis] = 0;
        }
    }

    /// The listed elements of a chunk that begins at index `first` of the split axis.
    void write_chunk(
            const nonzero_chunks &chunks, std::span<const std::uint16_t> list, std::int64_t first) {
        const auto n = static_cast<std::int64_t>(list.size());
        std::uint8_t *to = to_;
        for (int axis = 0; axis < chunks.split; ++axis, to += axis_bytes_)
            loops_.parts->fill[streams_](outer_[axis], n, to);
        if (chunks.tables.empty()) {
            if (is_mutated(mutation::nonzero_chunk_forgotten)) first = 0;
            loops_.parts->put[streams_](list.data(), n, first, to);
        }
        for (const std::vector<std::uint16_t> &table : chunks.tables) {
            for (std::size_t i = 0; i < list.size(); ++i)
                looked_up_[i] = table[list[i]];
            loops_.parts->put[streams_](looked_up_.data(), n, first, to);
            first = 0; // of the axes inside
            to += axis_bytes_;
        }
        to_ += n * index_bytes;
    }

    const nonzero_loops &loops_;
    const marks &found_;
    std::uint8_t *y_;
    std::int64_t axis_bytes_; ///< From one row of y to the next.
    bool streams_;
    std::uint8_t *to_ = nullptr; ///< In the first row of y.
    dims outer_{max_rank, 0};    ///< Indices along the axes around the split one.
    index_list list_;
    std::array<std::uint16_t, most_chunk_n> looked_up_;
};

/// Past the caches? See make_select_loops for what was measured.
bool streams(const nonzero_loops &loops, std::int64_t y_bytes, const std::uint8_t *y) {
    const double bytes =
            static_cast<double>(loops.n) * loops.element.bytes + static_cast<double>(y_bytes);
    return level_with_room(bytes) == memory_level::main
           && reinterpret_cast<std::uintptr_t>(y) % sizeof(std::int64_t) == 0;
}

} // namespace

std::int64_t count_nonzero(const nonzero_loops &loops, const void *x, void *scratch) noexcept {
    const marks found(loops, scratch);
    parallel_for(
            loops.blocks, loops.mark_grain, [&](std::int64_t first, std::int64_t last) noexcept {
                const auto *from = static_cast<const std::uint8_t *>(x);
                bool tries_lists = true; // the last block was listed
                for (std::int64_t block = first; block < last; ++block) {
                    const std::int64_t begin = block * loops.block_n;
                    const std::int64_t end = std::min(begin + loops.block_n, loops.n);
                    const auto list = [&] {
                        return list_block(loops, from, begin, end, found.lists_at(begin));
                    };
                    std::optional<std::int64_t> count;
                    if (tries_lists) count = list();
                    if (!count) {
                        count = mark_block(loops, from, begin, end, found.bits_at(begin));
                        tries_lists = is_listed(loops, end - begin, *count);
                        if (tries_lists) count = list();
                    }
                    found.first[block + 1] = *count;
                }
            });
    found.first[0] = 0;
    for (std::int64_t block = 0; block < loops.blocks; ++block)
        found.first[block + 1] += found.first[block];
    return found.first[loops.blocks];
}

void write_nonzero(const nonzero_loops &loops, const void *scratch, void *y) noexcept {
    const marks found(loops, const_cast<void *>(scratch));
    const std::int64_t count = found.first[loops.blocks];
    if (count == 0 || loops.shape.empty()) return;
    auto *to = static_cast<std::uint8_t *>(y);
    const std::int64_t y_bytes =
            count * loops.shape.rank() * static_cast<std::int64_t>(sizeof(std::int64_t));
    const bool is_far = streams(loops, y_bytes, to);
    constexpr std::int64_t grain_bytes = std::int64_t{128} << 10;
    const std::int64_t block_bytes = y_bytes / loops.blocks + loops.block_n / 4;
    parallel_for(loops.blocks, grain_bytes / block_bytes + 1,
            [&](std::int64_t first, std::int64_t last) noexcept {
                block_writer writer(loops, found, to, is_far);
                for (std::int64_t block = first; block < last; ++block)
                    writer.write(block);
                if (is_far) hwy::FlushStream();
            });
}

} // namespace tern::kernels
