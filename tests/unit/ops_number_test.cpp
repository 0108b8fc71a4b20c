// SPDX-License-Identifier: Apache-2.0

// Mod, Erf, Floor, Ceil, Sign, IsNaN and IsInf: literal values, special values, errors.

#include <cmath>
#include <limits>

#include "op_bits.hpp"

namespace tern::ops {
namespace {

using dt = data_type;
using k = op_kind;
using testing::ElementsAre;

const double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();
const std::vector<dt> floats = {dt::f32, dt::bf16, dt::f16, dt::f64};
const ir::attr_list c_rule = {{op_attr::fmod, true}};

operand line(dt type, const std::vector<double> &values) {
    return {type, {static_cast<std::int64_t>(values.size())}, values, {}};
}
std::vector<double> of_one(k kind, dt type, const std::vector<double> &src) {
    return run_one(kind, {}, {line(type, src)}, {type, {}}).values;
}
std::vector<double> rest(dt type, const std::vector<double> &a, const std::vector<double> &b,
        const ir::attr_list &attrs = {}) {
    return run_one(k::Mod, attrs, {line(type, a), line(type, b)}, {type, {}}).values;
}
bits answers(k kind, const ir::attr_list &attrs, dt type, std::initializer_list<double> src) {
    return run_bits(kind, attrs, {row_of(type, src)}, dt::boolean);
}

// --- Mod

TEST(ops_mod, signed_integers) {
    for (dt type : {dt::s8, dt::s16, dt::s32, dt::s64}) {
        // The examples of ONNX's page.
        EXPECT_THAT(rest(type, {-4, 7, 5, 4, -7, 8}, {2, -3, 8, -2, 3, 5}),
                ElementsAre(0, -2, 5, 0, 2, 3));
        EXPECT_THAT(rest(type, {-4, 7, 5, 4, -7, 8}, {2, -3, 8, -2, 3, 5}, c_rule),
                ElementsAre(0, 1, 5, 0, -1, 3));
        EXPECT_THAT(rest(type, {5, -5, 0}, {0, 0, 0}), ElementsAre(0, 0, 0));
    }
    const std::int64_t least = std::numeric_limits<std::int64_t>::min();
    EXPECT_EQ(run_bits(k::Mod, {},
                      {integers(dt::s64, {least, least, least}),
                              integers<std::int64_t>(dt::s64, {-1, 3, 10})},
                      dt::s64),
            (bits{0, 1, 2})); // -9223372036854775808 is -3074457345618258603 * 3 + 1
    EXPECT_THAT(rest(dt::s8, {-128, -128}, {-1, 127}), ElementsAre(0, 126));
}

TEST(ops_mod, unsigned_integers) {
    for (dt type : {dt::u8, dt::u16, dt::u32, dt::u64})
        for (const ir::attr_list &attrs : {ir::attr_list{}, c_rule})
            EXPECT_THAT(rest(type, {4, 7, 5, 9}, {2, 3, 8, 0}, attrs), ElementsAre(0, 1, 5, 0));
    EXPECT_EQ(run_bits(k::Mod, {},
                      {integers<std::uint64_t>(dt::u64, {0xFFFFFFFFFFFFFFFF, 5}),
                              integers<std::uint64_t>(dt::u64, {10, 0xFFFFFFFFFFFFFFFF})},
                      dt::u64),
            (bits{5, 5}));
}

TEST(ops_mod, floating_point) {
    for (dt type : floats) {
        EXPECT_THAT(rest(type, {-4.25, 7.5, 5, 4.5, -7.5, 8}, {2, -3, 8, -2, 3, 5}, c_rule),
                ElementsAre(-0.25, 1.5, 5, 0.5, -1.5, 3));
        EXPECT_THAT(rest(type, {3, -3}, {inf, -inf}, c_rule), ElementsAre(3, -3));
        EXPECT_TRUE(std::isnan(rest(type, {3}, {0}, c_rule)[0]));
        EXPECT_TRUE(std::isnan(rest(type, {inf}, {3}, c_rule)[0]));
        EXPECT_TRUE(std::isnan(rest(type, {nan}, {3}, c_rule)[0]));
    }
    EXPECT_EQ(run_bits(k::Mod, c_rule, {row_of(dt::f32, {-6}), row_of(dt::f32, {3})}, dt::f32),
            (bits{0x80000000})); // -0, as C's
}

TEST(ops_mod, broadcasts) {
    const operand dst = run_one(k::Mod, {},
            {{dt::s32, {2, 1}, {7, 8}, {}}, {dt::s32, {3}, {2, 3, -5}, {2}}}, {dt::s32, {1, 2}});
    EXPECT_EQ(dst.shape, dims({2, 3}));
    EXPECT_THAT(dst.values, ElementsAre(1, 1, -3, 0, 2, -2));
}

TEST(ops_mod, errors) {
    auto spec = [](const ir::attr_list &attrs, dt a, dt b) {
        return make_spec(k::Mod, attrs, {{a, {2}}, {b, {2}}}, {a});
    };
    const status bad = status::invalid_graph_op;
    expect_error(bad, spec({}, dt::f32, dt::f32),
            "src_0 has data type f32: attribute fmod must be true");
    expect_error(bad, spec({}, dt::s32, dt::s64), "they must be equal");
    expect_error(bad, spec(c_rule, dt::boolean, dt::boolean), "has data type boolean; allowed: ");
    expect_error(bad, spec({{op_attr::fmod, std::int64_t{1}}}, dt::s32, dt::s32),
            "attribute fmod has type s64, expected bool");
}

// --- Erf

TEST(ops_erf, values) {
    // Digits from tables.
    auto value = [](double x) { return of_one(k::Erf, dt::f64, {x})[0]; };
    EXPECT_NEAR(value(0.5), 0.5204998778130465, 1e-15);
    EXPECT_NEAR(value(1), 0.8427007929497149, 1e-15);
    EXPECT_NEAR(value(-2), -0.9953222650189527, 1e-15);
    EXPECT_DOUBLE_EQ(value(1e-20), 1.1283791670955126e-20);
    for (dt type : floats) {
        EXPECT_THAT(of_one(k::Erf, type, {0, 10, -10, inf, -inf}), ElementsAre(0, 1, -1, 1, -1));
        EXPECT_TRUE(std::isnan(of_one(k::Erf, type, {nan})[0]));
    }
    EXPECT_EQ(of_one(k::Erf, dt::f32, {1})[0], static_cast<double>(0.842700793F));
    EXPECT_EQ(run_bits(k::Erf, {}, {row_of(dt::f32, {-0.0})}, dt::f32), (bits{0x80000000}));
}

// --- Floor, Ceil, Sign

TEST(ops_floor, values) {
    for (dt type : floats) {
        EXPECT_THAT(of_one(k::Floor, type, {-1.5, 1.2, 2, -2, 0.25, -0.25, inf, -inf}),
                ElementsAre(-2, 1, 2, -2, 0, -1, inf, -inf));
        EXPECT_TRUE(std::isnan(of_one(k::Floor, type, {nan})[0]));
    }
    EXPECT_THAT(of_one(k::Floor, dt::f32, {8388607.5, -8388607.5, 16777216, 1e30}),
            ElementsAre(8388607, -8388608, 16777216, static_cast<double>(1e30F)));
    EXPECT_EQ(run_bits(k::Floor, {}, {row_of(dt::f32, {-0.0, 0x1p-149, -0x1p-149})}, dt::f32),
            (bits{0x80000000, 0, 0xBF800000}));
}

TEST(ops_ceil, values) {
    for (dt type : floats) {
        EXPECT_THAT(of_one(k::Ceil, type, {-1.5, 1.25, 2, -2, 0.25, inf, -inf}),
                ElementsAre(-1, 2, 2, -2, 1, inf, -inf));
        EXPECT_TRUE(std::isnan(of_one(k::Ceil, type, {nan})[0]));
    }
    EXPECT_THAT(of_one(k::Ceil, dt::f32, {8388607.5, -8388607.5}), ElementsAre(8388608, -8388607));
    EXPECT_EQ(run_bits(k::Ceil, {}, {row_of(dt::f32, {-0.0, 0x1p-149, -0x1p-149})}, dt::f32),
            (bits{0x80000000, 0x3F800000, 0x80000000}));
}

TEST(ops_sign, values) {
    for (dt type : floats) {
        EXPECT_THAT(of_one(k::Sign, type, {-1.5, 0, 2, inf, -inf}), ElementsAre(-1, 0, 1, 1, -1));
        EXPECT_TRUE(std::isnan(of_one(k::Sign, type, {nan})[0]));
    }
    for (dt type : {dt::s8, dt::s16, dt::s32, dt::s64})
        EXPECT_THAT(of_one(k::Sign, type, {-128, 0, 5}), ElementsAre(-1, 0, 1));
    for (dt type : {dt::u8, dt::u16, dt::u32, dt::u64})
        EXPECT_THAT(of_one(k::Sign, type, {0, 5, 255}), ElementsAre(0, 1, 1));
    EXPECT_EQ(run_bits(k::Sign, {}, {integers<std::uint64_t>(dt::u64, {0xFFFFFFFFFFFFFFFF})},
                      dt::u64),
            (bits{1}));
    EXPECT_EQ(run_bits(k::Sign, {}, {row_of(dt::f32, {-0.0, 0x1p-149, -0x1p-149})}, dt::f32),
            (bits{0, 0x3F800000, 0xBF800000}));
}

// --- IsNaN, IsInf

TEST(ops_is_nan, answers) {
    for (dt type : floats)
        EXPECT_EQ(answers(k::IsNaN, {}, type, {nan, 0, inf, -inf, 1, -nan}),
                (bits{1, 0, 0, 0, 0, 1}));
    for (dt type : {dt::f8_e5m2, dt::f8_e4m3})
        EXPECT_EQ(answers(k::IsNaN, {}, type, {nan, 0, 1}), (bits{1, 0, 0}));
}

TEST(ops_is_inf, answers) {
    const ir::attr_list below = {{op_attr::detect_positive, false}};
    const ir::attr_list above = {{op_attr::detect_negative, false}};
    ir::attr_list neither = below;
    neither.push_back(above[0]);
    for (dt type : {dt::f32, dt::bf16, dt::f16, dt::f64, dt::f8_e5m2}) {
        const auto src = {nan, 0.0, inf, -inf, 1.0};
        EXPECT_EQ(answers(k::IsInf, {}, type, src), (bits{0, 0, 1, 1, 0}));
        EXPECT_EQ(answers(k::IsInf, below, type, src), (bits{0, 0, 0, 1, 0}));
        EXPECT_EQ(answers(k::IsInf, above, type, src), (bits{0, 0, 1, 0, 0}));
        EXPECT_EQ(answers(k::IsInf, neither, type, src), (bits{0, 0, 0, 0, 0}));
    }
}

TEST(ops_number, shapes_strides_and_errors) {
    for (k kind : {k::Erf, k::Floor, k::Ceil, k::Sign, k::IsNaN, k::IsInf}) {
        const bool is_answer = kind == k::IsNaN || kind == k::IsInf;
        const dt type = is_answer ? dt::boolean : dt::f32;
        ir::op_spec spec = make_spec(kind, {}, {{dt::f32, {unknown_dim, 3}}}, {type});
        EXPECT_EQ(inferred_shape(spec), "?x3");
        spec.outputs[0] = make_port(100, type, {5, 4});
        expect_error(status::invalid_shape, spec, "axis 1 has 4, expected 3");
        expect_error(status::invalid_graph_op,
                make_spec(kind, {}, {{dt::boolean, {2}}}, {dt::boolean}),
                "src (tensor 0) has data type boolean; allowed: ");
        EXPECT_EQ(run_one(kind, {}, {{dt::f32, {3, 0}, {}, {}}}, {type, {}}).shape, dims({3, 0}));
    }
    EXPECT_THAT(run_one(k::Floor, {}, {{dt::f32, {2, 3}, {1.5, 2.5, 3.5, 4.5, 5.5, 6.5}, {1, 2}}},
                        {dt::f32, {11, 3}})
                        .values,
            ElementsAre(1, 2, 3, 4, 5, 6));
}

} // namespace
} // namespace tern::ops
