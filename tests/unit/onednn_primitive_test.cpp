// SPDX-License-Identifier: Apache-2.0
//
// Groups as oneDNN primitives beside the reference loops, op by op, and the reasons of those that
// are refused. Select has select_primitive_test.cpp.
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <oneapi/tbb/task_arena.h>

#include "base/error.hpp"
#include "onednn_here.hpp"
#include "plan_text.hpp"
#include "primitives/primitive.hpp"
#include "select_case.hpp"

namespace tern::compiler {
namespace {

using testing::HasSubstr;

/// Numbers to fill with: by chance, or special ones in between.
class numbers {
public:
    explicit numbers(bool has_special) : has_special_(has_special) {}

    double operator()() {
        constexpr float inf = std::numeric_limits<float>::infinity();
        constexpr float special[] = {0.0F, -0.0F, inf, -inf, NAN, 1e-40F, -1e-40F, 1e30F, -1e30F,
                1.0F, -1.0F, 0.5F, 2.5F, 88.9F, -104.0F};
        if (has_special_ && random_() % 3 == 0) return special[random_() % std::size(special)];
        return static_cast<double>(static_cast<int>(random_() % 8001) - 4000) / 1000;
    }

private:
    bool has_special_;
    std::mt19937 random_{7};
};

float at(const std::vector<std::uint8_t> &bytes, std::size_t i) {
    float value;
    std::memcpy(&value, &bytes[4 * i], 4);
    return value;
}

/// Everything is f32. Beyond equal bits, or NaN on both sides: `relative` of what is wanted, and
/// what is below the smallest normal number may be zero.
void expect_near(const memories &found, const memories &wanted, double relative, double scale) {
    ASSERT_EQ(found.size(), wanted.size());
    for (std::size_t o = 0; o < found.size(); ++o)
        for (std::size_t i = 0; 4 * i < found[o].size(); ++i) {
            const float f = at(found[o], i);
            const float w = at(wanted[o], i);
            if (std::memcmp(&found[o][4 * i], &wanted[o][4 * i], 4) == 0) continue;
            if (std::isnan(f) && std::isnan(w)) continue;
            const double bound = relative * std::max(std::fabs(double{w}), scale) + 1.2e-38;
            ASSERT_LE(std::fabs(double{f} - w), bound) << "element " << i << ": " << f << ", " << w;
        }
}

struct tolerance {
    double relative = 0;
    double scale = 0; ///< What is smaller counts as this large.
};

/// Returns the implementation.
std::string expect_reference_result(
        std::string_view graph, tolerance allowed = {}, bool has_special = false) {
    SCOPED_TRACE(graph);
    compiled tested = compile_text(graph, "onednn");
    compiled reference = compile_text(graph, "reference");
    memories inputs = make_inputs(
            tested, [draw = std::make_shared<numbers>(has_special)] { return (*draw)(); });
    const memories wanted = run(reference, inputs);
    for (int threads : {1, 2, 3})
        tbb::task_arena(threads).execute(
                [&] { expect_near(run(tested, inputs), wanted, allowed.relative, allowed.scale); });
    const runtime::plan_parts &parts = tested.plan->parts();
    for (const auto &[from, to] : parts.in_place) {
        memories held = inputs;
        memories results = wanted;
        std::vector<const void *> in;
        std::vector<void *> out;
        for (std::vector<std::uint8_t> &bytes : held)
            in.push_back(bytes.data());
        for (std::vector<std::uint8_t> &bytes : results)
            out.push_back(bytes.data());
        out[to] = held[from].data();
        tested.execute(in.data(), out.data(), nullptr);
        results[to] = held[from];
        expect_near(results, wanted, allowed.relative, allowed.scale);
    }
    return parts.implementation;
}

/// The reason why a graph of one op cannot run so.
std::string refusal(std::string_view graph) {
    try {
        compile_text(graph, "onednn");
    } catch (const error &e) {
        std::string message = e.message;
        const std::string words = "cannot run as onednn: ";
        EXPECT_THAT(message, HasSubstr(words));
        return message.substr(std::min(message.size(), message.find(words) + words.size()));
    }
    ADD_FAILURE() << "runs: " << graph;
    return {};
}

// --- MatMul

TEST(onednn_primitive, matmul) {
    SKIP_WITHOUT_ONEDNN();
    const tolerance sums = {1e-5, 16};
    for (std::string_view graph : {
                 "%0:f32[5x7], %1:f32[7x9] = input\n %2:f32[5x9] = MatMul(%0, %1)",
                 "%0:f32[1x1], %1:f32[1x1] = input\n %2:f32[1x1] = MatMul(%0, %1)",
                 "%0:f32[65x130], %1:f32[130x33] = input\n %2:f32[65x33] = MatMul(%0, %1)",
                 "%0:f32[7x5], %1:f32[9x7] = input\n"
                 "%2:f32[5x9] = MatMul(%0, %1){transpose_a=true, transpose_b=true}",
                 "%0:f32[7], %1:f32[7x9] = input\n %2:f32[9] = MatMul(%0, %1)",
                 "%0:f32[5x7], %1:f32[7] = input\n %2:f32[5] = MatMul(%0, %1)",
                 "%0:f32[7], %1:f32[7] = input\n %2:f32[] = MatMul(%0, %1)",
                 "%0:f32[4x5x7], %1:f32[7x9] = input\n %2:f32[4x5x9] = MatMul(%0, %1)",
                 "%0:f32[5x7], %1:f32[3x4x7x9] = input\n %2:f32[3x4x5x9] = MatMul(%0, %1)",
                 "%0:f32[2x1x5x7], %1:f32[3x7x9] = input\n %2:f32[2x3x5x9] = MatMul(%0, %1)",
                 "%0:f32[5x7:10s1], %1:f32[7x9:1s8] = input\n"
                 "%2:f32[5x9:16s1] = MatMul(%0, %1)",
         })
        EXPECT_THAT(expect_reference_result(graph, sums), testing::StartsWith("onednn:"));
}

TEST(onednn_primitive, matmul_with_what_follows) {
    SKIP_WITHOUT_ONEDNN_AND_AVX2();
    const tolerance sums = {1e-5, 16};
    const std::string factors = "%0:f32[2x5x7], %1:f32[2x7x9] = input\n";
    const std::string product = factors + "%2:f32[2x5x9] = MatMul(%0, %1)\n";
    for (std::string_view shape : {"", "9", "1x1", "5x1", "5x9", "2x1x1", "2x5x9", "2x1x9"})
        for (std::string_view op : {"Add", "Subtract", "Multiply"}) {
            const std::string other = "[" + std::string(shape) + "]";
            const std::string name(op);
            EXPECT_THAT(expect_reference_result(product + "%3:f32" + other + " = input\n"
                                                        + "%4:f32[2x5x9] = " + name + "(%2, %3)",
                                sums),
                    testing::StartsWith("onednn:"));
            if (name != "Subtract") {
                EXPECT_THAT(
                        expect_reference_result(product + "%3:f32" + other + " = input\n"
                                                        + "%4:f32[2x5x9] = " + name + "(%3, %2)",
                                sums),
                        testing::StartsWith("onednn:"));
            }
            EXPECT_THAT(expect_reference_result(factors + "%3:f32" + other + " = input\n"
                                                        + "%2:f32[2x5x9] = MatMul(%0, %1, %3)\n"
                                                        + "%4:f32[2x5x9] = Sigmoid(%2)",
                                sums),
                    testing::Not(HasSubstr("+")));
        }
    // A vector on either side.
    expect_reference_result(
            "%0:f32[3x7], %1:f32[7], %3:f32[3] = input\n"
            "%2:f32[3] = MatMul(%0, %1)\n %4:f32[3] = Add(%2, %3)\n %5:f32[3] = Tanh(%4)",
            sums);
    expect_reference_result("%0:f32[7], %1:f32[2x7x3], %3:f32[2x1] = input\n"
                            "%2:f32[2x3] = MatMul(%0, %1)\n %4:f32[2x3] = Multiply(%2, %3)",
            sums);
}

/// What is no chain of post-ops is broken up, and each op asked alone.
TEST(onednn_primitive, groups_that_are_no_chain) {
    SKIP_WITHOUT_ONEDNN();
    const std::string graph = "%0:f32[5x7], %1:f32[7x9] = input\n"
                              "%2:f32[5x9] = MatMul(%0, %1)\n"
                              "%3:f32[5x9] = Abs(%2)\n"
                              "%4:f32[5x9] = Add(%2, %3)\n";
    EXPECT_THAT(expect_reference_result(graph, {1e-5, 16}),
            testing::MatchesRegex("onednn:[^+]*\\+onednn:[^+]*\\+onednn:[^+]*"));
}

TEST(onednn_primitive, matmul_says_why_not) {
    SKIP_WITHOUT_ONEDNN();
    EXPECT_EQ(refusal("%0:f64[2x2], %1:f64[2x2] = input\n %2:f64[2x2] = MatMul(%0, %1)"),
            "data type f64");
    EXPECT_EQ(refusal("%0:f32[2x0], %1:f32[0x2] = input\n %2:f32[2x2] = MatMul(%0, %1)"),
            "an operand is empty");
    EXPECT_EQ(refusal("%0:f32[2x2:8s2], %1:f32[2x2] = input\n %2:f32[2x2] = MatMul(%0, %1)"),
            "neither rows nor columns of an operand are dense");
    EXPECT_EQ(refusal("%0:f32[2x2], %1:f32[2x2], %2:f32[2x2:1s2] = input\n"
                      "%3:f32[2x2] = MatMul(%0, %1, %2)"),
            "bias is not dense");
}

// --- elementwise

TEST(onednn_primitive, single_ops_with_special_values) {
    SKIP_WITHOUT_ONEDNN();
    struct {
        const char *op;
        tolerance allowed;
    } ops[] = {{"Abs(%0)", {}}, {"Square(%0)", {}}, {"Sqrt(%0)", {}}, {"Round(%0)", {}},
            {"Reciprocal(%0)", {1.2e-7, 0}}, {"LeakyReLU(%0){alpha=0.1}", {1.2e-7, 0}},
            {"Sigmoid(%0)", {5e-7, 0}}, {"Tanh(%0)", {5e-7, 0}}, {"Pow(%0){beta=3}", {5e-7, 0}},
            {"Pow(%0){beta=2.5}", {5e-7, 0}}, {"Pow(%0){beta=-1}", {5e-7, 0}},
            {"Pow(%0){beta=0}", {}}};
    for (const auto &[op, allowed] : ops)
        for (std::string_view shape : {"1", "7", "8", "1000", "3x5x7", ""}) {
            const std::string type = "f32[" + std::string(shape) + "]";
            EXPECT_THAT(expect_reference_result(
                                "%0:" + type + " = input\n %1:" + type + " = " + op, allowed, true),
                    testing::StartsWith("onednn:jit"));
        }
    for (std::string_view op : {"Add", "Subtract", "Multiply", "Divide"})
        for (std::string_view other : {"2x3x17", "17", "1", "", "3x1", "2x1x1", "1x3x17"})
            for (bool is_swapped : {false, true}) {
                const std::string text = "%0:f32[2x3x17], %1:f32[" + std::string(other)
                                         + "] = input\n %2:f32[2x3x17] = " + std::string(op)
                                         + (is_swapped ? "(%1, %0)" : "(%0, %1)");
                try {
                    expect_reference_result(text, {}, true);
                } catch (const error &e) { // its generated code broadcasts the second one only
                    EXPECT_THAT(std::string(e.message), HasSubstr("not generated code"));
                    EXPECT_TRUE(is_swapped || other == "3x1" || other == "2x1x1") << text;
                }
            }
}

TEST(onednn_primitive, in_place) {
    SKIP_WITHOUT_ONEDNN();
    auto pairs = [](std::string_view graph) {
        return compile_text(graph, "onednn").plan->parts().in_place.size();
    };
    EXPECT_EQ(pairs("%0:f32[9] = input\n %1:f32[9] = Abs(%0)"), 1U);
    EXPECT_EQ(pairs("%0:f32[3x9], %1:f32[3x9] = input\n %2:f32[3x9] = Add(%0, %1)"), 1U);
    EXPECT_EQ(pairs("%0:f32[9x9], %1:f32[9x9], %2:f32[9x9] = input\n"
                    "%3:f32[9x9] = MatMul(%0, %1)\n %4:f32[9x9] = Add(%3, %2)"),
            0U);
}

TEST(onednn_primitive, chains) {
    SKIP_WITHOUT_ONEDNN();
    const std::string operands =
            "%0:f32[2x3x17], %1:f32[2x3x17], %2:f32[2x3x17], %3:f32[] = input\n";
    for (std::string_view rest : {
                 "%5:f32[2x3x17] = Multiply(%4, %2)\n %6:f32[2x3x17] = Sqrt(%5)",
                 "%5:f32[2x3x17] = Multiply(%2, %4)\n %6:f32[2x3x17] = Subtract(%5, %3)",
                 "%5:f32[2x3x17] = Divide(%4, %3)\n %6:f32[2x3x17] = Divide(%5, %2)",
                 "%5:f32[2x3x17] = Round(%4)\n %6:f32[2x3x17] = Abs(%5)",
                 "%5:f32[2x3x17] = Square(%4)\n %6:f32[2x3x17] = Add(%3, %5)",
         })
        EXPECT_THAT(
                expect_reference_result(
                        operands + "%4:f32[2x3x17] = Add(%0, %1)\n" + std::string(rest), {}, true),
                testing::MatchesRegex("onednn:jit[^+]*"));
    const std::string two = "%0:f32[4x33], %1:f32[4x33], %2:f32[4x33] = input\n";
    for (std::string_view ops : {
                 // The eltwise primitive takes no post-ops.
                 "%3:f32[4x33] = Sqrt(%0)\n %4:f32[4x33] = Add(%3, %1)",
                 // A post-op's result so far is its first operand, but for what commutes.
                 "%3:f32[4x33] = Add(%0, %1)\n %4:f32[4x33] = Subtract(%2, %3)",
                 // What is inside stays inside.
                 "%3:f32[4x33] = Add(%0, %1)\n %4:f32[4x33] = Multiply(%3, %3)",
         })
        EXPECT_THAT(expect_reference_result(two + std::string(ops), {}, true),
                testing::MatchesRegex("onednn:jit[^+]*\\+onednn:jit[^+]*"));
}

TEST(onednn_primitive, elementwise_says_why_not) {
    SKIP_WITHOUT_ONEDNN();
    struct {
        const char *op;
        const char *reason;
    } unary[] = {{"Clamp(%0){min=-1, max=1}", "oneDNN turns NaN into a bound"},
            {"Elu(%0){alpha=1}", "oneDNN's exp(x) - 1 cancels near 0"},
            {"Exp(%0)", "oneDNN turns NaN into infinity"},
            {"GELU(%0)", "oneDNN's 1 + erf(x) cancels below 0"},
            {"HardSigmoid(%0){alpha=1, beta=0}", "oneDNN turns NaN into 1"},
            {"HardSwish(%0)", "oneDNN's x / 6 + 1 / 2 cancels near -3"},
            {"LeakyReLU(%0){alpha=0}", "with alpha 0 oneDNN turns NaN into 0"},
            {"Log(%0)", "oneDNN takes denormals for the smallest normal number"},
            {"Mish(%0)", "oneDNN's (1 + exp(x))^2 - 1 cancels below 0"},
            {"Neg(%0)", "oneDNN loses the sign of zeros"},
            {"Pow(%0){beta=0.5}", "with beta 0.5 oneDNN takes the root of -infinity for NaN"},
            {"ReLU(%0)", "oneDNN turns NaN into 0"},
            {"SoftPlus(%0)", "oneDNN's log(1 + exp(x)) cancels below 0"},
            {"TypeCast(%0)", "oneDNN has no such algorithm"}};
    for (const auto &[op, reason] : unary)
        EXPECT_EQ(refusal("%0:f32[4] = input\n %1:f32[4] = " + std::string(op)), reason) << op;
    for (const char *op : {"Maximum", "Minimum"})
        EXPECT_EQ(refusal("%0:f32[4], %1:f32[4] = input\n %2:f32[4] = " + std::string(op)
                          + "(%0, %1)"),
                "oneDNN loses a NaN of the first operand");
    for (const char *op : {"Equal", "NotEqual", "Greater", "GreaterEqual", "Less", "LessEqual"})
        EXPECT_EQ(refusal("%0:f32[4], %1:f32[4] = input\n %2:boolean[4] = " + std::string(op)
                          + "(%0, %1)"),
                "oneDNN's generated code stores no booleans");
    EXPECT_EQ(refusal("%0:s32[4], %1:s32[4] = input\n %2:s32[4] = Add(%0, %1)"),
            "data type s32: oneDNN computes in f32");
    EXPECT_EQ(
            refusal("%0:f32[2x2:1s2] = input\n %1:f32[2x2] = Abs(%0)"), "an operand is not dense");
    EXPECT_EQ(refusal("%0:f32[2x1], %1:f32[1x2] = input\n %2:f32[2x2] = Add(%0, %1)"),
            "the first operand is broadcast");
}

// --- SoftMax, ReduceSum, moves

TEST(onednn_primitive, softmax) {
    SKIP_WITHOUT_ONEDNN();
    for (bool has_special : {false, true})
        for (std::string_view shape : {"1", "9", "3x17", "2x3x40", "4x1", "2x100x9"})
            for (std::string_view axis : {"0", "-1"}) {
                const std::string type = "f32[" + std::string(shape) + "]";
                EXPECT_THAT(expect_reference_result(
                                    "%0:" + type + " = input\n %1:" + type
                                            + " = SoftMax(%0){axis=" + std::string(axis) + "}",
                                    {2e-6, 1e-7}, has_special),
                        testing::StartsWith("onednn:"));
            }
    EXPECT_EQ(refusal("%0:f32[2x3] = input\n %1:f32[2x3] = SoftMax(%0){mode=inf_as_zero}"),
            "oneDNN 3.7 has no mode inf_as_zero");
    EXPECT_EQ(refusal("%0:f32[2x3] = input\n %1:f32[2x3], %2:f32[2x1] = SoftMax(%0)"),
            "oneDNN 3.7 gives no stats");
    EXPECT_EQ(refusal("%0:f32[2x3:1s2] = input\n %1:f32[2x3] = SoftMax(%0)"),
            "an operand is not dense");
    EXPECT_EQ(refusal("%0:bf16[2x3] = input\n %1:bf16[2x3] = SoftMax(%0)"),
            "data type bf16: oneDNN computes in f32");
}

TEST(onednn_primitive, sum) {
    SKIP_WITHOUT_ONEDNN();
    for (bool has_special : {false, true})
        for (std::string_view form : {"9] = input\n %1:f32[1] = ReduceSum(%0){axes=[0]",
                     "5x17] = input\n %1:f32[5x1] = ReduceSum(%0){axes=[1]",
                     "4x3x40] = input\n %1:f32[4x1x1] = ReduceSum(%0){axes=[1,-1]",
                     "4x3x1000] = input\n %1:f32[4x3x1] = ReduceSum(%0){axes=[-1]"})
            EXPECT_THAT(expect_reference_result("%0:f32[" + std::string(form) + ", keep_dims=true}",
                                {1e-5, 40}, has_special),
                    testing::StartsWith("onednn:jit"));
    EXPECT_THAT(
            expect_reference_result(
                    "%0:f32[4x3x40] = input\n %1:f32[4x3] = ReduceSum(%0){axes=[2]}", {1e-5, 40}),
            testing::StartsWith("onednn:jit"));
    EXPECT_THAT(refusal("%0:f32[4x3] = input\n %1:f32[3] = ReduceSum(%0){axes=[0]}"),
            HasSubstr("not generated code"));
    EXPECT_EQ(refusal("%0:s32[4x3] = input\n %1:s32[4] = ReduceSum(%0){axes=[1]}"),
            "data type s32: oneDNN computes in f32");
    EXPECT_EQ(refusal("%0:f32[4x0] = input\n %1:f32[4] = ReduceSum(%0){axes=[1]}"),
            "there are no elements");
    EXPECT_EQ(refusal("%0:f32[4x1] = input\n %1:f32[4] = ReduceSum(%0){axes=[1]}"),
            "nothing is reduced");
}

/// Bits by chance, signalling NaNs among them.
TEST(onednn_primitive, moves_copy_bits) {
    SKIP_WITHOUT_ONEDNN();
    for (std::string_view type : {"f32", "s32", "bf16", "f16", "s8", "u8", "boolean", "f64", "s64"})
        for (std::string_view form : {"[33x17] = input\n %1:{}[33x17:1s33] = Reorder(%0)",
                     "[33x17:20s1] = input\n %1:{}[33x17:18s1] = Reorder(%0)",
                     "[2x3x5x7] = input\n %1:{}[2x3x5x7:105s1s21s3] = Reorder(%0)",
                     "[2x3x5x7] = input\n %1:{}[2x3x5x7] = Reorder(%0)",
                     "[4x9x16] = input\n %1:{}[16x4x9] = StaticTranspose(%0){order=[2,0,1]}",
                     "[4x9x16] = input\n %1:{}[36x16] = StaticReshape(%0){shape=[36,16], "
                     "special_zero=false}"}) {
            std::string graph = "%0:" + std::string(type) + std::string(form);
            graph.replace(graph.find("{}"), 2, type);
            SCOPED_TRACE(graph);
            std::mt19937 random(5);
            std::optional<compiled> tested;
            try {
                tested.emplace(compile_text(graph, "onednn"));
            } catch (const error &e) {
                EXPECT_THAT(std::string(e.message), HasSubstr("not generated code"));
                continue;
            }
            memories inputs = make_inputs(*tested, [] { return 0.0; });
            for (auto &bytes : inputs)
                for (std::uint8_t &byte : bytes)
                    byte = static_cast<std::uint8_t>(random());
            EXPECT_EQ(run(*tested, inputs), run(compile_text(graph, "reference"), inputs));
        }
    EXPECT_EQ(refusal("%0:f32[2x3:1s2] = input\n %1:f32[6] = StaticReshape(%0){shape=[6], "
                      "special_zero=false}"),
            "the source's strides do not fit the new shape");
}

/// Runs by itself where it is the faster copy, so it has to keep to its operands as the loops do.
TEST(onednn_primitive, moves_touch_nothing_around_their_operands) {
    SKIP_WITHOUT_ONEDNN();
    using tests::placement;
    for (placement where :
            {placement{placement::ends_at_guard}, placement{placement::begins_at_guard},
                    placement{placement::anywhere, 1}, placement{placement::anywhere, 3}})
        for (std::string_view type : {"f32", "s8"})
            for (std::string_view form :
                    {"[33x65:1s33] = input\n %1:{}[33x65]", "[65x33:1s65] = input\n %1:{}[65x33]",
                            "[3x700:1s3] = input\n %1:{}[3x700]",
                            "[700x3:1s700] = input\n %1:{}[700x3]",
                            "[2x3x19x23:1311s1s69s3] = input\n %1:{}[2x3x19x23]",
                            "[2x37x5x7:1295s35s7s1] = input\n %1:{}[2x37x5x7:1295s1s259s37]",
                            "[7x6x5x11:1s7s42s210] = input\n %1:{}[7x6x5x11]"}) {
                std::string graph =
                        "%0:" + std::string(type) + std::string(form) + " = Reorder(%0)";
                graph.replace(graph.find("{}"), 2, type);
                SCOPED_TRACE(graph);
                const compiled tested = compile_text(graph, "onednn");
                memories inputs = make_inputs(tested, [] { return 0.0; });
                for (std::size_t i = 0; i < inputs[0].size(); ++i)
                    inputs[0][i] = static_cast<std::uint8_t>(i * 7 + i / 256);
                const tests::region src(inputs[0].size(), where);
                const tests::region dst(inputs[0].size(), where);
                std::memcpy(src.first(), inputs[0].data(), inputs[0].size());
                const void *in[] = {src.first()};
                void *out[] = {dst.first()};
                tested.execute(in, out, nullptr);
                const memories wanted = run(compile_text(graph, "reference"), inputs);
                EXPECT_EQ(std::memcmp(dst.first(), wanted[0].data(), wanted[0].size()), 0);
            }
}

TEST(onednn_primitive, runs_on_several_threads_at_once) {
    SKIP_WITHOUT_ONEDNN();
    const std::string_view graph = "%0:f32[40x50], %1:f32[50x60], %3:f32[60] = input\n"
                                   "%2:f32[40x60] = MatMul(%0, %1)\n"
                                   "%4:f32[40x60] = Add(%2, %3)\n";
    const compiled tested = compile_text(graph, "onednn");
    const memories inputs =
            make_inputs(tested, [draw = std::make_shared<numbers>(false)] { return (*draw)(); });
    const memories wanted = run(compile_text(graph, "reference"), inputs);
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 4; ++caller)
        callers.emplace_back([&] {
            for (int i = 0; i < 50; ++i)
                expect_near(run(tested, inputs), wanted, 1e-5, 16);
        });
    for (std::thread &caller : callers)
        caller.join();
}

} // namespace
} // namespace tern::compiler
