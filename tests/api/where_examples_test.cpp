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

/// Bits of -0.0 from the chosen side, of one operand and of a scalar.
template <typename T>
void expect_negative_zero(data_type type, T negative_zero, T other) {
    select_case<T> c{
            type, {{2}, {1, 0}}, {{2}, {negative_zero, other}}, {{2}, {other, negative_zero}}};
    EXPECT_TRUE(same_bits(run_where(c).memory, std::vector<T>{negative_zero, negative_zero}));
    c = {type, {{3}, {0, 0, 0}}, {{3}, {other, other, other}}, {{}, {negative_zero}}};
    EXPECT_TRUE(same_bits(run_where(c).memory, std::vector<T>(3, negative_zero)));
}

TEST(where_examples, B32_negative_zero) {
    expect_negative_zero<float>(data_type::f32, -0.0F, 1);
    expect_negative_zero<double>(data_type::f64, -0.0, 1);
    expect_negative_zero<std::uint16_t>(data_type::f16, 0x8000, 0x3c00);
    expect_negative_zero<std::uint16_t>(data_type::bf16, 0x8000, 0x3f80);
    expect_negative_zero<std::uint64_t>(data_type::c64, 0x8000000080000000, 0x3f8000003f800000);
}

TEST(where_examples, B33_the_side_not_chosen_changes_nothing) {
    for (float bad : {infinity, -infinity, nan_value}) {
        select_case<float> c{data_type::f32, {{4}, {1, 0, 1, 0}}, {{4}, {infinity, bad, 3, bad}},
                {{4}, {bad, 20, bad, 40}}};
        EXPECT_EQ(run_where(c).memory, (std::vector<float>{infinity, 20, 3, 40}));
    }
}

TEST(where_examples, B36_bf16_and_f16_bits) {
    const std::vector<std::uint16_t> bf16 = {
            0x0001, 0x8001, 0x7f81, 0xffbf, 0x8000, 0x7f80, 0xff80};
    const std::vector<std::uint16_t> f16 = {0x0001, 0x7c01, 0xfdff};
    for (bool is_bf16 : {true, false}) {
        const std::vector<std::uint16_t> &x = is_bf16 ? bf16 : f16;
        const auto n = static_cast<std::int64_t>(x.size());
        select_case<std::uint16_t> c{is_bf16 ? data_type::bf16 : data_type::f16,
                {{n}, std::vector<std::uint8_t>(x.size(), 1)}, {{n}, x}, {{1}, {0x1234}}};
        EXPECT_EQ(run_where(c).memory, x);
    }
}

TEST(where_examples, B42_numbers_become_conditions) {
    const logical_tensor numbers = dense(1, data_type::f32, {6});
    const logical_tensor condition = dense(2, data_type::boolean, {6});
    const logical_tensor one = dense(3, data_type::s32, {}), zero = dense(4, data_type::s32, {});
    const logical_tensor output = dense(5, data_type::s32, {6});
    tern::graph::graph g(engine::kind::cpu);
    g.add_op(op(1, op::kind::TypeCast, {numbers}, {condition}));
    g.add_op(op(2, op::kind::Where, {condition, one, zero}, {output}));
    g.finalize();
    const std::vector<partition> parts = g.get_partitions();
    ASSERT_EQ(parts.size(), 1u);
    const auto compiled = parts[0].compile({numbers, one, zero}, {output}, cpu());
    const float from[] = {0, -0.0F, 0.3F, 256, -1, nan_value};
    const std::int32_t x = 1, y = 0;
    std::vector<std::int32_t> found(6, -1);
    const void *in[] = {from, &x, &y};
    void *out = found.data();
    compiled.execute(stream(cpu()), in, &out);
    EXPECT_EQ(found, (std::vector<std::int32_t>{0, 0, 1, 1, 1, 1}));
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
