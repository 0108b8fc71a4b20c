// SPDX-License-Identifier: Apache-2.0
//
// NonZero, and the ops on sequences and optionals, through ONNX files.
#include "base/data_type.hpp"
#include "onnx_session.hpp"

namespace tern {
namespace {

using namespace onnx_writer;
using namespace onnx_session;
using shape = tern::value::dims;

constexpr element_type every_type[] = {element_type::BFLOAT16, element_type::BOOL,
        element_type::COMPLEX64, element_type::COMPLEX128, element_type::DOUBLE,
        element_type::FLOAT, element_type::FLOAT16, element_type::INT8, element_type::INT16,
        element_type::INT32, element_type::INT64, element_type::UINT8, element_type::UINT16,
        element_type::UINT32, element_type::UINT64, element_type::STRING};

bool truth(const tern::value &found) {
    EXPECT_EQ(found.shape(), shape{});
    return elements<unsigned char>(found) == std::vector<unsigned char>{1};
}

message bool_output(std::string_view name) {
    return onnx_writer::value(name, tensor_type(element_type::BOOL, {}));
}

session has_element(const message &type, std::int64_t opset) {
    return load_parts({.nodes = {node("OptionalHasElement", {"x"}, {"y"})},
                              .inputs = {onnx_writer::value("x", type)},
                              .outputs = {bool_output("y")}},
            opset);
}

/// A tensor of any type: two elements, or none.
tern::value some_tensor(data_type type, bool is_empty) {
    const shape dims{is_empty ? 0 : 2};
    if (type == data_type::string)
        return tern::value::strings(dims, std::vector<std::string>(is_empty ? 0 : 2));
    const std::vector<unsigned char> zeros(32);
    return tern::value::tensor(type, dims, zeros.data());
}

TEST(session_values, optional_has_element_of_every_form_and_type) {
    for (element_type file_type : every_type) {
        const data_type type = formats::onnx::data_type_of(file_type);
        SCOPED_TRACE(name_of(type));
        const message tensor = tensor_type(file_type);
        const message sequence = sequence_type(tensor);
        const tern::value full = some_tensor(type, false);
        const tern::value empty = some_tensor(type, true);
        const tern::value none = tern::value::sequence(type);
        const tern::value two = tern::value::sequence(type, {full, empty});
        for (std::int64_t opset : {15, 18, 21}) {
            SCOPED_TRACE(opset);
            const session tensors = has_element(optional_type(tensor), opset);
            EXPECT_TRUE(truth(tensors.run({tern::value::optional(full)})[0]));
            EXPECT_TRUE(truth(tensors.run({tern::value::optional(empty)})[0]));
            EXPECT_FALSE(truth(
                    tensors.run({tern::value::empty_optional({value_form::tensor, type})})[0]));
            EXPECT_FALSE(truth(tensors.run({tern::value()})[0]));
            const session sequences = has_element(optional_type(sequence), opset);
            EXPECT_TRUE(truth(sequences.run({tern::value::optional(two)})[0]));
            EXPECT_TRUE(truth(sequences.run({tern::value::optional(none)})[0]));
            EXPECT_FALSE(truth(
                    sequences.run({tern::value::empty_optional({value_form::sequence, type})})[0]));
        }
        EXPECT_TRUE(truth(has_element(tensor, 18).run({full})[0]));
        EXPECT_TRUE(truth(has_element(tensor, 18).run({empty})[0]));
        EXPECT_TRUE(truth(has_element(sequence, 18).run({two})[0]));
        EXPECT_TRUE(truth(has_element(sequence, 18).run({none})[0]));
        message_of([&] { has_element(tensor, 15).run({full}); }, status::invalid_graph_op);
        message_of([&] { has_element(sequence, 17).run({none}); }, status::invalid_graph_op);
    }
}

TEST(session_values, optional_has_element_without_input) {
    for (const std::vector<std::string> &inputs :
            {std::vector<std::string>{}, std::vector<std::string>{""}}) {
        const graph_parts parts = {.nodes = {node("OptionalHasElement", inputs, {"y"})},
                .outputs = {bool_output("y")}};
        EXPECT_FALSE(truth(load_parts(parts, 18).run(std::vector<tern::value>())[0]));
        message_of([&] { load_parts(parts, 15); }, status::invalid_graph_op);
    }
}

TEST(session_values, optionals_are_made_and_opened) {
    const message floats_type = tensor_type(element_type::FLOAT);
    const session runs = load_parts(
            {.nodes = {node("Optional", {"x"}, {"held"}),
                     node("Optional", {}, {"nothing"}, {type_attribute("type", floats_type)}),
                     node("OptionalHasElement", {"held"}, {"yes"}),
                     node("OptionalHasElement", {"nothing"}, {"no"}),
                     node("OptionalGetElement", {"held"}, {"same"}),
                     node("Neg", {"same"}, {"negative"})},
                    .inputs = {onnx_writer::value("x", floats_type)},
                    .outputs = {bool_output("yes"), bool_output("no"),
                            onnx_writer::value("negative", floats_type),
                            onnx_writer::value("held", optional_type(floats_type))}});
    for (std::int64_t n : {2, 3, 0, 2}) {
        const tern::value x = floats({n}, std::vector<float>(static_cast<std::size_t>(n), 4.0F));
        const std::vector<tern::value> out = runs.run({x});
        EXPECT_TRUE(truth(out[0]));
        EXPECT_FALSE(truth(out[1]));
        EXPECT_EQ(elements<float>(out[2]), std::vector<float>(x.elements(), -4.0F));
        ASSERT_TRUE(out[3].is_optional() && out[3].has_element());
        EXPECT_EQ(elements<float>(out[3].element()), elements<float>(x));
    }
}

TEST(session_values, an_empty_optional_is_not_opened) {
    const session runs = load_parts({.nodes = {node("OptionalGetElement", {"x"}, {"y"})},
            .inputs = {onnx_writer::value("x", optional_type(tensor_type(element_type::FLOAT)))},
            .outputs = {onnx_writer::value("y", tensor_type(element_type::FLOAT))}});
    EXPECT_EQ(message_of([&] { runs.run({tern::value()}); }, status::invalid_arguments)
                      .find("test.onnx: node 0 (OptionalGetElement), operator set 21: "),
            0U);
    EXPECT_EQ(elements<float>(runs.run({tern::value::optional(floats({1}, {2}))})[0]),
            std::vector<float>{2});
}

TEST(session_values, sequences_are_made_and_looked_into) {
    const message longs = tensor_type(element_type::INT64);
    const session runs = load_parts(
            {.nodes = {node("SequenceConstruct", {"a", "twice", "c"}, {"s"}),
                     node("Add", {"a", "a"}, {"twice"}), node("SequenceAt", {"s", "i"}, {"item"}),
                     node("SequenceLength", {"s"}, {"n"}), node("Neg", {"item"}, {"y"}),
                     node("SequenceEmpty", {}, {"e"},
                             {attribute("dtype", static_cast<int>(element_type::INT64))}),
                     node("SequenceLength", {"e"}, {"none"})},
                    .inputs = {onnx_writer::value("a", longs), onnx_writer::value("i", longs)},
                    .outputs = {onnx_writer::value("y", longs), onnx_writer::value("n", longs),
                            onnx_writer::value("none", longs)},
                    .initializers = {tensor<std::int64_t>("c", element_type::INT64, {1, 1}, {7})}});
    const tern::value a = integers({2}, {1, 2});
    const std::vector<std::vector<std::int64_t>> expected = {{-1, -2}, {-2, -4}, {-7}};
    for (std::int64_t i = 0; i < 3; ++i)
        for (std::int64_t at : {i, i - 3}) {
            const std::vector<tern::value> out = runs.run({a, integers({}, {at})});
            EXPECT_EQ(elements<std::int64_t>(out[0]), expected[static_cast<std::size_t>(i)]);
            EXPECT_EQ(elements<std::int64_t>(out[1]), std::vector<std::int64_t>{3});
            EXPECT_EQ(elements<std::int64_t>(out[2]), std::vector<std::int64_t>{0});
        }
    message_of([&] { runs.run({a, integers({}, {3})}); }, status::invalid_arguments);
}

TEST(session_values, identity_passes_on_what_it_gets) {
    const message type = sequence_type(tensor_type(element_type::FLOAT));
    const session runs = load_parts({.nodes = {node("Identity", {"x"}, {"y"})},
            .inputs = {onnx_writer::value("x", type)},
            .outputs = {onnx_writer::value("y", type)}});
    const tern::value y = runs.run({tern::value::sequence(data_type::f32, {floats({1}, {5})})})[0];
    ASSERT_EQ(y.size(), 1U);
    EXPECT_EQ(elements<float>(y.at(0)), std::vector<float>{5});
}

// --- NonZero
// --------------------------------------------------------------------------------------

session non_zero(element_type type, std::int64_t opset = 13) {
    return load_parts(
            {.nodes = {node("NonZero", {"condition"}, {"result"})},
                    .inputs = {onnx_writer::value("condition", tensor_type(type))},
                    .outputs = {onnx_writer::value("result", tensor_type(element_type::INT64))}},
            opset);
}

TEST(session_values, non_zero_example_of_the_page) {
    for (std::int64_t opset : {9, 13}) {
        const tern::value found =
                non_zero(element_type::BOOL, opset).run({booleans({2, 2}, {1, 0, 1, 1})})[0];
        EXPECT_EQ(found.shape(), (shape{2, 3}));
        EXPECT_EQ(elements<std::int64_t>(found), (std::vector<std::int64_t>{0, 1, 1, 0, 0, 1}));
    }
}

TEST(session_values, non_zero_of_every_type) {
    for (element_type file_type : every_type) {
        const data_type type = formats::onnx::data_type_of(file_type);
        SCOPED_TRACE(name_of(type));
        const session runs = non_zero(file_type);
        tern::value x;
        if (type == data_type::string) {
            x = tern::value::strings({3}, {"", "0", ""});
        } else {
            std::string bytes(3 * bytes_of(type), '\0');
            bytes[bytes_of(type)] = 1; // the smallest there is
            x = tern::value::tensor(type, {3}, bytes.data());
        }
        const tern::value found = runs.run({x})[0];
        EXPECT_EQ(found.shape(), (shape{1, 1}));
        EXPECT_EQ(elements<std::int64_t>(found), std::vector<std::int64_t>{1});
        EXPECT_EQ(runs.run({some_tensor(type, true)})[0].shape(), (shape{1, 0}));
    }
}

TEST(session_values, non_zero_of_a_scalar_has_no_rows) {
    const session runs = non_zero(element_type::FLOAT);
    EXPECT_EQ(runs.run({floats({}, {3})})[0].shape(), (shape{0, 1}));
    EXPECT_EQ(runs.run({floats({}, {-0.0F})})[0].shape(), (shape{0, 0}));
}

TEST(session_values, what_follows_non_zero_gets_its_shape) {
    const message longs = tensor_type(element_type::INT64);
    const session runs = load_parts(
            {.nodes = {node("NonZero", {"x"}, {"at"}), node("Transpose", {"at"}, {"rows"}),
                     node("Shape", {"rows"}, {"count"}), node("Add", {"rows", "rows"}, {"y"}),
                     node("Abs", {"x"}, {"size"})},
                    .inputs = {onnx_writer::value("x", tensor_type(element_type::FLOAT, {"n"}))},
                    .outputs = {onnx_writer::value("y", longs), onnx_writer::value("count", longs),
                            onnx_writer::value("size", tensor_type(element_type::FLOAT))}});
    const std::vector<tern::value> out = runs.run({floats({4}, {0, -1, 0, 2})});
    EXPECT_EQ(out[0].shape(), (shape{2, 1}));
    EXPECT_EQ(elements<std::int64_t>(out[0]), (std::vector<std::int64_t>{2, 6}));
    EXPECT_EQ(elements<std::int64_t>(out[1]), (std::vector<std::int64_t>{2, 1}));
    EXPECT_EQ(elements<float>(out[2]), (std::vector<float>{0, 1, 0, 2}));
    EXPECT_EQ(runs.run({floats({2}, {0, 0})})[0].shape(), (shape{0, 1}));

    // Memory for the real shape, which only the data tells.
    std::vector<std::int64_t> y(2, -1);
    std::vector<std::int64_t> count(2);
    std::vector<float> size(4);
    const auto run = [&](std::int64_t rows) {
        runs.run({floats({4}, {0, -1, 0, 2})},
                {{data_type::s64, {rows, 1}, y.data()}, {data_type::s64, {2}, count.data()},
                        {data_type::f32, {4}, size.data()}});
    };
    EXPECT_EQ(message_of([&] { run(1); }, status::invalid_arguments),
            "run: output \"y\" is given as tensor(s64) 1x1, but it is tensor(s64) 2x1");
    EXPECT_EQ(y, (std::vector<std::int64_t>{-1, -1}));
    run(2);
    EXPECT_EQ(y, (std::vector<std::int64_t>{2, 6}));
}

} // namespace
} // namespace tern
