// SPDX-License-Identifier: Apache-2.0
//
// What the importer makes of ONNX's rules, above all where they differ from the graph ops', and
// what it says of models that are none.
#include <cmath>
#include <limits>

#include "formats/onnx/op_table.hpp"
#include "onnx_session.hpp"

namespace tern {
namespace {

using namespace onnx_writer;
using namespace onnx_session;
using attributes = std::vector<message>;
using shape = tern::value::dims;

/// A model of one node, whose inputs are named by position and have the types of `inputs`; those
/// that are absent are left out. `constant`: inputs from this one on are initializers.
struct one_node {
    std::string op;
    std::vector<tern::value> inputs;
    attributes attrs = {};
    std::int64_t opset = 21;
    std::size_t outputs = 1;
    std::size_t constant_from = 99;
};

element_type file_type(data_type type) {
    for (int number = 1; number < 17; ++number)
        if (formats::onnx::data_type_of(static_cast<element_type>(number)) == type)
            return static_cast<element_type>(number);
    return element_type::UNDEFINED;
}

std::vector<tern::value> run(const one_node &test) {
    graph_parts parts;
    std::vector<std::string> in;
    std::vector<std::string> out;
    std::vector<tern::value> given;
    for (std::size_t i = 0; i < test.inputs.size(); ++i) {
        const tern::value &input = test.inputs[i];
        in.push_back(input.is_absent() ? "" : "in" + std::to_string(i));
        if (input.is_absent()) continue;
        const element_type type = file_type(input.type().element);
        if (i >= test.constant_from) {
            parts.initializers.push_back(raw_tensor(in.back(), type, input.shape(),
                    {static_cast<const char *>(input.data()), input.bytes()}));
        } else {
            parts.inputs.push_back(onnx_writer::value(in.back(), tensor_type(type)));
            given.push_back(input);
        }
    }
    for (std::size_t i = 0; i < test.outputs; ++i) {
        out.push_back("out" + std::to_string(i));
        parts.outputs.push_back(onnx_writer::value(out.back(), tensor_type(element_type::FLOAT)));
    }
    parts.nodes = {node(test.op, in, out, test.attrs)};
    return load_parts(parts, test.opset).run(given);
}

void expect(const one_node &test, const shape &dims, const std::vector<float> &expected) {
    SCOPED_TRACE(test.op + " of operator set " + std::to_string(test.opset));
    const tern::value found = run(test)[0];
    EXPECT_EQ(found.shape(), dims);
    const std::vector<float> values = elements<float>(found);
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        EXPECT_NEAR(values[i], expected[i], 1e-6F) << i;
}

void expect(const one_node &test, const shape &dims, const std::vector<std::int64_t> &expected) {
    SCOPED_TRACE(test.op + " of operator set " + std::to_string(test.opset));
    const tern::value found = run(test)[0];
    EXPECT_EQ(found.shape(), dims);
    EXPECT_EQ(elements<std::int64_t>(found), expected);
}

const tern::value absent;
const tern::value six = floats({2, 3}, {1, 2, 3, 4, 5, 6});
using floats_of = std::vector<float>;
using longs_of = std::vector<std::int64_t>;

tern::value list(const longs_of &values) {
    return integers({static_cast<std::int64_t>(values.size())}, values);
}

TEST(onnx_import, softmax_before_13_takes_all_axes_from_axis_on) {
    const tern::value x = floats({2, 1, 2}, {0, 0, 0, std::log(3.0F)});
    expect({"Softmax", {x}, {}, 13}, {2, 1, 2}, floats_of{0.5F, 0.5F, 0.25F, 0.75F});
    expect({"Softmax", {x}, {attribute("axis", 0)}, 13}, {2, 1, 2},
            floats_of{0.5F, 0.25F, 0.5F, 0.75F});
    expect({"Softmax", {x}, {}, 12}, {2, 1, 2}, floats_of{0.5F, 0.5F, 0.25F, 0.75F});
    expect({"Softmax", {x}, {attribute("axis", 0)}, 11}, {2, 1, 2},
            floats_of{1 / 6.0F, 1 / 6.0F, 1 / 6.0F, 0.5F});
    expect({"Softmax", {x}, {attribute("axis", 2)}, 11}, {2, 1, 2},
            floats_of{0.5F, 0.5F, 0.25F, 0.75F});
}

TEST(onnx_import, axes_of_sums_are_an_attribute_then_an_input) {
    const attributes flat = {attribute("keepdims", 0)};
    const attributes first = {attribute("axes", longs_of{0}), attribute("keepdims", 0)};
    expect({"ReduceSum", {six}, {}, 11}, {1, 1}, floats_of{21});
    expect({"ReduceSum", {six}, first, 11}, {3}, floats_of{5, 7, 9});
    expect({"ReduceSum", {six, list({-1})}, {}, 13}, {2, 1}, floats_of{6, 15});
    expect({"ReduceSum", {six, list({-1})}, flat, 13}, {2}, floats_of{6, 15});
    expect({"ReduceSum", {six, list({})}, flat, 13}, {}, floats_of{21});
    expect({"ReduceSum", {six, list({})}, {attribute("noop_with_empty_axes", 1)}, 13}, {2, 3},
            floats_of{1, 2, 3, 4, 5, 6});
    expect({"ReduceSum", {six, absent}, flat, 13}, {}, floats_of{21});
    expect({"ReduceSumSquare", {six}, first, 13}, {3}, floats_of{17, 29, 45});
    expect({"ReduceMean", {six, list({1})}, flat, 18}, {2}, floats_of{2, 5});
    expect({"ReduceL2", {floats({2}, {3, -4})}, {}, 18}, {1}, floats_of{5});
    expect({"ReduceL1", {floats({2}, {3, -4})}, {}, 18}, {1}, floats_of{7});
}

TEST(onnx_import, squeeze_and_unsqueeze) {
    const tern::value x = floats({1, 2, 1}, {1, 2});
    expect({"Squeeze", {x}, {}, 13}, {2}, floats_of{1, 2});
    expect({"Squeeze", {x, list({-1})}, {}, 13}, {1, 2}, floats_of{1, 2});
    expect({"Squeeze", {x}, {attribute("axes", longs_of{0})}, 11}, {2, 1}, floats_of{1, 2});
    expect({"Unsqueeze", {six, list({-1, 0})}, {}, 13}, {1, 2, 3, 1}, floats_of{1, 2, 3, 4, 5, 6});
    expect({"Unsqueeze", {six}, {attribute("axes", longs_of{1})}, 11}, {2, 1, 3},
            floats_of{1, 2, 3, 4, 5, 6});
    EXPECT_EQ(message_of(
                      [&] {
                          run({"Squeeze", {six, list({0})}});
                      },
                      status::invalid_graph_op),
            "test.onnx: node 0 (Squeeze), operator set 21: axes has axis 0, where input 0 has 2; "
            "expected 1");
    message_of([&] { run({"Unsqueeze", {six, list({0, 0})}}); }, status::invalid_graph_op);
}

TEST(onnx_import, reshape_zero_and_minus_one) {
    expect({"Reshape", {six, list({0, -1, 1})}}, {2, 3, 1}, floats_of{1, 2, 3, 4, 5, 6});
    expect({"Reshape", {six, list({-1})}, {}, 5}, {6}, floats_of{1, 2, 3, 4, 5, 6});
    const tern::value none = floats({0, 3}, {});
    expect({"Reshape", {none, list({3, 0})}, {attribute("allowzero", 1)}}, {3, 0}, floats_of{});
    message_of([&] { run({"Reshape", {six, list({4, -1})}}); }, status::invalid_shape);
    expect({"Flatten", {six}, {attribute("axis", 0)}}, {1, 6}, floats_of{1, 2, 3, 4, 5, 6});
    expect({"Flatten", {six}, {attribute("axis", -1)}}, {2, 3}, floats_of{1, 2, 3, 4, 5, 6});
    expect({"Flatten", {floats({}, {7})}, {attribute("axis", 0)}}, {1, 1}, floats_of{7});
}

TEST(onnx_import, transpose_reverses_unless_told) {
    expect({"Transpose", {six}}, {3, 2}, floats_of{1, 4, 2, 5, 3, 6});
    expect({"Transpose", {six}, {attribute("perm", longs_of{0, 1})}}, {2, 3},
            floats_of{1, 2, 3, 4, 5, 6});
    message_of(
            [&] {
                run({"Transpose", {six}, {attribute("perm", longs_of{0})}});
            },
            status::invalid_graph_op);
}

TEST(onnx_import, clip_by_attributes_and_by_inputs) {
    const tern::value x = floats({3}, {-2, 0, 2});
    const tern::value low = floats({}, {-1});
    const tern::value high = floats({}, {1});
    expect({"Clip", {x}, {attribute("min", -1.0F)}, 6}, {3}, floats_of{-1, 0, 2});
    expect({"Clip", {x, low, high}, {}, 13}, {3}, floats_of{-1, 0, 1});
    expect({"Clip", {x, absent, high}, {}, 13}, {3}, floats_of{-2, 0, 1});
    expect({"Clip", {x}, {}, 13}, {3}, floats_of{-2, 0, 2});
    expect({"Clip", {list({-5, 5}), integers({}, {0})}, {}, 13}, {2}, longs_of{0, 5});
    message_of([&] { run({"Clip", {x, floats({1}, {0})}, {}, 13}); }, status::invalid_graph_op);
}

TEST(onnx_import, casts) {
    constexpr auto int64 = static_cast<std::int64_t>(element_type::INT64);
    expect({"Cast", {floats({2}, {1.75F, -1.75F})}, {attribute("to", int64)}}, {2},
            longs_of{1, -1});
    expect({"CastLike", {floats({2}, {1.75F, -1.75F}), list({0})}}, {2}, longs_of{1, -1});
    expect({"Cast", {list({3})}, {attribute("to", int64)}}, {1}, longs_of{3});
    const auto to_f8 = [](float x, int saturate) {
        const attributes attrs = {
                attribute("to", static_cast<std::int64_t>(element_type::FLOAT8E4M3FN)),
                attribute("saturate", saturate)};
        return elements<unsigned char>(run({"Cast", {floats({}, {x})}, attrs})[0])[0];
    };
    EXPECT_EQ(to_f8(1e6F, 1), 0x7e); // 448
    EXPECT_EQ(to_f8(-1e6F, 1), 0xfe);
    EXPECT_EQ(to_f8(1e6F, 0), 0x7f); // NaN
    EXPECT_EQ(message_of(
                      [] {
                          run({"Cast", {six}});
                      },
                      status::invalid_graph_op),
            "test.onnx: node 0 (Cast), operator set 21: attribute to is required");
    EXPECT_EQ(message_of(
                      [] {
                          run({"Cast", {six}, {attribute("to", 22)}});
                      },
                      status::unimplemented),
            "test.onnx: node 0 (Cast), operator set 21: a cast to INT4 is not supported");
}

TEST(onnx_import, operands_in_any_number) {
    const tern::value a = floats({2, 1}, {1, 5});
    const tern::value b = floats({2}, {3, 4});
    expect({"Max", {a}}, {2, 1}, floats_of{1, 5});
    expect({"Max", {a, b, floats({}, {3.5F})}}, {2, 2}, floats_of{3.5F, 4, 5, 5});
    expect({"Min", {a, b}}, {2, 2}, floats_of{1, 1, 3, 4});
    expect({"Sum", {a, b, b}}, {2, 2}, floats_of{7, 9, 11, 13});
}

TEST(onnx_import, activations) {
    const tern::value x = floats({3}, {-1, 0, 2});
    const float e = std::exp(-1.0F) - 1;
    expect({"Elu", {x}, {attribute("alpha", 2.0F)}}, {3}, floats_of{2 * e, 0, 2});
    expect({"Selu", {x}, {attribute("alpha", 2.0F), attribute("gamma", 3.0F)}}, {3},
            floats_of{6 * e, 0, 6});
    expect({"LeakyRelu", {x}}, {3}, floats_of{-0.01F, 0, 2});
    expect({"PRelu", {x, floats({1}, {0.5F})}}, {3}, floats_of{-0.5F, 0, 2});
    expect({"ThresholdedRelu", {x}}, {3}, floats_of{0, 0, 2});
    expect({"Celu", {x}}, {3}, floats_of{e, 0, 2});
    expect({"HardSigmoid", {x}}, {3}, floats_of{0.3F, 0.5F, 0.9F});
    expect({"Softsign", {x}}, {3}, floats_of{-0.5F, 0, 2 / 3.0F});
    message_of(
            [&] {
                run({"Gelu", {x}, {attribute("approximate", "often")}});
            },
            status::invalid_graph_op);
    message_of([&] { run({"PRelu", {floats({}, {1}), x}}); }, status::invalid_graph_op);
}

TEST(onnx_import, shape_arithmetic) {
    expect({"Shape", {six}}, {2}, longs_of{2, 3});
    expect({"Shape", {six}, {attribute("start", -1)}}, {1}, longs_of{3});
    expect({"Shape", {six}, {attribute("start", 1), attribute("end", 99)}}, {1}, longs_of{3});
    expect({"Shape", {six}, {attribute("start", 1), attribute("end", 0)}}, {0}, longs_of{});
    expect({"Size", {six}}, {}, longs_of{6});
    expect({"Range", {integers({}, {3}), integers({}, {9}), integers({}, {3})}}, {2},
            longs_of{3, 6});
    expect({"Range", {floats({}, {1}), floats({}, {0}), floats({}, {-0.25F})}}, {4},
            floats_of{1, 0.75F, 0.5F, 0.25F});
    expect({"Range", {integers({}, {3}), integers({}, {1}), integers({}, {1})}}, {0}, longs_of{});
    message_of(
            [] {
                run({"Range", {floats({}, {0}), floats({}, {1}), floats({}, {0})}});
            },
            status::invalid_graph_op);
    expect({"ConstantOfShape", {list({2, 1})}}, {2, 1}, floats_of{0, 0});
    expect({"ConstantOfShape", {list({2})},
                   {tensor_attribute(
                           "value", tensor<std::int64_t>("", element_type::INT64, {1}, {7}))}},
            {2}, longs_of{7, 7});
    message_of([] { run({"ConstantOfShape", {list({-2})}}); }, status::invalid_graph_op);
}

TEST(onnx_import, moves) {
    expect({"Concat", {six, six}, {attribute("axis", -1)}}, {2, 6},
            floats_of{1, 2, 3, 1, 2, 3, 4, 5, 6, 4, 5, 6});
    message_of([] { run({"Concat", {six, six}}); }, status::invalid_graph_op);
    expect({"Expand", {floats({2, 1}, {1, 2}), list({1, 2})}}, {2, 2}, floats_of{1, 1, 2, 2});
    expect({"Gather", {six, list({-1, 0})}, {attribute("axis", 1)}}, {2, 2}, floats_of{3, 1, 6, 4});
    expect({"Slice", {six, list({1}), list({99}), list({1})}}, {2, 2}, floats_of{2, 3, 5, 6});
    expect({"Slice", {six, list({-1}), list({-9}), list({1}), list({-2})}}, {2, 2},
            floats_of{3, 1, 6, 4});
    expect({"Slice", {six}, {attribute("starts", longs_of{1}), attribute("ends", longs_of{2})}, 9},
            {1, 3}, floats_of{4, 5, 6});
    message_of([] { run({"Slice", {six, list({1}), list({2, 3})}}); }, status::invalid_graph_op);
    expect({"Split", {six, list({1, 2})}, {attribute("axis", 1)}, 13, 2}, {2, 1}, floats_of{1, 4});
    message_of(
            [] {
                run({"Split", {six, list({1, 1})}, {attribute("axis", 1)}, 13, 2});
            },
            status::invalid_graph_op);
}

TEST(onnx_import, powers) {
    expect({"Pow", {floats({2}, {2, 3}), integers({1}, {3})}}, {2}, floats_of{8, 27});
    expect({"Pow", {floats({2}, {2, 3}), floats({2}, {2, 3})}}, {2}, floats_of{4, 27});
    expect({"Pow", {floats({2, 1}, {2, 3}), floats({2}, {1, 2})}}, {2, 2}, floats_of{2, 4, 3, 9});
    expect({"Pow", {floats({}, {2}), floats({2}, {1, 2})}}, {2}, floats_of{2, 4});
    expect({"Pow", {floats({2}, {2, 3}), floats({}, {2})}, {}, 21, 1, 1}, {2}, floats_of{4, 9});
}

TEST(onnx_import, constants_in_all_forms) {
    expect({"Constant", {}, {attribute("value_float", 1.5F)}}, {}, floats_of{1.5F});
    expect({"Constant", {}, {attribute("value_floats", floats_of{1, 2})}}, {2}, floats_of{1, 2});
    expect({"Constant", {}, {attribute("value_int", 3)}}, {}, longs_of{3});
    expect({"Constant", {}, {attribute("value_ints", longs_of{3, 4})}}, {2}, longs_of{3, 4});
    expect({"Constant", {},
                   {tensor_attribute(
                           "value", tensor<float>("", element_type::FLOAT, {1, 1}, {5}))}},
            {1, 1}, floats_of{5});
    EXPECT_EQ(texts(run({"Constant", {},
                      {attribute("value_strings", std::vector<std::string>{"a", ""})}})[0]),
            (std::vector<std::string>{"a", ""}));
    EXPECT_EQ(texts(run({"Constant", {}, {attribute("value_string", "abc")}})[0]),
            std::vector<std::string>{"abc"});
    message_of([] { run({"Constant", {}}); }, status::invalid_graph_op);
}

// --- models that are none
// -------------------------------------------------------------------------

message f32(std::string_view name) {
    return onnx_writer::value(name, tensor_type(element_type::FLOAT, {2}));
}

std::string refusal(const graph_parts &parts, status expected, std::int64_t opset = 21) {
    return message_of([&] { load_parts(parts, opset); }, expected);
}

TEST(onnx_import, values_and_nodes_fit_together) {
    EXPECT_EQ(refusal({.nodes = {node("Neg", {"w"}, {"y"})},
                              .inputs = {f32("x")},
                              .outputs = {f32("y")}},
                      status::invalid_graph),
            "test.onnx: node 0 (Neg): there is no value \"w\"");
    EXPECT_EQ(refusal({.nodes = {node("Neg", {"x"}, {"y"}), node("Abs", {"x"}, {"y"})},
                              .inputs = {f32("x")},
                              .outputs = {f32("y")}},
                      status::invalid_graph),
            "test.onnx: node 1 (Abs): there is another value \"y\"");
    EXPECT_EQ(refusal({.nodes = {node("Neg", {"x"}, {"y"})},
                              .inputs = {f32("x"), f32("x")},
                              .outputs = {f32("y")}},
                      status::invalid_graph),
            "test.onnx: the graph's inputs: there is another value \"x\"");
    EXPECT_EQ(refusal({.nodes = {node("Neg", {"x"}, {"y"})},
                              .inputs = {f32("x")},
                              .outputs = {f32("z")}},
                      status::invalid_graph),
            "test.onnx: the graph's outputs: there is no value \"z\"");
    EXPECT_EQ(refusal({.nodes = {node("Add", {"x", "b"}, {"a"}), node("Neg", {"a"}, {"b"})},
                              .inputs = {f32("x")},
                              .outputs = {f32("b")}},
                      status::invalid_graph)
                      .find("test.onnx: there is a cycle through node "),
            0U);
    EXPECT_EQ(refusal({.nodes = {node("Where", {"x", "", "x"}, {"y"})},
                              .inputs = {f32("x")},
                              .outputs = {f32("y")}},
                      status::invalid_graph),
            "test.onnx: node 0 (Where): input 1 is required");
    EXPECT_EQ(refusal({.nodes = {node("Neg", {"x", "x"}, {"y"})},
                              .inputs = {f32("x")},
                              .outputs = {f32("y")}},
                      status::invalid_graph),
            "test.onnx: node 0 (Neg): 2 inputs are given; expected at most 1");
    EXPECT_EQ(refusal({.nodes = {node("Elu", {"x"}, {"y"},
                               {attribute("alpha", 1.0F), attribute("alpha", 2.0F)})},
                              .inputs = {f32("x")},
                              .outputs = {f32("y")}},
                      status::invalid_graph),
            "test.onnx: node 0 (Elu): attribute alpha is given twice");
}

TEST(onnx_import, nodes_may_come_in_any_order) {
    const session runs =
            load_parts({.nodes = {node("Neg", {"a"}, {"y"}), node("Abs", {"x"}, {"a"})},
                    .inputs = {f32("x")},
                    .outputs = {f32("y")}});
    EXPECT_EQ(elements<float>(runs.run({floats({2}, {-1, 2})})[0]), (floats_of{-1, -2}));
}

TEST(onnx_import, ops_that_are_not_known_are_all_named) {
    message custom = node("Gelu", {"x"}, {"b"});
    custom.text(7, "com.example").text(3, "mine");
    EXPECT_EQ(refusal({.nodes = {node("Einsum", {"x"}, {"a"}), custom,
                               node("Add", {"a", "b"}, {"y"})},
                              .inputs = {f32("x")},
                              .outputs = {f32("y")}},
                      status::unimplemented),
            "test.onnx: not supported in operator set 21: Einsum (node 0 (Einsum)), "
            "com.example.Gelu (node 1 \"mine\" (Gelu))");
    EXPECT_EQ(refusal({.nodes = {node("Gelu", {"x"}, {"y"})},
                              .inputs = {f32("x")},
                              .outputs = {f32("y")}},
                      status::unimplemented, 19),
            "test.onnx: not supported in operator set 19: Gelu (node 0 (Gelu))");
}

TEST(onnx_import, versions_of_the_operator_set) {
    const graph_parts neg = {
            .nodes = {node("Neg", {"x"}, {"y"})}, .inputs = {f32("x")}, .outputs = {f32("y")}};
    EXPECT_EQ(refusal(neg, status::invalid_graph, 99),
            "test.onnx: version 99 of ONNX's operator set is not known; the newest one known is "
                    + std::to_string(formats::onnx::newest_version));
    message none;
    none.integer(1, 10).inner(7, graph(neg));
    EXPECT_EQ(message_of([&] { load(none); }, status::invalid_graph),
            "test.onnx: no version of ONNX's operator set is imported (opset_import)");
}

TEST(onnx_import, attributes_have_their_kind) {
    EXPECT_EQ(message_of(
                      [] {
                          run({"Elu", {six}, {attribute("alpha", 1)}});
                      },
                      status::invalid_graph_op),
            "test.onnx: node 0 (Elu), operator set 21: attribute alpha is INT; expected FLOAT");
    EXPECT_EQ(message_of(
                      [] {
                          run({"Softmax", {six}, {attribute("axis", 2)}});
                      },
                      status::invalid_graph_op),
            "test.onnx: node 0 (Softmax), operator set 21: attribute axis is 2, but the input has "
            "rank 2");
}

TEST(onnx_import, types_that_an_op_does_not_take_are_declined) {
    EXPECT_EQ(message_of(
                      [] {
                          run({"Exp", {list({1})}});
                      },
                      status::unimplemented),
            "test.onnx: node 0 (Exp), operator set 21: src of type s64 is not supported by Tern's "
            "Exp");
}

TEST(onnx_import, what_nobody_needs_is_left_out) {
    // Neither the exponential of integers nor the shapes that clash are ever looked at.
    const session runs =
            load_parts({.nodes = {node("Exp", {"i"}, {"a"}), node("Neg", {"x"}, {"y"})},
                    .inputs = {f32("x")},
                    .outputs = {f32("y")},
                    .initializers = {tensor<std::int64_t>("i", element_type::INT64, {1}, {1})}});
    EXPECT_EQ(elements<float>(runs.run({floats({2}, {1, 2})})[0]), (floats_of{-1, -2}));
}

} // namespace
} // namespace tern
