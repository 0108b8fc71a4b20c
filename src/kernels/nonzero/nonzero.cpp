// SPDX-License-Identifier: Apache-2.0
#include "kernels/nonzero/nonzero.hpp"

#include <algorithm>

#include "base/arithmetic.hpp"
#include "base/loop_nest.hpp"
#include "base/shape.hpp"
#include "kernels/select/select_rows.hpp"

namespace tern::kernels {
namespace {

void set_nest(nonzero_loops &loops, const dims &strides) {
    // Row-major order is that of a dense tensor, which leads.
    const std::array<dims, 2> both = {dense_strides(loops.shape).value_or(strides), strides};
    std::array<dims, 2> merged;
    coalesce(loops.shape, both, 0, loops.extents, merged);
    for (std::int64_t stride : merged[1])
        loops.steps.push_back(stride * loops.element.bytes);
    const int rank = loops.extents.rank();
    if (rank == 0) {
        loops.extents.push_back(1);
        loops.steps.push_back(loops.element.bytes);
    }
    loops.is_dense = loops.extents.rank() == 1 && loops.steps[0] == loops.element.bytes;
}

/// `long_row`: rows of that many elements are chunks, or parts of them, without a table.
/// `most_tabulated`: elements of a chunk with tables.
nonzero_chunks make_chunks(const dims &shape, std::int64_t long_row, std::int64_t most_tabulated) {
    const int last = shape.rank() - 1;
    nonzero_chunks chunks{last, 1, 1, {}};
    if (last < 0) return chunks;
    if (shape[last] >= long_row || last == 0) {
        chunks.most = std::min(shape[last], most_chunk_n);
        return chunks;
    }
    while (chunks.split > 0 && chunks.inner * shape[chunks.split] <= most_tabulated / 2)
        chunks.inner *= shape[chunks.split--];
    chunks.most = std::clamp<std::int64_t>(most_tabulated / chunks.inner, 1, shape[chunks.split]);
    if (chunks.split == last) return chunks;
    std::int64_t inside = chunks.inner; // elements inside of one index of the axis
    const auto chunk_n = static_cast<std::size_t>(chunks.chunk_n());
    for (int axis = chunks.split; axis <= last; ++axis) {
        if (axis > chunks.split) inside /= shape[axis];
        std::vector<std::uint16_t> table(chunk_n);
        for (std::size_t i = 0; i < chunk_n; ++i) {
            const std::int64_t index = static_cast<std::int64_t>(i) / inside;
            table[i] =
                    static_cast<std::uint16_t>(axis > chunks.split ? index % shape[axis] : index);
        }
        chunks.tables.push_back(std::move(table));
    }
    return chunks;
}

void set_blocks(nonzero_loops &loops) {
    constexpr std::int64_t most_blocks = 1024;
    constexpr std::int64_t least_block_n = 16384;
    constexpr std::int64_t word = 64;
    loops.block_n = std::max(least_block_n, divide_up(loops.n, most_blocks));
    // Blocks of whole chunks where that is easily had: else chunks are cut, and never listed.
    const std::int64_t chunk_n = loops.sparse.chunk_n();
    const bool fits = chunk_n % word == 0 && chunk_n <= loops.block_n;
    loops.block_n = round_up(loops.block_n, fits ? chunk_n : word);
    loops.blocks = divide_up(loops.n, loops.block_n);
    const std::int64_t row_n =
            loops.shape.empty() ? 1 : loops.shape[loops.sparse.split] * loops.sparse.inner;
    loops.can_list = fits && (row_n % chunk_n == 0 || row_n == loops.n);

    // As in select: what is worth a thread.
    constexpr std::int64_t grain_bytes = std::int64_t{128} << 10;
    constexpr std::int64_t strided_bytes = 32; // read in the time that one strided element takes
    const std::int64_t element = loops.is_dense ? loops.element.bytes : strided_bytes;
    loops.mark_grain = divide_up(grain_bytes, loops.block_n * element);
}

} // namespace

nonzero_loops make_nonzero_loops(
        const dims &shape, const dims &strides, const nonzero_element &element) {
    nonzero_loops loops{};
    loops.shape = shape;
    loops.n = *element_count(shape);
    loops.element = element;
    loops.parts = &find_nonzero_parts();
    if (loops.n == 0) return loops;
    set_nest(loops, strides);
    // Tables of 2 KB an axis stay in L1. Where few elements are set, chunks of few rows would have
    // next to none of them.
    loops.dense = make_chunks(shape, 256, 1024);
    loops.sparse = make_chunks(shape, most_chunk_n / 2, most_chunk_n);
    set_blocks(loops);
    return loops;
}

std::size_t nonzero_scratch_bytes(const nonzero_loops &loops) {
    return static_cast<std::size_t>(divide_up(loops.n, 64) + loops.blocks + 1)
           * sizeof(std::uint64_t);
}

std::string_view nonzero_target() {
    return find_target_name();
}

} // namespace tern::kernels
