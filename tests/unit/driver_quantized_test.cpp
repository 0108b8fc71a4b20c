// SPDX-License-Identifier: Apache-2.0
//
// What the driver makes of quantizing ops: scales, zero points and groups follow the shapes.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/rewrite.hpp"
#include "graph_text.hpp"

namespace tern::driver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using floats = std::vector<float>;
using integers = std::vector<std::int64_t>;

formats::graph_file file_of(std::string_view graph) {
    formats::graph_file file;
    file.ops = compiler::graph_text(graph).read();
    return file;
}

/// The graph with the options applied.
formats::graph_file rewritten(
        std::string_view graph, const id_values &in_shapes, const id_values &op_attrs = {}) {
    formats::graph_file file = file_of(graph);
    case_options options;
    options.in_shapes = in_shapes;
    options.op_attrs = op_attrs;
    rewrite(file, options);
    return file;
}

template <typename Value>
Value attr_of(const formats::graph_file &file, op_attr attr, std::size_t op = 0) {
    return std::get<Value>(*ir::find(file.ops[op].attrs, attr));
}

std::string shape_of(const formats::graph_file &file, std::size_t input) {
    return ir::short_text(file.ops[0].inputs[input].desc);
}

std::string refusal(
        std::string_view graph, const id_values &in_shapes, const id_values &op_attrs = {}) {
    try {
        rewritten(graph, in_shapes, op_attrs);
    } catch (const verdict &end) {
        EXPECT_EQ(end.end, outcome::untested);
        EXPECT_EQ(end.why, reason::rewriter_failed);
        return end.message;
    } catch (const error &failure) {
        return std::string("the op's own: ") + failure.message;
    }
    return "";
}

TEST(driver_quantized, scales_become_the_next_power_of_two) {
    const std::string ops = "%0:f32[8] = input\n"
                            "%1:u8[8] = Quantize(%0) {qtype=per_channel, axis=0, "
                            "scales=[0.3, 0.5, 1, 3, 0, -3, 1e-3, 100]}\n"
                            "%2:f32[8] = Dequantize(%1) {scales=[0.7]}\n";
    formats::graph_file file = rewritten(ops, {});
    EXPECT_THAT(attr_of<floats>(file, op_attr::scales),
            ElementsAre(0.5F, 0.5F, 1, 4, 0, -3, 0.001953125F, 128));
    EXPECT_THAT(attr_of<floats>(file, op_attr::scales, 1), ElementsAre(1));
    // What an option says is what runs.
    file = rewritten(ops, {}, {{1, "scales:0.7"}});
    EXPECT_THAT(attr_of<floats>(file, op_attr::scales, 1), ElementsAre(0.7F));
}

TEST(driver_quantized, scales_that_are_no_numbers_stay) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    formats::graph_file file = file_of("%0:f32[3] = input %1:u8[3] = Quantize(%0) {scales=[1]}");
    file.ops[0].attrs = {{op_attr::scales,
            floats{infinity, std::nanf(""), std::numeric_limits<float>::denorm_min()}}};
    working_graph graph(file);
    round_scales(graph);
    const auto found = attr_of<floats>(file, op_attr::scales);
    EXPECT_EQ(found[0], infinity);
    EXPECT_TRUE(std::isnan(found[1]));
    EXPECT_EQ(found[2], std::numeric_limits<float>::denorm_min());
}

TEST(driver_quantized, as_many_scales_and_zero_points_as_channels) {
    const std::string ops = "%0:u8[4x3] = input\n"
                            "%1:f32[4x3] = Dequantize(%0) {qtype=per_channel, axis=1, "
                            "scales=[1, 2, 4], zps=[7, 8, 9]}\n";
    auto scales = [&](const std::string &shape) {
        return attr_of<floats>(rewritten(ops, {{0, shape}}), op_attr::scales);
    };
    auto zps = [&](const std::string &shape) {
        return attr_of<integers>(rewritten(ops, {{0, shape}}), op_attr::zps);
    };
    EXPECT_THAT(scales("5x3"), ElementsAre(1, 2, 4));
    EXPECT_THAT(scales("4x2"), ElementsAre(1, 2));
    EXPECT_THAT(zps("4x2"), ElementsAre(7, 8));
    EXPECT_THAT(scales("4x8"), ElementsAre(1, 2, 4, 1, 2, 4, 1, 2));
    EXPECT_THAT(zps("4x8"), ElementsAre(7, 8, 9, 7, 8, 9, 7, 8));
    EXPECT_THAT(scales("4x0"), ElementsAre());
    EXPECT_THAT(scales("4x3x5"), ElementsAre(1, 2, 4)); // still axis 1
}

