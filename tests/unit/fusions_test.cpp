// SPDX-License-Identifier: Apache-2.0
//
// Which ops run as one step: graphs before, steps after. What a MatMul takes in has a file of its
// own, fusions_matmul_test.cpp.
#include "compiler/fusions.hpp"

#include <algorithm>
#include <iterator>
#include <random>
#include <string>

#include "fusion_case.hpp"

namespace tern::compiler {
namespace {

// --- the text form itself

TEST(graph_text, reads_what_print_writes) {
    const std::string printed = trimmed(R"(
        %0:boolean[2x3:1s2] = input
        %1:f32[2x3] constant = input
        %2:f32[] host_scalar = input
        %3:f32[2x3] = Select(%0, %1, %2) {auto_broadcast=numpy}  # op 0
        %4:f32[2x3] = Clamp(%3) {min=-1.5, max=2}  # op 1
        %5:f32[3x2] = StaticTranspose(%4) {order=[1, 0]}  # op 2
        %6:s8[3x2] = Quantize(%5) {qtype=per_tensor, axis=1, scales=[0.5], zps=[3]}  # op 3
    )");
    std::string plain = printed; // op numbers are optional: here they follow from the order
    for (std::size_t at; (at = plain.find("  # op")) != std::string::npos;)
        plain.erase(at, plain.find('\n', at) - at);
    EXPECT_EQ(ir::print(*read_graph(plain)), printed);
    EXPECT_THROW(read_graph("%0:f32[2] = input %1:f32[2] = NoSuchOp(%0)"), std::runtime_error);
}

// --- elementwise ops over one shape

TEST(lane_fusions, a_chain) {
    expect_steps(R"(
        %0:f32[3x5], %1:f32[5], %2:f32[] = input
        %3:f32[3x5] = Multiply(%0, %1)
        %4:f32[3x5] = Add(%3, %2)
        %5:f32[3x5] = Sigmoid(%4)
        %6:f32[3x5] = Multiply(%5, %4))",
            "lanes(%0, %1, %2) -> %6: Multiply+Add+Sigmoid+Multiply");
    expect_steps(R"(
        %0:boolean[5], %1:f32[3x1], %2:f32[5], %3:f32[3x5] = input
        %4:f32[3x5] = Select(%0, %1, %2)
        %5:f32[3x5] = Where(%0, %4, %3))",
            "lanes(%0, %1, %2, %3) -> %5: Select+Where");
}

/// Select copies bits, so it joins where a register holds all bits of an element.
TEST(lane_fusions, selects_of_every_type) {
    auto two_selects = [](const char *type) {
        return format_text("%0:boolean[3x5], %1:{0}[3x5], %2:{0}[] = input\n"
                           "%3:{0}[3x5] = Select(%0, %1, %2)\n"
                           "%4:{0}[3x5] = Where(%0, %2, %3)\n",
                type);
    };
    for (const char *type : {"f32", "bf16", "f16", "s8", "u8", "s16", "u16", "s32", "s64", "u64"})
        expect_steps(two_selects(type), "lanes(%0, %1, %2) -> %4: Select+Where");
    for (const char *type : {"f64", "u32", "boolean", "f8_e5m2", "f8_e4m3", "c64", "c128"})
        expect_steps(two_selects(type), "single(%0, %1, %2) -> %3: Select\n"
                                        "single(%0, %2, %3) -> %4: Where\n");
}

TEST(lane_fusions, one_op_is_no_region) {
    expect_steps("%0:f32[3] = input %1:f32[3] = Exp(%0)", "single(%0) -> %1: Exp");
    expect_steps("%0:f32[3] = input %1:f32[3] = Add(%0, %0)", "single(%0, %0) -> %1: Add");
    expect_steps(R"(
        %0:boolean[3], %1:u8[3], %2:u8[] = input
        %3:u8[3] = Select(%0, %1, %2))",
            "single(%0, %1, %2) -> %3: Select");
}

TEST(lane_fusions, several_outputs) {
    expect_steps(R"(
        %0:f32[3x5], %1:f32[3x5] = input
        %2:f32[3x5] = Subtract(%0, %1)
        %3:f32[3x5] = Exp(%2)
        %4:boolean[3x5] = Greater(%2, %1)
        %5:f32[3x5] = Maximum(%3, %0))",
            "lanes(%0, %1) -> %4, %5: Subtract+Exp+Greater+Maximum");
    expect_steps(R"(
        %0:f32[3x5] = input
        %1:f32[3x5] = Exp(%0)
        %2:f32[3x5] = Neg(%1)
        End(%1)
        End(%2))",
            "lanes(%0) -> %1, %2: Exp+Neg");
}

