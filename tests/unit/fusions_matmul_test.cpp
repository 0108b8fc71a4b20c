// SPDX-License-Identifier: Apache-2.0
//
// MatMuls and what they take in: graphs before, steps after.
#include <cstring>
#include <string>

#include "fusion_case.hpp"

namespace tern::compiler {
namespace {

TEST(matmul_fusions, select_with_the_result_at_either_side) {
    expect_steps(R"(
        %0:f32[8x4], %1:f32[4x16], %2:boolean[8x16], %3:f32[] = input
        %4:f32[8x16] = MatMul(%0, %1)
        %5:f32[8x16] = Select(%2, %4, %3))",
            "matmul(%0, %1, %2, %3) -> %5: MatMul+Select");
    expect_steps(R"(
        %0:f32[8x4], %1:f32[4x16], %2:boolean[8x16], %3:f32[] = input
        %4:f32[8x16] = MatMul(%0, %1)
        %5:f32[8x16] = Select(%2, %3, %4))",
            "matmul(%0, %1, %2, %3) -> %5: MatMul+Select");
    expect_steps(R"(
        %0:f32[8x4], %1:f32[4x16], %2:boolean[8x16], %3:f32[] = input
        %4:f32[8x16] = MatMul(%0, %1)
        %5:f32[8x16] = Where(%2, %3, %4))",
            "matmul(%0, %1, %2, %3) -> %5: MatMul+Where");
}

TEST(matmul_fusions, select_whose_condition_and_fill_broadcast) {
    for (const char *cond :
            {"2x8x16", "8x16", "2x1x16", "8x1", "16", "1", "", "8x16:1s8", "8x16:0s1"})
        for (const char *fill : {"2x8x16", "2x8x1", "16", "1", ""})
            expect_steps(
                    format_text(
                            "%0:f32[2x8x4], %1:f32[2x4x16], %2:boolean[{}], %3:f32[{}] = input\n"
                            "%4:f32[2x8x16] = MatMul(%0, %1)\n"
                            "%5:f32[2x8x16] = Select(%2, %4, %3)\n",
                            cond, fill),
                    "matmul(%0, %1, %2, %3) -> %5: MatMul+Select");
}

TEST(matmul_fusions, bias_scale_and_binary_ops) {
    expect_steps(R"(
        %0:f32[8x4], %1:f32[4x16], %2:f32[16], %3:f32[1], %4:f32[8x16], %5:f32[8x1] = input
        %6:f32[8x16] = MatMul(%0, %1, %2)
        %7:f32[8x16] = Multiply(%6, %3)
        %8:f32[8x16] = Add(%4, %7)
        %9:f32[8x16] = Maximum(%8, %5)
        %10:f32[8x16] = SquaredDifference(%9, %4))",
            "matmul(%0, %1, %2, %3, %4, %5) -> %10: MatMul+Multiply+Add+Maximum+SquaredDifference");
    expect_steps(R"(
        %0:f32[4x8], %1:f32[16x4], %2:f32[] host_scalar = input
        %3:f32[8x16] = MatMul(%0, %1) {transpose_a=true, transpose_b=true}
        %4:f32[8x16] = Divide(%3, %2))",
            "matmul(%0, %1, %2) -> %4: MatMul+Divide");
    expect_steps(R"(
        %0:f32[4], %1:f32[3x4x16], %2:f32[16] = input
        %3:f32[3x16] = MatMul(%0, %1)
        %4:f32[3x16] = Add(%3, %2))",
            "matmul(%0, %1, %2) -> %4: MatMul+Add");
}

TEST(matmul_fusions, every_unary_op) {
    for (const char *op : {"Abs(%2)", "Clamp(%2) {min=0, max=6}", "Elu(%2) {alpha=1}", "Exp(%2)",
                 "GELU(%2)", "GELU(%2) {mode=gelu_tanh}", "HardSigmoid(%2) {alpha=0.5, beta=1}",
                 "HardSwish(%2)", "LeakyReLU(%2) {alpha=0.1}", "Log(%2)", "Mish(%2)", "Neg(%2)",
                 "Pow(%2) {beta=2}", "Reciprocal(%2)", "ReLU(%2)", "Round(%2)", "Sigmoid(%2)",
                 "SoftPlus(%2)", "Sqrt(%2)", "Square(%2)", "Tanh(%2)", "TypeCast(%2)"})
        expect_steps(format_text("%0:f32[8x4], %1:f32[4x16] = input\n"
                                 "%2:f32[8x16] = MatMul(%0, %1)\n"
                                 "%3:f32[8x16] = {}\n",
                             op),
                "matmul(%0, %1) -> %3: MatMul+" + std::string(op, std::strchr(op, '(')));
}

