// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "select_graph.hpp"

using namespace select_graph;

namespace {

/// 0, 1, 2, ...
template <typename T>
std::vector<T> counting(std::size_t n) {
    std::vector<T> values(n);
    std::iota(values.begin(), values.end(), T(0));
    return values;
}

status infer_status(const dims &cond, const dims &src_0, const dims &src_1,
        const std::string &auto_broadcast = "numpy") {
    return error_of([&] {
        select_partition(
                {dense(cond_id, data_type::boolean, cond), dense(src_0_id, data_type::f32, src_0),
                        dense(src_1_id, data_type::f32, src_1)},
                logical_tensor(dst_id, data_type::f32), auto_broadcast);
    }).status;
}

TEST(select_broadcast, B01_cond_does_not_widen_dst) {
    EXPECT_EQ(infer_status({3, 1}, {2}, {2}), status::invalid_shape);
}

TEST(select_broadcast, B04_zero_against_one) {
    select_case<float> c{data_type::f32, {{1, 1, 1}, {1}}, {{2, 0, 4}, {}},
            {{2, 1, 4}, {1, 2, 3, 4, 5, 6, 7, 8}}};
    auto result = run_select(c);
    EXPECT_EQ(result.shape, (dims{2, 0, 4}));
    EXPECT_TRUE(result.memory.empty());
}

TEST(select_broadcast, B07_cond_of_higher_rank) {
    EXPECT_EQ(infer_status({2, 1, 1}, {1, 2}, {2, 1}), status::invalid_shape);
}

TEST(select_broadcast, B08_cond_lines_up_with_the_last_axis) {
    EXPECT_EQ(infer_status({2}, {2, 3}, {2, 3}), status::invalid_shape);
    select_case<double> c{data_type::f64, {{2, 1}, {0, 1}},
            {{2, 3}, {0.1, 0.1, 0.1, 0.1, 0.1, 0.1}}, {{2, 3}, {0.2, 0.2, 0.2, 0.2, 0.2, 0.2}}};
    EXPECT_EQ(run_select(c).memory, (std::vector<double>{0.2, 0.2, 0.2, 0.1, 0.1, 0.1}));
}

TEST(select_broadcast, B10_scalar_sources) {
    // cond never widens dst, so one source has to have dst's shape.
    EXPECT_EQ(infer_status({3}, {}, {}), status::invalid_shape);
    select_case<float> c{data_type::f32, {{3}, {1, 0, 1}}, {{}, {5}}, {{3}, {6, 7, 8}}};
    EXPECT_EQ(run_select(c).memory, (std::vector<float>{5, 7, 5}));
    c = {data_type::f32, {{}, {0}}, {{}, {5}}, {{}, {6}}};
    auto scalar = run_select(c);
    EXPECT_EQ(scalar.shape, dims{});
    EXPECT_EQ(scalar.memory, std::vector<float>{6});
}

TEST(select_broadcast, B11_operands_of_different_rank) {
    select_case<std::int32_t> c{
            data_type::s32, {{3}, {1, 0, 1}}, {{2, 1, 3}, {1, 2, 3, 4, 5, 6}}, {{1}, {-1}}};
    auto result = run_select(c);
    EXPECT_EQ(result.shape, (dims{2, 1, 3}));
    EXPECT_EQ(result.memory, (std::vector<std::int32_t>{1, -1, 3, 4, -1, 6}));
}

TEST(select_broadcast, B13_cond_matches_dst_not_src_0) {
    select_case<float> c{data_type::f32, {{2, 1, 1, 4}, {1, 0, 0, 0, 1, 1, 1, 1}}, {{1}, {-1}},
            {{2, 3, 4, 4}, std::vector<float>(96, 0)}};
    auto result = run_select(c);
    ASSERT_EQ(result.memory.size(), 96u);
    for (std::size_t i = 0; i < 96; ++i)
        EXPECT_EQ(result.memory[i], i >= 48 || i % 4 == 0 ? -1 : 0) << i;
}

TEST(select_broadcast, B17_cond_of_size_one_along_rows) {
    select_case<std::int32_t> c{data_type::s32, {{2, 1}, {1, 0}}, {{2, 3}, {1, 2, 3, 4, 5, 6}},
            {{2, 3}, {10, 20, 30, 40, 50, 60}}};
    EXPECT_EQ(run_select(c).memory, (std::vector<std::int32_t>{1, 2, 3, 40, 50, 60}));
}

TEST(select_broadcast, B19_one_cond_and_every_tail_length) {
    for (std::size_t n = 1; n <= 70; ++n) {
        auto shape = static_cast<std::int64_t>(n);
        select_case<float> c{data_type::f32, {{1}, {0}}, {{shape}, counting<float>(n)}, {{}, {-1}}};
        EXPECT_EQ(run_select(c).memory, std::vector<float>(n, -1)) << n;
        c.cond.memory = {1};
        EXPECT_EQ(run_select(c).memory, counting<float>(n)) << n;
    }
}

TEST(select_broadcast, B20_either_source_may_widen) {
    select_case<float> c{data_type::f32, {{1}, {1}}, {{1}, {7}}, {{2, 3}, {1, 2, 3, 4, 5, 6}}};
    EXPECT_EQ(run_select(c).memory, std::vector<float>(6, 7));
    std::swap(c.src_0, c.src_1);
    EXPECT_EQ(run_select(c).memory, (std::vector<float>{1, 2, 3, 4, 5, 6}));
    c = {data_type::f32, {{3}, {1, 0, 1}}, {{2, 1}, {1, 2}}, {{1, 3}, {10, 20, 30}}};
    auto both = run_select(c);
    EXPECT_EQ(both.shape, (dims{2, 3}));
    EXPECT_EQ(both.memory, (std::vector<float>{1, 20, 1, 2, 20, 2}));
    EXPECT_EQ(infer_status({1}, {2, 3}, {3, 2}), status::invalid_shape);
}

TEST(select_broadcast, B23_leading_ones) {
    select_case<float> c{data_type::f32, {{5}, {1, 0, 1, 0, 1}}, {{1, 1, 5}, {1, 2, 3, 4, 5}},
            {{5}, {6, 7, 8, 9, 10}}};
    auto result = run_select(c);
    EXPECT_EQ(result.shape, (dims{1, 1, 5}));
    EXPECT_EQ(result.memory, (std::vector<float>{1, 7, 3, 9, 5}));
}

TEST(select_broadcast, B28_strided_input) {
    select_case<float> c{data_type::f32, {{2, 3}, {1, 0, 1, 0, 1, 0}},
            {{2, 3}, {1, 2, 3, 4, 5, 6}, {1, 2}}, {{1}, {0}}};
    EXPECT_EQ(run_select(c).memory, (std::vector<float>{1, 0, 5, 0, 4, 0}));
}

TEST(select_broadcast, B28_padding_of_a_strided_output_stays) {
    const auto gap = filler<std::int32_t>();
    select_case<std::int32_t> c{data_type::s32, {{2, 3}, {1, 0, 1, 0, 1, 0}},
            {{2, 3}, {1, 2, 3, 4, 5, 6}}, {{2, 3}, {10, 20, 30, 40, 50, 60}}};
    c.dst_strides = {5, 1};
    EXPECT_EQ(run_select(c).memory, (std::vector<std::int32_t>{1, 20, 3, gap, gap, 40, 5, 60}));
    c.dst_strides = {7, 2};
    EXPECT_EQ(run_select(c).memory,
            (std::vector<std::int32_t>{1, gap, 20, gap, 3, gap, gap, 40, gap, 5, gap, 60}));
    c.dst_strides = {1, 2}; // columns first
    EXPECT_EQ(run_select(c).memory, (std::vector<std::int32_t>{1, 40, 20, 5, 3, 60}));
}

TEST(select_broadcast, B28_everything_strided_every_lane_size) {
    auto check = [](auto zero, data_type type) {
        using T = decltype(zero);
        const auto gap = filler<T>();
        select_case<T> c{type, {{2, 2}, {1, 9, 0, 9, 0, 9, 1}, {4, 2}},
                {{2, 2}, {T(1), T(9), T(2), T(3), T(9), T(4)}, {3, 2}},
                {{2, 1}, {T(5), T(9), T(6)}, {2, 1}}};
        c.dst_strides = {4, 3};
        EXPECT_EQ(
                run_select(c).memory, (std::vector<T>{T(1), gap, gap, T(5), T(6), gap, gap, T(4)}));
    };
    check(std::uint8_t{}, data_type::u8);
    check(std::int16_t{}, data_type::s16);
    check(std::int32_t{}, data_type::s32);
    check(std::int64_t{}, data_type::s64);
}

TEST(select_broadcast, B29_strides_of_size_one_dims_do_not_matter) {
    select_case<float> c{data_type::f32, {{4, 4}, {1, 0, 1, 0, 0, 1, 0, 1, 1, 1, 0, 0, 0, 0, 1, 1}},
            {{1, 4, 4}, counting<float>(16)}, {{1, 4, 4}, std::vector<float>(16, -1)}};
    auto expected = run_select(c);
    c.src_0.strides = {4, 4, 1};
    c.src_1.strides = {16, 4, 1};
    c.dst_strides = {999, 4, 1};
    auto found = run_select(c);
    EXPECT_EQ(found.shape, expected.shape);
    EXPECT_EQ(found.memory, expected.memory);
}

TEST(select_broadcast, inputs_with_stride_0) {
    select_case<std::int32_t> c{data_type::s32, {{2, 3}, {1, 0}, {1, 0}}, {{2, 3}, {7}, {0, 0}},
            {{2, 3}, {1, 2, 3}, {0, 1}}};
    EXPECT_EQ(run_select(c).memory, (std::vector<std::int32_t>{7, 7, 7, 1, 2, 3}));
}

TEST(select_broadcast, auto_broadcast_none) {
    select_case<float> c{
            data_type::f32, {{2, 2}, {1, 0, 0, 1}}, {{2, 2}, {1, 2, 3, 4}}, {{2, 2}, {5, 6, 7, 8}}};
    c.auto_broadcast = "none";
    EXPECT_EQ(run_select(c).memory, (std::vector<float>{1, 6, 7, 4}));
    EXPECT_EQ(infer_status({2, 2}, {2, 2}, {1}, "none"), status::invalid_shape);
    EXPECT_EQ(infer_status({2, 2}, {2, 2}, {2, 1}, "none"), status::invalid_shape);
    EXPECT_EQ(infer_status({1, 2}, {2, 2}, {2, 2}, "none"), status::invalid_shape);
    EXPECT_EQ(infer_status({}, {2, 2}, {2, 2}, "none"), status::invalid_shape);
}

/// Ranks 0 to 12, all dims 2 for the inner eight axes and 1 outside of them; every operand lacks a
/// different number of leading axes.
TEST(select_broadcast, all_ranks) {
    for (std::size_t rank = 0; rank <= TERN_MAX_NDIMS; ++rank) {
        dims shape(rank, 1);
        for (std::size_t axis = rank < 8 ? 0 : rank - 8; axis < rank; ++axis)
            shape[axis] = 2;
        dims inner(shape.end() - static_cast<std::ptrdiff_t>(rank / 2), shape.end());
        std::size_t n = std::size_t{1} << (rank < 8 ? rank : 8);
        std::size_t inner_n = std::size_t{1} << (rank / 2);
        select_case<std::int32_t> c{
                data_type::s32, {inner, {}}, {shape, counting<std::int32_t>(n)}, {{}, {-1}}};
        for (std::size_t i = 0; i < inner_n; ++i)
            c.cond.memory.push_back(i % 3 == 0);
        auto result = run_select(c);
        ASSERT_EQ(result.shape, shape);
        for (std::size_t i = 0; i < n; ++i)
            ASSERT_EQ(result.memory[i], (i % inner_n) % 3 == 0 ? static_cast<std::int32_t>(i) : -1)
                    << "rank " << rank << " element " << i;
    }
}

TEST(select_broadcast, empty_tensors) {
    for (const dims &shape :
            {dims{0}, dims{0, 3}, dims{2, 0, 3}, dims{4294967296, 4294967296, 0}}) {
        select_case<float> c{data_type::f32, {{1}, {1}}, {shape, {}}, {{}, {1}}};
        c.cond.shape.clear();
        auto result = run_select(c);
        EXPECT_EQ(result.shape, shape);
        EXPECT_TRUE(result.memory.empty());
    }
}

} // namespace
