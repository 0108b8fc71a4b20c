// SPDX-License-Identifier: Apache-2.0
#include "kernels/nonzero/nonzero.hpp"

#include <algorithm>

#include "base/loop_nest.hpp"
#include "base/shape.hpp"
#include "kernels/select/select_rows.hpp"

namespace tern::kernels {
namespace {

std::int64_t divide_up(std::int64_t a, std::int64_t b) {
    return a / b + (a % b != 0);
}

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

/// Rows of that many elements are chunks, or parts of them, without a table.
constexpr std::int64_t long_row = 256;
/// Elements of a chunk with tables: in 2 KB an axis they stay in L1.
constexpr std::int64_t most_tabulated = 1024;

void set_chunks(nonzero_loops &loops) {
    const dims &shape = loops.shape;
    const int last = shape.rank() - 1;
    loops.split = last;
    loops.inner = 1;
    if (last < 0) return;
    if (shape[last] >= long_row || last == 0) {
        loops.most = std::min(shape[last], most_chunk_n);
        return;
    }
    while (loops.split > 0 && loops.inner * shape[loops.split] <= most_tabulated / 2)
        loops.inner *= shape[loops.split--];
    loops.most = std::clamp<std::int64_t>(most_tabulated / loops.inner, 1, shape[loops.split]);
    if (loops.split == last) return;
    std::int64_t inside = loops.inner; // elements inside of one index of the axis
    const auto chunk_n = static_cast<std::size_t>(loops.most * loops.inner);
    for (int axis = loops.split; axis <= last; ++axis) {
        if (axis > loops.split) inside /= shape[axis];
        std::vector<std::uint16_t> table(chunk_n);
        for (std::size_t i = 0; i < chunk_n; ++i) {
            const std::int64_t index = static_cast<std::int64_t>(i) / inside;
            table[i] = static_cast<std::uint16_t>(axis > loops.split ? index % shape[axis] : index);
        }
        loops.tables.push_back(std::move(table));
    }
}

void set_blocks(nonzero_loops &loops) {
    constexpr std::int64_t most_blocks = 1024;
    constexpr std::int64_t least_block_n = 16384;
    constexpr std::int64_t word = 64;
    loops.block_n = std::max(least_block_n, divide_up(loops.n, most_blocks));
    // Blocks of whole chunks where that is easily had: a cut chunk is written in two parts.
    const std::int64_t chunk_n = loops.most * loops.inner;
    const bool fits = chunk_n % word == 0 && chunk_n <= loops.block_n;
    loops.block_n = divide_up(loops.block_n, fits ? chunk_n : word) * (fits ? chunk_n : word);
    loops.blocks = divide_up(loops.n, loops.block_n);
    const std::int64_t row_n = loops.shape.empty() ? 1 : loops.shape[loops.split] * loops.inner;
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
    loops.most = 1;
    loops.parts = &find_nonzero_parts();
    if (loops.n == 0) return loops;
    set_nest(loops, strides);
    set_chunks(loops);
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
