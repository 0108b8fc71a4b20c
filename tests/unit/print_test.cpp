// SPDX-License-Identifier: Apache-2.0
#include "ir/print.hpp"

#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/dot/graph_dot.hpp"
#include "formats/utf8.hpp"
#include "ops/registry.hpp"

namespace tern::ir {
namespace {

using testing::HasSubstr;
using testing::Not;
using dt = data_type;

tensor_desc described(dt type, const dims &shape, const dims &strides) {
    tensor_desc desc;
    desc.type = type;
    desc.layout = layout_type::strided;
    desc.rank_known = true;
    desc.shape = shape;
    desc.strides = strides;
    return desc;
}

tensor_desc with_layout(const dims &shape, layout_type layout) {
    tensor_desc desc = described(dt::f32, shape, {});
    desc.layout = layout;
    return desc;
}

TEST(print, type_and_shape) {
    constexpr std::int64_t u = unknown_dim;
    EXPECT_EQ(short_text(described(dt::f32, {2, 3}, {3, 1})), "f32[2x3]");
    EXPECT_EQ(short_text(described(dt::bf16, {}, {})), "bf16[]");
    EXPECT_EQ(short_text(described(dt::s8, {0, 3}, {3, 1})), "s8[0x3]");
    EXPECT_EQ(short_text(described(dt::f32, {2, u}, {u, u})), "f32[2x?]");
    tensor_desc unknown;
    unknown.type = dt::boolean;
    unknown.layout = layout_type::strided;
    EXPECT_EQ(short_text(unknown), "boolean[...]");
}

TEST(print, strides_and_layouts_that_are_not_dense) {
    constexpr std::int64_t u = unknown_dim;
    EXPECT_EQ(short_text(described(dt::f32, {2, 3}, {1, 2})), "f32[2x3:1s2]");
    EXPECT_EQ(short_text(described(dt::f32, {2, 3}, {0, 1})), "f32[2x3:0s1]");
    EXPECT_EQ(short_text(described(dt::f32, {1, 3}, {77, 1})), "f32[1x3]"); // never walked
    EXPECT_EQ(short_text(described(dt::f32, {2, 3}, {u, u})), "f32[2x3:?]");
    EXPECT_EQ(short_text(described(dt::f32, {2, u}, {u, 4})), "f32[2x?:?s4]");
    EXPECT_EQ(short_text(with_layout({2}, layout_type::any)), "f32[2:any]");
    EXPECT_EQ(short_text(with_layout({2}, layout_type::undef)), "f32[2:undef]");
    tensor_desc opaque = with_layout({2}, layout_type::opaque);
    opaque.layout_id = 9;
    EXPECT_EQ(short_text(opaque), "f32[2:opaque 9]");
}

TEST(print, properties) {
    tensor_desc desc = described(dt::f32, {}, {});
    desc.property = property_type::host_scalar;
    EXPECT_EQ(short_text(desc), "f32[] host_scalar");
    desc.property = property_type::constant;
    EXPECT_EQ(short_text(desc), "f32[] constant");
    desc.property = property_type::variable;
    EXPECT_EQ(short_text(desc), "f32[] variable");
}

TEST(print, attributes) {
    attr_list attrs = {{op_attr::axis, std::int64_t{-1}}, {op_attr::alpha, 0.5F},
            {op_attr::keep_dims, true}, {op_attr::mode, std::string("gelu_erf")},
            {op_attr::qtype, std::string("a b\"")}, {op_attr::axes, std::vector<std::int64_t>()},
            {op_attr::scales, std::vector<float>{1, 0.25F}}};
    EXPECT_EQ(short_text(attrs),
            "axis=-1, alpha=0.5, keep_dims=true, mode=gelu_erf, qtype=\"a b\\\"\", axes=[], "
            "scales=[1, 0.25]");
}

/// Two Selects, one after the other: 1, 2, 3 -> 4; 1, 4, 2 -> 5; their names are as given.
graph two_selects(const std::string &first = "mask", const std::string &second = "Select_8") {
    auto make = [](std::size_t id, const std::string &name, const std::array<std::size_t, 4> &ids) {
        op_spec spec{id, op_kind::Select, name, {}, {}, {}};
        for (std::size_t i = 0; i < 3; ++i)
            spec.inputs.push_back(
                    {ids[i], described(ids[i] == 1 ? dt::boolean : dt::f32, {2, 3}, {3, 1})});
        for (port &p : spec.inputs)
            if (p.id == 3) {
                p.desc = described(dt::f32, {}, {});
                p.desc.property = property_type::host_scalar;
            }
        spec.outputs.push_back({ids[3], described(dt::f32, {2, 3}, {3, 1})});
        return spec;
    };
    graph g(ops::find);
    g.add_op(make(7, first, {1, 2, 3, 4}));
    g.add_op(make(8, second, {1, 4, 2, 5}));
    g.finalize();
    return g;
}

TEST(print, a_graph) {
    EXPECT_EQ(print(two_selects()),
            "%1:boolean[2x3] = input\n"
            "%2:f32[2x3] = input\n"
            "%3:f32[] host_scalar = input\n"
            "%4:f32[2x3] = Select(%1, %2, %3) {auto_broadcast=numpy}  # op 7 \"mask\"\n"
            "%5:f32[2x3] = Select(%1, %4, %2) {auto_broadcast=numpy}  # op 8\n");
}

TEST(print, some_ops) {
    const std::array<int, 1> second = {1};
    EXPECT_EQ(print(two_selects(), second),
            "%1:boolean[2x3] = input\n"
            "%4:f32[2x3] = input\n"
            "%2:f32[2x3] = input\n"
            "%5:f32[2x3] = Select(%1, %4, %2) {auto_broadcast=numpy}  # op 8\n");
    EXPECT_EQ(print(two_selects(), std::span<const int>()), "");
}

TEST(print, ops_without_outputs_or_with_several) {
    op_spec several{1, op_kind::Wildcard, "", {}, {}, {}};
    several.outputs = {{10, described(dt::f32, {2}, {1})}, {11, described(dt::s32, {}, {})}};
    op_spec end{2, op_kind::End, "", {}, {{10, described(dt::f32, {2}, {1})}}, {}};
    EXPECT_EQ(print(std::array{several, end}), "%10:f32[2], %11:s32[] = Wildcard()  # op 1\n"
                                               "End(%10)  # op 2\n");
}

TEST(print, names_are_escaped) {
    EXPECT_EQ(quoted("a\"b\\c\nd\te\x01\x7f"), "\"a\\\"b\\\\c\\nd\\te\\x01\\x7f\"");
    EXPECT_THAT(print(two_selects("a\"\n")), HasSubstr("# op 7 \"a\\\"\\n\"\n"));
}

TEST(dot, ops_edges_and_clusters) {
    graph g = two_selects();
    const std::array<formats::dot_cluster, 1> clusters = {{{"partition 3", {8}}}};
    EXPECT_EQ(formats::write_dot("graph-0", specs_of(g), clusters),
            "digraph \"graph-0\" {\n"
            "  node [shape=box];\n"
            "  subgraph cluster_0 {\n"
            "    label=\"partition 3\";\n"
            "    op_8 [label=\"Select\\nop 8\\nauto_broadcast=numpy\"];\n"
            "  }\n"
            "  op_7 [label=\"Select\\nop 7 \\\"mask\\\"\\nauto_broadcast=numpy\"];\n"
            "  tensor_1 [label=\"%1\", shape=ellipse];\n"
            "  tensor_1 -> op_7 [label=\"%1:boolean[2x3]\", headlabel=\"0\"];\n"
            "  tensor_2 [label=\"%2\", shape=ellipse];\n"
            "  tensor_2 -> op_7 [label=\"%2:f32[2x3]\", headlabel=\"1\"];\n"
            "  tensor_3 [label=\"%3\", shape=ellipse];\n"
            "  tensor_3 -> op_7 [label=\"%3:f32[] host_scalar\", headlabel=\"2\"];\n"
            "  tensor_1 -> op_8 [label=\"%1:boolean[2x3]\", headlabel=\"0\"];\n"
            "  op_7 -> op_8 [label=\"%4:f32[2x3]\", headlabel=\"1\"];\n"
            "  tensor_2 -> op_8 [label=\"%2:f32[2x3]\", headlabel=\"2\"];\n"
            "  tensor_5 [label=\"%5\", shape=ellipse];\n"
            "  op_8 -> tensor_5 [label=\"%5:f32[2x3]\"];\n"
            "}\n");
}

TEST(dot, names_cannot_break_out) {
    std::string text = formats::write_dot("g\"", specs_of(two_selects("x\"];\n\\N\xff")));
    // As drawn: Select, op 7 "x\"];\n\\N?"; every backslash and quote of it is escaped.
    EXPECT_THAT(text, HasSubstr("op 7 \\\"x\\\\\\\"];\\\\n\\\\\\\\N\xef\xbf\xbd\\\"\\nauto"));
    EXPECT_THAT(text, HasSubstr("digraph \"g\\\\\\\"\" {"));
    EXPECT_THAT(text, Not(HasSubstr("\xff")));
}

TEST(utf8, what_is_well_formed_stays) {
    for (const char *text : {"", "abc", "\x7f", "\xc3\xa4", "\xe0\xa0\x80", "\xed\x9f\xbf",
                 "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"})
        EXPECT_EQ(formats::valid_utf8(text), text);
    EXPECT_EQ(formats::valid_utf8(std::string("a\0b", 3)), std::string("a\0b", 3));
}

TEST(utf8, what_is_not_is_replaced) {
    const std::string r = "\xef\xbf\xbd";
    EXPECT_EQ(formats::valid_utf8("a\xff"
                                  "b"),
            "a" + r + "b");
    EXPECT_EQ(formats::valid_utf8("\x80"), r);
    EXPECT_EQ(formats::valid_utf8("\xc3"), r);            // cut off
    EXPECT_EQ(formats::valid_utf8("\xe2\x82z"), r + "z"); // cut off, one mark for both bytes
    EXPECT_EQ(formats::valid_utf8("\xc0\xaf"), r + r);    // longer than needed
    EXPECT_EQ(formats::valid_utf8("\xe0\x80\x80"), r + r + r);
    EXPECT_EQ(formats::valid_utf8("\xed\xa0\x80"), r + r + r);         // a surrogate
    EXPECT_EQ(formats::valid_utf8("\xf4\x90\x80\x80"), r + r + r + r); // above U+10FFFF
    EXPECT_EQ(formats::valid_utf8("\xf5z"), r + "z");
}

} // namespace
} // namespace tern::ir
