// SPDX-License-Identifier: Apache-2.0
#include "compiler/memory_planner.hpp"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "plan_text.hpp"

namespace tern::compiler {
namespace {

using offsets = std::vector<std::size_t>;

struct layout_row {
    const char *what;
    std::vector<arena_block> blocks; ///< Bytes, first step, last step.
    offsets expected;
    std::size_t bytes;
};

TEST(memory_planner, layouts) {
    const layout_row rows[] = {
            {"nothing", {}, {}, 0},
            {"one block", {{100, 0, 1}}, {0}, 128},
            {"a multiple of 64 stays", {{128, 0, 0}}, {0}, 128},
            {"one byte", {{1, 3, 5}}, {0}, 64},
            {"side by side at the step that reads one and writes the other",
                    {{64, 0, 1}, {64, 1, 2}}, {0, 64}, 128},
            {"one after the other in one place", {{64, 0, 1}, {64, 2, 3}}, {0, 0}, 64},
            {"a chain takes two places", {{64, 0, 1}, {64, 1, 2}, {64, 2, 3}, {64, 3, 4}},
                    {0, 64, 0, 64}, 128},
            {"the largest lies lowest", {{10, 0, 1}, {1000, 1, 2}}, {1024, 0}, 1088},
            {"of equal ones the first", {{64, 0, 9}, {64, 0, 9}, {64, 0, 9}}, {0, 64, 128}, 192},
            {"a long life under short ones", {{640, 0, 9}, {64, 0, 1}, {64, 2, 3}, {64, 1, 2}},
                    {0, 640, 640, 704}, 768},
            {"into the gap that two leave", // the second one is over when the fourth begins
                    {{256, 0, 9}, {192, 0, 1}, {128, 0, 9}, {192, 2, 9}}, {0, 256, 448, 256}, 576},
            {"a gap too small is passed over", // 64 bytes are left of it
                    {{256, 0, 9}, {192, 0, 1}, {192, 0, 9}, {128, 2, 3}, {128, 2, 9}},
                    {0, 256, 448, 256, 640}, 768},
            {"nothing needs no room", {{0, 0, 9}, {64, 0, 9}, {0, 0, 9}}, {0, 0, 0}, 64},
            {"nothing but nothing", {{0, 0, 0}, {0, 0, 5}}, {0, 0}, 0},
    };
    for (const layout_row &row : rows) {
        arena_layout found = lay_out(row.blocks);
        EXPECT_EQ(found.offsets, row.expected) << row.what;
        EXPECT_EQ(found.bytes, row.bytes) << row.what;
    }
}

std::size_t rounded(std::size_t bytes) {
    return (bytes + 63) / 64 * 64;
}

/// What holds for every layout.
void check_layout(const std::vector<arena_block> &blocks, const arena_layout &found) {
    ASSERT_EQ(found.offsets.size(), blocks.size());
    std::size_t sum = 0;
    std::size_t top = 0;
    std::vector<std::size_t> live(32, 0); // bytes by step
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const arena_block &a = blocks[i];
        EXPECT_EQ(found.offsets[i] % 64, 0u);
        sum += rounded(a.bytes);
        top = std::max(top, found.offsets[i] + rounded(a.bytes));
        for (int step = a.first_step; step <= a.last_step; ++step)
            live[static_cast<std::size_t>(step)] += rounded(a.bytes);
        for (std::size_t j = 0; j < i; ++j) {
            const arena_block &b = blocks[j];
            const bool together = a.first_step <= b.last_step && b.first_step <= a.last_step;
            const bool apart = found.offsets[i] + a.bytes <= found.offsets[j]
                               || found.offsets[j] + b.bytes <= found.offsets[i];
            EXPECT_TRUE(apart || !together || a.bytes == 0 || b.bytes == 0)
                    << "blocks " << j << " and " << i;
        }
    }
    EXPECT_EQ(found.bytes, top);
    EXPECT_LE(found.bytes, sum);
    EXPECT_GE(found.bytes, *std::max_element(live.begin(), live.end()));
}

TEST(memory_planner, live_blocks_never_share_a_byte) {
    std::mt19937 random(7);
    auto pick = [&](std::size_t n) { return static_cast<int>(random() % n); };
    std::size_t all = 0; // rounded bytes of all blocks, and those of the arenas
    std::size_t used = 0;
    for (int round = 0; round < 1000 && !testing::Test::HasFailure(); ++round) {
        SCOPED_TRACE(round);
        std::vector<arena_block> blocks(static_cast<std::size_t>(pick(40)));
        const std::size_t longest = 1 + static_cast<std::size_t>(pick(12));
        const int most = 1 << (1 + pick(14));
        for (arena_block &block : blocks) {
            block.bytes = static_cast<std::size_t>(
                    pick(8) == 0 ? 0 : pick(static_cast<std::size_t>(most)));
            block.first_step = pick(20);
            block.last_step = block.first_step + pick(longest);
        }
        arena_layout found = lay_out(blocks);
        check_layout(blocks, found);
        for (const arena_block &block : blocks)
            all += rounded(block.bytes);
        used += found.bytes;
    }
    EXPECT_LT(used, all / 2); // places are used again
}

// --- in plans

/// Steps, then the size of the arena.
std::string planned(std::string_view graph) {
    auto part = read_partition(graph);
    runtime::plan_parts plan = plan_of(*part);
    return text_of(plan) + format_text("arena {}\n", plan.arena_bytes);
}

void expect_plan(std::string_view graph, std::string_view steps) {
    SCOPED_TRACE(graph);
    EXPECT_EQ(planned(graph), trimmed(steps));
}

TEST(arena, results_take_turns) {
    expect_plan(R"(
        %0:f32[8x8], %1:f32[8x8] = input
        %2:f32[8x8] = MatMul(%0, %1)
        %3:f32[8x8] = MatMul(%2, %1)
        %4:f32[8x8] = MatMul(%3, %1)
        %5:f32[8x8] = MatMul(%4, %1))",
            R"(
        MatMul(in 0, in 1) -> at 0
        MatMul(at 0, in 1) -> at 256
        MatMul(at 256, in 1) -> at 0
        MatMul(at 0, in 1) -> out 0
        arena 512)");
}

