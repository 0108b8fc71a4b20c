// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

#include "select_graph.hpp"

using namespace select_graph;

namespace {

mistake where_shapes(const dims &condition, const dims &x, const dims &y,
        const std::vector<std::string> &words) {
    return {status::invalid_shape,
            [=] {
                where_partition({dense(cond_id, data_type::boolean, condition),
                                        dense(src_0_id, data_type::f32, x),
                                        dense(src_1_id, data_type::f32, y)},
                        logical_tensor(dst_id, data_type::f32));
            },
            words};
}

TEST(where, B01_condition_widens_the_output) {
    select_case<float> c{data_type::f32, {{3, 1}, {1, 0, 1}}, {{2}, {1, 2}}, {{2}, {10, 20}}};
    auto result = run_where(c);
    EXPECT_EQ(result.shape, (dims{3, 2}));
    EXPECT_EQ(result.memory, (std::vector<float>{1, 2, 10, 20, 1, 2}));
}

TEST(where, B02_condition_of_length_one) {
    select_case<std::int64_t> c{data_type::s64, {{1}, {1}}, {{2}, {2, 3}}, {{2}, {4, 5}}};
    EXPECT_EQ(run_where(c).memory, (std::vector<std::int64_t>{2, 3}));
    c.cond = {{2}, {1, 0}};
    EXPECT_EQ(run_where(c).memory, (std::vector<std::int64_t>{2, 5}));
}

TEST(where, B07_all_three_broadcast) {
    select_case<float> c{data_type::f32, {{2, 1, 1}, {1, 0}}, {{1, 2}, {1, 2}}, {{2, 1}, {3, 4}}};
    auto result = run_where(c);
    EXPECT_EQ(result.shape, (dims{2, 2, 2}));
    EXPECT_EQ(result.memory, (std::vector<float>{1, 2, 1, 2, 3, 3, 4, 4}));
}

TEST(where, B08_condition_lines_up_with_the_last_axis) {
    expect_errors({where_shapes(
            {2}, {2, 3}, {2, 3}, {"Where (op 7)", "condition 2", "axis 1", "2 against 3"})});
    std::vector<float> xs(6, 0.1F), ys(6, 0.2F);
    select_case<float> c{data_type::f32, {{2, 1}, {0, 1}}, {{2, 3}, xs}, {{2, 3}, ys}};
    EXPECT_EQ(run_where(c).memory, (std::vector<float>{0.2F, 0.2F, 0.2F, 0.1F, 0.1F, 0.1F}));
}

TEST(where, B10_scalars) {
    select_case<float> c{data_type::f32, {{3}, {1, 0, 1}}, {{}, {5}}, {{}, {6}}};
    auto result = run_where(c);
    EXPECT_EQ(result.shape, (dims{3}));
    EXPECT_EQ(result.memory, (std::vector<float>{5, 6, 5}));
    c.cond = {{}, {0}};
    result = run_where(c);
    EXPECT_EQ(result.shape, dims{});
    EXPECT_EQ(result.memory, std::vector<float>{6});
}

TEST(where, B22_errors_name_axis_and_sizes) {
    expect_errors({
            where_shapes(
                    {15}, {64}, {64}, {"Where (op 7)", "condition 15", "axis 0", "15 against 64"}),
            where_shapes({1}, {52, 1, 33, 1}, {2, 52, 33, 1},
                    {"X 52x1x33x1", "Y 2x52x33x1", "axis 0", "52 against 2"}),
            where_shapes({4, 2}, {2, 1, 3}, {3},
                    {"condition 4x2", "X with Y 2x1x3", "axis 2 (of 3)", "2 against 3"}),
    });
}

TEST(where, output_given_with_another_shape) {
    expect_errors({{status::invalid_shape,
            [] {
                where_partition({dense(cond_id, data_type::boolean, {2, 1}),
                                        dense(src_0_id, data_type::f32, {3}),
                                        dense(src_1_id, data_type::f32, {})},
                        dense(dst_id, data_type::f32, {2, 4}));
            },
            {"Where (op 7)", "output", "2x4", "2x3", "axis 1"}}});
}

TEST(where, types_and_ports) {
    auto make = [](data_type condition, data_type x, data_type y) {
        return [=] {
            where_partition({dense(cond_id, condition, {2}), dense(src_0_id, x, {2}),
                                    dense(src_1_id, y, {2})},
                    logical_tensor(dst_id, x));
        };
    };
    expect_errors({
            {status::invalid_graph_op, make(data_type::u8, data_type::f32, data_type::f32),
                    {"Where (op 7)", "condition", "u8"}},
            {status::invalid_graph_op, make(data_type::boolean, data_type::f32, data_type::f16),
                    {"Where (op 7)", "Y", "f16"}},
            {status::invalid_graph_op, make(data_type::boolean, data_type::s4, data_type::s4),
                    {"Where (op 7)", "s4"}},
            {status::invalid_graph_op,
                    [] {
                        op only(7, op::kind::Where, {dense(1, data_type::boolean, {2})},
                                {logical_tensor(4, data_type::f32)});
                        one_op_partition(only);
                    },
                    {"Where (op 7)", "3"}},
            {status::invalid_graph_op,
                    [] {
                        op only(7, op::kind::Where,
                                {dense(1, data_type::boolean, {2}), dense(2, data_type::f32, {2}),
                                        dense(3, data_type::f32, {2})},
                                {logical_tensor(4, data_type::f32)});
                        only.set_attr<std::string>(op::attr::auto_broadcast, "numpy");
                        one_op_partition(only);
                    },
                    {"Where (op 7)", "auto_broadcast"}},
    });
}

TEST(where, bits_of_the_chosen_side_only) {
    float nan = std::numeric_limits<float>::quiet_NaN();
    float infinity = std::numeric_limits<float>::infinity();
    select_case<float> c{data_type::f32, {{6}, {1, 0, 1, 0, 1, 0}},
            {{6}, {-0.0F, nan, 1e-45F, infinity, nan, 7}}, {{6}, {nan, -0.0F, 5, -1e-45F, 1, nan}}};
    std::vector<float> expected = {-0.0F, -0.0F, 1e-45F, -1e-45F, nan, nan};
    EXPECT_TRUE(same_bits(run_where(c).memory, expected));
}

TEST(where, refusals_name_its_own_ports) {
    logical_tensors inputs = {dense(cond_id, data_type::boolean, {2, 3}),
            dense(src_0_id, data_type::f32, {3}), dense(src_1_id, data_type::f32, {2, 3})};
    logical_tensor output = dense(dst_id, data_type::f32, {2, 3});
    partition part = where_partition(inputs, output);
    tern::graph::compile_options options;
    options.implementation = "onednn";
    error e = error_of([&] { part.compile(inputs, {output}, cpu(), options); });
    EXPECT_EQ(e.status, status::unimplemented);
    std::string message = e.message;
    bool has_onednn = message.find("built without oneDNN") == std::string::npos;
    EXPECT_TRUE(!has_onednn || message.find("X is broadcast") != std::string::npos) << message;
}

TEST(where, unknown_dims_are_found_at_compile) {
    constexpr std::int64_t open = TERN_GRAPH_UNKNOWN_DIM;
    auto x = [](const dims &shape) { return dense(src_0_id, data_type::f32, shape); };
    logical_tensor condition = dense(cond_id, data_type::boolean, {4, 1});
    logical_tensor y = dense(src_1_id, data_type::f32, {});
    logical_tensor output(dst_id, data_type::f32);
    partition part = where_partition(
            {condition, logical_tensor(src_0_id, data_type::f32, {open}, layout_type::strided), y},
            output);
    EXPECT_EQ(part.get_output_ports().at(0).get_dims(), (dims{4, open}));
    logical_tensor any(dst_id, data_type::f32, layout_type::any);
    auto compiled = part.compile({condition, x({3}), y}, {any}, cpu());
    EXPECT_EQ(compiled.query_logical_tensor(dst_id).get_dims(), (dims{4, 3}));
    compiled = part.compile({condition, x({0}), y}, {any}, cpu());
    EXPECT_EQ(compiled.query_logical_tensor(dst_id).get_dims(), (dims{4, 0}));
}

TEST(where, in_place) {
    // X has output's shape, condition is expanded; then X is, and Y serves.
    for (bool over_x : {true, false}) {
        dims x_shape = over_x ? dims{2, 3} : dims{3};
        logical_tensors inputs = {dense(cond_id, data_type::boolean, {2, 1}),
                dense(src_0_id, data_type::s32, x_shape), dense(src_1_id, data_type::s32, {2, 3})};
        logical_tensor output = dense(dst_id, data_type::s32, {2, 3});
        for (const auto &compiled :
                compile_all(where_partition(inputs, output), inputs, {output})) {
            using pairs = std::vector<std::pair<std::size_t, std::size_t>>;
            EXPECT_EQ(
                    compiled.get_inplace_ports(), (pairs{{over_x ? src_0_id : src_1_id, dst_id}}));
            std::uint8_t condition[] = {0, 1};
            std::vector<std::int32_t> x = {1, 2, 3, 4, 5, 6}, y = {10, 20, 30, 40, 50, 60};
            const void *in[] = {condition, x.data(), y.data()};
            void *out = over_x ? x.data() : y.data();
            compiled.execute(stream(cpu()), in, &out);
            std::vector<std::int32_t> expected = {
                    10, 20, 30, over_x ? 4 : 1, over_x ? 5 : 2, over_x ? 6 : 3};
            EXPECT_EQ(over_x ? x : y, expected) << compiled.get_implementation();
        }
    }
}

/// Element of an operand that an element of the result is made of, by NumPy's rule.
std::size_t source_of(const dims &shape, const dims &result, std::size_t element) {
    std::size_t at = 0;
    std::size_t pitch = 1;
    for (std::size_t i = 1; i <= result.size(); ++i) {
        auto extent = static_cast<std::size_t>(result[result.size() - i]);
        std::size_t index = element % extent;
        element /= extent;
        if (i > shape.size()) continue;
        auto own = static_cast<std::size_t>(shape[shape.size() - i]);
        if (own != 1) at += index * pitch;
        pitch *= own;
    }
    return at;
}

// Ranks 0 to 4 of each operand, dims 0, 1 and some; against NumPy's rule, element by element.
TEST(where, random_shapes) {
    std::minstd_rand random(3);
    for (int round = 0; round < 400; ++round) {
        dims full(random() % 5);
        for (auto &extent : full) {
            const std::int64_t extents[] = {0, 1, 2, 3, 7, 70};
            extent = extents[1 + random() % 5 - (random() % 20 == 0)];
        }
        auto part_of_full = [&] {
            dims shape(full.begin() + static_cast<std::ptrdiff_t>(random() % (full.size() + 1)),
                    full.end());
            for (auto &extent : shape)
                if (random() % 3 == 0) extent = 1;
            return shape;
        };
        auto count = [](const dims &shape) {
            return static_cast<std::size_t>(std::accumulate(
                    shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()));
        };
        select_case<std::int16_t> c{
                data_type::s16, {part_of_full(), {}}, {part_of_full(), {}}, {part_of_full(), {}}};
        for (std::size_t i = 0; i < count(c.cond.shape); ++i)
            c.cond.memory.push_back(static_cast<std::uint8_t>(random() % 2));
        for (auto *operand : {&c.src_0, &c.src_1})
            for (std::size_t i = 0; i < count(operand->shape); ++i)
                operand->memory.push_back(static_cast<std::int16_t>(random()));

        dims expected_shape;
        for (std::size_t i =
                        std::max({c.cond.shape.size(), c.src_0.shape.size(), c.src_1.shape.size()});
                i > 0; --i) {
            std::int64_t extent = 1;
            for (const dims *shape : {&c.cond.shape, &c.src_0.shape, &c.src_1.shape})
                if (i <= shape->size() && (*shape)[shape->size() - i] != 1)
                    extent = (*shape)[shape->size() - i];
            expected_shape.push_back(extent);
        }
        std::vector<std::int16_t> expected;
        for (std::size_t i = 0; i < count(expected_shape); ++i) {
            bool chosen = c.cond.memory[source_of(c.cond.shape, expected_shape, i)] != 0;
            const auto &source = chosen ? c.src_0 : c.src_1;
            expected.push_back(source.memory[source_of(source.shape, expected_shape, i)]);
        }
        auto result = run_where(c);
        ASSERT_EQ(result.shape, expected_shape);
        ASSERT_EQ(result.memory, expected);
    }
}

} // namespace
