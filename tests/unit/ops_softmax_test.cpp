// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "op_case.hpp"

namespace tern::ops {
namespace {

using dt = data_type;
using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;

const double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();
const double lowest = std::numeric_limits<float>::lowest();

const ir::attr_list inf_as_zero = {{op_attr::mode, std::string("inf_as_zero")}};

ir::attr_list along(std::int64_t axis) {
    return {{op_attr::axis, axis}};
}

operand softmax_of(const operand &src, const ir::attr_list &attrs = {}) {
    return run_one(op_kind::SoftMax, attrs, {src}, {src.type, {}});
}

operand stats_of(const operand &src, const ir::attr_list &attrs = {}) {
    return run(op_kind::SoftMax, attrs, {src}, {{src.type, {}}, {dt::f32, {}}})[1];
}

auto near(double value) {
    return DoubleNear(value, 1e-7);
}

TEST(ops_softmax, literal_values) {
    const operand src = {dt::f32, {2, 3}, {1, 2, 3, 0, 0, std::log(2.0)}, {}};
    const operand dst = softmax_of(src);
    EXPECT_EQ(dst.shape, src.shape);
    EXPECT_THAT(dst.values, ElementsAre(near(0.0900305732), near(0.2447284711), near(0.6652409558),
                                    near(0.25), near(0.25), near(0.5)));
}

TEST(ops_softmax, stats_are_the_logarithm_of_the_sum) {
    const operand stats = stats_of({dt::f32, {2, 2}, {1, 1, 1000, 1000}, {}});
    EXPECT_EQ(stats.shape, dims({2, 1}));
    EXPECT_THAT(stats.values, ElementsAre(near(1.6931472), DoubleNear(1000.6931472, 1e-4)));
    EXPECT_EQ(stats_of({dt::f32, {2, 3, 2}, iota(12), {}}, along(0)).shape, dims({1, 3, 2}));
}

/// exp(x) / sum of exp, straight from the definition; small values only.
std::vector<double> by_definition(const operand &src, int axis) {
    std::int64_t inner = 1;
    for (int i = axis + 1; i < src.shape.rank(); ++i)
        inner *= src.shape[i];
    const std::int64_t n = src.shape[axis];
    std::vector<double> result;
    for (std::size_t i = 0; i < src.values.size(); ++i) {
        const auto number = static_cast<std::int64_t>(i);
        const std::int64_t first = number / (n * inner) * n * inner + number % inner;
        double sum = 0;
        for (std::int64_t j = 0; j < n; ++j)
            sum += std::exp(src.values[static_cast<std::size_t>(first + j * inner)]);
        result.push_back(std::exp(src.values[i]) / sum);
    }
    return result;
}

TEST(ops_softmax, takes_every_axis_and_stride) {
    const dims strides[] = {{}, {1, 2, 10}, {40, 13, 3}, {1, 24, 2}};
    operand src = {dt::f64, {2, 3, 4}, {}, {}};
    for (int i = 0; i < 24; ++i)
        src.values.push_back((i * 7 % 11 - 5) * 0.25);
    for (const dims &src_strides : strides)
        for (const dims &dst_strides : strides)
            for (int axis = -3; axis < 3; ++axis) {
                src.strides = src_strides;
                const operand dst =
                        run_one(op_kind::SoftMax, along(axis), {src}, {dt::f64, dst_strides});
                const std::vector<double> expected = by_definition(src, (axis + 3) % 3);
                for (std::size_t i = 0; i < expected.size(); ++i)
                    EXPECT_NEAR(dst.values[i], expected[i], 1e-14) << axis << ' ' << i;
            }
}

TEST(ops_softmax, takes_every_rank) {
    dims shape;
    for (int rank = 1; rank <= max_rank; ++rank) {
        shape = dims(rank, 1);
        shape[rank / 2] = 2;
        EXPECT_THAT(softmax_of({dt::f32, shape, {5, 5}, {}}, along(rank / 2)).values,
                ElementsAre(0.5, 0.5));
    }
}

TEST(ops_softmax, types) {
    const std::pair<dt, dt> legal[] = {{dt::f32, dt::f32}, {dt::f32, dt::bf16}, {dt::f32, dt::f16},
            {dt::bf16, dt::f32}, {dt::f16, dt::f32}, {dt::bf16, dt::bf16}, {dt::f16, dt::f16},
            {dt::f64, dt::f64}};
    for (auto [src, dst] : legal)
        EXPECT_THAT(
                run_one(op_kind::SoftMax, {}, {{src, {1, 4}, {3, 3, 3, 3}, {}}}, {dst, {}}).values,
                Each(0.25));
    const std::pair<dt, dt> illegal[] = {{dt::bf16, dt::f16}, {dt::f16, dt::bf16},
            {dt::f64, dt::f32}, {dt::f32, dt::f64}, {dt::f64, dt::bf16}};
    for (auto [src, dst] : illegal)
        expect_error(status::invalid_graph_op,
                make_spec(op_kind::SoftMax, {}, {{src, {1, 4}}}, {dst}),
                "expected equal ones, or f32 with bf16 or f16");
    expect_error(status::invalid_graph_op,
            make_spec(op_kind::SoftMax, {}, {{dt::bf16, {1, 4}}}, {dt::bf16, dt::bf16}),
            "stats (tensor 101) has data type bf16; allowed: f32");
    expect_error(status::invalid_graph_op,
            make_spec(op_kind::SoftMax, {}, {{dt::s32, {1, 4}}}, {dt::f32}), "has data type s32");
}

// A row with every key masked (B93, B96).
TEST(ops_softmax, rows_of_minus_infinity) {
    const operand src = {dt::f32, {2, 2}, {0, 0, -inf, -inf}, {}};
    const std::vector<double> none = softmax_of(src).values;
    EXPECT_EQ(none[0], 0.5);
    EXPECT_TRUE(std::isnan(none[2]) && std::isnan(none[3]));
    EXPECT_THAT(softmax_of(src, inf_as_zero).values, ElementsAre(0.5, 0.5, 0, 0));
    EXPECT_TRUE(std::isnan(stats_of(src).values[1]));
    EXPECT_THAT(stats_of(src, inf_as_zero).values, ElementsAre(near(0.6931472), 0));
}

TEST(ops_softmax, a_masked_element_is_zero_in_both_modes) {
    const operand src = {dt::f32, {1, 3}, {1, -inf, 1}, {}};
    EXPECT_THAT(softmax_of(src).values, ElementsAre(0.5, 0, 0.5));
    EXPECT_THAT(softmax_of(src, inf_as_zero).values, ElementsAre(0.5, 0, 0.5));
}

// Finite fills are values like any other (B99, B100).
TEST(ops_softmax, rows_of_the_lowest_value_are_uniform) {
    const operand src = {dt::f32, {1, 4}, {lowest, lowest, lowest, lowest}, {}};
    EXPECT_THAT(softmax_of(src).values, Each(0.25));
    EXPECT_THAT(softmax_of(src, inf_as_zero).values, Each(0.25));
    EXPECT_THAT(softmax_of({dt::f32, {1, 2}, {lowest, 3e38}, {}}).values, ElementsAre(0, 1));
}

TEST(ops_softmax, nan_and_infinity_spoil_their_row_only) {
    for (double bad : {nan, inf})
        for (const ir::attr_list &attrs : {ir::attr_list{}, inf_as_zero}) {
            const operand src = {dt::f32, {2, 2}, {bad, -inf, 1, 1}, {}};
            const std::vector<double> dst = softmax_of(src, attrs).values;
            EXPECT_TRUE(std::isnan(dst[0]) && std::isnan(dst[1])) << bad;
            EXPECT_EQ(dst[2], 0.5);
            EXPECT_TRUE(std::isnan(stats_of(src, attrs).values[0]));
        }
}

// An axis of no elements (B108).
TEST(ops_softmax, empty_axes) {
    const operand dst = softmax_of({dt::f32, {10, 0}, {}, {}});
    EXPECT_EQ(dst.shape, dims({10, 0}));
    EXPECT_THAT(softmax_of({dt::f32, {0, 3}, {}, {}}).values, ElementsAre());
    EXPECT_THAT(softmax_of({dt::f32, {2, 0, 3}, {}, {}}).values, ElementsAre());
    EXPECT_THAT(softmax_of({dt::f32, {0, 3}, {}, {}}, along(0)).values, ElementsAre());
    // Rows without elements have no statistics.
    expect_error(status::invalid_shape,
            make_spec(op_kind::SoftMax, {}, {{dt::f32, {4, 0}}}, {dt::f32, dt::f32}),
            "src 4x0 has no elements along axis 1");
}

TEST(ops_softmax, rounds_once_to_dst) {
    // 1 / (1 + e^-9) = 0.99987660: to the nearest bf16 it is 1, in f16 0.99951 or 1.
    const operand src = {dt::f32, {1, 2}, {9, 0}, {}};
    EXPECT_EQ(run_one(op_kind::SoftMax, {}, {src}, {dt::bf16, {}}).values[0], 1);
    EXPECT_EQ(run_one(op_kind::SoftMax, {}, {src}, {dt::f16, {}}).values[0], 1);
    EXPECT_EQ(run_one(op_kind::SoftMax, {}, {src}, {dt::f16, {}}).values[1],
            std::ldexp(1035, -23)); // 1.2339458e-4 / 2^-23 = 1035.1
}

TEST(ops_softmax, axis_errors) {
    auto spec = [](const dims &shape, std::int64_t axis) {
        return make_spec(op_kind::SoftMax, along(axis), {{dt::f32, shape}}, {dt::f32});
    };
    const status bad = status::invalid_graph_op;
    expect_error(bad, spec({2, 3}, 2), "attribute axis is 2, but src has rank 2");
    expect_error(bad, spec({2, 3}, -3), "attribute axis is -3, but src has rank 2");
    expect_error(bad, spec({}, 0), "attribute axis is 0, but src has rank 0");
    expect_error(bad, make_spec(op_kind::SoftMax, {}, {{dt::f32, {4}}}, {dt::f32}),
            "attribute axis is 1, but src has rank 1"); // the default
    expect_error(bad,
            make_spec(op_kind::SoftMax, {{op_attr::mode, std::string("safe")}}, {{dt::f32, {4, 4}}},
                    {dt::f32}),
            "mode is \"safe\"");
    EXPECT_EQ(inferred_shape(spec({2, unknown_dim}, -2)), "2x?");
}

TEST(ops_softmax, an_axis_is_checked_when_the_rank_comes_late) {
    ir::op_spec spec = make_spec(op_kind::SoftMax, along(2), {{dt::f32, {}}}, {dt::f32});
    spec.inputs[0] = of_unknown_rank(0, dt::f32);
    complete(spec);
    tensor_desc in = make_port(0, dt::f32, {2, 3}).desc;
    tensor_desc out = spec.outputs[0].desc;
    try {
        find(op_kind::SoftMax)->infer(spec.label(), spec.attrs, {&in, 1}, {&out, 1});
        FAIL();
    } catch (const error &e) {
        EXPECT_EQ(e.status, status::invalid_shape);
        EXPECT_THAT(std::string(e.message), testing::HasSubstr("axis is 2, but src has rank 2"));
    }
}

TEST(ops_softmax, given_outputs_must_agree) {
    ir::op_spec spec = make_spec(op_kind::SoftMax, {}, {{dt::f32, {2, 3}}}, {dt::f32, dt::f32});
    spec.outputs[1] = make_port(101, dt::f32, {2, 3});
    expect_error(status::invalid_shape, spec, "stats is given as 2x3, but the inputs give 2x1");
}

} // namespace
} // namespace tern::ops
