// SPDX-License-Identifier: Apache-2.0
//
// Sessions: what they say of a model, what they check of a call, shapes that come and go, threads.
#include <thread>

#include "onnx_session.hpp"

namespace tern {
namespace {

using namespace onnx_writer;
using namespace onnx_session;
using info = message;

info f32_input(std::string_view name, const std::vector<dimension> &shape) {
    return onnx_writer::value(name, tensor_type(element_type::FLOAT, shape));
}

/// z = x + y, of shape [n, 3].
graph_parts sum_of_rows() {
    return {.nodes = {node("Add", {"x", "y"}, {"z"})},
            .inputs = {f32_input("x", {"n", 3}), f32_input("y", {"n", 3})},
            .outputs = {f32_input("z", {"n", 3})}};
}

TEST(session, tells_inputs_and_outputs) {
    const session runs = load_parts(sum_of_rows());
    ASSERT_EQ(runs.inputs().size(), 2U);
    const session_port &x = runs.inputs()[0];
    EXPECT_EQ(x.name, "x");
    EXPECT_EQ(x.type, (value_type{value_form::tensor, data_type::f32}));
    ASSERT_TRUE(x.rank_known);
    ASSERT_EQ(x.dims.size(), 2U);
    EXPECT_EQ(x.dims[0].size, -1);
    EXPECT_EQ(x.dims[0].name, "n");
    EXPECT_EQ(x.dims[1].size, 3);
    EXPECT_EQ(runs.outputs()[0].name, "z");
}

TEST(session, runs_by_position_and_by_name) {
    const session runs = load_parts(sum_of_rows());
    const tern::value x = floats({1, 3}, {1, 2, 3});
    const tern::value y = floats({1, 3}, {10, 20, 30});
    EXPECT_EQ(elements<float>(runs.run({x, y})[0]), (std::vector<float>{11, 22, 33}));
    EXPECT_EQ(elements<float>(runs.run(
                      std::vector<std::pair<std::string, tern::value>>{{"y", y}, {"x", x}})[0]),
            (std::vector<float>{11, 22, 33}));
}

TEST(session, checks_inputs) {
    const session runs = load_parts(sum_of_rows());
    const tern::value x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
    auto run = [&](const std::vector<tern::value> &inputs) {
        return [&runs, inputs] { runs.run(inputs); };
    };
    EXPECT_EQ(
            message_of(run({x}), status::invalid_arguments), "run: 1 inputs are given, expected 2");
    EXPECT_EQ(message_of(run({x, tern::value()}), status::invalid_arguments),
            "run: input \"y\" is required");
    EXPECT_EQ(message_of(run({x, integers({2, 3}, {1, 2, 3, 4, 5, 6})}), status::invalid_data_type),
            "run: input \"y\" is tensor(s64), expected tensor(f32)");
    EXPECT_EQ(message_of(run({x, floats({3}, {1, 2, 3})}), status::invalid_shape),
            "run: input \"y\" has rank 1, expected 2");
    EXPECT_EQ(message_of(run({x, floats({2, 2}, {1, 2, 3, 4})}), status::invalid_shape),
            "run: input \"y\" has 2 at axis 1; expected 3");
    EXPECT_EQ(message_of(run({x, floats({1, 3}, {1, 2, 3})}), status::invalid_shape),
            "run: input \"y\" has 1 at axis 0, but \"n\" is 2 at axis 0 of input \"x\"");

    using named = std::vector<std::pair<std::string, tern::value>>;
    EXPECT_EQ(message_of(
                      [&] {
                          runs.run(named{{"x", x}, {"w", x}});
                      },
                      status::invalid_arguments),
            "run: the model has no input \"w\"");
    EXPECT_EQ(message_of(
                      [&] {
                          runs.run(named{{"x", x}, {"x", x}});
                      },
                      status::invalid_arguments),
            "run: input \"x\" is given twice");
    EXPECT_EQ(message_of([] { session().inputs(); }, status::invalid_arguments),
            "session::inputs: the handle is empty");
}

TEST(session, writes_to_memory_of_the_callers) {
    const session runs = load_parts(sum_of_rows());
    const tern::value x = floats({1, 3}, {1, 2, 3});
    std::vector<float> z(6, -1);
    runs.run({x, x}, {{data_type::f32, {1, 3}, z.data()}});
    EXPECT_EQ(z, (std::vector<float>{2, 4, 6, -1, -1, -1}));

    auto run = [&](const output_tensor &output) {
        return [&runs, &x, output] { runs.run({x, x}, {output}); };
    };
    EXPECT_EQ(message_of(run({data_type::f32, {2, 3}, z.data()}), status::invalid_arguments),
            "run: output \"z\" is given as tensor(f32) 2x3, but it is tensor(f32) 1x3");
    EXPECT_EQ(message_of(run({data_type::s32, {1, 3}, z.data()}), status::invalid_arguments),
            "run: output \"z\" is given as tensor(s32) 1x3, but it is tensor(f32) 1x3");
    EXPECT_EQ(message_of(
                      [&] {
                          runs.run({x, x}, std::vector<output_tensor>{});
                      },
                      status::invalid_arguments),
            "run: memory for 0 outputs is given, expected 1");
    const tern::value borrowed = tern::value::borrow(data_type::f32, {1, 3}, z.data());
    EXPECT_EQ(message_of(
                      [&] {
                          runs.run({x, borrowed}, {{data_type::f32, {1, 3}, z.data() + 1}});
                      },
                      status::invalid_arguments),
            "run: the memory of output \"z\" overlaps that of input \"y\"");
    EXPECT_EQ(z, (std::vector<float>{2, 4, 6, -1, -1, -1})); // not a byte of it
}

TEST(session, an_output_may_be_an_input_or_a_constant) {
    const session runs = load_parts({.nodes = {node("Identity", {"x"}, {"same"}),
                                             node("Add", {"c", "c"}, {"sum"})},
            .inputs = {f32_input("x", {2})},
            .outputs = {f32_input("same", {2}), f32_input("sum", {1}), f32_input("sum", {1})},
            .initializers = {tensor<float>("c", element_type::FLOAT, {1}, {4})}});
    std::vector<float> x = {1, 2};
    const std::vector<tern::value> out =
            runs.run({tern::value::borrow(data_type::f32, {2}, x.data())});
    x = {3, 4}; // the result does not follow
    EXPECT_EQ(elements<float>(out[0]), (std::vector<float>{1, 2}));
    EXPECT_EQ(elements<float>(out[1]), std::vector<float>{8});
    EXPECT_EQ(elements<float>(out[2]), std::vector<float>{8});
}

TEST(session, outlives_nothing_that_it_gave) {
    tern::value text;
    tern::value sum;
    {
        const session runs = load_parts(
                {.nodes = {node("Identity", {"t"}, {"out"}), node("Add", {"c", "c"}, {"sum"})},
                        .outputs = {onnx_writer::value("out", tensor_type(element_type::STRING)),
                                f32_input("sum", {1})},
                        .initializers = {string_tensor("t", {2}, {"a longer text than most", ""}),
                                tensor<float>("c", element_type::FLOAT, {1}, {4})}});
        const std::vector<tern::value> out = runs.run(std::vector<tern::value>());
        text = out[0];
        sum = out[1];
    }
    EXPECT_EQ(texts(text), (std::vector<std::string>{"a longer text than most", ""}));
    EXPECT_EQ(elements<float>(sum), std::vector<float>{8});
}

/// y = reshape(x, shape), with the shape an input.
TEST(session, content_that_is_a_shape_decides) {
    const session runs = load_parts({.nodes = {node("Reshape", {"x", "shape"}, {"y"})},
            .inputs = {f32_input("x", {"n"}),
                    onnx_writer::value("shape", tensor_type(element_type::INT64, {"rank"}))},
            .outputs = {onnx_writer::value("y", tensor_type(element_type::FLOAT))}});
    const tern::value x = floats({4}, {1, 2, 3, 4});
    for (int repeat = 0; repeat < 2; ++repeat) {
        EXPECT_EQ(runs.run({x, integers({2}, {2, 2})})[0].shape(), (tern::value::dims{2, 2}));
        EXPECT_EQ(runs.run({x, integers({2}, {-1, 1})})[0].shape(), (tern::value::dims{4, 1}));
        EXPECT_EQ(runs.run({x, integers({1}, {4})})[0].shape(), (tern::value::dims{4}));
    }
    message_of([&] { runs.run({x, integers({1}, {5})}); }, status::invalid_shape);
    EXPECT_EQ(runs.run({x, integers({1}, {4})})[0].shape(), (tern::value::dims{4}));
}

/// A computed shape: the rest of the model is imported when it is known.
TEST(session, computed_content_that_is_a_shape_decides) {
    const session runs = load_parts(
            {.nodes = {node("Add", {"a", "b"}, {"shape"}), node("Expand", {"x", "shape"}, {"wide"}),
                     node("Add", {"wide", "x"}, {"y"})},
                    .inputs = {f32_input("x", {1}),
                            onnx_writer::value("a", tensor_type(element_type::INT64, {2})),
                            onnx_writer::value("b", tensor_type(element_type::INT64, {2}))},
                    .outputs = {onnx_writer::value("y", tensor_type(element_type::FLOAT))}});
    const tern::value x = floats({1}, {1.5F});
    for (std::int64_t n : {1, 2, 1, 3})
        for (std::int64_t m : {0, 2}) {
            const tern::value y = runs.run({x, integers({2}, {n, m}), integers({2}, {1, 1})})[0];
            EXPECT_EQ(y.shape(), (tern::value::dims{n + 1, m + 1}));
            EXPECT_EQ(elements<float>(y), std::vector<float>(y.elements(), 3.0F));
        }
}

TEST(session, many_shapes_pass_through_a_small_cache) {
    session_options options;
    options.most_shapes = 2;
    const session runs = load(onnx_writer::model(sum_of_rows()), options);
    for (int repeat = 0; repeat < 2; ++repeat)
        for (std::int64_t n = 0; n < 7; ++n) {
            const std::vector<float> ones(static_cast<std::size_t>(3 * n), 1.0F);
            const tern::value x = floats({n, 3}, ones);
            const tern::value z = runs.run({x, x})[0];
            EXPECT_EQ(z.shape(), (tern::value::dims{n, 3}));
            EXPECT_EQ(elements<float>(z), std::vector<float>(ones.size(), 2.0F));
        }
}

TEST(session, forced_to_the_reference_it_gives_the_same) {
    session_options options;
    options.implementation = "reference";
    const session runs = load(onnx_writer::model(sum_of_rows()), options);
    const tern::value x = floats({1, 3}, {1, 2, 3});
    EXPECT_EQ(elements<float>(runs.run({x, x})[0]), (std::vector<float>{2, 4, 6}));
}

TEST(session, threads_with_shapes_of_their_own) {
    session_options options;
    options.most_shapes = 3; // fewer than there are
    const session runs = load(
            onnx_writer::model(
                    {.nodes = {node("Add", {"x", "x"}, {"twice"}), node("Shape", {"x"}, {"shape"}),
                             node("Reshape", {"twice", "shape"}, {"r"}),
                             node("Mul", {"r", "x"}, {"y"})},
                            .inputs = {f32_input("x", {"n", "m"})},
                            .outputs = {f32_input("y", {"n", "m"})}}),
            options);
    std::vector<std::thread> threads;
    std::vector<int> wrong(4);
    for (std::size_t t = 0; t < wrong.size(); ++t)
        threads.emplace_back([&, t] {
            for (std::int64_t repeat = 0; repeat < 50; ++repeat) {
                const std::int64_t n = 1 + (repeat + static_cast<std::int64_t>(t)) % 5;
                const std::vector<float> threes(static_cast<std::size_t>(n * 7), 3.0F);
                const tern::value y = runs.run({floats({n, 7}, threes)})[0];
                if (elements<float>(y) != std::vector<float>(threes.size(), 18.0F)) ++wrong[t];
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

} // namespace
} // namespace tern
