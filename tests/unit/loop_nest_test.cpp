// SPDX-License-Identifier: Apache-2.0
#include "base/loop_nest.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "base/shape.hpp"

namespace tern {
namespace {

constexpr std::size_t leader = 3;
using operand_strides = std::array<dims, 4>;
using offsets = std::array<std::int64_t, 4>;

/// The elements that a nest of loops visits, as offsets of all operands, sorted.
std::vector<offsets> visits(const dims &extents, const operand_strides &strides) {
    std::vector<offsets> visited = {offsets{}};
    for (int axis = 0; axis < extents.rank(); ++axis) {
        std::vector<offsets> deeper;
        for (const offsets &at : visited)
            for (std::int64_t index = 0; index < extents[axis]; ++index) {
                offsets next = at;
                for (std::size_t operand = 0; operand < next.size(); ++operand)
                    next[operand] += index * strides[operand][axis];
                deeper.push_back(next);
            }
        visited = std::move(deeper);
    }
    std::sort(visited.begin(), visited.end());
    return visited;
}

bool neighbours_merge(const loop_nest<4> &nest, int outer) {
    return std::all_of(nest.strides.begin(), nest.strides.end(), [&](const dims &strides) {
        return strides[outer] == strides[outer + 1] * nest.extents[outer + 1];
    });
}

void expect_same_walk(const dims &shape, const operand_strides &strides) {
    loop_nest<4> nest = coalesce<4>(shape, strides, leader);
    for (const dims &operand : nest.strides)
        ASSERT_EQ(operand.rank(), nest.extents.rank());
    for (std::int64_t extent : nest.extents)
        ASSERT_GT(extent, 1);
    for (int axis = 0; axis + 1 < nest.extents.rank(); ++axis) {
        ASSERT_GE(nest.strides[leader][axis], nest.strides[leader][axis + 1]);
        ASSERT_FALSE(neighbours_merge(nest, axis));
    }
    ASSERT_EQ(visits(nest.extents, nest.strides), visits(shape, strides));
}

dims padded_strides(const dims &shape) {
    dims strides(shape.rank(), 1);
    for (int axis = shape.rank() - 2; axis >= 0; --axis)
        strides[axis] = strides[axis + 1] * shape[axis + 1] + 2;
    return strides;
}

dims column_major_strides(const dims &shape) {
    dims strides(shape.rank(), 1);
    for (int axis = 1; axis < shape.rank(); ++axis)
        strides[axis] = strides[axis - 1] * shape[axis - 1];
    return strides;
}

/// Dense, permuted, padded, and broadcast along each set of axes.
std::vector<dims> kinds_of_strides(const dims &shape) {
    dims dense = *dense_strides(shape);
    std::vector<dims> kinds = {column_major_strides(shape), padded_strides(shape)};
    for (unsigned kept = 0; kept < 1U << shape.rank(); ++kept) {
        dims reduced = shape;
        for (int axis = 0; axis < shape.rank(); ++axis)
            if ((kept >> axis & 1) == 0) reduced[axis] = 1;
        kinds.push_back(broadcast_strides(reduced, *dense_strides(reduced), shape));
    }
    // Strides of size-1 axes say nothing and may be anything.
    for (int axis = 0; axis < shape.rank(); ++axis)
        if (shape[axis] == 1) dense[axis] = 999;
    kinds.push_back(dense);
    return kinds;
}

std::vector<dims> all_shapes(int rank, std::int64_t most) {
    std::vector<dims> shapes = {dims{}};
    for (int axis = 0; axis < rank; ++axis) {
        std::vector<dims> longer;
        for (const dims &shape : shapes)
            for (std::int64_t extent = 1; extent <= most; ++extent) {
                longer.push_back(shape);
                longer.back().push_back(extent);
            }
        shapes = std::move(longer);
    }
    return shapes;
}

TEST(loop_nest, visits_what_the_naive_walk_visits) {
    for (int rank = 0; rank <= 4; ++rank)
        for (const dims &shape : all_shapes(rank, 3)) {
            std::vector<dims> kinds = kinds_of_strides(shape);
            // All pairs for operands 0 and 3; the other two go through the kinds at other speeds.
            for (std::size_t a = 0; a < kinds.size(); ++a)
                for (std::size_t b = 0; b < kinds.size(); ++b)
                    ASSERT_NO_FATAL_FAILURE(expect_same_walk(
                            shape, {kinds[a], kinds[(a + 2 * b) % kinds.size()],
                                           kinds[(3 * a + b + 1) % kinds.size()], kinds[b]}))
                            << to_string(shape);
        }
}

TEST(loop_nest, merges_all_dense_axes_into_one) {
    dims shape = {2, 3, 4, 5};
    dims dense = {60, 20, 5, 1};
    loop_nest<4> nest = coalesce<4>(shape, {dense, dense, dense, dense}, leader);
    EXPECT_EQ(nest.extents, dims({120}));
    for (const dims &strides : nest.strides)
        EXPECT_EQ(strides, dims({1}));
}

TEST(loop_nest, takes_any_number_of_operands) {
    // The bias changes along the last axis only; the others are dense.
    const dims dense = {12, 4, 1};
    for (std::size_t count : {1U, 2U, 7U}) {
        std::vector<dims> strides(count, dense);
        strides.back() = count > 1 ? dims{0, 0, 1} : dense;
        dims extents;
        std::vector<dims> merged(count);
        coalesce(dims{2, 3, 4}, strides, 0, extents, merged);
        EXPECT_EQ(extents, count > 1 ? dims({6, 4}) : dims({24}));
        EXPECT_EQ(merged.front(), count > 1 ? dims({4, 1}) : dims({1}));
        EXPECT_EQ(merged.back(), count > 1 ? dims({0, 1}) : dims({1}));
    }
}

TEST(loop_nest, has_rank_0_for_one_element) {
    dims strides = {7, 5};
    loop_nest<4> nest = coalesce<4>({1, 1}, {strides, strides, strides, strides}, leader);
    EXPECT_EQ(nest.extents.rank(), 0);
    EXPECT_EQ(coalesce<4>({}, {}, leader).extents.rank(), 0);
}

TEST(loop_nest, orders_axes_by_the_leader) {
    // dst is column-major, so the first axis is its innermost one.
    loop_nest<4> nest = coalesce<4>({3, 4}, {dims{4, 1}, {4, 1}, {0, 0}, {1, 3}}, leader);
    EXPECT_EQ(nest.extents, dims({4, 3}));
    EXPECT_EQ(nest.strides[leader], dims({3, 1}));
    EXPECT_EQ(nest.strides[0], dims({1, 4}));
    EXPECT_EQ(nest.strides[2], dims({0, 0}));
}

TEST(loop_nest, keeps_broadcast_axes_that_break_a_run) {
    // cond [1,1,1,128] over [1,12,128,128]: the outer two axes are one.
    dims dense = {196608, 16384, 128, 1};
    loop_nest<4> nest =
            coalesce<4>({1, 12, 128, 128}, {dims{0, 0, 0, 1}, {0, 0, 0, 0}, dense, dense}, leader);
    EXPECT_EQ(nest.extents, dims({1536, 128}));
    EXPECT_EQ(nest.strides[0], dims({0, 1}));
    EXPECT_EQ(nest.strides[1], dims({0, 0}));
    EXPECT_EQ(nest.strides[2], dims({128, 1}));
}

TEST(loop_nest, takes_the_highest_rank) {
    dims shape(max_rank, 2);
    dims dense = *dense_strides(shape);
    dims every_second = dense;
    for (int axis = 0; axis < max_rank; axis += 2)
        every_second[axis] = 0;
    EXPECT_EQ(coalesce<4>(shape, {dense, dense, dense, dense}, leader).extents, dims({4096}));
    EXPECT_EQ(coalesce<4>(shape, {every_second, dense, dense, dense}, leader).extents, shape);
}

} // namespace
} // namespace tern