TEST(arena, what_stays_in_a_step_has_no_place) {
    expect_plan(R"(
        %0:f32[8x8], %1:f32[8x8], %2:f32[8] = input
        %3:f32[8x8] = MatMul(%0, %1)
        %4:f32[8x8] = Multiply(%3, %2)
        %5:f32[8x8] = Exp(%4)
        %6:f32[8] = ReduceSum(%5) {axes=[0]}
        %7:f32[8] = Neg(%6)
        %8:f32[8] = Abs(%7))",
            R"(
        MatMul+Multiply+Exp(in 0, in 1, in 2) -> at 0
        ReduceSum(at 0) -> at 256
        Neg+Abs(at 256) -> out 0
        arena 320)");
}

TEST(arena, a_step_writes_over_an_operand_that_nobody_needs_any_more) {
    expect_plan(R"(
        %0:f32[8x4], %1:f32[4x8], %2:f32[8x4] = input
        %3:f32[8x8] = MatMul(%0, %1)
        %4:f32[8x8] = SoftMax(%3) {axis=1}
        %5:f32[8x4] = MatMul(%4, %2))",
            R"(
        MatMul(in 0, in 1) -> at 0
        SoftMax(at 0) -> at 0
        MatMul(at 0, in 2) -> out 0
        arena 256)");
    // A tile's other operands, but not the factors.
    expect_plan(R"(
        %0:f32[8x8], %1:f32[8x8] = input
        %2:f32[8x8] = SoftMax(%0) {axis=1}
        %3:f32[8x8] = MatMul(%0, %1)
        %4:f32[8x8] = Add(%3, %2)
        %5:f32[8x8] = MatMul(%4, %1)
        %6:f32[8x8] = SoftMax(%5) {axis=1})",
            R"(
        SoftMax(in 0) -> at 0
        MatMul+Add(in 0, in 1, at 0) -> at 0
        MatMul(at 0, in 1) -> at 256
        SoftMax(at 256) -> out 0
        arena 512)");
    // Other elements of the same size.
    expect_plan(R"(
        %0:f32[8x8] = input
        %1:f32[8x8] = SoftMax(%0) {axis=1}
        %2:s32[8x8] = TypeCast(%1)
        %3:s32[8] = ReduceSum(%2) {axes=[1]})",
            R"(
        SoftMax(in 0) -> at 0
        TypeCast(at 0) -> at 0
        ReduceSum(at 0) -> out 0
        arena 256)");
}

