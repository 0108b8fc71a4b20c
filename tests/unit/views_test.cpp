// SPDX-License-Identifier: Apache-2.0
//
// Moves that become views: graphs before, places and steps after.
#include <random>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "plan_text.hpp"

namespace tern::compiler {
namespace {

/// "%3 in %2: f32[3x2:1s3]" for each tensor that lies in another one's memory, then the steps.
std::string viewed(const partition &part) {
    region r = region_of(part);
    make_views(r);
    EXPECT_NO_THROW(verify(r));
    const group_text names(r, part);
    std::string text;
    for (std::size_t v = 0; v < r.values.size(); ++v) {
        const auto value = static_cast<int>(v);
        if (r.value(value).home == value) continue;
        text += format_text("%{} in %{}: {}\n", names.id(value), names.id(r.value(value).home),
                ir::short_text(r.desc(value)));
    }
    return text + text_of(plan_of(part));
}

/// What is computed through views is, byte by byte, what the reference computes op by op; numbers
/// are whole and small, so that nothing is rounded. Gaps stay untouched.
void check_values(std::string_view graph) {
    compiled made = compile_text(graph);
    compiled reference = compile_text(graph, "reference");
    ASSERT_EQ(reference.plan->parts().implementation.find("matmul"), std::string::npos);
    std::mt19937 random(3);
    const memories inputs =
            make_inputs(made, [&] { return static_cast<double>(random() % 9) - 4; });
    EXPECT_EQ(run(made, inputs), run(reference, inputs));
}

void expect_views(std::string_view graph, std::string_view expected) {
    SCOPED_TRACE(graph);
    EXPECT_EQ(viewed(*read_partition(graph)), trimmed(expected));
    check_values(graph);
}

TEST(views, between_steps_the_source_is_read) {
    expect_views(R"(
        %0:f32[2x3] = input
        %1:f32[2x3] = Neg(%0)
        %2:f32[3x2] = StaticTranspose(%1) {order=[1, 0]}
        %3:f32[2] = ReduceSum(%2) {axes=[0]})",
            R"(
        %2 in %1: f32[3x2:1s3]
        Neg(in 0) -> at 0
        ReduceSum(at 0) -> out 0)");
    expect_views(R"(
        %0:f32[2x6] = input
        %1:f32[2x6] = Neg(%0)
        %2:f32[2x1x3x2] = StaticReshape(%1) {shape=[2, 1, 3, 2], special_zero=false}
        %3:f32[2x1x2] = ReduceSum(%2) {axes=[2]})",
            R"(
        %2 in %1: f32[2x1x3x2]
        Neg(in 0) -> at 0
        ReduceSum(at 0) -> out 0)");
    expect_views(R"(
        %0:f32[2x3] = input
        %1:f32[2x3] = Neg(%0)
        %2:f32[2x3] = Reorder(%1)
        %3:f32[3] = ReduceSum(%2) {axes=[0]})",
            R"(
        %2 in %1: f32[2x3]
        Neg(in 0) -> at 0
        ReduceSum(at 0) -> out 0)");
}

TEST(views, expanded_elements_are_read_where_they_lie) {
    expect_views(R"(
        %0:f32[3x1] = input
        %1:f32[3x1] = Neg(%0)
        %2:f32[2x3x4] = Expand(%1) {shape=[2, 1, 4]}
        %3:f32[2x4] = ReduceSum(%2) {axes=[1]})",
            R"(
        %2 in %1: f32[2x3x4:0s1s0]
        Neg(in 0) -> at 0
        ReduceSum(at 0) -> out 0)");
    expect_views(R"(
        %0:f32[3x1] = input
        %1:f32[3x1] = Neg(%0)
        %2:f32[3x4] = Expand(%1) {shape=[3, 4]})",
            R"(
        Neg(in 0) -> at 0
        Expand(at 0) -> out 0)");
}