TEST(matmul_fusions, low_types_and_casts) {
    expect_steps(R"(
        %0:bf16[8x4], %1:bf16[4x16] = input
        %2:f32[8x16] = MatMul(%0, %1)
        %3:f32[8x16] = GELU(%2)
        %4:bf16[8x16] = TypeCast(%3))",
            "matmul(%0, %1) -> %4: MatMul+GELU+TypeCast");
    expect_steps(R"(
        %0:f16[8x4], %1:f16[4x16], %2:f16[16] = input
        %3:f16[8x16] = MatMul(%0, %1, %2)
        %4:f16[8x16] = ReLU(%3)
        %5:u8[8x16] = Quantize(%4) {scales=[0.5], zps=[3]}
        %6:f32[8x16] = Dequantize(%5) {scales=[0.5], zps=[3]})",
            "matmul(%0, %1, %2) -> %6: MatMul+ReLU+Quantize+Dequantize");
}

TEST(matmul_fusions, causal_mask_from_indices) {
    for (const char *type : {"f32", "bf16", "f16"})
        expect_steps(format_text("%0:{0}[8x4], %1:{0}[4x8], %2:{0}[], %3:{0}[] = input\n"
                                 "%4:{0}[8x8] = MatMul(%0, %1)\n"
                                 "%5:{0}[8x8] = Multiply(%4, %2)\n"
                                 "%6:s32[8x8] = GenIndex(%5) {{axis=-2}}\n"
                                 "%7:s32[8x8] = GenIndex(%5) {{axis=-1}}\n"
                                 "%8:boolean[8x8] = GreaterEqual(%6, %7)\n"
                                 "%9:{0}[8x8] = Select(%8, %5, %3)\n",
                             type),
                "matmul(%0, %1, %2, %3) -> %9: "
                "MatMul+Multiply+GenIndex+GenIndex+GreaterEqual+Select");
}

TEST(matmul_fusions, attention) {
    expect_steps(R"(
        %0:f32[2x8x4], %1:f32[2x8x4], %2:f32[], %3:boolean[1x8], %4:f32[], %5:f32[2x8x4] = input
        %6:f32[2x8x8] = MatMul(%0, %1) {transpose_b=true}
        %7:f32[2x8x8] = Divide(%6, %2)
        %8:f32[2x8x8] = Select(%3, %7, %4)
        %9:f32[2x8x8] = SoftMax(%8) {axis=-1}
        %10:f32[2x8x4] = MatMul(%9, %5)
        %11:f32[8x2x4] = StaticTranspose(%10) {order=[1, 0, 2]})",
            R"(
        view(%10) -> %11: StaticTranspose
        matmul(%0, %1, %2, %3, %4) -> %8: MatMul+Divide+Select
        single(%8) -> %9: SoftMax
        single(%9, %5) -> %10: MatMul
        refused SoftMax (op 3): not elementwise)");
}

/// What is computed for the epilogue alone is computed in the tile, where it has the tile's shape.
TEST(matmul_fusions, other_operands_of_the_epilogue) {
    expect_steps(R"(
        %0:f32[8x4], %1:f32[4x16], %2:f32[8x16], %3:s32[8x16], %4:s32[1] = input
        %5:f32[8x16] = MatMul(%0, %1)
        %6:f32[8x16] = Exp(%2)
        %7:boolean[8x16] = Less(%3, %4)
        %8:boolean[8x16] = Not(%7)
        %9:f32[8x16] = Select(%8, %5, %6))",
            "matmul(%0, %1, %2, %3, %4) -> %9: MatMul+Exp+Less+Not+Select");
    expect_steps(R"(
        %0:f32[8x4], %1:f32[4x16], %2:f32[1x16] = input
        %3:f32[8x16] = MatMul(%0, %1)
        %4:f32[1x16] = Exp(%2)
        %5:f32[8x16] = Add(%3, %4))",
            R"(
        single(%2) -> %4: Exp
        matmul(%0, %1, %4) -> %5: MatMul+Add)");
    // Read by others too: it is theirs.
    expect_steps(R"(
        %0:f32[8x4], %1:f32[4x16], %2:f32[8x16] = input
        %3:f32[8x16] = MatMul(%0, %1)
        %4:f32[8x16] = Exp(%2)
        %5:f32[8x16] = Add(%3, %4)
        %6:f32[8x16] = SoftMax(%4) {axis=1})",
            R"(
        single(%2) -> %4: Exp
        matmul(%0, %1, %4) -> %5: MatMul+Add
        single(%4) -> %6: SoftMax
        refused SoftMax (op 3): not elementwise)");
}

