// SPDX-License-Identifier: Apache-2.0
#include "kernels/take.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "base/parallel.hpp"
#include "base/shape.hpp"
#include "kernels/offset_walk.hpp"

namespace tern::kernels {
namespace {

constexpr std::int64_t grain_bytes = std::int64_t{128} << 10; // worth a thread, as for select
constexpr std::int64_t step_bytes = 16;                       // what a block costs beside its bytes

void scale(dims &strides, std::int64_t bytes) {
    for (std::int64_t &stride : strides)
        stride *= bytes;
}

template <typename Index>
std::int64_t load_index(const std::uint8_t *from) {
    Index index{};
    std::memcpy(&index, from, sizeof index);
    return index;
}

template <typename Index>
bool all_in_range(const take_loops &loops, const std::uint8_t *indices) {
    const std::int64_t size = loops.of.axis_size;
    if (loops.has_dense_indices) {
        bool is_good = true; // without a branch, so that it may be done by vectors
        for (std::int64_t j = 0; j < loops.index_count; ++j) {
            const std::int64_t index = load_index<Index>(indices + j * std::int64_t{sizeof(Index)});
            is_good = is_good & (index >= -size) & (index < size);
        }
        return is_good;
    }
    offset_walk<1> walk(loops.of.indices, {&loops.of.index_strides}, 0);
    for (std::int64_t j = 0; j < loops.index_count; ++j, walk.next()) {
        const auto index = load_index<Index>(indices + walk.at(0));
        if (index < -size || index >= size) return false;
    }
    return true;
}

/// Single elements of `Bytes`.
template <std::size_t Bytes>
struct copy_element {
    void operator()(const std::uint8_t *from, std::uint8_t *to) const {
        std::memcpy(to, from, Bytes);
    }
};

struct copy_run {
    std::size_t bytes;
    void operator()(const std::uint8_t *from, std::uint8_t *to) const {
        std::memcpy(to, from, bytes);
    }
};

struct copy_block {
    const strided_copy &block;
    void operator()(const std::uint8_t *from, std::uint8_t *to) const { run_here(block, from, to); }
};

/// Blocks [begin, end), numbered by outer index, then by the number of the index.
template <typename Index, class Copy>
void take_blocks(const take_loops &loops, const std::uint8_t *src, const std::uint8_t *indices,
        std::uint8_t *dst, std::int64_t begin, std::int64_t end, const Copy &copy) {
    const take_problem &of = loops.of;
    offset_walk<2> outer(of.outer, {&of.outer_src, &of.outer_dst}, begin / loops.index_count);
    offset_walk<2> inner(of.indices, {&of.index_strides, &of.index_dst}, begin % loops.index_count);
    std::int64_t left = loops.index_count - begin % loops.index_count; // of this outer index
    for (; begin < end; ++begin) {
        std::int64_t index = load_index<Index>(indices + inner.at(0));
        if (index < 0) index += of.axis_size;
        copy(src + outer.at(0) + index * of.axis_stride, dst + outer.at(1) + inner.at(1));
        inner.next(); // after the last one comes the first
        if (--left > 0) continue;
        outer.next();
        left = loops.index_count;
    }
}

template <typename Index>
void take_any(const take_loops &loops, const std::uint8_t *src, const std::uint8_t *indices,
        std::uint8_t *dst, std::int64_t begin, std::int64_t end) {
    const auto with = [&](const auto &copy) {
        take_blocks<Index>(loops, src, indices, dst, begin, end, copy);
    };
    switch (loops.block.run_bytes) {
        case 1: return with(copy_element<1>());
        case 2: return with(copy_element<2>());
        case 4: return with(copy_element<4>());
        case 8: return with(copy_element<8>());
        case 16: return with(copy_element<16>());
        case 0: return with(copy_block{loops.block});
        default: return with(copy_run{static_cast<std::size_t>(loops.block.run_bytes)});
    }
}

} // namespace

take_loops make_take_loops(const take_problem &problem) {
    take_loops loops{};
    loops.of = problem;
    loops.block = make_strided_copy(
            problem.inner, problem.inner_src, problem.inner_dst, problem.element_bytes);
    loops.outer_count = *element_count(problem.outer);
    loops.index_count = *element_count(problem.indices);
    loops.has_dense_indices = is_dense(problem.indices, problem.index_strides);
    const std::int64_t block_bytes = *element_count(problem.inner) * problem.element_bytes;
    loops.grain = std::max<std::int64_t>(1, grain_bytes / (block_bytes + step_bytes));
    take_problem &of = loops.of;
    for (dims *strides : {&of.outer_src, &of.outer_dst, &of.index_dst})
        scale(*strides, of.element_bytes);
    scale(of.index_strides, of.index_bytes);
    of.axis_stride *= of.element_bytes;
    return loops;
}

bool are_in_range(const take_loops &loops, const std::uint8_t *indices) noexcept {
    return loops.of.index_bytes == 4 ? all_in_range<std::int32_t>(loops, indices)
                                     : all_in_range<std::int64_t>(loops, indices);
}

void run_take(const take_loops &loops, const std::uint8_t *src, const std::uint8_t *indices,
        std::uint8_t *dst) noexcept {
    const std::int64_t blocks = loops.outer_count * loops.index_count;
    // One block, or few large ones: the threads share each.
    if (blocks < 2 * max_concurrency() && loops.block.columns * loops.block.rows > 1
            && loops.grain == 1) {
        for (std::int64_t block = 0; block < blocks; ++block) {
            const auto share = [&](const std::uint8_t *from, std::uint8_t *to) {
                run_parallel(loops.block, from, to);
            };
            if (loops.of.index_bytes == 4)
                take_blocks<std::int32_t>(loops, src, indices, dst, block, block + 1, share);
            else
                take_blocks<std::int64_t>(loops, src, indices, dst, block, block + 1, share);
        }
        return;
    }
    parallel_for(blocks, loops.grain, [&](std::int64_t begin, std::int64_t end) noexcept {
        if (loops.of.index_bytes == 4)
            take_any<std::int32_t>(loops, src, indices, dst, begin, end);
        else
            take_any<std::int64_t>(loops, src, indices, dst, begin, end);
    });
}

} // namespace tern::kernels
