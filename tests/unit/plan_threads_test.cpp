// SPDX-License-Identifier: Apache-2.0
//
// Whole plans compute the same bits on any number of threads.
#include <cmath>
#include <ostream>
#include <random>
#include <regex>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include "plan_text.hpp"

namespace tern::compiler {
namespace {

/// A graph whose "T" stands for a type, and the steps that it is here for.
struct threads_case {
    const char *name;
    const char *graph;
    const char *steps; ///< Without operands.

    friend void PrintTo(const threads_case &row, std::ostream *out) { *out << row.name; }
};

// Sizes are no multiples of tiles and vectors, and large enough to be split.
constexpr threads_case cases[] = {
        {"matmul_with_epilogue", R"(
        %0:T[2x133x70], %1:T[2x70x91], %2:T[91], %3:T[133x91], %4:boolean[2x1x91] = input
        %5:T[2x133x91] = MatMul(%0, %1, %2)
        %6:T[2x133x91] = Add(%5, %3)
        %7:T[2x133x91] = GELU(%6)
        %8:T[2x133x91] = Select(%4, %7, %3))",
                "MatMul+Add+GELU+Select"},
        {"matmul_with_a_long_sum", R"(
        %0:T[3x40000], %1:T[40000x5] = input
        %2:T[3x5] = MatMul(%0, %1)
        %3:T[3x5] = Abs(%2))",
                "MatMul+Abs"},
        {"softmax_along_rows", R"(
        %0:T[67x1003] = input
        %1:T[67x1003] = SoftMax(%0) {axis=1})",
                "SoftMax"},
        {"softmax_across_rows", R"(
        %0:T[3x301x97] = input
        %1:T[3x301x97] = SoftMax(%0) {axis=1, mode=inf_as_zero})",
                "SoftMax"},
        {"sum_of_rows", R"(
        %0:T[1301x257] = input
        %1:T[1301] = ReduceSum(%0) {axes=[1]})",
                "ReduceSum"},
        {"sum_of_columns", R"(
        %0:T[1301x257] = input
        %1:T[257] = ReduceSum(%0) {axes=[0]})",
                "ReduceSum"},
        {"sum_of_everything", R"(
        %0:T[80x70x60] = input
        %1:T[1x1x1] = ReduceSum(%0) {axes=[0, 1, 2], keep_dims=true})",
                "ReduceSum"},
        {"lanes", R"(
        %0:T[301x503], %1:T[503], %2:T[301x1], %3:T[] = input
        %4:T[301x503] = Multiply(%0, %1)
        %5:T[301x503] = Subtract(%4, %2)
        %6:T[301x503] = Sigmoid(%5)
        %7:boolean[301x503] = Greater(%5, %3)
        %8:f32[301x503] = TypeCast(%6)
        %9:f32[301x503] = Exp(%8)
        End(%7)
        End(%9))",
                "Multiply+Subtract+Sigmoid+Greater+TypeCast+Exp"},
        {"attention", R"(
        %0:T[2x3x65x40], %1:T[2x3x75x40], %2:T[1], %3:boolean[2x1x1x75], %4:T[], %5:T[2x3x75x40] = input
        %6:T[2x3x65x75] = MatMul(%0, %1) {transpose_b=true}
        %7:T[2x3x65x75] = Divide(%6, %2)
        %8:T[2x3x65x75] = Select(%3, %7, %4)
        %9:T[2x3x65x75] = SoftMax(%8) {axis=-1}
        %10:T[2x3x65x40] = MatMul(%9, %5)
        %11:T[2x65x3x40] = StaticTranspose(%10) {order=[0, 2, 1, 3]}
        %12:T[2x65x120] = StaticReshape(%11) {shape=[2, 65, 120], special_zero=false})",
                "MatMul+Divide+Select SoftMax MatMul"},
};

std::string steps_of(const compiled &made) {
    std::string text;
    for (const runtime::plan_step &step : made.plan->parts().steps)
        text += (text.empty() ? "" : " ") + step.ops;
    return text;
}

/// Numbers of sizes so different that each order of adding them rounds in another way.
memories mixed_inputs(const compiled &made) {
    std::mt19937 random(11);
    return make_inputs(made, [&] {
        const auto number = static_cast<double>(static_cast<int>(random() % 201) - 100) / 77;
        return std::ldexp(number, -static_cast<int>(random() % 12));
    });
}

/// Numbers, and not the same one everywhere.
void expect_sensible(const compiled &made, const memories &outputs) {
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const data_type type = made.plan->parts().outputs[i].desc.type;
        std::set<double> values;
        for (std::size_t at = 0; at < outputs[i].size(); at += bytes_of(type)) {
            values.insert(load_f64(type, &outputs[i][at]));
            ASSERT_FALSE(std::isnan(load_f64(type, &outputs[i][at]))) << "output " << i;
        }
        EXPECT_TRUE(values.size() > 1 || outputs[i].size() == bytes_of(type)) << "output " << i;
    }
}

class plan_threads : public testing::TestWithParam<threads_case> {};

TEST_P(plan_threads, same_bits) {
    // More threads than the machine has are made for the time of the test.
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 8);
    for (const char *type : {"f32", "bf16", "f16"}) {
        SCOPED_TRACE(type);
        const threads_case &its = GetParam();
        std::string graph = std::regex_replace(
                std::string(its.graph), std::regex(":T\\["), ":" + std::string(type) + "[");
        const compiled made = compile_text(graph);
        EXPECT_EQ(steps_of(made), its.steps);
        const memories inputs = mixed_inputs(made);
        memories expected;
        tbb::task_arena(1).execute([&] { expected = run(made, inputs); });
        expect_sensible(made, expected);
        for (int threads = 2; threads <= 8; ++threads) {
            tbb::task_arena arena(threads);
            memories found;
            arena.execute([&] { found = run(made, inputs); });
            EXPECT_TRUE(found == expected) << "on " << threads << " threads";
        }
    }
}

INSTANTIATE_TEST_SUITE_P(all, plan_threads, testing::ValuesIn(cases),
        [](const auto &row) { return std::string(row.param.name); });

} // namespace
} // namespace tern::compiler
