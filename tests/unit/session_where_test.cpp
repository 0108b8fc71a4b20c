// SPDX-License-Identifier: Apache-2.0
//
// ONNX's Where through files: the examples that its page prints, and every type with every way to
// broadcast.
#include <cmath>
#include <limits>

#include "base/data_type.hpp"
#include "onnx_session.hpp"

namespace tern {
namespace {

using namespace onnx_writer;
using namespace onnx_session;

constexpr float nan = std::numeric_limits<float>::quiet_NaN();
constexpr float inf = std::numeric_limits<float>::infinity();

session where_session(element_type type, std::int64_t opset = 16) {
    return load_parts(
            {.nodes = {node("Where", {"condition", "x", "y"}, {"output"})},
                    .inputs = {onnx_writer::value("condition", tensor_type(element_type::BOOL)),
                            onnx_writer::value("x", tensor_type(type)),
                            onnx_writer::value("y", tensor_type(type))},
                    .outputs = {onnx_writer::value("output", tensor_type(type))}},
            opset);
}

tern::value run_where(
        element_type type, const tern::value &c, const tern::value &x, const tern::value &y) {
    return where_session(type).run({c, x, y})[0];
}

const std::vector<unsigned char> left = {1, 0, 1, 0};

template <typename T>
void expect_two_by_two(element_type type, data_type element) {
    const tern::value out = run_where(type, booleans({2, 2}, left),
            make<T>(element, {2, 2}, {1, 2, 3, 4}), make<T>(element, {2, 2}, {5, 6, 7, 8}));
    EXPECT_EQ(out.shape(), (tern::value::dims{2, 2}));
    EXPECT_EQ(elements<T>(out), (std::vector<T>{1, 6, 3, 8}));
}

TEST(session_where, examples_of_the_page) {
    expect_two_by_two<double>(element_type::DOUBLE, data_type::f64);
    expect_two_by_two<float>(element_type::FLOAT, data_type::f32); // test_where_example
    expect_two_by_two<std::int8_t>(element_type::INT8, data_type::s8);
    expect_two_by_two<std::int16_t>(element_type::INT16, data_type::s16);
    expect_two_by_two<std::uint8_t>(element_type::UINT8, data_type::u8);
    expect_two_by_two<std::uint16_t>(element_type::UINT16, data_type::u16);
    expect_two_by_two<std::uint32_t>(element_type::UINT32, data_type::u32);
    expect_two_by_two<std::uint64_t>(element_type::UINT64, data_type::u64);

    const tern::value truths = run_where(element_type::BOOL, booleans({2, 2}, left),
            booleans({2, 2}, {1, 1, 0, 0}), booleans({2, 2}, {0, 0, 1, 1}));
    EXPECT_EQ(elements<unsigned char>(truths), (std::vector<unsigned char>{1, 0, 0, 1}));

    const tern::value text = run_where(element_type::STRING, booleans({2, 2}, left),
            tern::value::strings({2, 2}, {"a", "b", "c", "d"}),
            tern::value::strings({2, 2}, {"e", "f", "g", "h"}));
    EXPECT_EQ(texts(text), (std::vector<std::string>{"a", "f", "c", "h"}));

    // test_where_long_example
    const tern::value longs = run_where(element_type::INT64, booleans({2, 2}, {1, 0, 1, 1}),
            integers({2, 2}, {1, 2, 3, 4}), integers({2, 2}, {9, 8, 7, 6}));
    EXPECT_EQ(elements<std::int64_t>(longs), (std::vector<std::int64_t>{1, 8, 3, 4}));

    // test_where_bcast
    const tern::value spread = run_where(element_type::INT32, booleans({2, 1}, {1, 0}),
            make<std::int32_t>(data_type::s32, {2, 3}, {1, 2, 3, 4, 5, 6}),
            make<std::int32_t>(data_type::s32, {1, 3}, {10, 20, 30}));
    EXPECT_EQ(spread.shape(), (tern::value::dims{2, 3}));
    EXPECT_EQ(elements<std::int32_t>(spread), (std::vector<std::int32_t>{1, 2, 3, 10, 20, 30}));
}

void expect_floats(const tern::value &found, const std::vector<float> &expected) {
    const std::vector<float> values = elements<float>(found);
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t i = 0; i < values.size(); ++i)
        EXPECT_TRUE(std::isnan(expected[i]) ? std::isnan(values[i]) : values[i] == expected[i])
                << i << ": " << values[i];
}

TEST(session_where, examples_with_nan_and_infinity) {
    expect_floats(
            run_where(element_type::FLOAT, booleans({6}, {1, 0, 1, 0, 1, 0}),
                    floats({6}, {nan, 1, inf, 2, -inf, 3}), floats({6}, {0, nan, 0, inf, 0, -inf})),
            {nan, nan, inf, inf, -inf, -inf});
    expect_floats(run_where(element_type::FLOAT, booleans({2, 1}, {1, 0}),
                          floats({2, 3}, {inf, 1, inf, 2, inf, 3}), floats({1, 3}, {-inf, nan, 0})),
            {inf, 1, inf, -inf, nan, 0});
}

// --- every type, every broadcast
// ------------------------------------------------------------------

constexpr element_type every_type[] = {element_type::BFLOAT16, element_type::BOOL,
        element_type::COMPLEX64, element_type::COMPLEX128, element_type::DOUBLE,
        element_type::FLOAT, element_type::FLOAT16, element_type::INT8, element_type::INT16,
        element_type::INT32, element_type::INT64, element_type::UINT8, element_type::UINT16,
        element_type::UINT32, element_type::UINT64, element_type::STRING};

struct shapes {
    tern::value::dims condition, x, y, output;
};
const shapes every_broadcast[] = {
        {{2, 3}, {2, 3}, {2, 3}, {2, 3}},
        {{2, 1}, {2, 3}, {1, 3}, {2, 3}},
        {{3}, {2, 1}, {}, {2, 3}},
        {{}, {2, 2}, {2, 2}, {2, 2}},
        {{2, 2}, {}, {}, {2, 2}},
        {{4, 1, 1}, {3, 1}, {2}, {4, 3, 2}},
        {{1, 1, 5}, {2, 1, 1}, {1, 3, 1}, {2, 3, 5}},
        {{}, {}, {}, {}},
        {{0, 1}, {1, 3}, {}, {0, 3}},
        {{2, 1}, {0}, {1, 1}, {2, 0}},
};

std::size_t count(const tern::value::dims &shape) {
    std::size_t n = 1;
    for (std::int64_t dim : shape)
        n *= static_cast<std::size_t>(dim);
    return n;
}

/// The element of a tensor of shape `from` at position `index` of the result.
std::size_t source_of(
        const tern::value::dims &from, const tern::value::dims &shape, std::size_t index) {
    std::size_t at = 0;
    std::size_t step = 1;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const auto size = static_cast<std::size_t>(shape[shape.size() - 1 - axis]);
        const std::size_t position = index % size;
        index /= size;
        if (axis >= from.size()) continue;
        const auto own = static_cast<std::size_t>(from[from.size() - 1 - axis]);
        if (own > 1) at += position * step;
        step *= own;
    }
    return at;
}

