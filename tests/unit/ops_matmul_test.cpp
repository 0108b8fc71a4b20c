// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "op_case.hpp"

namespace tern::ops {
namespace {

using dt = data_type;
using testing::Each;
using testing::ElementsAre;

constexpr std::int64_t open_dim = unknown_dim;

operand f32(const dims &shape, const std::vector<double> &values, const dims &strides = {}) {
    return {dt::f32, shape, values, strides};
}

std::vector<double> matmul_of(const std::vector<operand> &in, const ir::attr_list &attrs = {}) {
    return run_one(op_kind::MatMul, attrs, in).values;
}

ir::op_spec spec_of(const dims &src, const dims &weights, const ir::attr_list &attrs = {}) {
    return make_spec(op_kind::MatMul, attrs, {{dt::f32, src}, {dt::f32, weights}}, {dt::f32});
}

ir::op_spec with_bias(const dims &src, const dims &weights, const dims &bias) {
    ir::op_spec spec = spec_of(src, weights);
    spec.inputs.push_back(make_port(2, dt::f32, bias));
    return spec;
}

const ir::attr_list transposed_a = {{op_attr::transpose_a, true}};
const ir::attr_list transposed_b = {{op_attr::transpose_b, true}};
const ir::attr_list transposed_both = {{op_attr::transpose_a, true}, {op_attr::transpose_b, true}};

TEST(ops_matmul, multiplies_matrices) {
    EXPECT_THAT(matmul_of({f32({2, 3}, {1, 2, 3, 4, 5, 6}), f32({3, 2}, {7, 8, 9, 10, 11, 12})}),
            ElementsAre(58, 64, 139, 154));
}

TEST(ops_matmul, transposes) {
    const operand a = f32({3, 2}, {1, 4, 2, 5, 3, 6});
    const operand b = f32({2, 3}, {7, 9, 11, 8, 10, 12});
    EXPECT_THAT(matmul_of({a, f32({3, 2}, {7, 8, 9, 10, 11, 12})}, transposed_a),
            ElementsAre(58, 64, 139, 154));
    EXPECT_THAT(matmul_of({f32({2, 3}, {1, 2, 3, 4, 5, 6}), b}, transposed_b),
            ElementsAre(58, 64, 139, 154));
    EXPECT_THAT(matmul_of({a, b}, transposed_both), ElementsAre(58, 64, 139, 154));
}

TEST(ops_matmul, vectors_lose_an_axis_and_ignore_transposes) {
    const operand v = f32({3}, {1, 2, 3});
    const operand m = f32({3, 2}, {1, 2, 3, 4, 5, 6});
    for (const ir::attr_list &attrs : {ir::attr_list{}, transposed_a}) {
        EXPECT_THAT(matmul_of({v, m}, attrs), ElementsAre(22, 28));
        EXPECT_THAT(matmul_of({v, v}, attrs), ElementsAre(14));
    }
    EXPECT_THAT(matmul_of({m, f32({2}, {1, 10})}, transposed_b), ElementsAre(21, 43, 65));
    EXPECT_EQ(inferred_shape(spec_of({3}, {3})), "scalar");
    EXPECT_EQ(inferred_shape(spec_of({3}, {4, 3, 2})), "4x2");
    EXPECT_EQ(inferred_shape(spec_of({4, 2, 3}, {3})), "4x2");
}

TEST(ops_matmul, batches_broadcast_both_ways) {
    // 2x1 batches of 1x2 against 3 batches of 2x1
    const operand a = f32({2, 1, 1, 2}, {1, 2, 3, 4});
    const operand b = f32({3, 2, 1}, {1, 0, 0, 1, 1, 1});
    const operand dst = run_one(op_kind::MatMul, {}, {a, b});
    EXPECT_EQ(dst.shape, dims({2, 3, 1, 1}));
    EXPECT_THAT(dst.values, ElementsAre(1, 2, 3, 3, 4, 7));
    EXPECT_EQ(inferred_shape(spec_of({0, 2, 3}, {1, 3, 4})), "0x2x4");
}

TEST(ops_matmul, takes_every_rank) {
    dims shape = {2};
    for (int rank = 1; rank <= max_rank; ++rank) {
        const operand a = f32(shape, {1, 2});
        operand dst = run_one(op_kind::MatMul, {}, {a, f32({2, 1}, {10, 100})});
        EXPECT_THAT(dst.values, ElementsAre(210)) << rank;
        EXPECT_EQ(dst.shape.rank(), rank);
        dims longer = {1};
        for (std::int64_t dim : shape)
            if (longer.rank() < max_rank) longer.push_back(dim);
        shape = longer;
    }
}

TEST(ops_matmul, adds_a_bias_that_broadcasts_into_dst) {
    const operand a = f32({2, 1}, {1, 2});
    const operand b = f32({1, 2}, {10, 20});
    EXPECT_THAT(matmul_of({a, b, f32({2}, {1, 2})}), ElementsAre(11, 22, 21, 42));
    EXPECT_THAT(matmul_of({a, b, f32({2, 1}, {1, 2})}), ElementsAre(11, 21, 22, 42));
    EXPECT_THAT(matmul_of({a, b, f32({}, {5})}), ElementsAre(15, 25, 25, 45));
}

TEST(ops_matmul, walks_strides) {
    const operand a = f32({2, 2}, {1, 2, 3, 4}, {1, 5});
    const operand b = f32({2, 2}, {5, 6, 7, 8}, {6, 2});
    const operand bias = f32({2, 2}, {100, 200, 300, 400}, {3, 1});
    const operand dst = run_one(op_kind::MatMul, {}, {a, b, bias}, {dt::f32, {2, 7}});
    EXPECT_THAT(dst.values, ElementsAre(119, 222, 343, 450));
    const operand one = f32({2, 2}, {1, 2, 3, 4}, {0, 1}); // rows share memory: 3, 4 stay
    EXPECT_THAT(matmul_of({f32({1, 2}, {1, 1}), one}), ElementsAre(6, 8));
}

// Columns are summed some at a time; ranges begin and end anywhere.
TEST(ops_matmul, many_columns) {
    constexpr std::int64_t m = 3, k = 5, n = 70;
    for (dt type : {dt::f32, dt::bf16, dt::s32})
        for (bool is_transposed : {false, true})
            for (const dims &bias : {dims{n}, dims{m, 1}, dims{}}) {
                const std::int64_t row = is_transposed ? 1 : n;
                const std::int64_t column = is_transposed ? k : 1;
                std::vector<double> a, b, added;
                for (std::int64_t i = 0; i < m * k; ++i)
                    a.push_back(static_cast<double>(i % 7 - 3));
                for (std::int64_t i = 0; i < k * n; ++i)
                    b.push_back(static_cast<double>(i % 11 - 5));
                for (std::int64_t i = 0; i < *element_count(bias); ++i)
                    added.push_back(static_cast<double>(i % 5));
                std::vector<double> want;
                for (std::int64_t i = 0; i < m; ++i)
                    for (std::int64_t j = 0; j < n; ++j) {
                        double sum = added[static_cast<std::size_t>(bias.empty()       ? 0
                                                                    : bias.rank() == 1 ? j
                                                                                       : i)];
                        for (std::int64_t l = 0; l < k; ++l)
                            sum += a[static_cast<std::size_t>(i * k + l)]
                                   * b[static_cast<std::size_t>(l * row + j * column)];
                        want.push_back(sum);
                    }
                const dims weights = is_transposed ? dims{n, k} : dims{k, n};
                EXPECT_EQ(run_one(op_kind::MatMul, {{op_attr::transpose_b, is_transposed}},
                                  {{type, {m, k}, a, {}}, {type, weights, b, {}},
                                          {type, bias, added, {}}},
                                  {type, {}})
                                  .values,
                        want)
                        << name_of(type) << " " << is_transposed << " " << to_string(bias);
            }
}

TEST(ops_matmul, zero_sizes) {
    EXPECT_THAT(matmul_of({f32({2, 0}, {}), f32({0, 2}, {})}), ElementsAre(0, 0, 0, 0));
    EXPECT_THAT(matmul_of({f32({2, 0}, {}), f32({0, 2}, {}), f32({2}, {1, 2})}),
            ElementsAre(1, 2, 1, 2));
    EXPECT_THAT(matmul_of({f32({0}, {}), f32({0}, {})}), ElementsAre(0));
    EXPECT_THAT(matmul_of({f32({0, 2}, {}), f32({2, 2}, {1, 2, 3, 4})}), ElementsAre());
}

TEST(ops_matmul, types) {
    for (dt type : {dt::f32, dt::bf16, dt::f16, dt::f64}) {
        const operand a = {type, {1, 2}, {1.5, -2}, {}};
        const operand b = {type, {2, 1}, {4, 0.5}, {}};
        const operand bias = {type, {1}, {0.25}, {}};
        for (dt dst : {type, dt::f32}) {
            EXPECT_THAT(run_one(op_kind::MatMul, {}, {a, b}, {dst, {}}).values, ElementsAre(5));
            EXPECT_THAT(run_one(op_kind::MatMul, {}, {a, b, bias}, {dst, {}}).values,
                    ElementsAre(5.25));
            EXPECT_THAT(run_one(op_kind::MatMul, {}, {a, b, f32({1}, {0.5})}, {dst, {}}).values,
                    ElementsAre(5.5));
        }
    }
}

TEST(ops_matmul, reads_every_element_of_16_bits) {
    for (dt type : {dt::bf16, dt::f16}) {
        std::vector<std::uint16_t> elements(65536);
        for (std::size_t i = 0; i < elements.size(); ++i)
            elements[i] = static_cast<std::uint16_t>(i);
        const std::uint16_t one = type == dt::f16 ? 0x3C00 : 0x3F80;
        std::vector<double> products(elements.size());
        const ir::attr_list attrs = {{op_attr::transpose_a, false}, {op_attr::transpose_b, false}};
        const ir::const_view in[] = {
                {elements.data(), type, {65536, 1}, {1, 1}}, {&one, type, {1, 1}, {1, 1}}};
        const ir::mutable_view out = {products.data(), dt::f64, {65536, 1}, {1, 1}};
        find(op_kind::MatMul)->reference({attrs, in, {&out, 1}}, 0, 65536);
        for (std::size_t i = 0; i < elements.size(); ++i) {
            const double expected = load_f64(type, &elements[i]);
            EXPECT_TRUE(
                    products[i] == expected || (std::isnan(products[i]) && std::isnan(expected)))
                    << i;
        }
    }
}

TEST(ops_matmul, sums_in_f64_and_rounds_once) {
    // In f32, 2^24 + 1 + 1 stays 2^24.
    const operand a = f32({1, 3}, {16777216, 1, 1});
    EXPECT_THAT(matmul_of({a, f32({3, 1}, {1, 1, 1})}), ElementsAre(16777218));
    const operand h = {dt::bf16, {1, 3}, {256, 1, 1}, {}};
    const operand ones = {dt::bf16, {3, 1}, {1, 1, 1}, {}};
    EXPECT_THAT(run_one(op_kind::MatMul, {}, {h, ones}, {dt::bf16, {}}).values, ElementsAre(258));
}

// Probabilities of zero for a fully masked row select nothing, however large V is (B96).
TEST(ops_matmul, zeros_times_large_values_are_zeros) {
    const operand v = f32({3, 2}, {1e30, -1e30, 1e30, 1, 2, 3e38});
    EXPECT_THAT(matmul_of({f32({1, 3}, {0, 0, 0}), v}), Each(0));
    const double inf = std::numeric_limits<double>::infinity();
    EXPECT_TRUE(std::isnan(matmul_of({f32({1, 1}, {0}), f32({1, 1}, {inf})})[0]));
}

// A fully masked row with a finite fill averages V (B99).
TEST(ops_matmul, equal_probabilities_average) {
    EXPECT_THAT(matmul_of({f32({1, 2}, {0.5, 0.5}), f32({2, 1}, {1, 3})}), ElementsAre(2));
}

TEST(ops_matmul, attributes) {
    for (const char *mode : {"strict", "relaxed", "any", "f32", "s32", "f16"})
        EXPECT_EQ(inferred_shape(spec_of(
                          {2, 3}, {3, 4}, {{op_attr::accumulation_mode, std::string(mode)}})),
                "2x4");
    expect_error(status::invalid_graph_op,
            spec_of({2, 3}, {3, 4}, {{op_attr::accumulation_mode, std::string("f64")}}),
            "accumulation_mode is \"f64\"");
    ir::op_spec spec = spec_of({2, 3}, {3, 4});
    complete(spec);
    EXPECT_EQ(spec.attrs.size(), 3u);
}

TEST(ops_matmul, shapes_may_be_unknown) {
    EXPECT_EQ(inferred_shape(spec_of({open_dim, 2, open_dim}, {1, 3, open_dim})), "?x2x?");
    ir::op_spec spec = spec_of({2, 3}, {3, 4});
    spec.inputs[1] = of_unknown_rank(1, dt::f32);
    EXPECT_EQ(inferred_shape(spec), "unknown rank");
    spec = spec_of({2, 3}, {3, 4});
    spec.outputs[0] = make_port(100, dt::f32, {2, 5});
    expect_error(status::invalid_shape, spec, "dst is given as 2x5, but the inputs give 2x4");
}

TEST(ops_matmul, shape_errors) {
    const status bad = status::invalid_shape;
    expect_error(bad, spec_of({2, 3}, {4, 5}),
            "src 2x3 and weights 4x5 do not multiply: axis 1 of src has 3, axis 0 of weights has "
            "4");
    expect_error(bad, spec_of({2, 3}, {3, 5}, transposed_a),
            "axis 0 of src has 2, axis 0 of weights has 3");
    expect_error(bad, spec_of({2, 3}, {3, 5}, transposed_b),
            "axis 1 of src has 3, axis 1 of weights has 5");
    expect_error(bad, spec_of({3}, {2}), "axis 0 of src has 3, axis 0 of weights has 2");
    expect_error(bad, spec_of({2, 1, 2, 3}, {4, 5, 3, 2}),
            "src 2x1x2x3 and weights 4x5x3x2 do not broadcast before their last two axes: axis 0 "
            "has 2 against 4");
    expect_error(bad, spec_of({5, 6, 2, 3}, {7, 3, 2}), "axis 1 has 6 against 7");
    expect_error(bad, spec_of({}, {3, 2}), "src is a scalar; expected rank 1 or more");
    expect_error(bad, spec_of({2, 3}, {}), "weights is a scalar");
    expect_error(bad, with_bias({2, 3}, {3, 4}, {3}),
            "bias 3 does not broadcast to dst 2x4: axis 1 of dst has 4 against 3");
    expect_error(bad, with_bias({2, 3}, {3, 4}, {5, 1}), "axis 0 of dst has 2 against 5");
    expect_error(bad, with_bias({2, 3}, {3, 4}, {1, 2, 4}),
            "bias 1x2x4 has rank 3, but may not widen dst, which is 2x4 (rank 2)");
}

TEST(ops_matmul, integers) {
    const std::vector<double> a = {1, 2, 3, 4, 5, 6};
    const std::vector<double> b = {1, 0, 2, 1, 0, 3};
    for (dt type : {dt::s8, dt::u8, dt::s16, dt::u16, dt::s32, dt::u32, dt::s64, dt::u64}) {
        EXPECT_THAT(run_one(op_kind::MatMul, {}, {{type, {2, 3}, a, {1, 2}}, {type, {3, 2}, b, {}}},
                            {type, {}})
                            .values,
                testing::ElementsAre(5, 11, 14, 23));
        EXPECT_THAT(run_one(op_kind::MatMul, {},
                            {{type, {2, 3}, a, {}}, {type, {3, 2}, b, {}}, {type, {2}, {7, 1}, {}}},
                            {type, {}})
                            .values,
                testing::ElementsAre(12, 12, 21, 24));
        EXPECT_THAT(run_one(op_kind::MatMul, {}, {{type, {1, 0}, {}, {}}, {type, {0, 2}, {}, {}}},
                            {type, {}})
                            .values,
                testing::ElementsAre(0, 0));
    }
    EXPECT_THAT(run_one(op_kind::MatMul, {},
                        {{dt::s8, {2}, {100, 100}, {}}, {dt::s8, {2}, {2, 1}, {}}}, {dt::s8, {}})
                        .values,
            testing::ElementsAre(44));      // 300 modulo 2^8
    const double beyond = 9007199254740992; // 2^53
    EXPECT_THAT(run_one(op_kind::MatMul, {},
                        {{dt::s64, {3}, {beyond, 1, -beyond}, {}}, {dt::s64, {3}, {1, 1, 1}, {}}},
                        {dt::s64, {}})
                        .values,
            testing::ElementsAre(1));
}

TEST(ops_matmul, type_errors) {
    const dims shape = {2, 2};
    auto spec = [&](dt src, dt weights, dt bias, dt dst) {
        return make_spec(
                op_kind::MatMul, {}, {{src, shape}, {weights, shape}, {bias, shape}}, {dst});
    };
    const status bad = status::invalid_graph_op;
    expect_error(bad, spec(dt::f32, dt::bf16, dt::f32, dt::f32), "weights (tensor 1)");
    expect_error(bad, spec(dt::boolean, dt::boolean, dt::f32, dt::f32),
            "src (tensor 0) has data type boolean");
    expect_error(bad, spec(dt::s8, dt::s8, dt::s8, dt::f32),
            "dst has data type f32; expected src's, s8");
    expect_error(bad, spec(dt::s8, dt::s8, dt::f32, dt::s8),
            "bias has data type f32; expected src's, s8");
    expect_error(bad, spec(dt::f32, dt::f32, dt::f32, dt::s32),
            "dst has data type s32; expected src's, f32, or f32");
    expect_error(bad, spec(dt::bf16, dt::bf16, dt::f16, dt::bf16),
            "bias has data type f16; expected src's, bf16, or f32");
    expect_error(bad, spec(dt::f32, dt::f32, dt::f32, dt::bf16),
            "dst has data type bf16; expected src's, f32, or f32");
    expect_error(bad, make_spec(op_kind::MatMul, {}, {{dt::f32, shape}}, {dt::f32}),
            "1 inputs given, expected 2 to 3 (src, weights, [bias])");
}

} // namespace
} // namespace tern::ops