TEST(views, of_an_input) {
    expect_views(R"(
        %0:f32[2x3x4] = input
        %1:f32[4x2x3] = StaticTranspose(%0) {order=[-1, 0, 1]}
        %2:f32[4x2x3] = Abs(%1))",
            R"(
        %1 in %0: f32[4x2x3:1s12s4]
        Abs(in 0) -> out 0)");
    // An empty order reverses the axes.
    expect_views(R"(
        %0:u8[2x3x4] = input
        %1:u8[4x3x2] = StaticTranspose(%0) {order=[]}
        %2:u8[4x3x2] = Add(%1, %1))",
            R"(
        %1 in %0: u8[4x3x2:1s4s12]
        Add(in 0, in 0) -> out 0)");
    // With strides of its own, and with elements that repeat.
    expect_views(R"(
        %0:f32[2x3:9s2], %1:f32[2x3:0s1] = input
        %2:f32[3x2] = StaticTranspose(%0) {order=[1, 0]}
        %3:f32[3x2] = StaticTranspose(%1) {order=[1, 0]}
        %4:f32[3x2] = Add(%2, %3))",
            R"(
        %2 in %0: f32[3x2:2s9]
        %3 in %1: f32[3x2:1s0]
        Add(in 0, in 1) -> out 0)");
}

TEST(views, at_the_end_the_result_is_written_where_it_is_wanted) {
    expect_views(R"(
        %0:f32[2x3] = input
        %1:f32[2x3] = Neg(%0)
        %2:f32[3x2] = StaticTranspose(%1) {order=[1, 0]})",
            R"(
        %1 in %2: f32[2x3:1s2]
        Neg(in 0) -> out 0)");
    expect_views(R"(
        %0:f32[2x3] = input
        %1:f32[2x3] = Neg(%0)
        %2:f32[2x3:1s5] = Reorder(%1))",
            R"(
        %1 in %2: f32[2x3:1s5]
        Neg(in 0) -> out 0)");
    expect_views(R"(
        %0:f32[2x3x4] = input
        %1:f32[2x3x4] = Neg(%0)
        %2:f32[6x4:5s1] = StaticReshape(%1) {shape=[6, 4], special_zero=false})",
            R"(
        %1 in %2: f32[2x3x4:15s5s1]
        Neg(in 0) -> out 0)");
    // Others may read it there.
    expect_views(R"(
        %0:f32[2x3] = input
        %1:f32[2x3] = Neg(%0)
        %2:f32[3x2] = StaticTranspose(%1) {order=[1, 0]}
        %3:f32[2] = ReduceSum(%1) {axes=[1]})",
            R"(
        %1 in %2: f32[2x3:1s2]
        Neg(in 0) -> out 0
        ReduceSum(out 0) -> out 1)");
}

TEST(views, chains) {
    // How attention puts its heads together again.
    expect_views(R"(
        %0:f32[2x3x5], %1:f32[2x5x4] = input
        %2:f32[2x3x4] = MatMul(%0, %1)
        %3:f32[3x2x4] = StaticTranspose(%2) {order=[1, 0, 2]}
        %4:f32[3x8] = StaticReshape(%3) {shape=[3, 8], special_zero=false}
        %5:f32[3x8] = Reorder(%4))",
            R"(
        %2 in %5: f32[2x3x4:4s8s1]
        %3 in %5: f32[3x2x4]
        %4 in %5: f32[3x8]
        MatMul(in 0, in 1) -> out 0)");
    // And takes them apart.
    expect_views(R"(
        %0:f32[3x8], %1:f32[2x4x5] = input
        %2:f32[3x2x4] = StaticReshape(%0) {shape=[3, 2, 4], special_zero=false}
        %3:f32[2x3x4] = StaticTranspose(%2) {order=[1, 0, 2]}
        %4:f32[2x3x5] = MatMul(%3, %1))",
            R"(
        %2 in %0: f32[3x2x4]
        %3 in %0: f32[2x3x4:4s8s1]
        MatMul(in 0, in 1) -> out 0)");
    // From both ends at once.
    expect_views(R"(
        %0:f32[2x3] = input
        %1:f32[3x2] = StaticTranspose(%0) {order=[1, 0]}
        %2:f32[3x2] = Abs(%1)
        %3:f32[2x3] = StaticTranspose(%2) {order=[1, 0]}
        %4:f32[2x1x3] = StaticReshape(%3) {shape=[2, 1, 3], special_zero=false})",
            R"(
        %1 in %0: f32[3x2:1s3]
        %2 in %4: f32[3x2:1s3]
        %3 in %4: f32[2x3]
        Abs(in 0) -> out 0)");
}