/// Bytes that differ from element to element; -0.0, NaNs and infinities are among them.
std::vector<std::string> some_elements(std::size_t n, std::size_t bytes, unsigned seed) {
    std::vector<std::string> result;
    for (std::size_t i = 0; i < n; ++i) {
        std::string element(bytes, '\0');
        element[0] = static_cast<char>(seed + i);
        element[bytes - 1] = static_cast<char>(i % 3 == 0 ? 0x80 : i % 3 == 1 ? 0x7f : seed + i);
        result.push_back(element);
    }
    return result;
}

tern::value to_tensor(
        data_type type, const tern::value::dims &shape, const std::vector<std::string> &elements) {
    if (type == data_type::string) return tern::value::strings(shape, elements);
    std::string all;
    for (const std::string &element : elements)
        all += element;
    return tern::value::tensor(type, shape, all.data());
}

std::vector<std::string> from_tensor(const tern::value &tensor) {
    if (tensor.type().element == data_type::string) return texts(tensor);
    const std::size_t bytes = bytes_of(tensor.type().element);
    std::vector<std::string> result;
    for (std::size_t i = 0; i < tensor.elements(); ++i)
        result.emplace_back(static_cast<const char *>(tensor.data()) + i * bytes, bytes);
    return result;
}

TEST(session_where, every_type_and_broadcast) {
    for (element_type file_type : every_type) {
        const data_type type = formats::onnx::data_type_of(file_type);
        const session runs = where_session(file_type);
        const std::size_t bytes = type == data_type::string ? 3 : bytes_of(type);
        for (const shapes &each : every_broadcast) {
            const auto x = some_elements(count(each.x), bytes, 1);
            const auto y = some_elements(count(each.y), bytes, 100);
            std::vector<unsigned char> condition(count(each.condition));
            for (std::size_t i = 0; i < condition.size(); ++i)
                condition[i] = static_cast<unsigned char>(i * 7 % 3);
            const tern::value out = runs.run({booleans(each.condition, condition),
                    to_tensor(type, each.x, x), to_tensor(type, each.y, y)})[0];
            ASSERT_EQ(out.shape(), each.output);
            const std::vector<std::string> found = from_tensor(out);
            for (std::size_t i = 0; i < found.size(); ++i) {
                const bool taken = condition[source_of(each.condition, each.output, i)] != 0;
                EXPECT_EQ(found[i], taken ? x[source_of(each.x, each.output, i)]
                                          : y[source_of(each.y, each.output, i)])
                        << name_of(type) << " " << i;
            }
        }
    }
}

