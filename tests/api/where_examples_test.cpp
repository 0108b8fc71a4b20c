// SPDX-License-Identifier: Apache-2.0
//
// The examples that ONNX's page of Where prints, and every type it lists.
#include <array>
#include <limits>
#include <string>
#include <string_view>

#include "select_graph.hpp"

using namespace select_graph;
using tern::string_ref;

namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();

/// Runs Where over operands of shape 2x2.
template <typename T>
void expect_2x2(data_type type, const std::vector<std::uint8_t> &condition, const std::vector<T> &x,
        const std::vector<T> &y, const std::vector<T> &expected) {
    select_case<T> c{type, {{2, 2}, condition}, {{2, 2}, x}, {{2, 2}, y}};
    select_result<T> result = run_where(c);
    EXPECT_EQ(result.shape, (dims{2, 2}));
    EXPECT_TRUE(same_bits(result.memory, expected));
}

const std::vector<std::uint8_t> left_column = {1, 0, 1, 0};

std::vector<string_ref> references(const std::vector<std::string> &texts) {
    std::vector<string_ref> refs;
    for (const std::string &text : texts)
        refs.push_back({text.data(), text.size()});
    return refs;
}

std::vector<std::string> copies(const std::vector<string_ref> &refs) {
    std::vector<std::string> texts;
    for (const string_ref &ref : refs)
        texts.emplace_back(std::string_view(ref));
    return texts;
}

TEST(where_examples, cc_where_bool) {
    expect_2x2<std::uint8_t>(
            data_type::boolean, left_column, {1, 1, 0, 0}, {0, 0, 1, 1}, {1, 0, 0, 1});
}

TEST(where_examples, cc_where_double) {
    expect_2x2<double>(data_type::f64, left_column, {1, 2, 3, 4}, {5, 6, 7, 8}, {1, 6, 3, 8});
}

TEST(where_examples, cc_where_int16) {
    expect_2x2<std::int16_t>(
            data_type::s16, left_column, {1, 2, 3, 4}, {-5, -6, -7, -8}, {1, -6, 3, -8});
}

TEST(where_examples, cc_where_int8) {
    expect_2x2<std::int8_t>(
            data_type::s8, left_column, {1, 2, 3, 4}, {-5, -6, -7, -8}, {1, -6, 3, -8});
}

TEST(where_examples, cc_where_nan_inf) {
    select_case<float> c{data_type::f32, {{6}, {1, 0, 1, 0, 1, 0}},
            {{6}, {nan_value, 1, infinity, 2, -infinity, 3}},
            {{6}, {0, nan_value, 0, infinity, 0, -infinity}}};
    const std::vector<float> expected = {
            nan_value, nan_value, infinity, infinity, -infinity, -infinity};
    select_result<float> result = run_where(c);
    EXPECT_EQ(result.shape, dims{6});
    EXPECT_TRUE(same_bits(result.memory, expected));
}

TEST(where_examples, cc_where_nan_inf_bcast) {
    select_case<float> c{data_type::f32, {{2, 1}, {1, 0}},
            {{2, 3}, {infinity, 1, infinity, 2, infinity, 3}}, {{1, 3}, {-infinity, nan_value, 0}}};
    const std::vector<float> expected = {infinity, 1, infinity, -infinity, nan_value, 0};
    select_result<float> result = run_where(c);
    EXPECT_EQ(result.shape, (dims{2, 3}));
    EXPECT_TRUE(same_bits(result.memory, expected));
}

TEST(where_examples, cc_where_string) {
    const std::vector<std::string> x = {"a", "b", "c", "d"};
    const std::vector<std::string> y = {"e", "f", "g", "h"};
    select_case<string_ref> c{data_type::string, {{2, 2}, left_column}, {{2, 2}, references(x)},
            {{2, 2}, references(y)}};
    select_result<string_ref> result = run_where(c);
    EXPECT_EQ(result.shape, (dims{2, 2}));
    EXPECT_EQ(copies(result.memory), (std::vector<std::string>{"a", "f", "c", "h"}));
}

TEST(where_examples, cc_where_uint16) {
    expect_2x2<std::uint16_t>(
            data_type::u16, left_column, {1, 2, 3, 4}, {5, 6, 7, 8}, {1, 6, 3, 8});
}