TEST(lane_fusions, comparisons_and_logic) {
    expect_steps(R"(
        %0:s32[1x8], %1:s32[8x1], %2:boolean[8], %3:f32[8x8], %4:f32[] = input
        %5:boolean[8x8] = LessEqual(%0, %1)
        %6:boolean[8x8] = GreaterEqual(%0, %1)
        %7:boolean[8x8] = Or(%5, %2)
        %8:boolean[8x8] = Xor(%7, %6)
        %9:boolean[8x8] = Not(%8)
        %10:boolean[8x8] = Equal(%3, %4)
        %11:boolean[8x8] = And(%9, %10)
        %12:f32[8x8] = Select(%11, %3, %4))",
            "lanes(%0, %1, %2, %3, %4) -> %12: "
            "LessEqual+GreaterEqual+Or+Xor+Not+Equal+And+Select");
}

/// Indices are counted, not read: their source is no operand.
TEST(lane_fusions, causal_mask) {
    expect_steps(R"(
        %0:f32[2x8x8], %1:f32[], %2:s32[1] = input
        %3:s32[2x8x8] = GenIndex(%0) {axis=1}
        %4:s32[2x8x8] = Add(%3, %2)
        %5:s32[2x8x8] = GenIndex(%0) {axis=2}
        %6:boolean[2x8x8] = GreaterEqual(%4, %5)
        %7:f32[2x8x8] = Select(%6, %0, %1))",
            "lanes(%2, %0, %1) -> %7: GenIndex+Add+GenIndex+GreaterEqual+Select");
}

TEST(lane_fusions, types_change_on_the_way) {
    expect_steps(R"(
        %0:u8[4x6], %1:bf16[4x6] = input
        %2:f32[4x6] = Dequantize(%0) {scales=[0.5], zps=[7]}
        %3:f32[4x6] = Add(%2, %1)
        %4:f16[4x6] = TypeCast(%3)
        %5:f16[4x6] = Tanh(%4)
        %6:s8[4x6] = Quantize(%5) {qtype=per_channel, axis=0, scales=[0.1, 0.2, 0.3, 0.4]})",
            "lanes(%0, %1) -> %6: Dequantize+Add+TypeCast+Tanh+Quantize");
    expect_steps(R"(
        %0:f32[4], %1:s64[4] = input
        %2:s64[4] = TypeCast(%0)
        %3:s64[4] = Maximum(%2, %1)
        %4:boolean[4] = NotEqual(%3, %1))",
            "lanes(%0, %1) -> %4: TypeCast+Maximum+NotEqual");
}

/// It grows against the flow too: from the first op to what its neighbours are fed by.
TEST(lane_fusions, operands_that_are_computed) {
    expect_steps(R"(
        %0:f32[3x5], %1:f32[3x5], %2:f32[3x1] = input
        %3:f32[3x5] = Exp(%0)
        %4:f32[3x5] = Sqrt(%1)
        %5:f32[3x1] = Abs(%2)
        %6:f32[3x5] = Add(%3, %4)
        %7:f32[3x5] = Multiply(%6, %5))",
            R"(
        single(%2) -> %5: Abs
        lanes(%0, %1, %5) -> %7: Exp+Sqrt+Add+Multiply)");
}