TEST(matmul_fusions, two_of_them) {
    expect_steps(R"(
        %0:f32[8x4], %1:f32[4x16] = input
        %2:f32[8x16] = MatMul(%0, %1)
        %3:f32[8x16] = MatMul(%0, %1)
        %4:f32[8x16] = Add(%2, %3))",
            R"(
        single(%0, %1) -> %3: MatMul
        matmul(%0, %1, %3) -> %4: MatMul+Add
        refused MatMul (op 1): not elementwise)");
    // The second one needs the first one's result, so it is the one that takes the sum in.
    expect_steps(R"(
        %0:f32[8x4], %1:f32[4x16], %2:f32[16x16] = input
        %3:f32[8x16] = MatMul(%0, %1)
        %4:f32[8x16] = MatMul(%3, %2)
        %5:f32[8x16] = Add(%3, %4))",
            R"(
        single(%0, %1) -> %3: MatMul
        matmul(%3, %2) -> %5: MatMul+Add
        refused MatMul (op 1): not elementwise)");
    // Read by element and whole: it goes to memory for the second one.
    expect_steps(R"(
        %0:f32[8x4], %1:f32[4x16], %2:f32[16x16] = input
        %3:f32[8x16] = MatMul(%0, %1)
        %4:f32[8x16] = ReLU(%3)
        %5:f32[8x16] = MatMul(%4, %2))",
            R"(
        matmul(%0, %1) -> %4: MatMul+ReLU
        single(%4, %2) -> %5: MatMul
        refused MatMul (op 2): not elementwise)");
}

/// A value inside that others read is one more output.
TEST(matmul_fusions, readers_outside) {
    expect_steps(R"(
        %0:f32[8x4], %1:f32[4x16] = input
        %2:f32[8x16] = MatMul(%0, %1)
        %3:f32[8x16] = ReLU(%2)
        End(%2))",
            "matmul(%0, %1) -> %2, %3: MatMul+ReLU");
    expect_steps(R"(
        %0:f32[8x4], %1:f32[4x16] = input
        %2:f32[8x16] = MatMul(%0, %1)
        %3:f32[8x16] = Exp(%2)
        %4:f32[8x16] = Tanh(%3)
        %5:f32[8x16] = Sigmoid(%3)
        %6:f32[16] = ReduceSum(%3) {axes=[0]})",
            R"(
        matmul(%0, %1) -> %3, %4, %5: MatMul+Exp+Tanh+Sigmoid
        single(%3) -> %6: ReduceSum)");
    // A way out of the partition and back in: two partitions.
    expect_steps(R"(
        %0:f32[8x4], %1:f32[4x16] = input
        %2:f32[8x16] = MatMul(%0, %1)
        %3:f32[8x16] = Wildcard(%2)
        %4:f32[8x16] = Add(%2, %3))",
            "single(%0, %1) -> %2: MatMul");
}

TEST(matmul_fusions, an_op_of_another_kind_between) {
    expect_steps(R"(
        %0:f32[8x4], %1:f32[4x16], %2:f32[8x16] = input
        %3:f32[8x16] = MatMul(%0, %1)
        %4:f32[8x16] = SoftMax(%3) {axis=1}
        %5:f32[8x16] = Add(%4, %2))",
            R"(
        single(%0, %1) -> %3: MatMul
        single(%3) -> %4: SoftMax
        single(%4, %2) -> %5: Add
        refused SoftMax (op 1): not elementwise)");
}

TEST(matmul_fusions, what_would_not_be_convex) {
    // Through an op that runs on its own.
    expect_steps(R"(
        %0:f32[8x4], %1:f32[4x16] = input
        %2:f32[8x16] = MatMul(%0, %1)
        %3:f32[8x16] = ReLU(%2)
        %4:f32[8x1] = ReduceSum(%3) {axes=[1], keep_dims=true}
        %5:f32[8x16] = Divide(%3, %4)
        %6:f32[8x16] = Exp(%5))",
            R"(
        matmul(%0, %1) -> %3: MatMul+ReLU
        single(%3) -> %4: ReduceSum
        lanes(%3, %4) -> %6: Divide+Exp)");
    // Through another group: each would wait for the other.
    expect_steps(R"(
        %0:f32[8x4], %1:f32[4x8], %2:f32[8x8] = input
        %3:f32[8x8] = MatMul(%0, %1)
        %4:f32[8x8] = Exp(%3)
        %5:f32[8x8] = MatMul(%2, %2)
        %6:f32[8x8] = Add(%4, %5)
        %7:f32[8x8] = MatMul(%4, %2)
        %8:f32[8x8] = Multiply(%6, %7))",
            R"(
        single(%2, %2) -> %5: MatMul
        matmul(%0, %1, %5) -> %4, %6: MatMul+Exp+Add
        matmul(%4, %2, %6) -> %8: MatMul+Multiply
        refused MatMul (op 4): not elementwise
        refused MatMul (op 2): not elementwise)");
    // Through a view: the same tile does not hold those elements.
    expect_steps(R"(
        %0:f32[8x4], %1:f32[4x8] = input
        %2:f32[8x8] = MatMul(%0, %1)
        %3:f32[8x8] = StaticTranspose(%2) {order=[1, 0]}
        %4:f32[8x8] = Add(%2, %3))",
            R"(
        view(%2) -> %3: StaticTranspose
        single(%0, %1) -> %2: MatMul
        single(%2, %3) -> %4: Add)");
}

