// SPDX-License-Identifier: Apache-2.0
//
// What plans keep of constants: which steps run once, and that executions which find their results
// give the same bits.
#include <memory>
#include <ostream>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "plan_text.hpp"
#include "runtime/constant_cache.hpp"

namespace tern::compiler {
namespace {

using runtime::step_role;

/// "once SoftMax, pack MatMul, MatMul+Add"
std::string roles_of(const compiled &made) {
    std::string text;
    for (const runtime::plan_step &step : made.plan->parts().steps) {
        const char *role = step.role == step_role::constant      ? "once "
                           : step.role == step_role::preparation ? "pack "
                                                                 : "";
        text += (text.empty() ? "" : ", ") + std::string(role) + step.ops;
    }
    return text;
}

struct constants_case {
    const char *name;
    const char *graph;
    const char *steps;
    std::size_t kept; ///< Bytes at least; 0: exactly.
    std::vector<std::size_t> ports;

    friend void PrintTo(const constants_case &row, std::ostream *out) { *out << row.name; }
};

const constants_case cases[] = {
        {"weights_are_packed", R"(
        %0:f32[16x70], %1:f32[70x90:1s70] constant = input
        %2:f32[16x90] = MatMul(%0, %1)
        %3:f32[16x90] = ReLU(%2))",
                "pack MatMul, MatMul+ReLU", 70 * 90 * 4, {1}},
        {"weights_of_two_bytes_are_packed", R"(
        %0:bf16[2x16x700], %1:bf16[2x700x40] constant = input
        %2:bf16[2x16x40] = MatMul(%0, %1))",
                "pack MatMul, MatMul", 2 * 700 * 40 * 4, {1}},
        {"weights_of_few_rows_are_read_as_they_are", R"(
        %0:f32[1x70], %1:f32[70x90:1s70] constant = input
        %2:f32[1x90] = MatMul(%0, %1))",
                "MatMul", 0, {}},
        {"weights_that_change", R"(
        %0:f32[16x70], %1:f32[70x90:1s70] = input
        %2:f32[16x90] = MatMul(%0, %1))",
                "MatMul", 0, {}},
        {"a_constant_left_factor", R"(
        %0:f32[16x70] constant, %1:f32[70x90:1s70] = input
        %2:f32[16x90] = MatMul(%0, %1))",
                "MatMul", 0, {}},
        {"a_product_of_constants", R"(
        %0:f32[16x70] constant, %1:f32[70x90:1s70] constant, %2:f32[16x90] = input
        %3:f32[16x90] = MatMul(%0, %1)
        %4:f32[16x90] = SoftMax(%3)
        %5:f32[16x90] = Add(%4, %2))",
                "once MatMul, once SoftMax, Add", 16 * 90 * 4, {0, 1}},
        {"weights_that_the_epilogue_reads_too", R"(
        %0:bf16[16x16], %1:bf16[16x16] constant = input
        %2:bf16[16x16] = MatMul(%0, %1)
        %3:bf16[16x16] = Multiply(%2, %1))",
                "MatMul+Multiply", 0, {}},
        {"a_result_that_others_read", R"(
        %0:f32[8x64], %1:f32[8x64] constant = input
        %2:f32[8x64] = SoftMax(%1)
        %3:f32[8x64] = Add(%0, %2))",
                "once SoftMax, Add", 8 * 64 * 4, {0}},
        // The sum would go where the first SoftMax's result is.
        {"nobody_writes_over_it", R"(
        %0:f32[8x64], %1:f32[8x64] constant = input
        %2:f32[8x64] = SoftMax(%1)
        %3:f32[8x64] = Add(%0, %2)
        %4:f32[8x64] = SoftMax(%3))",
                "once SoftMax, Add, SoftMax", 8 * 64 * 4, {0}},
        {"what_lies_between_is_not_kept", R"(
        %0:f32[8x64], %1:f32[8x64] constant = input
        %2:f32[8x64] = SoftMax(%1)
        %3:f32[8x64] = SoftMax(%2) {axis=0}
        %4:f32[8x64] = Add(%0, %3))",
                "once SoftMax, once SoftMax, Add", 8 * 64 * 4, {0}},
        {"a_result_that_is_packed", R"(
        %0:f32[16x72], %1:f32[96x72] constant = input
        %2:f32[96x72] = SoftMax(%1)
        %3:f32[72x96] = StaticTranspose(%2) {order=[1, 0]}
        %4:f32[16x96] = MatMul(%0, %3))",
                "once SoftMax, pack MatMul, MatMul", 96 * 72 * 4, {0}},
        {"a_result_that_is_packed_and_read", R"(
        %0:f32[16x72], %1:f32[96x72] constant, %2:f32[96x72] = input
        %3:f32[96x72] = SoftMax(%1)
        %4:f32[72x96] = StaticTranspose(%3) {order=[1, 0]}
        %5:f32[16x96] = MatMul(%0, %4)
        %6:f32[96x72] = Add(%2, %3)
        End(%5)
        End(%6))",
                "once SoftMax, pack MatMul, MatMul, Add", 2 * 96 * 72 * 4, {0}},
        {"weights_of_two_matmuls", R"(
        %0:f32[16x64], %1:f32[64x64:1s64] constant, %2:f32[64x64:1s64] constant = input
        %3:f32[16x64] = MatMul(%0, %1)
        %4:f32[16x64] = ReLU(%3)
        %5:f32[16x64] = MatMul(%4, %2))",
                "pack MatMul, MatMul+ReLU, pack MatMul, MatMul", 2 * 64 * 64 * 4, {1, 2}},
        {"outputs_are_written_each_time", R"(
        %0:f32[8x64] constant = input
        %1:f32[8x64] = SoftMax(%0)
        %2:f32[8x64] = SoftMax(%1) {axis=0})",
                "once SoftMax, SoftMax", 8 * 64 * 4, {0}},
        {"host_scalars_change", R"(
        %0:f32[] host_scalar, %1:f32[8x64] = input
        %2:f32[] = Exp(%0)
        %3:f32[8x64] = SoftMax(%1)
        %4:f32[8x64] = Add(%3, %2))",
                "Exp, SoftMax, Add", 0, {}},
        {"no_elements", R"(
        %0:f32[8x0], %1:f32[8x0] constant = input
        %2:f32[8x0] = SoftMax(%1)
        %3:f32[8x0] = Add(%0, %2))",
                "", 0, {}},
};

