// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <limits>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/element.hpp"
#include "base/shape.hpp"
#include "driver/fill.hpp"
#include "driver/roles.hpp"
#include "formats/json/graph_file.hpp"

namespace tern::driver {
namespace {

using testing::ElementsAre;

constexpr double infinity = std::numeric_limits<double>::infinity();

ir::port tensor(std::size_t id, data_type type, dims shape) {
    ir::port port;
    port.id = id;
    port.desc.type = type;
    port.desc.layout = layout_type::strided;
    port.desc.rank_known = true;
    port.desc.shape = shape;
    port.desc.strides = *dense_strides(shape);
    return port;
}

ir::port f32(std::size_t id, dims shape) {
    return tensor(id, data_type::f32, shape);
}

class graph_maker {
public:
    ir::op_spec &op(
            std::string_view kind, std::vector<ir::port> inputs, std::vector<ir::port> outputs) {
        ir::op_spec op;
        op.id = ops_.size();
        op.kind = *formats::op_kind_from_name(kind);
        op.inputs = std::move(inputs);
        op.outputs = std::move(outputs);
        ops_.push_back(std::move(op));
        return ops_.back();
    }
    std::map<std::size_t, input_role> roles() const { return input_roles(ops_); }

private:
    std::vector<ir::op_spec> ops_;
};

const dims scores = {2, 4, 8, 16};

/// MatMul, Multiply, Select, SoftMax: 0 and 1 queries and keys, 2 the scale, 3 the condition, 4 the
/// fill.
graph_maker attention(dims condition, bool scores_first = true) {
    graph_maker graph;
    graph.op("MatMul", {f32(0, {2, 4, 8, 64}), f32(1, {2, 4, 64, 16})}, {f32(10, scores)});
    graph.op("Multiply", {f32(10, scores), f32(2, {1})}, {f32(11, scores)});
    ir::port cond = tensor(3, data_type::boolean, condition);
    if (scores_first)
        graph.op("Select", {cond, f32(11, scores), f32(4, {})}, {f32(12, scores)});
    else
        graph.op("Select", {cond, f32(4, {}), f32(11, scores)}, {f32(12, scores)});
    graph.op("SoftMax", {f32(12, scores)}, {f32(13, scores)})
            .attrs.emplace_back(op_attr::axis, std::int64_t{3});
    return graph;
}

buffer filled(const ir::port &port, const input_role &role, double masked_rows = 0) {
    buffer memory(port.desc);
    fill_for_comparison(memory, port.id, role, 0, masked_rows);
    return memory;
}

double value_at(const buffer &memory, std::size_t element) {
    const data_type type = memory.desc().type;
    return load_f64(type, memory.data() + element * bytes_of(type));
}

TEST(driver_roles, masks_before_softmax) {
    for (bool scores_first : {true, false}) {
        std::map<std::size_t, input_role> roles = attention({1, 1, 8, 16}, scores_first).roles();
        EXPECT_EQ(roles.at(4).kind, value_kind::one_of);
        EXPECT_THAT(roles.at(4).choices, ElementsAre(-infinity));
        EXPECT_EQ(roles.at(3).row_axis, -1);
        EXPECT_EQ(roles.at(3).keeps, scores_first);
        EXPECT_FALSE(roles.at(3).keeps_first);
        EXPECT_THAT(roles.at(2).choices, ElementsAre(0.25, 0.5));
    }
}

TEST(driver_roles, masks_keep_an_element_of_each_row) {
    for (dims shape : {dims{2, 4, 8, 16}, dims{1, 1, 1, 16}, dims{8, 1}}) {
        for (bool scores_first : {true, false}) {
            input_role role = attention(shape, scores_first).roles().at(3);
            ir::port port = tensor(3, data_type::boolean, shape);
            buffer mask = filled(port, role);
            const auto length = static_cast<std::size_t>(shape[shape.rank() - 1]);
            std::size_t others = 0;
            for (std::size_t row = 0; row < mask.bytes(); row += length) {
                std::size_t kept = 0;
                for (std::size_t i = row; i < row + length; ++i)
                    kept += (mask.data()[i] != std::byte{0}) == scores_first ? 1 : 0;
                EXPECT_GE(kept, 1u);
                others += length - kept;
            }
            if (length > 1) {
                EXPECT_GT(others, mask.bytes() / 4);
            }
        }
    }
}

TEST(driver_roles, rows_can_be_masked_entirely) {
    const dims shape = {64, 64, 16};
    input_role role = attention(shape).roles().at(3);
    buffer mask = filled(tensor(3, data_type::boolean, shape), role, 0.25);
    int masked = 0;
    for (std::size_t row = 0; row < mask.bytes(); row += 16) {
        bool any = false;
        for (std::size_t i = row; i < row + 16; ++i)
            any = any || mask.data()[i] != std::byte{0};
        masked += any ? 0 : 1;
    }
    EXPECT_NEAR(masked, 1024, 150);
}

TEST(driver_roles, masks_are_seen_through_arithmetic_and_add_up) {
    graph_maker graph;
    graph.op("MatMul", {f32(0, {2, 4, 8, 64}), f32(1, {2, 4, 64, 16})}, {f32(10, scores)});
    graph.op("Select", {tensor(3, data_type::boolean, {1, 1, 8, 16}), f32(10, scores), f32(4, {})},
            {f32(11, scores)});
    graph.op("Divide", {f32(11, scores), f32(2, {})}, {f32(12, scores)});
    graph.op("Add", {f32(12, scores), f32(5, {1, 1, 1, 16})}, {f32(13, scores)});
    graph.op("SoftMax", {f32(13, scores)}, {f32(14, scores)})
            .attrs.emplace_back(op_attr::axis, std::int64_t{-1});
    std::map<std::size_t, input_role> roles = graph.roles();
    EXPECT_THAT(roles.at(4).choices, ElementsAre(-infinity));
    EXPECT_THAT(roles.at(2).choices, ElementsAre(2, 4, 8));
    EXPECT_TRUE(roles.at(3).keeps_first);
    ASSERT_EQ(roles.at(5).kind, value_kind::additive_mask);
    buffer padding = filled(f32(5, {1, 1, 1, 16}), roles.at(5));
    for (std::size_t key = 0; key < 16; ++key)
        EXPECT_EQ(value_at(padding, key), key < 12 ? 0 : -infinity) << key;
    buffer causal = filled(f32(5, {8, 16}), roles.at(5));
    for (std::size_t i = 0; i < 8 * 16; ++i)
        EXPECT_EQ(value_at(causal, i), i % 16 <= i / 16 ? 0 : -infinity) << i;
}

TEST(driver_roles, no_mask_without_a_softmax) {
    graph_maker graph;
    graph.op("MatMul", {f32(0, {8, 64}), f32(1, {64, 16})}, {f32(10, {8, 16})});
    graph.op("Select", {tensor(3, data_type::boolean, {16}), f32(4, {1}), f32(10, {8, 16})},
            {f32(11, {8, 16})});
    std::map<std::size_t, input_role> roles = graph.roles();
    EXPECT_EQ(roles.at(4).kind, value_kind::numbers);
    EXPECT_EQ(roles.at(3).row_axis, 0);
    EXPECT_EQ(attention({16}).roles().at(0).kind, value_kind::multiples);
}

TEST(driver_roles, products_of_operands_add_up_exactly) {
    for (std::int64_t terms : {4, 64, 256, 2048}) {
        for (data_type type : {data_type::f32, data_type::bf16, data_type::f16}) {
            graph_maker graph;
            ir::port a = tensor(0, type, {8, terms});
            ir::port b = tensor(1, type, {terms, 16});
            graph.op("MatMul", {a, b}, {tensor(2, data_type::f32, {8, 16})});
            std::map<std::size_t, input_role> roles = graph.roles();
            const input_role &left = roles.at(0);
            ASSERT_EQ(left.kind, value_kind::multiples);
            EXPECT_LE(left.most * roles.at(1).most * static_cast<double>(terms), 0x1p24);
            // Not trivial: 0 is one of many values, and each is a number of the type.
            EXPECT_GE(left.most, 2);
            buffer memory = filled(a, left);
            std::set<double> values;
            for (std::size_t i = 0; i < static_cast<std::size_t>(8 * terms); ++i) {
                double value = value_at(memory, i);
                EXPECT_EQ(value / left.step, std::trunc(value / left.step));
                values.insert(value);
            }
            EXPECT_GE(values.size(), 4u);
        }
    }
}

TEST(driver_roles, bottom_right_masks_know_their_sizes) {
    graph_maker graph;
    auto index = [](std::size_t id) { return tensor(id, data_type::s32, scores); };
    graph.op("GenIndex", {f32(0, scores)}, {index(10)});
    graph.op("GenIndex", {f32(0, scores)}, {index(11)});
    graph.op("Add", {index(10), tensor(1, data_type::s32, {})}, {index(12)});
    graph.op("Subtract", {index(12), tensor(2, data_type::s32, {})}, {index(13)});
    graph.op("GreaterEqual", {index(13), index(11)}, {tensor(14, data_type::boolean, scores)});
    std::map<std::size_t, input_role> roles = graph.roles();
    EXPECT_THAT(roles.at(1).choices, ElementsAre(16));
    EXPECT_THAT(roles.at(2).choices, ElementsAre(8));
}

TEST(driver_roles, statistics_before_exp) {
    graph_maker graph;
    const dims rows = {2, 4, 8, 1};
    graph.op("MatMul", {f32(0, {2, 4, 8, 64}), f32(1, {2, 4, 64, 16})}, {f32(10, scores)});
    graph.op("Select", {tensor(3, data_type::boolean, scores), f32(10, scores), f32(4, {})},
            {f32(11, scores)});
    graph.op("Subtract", {f32(11, scores), f32(5, rows)}, {f32(12, scores)});
    graph.op("Exp", {f32(12, scores)}, {f32(13, scores)});
    std::map<std::size_t, input_role> roles = graph.roles();
    EXPECT_THAT(roles.at(4).choices, ElementsAre(-infinity));
    ASSERT_EQ(roles.at(5).kind, value_kind::statistics);
    buffer memory = filled(f32(5, rows), roles.at(5));
    EXPECT_NEAR(value_at(memory, 0), 0.5, 1e-6);
    EXPECT_NEAR(value_at(memory, 7), std::log(8.0) + 0.5, 1e-6);
    EXPECT_NEAR(value_at(memory, 8), 0.5, 1e-6);
}

TEST(driver_roles, a_mask_before_statistics_is_one_before_an_exp) {
    const dims rows = {2, 4, 8, 1};
    for (bool has_statistics : {false, true}) {
        graph_maker graph;
        graph.op("MatMul", {f32(0, {2, 4, 8, 64}), f32(1, {2, 4, 64, 16})}, {f32(10, scores)});
        graph.op("Add", {f32(10, scores), f32(6, scores)}, {f32(11, scores)});
        graph.op("Subtract", {f32(11, scores), f32(5, has_statistics ? rows : scores)},
                {f32(12, scores)});
        graph.op("Exp", {f32(12, scores)}, {f32(13, scores)});
        const std::map<std::size_t, input_role> roles = graph.roles();
        EXPECT_EQ(
                roles.at(6).kind, has_statistics ? value_kind::additive_mask : value_kind::numbers);
        EXPECT_EQ(roles.at(6).row_axis, has_statistics ? -1 : 0);
    }
}

TEST(driver_roles, products_that_are_summed_up_add_up_exactly) {
    graph_maker graph;
    graph.op("Multiply", {f32(0, {8, 64}), f32(1, {8, 64})}, {f32(10, {8, 64})});
    graph.op("ReduceSum", {f32(10, {8, 64})}, {f32(11, {8, 1})})
            .attrs.emplace_back(op_attr::axes, std::vector<std::int64_t>{1});
    graph.op("Multiply", {f32(2, {8, 64}), f32(3, {8, 64})}, {f32(12, {8, 64})});
    const std::map<std::size_t, input_role> roles = graph.roles();
    double most = 64;
    for (std::size_t id : {0U, 1U}) {
        ASSERT_EQ(roles.at(id).kind, value_kind::multiples);
        most *= roles.at(id).most;
    }
    EXPECT_LE(most, 0x1p24);
    for (std::size_t id : {2U, 3U})
        EXPECT_EQ(roles.at(id).kind, value_kind::numbers);
}

TEST(driver_roles, quantized_values_lie_around_the_zero_point) {
    graph_maker graph;
    ir::op_spec &dequantize =
            graph.op("Dequantize", {tensor(0, data_type::u8, {8, 64})}, {f32(10, {8, 64})});
    dequantize.attrs.emplace_back(op_attr::scales, std::vector<float>{0.125f});
    dequantize.attrs.emplace_back(op_attr::zps, std::vector<std::int64_t>{127});
    graph.op("TypeCast", {f32(10, {8, 64})}, {tensor(11, data_type::bf16, {8, 64})});
    graph.op("MatMul", {tensor(11, data_type::bf16, {8, 64}), tensor(1, data_type::bf16, {64, 4})},
            {tensor(12, data_type::bf16, {8, 4})});
    std::map<std::size_t, input_role> roles = graph.roles();
    EXPECT_EQ(roles.at(0).least + roles.at(0).most, 2 * 127);
    EXPECT_GE(roles.at(0).most - 127, 4);
    EXPECT_LE(roles.at(0).most - 127, 32);
}

TEST(driver_roles, domains_of_functions) {
    graph_maker graph;
    graph.op("Log", {f32(0, {100})}, {f32(10, {100})});
    graph.op("Divide", {f32(10, {100}), f32(1, {100})}, {f32(11, {100})});
    std::map<std::size_t, input_role> roles = graph.roles();
    buffer positive = filled(f32(0, {100}), roles.at(0));
    buffer divisor = filled(f32(1, {100}), roles.at(1));
    for (std::size_t i = 0; i < 100; ++i) {
        EXPECT_GT(value_at(positive, i), 0);
        EXPECT_GE(std::abs(value_at(divisor, i)), 0.25);
    }
}

TEST(driver_roles, special_numbers_where_nothing_adds_up) {
    graph_maker graph;
    graph.op("Multiply", {f32(0, {5000}), f32(1, {5000})}, {f32(10, {5000})});
    buffer memory = filled(f32(0, {5000}), graph.roles().at(0));
    int nans = 0;
    int infinities = 0;
    for (std::size_t i = 0; i < 5000; ++i) {
        nans += std::isnan(value_at(memory, i)) ? 1 : 0;
        infinities += std::isinf(value_at(memory, i)) ? 1 : 0;
    }
    EXPECT_GT(nans, 0);
    EXPECT_GT(infinities, 0);
    graph.op("Exp", {f32(10, {5000})}, {f32(11, {5000})});
    EXPECT_FALSE(graph.roles().at(0).specials);
}

TEST(driver_roles, indices_of_gather_are_in_range) {
    for (const bool sums : {false, true}) {
        graph_maker graph;
        graph.op("Gather", {f32(0, {4, 9}), tensor(1, data_type::s64, {50})}, {f32(10, {4, 50})})
                .attrs.emplace_back(op_attr::axis, std::int64_t{-1});
        if (sums) graph.op("Exp", {f32(10, {4, 50})}, {f32(11, {4, 50})});
        const input_role role = graph.roles().at(1);
        EXPECT_EQ(role.kind, value_kind::indices);
        for (const bool measures : {false, true}) {
            buffer memory(tensor(1, data_type::s64, {50}).desc);
            if (measures)
                fill_for_measuring(memory, 1, role, 3, 0.5);
            else
                fill_for_comparison(memory, 1, role, 3);
            std::set<std::int64_t> drawn;
            for (std::size_t i = 0; i < 50; ++i)
                drawn.insert(load_s64(data_type::s64, memory.data() + i * sizeof(std::int64_t)));
            EXPECT_GE(*drawn.begin(), -9);
            EXPECT_LT(*drawn.begin(), 0);
            EXPECT_LT(*drawn.rbegin(), 9);
            EXPECT_GT(*drawn.rbegin(), 0);
        }
    }
}

} // namespace
} // namespace tern::driver
