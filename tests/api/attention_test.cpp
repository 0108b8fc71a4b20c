// SPDX-License-Identifier: Apache-2.0
//
// Attention as models have it: scores, a scale, a mask by Select, SoftMax, values.
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "net.hpp"

namespace tern::graph {
namespace {

using tests::net;
using tests::node;
using k = op::kind;

constexpr float inf = std::numeric_limits<float>::infinity();

void expect_near(const std::vector<float> &got, const std::vector<float> &want) {
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i)
        if (std::isnan(want[i]))
            EXPECT_TRUE(std::isnan(got[i])) << i << ": " << got[i];
        else
            EXPECT_NEAR(got[i], want[i], 1e-5F * std::max(1.0F, std::abs(want[i]))) << i;
}

/// One partition, and the same bits as op by op. NaNs need only be NaNs.
void expect_one_and_same(const net &n, const node &of) {
    EXPECT_EQ(n.partitions(), 1U);
    const std::vector<float> a = n.fused(of);
    const std::vector<float> b = n.unfused(of);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
        EXPECT_TRUE(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i])))
                << i << ": " << a[i] << " and " << b[i];
}

logical_tensor::dims scores_of(const node &q, const node &key) {
    logical_tensor::dims shape = q.shape;
    shape.back() = key.shape[key.shape.size() - 2];
    return shape;
}

node scores(net &n, const node &q, const node &key) {
    return n.add(k::MatMul, {q, key}, data_type::f32, scores_of(q, key),
            {{op::attr::transpose_b, true}});
}

node softmax(net &n, const node &of, const char *mode = "none") {
    return n.add(k::SoftMax, {of}, {{op::attr::axis, std::int64_t{-1}}, {op::attr::mode, mode}});
}

node weighted(net &n, const node &p, const node &v) {
    logical_tensor::dims shape = p.shape;
    shape.back() = v.shape.back();
    return n.add(k::MatMul, {p, v}, data_type::f32, shape);
}

node fill(net &n, float value) {
    return n.input({1}, {value});
}

/// True where a key may be seen: row index (plus an offset) >= column index.
node causal(net &n, const node &of, std::int64_t row_axis, std::int64_t column_axis,
        std::int32_t offset) {
    node rows = n.add(k::GenIndex, {of}, data_type::s32, of.shape, {{op::attr::axis, row_axis}});
    node columns =
            n.add(k::GenIndex, {of}, data_type::s32, of.shape, {{op::attr::axis, column_axis}});
    if (offset != 0) {
        node by = n.input<std::int32_t>(data_type::s32, {1}, {offset});
        rows = n.add(k::Add, {rows, by}, data_type::s32, of.shape);
    }
    return n.add(k::GreaterEqual, {rows, columns}, data_type::boolean, of.shape);
}

TEST(attention, B93_a_row_that_is_hidden_entirely_is_nan_or_zero) {
    for (const char *mode : {"none", "inf_as_zero"}) {
        SCOPED_TRACE(mode);
        net n;
        const node q = n.input({2, 2}, {1, 0, 0, 1});
        const node v = n.input({2, 2}, {1, 2, 3, 4});
        const node masked =
                n.add(k::Select, {n.condition({2, 2}, "ttff"), scores(n, q, q), fill(n, -inf)},
                        data_type::f32, {2, 2});
        const node out = weighted(n, softmax(n, masked, mode), v);
        n.run();
        const float hidden = std::string(mode) == "none" ? std::nanf("") : 0.0F;
        expect_near(n.fused(out), {1.537883F, 2.537883F, hidden, hidden});
        expect_one_and_same(n, out);
    }
}