memories draw_inputs(const compiled &made, unsigned seed) {
    std::mt19937 random(seed);
    return make_inputs(
            made, [&] { return static_cast<double>(static_cast<int>(random() % 201) - 100) / 77; });
}

/// Gives a partition a cache of its own while this lives.
struct with_cache {
    compiled &made;
    runtime::constant_cache cache{std::size_t{1} << 30};

    explicit with_cache(compiled &of) : made(of) {
        const runtime::plan_parts &parts = made.plan->parts();
        if (parts.kept_bytes > 0)
            made.kept = std::make_shared<runtime::constant_entries>(
                    cache, made.plan->engine(), parts.constants, parts.kept_bytes);
    }
    ~with_cache() { made.kept = nullptr; }
    with_cache(const with_cache &) = delete;
    with_cache &operator=(const with_cache &) = delete;
};

class constants : public testing::TestWithParam<constants_case> {};

TEST_P(constants, plan) {
    const compiled made = compile_text(GetParam().graph);
    const runtime::plan_parts &parts = made.plan->parts();
    EXPECT_EQ(roles_of(made), GetParam().steps);
    EXPECT_EQ(parts.constants, GetParam().ports);
    EXPECT_EQ(made.kept != nullptr, GetParam().kept > 0);
    EXPECT_GE(parts.kept_bytes, GetParam().kept);
    EXPECT_LE(parts.kept_bytes, GetParam().kept * 2);
    EXPECT_EQ(parts.implementation.find("pack"), std::string::npos);
}

TEST_P(constants, same_bits) {
    compiled without = compile_text(GetParam().graph);
    without.kept = nullptr;
    memories inputs = draw_inputs(without, 5);
    const memories expected = run(without, inputs);
    EXPECT_TRUE(run(without, inputs) == expected);
    compiled made = compile_text(GetParam().graph);
    const with_cache own(made);
    for (int i = 0; i < 3; ++i)
        EXPECT_TRUE(run(made, inputs) == expected) << "execution " << i;

    // Other inputs, and the same constants.
    memories others = draw_inputs(without, 6);
    for (std::size_t port : without.plan->parts().constants)
        others[port] = inputs[port];
    const memories changed = run(without, others);
    for (std::size_t port : without.plan->parts().constants)
        others[port].swap(inputs[port]);
    EXPECT_TRUE(run(made, others) == changed);

    // The memory of the constants is not read again.
    for (std::size_t port : without.plan->parts().constants)
        std::fill(others[port].begin(), others[port].end(), std::uint8_t{0});
    EXPECT_TRUE(run(made, others) == changed);
    if (!without.plan->parts().constants.empty()) {
        EXPECT_FALSE(run(without, others) == changed);
        EXPECT_GT(own.cache.used(), 0U);
    } else {
        EXPECT_EQ(own.cache.used(), 0U);
    }
}

INSTANTIATE_TEST_SUITE_P(all, constants, testing::ValuesIn(cases),
        [](const auto &row) { return std::string(row.param.name); });

TEST(constants_of_implementations, what_is_forced_keeps_too) {
    const char *graph = R"(
        %0:f32[16x70], %1:f32[70x90:1s70] constant = input
        %2:f32[70x90] = SoftMax(%1)
        %3:f32[16x90] = MatMul(%0, %2))";
    compiled made = compile_text(graph, "reference");
    EXPECT_EQ(roles_of(made), "once SoftMax, MatMul");
    compiled without = compile_text(graph, "reference");
    without.kept = nullptr;
    const memories inputs = draw_inputs(made, 5);
    const with_cache own(made);
    for (int i = 0; i < 3; ++i)
        EXPECT_TRUE(run(made, inputs) == run(without, inputs));
    EXPECT_GT(own.cache.used(), 0U);
}

} // namespace
} // namespace tern::compiler
