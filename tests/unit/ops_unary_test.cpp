// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "op_bits.hpp"

namespace tern::ops {
namespace {

using dt = data_type;
using k = op_kind;
using testing::DoubleNear;
using testing::ElementsAre;

const double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();
const std::vector<dt> floats = {dt::f32, dt::bf16, dt::f16, dt::f64};

struct unary {
    k kind;
    ir::attr_list attrs;
};

/// All of them, each with attributes that make it legal.
const std::vector<unary> all_ops = {{k::Abs, {}}, {k::Exp, {}}, {k::Log, {}}, {k::Sqrt, {}},
        {k::Square, {}}, {k::Reciprocal, {}}, {k::Round, {}}, {k::Tanh, {}}, {k::Sigmoid, {}},
        {k::ReLU, {}}, {k::HardSwish, {}}, {k::Mish, {}}, {k::Neg, {}}, {k::GELU, {}},
        {k::SoftPlus, {}}, {k::Clamp, {{op_attr::min, -1.0F}, {op_attr::max, 1.0F}}},
        {k::Elu, {{op_attr::alpha, 1.0F}}}, {k::LeakyReLU, {{op_attr::alpha, 1.0F}}},
        {k::HardSigmoid, {{op_attr::alpha, 1.0F}, {op_attr::beta, 0.0F}}},
        {k::Pow, {{op_attr::beta, 2.0F}}}, {k::Erf, {}}, {k::Floor, {}}, {k::Ceil, {}},
        {k::Sign, {}}};

std::vector<double> values(k kind, const std::vector<double> &src, const ir::attr_list &attrs = {},
        dt type = dt::f32) {
    return run_one(
            kind, attrs, {{type, {static_cast<std::int64_t>(src.size())}, src, {}}}, {type, {}})
            .values;
}

/// One element, in double.
double value(k kind, double src, const ir::attr_list &attrs = {}) {
    return values(kind, {src}, attrs, dt::f64)[0];
}

ir::attr_list alpha(float a) {
    return {{op_attr::alpha, a}};
}
ir::attr_list beta(float b) {
    return {{op_attr::beta, b}};
}
ir::attr_list bounds(float least, float most) {
    return {{op_attr::min, least}, {op_attr::max, most}};
}
ir::attr_list mode(const char *name) {
    return {{op_attr::mode, std::string(name)}};
}

TEST(ops_unary, exact_ones_in_every_floating_type) {
    for (dt type : floats) {
        const std::vector<double> src = {-2, -0.5, 0, 0.5, 4};
        EXPECT_THAT(values(k::Abs, src, {}, type), ElementsAre(2, 0.5, 0, 0.5, 4));
        EXPECT_THAT(values(k::Neg, src, {}, type), ElementsAre(2, 0.5, 0, -0.5, -4));
        EXPECT_THAT(values(k::ReLU, src, {}, type), ElementsAre(0, 0, 0, 0.5, 4));
        EXPECT_THAT(values(k::Square, src, {}, type), ElementsAre(4, 0.25, 0, 0.25, 16));
        EXPECT_THAT(values(k::Round, src, {}, type), ElementsAre(-2, 0, 0, 0, 4));
        EXPECT_THAT(values(k::Clamp, src, bounds(-1, 0.25F), type),
                ElementsAre(-1, -0.5, 0, 0.25, 0.25));
        EXPECT_THAT(values(k::LeakyReLU, src, alpha(0.25F), type),
                ElementsAre(-0.5, -0.125, 0, 0.5, 4));
        EXPECT_THAT(values(k::Reciprocal, {-2, 0.5, 4}, {}, type), ElementsAre(-0.5, 2, 0.25));
        EXPECT_THAT(values(k::Sqrt, {0, 0.25, 4}, {}, type), ElementsAre(0, 0.5, 2));
        EXPECT_THAT(values(k::Pow, {-2, 0.5, 4}, beta(3), type), ElementsAre(-8, 0.125, 64));
        EXPECT_THAT(values(k::HardSigmoid, {-8, -1, 0, 8},
                            {{op_attr::alpha, 0.25F}, {op_attr::beta, 0.5F}}, type),
                ElementsAre(0, 0.25, 0.5, 1));
        EXPECT_THAT(values(k::HardSwish, {-4, -3, 0, 3, 4}, {}, type), ElementsAre(0, 0, 0, 3, 4));
        EXPECT_THAT(values(k::Exp, {0}, {}, type), ElementsAre(1));
        EXPECT_THAT(values(k::Log, {1}, {}, type), ElementsAre(0));
        EXPECT_THAT(values(k::Tanh, {0}, {}, type), ElementsAre(0));
        EXPECT_THAT(values(k::Sigmoid, {0}, {}, type), ElementsAre(0.5));
        EXPECT_THAT(values(k::Elu, {0, 3}, alpha(2), type), ElementsAre(0, 3));
        EXPECT_THAT(values(k::GELU, {0}, {}, type), ElementsAre(0));
        EXPECT_THAT(values(k::Mish, {0}, {}, type), ElementsAre(0));
    }
}

// Digits from tables, not from this library.
TEST(ops_unary, transcendental_values) {
    EXPECT_NEAR(value(k::Exp, 1), 2.718281828459045, 1e-15);
    EXPECT_NEAR(value(k::Exp, -1), 0.36787944117144233, 1e-16);
    EXPECT_NEAR(value(k::Log, 2), 0.6931471805599453, 1e-16);
    EXPECT_NEAR(value(k::Tanh, 1), 0.7615941559557649, 1e-15);
    EXPECT_NEAR(value(k::Sigmoid, 1), 0.7310585786300049, 1e-15);
    EXPECT_NEAR(value(k::Sigmoid, -1), 0.2689414213699951, 1e-15);
    EXPECT_NEAR(value(k::GELU, 1), 0.8413447460685429, 1e-15);
    EXPECT_NEAR(value(k::GELU, -1), -0.15865525393145707, 1e-15);
    EXPECT_NEAR(value(k::GELU, 1, mode("gelu_erf")), 0.8413447460685429, 1e-15);
    EXPECT_NEAR(value(k::GELU, 1, mode("gelu_tanh")), 0.8411919906082768, 1e-15);
    EXPECT_NEAR(value(k::GELU, -1, mode("gelu_tanh")), -0.15880800939172324, 1e-15);
    EXPECT_NEAR(value(k::SoftPlus, 0), 0.6931471805599453, 1e-15);
    EXPECT_NEAR(value(k::SoftPlus, 1), 1.3132616875182228, 1e-15);
    EXPECT_NEAR(value(k::SoftPlus, 0, beta(2)), 0.34657359027997264, 1e-15);
    EXPECT_NEAR(value(k::SoftPlus, 1, beta(-1)), -0.3132616875182228, 1e-15);
    EXPECT_NEAR(value(k::Mish, 1), 0.8650983882673103, 1e-15);
    EXPECT_NEAR(value(k::Elu, -1, alpha(2)), -1.2642411176571153, 1e-15);
    EXPECT_NEAR(value(k::HardSwish, 1), 0.6666666666666666, 1e-15);
    EXPECT_NEAR(value(k::Pow, 2, beta(0.5F)), 1.4142135623730951, 1e-15);
}

// Where the formula as written would lose all digits or overflow on its way.
TEST(ops_unary, small_and_large_values) {
    EXPECT_DOUBLE_EQ(value(k::Elu, -1e-20, alpha(1)), -1e-20);
    EXPECT_DOUBLE_EQ(value(k::SoftPlus, -40), 4.248354255291589e-18);
    EXPECT_EQ(value(k::SoftPlus, 1000), 1000);
    EXPECT_EQ(value(k::Mish, 1000), 1000);
    EXPECT_EQ(value(k::Sigmoid, -1000), 0);
    EXPECT_EQ(value(k::Sigmoid, 1000), 1);
    EXPECT_NEAR(value(k::Sigmoid, -40), 4.248354255291589e-18, 1e-32);
    EXPECT_EQ(value(k::GELU, 100), 100);
    EXPECT_EQ(value(k::GELU, 100, mode("gelu_tanh")), 100);
    // -8 / (1 + exp(2u)) with u = 0.7978845608 * (8 + 0.044715 * 512) = 24.64990945
    EXPECT_NEAR(value(k::GELU, -8, mode("gelu_tanh")) / -3.10778293750110e-21, 1, 1e-12);
    EXPECT_NEAR(value(k::GELU, -8) / -4.9767e-15, 1, 1e-4);
    EXPECT_EQ(values(k::Exp, {100, -200})[0], inf); // f32
    EXPECT_EQ(values(k::Exp, {100, -200})[1], 0);
    EXPECT_EQ(values(k::Square, {300}, {}, dt::f16)[0], inf);
}

TEST(ops_unary, infinities) {
    for (k kind : {k::Abs, k::Exp, k::Log, k::Sqrt, k::Square, k::ReLU, k::Round, k::HardSwish,
                 k::Mish, k::GELU, k::SoftPlus})
        EXPECT_EQ(value(kind, inf), inf) << ir::name_of(kind);
    EXPECT_EQ(value(k::Abs, -inf), inf);
    EXPECT_EQ(value(k::Neg, inf), -inf);
    EXPECT_EQ(value(k::Exp, -inf), 0);
    EXPECT_EQ(value(k::Tanh, -inf), -1);
    EXPECT_EQ(value(k::Sigmoid, inf), 1);
    EXPECT_EQ(value(k::Sigmoid, -inf), 0);
    EXPECT_EQ(value(k::ReLU, -inf), 0);
    EXPECT_EQ(value(k::SoftPlus, -inf), 0);
    EXPECT_EQ(value(k::Elu, -inf, alpha(2)), -2);
    EXPECT_EQ(value(k::LeakyReLU, -inf, alpha(0.5F)), -inf);
    EXPECT_EQ(value(k::Clamp, -inf, bounds(-3, 3)), -3);
    EXPECT_EQ(value(k::Clamp, inf, bounds(-3, 3)), 3);
    EXPECT_EQ(value(k::HardSigmoid, -inf, all_ops[18].attrs), 0);
    EXPECT_EQ(value(k::Reciprocal, 0), inf);
    EXPECT_EQ(value(k::Reciprocal, -0.0), -inf);
    EXPECT_EQ(value(k::Log, 0), -inf);
    // -inf * 0, as the formulas have it
    for (k kind : {k::HardSwish, k::Mish, k::GELU})
        EXPECT_TRUE(std::isnan(value(kind, -inf))) << ir::name_of(kind);
}

TEST(ops_unary, nan) {
    for (const unary &op : all_ops)
        for (dt type : floats)
            EXPECT_TRUE(std::isnan(values(op.kind, {nan}, op.attrs, type)[0]))
                    << ir::name_of(op.kind);
    EXPECT_TRUE(std::isnan(value(k::Log, -1)));
    EXPECT_TRUE(std::isnan(value(k::Sqrt, -1)));
    EXPECT_TRUE(std::isnan(value(k::Pow, -2, beta(0.5F))));
    EXPECT_EQ(value(k::Pow, nan, beta(0)), 1); // C's rule
}

TEST(ops_unary, signs_and_denormals) {
    const row zeros = row_of(dt::f32, {0.0, -0.0});
    EXPECT_EQ(run_bits(k::Abs, {}, {zeros}, dt::f32), (bits{0, 0}));
    EXPECT_EQ(run_bits(k::Neg, {}, {zeros}, dt::f32), (bits{0x80000000, 0}));
    for (k kind : {k::Round, k::Sqrt, k::Tanh})
        EXPECT_EQ(run_bits(kind, {}, {zeros}, dt::f32), (bits{0, 0x80000000})) << ir::name_of(kind);
    EXPECT_EQ(run_bits(k::Round, {}, {row_of(dt::f32, {-0.25})}, dt::f32), bits{0x80000000});
    const row denormals = row_of(dt::f32, {0x1p-149, -0x1p-149});
    EXPECT_EQ(run_bits(k::Abs, {}, {denormals}, dt::f32), (bits{1, 1}));
    EXPECT_EQ(run_bits(k::Neg, {}, {denormals}, dt::f32), (bits{0x80000001, 1}));
    EXPECT_EQ(run_bits(k::ReLU, {}, {denormals}, dt::f32)[0], 1U);
    EXPECT_EQ(run_bits(k::Tanh, {}, {denormals}, dt::f32), (bits{1, 0x80000001}));
}

TEST(ops_unary, round_takes_the_even_one_of_two) {
    EXPECT_THAT(values(k::Round, {0.5, 1.5, 2.5, -0.5, -1.5, -2.5, 2.4999, 8388609, 1e30}),
            ElementsAre(0, 2, 2, 0, -2, -2, 2, 8388609, static_cast<double>(1e30F)));
    EXPECT_THAT(values(k::Round, {0.5, 1.5, 2.5, 1023.5}, {}, dt::f16), ElementsAre(0, 2, 2, 1024));
    EXPECT_THAT(values(k::Round, {0.5, 1.5, 2.5, 127.5}, {}, dt::bf16), ElementsAre(0, 2, 2, 128));
}

TEST(ops_unary, rounds_once_to_the_type) {
    EXPECT_EQ(values(k::Reciprocal, {3})[0], static_cast<double>(1.0F / 3.0F));
    // 257^2 = 66049, and bf16 has no 257: 258^2 = 66564 lies next to 66560, of a grid of 512.
    EXPECT_EQ(values(k::Square, {258}, {}, dt::bf16)[0], 66560);
    EXPECT_EQ(values(k::Square, {47}, {}, dt::f16)[0], 2208); // 2209: between 2208 and 2210
    EXPECT_EQ(values(k::Clamp, {0.5}, bounds(0, 0.1F), dt::bf16)[0], 0.10009765625);
}

TEST(ops_unary, clamp_with_bounds_in_the_wrong_order) {
    EXPECT_THAT(values(k::Clamp, {-5, 0, 5}, bounds(2, 1)), ElementsAre(1, 1, 1));
}

TEST(ops_unary, integers) {
    for (dt type : {dt::s8, dt::s16, dt::s32, dt::s64}) {
        EXPECT_THAT(values(k::Abs, {-3, 0, 5}, {}, type), ElementsAre(3, 0, 5));
        EXPECT_THAT(values(k::Neg, {-3, 0, 5}, {}, type), ElementsAre(3, 0, -5));
        EXPECT_THAT(values(k::ReLU, {-3, 0, 5}, {}, type), ElementsAre(0, 0, 5));
        EXPECT_THAT(values(k::Square, {-3, 0, 5}, {}, type), ElementsAre(9, 0, 25));
    }
    const std::int64_t least = std::numeric_limits<std::int64_t>::min();
    const std::int64_t beyond = (std::int64_t{1} << 53) + 1;
    for (k kind : {k::Abs, k::Neg}) {
        EXPECT_EQ(run_bits(kind, {}, {integers(dt::s64, {least})}, dt::s64),
                bits{0x8000000000000000});
        EXPECT_EQ(run_bits(kind, {}, {integers(dt::s8, {-128})}, dt::s8), bits{0x80});
        EXPECT_EQ(run_bits(kind, {}, {integers(dt::s64, {-beyond})}, dt::s64),
                bits{0x20000000000001});
        EXPECT_EQ(run_bits(kind, {}, {integers(dt::s32, {-16777217})}, dt::s32), bits{16777217});
    }
    EXPECT_EQ(
            run_bits(k::ReLU, {}, {integers(dt::s64, {beyond})}, dt::s64), bits{0x20000000000001});
    EXPECT_EQ(run_bits(k::Square, {}, {integers(dt::s64, {beyond})}, dt::s64),
            bits{0x40000000000001}); // 2^106 + 2^54 + 1
    EXPECT_EQ(run_bits(k::Square, {}, {integers(dt::s32, {65537})}, dt::s32), bits{0x20001});
    EXPECT_EQ(run_bits(k::Square, {}, {integers(dt::u8, {255})}, dt::u8), bits{1});
    EXPECT_EQ(run_bits(k::Square, {}, {integers(dt::u64, {-1})}, dt::u64), bits{1});
}

TEST(ops_unary, unsigned_integers) {
    for (dt type : {dt::u8, dt::u16, dt::u32, dt::u64})
        EXPECT_THAT(values(k::Abs, {0, 5, 255}, {}, type), ElementsAre(0, 5, 255));
    EXPECT_EQ(run_bits(k::Abs, {}, {integers(dt::u64, {-1})}, dt::u64), bits{0xFFFFFFFFFFFFFFFF});
}

TEST(ops_unary, clamp_of_integers) {
    for (dt type : {dt::s8, dt::s16, dt::s32, dt::s64})
        EXPECT_THAT(values(k::Clamp, {-100, -3, 0, 5, 100}, bounds(-3.5F, 4.5F), type),
                ElementsAre(-4, -3, 0, 4, 4)); // bounds to the even of two
    for (dt type : {dt::u8, dt::u16, dt::u32, dt::u64})
        EXPECT_THAT(values(k::Clamp, {0, 3, 200}, bounds(-7, 100), type), ElementsAre(0, 3, 100));
    EXPECT_THAT(values(k::Clamp, {-128, 127}, bounds(-1e9F, 1e9F), dt::s8), ElementsAre(-128, 127));
    EXPECT_THAT(values(k::Clamp, {-5, 0, 5}, bounds(2, 1), dt::s32), ElementsAre(1, 1, 1));
    const std::int64_t beyond = (std::int64_t{1} << 53) + 1;
    EXPECT_EQ(run_bits(k::Clamp, bounds(0, 1e18F), {integers(dt::s64, {beyond})}, dt::s64),
            bits{0x20000000000001});
    EXPECT_EQ(run_bits(k::Clamp, bounds(1, 1e30F), {integers(dt::u64, {-1, 0})}, dt::u64),
            (bits{0xFFFFFFFFFFFFFFFF, 1}));
}

TEST(ops_pow, with_an_exponent) {
    auto power = [](dt type, dt exponent_type, const std::vector<double> &a,
                         const std::vector<double> &b) {
        const auto n = static_cast<std::int64_t>(a.size());
        return run_one(k::Pow, {}, {{type, {n}, a, {}}, {exponent_type, {n}, b, {}}}, {type, {}})
                .values;
    };
    for (dt type : floats)
        for (dt exponent : {dt::f32, dt::f64, dt::s32, dt::s64})
            EXPECT_THAT(power(type, exponent, {1, 2, 3, -2, 0}, {4, 5, 2, 3, 0}),
                    ElementsAre(1, 32, 9, -8, 1));
    for (dt type : {dt::s32, dt::s64}) {
        for (dt exponent : {dt::f32, dt::s32, dt::s64, dt::s8})
            EXPECT_THAT(
                    power(type, exponent, {1, 2, 3, -2, 0, -1, 1, 7}, {4, 5, 2, 3, 0, -3, -1, -1}),
                    ElementsAre(1, 32, 9, -8, 1, -1, 1, 0));
        EXPECT_THAT(power(type, dt::u64, {3, 2}, {3, 10}), ElementsAre(27, 1024));
        EXPECT_THAT(power(type, dt::f32, {9, 2, -8}, {0.5, 0.5, 0.5}), ElementsAre(3, 1, 0));
    }
    EXPECT_THAT(power(dt::s32, dt::s32, {0, -1, 2}, {-1, -2, 31}),
            ElementsAre(0, 1, -2147483648.0)); // 2^31 modulo 2^32
    EXPECT_THAT(power(dt::u8, dt::u8, {3, 2, 255}, {5, 9, 2}), ElementsAre(243, 0, 1));
    EXPECT_EQ(run_bits(k::Pow, {}, {integers(dt::s64, {3}), integers(dt::s64, {40})}, dt::s64),
            bits{0xA8B8B452291FE821}); // 3^40 is 12157665459056928801
}

TEST(ops_pow, exponents_broadcast) {
    const operand dst = run_one(k::Pow, {},
            {{dt::f32, {2, 3}, {1, 2, 3, 4, 5, 6}, {1, 2}}, {dt::f32, {3}, {1, 2, 3}, {2}}});
    EXPECT_THAT(dst.values, ElementsAre(1, 4, 27, 4, 25, 216));
    EXPECT_EQ(inferred_shape(make_spec(k::Pow, {}, {{dt::f32, {3}}, {dt::s64, {2, 1}}}, {dt::f32})),
            "2x3");
    const status bad = status::invalid_graph_op;
    expect_error(status::invalid_shape,
            make_spec(k::Pow, {}, {{dt::f32, {3}}, {dt::s64, {2}}}, {dt::f32}),
            "src 3 and exponent 2 do not broadcast");
    expect_error(bad, make_spec(k::Pow, beta(2), {{dt::f32, {3}}, {dt::s64, {3}}}, {dt::f32}),
            "both exponent and attribute beta are given");
    expect_error(bad, make_spec(k::Pow, beta(2), {{dt::s32, {3}}}, {dt::s32}),
            "src has data type s32; expected floating point, or an exponent");
}

TEST(ops_unary, shapes_and_strides) {
    const operand src = {dt::f32, {2, 3}, {1, -2, 3, -4, 5, -6}, {1, 2}};
    for (const dims &strides : {dims{}, dims{1, 2}, dims{11, 3}})
        EXPECT_THAT(run_one(k::Abs, {}, {src}, {dt::f32, strides}).values,
                ElementsAre(1, 2, 3, 4, 5, 6));
    // One element for a whole axis.
    const operand repeated = {dt::f32, {2, 3}, {-1, -1, -1, -2, -2, -2}, {1, 0}};
    EXPECT_THAT(run_one(k::Neg, {}, {repeated}).values, ElementsAre(1, 1, 1, 2, 2, 2));
    EXPECT_THAT(run_one(k::Neg, {}, {{dt::f32, {}, {3}, {}}}).values, ElementsAre(-3));
    EXPECT_EQ(run_one(k::Neg, {}, {{dt::f32, {3, 0}, {}, {}}}).shape, dims({3, 0}));
    dims deep(max_rank, 1);
    deep[3] = 2;
    EXPECT_THAT(run_one(k::Neg, {}, {{dt::f32, deep, {1, 2}, {}}}).values, ElementsAre(-1, -2));
    for (const unary &op : all_ops) {
        ir::op_spec spec = make_spec(op.kind, op.attrs, {{dt::f32, {unknown_dim, 3}}}, {dt::f32});
        EXPECT_EQ(inferred_shape(spec), "?x3");
        spec.outputs[0] = make_port(100, dt::f32, {5, 4});
        expect_error(status::invalid_shape, spec,
                "dst is given as 5x4, but the inputs give ?x3: axis 1 has 4, expected 3");
        spec.inputs[0] = of_unknown_rank(0, dt::f32);
        EXPECT_EQ(inferred_shape(spec), "5x4");
    }
}

TEST(ops_unary, wrong_types_and_attributes) {
    const status bad = status::invalid_graph_op;
    for (const unary &op : all_ops) {
        expect_error(bad, make_spec(op.kind, op.attrs, {{dt::f32, {2}}}, {dt::bf16}),
                "dst (tensor 100) has data type bf16, but src has f32; they must be equal");
        expect_error(bad, make_spec(op.kind, op.attrs, {{dt::boolean, {2}}}, {dt::boolean}),
                "src (tensor 0) has data type boolean; allowed: ");
        ir::attr_list more = op.attrs;
        more.emplace_back(op_attr::axis, std::int64_t{0});
        expect_error(bad, make_spec(op.kind, more, {{dt::f32, {2}}}, {dt::f32}),
                "the op has no attribute axis");
        for (std::size_t i = 0; i < op.attrs.size(); ++i) {
            const std::string name(ir::name_of(op.attrs[i].first));
            ir::attr_list missing = op.attrs;
            missing.erase(missing.begin() + static_cast<std::ptrdiff_t>(i));
            expect_error(bad, make_spec(op.kind, missing, {{dt::f32, {2}}}, {dt::f32}),
                    "attribute " + name + " is required");
            ir::attr_list wrong = op.attrs;
            wrong[i].second = std::int64_t{1};
            expect_error(bad, make_spec(op.kind, wrong, {{dt::f32, {2}}}, {dt::f32}),
                    "attribute " + name + " has type s64, expected f32");
        }
    }
    for (k kind : {k::Neg, k::ReLU})
        expect_error(bad, make_spec(kind, {}, {{dt::u8, {2}}}, {dt::u8}),
                "src (tensor 0) has data type u8; allowed: f16 bf16 f32 s32 s8 s64 f64 s16");
    expect_error(bad, make_spec(k::Exp, {}, {{dt::s32, {2}}}, {dt::s32}),
            "src (tensor 0) has data type s32; allowed: f16 bf16 f32 f64");
    expect_error(bad, make_spec(k::GELU, mode("gelu"), {{dt::f32, {2}}}, {dt::f32}),
            "attribute mode is \"gelu\"; allowed: \"gelu_erf\", \"gelu_tanh\"");
    expect_error(bad,
            make_spec(
                    k::SoftPlus, {{op_attr::beta, std::string("1")}}, {{dt::f32, {2}}}, {dt::f32}),
            "attribute beta has type string, expected f32");
}

TEST(ops_unary, defaults_of_attributes) {
    ir::op_spec spec = make_spec(k::SoftPlus, {}, {{dt::f32, {2}}}, {dt::f32});
    complete(spec);
    EXPECT_EQ(std::get<float>(*ir::find(spec.attrs, op_attr::beta)), 1.0F);
    spec = make_spec(k::GELU, {}, {{dt::f32, {2}}}, {dt::f32});
    complete(spec);
    EXPECT_EQ(std::get<std::string>(*ir::find(spec.attrs, op_attr::mode)), "gelu_erf");
}

TEST(ops_gen_index, is_the_coordinate_along_the_axis) {
    auto index = [](std::int64_t axis, const output &out = {dt::s32, {}}) {
        return run_one(k::GenIndex, {{op_attr::axis, axis}},
                {{dt::f32, {2, 3}, std::vector<double>(6, nan), {}}}, out)
                .values;
    };
    for (dt type : {dt::s32, dt::s64}) {
        EXPECT_THAT(index(0, {type, {}}), ElementsAre(0, 0, 0, 1, 1, 1));
        EXPECT_THAT(index(1, {type, {}}), ElementsAre(0, 1, 2, 0, 1, 2));
        EXPECT_THAT(index(-1, {type, {}}), ElementsAre(0, 1, 2, 0, 1, 2));
        EXPECT_THAT(index(-2, {type, {1, 5}}), ElementsAre(0, 0, 0, 1, 1, 1));
    }
    EXPECT_EQ(run_one(k::GenIndex, {{op_attr::axis, std::int64_t{1}}}, {{dt::c64, {0, 4}, {}, {}}},
                      {dt::s32, {}})
                      .shape,
            dims({0, 4}));
}

TEST(ops_gen_index, never_reads_src) {
    ir::op_spec spec = make_spec(
            k::GenIndex, {{op_attr::axis, std::int64_t{0}}}, {{dt::f32, {1000}}}, {dt::s32});
    complete(spec);
    std::vector<std::int32_t> dst(1000);
    std::vector<ir::const_view> in = {{nullptr, dt::f32, {1000}, {1}}};
    std::vector<ir::mutable_view> out = {{dst.data(), dt::s32, {1000}, {1}}};
    find(k::GenIndex)->reference({spec.attrs, in, out}, 0, 1000);
    EXPECT_EQ(dst[0], 0);
    EXPECT_EQ(dst[999], 999);
}

TEST(ops_gen_index, errors) {
    const status bad = status::invalid_graph_op;
    auto spec = [](std::int64_t axis, const dims &shape) {
        return make_spec(k::GenIndex, {{op_attr::axis, axis}}, {{dt::f32, shape}}, {dt::s32});
    };
    expect_error(bad, spec(2, {2, 3}), "attribute axis is 2, but src has rank 2");
    expect_error(bad, spec(-3, {2, 3}), "attribute axis is -3, but src has rank 2");
    expect_error(bad, spec(0, {}), "attribute axis is 0, but src has rank 0");
    expect_error(bad, spec(-1, {}), "attribute axis is -1, but src has rank 0");
    expect_error(bad, spec(std::numeric_limits<std::int64_t>::min(), {2}),
            "attribute axis is -9223372036854775808, but src has rank 1");
    expect_error(bad, make_spec(k::GenIndex, {}, {{dt::f32, {2}}}, {dt::s32}),
            "attribute axis is required");
    expect_error(bad, make_spec(k::GenIndex, {{op_attr::axis, 1.0F}}, {{dt::f32, {2}}}, {dt::s32}),
            "attribute axis has type f32, expected s64");
    expect_error(bad,
            make_spec(k::GenIndex, {{op_attr::axis, std::int64_t{0}}}, {{dt::f32, {2}}}, {dt::u8}),
            "dst (tensor 100) has data type u8; allowed: s32 s64");
    // The rank is not known before the op in front has been looked at.
    ir::graph graph(find);
    ir::op_spec front = make_spec(k::Abs, {}, {{dt::f32, {2, 3}}}, {dt::f32});
    front.id = 6;
    ir::op_spec behind = spec(2, {});
    behind.inputs[0] = front.outputs[0];
    behind.outputs[0].id = 101;
    graph.add_op(front);
    graph.add_op(behind);
    try {
        graph.finalize();
        FAIL() << "expected an error";
    } catch (const error &e) {
        EXPECT_EQ(e.status, status::invalid_shape);
        EXPECT_STREQ(e.message, "GenIndex (op 7): attribute axis is 2, but src has rank 2");
    }
}

} // namespace
} // namespace tern::ops
