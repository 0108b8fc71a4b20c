// SPDX-License-Identifier: Apache-2.0
//
// Chains link by link, as parts shorter than a block are run, beside whole blocks, where operands
// that are one value stay in registers and pairs of links go at once: the same bits.
#include "kernels/lanes/lane_chain.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "base/cpu.hpp"
#include "each_target.hpp"
#include "select_case.hpp"

namespace tern::kernels {
namespace {

/// Two blocks of the widest vectors and a rest.
constexpr std::int64_t n = 2 * 8 * 16 + 75;
/// Fewer than the narrowest target's block.
constexpr std::int64_t part_n = 7;

const std::uint8_t *bytes_of(const std::vector<float> &elements) {
    return reinterpret_cast<const std::uint8_t *>(elements.data());
}

bool is_binary(link_op op) {
    return op <= link_op::select_operand;
}

chain_link make_link(link_op op, const std::vector<float> &operand, bool moves,
        const std::vector<std::uint8_t> &cond) {
    chain_link link{op, nullptr, false, nullptr, 0.3F, 0.7F};
    if (is_binary(op)) link.operand = bytes_of(operand);
    link.moves = is_binary(op) && moves;
    if (op == link_op::select_value || op == link_op::select_operand) link.cond = cond.data();
    return link;
}

/// The same chain, `first` elements later.
std::vector<chain_link> moved_on(std::vector<chain_link> links, std::int64_t first) {
    for (chain_link &link : links) {
        if (link.moves) link.operand += static_cast<std::size_t>(first) * sizeof(float);
        if (link.cond != nullptr) link.cond += first;
    }
    return links;
}

class lane_chain : public testing::Test {
protected:
    lane_chain() {
        constexpr float inf = std::numeric_limits<float>::infinity();
        const float special[] = {0.0F, -0.0F, inf, -inf, std::nanf(""), 1e-40F, -1e30F};
        std::mt19937 random(1);
        std::uniform_real_distribution<float> number(-2, 2);
        for (std::vector<float> *elements : {&start_, &first_, &second_})
            for (std::int64_t i = 0; i < n; ++i)
                elements->push_back(random() % 9 == 0 ? special[random() % std::size(special)]
                                                      : number(random));
        first_[0] = 1.1F; // where they are one value
        second_[0] = -0.7F;
        for (std::int64_t i = 0; i < n; ++i)
            cond_.push_back(static_cast<std::uint8_t>(random() % 3));
    }

    void expect_same(const std::vector<chain_link> &links, memory_level level) const {
        const chain_function run = find_chain();
        std::vector<float> parts(n);
        for (std::int64_t i = 0; i < n; i += part_n) {
            const std::vector<chain_link> rest = moved_on(links, i);
            run({rest.data(), rest.size(), reinterpret_cast<std::uint8_t *>(parts.data() + i),
                    std::min(part_n, n - i), memory_level::l2});
        }
        std::vector<float> whole(n);
        run({links.data(), links.size(), reinterpret_cast<std::uint8_t *>(whole.data()), n, level});
        for (std::int64_t i = 0; i < n; ++i) {
            if (std::isnan(parts[i]) && std::isnan(whole[i])) continue;
            ASSERT_EQ(
                    std::bit_cast<std::uint32_t>(whole[i]), std::bit_cast<std::uint32_t>(parts[i]))
                    << i << ": " << whole[i] << " instead of " << parts[i];
        }
    }

    std::vector<float> start_, first_, second_;
    std::vector<std::uint8_t> cond_;
};

TEST_F(lane_chain, one_link) {
    tests::for_each_target([&] {
        for (int op = 0; op <= static_cast<int>(link_op::sqrt); ++op)
            for (int moves = 0; moves < 4; ++moves)
                for (memory_level level :
                        {memory_level::l2, memory_level::last_cache, memory_level::main}) {
                    const std::vector<chain_link> links = {
                            make_link(link_op::start, start_, moves % 2 != 0, cond_),
                            make_link(static_cast<link_op>(op), first_, moves / 2 != 0, cond_)};
                    ASSERT_NO_FATAL_FAILURE(expect_same(links, level))
                            << "op " << op << ", moving " << moves;
                }
    });
}

TEST_F(lane_chain, two_links_one_after_the_other) {
    tests::for_each_target([&] {
        constexpr int ops = static_cast<int>(link_op::sqrt) + 1;
        for (int a = 0; a < ops; ++a)
            for (int b = 0; b < ops; ++b)
                for (int moves = 0; moves < 4; ++moves) {
                    const std::vector<chain_link> links = {
                            make_link(link_op::start, start_, true, cond_),
                            make_link(static_cast<link_op>(a), first_, moves % 2 != 0, cond_),
                            make_link(static_cast<link_op>(b), second_, moves / 2 != 0, cond_)};
                    ASSERT_NO_FATAL_FAILURE(
                            expect_same(links, moves == 3 ? memory_level::main : memory_level::l2))
                            << "ops " << a << ", " << b << ", moving " << moves;
                }
    });
}

// In place, and with operands that end where memory does.
TEST_F(lane_chain, tails) {
    tests::for_each_target([&] {
        for (std::int64_t count = 1; count <= 40; ++count)
            for (const bool in_place : {false, true}) {
                const std::size_t bytes = static_cast<std::size_t>(count) * sizeof(float);
                tests::region a(bytes, {tests::placement::ends_at_guard});
                tests::region b(bytes, {tests::placement::ends_at_guard});
                tests::region out(bytes, {tests::placement::ends_at_guard});
                std::memcpy(a.first(), start_.data(), bytes);
                std::memcpy(b.first(), first_.data(), bytes);
                const chain_link links[] = {
                        {link_op::start, a.first(), true}, {link_op::subtract, b.first(), true}};
                std::uint8_t *dst = in_place ? a.first() : out.first();
                find_chain()({links, 2, dst, count, memory_level::last_cache});
                for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
                    float found = 0;
                    std::memcpy(&found, dst + i * sizeof found, sizeof found);
                    const float want = start_[i] - first_[i];
                    if (std::isnan(want) && std::isnan(found)) continue;
                    ASSERT_EQ(found, want) << i << " of " << count << ", in place " << in_place;
                }
            }
    });
}

// Which links are pairs depends on where in the chain they are.
TEST_F(lane_chain, long_ones) {
    tests::for_each_target([&] {
        std::mt19937 random(2);
        for (int round = 0; round < 500; ++round) {
            std::vector<chain_link> links = {
                    make_link(link_op::start, start_, random() % 4 != 0, cond_)};
            const std::size_t count = 1 + random() % longest_chain;
            while (links.size() < count)
                links.push_back(make_link(
                        static_cast<link_op>(random() % (static_cast<unsigned>(link_op::sqrt) + 1)),
                        random() % 2 == 0 ? first_ : second_, random() % 2 == 0, cond_));
            ASSERT_NO_FATAL_FAILURE(expect_same(links, static_cast<memory_level>(round % 3)))
                    << "round " << round;
        }
    });
}

} // namespace
} // namespace tern::kernels
