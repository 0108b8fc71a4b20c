// SPDX-License-Identifier: Apache-2.0
#include "base/overlap.hpp"

#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "base/shape.hpp"

namespace tern {
namespace {

/// A view at a byte address; nothing is ever read there.
struct placed {
    std::uintptr_t at;
    dims shape;
    dims strides;
    std::size_t bytes;

    memory_view view() const { return {reinterpret_cast<const void *>(at), shape, strides, bytes}; }
};

/// Offsets of all elements, in elements.
std::vector<std::int64_t> offsets_of(const dims &shape, const dims &strides) {
    std::vector<std::int64_t> offsets = {0};
    for (int axis = 0; axis < shape.rank(); ++axis) {
        std::vector<std::int64_t> deeper;
        for (std::int64_t offset : offsets)
            for (std::int64_t index = 0; index < shape[axis]; ++index)
                deeper.push_back(offset + index * strides[axis]);
        offsets = deeper;
    }
    return offsets;
}

std::set<std::uintptr_t> bytes_of(const placed &p) {
    std::set<std::uintptr_t> bytes;
    for (std::int64_t offset : offsets_of(p.shape, p.strides))
        for (std::size_t byte = 0; byte < p.bytes; ++byte)
            bytes.insert(p.at + static_cast<std::uintptr_t>(offset) * p.bytes + byte);
    return bytes;
}

bool share_bytes(const placed &a, const placed &b) {
    auto bytes_a = bytes_of(a);
    for (std::uintptr_t byte : bytes_of(b))
        if (bytes_a.count(byte) != 0) return true;
    return false;
}

/// Both orders, since the relation is symmetric.
void expect_overlap(const placed &a, const placed &b, bool expected) {
    EXPECT_EQ(views_overlap(a.view(), b.view()), expected);
    EXPECT_EQ(views_overlap(b.view(), a.view()), expected);
}

class random_views {
public:
    explicit random_views(unsigned seed) : random_(seed) {}

    std::int64_t number(std::int64_t low, std::int64_t high) {
        return std::uniform_int_distribution<std::int64_t>(low, high)(random_);
    }

    dims list(int rank, std::int64_t low, std::int64_t high) {
        dims result;
        for (int axis = 0; axis < rank; ++axis)
            result.push_back(number(low, high));
        return result;
    }

    /// Seldom empty.
    dims shape(int rank) { return list(rank, number(0, 9) == 0 ? 0 : 1, 4); }