TEST(attention, B94_a_hidden_row_changes_no_other) {
    std::vector<std::vector<float>> results;
    for (const char *rows : {"tttttttttttttttt", "ttttfffftttttttt"}) {
        net n;
        const node q = n.input({1, 1, 4, 2}, {0.5F, -1, 2, 0.25F, -0.75F, 1, 1.5F, 3});
        const node key = n.input({1, 1, 4, 2}, {1, 0.5F, -2, 1, 0.25F, 0.75F, -1, 2});
        const node v = n.input({1, 1, 4, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
        const node all = scores(n, q, key);
        const node masked = n.add(k::Select, {n.condition({1, 1, 4, 4}, rows), all, fill(n, -inf)},
                data_type::f32, all.shape);
        const node out = weighted(n, softmax(n, masked), v);
        n.run();
        expect_one_and_same(n, out);
        results.push_back(n.fused(out));
    }
    for (std::size_t i : {0, 1, 4, 5, 6, 7})
        EXPECT_EQ(results[0][i], results[1][i]) << i;
    EXPECT_TRUE(std::isnan(results[1][2]) && std::isnan(results[1][3]));
}

TEST(attention, B96_zero_weights_select_nothing_however_large_the_values) {
    net n;
    const node q = n.input({1, 1, 3, 4}, {1, -2, 3});
    const node v = n.input({1, 1, 3, 4}, {1e30F});
    const node all = scores(n, q, q);
    const node masked = n.add(k::Select, {n.condition({1, 1, 3, 3}, "f"), all, fill(n, -inf)},
            data_type::f32, all.shape);
    const node out = weighted(n, softmax(n, masked, "inf_as_zero"), v);
    n.run();
    EXPECT_EQ(n.fused(out), std::vector<float>(12, 0.0F));
    expect_one_and_same(n, out);
}

TEST(attention, B97_a_mask_hides_instead_of_adding) {
    net n;
    const node q = n.input({1, 1}, {0});
    const node key = n.input({2, 1}, {5, 7});
    const node all = scores(n, q, key);
    const node masked = n.add(
            k::Select, {n.condition({1, 2}, "tf"), all, fill(n, -inf)}, data_type::f32, all.shape);
    const node out = weighted(n, softmax(n, masked), n.input({2, 1}, {1, 3}));
    n.run();
    EXPECT_EQ(n.fused(out), std::vector<float>{1.0F});
    expect_one_and_same(n, out);
}

TEST(attention, B99_a_finite_fill_averages) {
    for (const char *mode : {"none", "inf_as_zero"}) {
        net n;
        const node q = n.input({1, 1}, {3});
        const node key = n.input({2, 1}, {5, 7});
        const node all = scores(n, q, key);
        const node masked = n.add(k::Select,
                {n.condition({1, 2}, "f"), all, fill(n, std::numeric_limits<float>::lowest())},
                data_type::f32, all.shape);
        const node out = weighted(n, softmax(n, masked, mode), n.input({2, 1}, {1, 3}));
        n.run();
        EXPECT_EQ(n.fused(out), std::vector<float>{2.0F}) << mode;
        expect_one_and_same(n, out);
    }
}

TEST(attention, B102_a_fill_that_f16_does_not_hold_is_minus_infinity) {
    net n;
    const std::vector<std::uint16_t> one_two = {0x3C00, 0x4000}; // 1, 2
    const node all = n.input(data_type::f16, {2, 2}, one_two);
    const node filler = n.add(k::TypeCast, {fill(n, -1e9F)}, data_type::f16, {1});
    const node masked =
            n.add(k::Select, {n.condition({2, 2}, "tfff"), all, filler}, data_type::f16, {2, 2});
    const node out = n.add(k::SoftMax, {masked}, data_type::f16, {2, 2},
            {{op::attr::axis, std::int64_t{-1}}, {op::attr::mode, "inf_as_zero"}});
    n.run();
    EXPECT_EQ(n.unfused<std::uint16_t>(filler), std::vector<std::uint16_t>{0xFC00});
    EXPECT_EQ(n.unfused<std::uint16_t>(masked),
            (std::vector<std::uint16_t>{0x3C00, 0xFC00, 0xFC00, 0xFC00}));
    EXPECT_EQ(n.fused<std::uint16_t>(out), (std::vector<std::uint16_t>{0x3C00, 0, 0, 0}));
    EXPECT_EQ(n.fused<std::uint16_t>(out), n.unfused<std::uint16_t>(out));
}

TEST(attention, B103_causal_masks_of_either_corner) {
    struct mask_case {
        std::int64_t queries;
        std::int64_t keys;
        bool bottom_right;
        std::vector<std::uint8_t> seen;
    };
    const std::vector<mask_case> cases = {{2, 5, false, {1, 0, 0, 0, 0, 1, 1, 0, 0, 0}},
            {2, 5, true, {1, 1, 1, 1, 0, 1, 1, 1, 1, 1}},
            {5, 2, true, {0, 0, 0, 0, 0, 0, 1, 0, 1, 1}},
            {5, 2, false, {1, 0, 1, 1, 1, 1, 1, 1, 1, 1}}};
    for (const mask_case &c : cases) {
        net n;
        const node of = n.input({c.queries, c.keys}, {0});
        const auto offset = static_cast<std::int32_t>(c.bottom_right ? c.keys - c.queries : 0);
        const node mask = causal(n, of, 0, 1, offset);
        n.run();
        EXPECT_EQ(n.partitions(), 1U);
        EXPECT_EQ(n.fused<std::uint8_t>(mask), c.seen);
        EXPECT_EQ(n.unfused<std::uint8_t>(mask), c.seen);
    }
}

TEST(attention, B105_axes_from_either_end_and_masks_of_low_rank) {
    std::vector<std::vector<float>> results;
    const std::vector<float> data = {0.5F, -1, 2, 0.25F, -0.75F, 1, 1.5F, 3, -0.5F, 0.125F, 2.5F};
    const std::pair<std::int64_t, std::int64_t> axes[] = {{-2, -1}, {2, 3}};
    for (const auto &[rows, columns] : axes) {
        net n;
        const node q = n.input({1, 2, 5, 4}, data);
        const node all = scores(n, q, q);
        const node masked = n.add(k::Select, {causal(n, all, rows, columns, 0), all, fill(n, -inf)},
                data_type::f32, all.shape);
        const node out = weighted(n, softmax(n, masked), q);
        n.run();
        expect_one_and_same(n, out);
        results.push_back(n.fused(out));
    }
    // The causal mask as a tensor of rank 2.
    {
        net n;
        const node q = n.input({1, 2, 5, 4}, data);
        const node all = scores(n, q, q);
        const node mask = n.condition({5, 5}, "tffffttffftttffttttfttttt");
        const node masked = n.add(k::Select, {mask, all, fill(n, -inf)}, data_type::f32, all.shape);
        const node out = weighted(n, softmax(n, masked), q);
        n.run();
        expect_one_and_same(n, out);
        results.push_back(n.fused(out));
    }
    EXPECT_EQ(results[0], results[1]);
    EXPECT_EQ(results[0], results[2]);
    // Keys hidden by a tensor of rank 1.
    net n;
    const node q = n.input({1, 2, 5, 4}, data);
    const node v = n.input({1, 2, 5, 1}, {1, 2, 4, 8, 16});
    const node all = scores(n, q, q);
    const node masked = n.add(
            k::Select, {n.condition({5}, "fftff"), all, fill(n, -inf)}, data_type::f32, all.shape);
    const node out = weighted(n, softmax(n, masked), v);
    n.run();
    expect_one_and_same(n, out);
    EXPECT_EQ(n.fused(out), std::vector<float>(10, 4.0F));
}

TEST(attention, B106_scale_and_both_masks_in_any_order) {
    for (const char *order :
            {"scale, add, select", "scale, select", "select, add", "select, scale"}) {
        SCOPED_TRACE(order);
        const std::string ops = order;
        net n;
        const node q = n.input({2, 3, 4}, {0.5F, -1, 2, 0.25F, -0.75F, 1, 1.5F});
        const node v = n.input({2, 3, 4}, {1, 2, -3, 4, 0.5F});
        node s = scores(n, q, q);
        const auto scale = [&] { s = n.add(k::Divide, {s, n.input({1}, {2})}); };
        const auto add = [&] { s = n.add(k::Add, {s, n.input({1, 3, 3}, {0, 0.5F, -1, 0})}); };
        const auto select = [&] {
            s = n.add(k::Select, {n.condition({2, 1, 3}, "ttfftt"), s, fill(n, -inf)},
                    data_type::f32, s.shape);
        };
        if (ops.rfind("scale", 0) == 0) scale();
        if (ops.rfind("select", 0) == 0) select();
        if (ops.find("add") != std::string::npos) add();
        if (ops.rfind("scale", 0) == 0) select();
        if (ops == "select, scale") scale();
        const node p = softmax(n, s);
        const node out = weighted(n, p, v);
        n.run();
        expect_one_and_same(n, out);
        // Hidden keys have no weight: the last one of batch 0, the first one of batch 1.
        const std::vector<float> weights = n.unfused(p);
        for (std::size_t row = 0; row < 3; ++row) {
            EXPECT_EQ(weights[row * 3 + 2], 0.0F);
            EXPECT_EQ(weights[9 + row * 3], 0.0F);
            EXPECT_GT(weights[row * 3], 0.0F);
        }
    }
}

TEST(attention, B26_B108_nothing_to_attend_to) {
    for (const auto &[batch, keys] : {std::pair<std::int64_t, std::int64_t>{0, 4}, {1, 0}}) {
        net n;
        const node q = n.input({batch, 2, 4, 8}, {1});
        const node key = n.input({batch, 2, keys, 8}, {1});
        const node all = scores(n, q, key);
        const node masked =
                n.add(k::Select, {n.condition({batch, 1, 1, keys}, "t"), all, fill(n, -inf)},
                        data_type::f32, all.shape);
        const node out = weighted(n, softmax(n, masked), n.input({batch, 2, keys, 8}, {1}));
        n.run();
        EXPECT_EQ(n.fused(out), std::vector<float>(static_cast<std::size_t>(batch * 2 * 4 * 8), 0));
        EXPECT_EQ(n.fused(out), n.unfused(out));
    }
}

TEST(attention, B14_a_product_and_a_condition_that_broadcasts) {
    for (const logical_tensor::dims &cond : std::vector<logical_tensor::dims>{{1}, {1, 1, 1, 33}}) {
        net n;
        const node a = n.input({1, 16, 32, 256}, {0.5F, -1, 2, 0.25F, 1});
        const node b = n.input({1, 16, 256, 33}, {1, 0.5F, -2});
        const node all = n.add(k::MatMul, {a, b}, data_type::f32, {1, 16, 32, 33});
        const node out = n.add(
                k::Select, {n.condition(cond, "tft"), all, fill(n, -7)}, data_type::f32, all.shape);
        n.run();
        expect_one_and_same(n, out);
    }
    net n;
    const std::vector<std::uint16_t> halves = {0x3F80, 0xBF00, 0x4000}; // 1, -0.5, 2
    const node a = n.input(data_type::bf16, {1, 16, 33, 257}, halves);
    const node b = n.input(data_type::bf16, {1, 16, 257, 37}, halves);
    const node all = n.add(k::MatMul, {a, b}, data_type::bf16, {1, 16, 33, 37});
    const node filler = n.input<std::uint16_t>(data_type::bf16, {1}, {0x7F81}); // a signalling NaN
    const node out = n.add(k::Select, {n.condition({1, 1, 1, 37}, "tft"), all, filler},
            data_type::bf16, all.shape);
    n.run();
    EXPECT_EQ(n.partitions(), 1U);
    EXPECT_EQ(n.fused<std::uint16_t>(out), n.unfused<std::uint16_t>(out));
    EXPECT_EQ(n.fused<std::uint16_t>(out)[1], 0x7F81);
}

TEST(attention, B54_a_product_with_false_is_no_choice) {
    net n;
    const node zero = n.add(k::TypeCast, {n.condition({3}, "ftf")}, data_type::f32, {3});
    const node out = n.add(k::Multiply, {zero, n.input({3}, {inf, inf, 2})});
    n.run();
    EXPECT_EQ(n.partitions(), 1U);
    const std::vector<float> got = n.fused(out);
    EXPECT_TRUE(std::isnan(got[0]));
    EXPECT_EQ(got[1], inf);
    EXPECT_EQ(got[2], 0.0F);
}

TEST(attention, B126_what_differs_in_one_attribute_is_compiled_anew) {
    const auto result = [](bool is_causal, const char *mode) {
        net n;
        const node q = n.input({1, 1, 3, 2}, {0.5F, -1, 2, 0.25F, -0.75F, 1});
        const node all = scores(n, q, q);
        // Not causal: the columns' axis twice, which hides nothing.
        const node mask = causal(n, all, is_causal ? 2 : 3, 3, is_causal ? -1 : 0);
        const node masked = n.add(k::Select, {mask, all, fill(n, -inf)}, data_type::f32, all.shape);
        const node out = weighted(n, softmax(n, masked, mode), q);
        n.run();
        return n.fused(out);
    };
    for (int round = 0; round < 2; ++round) {
        const std::vector<float> causal_none = result(true, "none");
        const std::vector<float> causal_zero = result(true, "inf_as_zero");
        EXPECT_TRUE(std::isnan(causal_none[0]));
        EXPECT_EQ(causal_zero[0], 0.0F);
        EXPECT_EQ(causal_none[4], causal_zero[4]);
        EXPECT_NE(result(false, "none")[4], causal_none[4]);
        EXPECT_EQ(result(false, "none"), result(false, "inf_as_zero"));
    }
}

} // namespace
} // namespace tern::graph