TEST(where_examples, cc_where_uint32) {
    expect_2x2<std::uint32_t>(
            data_type::u32, left_column, {1, 2, 3, 4}, {5, 6, 7, 8}, {1, 6, 3, 8});
}

TEST(where_examples, cc_where_uint64) {
    expect_2x2<std::uint64_t>(
            data_type::u64, left_column, {1, 2, 3, 4}, {5, 6, 7, 8}, {1, 6, 3, 8});
}

TEST(where_examples, cc_where_uint8) {
    expect_2x2<std::uint8_t>(data_type::u8, left_column, {1, 2, 3, 4}, {5, 6, 7, 8}, {1, 6, 3, 8});
}

TEST(where_examples, where_bcast) {
    select_case<std::int32_t> c{
            data_type::s32, {{2, 1}, {1, 0}}, {{2, 3}, {1, 2, 3, 4, 5, 6}}, {{1, 3}, {10, 20, 30}}};
    select_result<std::int32_t> result = run_where(c);
    EXPECT_EQ(result.shape, (dims{2, 3}));
    EXPECT_EQ(result.memory, (std::vector<std::int32_t>{1, 2, 3, 10, 20, 30}));
}

TEST(where_examples, where_example) {
    expect_2x2<float>(data_type::f32, left_column, {1, 2, 3, 4}, {5, 6, 7, 8}, {1, 6, 3, 8});
}

TEST(where_examples, where_long_example) {
    expect_2x2<std::int64_t>(
            data_type::s64, {1, 0, 1, 1}, {1, 2, 3, 4}, {9, 8, 7, 6}, {1, 8, 3, 4});
}

/// Three shapes that broadcast, and of which element of each operand an element of the result is
/// made. Results are of shape 2x3.
struct broadcast_shapes {
    dims condition;
    dims x;
    dims y;
};

const std::vector<broadcast_shapes> broadcast_matrix = {
        {{2, 3}, {2, 3}, {2, 3}},
        {{2, 1}, {2, 3}, {1, 3}},
        {{1, 3}, {2, 1}, {2, 3}},
        {{2, 3}, {3}, {2, 1}},
        {{2, 3}, {}, {}},
        {{}, {2, 3}, {3}},
        {{3}, {2, 1}, {}},
        {{2, 1}, {1}, {1, 3}},
        {{1, 1}, {1, 3}, {2, 1}},
};

std::size_t count_of(const dims &shape) {
    std::size_t count = 1;
    for (std::int64_t extent : shape)
        count *= static_cast<std::size_t>(extent);
    return count;
}

/// The element of an operand that belongs to (row, column) of a result of shape 2x3.
std::size_t element_at(const dims &shape, std::size_t row, std::size_t column) {
    const bool has_columns = !shape.empty() && shape.back() == 3;
    const bool has_rows = shape.size() == 2 && shape[0] == 2;
    return (has_rows ? row * (has_columns ? 3 : 1) : 0) + (has_columns ? column : 0);
}

/// `values`: at least twelve that differ. X gets the first ones, Y those from the seventh on.
template <typename T>
void expect_all_broadcasts(data_type type, const std::array<T, 12> &values) {
    const std::vector<std::uint8_t> conditions = {1, 0, 0, 1, 1, 0};
    for (const broadcast_shapes &shapes : broadcast_matrix) {
        select_case<T> c{type, {shapes.condition, {}}, {shapes.x, {}}, {shapes.y, {}}};
        c.cond.memory.assign(conditions.begin(),
                conditions.begin() + static_cast<std::ptrdiff_t>(count_of(shapes.condition)));
        c.src_0.memory.assign(
                values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count_of(shapes.x)));
        c.src_1.memory.assign(values.begin() + 6,
                values.begin() + 6 + static_cast<std::ptrdiff_t>(count_of(shapes.y)));
        std::vector<T> expected;
        for (std::size_t row = 0; row < 2; ++row)
            for (std::size_t column = 0; column < 3; ++column)
                expected.push_back(c.cond.memory[element_at(shapes.condition, row, column)] != 0
                                           ? c.src_0.memory[element_at(shapes.x, row, column)]
                                           : c.src_1.memory[element_at(shapes.y, row, column)]);
        select_result<T> result = run_where(c);
        EXPECT_EQ(result.shape, (dims{2, 3}));
        EXPECT_TRUE(same_bits(result.memory, expected));
    }
}