    placed view() {
        constexpr std::size_t sizes[] = {1, 2, 4, 8, 16};
        int rank = static_cast<int>(number(0, 4));
        return {0x1000 + static_cast<std::uintptr_t>(number(0, 90)), shape(rank), list(rank, 0, 12),
                sizes[number(0, 4)]};
    }

private:
    std::mt19937 random_;
};

TEST(overlap, views_against_byte_sets) {
    random_views random(1);
    int shared = 0;
    constexpr int rounds = 4000;
    for (int round = 0; round < rounds; ++round) {
        placed a = random.view();
        placed b = random.view();
        bool expected = share_bytes(a, b);
        shared += expected;
        ASSERT_EQ(views_overlap(a.view(), b.view()), expected) << "round " << round;
        ASSERT_EQ(views_overlap(b.view(), a.view()), expected) << "round " << round;
    }
    // Neither answer is rare, so that neither can be wrong unnoticed.
    EXPECT_GT(shared, rounds / 10);
    EXPECT_LT(shared, rounds * 9 / 10);
}

TEST(overlap, sparse_views_against_byte_sets) {
    random_views random(2);
    int shared = 0;
    constexpr int rounds = 4000;
    for (int round = 0; round < rounds; ++round) {
        // Steps with a common factor leave holes that the other view may or may not hit.
        std::int64_t factor = random.number(2, 6);
        auto sparse = [&] {
            placed p = random.view();
            p.bytes = round % 2 ? 1 : 2;
            for (std::int64_t &stride : p.strides)
                stride *= factor;
            return p;
        };
        placed a = sparse();
        placed b = sparse();
        bool expected = share_bytes(a, b);
        shared += expected;
        ASSERT_EQ(views_overlap(a.view(), b.view()), expected) << "round " << round;
    }
    EXPECT_GT(shared, rounds / 10);
    EXPECT_LT(shared, rounds * 9 / 10);
}

TEST(overlap, elements_against_offset_sets) {
    random_views random(3);
    int twice = 0;
    constexpr int rounds = 6000;
    for (int round = 0; round < rounds; ++round) {
        int rank = static_cast<int>(random.number(0, 4));
        dims shape = random.shape(rank);
        dims strides = random.list(rank, 0, round % 3 == 0 ? 120 : 12);
        auto offsets = offsets_of(shape, strides);
        bool expected =
                std::set<std::int64_t>(offsets.begin(), offsets.end()).size() != offsets.size();
        twice += expected;
        ASSERT_EQ(elements_overlap(shape, strides), expected)
                << to_string(shape) << " " << to_string(strides);
    }
    EXPECT_GT(twice, rounds / 10);
    EXPECT_LT(twice, rounds * 9 / 10);
}

TEST(overlap, neighbours_only_touch) {
    placed left = {0x1000, {4}, {1}, 4};
    expect_overlap(left, {0x1010, {4}, {1}, 4}, false);
    expect_overlap(left, {0x100f, {4}, {1}, 4}, true);
    expect_overlap(left, {0x0ff0, {4}, {1}, 4}, false);
    expect_overlap(left, {0x0ff1, {4}, {1}, 4}, true);
}

TEST(overlap, interleaved_views_share_nothing) {
    placed even = {0x1000, {100}, {2}, 4};
    placed odd = {0x1004, {100}, {2}, 4};
    expect_overlap(even, odd, false);
    // Half an element further both neighbours are hit.
    expect_overlap(even, {0x1002, {100}, {2}, 4}, true);
    // Real and imaginary parts of complex numbers.
    expect_overlap({0x1000, {8, 16}, {32, 2}, 4}, {0x1004, {8, 16}, {32, 2}, 4}, false);
    expect_overlap({0x1000, {8, 16}, {16, 1}, 8}, {0x1004, {8, 16}, {32, 2}, 4}, true);
}

TEST(overlap, columns_of_one_matrix) {
    dims row_major = {128, 1};
    placed left = {0x1000, {64, 64}, row_major, 4};
    placed right = {0x1000 + 64 * 4, {64, 64}, row_major, 4};
    expect_overlap(left, right, false);
    // One column wider, they meet.
    expect_overlap({0x1000, {64, 65}, row_major, 4}, right, true);
    // Tiles of a large matrix, and one that is moved by an element so that corners meet.
    dims huge_rows = {1 << 20, 1};
    placed tile = {0x10000000, {1000, 1000}, huge_rows, 2};
    expect_overlap(tile, {0x10000000 + 2000, {1000, 1000}, huge_rows, 2}, false);
    expect_overlap(tile, {0x10000000 + 1998, {1000, 1000}, huge_rows, 2}, true);
    expect_overlap(tile,
            {0x10000000 + (std::uintptr_t{999} << 21) + 1998, {1000, 1000}, huge_rows, 2}, true);
    expect_overlap(
            tile, {0x10000000 + (std::uintptr_t{1000} << 21), {1000, 1000}, huge_rows, 2}, false);
}

TEST(overlap, empty_tensors_share_nothing) {
    placed full = {0x1000, {4}, {1}, 4};
    expect_overlap(full, {0x1000, {4, 0}, {1, 1}, 4}, false);
    expect_overlap({0, {0}, {1}, 4}, {0, {0}, {1}, 4}, false);
    EXPECT_FALSE(elements_overlap({3, 0}, {0, 0}));
}

TEST(overlap, scalars) {
    expect_overlap({0x1000, {}, {}, 8}, {0x1007, {}, {}, 1}, true);
    expect_overlap({0x1000, {}, {}, 8}, {0x1008, {}, {}, 1}, false);
    EXPECT_FALSE(elements_overlap({}, {}));
    EXPECT_FALSE(elements_overlap({1, 1}, {0, 0}));
}

TEST(overlap, repeated_elements) {
    EXPECT_TRUE(elements_overlap({10}, {0}));
    EXPECT_TRUE(elements_overlap({2, 3}, {1, 1}));
    EXPECT_TRUE(elements_overlap({3, 3}, {2, 1}));
    EXPECT_FALSE(elements_overlap({3, 2}, {2, 1}));
    EXPECT_FALSE(elements_overlap({2, 3}, {1, 2}));
    // 2 * 3 = 3 * 2: dims of 3 and 4 are needed to get there.
    EXPECT_FALSE(elements_overlap({2, 4}, {3, 2}));
    EXPECT_TRUE(elements_overlap({3, 4}, {3, 2}));
}

TEST(overlap, addresses_at_the_far_end) {
    placed last = {UINTPTR_MAX - 15, {4}, {1}, 4};
    expect_overlap(last, {UINTPTR_MAX, {1}, {1}, 1}, true);
    expect_overlap(last, {0, {4}, {1}, 4}, false);
    expect_overlap({0, {std::int64_t{1} << 62}, {1}, 1}, {1, {}, {}, 1}, true);
}

/// Without a pattern in the strides the search is the subset-sum problem. All sums here are 0 or 2
/// modulo 6 and the views are 4 apart, so that nothing is shared; but no cut of the search sees
/// that, and the answer has to be the careful one.
TEST(overlap, a_search_without_end_says_yes) {
    constexpr std::int64_t primes[] = {
            10007, 10009, 10037, 10039, 10061, 10067, 10069, 10079, 10091, 10093, 10099};
    dims shape(max_rank, 7);
    dims strides;
    for (std::int64_t prime : primes)
        strides.push_back(6 * prime);
    strides.push_back(2);
    shape[max_rank - 1] = 2;
    dims scattered = strides;
    scattered[max_rank - 1] = 0;
    placed a = {0x10000000 + 4 + 6 * 200000, shape, scattered, 1};
    placed b = {0x10000000, shape, strides, 1};
    expect_overlap(a, b, true);
    // More combinations than places, so here "yes" is the truth.
    EXPECT_TRUE(elements_overlap(shape, strides));
}

} // namespace
} // namespace tern