TEST(lane_fusions, regions_of_their_own) {
    // One operand in common joins nothing.
    expect_steps(R"(
        %0:f32[3x5] = input
        %1:f32[3x5] = Exp(%0)
        %2:f32[3x5] = Neg(%1)
        %3:f32[3x5] = Sqrt(%0)
        %4:f32[3x5] = Abs(%3)
        %5:f32[5] = ReduceSum(%2) {axes=[0]}
        %6:f32[5] = ReduceSum(%4) {axes=[0]}
        %7:f32[5] = Add(%5, %6))",
            R"(
        lanes(%0) -> %2: Exp+Neg
        lanes(%0) -> %4: Sqrt+Abs
        single(%2) -> %5: ReduceSum
        single(%4) -> %6: ReduceSum
        single(%5, %6) -> %7: Add
        refused ReduceSum (op 4): not elementwise
        refused ReduceSum (op 5): not elementwise)");
    // Another shape, another region.
    expect_steps(R"(
        %0:f32[5], %1:f32[3x5] = input
        %2:f32[5] = Exp(%0)
        %3:f32[5] = Neg(%2)
        %4:f32[3x5] = Add(%1, %3)
        %5:f32[3x5] = Abs(%4))",
            R"(
        lanes(%0) -> %3: Exp+Neg
        lanes(%1, %3) -> %5: Add+Abs)");
    // The shape of the elements counts, not their number.
    expect_steps(R"(
        %0:f32[3x5] = input
        %1:f32[3x5] = Exp(%0)
        %2:f32[15] = StaticReshape(%1) {shape=[15], special_zero=false}
        %3:f32[15] = Neg(%2))",
            R"(
        view(%1) -> %2: StaticReshape
        single(%0) -> %1: Exp
        single(%2) -> %3: Neg)");
}

TEST(lane_fusions, what_would_not_be_convex) {
    expect_steps(R"(
        %0:f32[3x5] = input
        %1:f32[3x5] = Exp(%0)
        %2:f32[3x1] = ReduceSum(%1) {axes=[1], keep_dims=true}
        %3:f32[3x5] = Divide(%1, %2)
        %4:f32[3x5] = Log(%3))",
            R"(
        single(%0) -> %1: Exp
        single(%1) -> %2: ReduceSum
        lanes(%1, %2) -> %4: Divide+Log)");
    // Two regions that would need each other: a step is left on its own.
    expect_steps(R"(
        %0:f32[4x4], %1:f32[4x4] = input
        %2:f32[4x4] = Exp(%0)
        %3:f32[4x4] = SoftMax(%2) {axis=1}
        %4:f32[4x4] = Sqrt(%1)
        %5:f32[4x4] = Add(%3, %4)
        %6:f32[4x4] = SoftMax(%4) {axis=1}
        %7:f32[4x4] = Multiply(%2, %6))",
            R"(
        single(%1) -> %4: Sqrt
        single(%4) -> %6: SoftMax
        lanes(%0, %6) -> %2, %7: Exp+Multiply
        single(%2) -> %3: SoftMax
        single(%3, %4) -> %5: Add
        refused SoftMax (op 1): not elementwise
        refused SoftMax (op 4): not elementwise)");
}

TEST(lane_fusions, no_more_than_48_ops) {
    std::string graph = "%0:f32[8] = input\n";
    for (int i = 0; i < 50; ++i)
        graph += format_text("%{}:f32[8] = Abs(%{})\n", i + 1, i);
    std::string full = "Abs";
    for (int i = 1; i < 48; ++i)
        full += "+Abs";
    expect_steps(graph, "lanes(%0) -> %48: " + full + "\nlanes(%48) -> %50: Abs+Abs");
}

TEST(lane_fusions, nothing_to_compute) {
    expect_steps(R"(
        %0:f32[0x4] = input
        %1:f32[0x4] = Exp(%0)
        %2:f32[0x4] = Neg(%1))",
            R"(
        single(%0) -> %1: Exp
        single(%1) -> %2: Neg)");
    expect_steps(R"(
        %0:f32[] = input
        %1:f32[] = Exp(%0)
        %2:f32[] = Neg(%1))",
            "lanes(%0) -> %2: Exp+Neg");
}

struct refused_op {
    std::string type;  ///< Of %0 to %3.
    std::string other; ///< Of %4.
    std::string line;  ///< What reads %3, the result of a group.
    std::string reason;
};