TEST(driver_quantized, the_axis_of_channels) {
    auto scales = [](const std::string &attrs, const std::string &shape) {
        return attr_of<floats>(rewritten("%0:f32[2x2] = input\n"
                                         "%1:s8[2x2] = Quantize(%0) {scales=[1, 2], "
                                                 + attrs + "}\n",
                                       {{0, shape}}),
                op_attr::scales);
    };
    EXPECT_THAT(scales("qtype=per_channel, axis=0", "3x5"), ElementsAre(1, 2, 1));
    EXPECT_THAT(scales("qtype=per_channel, axis=-1", "3x5"), ElementsAre(1, 2, 1, 2, 1));
    EXPECT_THAT(scales("qtype=per_channel", "3x1"), ElementsAre(1)); // 1 where it is not set
    EXPECT_THAT(refusal("%0:f32[2x2] = input\n"
                        "%1:s8[2x2] = Quantize(%0) {qtype=per_channel, axis=2, scales=[1, 2]}\n",
                        {}),
            HasSubstr("the op's own: Quantize (op 0)"));
    // One scale for the tensor has no channels.
    formats::graph_file file =
            rewritten("%0:f32[2x2] = input %1:s8[2x2] = Quantize(%0) {scales=[2]}", {{0, "5x5"}});
    EXPECT_THAT(attr_of<floats>(file, op_attr::scales), ElementsAre(2));
}

const std::string grouped =
        "%0:s8[4x6], %1:f32[2x3], %2:s8[2x3] = input\n"
        "%3:f32[4x6] = DynamicDequantize(%0, %1, %2) {qtype=per_group, group_shape=[2, 2]}\n";

TEST(driver_quantized, group_shape_follows_the_shapes) {
    auto groups = [](const id_values &in_shapes, const id_values &op_attrs = {}) {
        return attr_of<integers>(rewritten(grouped, in_shapes, op_attrs), op_attr::group_shape);
    };
    EXPECT_THAT(groups({}), ElementsAre(2, 2));
    EXPECT_THAT(groups({{0, "8x6"}}), ElementsAre(4, 2));
    EXPECT_THAT(groups({{1, "4x1"}, {2, "4x1"}}), ElementsAre(1, 6));
    EXPECT_THAT(groups({{0, "5x12"}, {1, "1x3"}, {2, "1x3"}}), ElementsAre(5, 4));
    EXPECT_THAT(groups({{0, "8x6"}}, {{0, "group_shape:4x2"}}), ElementsAre(4, 2));
}

TEST(driver_quantized, shapes_follow_the_group_shape) {
    formats::graph_file file = rewritten(grouped, {}, {{0, "group_shape:4x1"}});
    EXPECT_EQ(shape_of(file, 0), "s8[4x6]");
    EXPECT_EQ(shape_of(file, 1), "f32[1x6]");
    EXPECT_EQ(shape_of(file, 2), "s8[1x6]");
    // The order of axes in memory stays.
    file = rewritten("%0:s8[4x6], %1:f32[2x3:1s2] = input\n"
                     "%3:f32[4x6] = DynamicDequantize(%0, %1) {qtype=per_group, "
                     "group_shape=[2, 2]}\n",
            {}, {{0, "group_shape:1x2"}});
    EXPECT_EQ(shape_of(file, 1), "f32[4x3:1s4]");
}

TEST(driver_quantized, groups_that_do_not_fit_fail_and_are_named) {
    EXPECT_EQ(refusal(grouped, {{0, "5x6"}}),
            "DynamicDequantize (op 0): src 5x6 is not scales 2x3 times group_shape 2x2");
    EXPECT_EQ(refusal(grouped, {}, {{0, "group_shape:3x2"}}),
            "DynamicDequantize (op 0): src 4x6 is not scales 2x3 times group_shape 3x2");
    EXPECT_EQ(refusal(grouped, {{0, "8x6"}}, {{0, "group_shape:2x2"}}),
            "DynamicDequantize (op 0): src 8x6 is not scales 2x3 times group_shape 2x2");
    EXPECT_EQ(refusal(grouped, {{1, "4x3"}}),
            "DynamicDequantize (op 0): zps 2x3 have another shape than scales 4x3");
    EXPECT_THAT(refusal(grouped, {{0, "4x6x1"}}), HasSubstr("src 4x6x1 is not scales 2x3"));
    EXPECT_THAT(refusal(grouped, {}, {{0, "group_shape:0x2"}}), HasSubstr("group_shape 0x2"));
}

TEST(driver_quantized, scales_that_an_op_writes_keep_their_shape) {
    EXPECT_THAT(refusal("%0:s8[4x6], %1:f32[2x3] = input\n"
                        "%2:f32[2x3] = Exp(%1)\n"
                        "%3:f32[4x6] = DynamicDequantize(%0, %2) {qtype=per_group, "
                        "group_shape=[2, 2]}\n",
                        {}, {{1, "group_shape:1x1"}}),
            HasSubstr("the op's own: DynamicDequantize (op 1)"));
}

TEST(driver_quantized, other_ways_of_quantizing_have_no_groups) {
    formats::graph_file file = rewritten("%0:s8[4x6], %1:f32[6] = input\n"
                                         "%2:f32[4x6] = DynamicDequantize(%0, %1) "
                                         "{qtype=per_channel, axis=1}\n",
            {{0, "8x6"}});
    EXPECT_EQ(ir::find(file.ops[0].attrs, op_attr::group_shape), nullptr);
    EXPECT_EQ(shape_of(file, 1), "f32[6]");
}

} // namespace
} // namespace tern::driver