TEST(session_where, B109_a_row_that_is_masked_whole_is_zero) {
    using onnx_writer::value;
    const auto floats_type = tensor_type(element_type::FLOAT);
    const message zero = tensor<float>("zero", element_type::FLOAT, {}, {0});
    const message masked = tensor<float>("masked", element_type::FLOAT, {}, {-inf});
    const graph_parts parts = {
            .nodes = {node("Where", {"mask", "zero", "masked"}, {"added"}),
                    node("Add", {"scores", "added"}, {"sums"}),
                    node("Softmax", {"sums"}, {"weights"}), node("IsNaN", {"weights"}, {"is_lost"}),
                    node("Where", {"is_lost", "zero", "weights"}, {"kept"}),
                    node("MatMul", {"kept", "v"}, {"output"})},
            .inputs = {value("mask", tensor_type(element_type::BOOL)), value("scores", floats_type),
                    value("v", floats_type)},
            .outputs = {value("output", floats_type)},
            .initializers = {zero, masked}};
    session_options plain;
    plain.implementation = "reference";
    for (const session_options &options : {session_options(), plain}) {
        const tern::value out =
                load(model(parts, 21), options)
                        .run({booleans({2, 2}, {1, 1, 0, 0}), floats({2, 2}, {3, 3, 1, 2}),
                                floats({2, 2}, {1, 2, 3, 4})})[0];
        EXPECT_EQ(elements<float>(out), (std::vector<float>{2, 3, 0, 0}));
    }
}

TEST(session_where, version_9_is_there_and_8_is_not) {
    EXPECT_EQ(elements<float>(
                      where_session(element_type::FLOAT, 9)
                              .run({booleans({1}, {0}), floats({1}, {1}), floats({1}, {2})})[0]),
            std::vector<float>{2});
    EXPECT_EQ(message_of([] { where_session(element_type::FLOAT, 8); }, status::unimplemented),
            "test.onnx: not supported in operator set 8: Where (node 0 (Where))");
}

} // namespace
} // namespace tern