/// Every reason that is given for leaving an op outside.
TEST(lane_fusions, reasons) {
    const std::string rounded = "a large integer would be rounded to f32 first";
    const refused_op rows[] = {
            {"f32", "f64", "f64[4] = Add(%3, %4)", "data type f64 is not computed in lanes"},
            {"f32", "u32", "f32[4] = Add(%3, %4)", "data type u32 is not computed in lanes"},
            {"f32", "f32", "s32[4] = Add(%3, %4)",
                    "a floating-point result is stored as an integer"},
            {"f32", "s32", "f32[4] = Multiply(%3, %4)", rounded},
            {"s64", "f32", "f32[4] = Subtract(%4, %3)", rounded},
            {"s32", "s64", "s64[4] = Add(%3, %4)", "integers of different types"},
            {"u64", "u64", "boolean[4] = Less(%3, %4)", "order of u64"},
            {"u64", "u64", "u64[4] = Minimum(%3, %4)", "order of u64"},
            {"s32", "s32", "s32[4] = SquaredDifference(%3, %4)", "integers"},
            {"f32", "f32", "f64[4] = TypeCast(%3)", "no conversion from f32 to f64 in lanes"},
            {"f32", "f32", "u32[4] = TypeCast(%3)", "no conversion from f32 to u32 in lanes"},
            {"s32", "s32", "bf16[4] = TypeCast(%3)", "s32 to bf16 would be rounded twice"},
            {"s64", "s64", "f16[4] = TypeCast(%3)", "s64 to f16 would be rounded twice"},
            {"u64", "u64", "f32[4] = TypeCast(%3)", "data type u64"},
            {"f32", "f32", "u8[4] = TypeCast(%3)", "saturates to a small type"},
            {"f32", "f32", "u64[4] = TypeCast(%3)", "saturates to a small type"},
            {"f32", "f32", "f8_e4m3[4] = Quantize(%3) {scales=[1]}", "data type f8_e4m3"},
            {"f32", "f32", "f32[4] = SoftMax(%3) {axis=0}", "not elementwise"},
    };
    for (const refused_op &row : rows) {
        const std::string kind = row.line.substr(row.line.find("= ") + 2);
        const std::string text = fused(format_text("%0:{0}[4], %1:{0}[4], %4:{1}[4] = input\n"
                                                   "%2:{0}[4] = Add(%0, %1)\n"
                                                   "%3:{0}[4] = Multiply(%2, %1)\n"
                                                   "%5:{2}\n",
                row.type, row.other, row.line));
        EXPECT_EQ(text.substr(0, text.find('\n')), "lanes(%0, %1) -> %3: Add+Multiply") << row.line;
        EXPECT_EQ(text.substr(text.find("refused")),
                format_text("refused {} (op 2): {}\n", kind.substr(0, kind.find('(')), row.reason))
                << row.line;
    }
}

// --- any graph

/// Square matrices all the way, so that only the ways between the ops decide.
std::string random_graph(std::mt19937 &random) {
    constexpr const char *ops[] = {"Exp(%{0})", "Neg(%{0})", "Add(%{0}, %{1})",
            "Multiply(%{0}, %{1})", "Maximum(%{0}, %{1})", "SoftMax(%{0}) {{axis=1}}",
            "MatMul(%{0}, %{1})", "StaticTranspose(%{0}) {{order=[1, 0]}}", "Reorder(%{0})"};
    std::string graph = "%0:f32[4x4], %1:f32[4x4] = input\n";
    const unsigned last = 6 + random() % 24;
    for (unsigned id = 2; id <= last; ++id) {
        // One of the last few, so that ways part and meet.
        auto before = [&] { return id - 1 - random() % std::min(id, 5U); };
        const unsigned a = before();
        const unsigned b = before();
        graph += format_text("%{}:f32[4x4] = ", id)
                 + format_erased(ops[random() % std::size(ops)], fmt::make_format_args(a, b))
                 + "\n";
    }
    return graph;
}

/// Each op is in one group, no two groups wait for each other, and every group has a kernel.
TEST(fusions, of_graphs_by_chance) {
    std::mt19937 random(5);
    int fused_groups = 0;
    for (int round = 0; round < 300 && !testing::Test::HasFailure(); ++round) {
        const std::string graph = random_graph(random);
        SCOPED_TRACE(graph);
        const std::string steps = fused(graph);
        fused_groups += steps.find("matmul(") != std::string::npos
                        || steps.find("lanes(") != std::string::npos;
    }
    EXPECT_GT(fused_groups, 200);
}

// --- asked not to

TEST(fusions, none_unless_wanted) {
    const char *graph = R"(
        %0:f32[8x4], %1:f32[4x16] = input
        %2:f32[8x16] = MatMul(%0, %1)
        %3:f32[8x16] = Exp(%2)
        %4:f32[8x16] = Reorder(%3)
        %5:f32[8x16] = Neg(%4))";
    EXPECT_EQ(fused(graph, false), trimmed(R"(
        single(%0, %1) -> %2: MatMul
        single(%2) -> %3: Exp
        single(%3) -> %4: Reorder
        single(%4) -> %5: Neg)"));
}

} // namespace
} // namespace tern::compiler