TEST(views, fused_steps_read_and_write_through_them) {
    expect_views(R"(
        %0:f32[4x3], %1:f32[5x3], %2:boolean[5x4], %3:f32[2x10], %4:f32[20] = input
        %5:f32[3x5] = StaticTranspose(%1) {order=[1, 0]}
        %6:f32[4x5] = MatMul(%0, %5)
        %7:boolean[4x5] = StaticTranspose(%2) {order=[1, 0]}
        %8:f32[4x5] = StaticReshape(%3) {shape=[4, 5], special_zero=false}
        %9:f32[4x5] = Select(%7, %6, %8)
        %10:f32[4x5] = StaticReshape(%4) {shape=[4, 5], special_zero=false}
        %11:f32[4x5] = Add(%9, %10)
        %12:f32[5x4] = StaticTranspose(%11) {order=[1, 0]})",
            R"(
        %5 in %1: f32[3x5:1s3]
        %7 in %2: boolean[4x5:1s4]
        %8 in %3: f32[4x5]
        %10 in %4: f32[4x5]
        %11 in %12: f32[4x5:1s4]
        MatMul+Select+Add(in 1, in 0, in 2, in 3, in 4) -> out 0)");
    expect_views(R"(
        %0:s8[7x4], %1:boolean[1x7], %2:s8[] = input
        %3:s8[4x7] = StaticTranspose(%0) {order=[1, 0]}
        %4:boolean[7] = StaticReshape(%1) {shape=[7], special_zero=false}
        %5:s8[4x7] = Select(%4, %3, %2))",
            R"(
        %3 in %0: s8[4x7:1s4]
        %4 in %1: boolean[7]
        Select(in 1, in 0, in 2) -> out 0)");
}

TEST(views, from_input_to_output_is_a_copy) {
    expect_views(R"(
        %0:f32[2x3] = input
        %1:f32[3x2] = StaticTranspose(%0) {order=[1, 0]})",
            "StaticTranspose(in 0) -> out 0");
    // Of two moves one is enough.
    expect_views(R"(
        %0:f32[2x3] = input
        %1:f32[3x2] = StaticTranspose(%0) {order=[1, 0]}
        %2:f32[6] = StaticReshape(%1) {shape=[6], special_zero=false})",
            R"(
        %1 in %2: f32[3x2]
        StaticTranspose(in 0) -> out 0)");
}

TEST(views, one_result_lies_in_one_place) {
    expect_views(R"(
        %0:f32[2x3] = input
        %1:f32[2x3] = Neg(%0)
        %2:f32[3x2] = StaticTranspose(%1) {order=[1, 0]}
        %3:f32[6] = StaticReshape(%1) {shape=[6], special_zero=false})",
            R"(
        %1 in %3: f32[2x3]
        Neg(in 0) -> out 1
        StaticTranspose(out 1) -> out 0)");
    // It is an output itself.
    expect_views(R"(
        %0:f32[2x3] = input
        %1:f32[2x3] = Neg(%0)
        %2:f32[3x2] = StaticTranspose(%1) {order=[1, 0]}
        End(%1)
        End(%2))",
            R"(
        Neg(in 0) -> out 0
        StaticTranspose(out 0) -> out 1)");
    // What it lies in goes on to be read.
    expect_views(R"(
        %0:f32[2x3], %1:f32[2x3] = input
        %2:f32[2x3] = Neg(%0)
        %3:f32[3x2] = StaticTranspose(%2) {order=[1, 0]}
        %4:f32[3x2] = Abs(%3)
        %5:f32[2x3] = Add(%2, %1))",
            R"(
        %3 in %2: f32[3x2:1s3]
        Neg+Add(in 0, in 1) -> at 0, out 1
        Abs(at 0) -> out 0)");
}