TEST(arena, and_over_nothing_else) {
    // What is read again later.
    expect_plan(R"(
        %0:f32[8x8], %1:f32[8x8] = input
        %2:f32[8x8] = MatMul(%0, %1)
        %3:f32[8x8] = SoftMax(%2) {axis=1}
        %4:f32[8x8] = MatMul(%3, %2))",
            R"(
        MatMul(in 0, in 1) -> at 0
        SoftMax(at 0) -> at 256
        MatMul(at 256, at 0) -> out 0
        arena 512)");
    // Elements of another size.
    expect_plan(R"(
        %0:f32[8x8], %1:f32[8x8], %2:bf16[8x8] = input
        %3:f32[8x8] = MatMul(%0, %1)
        %4:bf16[8x8] = SoftMax(%3) {axis=1}
        %5:bf16[8x8] = MatMul(%4, %2))",
            R"(
        MatMul(in 0, in 1) -> at 0
        SoftMax(at 0) -> at 256
        MatMul(at 256, in 2) -> out 0
        arena 384)");
    // The same elements in another order.
    expect_plan(R"(
        %0:f32[8x8], %1:f32[8x8] = input
        %2:f32[8x8] = MatMul(%0, %1)
        %3:f32[8x8] = StaticTranspose(%2) {order=[1, 0]}
        %4:f32[8x8] = SoftMax(%3) {axis=1}
        %5:f32[8x8] = MatMul(%4, %1))",
            R"(
        MatMul(in 0, in 1) -> at 0
        SoftMax(at 0) -> at 256
        MatMul(at 256, in 1) -> out 0
        arena 512)");
    // A kernel that does not work in place.
    expect_plan(R"(
        %0:f32[8x1], %1:f32[1x1] = input
        %2:f32[8x1] = MatMul(%0, %1)
        %3:f32[8x1] = ReduceSum(%2) {axes=[1], keep_dims=true}
        %4:f32[8x1] = SoftMax(%3) {axis=0})",
            R"(
        MatMul(in 0, in 1) -> at 0
        ReduceSum(at 0) -> at 64
        SoftMax(at 64) -> out 0
        arena 128)");
}

TEST(arena, empty_results) {
    expect_plan(R"(
        %0:f32[0x4], %1:f32[4x8] = input
        %2:f32[0x8] = MatMul(%0, %1)
        %3:f32[8] = ReduceSum(%2) {axes=[0]})",
            R"(
        ReduceSum(nothing) -> out 0
        arena 0)");
    expect_plan(R"(
        %0:f32[0x4], %1:f32[4x8] = input
        %2:f32[0x8] = MatMul(%0, %1)
        %3:f32[0x8] = SoftMax(%2) {axis=1})",
            "arena 0");
}

/// Pairs "in 2 = out 0" that the plan reports, then those that it allows besides.
std::string shared_ports(std::string_view graph) {
    auto part = read_partition(graph);
    runtime::plan_parts plan = plan_of(*part);
    std::string text;
    for (const auto &[in, out] : plan.in_place)
        text += format_text("in {} = out {}\n", in, out);
    for (std::size_t out = 0; out < plan.outputs.size(); ++out)
        for (std::size_t in = 0; in < plan.inputs.size(); ++in) {
            const std::pair pair(in, out);
            if (plan.may_alias[out * plan.inputs.size() + in]
                    && std::find(plan.in_place.begin(), plan.in_place.end(), pair)
                               == plan.in_place.end())
                text += format_text("or in {} = out {}\n", in, out);
        }
    return text;
}

void expect_shared(std::string_view graph, std::string_view pairs) {
    SCOPED_TRACE(graph);
    EXPECT_EQ(shared_ports(graph), trimmed(pairs));
}

TEST(in_place_ports, of_fused_steps) {
    expect_shared(R"(
        %0:f32[8x4], %1:f32[4x8], %2:f32[8x8] = input
        %3:f32[8x8] = MatMul(%0, %1)
        %4:f32[8x8] = Add(%3, %2))",
            "in 2 = out 0");
    expect_shared(R"(
        %0:f32[8x8], %1:f32[8x8] = input
        %2:f32[8x8] = MatMul(%0, %1)
        %3:f32[8x8] = Add(%2, %0))",
            "");
    expect_shared(R"(
        %0:boolean[4x4], %1:f32[4x4], %2:f32[4x4], %3:f32[4] = input
        %4:f32[4x4] = Select(%0, %1, %2)
        %5:f32[4x4] = Add(%4, %3))",
            R"(
        in 1 = out 0
        or in 2 = out 0)");
    expect_shared(R"(
        %0:f32[4x4] constant, %1:f32[4x4], %2:f32[4x4:1s4] = input
        %3:f32[4x4] = Maximum(%0, %1)
        %4:f32[4x4] = Minimum(%3, %2))",
            R"(
        in 1 = out 0
        or in 0 = out 0)");
}

TEST(in_place_ports, not_what_a_later_step_reads) {
    expect_shared(R"(
        %0:f32[4x4], %1:f32[4x4] = input
        %2:f32[4x4] = SoftMax(%0) {axis=1}
        %3:f32[4x4] = SoftMax(%2) {axis=0}
        %4:f32[4x4] = Add(%3, %1)
        End(%2)
        End(%4))",
            R"(
        in 0 = out 0
        in 1 = out 1
        or in 0 = out 1)");
    expect_shared(R"(
        %0:f32[4x4] = input
        %1:f32[4x4] = SoftMax(%0) {axis=1}
        %2:f32[4x4] = SoftMax(%1) {axis=0}
        %3:f32[4x4] = Add(%2, %0)
        End(%1)
        End(%3))",
            "in 0 = out 1");
}

} // namespace
} // namespace tern::compiler
