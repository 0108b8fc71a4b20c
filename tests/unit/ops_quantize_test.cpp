// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "op_case.hpp"

namespace tern::ops {
namespace {

using dt = data_type;
using testing::ElementsAre;
using s64s = std::vector<std::int64_t>;
using f32s = std::vector<float>;

const double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();

ir::attr_list per_tensor(float scale) {
    return {{op_attr::scales, f32s{scale}}};
}
ir::attr_list per_tensor(float scale, std::int64_t zp) {
    return {{op_attr::scales, f32s{scale}}, {op_attr::zps, s64s{zp}}};
}
ir::attr_list per_channel(std::int64_t axis, const f32s &scales) {
    return {{op_attr::qtype, std::string("per_channel")}, {op_attr::axis, axis},
            {op_attr::scales, scales}};
}
ir::attr_list per_channel(std::int64_t axis, const f32s &scales, const s64s &zps) {
    ir::attr_list attrs = per_channel(axis, scales);
    attrs.emplace_back(op_attr::zps, zps);
    return attrs;
}
ir::attr_list dynamic_per_channel(std::int64_t axis) {
    return {{op_attr::qtype, std::string("per_channel")}, {op_attr::axis, axis}};
}
ir::attr_list per_group(const s64s &group) {
    return {{op_attr::qtype, std::string("per_group")}, {op_attr::group_shape, group}};
}

std::vector<double> quantized(
        const ir::attr_list &attrs, const std::vector<double> &values, dt type) {
    const operand src = {dt::f32, {static_cast<std::int64_t>(values.size())}, values, {}};
    return run_one(op_kind::Quantize, attrs, {src}, {type, {}}).values;
}

TEST(ops_quantize, halves_round_to_even) {
    EXPECT_THAT(quantized(per_tensor(1), {0.5, 1.5, 2.5, -0.5, -1.5, 0.49, 3}, dt::s8),
            ElementsAre(0, 2, 2, 0, -2, 0, 3));
    EXPECT_THAT(quantized(per_tensor(0.5f, 10), {0.25, 0.75, -1}, dt::u8), ElementsAre(10, 12, 8));
}

TEST(ops_quantize, saturates) {
    EXPECT_THAT(quantized(per_tensor(1), {127, 128, -128, -129, 1e30, inf, -inf, nan}, dt::s8),
            ElementsAre(127, 127, -128, -128, 127, 127, -128, 0));
    EXPECT_THAT(quantized(per_tensor(1, 128), {127, 128, -128, -129, -inf, nan}, dt::u8),
            ElementsAre(255, 255, 0, 0, 0, 0));
    // The zero point is added before that.
    EXPECT_THAT(quantized(per_tensor(1, -100), {200}, dt::s8), ElementsAre(100));
    EXPECT_THAT(quantized(per_tensor(0), {1, -1, 0}, dt::s8), ElementsAre(127, -128, 0));
}

TEST(ops_quantize, scales_are_used_as_they_are) {
    EXPECT_THAT(quantized(per_tensor(0.3f), {0.3, 3}, dt::s8), ElementsAre(1, 10));
}

TEST(ops_quantize, to_f8_rounds_to_nearest_without_saturating) {
    EXPECT_THAT(quantized(per_tensor(2), {2, 2.5, 2.75, 114688, 1e6, -inf}, dt::f8_e5m2),
            ElementsAre(1, 1.25, 1.5, 57344, inf, -inf));
    const std::vector<double> e4m3 = quantized(per_tensor(1), {448, 1e4, 1.0625}, dt::f8_e4m3);
    EXPECT_EQ(e4m3[0], 448);
    EXPECT_TRUE(std::isnan(e4m3[1]));
    EXPECT_EQ(e4m3[2], 1);
}

TEST(ops_quantize, per_channel_over_any_axis_and_stride) {
    const operand src = {dt::f32, {2, 3}, {1, 2, 3, 4, 5, 6}, {1, 4}};
    for (std::int64_t axis : {0, -2})
        EXPECT_THAT(run_one(op_kind::Quantize, per_channel(axis, {1, 0.5f}, {0, 1}), {src},
                            {dt::s8, {5, 1}})
                            .values,
                ElementsAre(1, 2, 3, 9, 11, 13));
    for (std::int64_t axis : {1, -1})
        EXPECT_THAT(run_one(op_kind::Quantize, per_channel(axis, {1, 0.5f, 3}), {src}, {dt::u8, {}})
                            .values,
                ElementsAre(1, 4, 1, 4, 10, 2));
    EXPECT_THAT(run_one(op_kind::Quantize, per_channel(0, {2}, {3}),
                        {{dt::f32, {1, 2}, {4, 6}, {}}}, {dt::s8, {}})
                        .values,
            ElementsAre(5, 6));
}

TEST(ops_quantize, source_types_ranks_and_zero_sizes) {
    for (dt type : {dt::f32, dt::bf16, dt::f16})
        EXPECT_THAT(run_one(op_kind::Quantize, per_tensor(0.5f), {{type, {2}, {1, -2}, {}}},
                            {dt::s8, {}})
                            .values,
                ElementsAre(2, -4));
    EXPECT_THAT(run_one(op_kind::Quantize, per_tensor(1), {{dt::f32, {}, {3}, {}}}, {dt::u8, {}})
                        .values,
            ElementsAre(3));
    EXPECT_THAT(run_one(op_kind::Quantize, per_tensor(1), {{dt::f32, dims(max_rank, 1), {3}, {}}},
                        {dt::u8, {}})
                        .values,
            ElementsAre(3));
    EXPECT_THAT(run_one(op_kind::Quantize, per_channel(1, {}), {{dt::f32, {2, 0}, {}, {}}},
                        {dt::u8, {}})
                        .values,
            ElementsAre());
}

TEST(ops_quantize, errors) {
    auto spec = [](const ir::attr_list &attrs, dt dst = dt::s8) {
        return make_spec(op_kind::Quantize, attrs, {{dt::f32, {2, 3}}}, {dst});
    };
    const status bad = status::invalid_graph_op;
    expect_error(bad, spec({}), "attribute scales is required");
    expect_error(bad, spec({{op_attr::scales, f32s{1, 2}}}),
            "attribute scales has 2 values; expected 1 for qtype per_tensor");
    expect_error(bad, spec({{op_attr::scales, f32s{}}}), "attribute scales has 0 values");
    expect_error(bad, spec({{op_attr::scales, f32s{1}}, {op_attr::zps, s64s{1, 2}}}),
            "attribute zps has 2 values; expected 1, as many as scales");
    expect_error(bad, spec(per_channel(1, {1, 2, 3}, {1})),
            "attribute zps has 1 values; expected 3, as many as scales");
    expect_error(bad, spec(per_tensor(1, 0), dt::f8_e4m3),
            "f8_e4m3 has no zero points, but attribute zps is set");
    expect_error(bad, spec(per_channel(2, {1})), "attribute axis is 2, but src has rank 2");
    expect_error(bad, spec(per_tensor(1), dt::s32), "has data type s32; allowed: s8 u8 f8_e5m2");
    expect_error(bad,
            spec({{op_attr::qtype, std::string("per_group")}, {op_attr::scales, f32s{1}}}),
            "qtype is \"per_group\"");
    expect_error(status::invalid_shape, spec(per_channel(1, {1, 2})),
            "attribute scales has 2 values, but axis 1 of src 2x3 has 3");
    EXPECT_EQ(inferred_shape(make_spec(op_kind::Quantize, per_channel(1, {1, 2}),
                      {{dt::f32, {2, unknown_dim}}}, {dt::u8})),
            "2x?");
}

TEST(ops_dequantize, literal_values) {
    EXPECT_THAT(run_one(op_kind::Dequantize, per_tensor(0.5f, 128),
                        {{dt::u8, {4}, {0, 127, 128, 255}, {}}})
                        .values,
            ElementsAre(-64, -0.5, 0, 63.5));
    EXPECT_THAT(
            run_one(op_kind::Dequantize, per_tensor(2), {{dt::s8, {2}, {-128, 127}, {}}}).values,
            ElementsAre(-256, 254));
    EXPECT_THAT(run_one(op_kind::Dequantize, per_channel(0, {1, 10}, {1, 2}),
                        {{dt::s8, {2, 2}, {1, 2, 3, 4}, {1, 3}}}, {dt::bf16, {4, 2}})
                        .values,
            ElementsAre(0, 1, 10, 20));
    for (dt type : {dt::f8_e5m2, dt::f8_e4m3})
        EXPECT_THAT(run_one(op_kind::Dequantize, per_tensor(4), {{type, {2}, {1.5, -0.25}, {}}},
                            {dt::f16, {}})
                            .values,
                ElementsAre(6, -1));
}

TEST(ops_dequantize, errors) {
    const status bad = status::invalid_graph_op;
    expect_error(bad,
            make_spec(op_kind::Dequantize, per_tensor(1, 1), {{dt::f8_e5m2, {2}}}, {dt::f32}),
            "f8_e5m2 has no zero points, but attribute zps is set");
    expect_error(bad, make_spec(op_kind::Dequantize, per_tensor(1), {{dt::f32, {2}}}, {dt::f32}),
            "src (tensor 0) has data type f32");
    expect_error(bad, make_spec(op_kind::Dequantize, per_tensor(1), {{dt::u8, {2}}}, {dt::f64}),
            "dst (tensor 100) has data type f64");
    expect_error(status::invalid_shape,
            make_spec(op_kind::Dequantize, per_channel(-2, {1}), {{dt::u8, {2, 4}}}, {dt::f32}),
            "attribute scales has 1 values, but axis 0 of src 2x4 has 2");
}

TEST(ops_dynamic_quantize, literal_values) {
    const operand src = {dt::f32, {2, 2}, {1, 2.5, -3, 200}, {}};
    for (const dims &shape : {dims{}, dims{1}}) {
        const operand scale = {dt::f32, shape, {0.5}, {}};
        EXPECT_THAT(run_one(op_kind::DynamicQuantize, {}, {src, scale}, {dt::s8, {}}).values,
                ElementsAre(2, 5, -6, 127));
        for (dt zp_type : {dt::u8, dt::s8, dt::s32})
            EXPECT_THAT(run_one(op_kind::DynamicQuantize, {},
                                {src, scale, {zp_type, shape, {4}, {}}}, {dt::u8, {}})
                                .values,
                    ElementsAre(6, 9, 0, 255));
    }
    const operand scales = {dt::f32, {2}, {1, 0.5}, {3}};
    EXPECT_THAT(run_one(op_kind::DynamicQuantize, dynamic_per_channel(-1),
                        {src, scales, {dt::s32, {2}, {0, 1000}, {2}}}, {dt::u8, {}})
                        .values,
            ElementsAre(1, 255, 0, 255));
    EXPECT_THAT(
            run_one(op_kind::DynamicQuantize, dynamic_per_channel(0), {src, scales}, {dt::s8, {}})
                    .values,
            ElementsAre(1, 2, -6, 127));
}

TEST(ops_dynamic_dequantize, per_tensor_and_per_channel) {
    const operand src = {dt::s8, {2, 2}, {1, 2, 3, -4}, {1, 2}};
    for (dt type : {dt::f32, dt::bf16, dt::f16}) {
        const operand scales = {type, {2}, {0.5, 2}, {}};
        EXPECT_THAT(run_one(op_kind::DynamicDequantize, dynamic_per_channel(1), {src, scales},
                            {type, {}})
                            .values,
                ElementsAre(0.5, 4, 1.5, -8));
        EXPECT_THAT(run_one(op_kind::DynamicDequantize, dynamic_per_channel(0),
                            {src, scales, {dt::s8, {2}, {1, -1}, {}}}, {type, {}})
                            .values,
                ElementsAre(0, 0.5, 8, -6));
        // One zero point for all channels
        for (const dims &shape : {dims{}, dims{1}})
            EXPECT_THAT(run_one(op_kind::DynamicDequantize, dynamic_per_channel(0),
                                {src, scales, {dt::s32, shape, {1}, {}}}, {type, {}})
                                .values,
                    ElementsAre(0, 0.5, 4, -10));
        EXPECT_THAT(run_one(op_kind::DynamicDequantize, {}, {src, {type, {}, {3}, {}}}, {type, {}})
                            .values,
                ElementsAre(3, 6, 9, -12));
    }
}

TEST(ops_dynamic_dequantize, per_group) {
    // Groups of two along the last axis, of one along the first
    const operand src = {dt::u8, {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}, {}};
    const operand scales = {dt::f16, {2, 2}, {1, 10, 100, 0.5}, {1, 2}};
    const operand zps = {dt::u8, {2, 2}, {1, 3, 5, 0}, {}};
    EXPECT_THAT(run_one(op_kind::DynamicDequantize, per_group({1, 2}), {src, scales, zps},
                        {dt::f16, {9, 2}})
                        .values,
            ElementsAre(0, 1, 0, 10, 0, 100, 3.5, 4));
    EXPECT_THAT(run_one(op_kind::DynamicDequantize, per_group({2, 4}),
                        {src, {dt::f32, {1, 1}, {2}, {}}})
                        .values,
            ElementsAre(2, 4, 6, 8, 10, 12, 14, 16));
}

// Shapes as in a decoder's compressed keys, where the group runs along the second to last axis and
// the last but one axis of src is the contiguous one.
TEST(ops_dynamic_dequantize, groups_of_a_transposed_source) {
    const operand src = {dt::s8, {1, 1, 4, 2}, iota(8), {8, 8, 1, 4}};
    const operand scales = {dt::f32, {1, 1, 2, 2}, {1, 10, 100, 1000}, {}};
    EXPECT_THAT(run_one(op_kind::DynamicDequantize, per_group({1, 1, 2, 1}), {src, scales}).values,
            ElementsAre(0, 10, 2, 30, 400, 5000, 600, 7000));
}

TEST(ops_dynamic_dequantize, empty_tensors) {
    EXPECT_THAT(run_one(op_kind::DynamicDequantize, per_group({1, 2}),
                        {{dt::s8, {0, 4}, {}, {}}, {dt::f32, {0, 2}, {}, {}}})
                        .values,
            ElementsAre());
    EXPECT_THAT(run_one(op_kind::DynamicDequantize, dynamic_per_channel(1),
                        {{dt::s8, {2, 0}, {}, {}}, {dt::f32, {0}, {}, {}}})
                        .values,
            ElementsAre());
}

TEST(ops_dynamic_dequantize, check_errors) {
    auto spec = [](const ir::attr_list &attrs, dt src = dt::s8, dt scales = dt::f32) {
        return make_spec(
                op_kind::DynamicDequantize, attrs, {{src, {2, 4}}, {scales, {2, 2}}}, {dt::f32});
    };
    const status bad = status::invalid_graph_op;
    expect_error(bad, spec(dynamic_per_channel(2)), "attribute axis is 2, but src has rank 2");
    expect_error(bad, spec({{op_attr::qtype, std::string("per_group")}}),
            "attribute group_shape has 0 values; expected 2 to 12 for qtype per_group");
    expect_error(bad, spec(per_group({2})), "attribute group_shape has 1 values");
    expect_error(bad, spec(per_group({1, 0})),
            "attribute group_shape has 0 at axis 1; expected 1 or more");
    expect_error(bad, spec(per_group({1, 2}), dt::s4), "src (tensor 0) has data type s4");
    expect_error(bad, spec(per_group({1, 2}), dt::s8, dt::bf16), "they must be equal");
    expect_error(bad,
            make_spec(op_kind::DynamicQuantize, per_group({1, 2}),
                    {{dt::f32, {2, 4}}, {dt::f32, {2, 2}}}, {dt::s8}),
            "qtype is \"per_group\"; allowed: \"per_tensor\", \"per_channel\"");
}

TEST(ops_dynamic_dequantize, shape_errors) {
    auto spec = [](const ir::attr_list &attrs, const dims &scales, const dims &zps = {}) {
        return make_spec(op_kind::DynamicDequantize, attrs,
                {{dt::s8, {2, 6}}, {dt::f32, scales}, {dt::s8, zps}}, {dt::f32});
    };
    const status bad = status::invalid_shape;
    expect_error(bad, spec({}, {1, 1}), "scales is 1x1; expected rank 0 or 1 for qtype per_tensor");
    expect_error(bad, spec({}, {2}), "scales has 2 elements; expected 1 for qtype per_tensor");
    expect_error(bad, spec({}, {1}, {2}), "zps has 2 elements; expected 1 for qtype per_tensor");
    expect_error(bad, spec(dynamic_per_channel(1), {2}),
            "scales has 2 elements, but axis 1 of src 2x6 has 6");
    expect_error(bad, spec(dynamic_per_channel(1), {}),
            "scales is scalar; expected rank 1 for qtype per_channel");
    expect_error(bad, spec(dynamic_per_channel(1), {6}, {2}),
            "zps has 2 elements, but axis 1 of src 2x6 has 6");
    expect_error(bad, spec(per_group({1, 4}), {2, 1}),
            "axis 1 of src 2x6 has 6, which is no multiple of group_shape's 4");
    expect_error(bad, spec(per_group({1, 3}), {2, 3}),
            "axis 1 of scales 2x3 has 3; src 2x6 in groups of 3 expects 2");
    expect_error(bad, spec(per_group({1, 3}), {2, 2}, {2, 1}), "axis 1 of zps 2x1 has 1");
    expect_error(bad, spec(per_group({1, 3}), {2}), "scales 2 has rank 1; expected src's, 2");
    expect_error(bad, spec(per_group({1, 1, 3}), {2, 2}),
            "src 2x6 has rank 2; qtype per_group with a group_shape of 3 expects rank 3");
}

TEST(ops_dynamic_dequantize, shapes_may_be_unknown) {
    ir::op_spec spec = make_spec(op_kind::DynamicDequantize, per_group({1, 4}),
            {{dt::s8, {unknown_dim, 8}}, {dt::f32, {3, unknown_dim}}}, {dt::f32});
    EXPECT_EQ(inferred_shape(spec), "?x8");
    spec.inputs[1] = of_unknown_rank(1, dt::f32);
    EXPECT_EQ(inferred_shape(spec), "?x8");
    spec.inputs[0] = of_unknown_rank(0, dt::s8);
    spec.inputs[1] = make_port(1, dt::f32, {3, 2});
    EXPECT_EQ(inferred_shape(spec), "unknown rank");
}

} // namespace
} // namespace tern::ops