/// Distinct bits, among them those of -0.0 and of NaNs for the types that have them.
template <typename T>
std::array<T, 12> distinct_bits() {
    std::array<T, 12> values;
    auto *bytes = reinterpret_cast<unsigned char *>(values.data());
    for (std::size_t i = 0; i < sizeof(values); ++i)
        bytes[i] = static_cast<unsigned char>(255 - 7 * (i / sizeof(T)) - i % sizeof(T));
    std::memset(&values[0], 0, sizeof(T));
    bytes[sizeof(T) - 1] = 0x80;
    return values;
}

TEST(where_examples, B44_every_type_of_onnx_and_every_broadcast) {
    for (data_type type : {data_type::boolean, data_type::s8, data_type::u8})
        expect_all_broadcasts(type, distinct_bits<std::uint8_t>());
    for (data_type type : {data_type::bf16, data_type::f16, data_type::s16, data_type::u16})
        expect_all_broadcasts(type, distinct_bits<std::uint16_t>());
    for (data_type type : {data_type::f32, data_type::s32, data_type::u32})
        expect_all_broadcasts(type, distinct_bits<std::uint32_t>());
    for (data_type type : {data_type::f64, data_type::s64, data_type::u64, data_type::c64})
        expect_all_broadcasts(type, distinct_bits<std::uint64_t>());
    using two_words = std::array<std::uint64_t, 2>;
    expect_all_broadcasts(data_type::c128, distinct_bits<two_words>());
    const char *text = "Where copies references";
    std::array<string_ref, 12> strings;
    for (std::size_t i = 0; i < strings.size(); ++i)
        strings[i] = {text + i, i % 5};
    expect_all_broadcasts(data_type::string, strings);
}

TEST(where_examples, B44_condition_picks_one_of_a_scalar) {
    for (data_type type : {data_type::string, data_type::c128}) {
        const string_ref a{"a", 1}, b{"b", 1}, c{"c", 1}, d{"d", 1};
        select_case<string_ref> one{type, {{3}, {1, 0, 1}}, {{3}, {a, b, c}}, {{1}, {d}}};
        EXPECT_TRUE(same_bits(run_where(one).memory, std::vector<string_ref>{a, d, c}));
    }
}

TEST(where_examples, B45_bf16) {
    select_case<std::uint16_t> c{
            data_type::bf16, {{2}, {1, 0}}, {{2}, {0x3f80, 0x4000}}, {{1}, {0}}};
    EXPECT_EQ(run_where(c).memory, (std::vector<std::uint16_t>{0x3f80, 0}));
}

TEST(where_examples, B48_strings_of_any_bytes_and_lengths) {
    const std::vector<std::string> x = {"=", "gr\xc3\xbc\xc3\x9f", std::string("a\0b", 3), ""};
    const std::vector<std::string> y = {"<=", "", "", std::string(1000, 'z')};
    select_case<string_ref> c{
            data_type::string, {{4}, {0, 1, 1, 0}}, {{4}, references(x)}, {{4}, references(y)}};
    EXPECT_EQ(copies(run_where(c).memory),
            (std::vector<std::string>{"<=", x[1], std::string("a\0b", 3), y[3]}));
    EXPECT_EQ(run_where(c).memory[2].size, 3u);
}

TEST(where_examples, strings_meet_no_other_type) {
    expect_errors({
            {status::invalid_graph_op,
                    [] {
                        where_partition({dense(cond_id, data_type::boolean, {2}),
                                                dense(src_0_id, data_type::string, {2}),
                                                dense(src_1_id, data_type::c128, {2})},
                                logical_tensor(dst_id, data_type::string));
                    },
                    {"Where (op 7)", "Y", "c128", "string"}},
            {status::invalid_graph_op,
                    [] {
                        one_op_partition(op(7, op::kind::Add,
                                {dense(src_0_id, data_type::string, {2}),
                                        dense(src_1_id, data_type::string, {2})},
                                {logical_tensor(dst_id, data_type::string)}));
                    },
                    {"Add (op 7)", "string"}},
            {status::invalid_graph_op,
                    [] {
                        one_op_partition(
                                op(7, op::kind::TypeCast, {dense(src_0_id, data_type::string, {2})},
                                        {logical_tensor(dst_id, data_type::f32)}));
                    },
                    {"TypeCast (op 7)", "string"}},
    });
}

} // namespace