TEST(views, reshapes_that_no_strides_give) {
    expect_views(R"(
        %0:f32[2x3] = input
        %1:f32[3x2] = StaticTranspose(%0) {order=[1, 0]}
        %2:f32[6] = StaticReshape(%1) {shape=[6], special_zero=false}
        %3:f32[6] = Neg(%2))",
            R"(
        %1 in %0: f32[3x2:1s3]
        StaticReshape(in 0) -> at 0
        Neg(at 0) -> out 0)");
    // Axes of one element, and axes that are split, are no obstacle.
    expect_views(R"(
        %0:f32[2x6] = input
        %1:f32[6x2] = StaticTranspose(%0) {order=[1, 0]}
        %2:f32[3x2x1x2] = StaticReshape(%1) {shape=[3, 2, 1, 2], special_zero=false}
        %3:f32[3x2x1x2] = Neg(%2))",
            R"(
        %1 in %0: f32[6x2:1s6]
        %2 in %0: f32[3x2x1x2:2s1s12s6]
        Neg(in 0) -> out 0)");
    // Nor are elements that repeat along a whole axis; along a part of the new one they are.
    expect_views(R"(
        %0:f32[2x6:0s1] = input
        %1:f32[2x2x3] = StaticReshape(%0) {shape=[2, 2, 3], special_zero=false}
        %2:f32[2x2x3] = Neg(%1))",
            R"(
        %1 in %0: f32[2x2x3:0s3s1]
        Neg(in 0) -> out 0)");
    expect_views(R"(
        %0:f32[2x6:0s1] = input
        %1:f32[12] = StaticReshape(%0) {shape=[12], special_zero=false}
        %2:f32[12] = Neg(%1))",
            R"(
        StaticReshape(in 0) -> at 0
        Neg(at 0) -> out 0)");
    // The output's strides do not fit.
    expect_views(R"(
        %0:f32[6] = input
        %1:f32[6] = Neg(%0)
        %2:f32[2x3:1s2] = StaticReshape(%1) {shape=[2, 3], special_zero=false})",
            R"(
        Neg(in 0) -> at 0
        StaticReshape(at 0) -> out 0)");
}

TEST(views, scalars_and_empty_tensors) {
    expect_views(R"(
        %0:f32[1x1] = input
        %1:f32[] = StaticReshape(%0) {shape=[], special_zero=false}
        %2:f32[] = Neg(%1)
        %3:f32[1] = StaticReshape(%2) {shape=[1], special_zero=false})",
            R"(
        %1 in %0: f32[]
        %2 in %3: f32[]
        Neg(in 0) -> out 0)");
    expect_views(R"(
        %0:f32[0x3] = input
        %1:f32[3x0] = StaticTranspose(%0) {order=[1, 0]}
        %2:f32[3] = ReduceSum(%1) {axes=[1]})",
            R"(
        %1 in %0: f32[3x0]
        ReduceSum(in 0) -> out 0)");
}

/// Reference runs op by op, and so does what is asked for by name.
TEST(views, none_where_an_implementation_is_asked_for) {
    const char *graph = R"(
        %0:f32[2x3] = input
        %1:f32[2x3] = Neg(%0)
        %2:f32[3x2] = StaticTranspose(%1) {order=[1, 0]})";
    auto part = read_partition(graph);
    runtime::plan_parts plan =
            make_plan(*part, ports_of(*part, true), ports_of(*part, false), "reference");
    EXPECT_EQ(text_of(plan), trimmed(R"(
        Neg(in 0) -> at 0
        StaticTranspose(at 0) -> out 0)"));
}

} // namespace
} // namespace tern::compiler