TEST(matmul_fusions, shapes_that_do_not_match) {
    expect_steps(R"(
        %0:f32[1x4], %1:f32[4x16], %2:f32[8x16] = input
        %3:f32[1x16] = MatMul(%0, %1)
        %4:f32[8x16] = Add(%3, %2))",
            R"(
        single(%0, %1) -> %3: MatMul
        single(%3, %2) -> %4: Add)");
    expect_steps(R"(
        %0:f32[8x4], %1:f32[4x16], %2:f32[2x64] = input
        %3:f32[8x16] = MatMul(%0, %1)
        %4:f32[2x64] = StaticReshape(%3) {shape=[2, 64], special_zero=false}
        %5:f32[2x64] = Add(%4, %2))",
            R"(
        view(%3) -> %4: StaticReshape
        single(%0, %1) -> %3: MatMul
        single(%4, %2) -> %5: Add)");
}

/// Registers hold bits of these types that a copy may not change.
TEST(matmul_fusions, a_select_of_other_elements_than_numbers_stays_outside) {
    expect_steps(R"(
        %0:f32[8x4], %1:f32[4x8], %2:boolean[8x8], %3:boolean[] = input
        %4:f32[8x8] = MatMul(%0, %1)
        %5:boolean[8x8] = Less(%4, %4)
        %6:boolean[8x8] = Select(%2, %5, %3))",
            R"(
        matmul(%0, %1) -> %5: MatMul+Less
        single(%2, %5, %3) -> %6: Select
        refused Select (op 2): a copy of boolean keeps bits that a lane does not hold)");
}

TEST(matmul_fusions, what_the_tiles_do_not_compute) {
    expect_steps(R"(
        %0:f64[8x4], %1:f64[4x16], %2:f64[16] = input
        %3:f64[8x16] = MatMul(%0, %1)
        %4:f64[8x16] = Add(%3, %2))",
            R"(
        single(%0, %1) -> %3: MatMul
        single(%3, %2) -> %4: Add)");
    // In f32 from here on, but the factors are not.
    expect_steps(R"(
        %0:f64[8x4], %1:f64[4x16] = input
        %2:f32[8x16] = MatMul(%0, %1)
        %3:f32[8x16] = Exp(%2)
        %4:f32[8x16] = Neg(%3))",
            R"(
        single(%0, %1) -> %2: MatMul
        lanes(%2) -> %4: Exp+Neg
        refused MatMul (op 0): not elementwise)");
    expect_steps(R"(
        %0:f64[8x4], %1:f64[4x16], %2:s64[8x16] = input
        %3:f64[8x16] = MatMul(%0, %1)
        %4:s64[8x16] = GenIndex(%3) {axis=0}
        %5:s64[8x16] = Add(%4, %2))",
            R"(
        single(%0, %1) -> %3: MatMul
        lanes(%2) -> %5: GenIndex+Add
        refused MatMul (op 0): not elementwise)");
}

TEST(matmul_fusions, nothing_to_compute) {
    expect_steps(R"(
        %0:f32[0x4], %1:f32[4x16] = input
        %2:f32[0x16] = MatMul(%0, %1)
        %3:f32[0x16] = Exp(%2))",
            R"(
        single(%0, %1) -> %2: MatMul
        single(%2) -> %3: Exp)");
    expect_steps(R"(
        %0:f32[8x0], %1:f32[0x16] = input
        %2:f32[8x16] = MatMul(%0, %1)
        %3:f32[8x16] = Exp(%2))",
            "matmul(%0, %1) -> %3: MatMul+Exp");
}

} // namespace
} // namespace tern::compiler
