// SPDX-License-Identifier: Apache-2.0
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
const std::vector<k> all_kinds = {
        k::Add, k::Subtract, k::Multiply, k::Divide, k::Maximum, k::Minimum, k::SquaredDifference};

operand of(dt type, const std::vector<double> &values) {
    return {type, {static_cast<std::int64_t>(values.size())}, values, {}};
}

std::vector<double> results(k kind, const operand &a, const operand &b, dt type = dt::f32) {
    return run_one(kind, {}, {a, b}, {type, {}}).values;
}

ir::op_spec spec_of(k kind, const dims &a, const dims &b, const ir::attr_list &attrs = {}) {
    return make_spec(kind, attrs, {{dt::f32, a}, {dt::f32, b}}, {dt::f32});
}

ir::attr_list rule(const char *name) {
    return {{op_attr::auto_broadcast, std::string(name)}};
}

TEST(ops_divide, integers) {
    auto quotient = [](dt type, const std::vector<double> &a, const std::vector<double> &b) {
        const auto n = static_cast<std::int64_t>(a.size());
        return run_one(k::Divide, {}, {{type, {n}, a, {}}, {type, {n}, b, {}}}, {type, {}}).values;
    };
    for (dt type : {dt::s8, dt::s16, dt::s32, dt::s64})
        EXPECT_THAT(quotient(type, {7, -7, 7, -7, 5, 0}, {2, 2, -2, -1, 0, 3}),
                ElementsAre(3, -3, -3, 7, 0, 0));
    for (dt type : {dt::u8, dt::u16, dt::u32, dt::u64})
        EXPECT_THAT(quotient(type, {200, 7, 7}, {3, 2, 0}), ElementsAre(66, 3, 0));
    EXPECT_THAT(quotient(dt::s8, {-128}, {-1}), ElementsAre(-128));
    const std::int64_t least = std::numeric_limits<std::int64_t>::min();
    EXPECT_EQ(
            run_bits(k::Divide, {}, {integers(dt::s64, {least}), integers(dt::s64, {-1})}, dt::s64),
            bits{0x8000000000000000});
    EXPECT_EQ(run_bits(k::Divide, {}, {integers(dt::u64, {-1}), integers(dt::u64, {2})}, dt::u64),
            bits{0x7FFFFFFFFFFFFFFF});
}

TEST(ops_binary, values_in_every_floating_type) {
    for (dt type : {dt::f32, dt::bf16, dt::f16, dt::f64}) {
        const operand a = of(type, {1, -2, 0.5, 8});
        const operand b = of(type, {4, 2, -0.25, 8});
        EXPECT_THAT(results(k::Add, a, b, type), ElementsAre(5, 0, 0.25, 16));
        EXPECT_THAT(results(k::Subtract, a, b, type), ElementsAre(-3, -4, 0.75, 0));
        EXPECT_THAT(results(k::Multiply, a, b, type), ElementsAre(4, -4, -0.125, 64));
        EXPECT_THAT(results(k::Divide, a, b, type), ElementsAre(0.25, -1, -2, 1));
        EXPECT_THAT(results(k::Maximum, a, b, type), ElementsAre(4, 2, 0.5, 8));
        EXPECT_THAT(results(k::Minimum, a, b, type), ElementsAre(1, -2, -0.25, 8));
        EXPECT_THAT(results(k::SquaredDifference, a, b, type), ElementsAre(9, 16, 0.5625, 0));
    }
}

TEST(ops_binary, infinities_and_zeros) {
    const operand a = of(dt::f32, {inf, inf, 0, -1});
    const operand b = of(dt::f32, {1, -inf, 0, 0});
    EXPECT_EQ(results(k::Add, a, b)[0], inf);
    EXPECT_TRUE(std::isnan(results(k::Add, a, b)[1]));
    EXPECT_EQ(results(k::Subtract, a, b)[1], inf);
    EXPECT_TRUE(std::isnan(results(k::Divide, a, b)[2]));
    EXPECT_EQ(results(k::Divide, a, b)[3], -inf);
    EXPECT_EQ(results(k::Divide, of(dt::f32, {1}), of(dt::f32, {-0.0}))[0], -inf);
    EXPECT_EQ(results(k::Add, of(dt::f32, {3e38}), of(dt::f32, {3e38}))[0], inf);
    EXPECT_EQ(run_bits(k::Multiply, {}, {row_of(dt::f32, {-0.0}), row_of(dt::f32, {5})}, dt::f32),
            bits{0x80000000});
    // Of zeros, in either order.
    for (double first : {0.0, -0.0}) {
        auto zeros = [&](op_kind kind) {
            return run_bits(
                    kind, {}, {row_of(dt::f32, {first}), row_of(dt::f32, {-first})}, dt::f32);
        };
        EXPECT_EQ(zeros(k::Maximum), bits{0});
        EXPECT_EQ(zeros(k::Minimum), bits{0x80000000});
    }
    // The smallest denormal stays.
    EXPECT_EQ(run_bits(k::Add, {}, {row_of(dt::f32, {0x1p-149}), row_of(dt::f32, {0})}, dt::f32),
            bits{1});
}

TEST(ops_binary, nan_goes_through) {
    for (k kind : all_kinds) {
        EXPECT_TRUE(std::isnan(results(kind, of(dt::f32, {nan}), of(dt::f32, {1}))[0]))
                << ir::name_of(kind);
        EXPECT_TRUE(std::isnan(results(kind, of(dt::f16, {1}), of(dt::f16, {nan}), dt::f16)[0]))
                << ir::name_of(kind);
    }
}

TEST(ops_binary, rounds_once_to_nearest_even) {
    // bf16 has 8 bits: 256 + 1 lies between 256 and 258, 258 + 1 between 258 and 260.
    EXPECT_THAT(results(k::Add, of(dt::bf16, {256, 258}), of(dt::bf16, {1, 1}), dt::bf16),
            ElementsAre(256, 260));
    EXPECT_THAT(results(k::Add, of(dt::f16, {2048, 2050}), of(dt::f16, {1, 1}), dt::f16),
            ElementsAre(2048, 2052));
    // Rounded to f32 first this would be a tie, and go down.
    EXPECT_THAT(results(k::Add, of(dt::f32, {257}), of(dt::f32, {0x1p-20}), dt::bf16),
            ElementsAre(258));
    EXPECT_EQ(results(k::Divide, of(dt::f32, {1}), of(dt::f32, {3}))[0],
            static_cast<double>(1.0F / 3.0F));
    EXPECT_EQ(results(k::Multiply, of(dt::f16, {65504}), of(dt::f16, {2}), dt::f16)[0], inf);
}

TEST(ops_binary, types_of_operands_are_independent) {
    EXPECT_THAT(
            results(k::Add, of(dt::bf16, {1.5}), of(dt::f64, {2.25}), dt::f32), ElementsAre(3.75));
    EXPECT_THAT(
            results(k::Subtract, of(dt::s32, {7}), of(dt::f32, {0.5}), dt::f32), ElementsAre(6.5));
    EXPECT_THAT(results(k::Multiply, of(dt::u8, {255}), of(dt::s8, {-128}), dt::s32),
            ElementsAre(-32640));
    EXPECT_THAT(
            results(k::Divide, of(dt::f32, {1}), of(dt::f16, {4}), dt::bf16), ElementsAre(0.25));
    EXPECT_THAT(results(k::Add, of(dt::u8, {200}), of(dt::u8, {100}), dt::f32), ElementsAre(300));
}

TEST(ops_binary, a_floating_result_in_an_integer) {
    const operand half = of(dt::f32, {0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5});
    const operand src = of(dt::f32, {0, 1, 2, -1, -2, 300, -300, nan});
    EXPECT_THAT(results(k::Add, src, half, dt::s8), ElementsAre(0, 2, 2, 0, -2, 127, -128, 0));
    EXPECT_THAT(results(k::Add, src, half, dt::u8), ElementsAre(0, 2, 2, 0, 0, 255, 0, 0));
    EXPECT_EQ(run_bits(k::Multiply, {},
                      {row_of(dt::f64, {1e300, -1e300, inf}), row_of(dt::f64, {1, 1, 1})}, dt::s64),
            (bits{0x7fffffffffffffff, 0x8000000000000000, 0x7fffffffffffffff}));
}

// B38: never through f32.
TEST(ops_binary, integers_of_32_bits_are_exact) {
    const operand a = of(dt::s32, {16777217, 2147483647, -2147483648.0, 16777216});
    const operand b = of(dt::s32, {0, 0, 0, 1});
    EXPECT_THAT(results(k::Add, a, b, dt::s32),
            ElementsAre(16777217, 2147483647, -2147483648.0, 16777217));
    EXPECT_THAT(results(k::Subtract, a, b, dt::s32),
            ElementsAre(16777217, 2147483647, -2147483648.0, 16777215));
    EXPECT_THAT(results(k::Maximum, a, b, dt::s32), ElementsAre(16777217, 2147483647, 0, 16777216));
    EXPECT_THAT(results(k::Minimum, a, of(dt::s32, {16777216, 2147483646, 0, 0}), dt::s32),
            ElementsAre(16777216, 2147483646, -2147483648.0, 0));
}

TEST(ops_binary, integers_wrap) {
    EXPECT_THAT(results(k::Add, of(dt::s32, {2147483647}), of(dt::s32, {1}), dt::s32),
            ElementsAre(-2147483648.0));
    EXPECT_THAT(results(k::Add, of(dt::u8, {250}), of(dt::u8, {10}), dt::u8), ElementsAre(4));
    EXPECT_THAT(
            results(k::Subtract, of(dt::u16, {0}), of(dt::u16, {1}), dt::u16), ElementsAre(65535));
    EXPECT_THAT(results(k::Multiply, of(dt::s8, {16}), of(dt::s8, {9}), dt::s8), ElementsAre(-112));
    EXPECT_THAT(results(k::SquaredDifference, of(dt::s8, {-128}), of(dt::s8, {127}), dt::s8),
            ElementsAre(1)); // 255^2 = 254 * 256 + 1
    EXPECT_THAT(results(k::Add, of(dt::s32, {300}), of(dt::s32, {0}), dt::u8), ElementsAre(44));
}

TEST(ops_binary, integers_of_64_bits_are_exact) {
    const std::int64_t beyond = (std::int64_t{1} << 53) + 1;
    const std::int64_t least = std::numeric_limits<std::int64_t>::min();
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    auto both = [&](k kind, std::int64_t a, std::int64_t b, dt type = dt::s64) {
        return run_bits(kind, {}, {integers(type, {a}), integers(type, {b})}, type)[0];
    };
    EXPECT_EQ(both(k::Add, beyond, 1), 0x20000000000002U);
    EXPECT_EQ(both(k::Add, beyond, 0), 0x20000000000001U);
    EXPECT_EQ(both(k::Add, most, 1), 0x8000000000000000U);
    EXPECT_EQ(both(k::Subtract, least, 1), 0x7fffffffffffffffU);
    EXPECT_EQ(both(k::Multiply, beyond, 3), 0x60000000000003U);
    EXPECT_EQ(both(k::Multiply, least, -1), 0x8000000000000000U);
    EXPECT_EQ(both(k::SquaredDifference, beyond, 1), 0U); // 2^106
    EXPECT_EQ(both(k::Maximum, beyond - 1, beyond), 0x20000000000001U);
    EXPECT_EQ(both(k::Minimum, beyond - 1, beyond), 0x20000000000000U);
    EXPECT_EQ(both(k::Maximum, -1, 1), 1U);
    // -1 stands for 2^64 - 1 here.
    EXPECT_EQ(both(k::Maximum, -1, 1, dt::u64), 0xffffffffffffffffU);
    EXPECT_EQ(both(k::Minimum, -1, -2, dt::u64), 0xfffffffffffffffeU);
    EXPECT_EQ(both(k::Add, -1, 2, dt::u64), 1U);
    // A u64 makes the sum one.
    EXPECT_EQ(
            run_bits(k::Add, {},
                    {integers(dt::u64, {std::uint64_t{1} << 63}), integers(dt::s32, {0})}, dt::f64),
            row_of(dt::f64, {0x1p63}).elements);
    EXPECT_EQ(run_bits(k::Subtract, {}, {integers(dt::s64, {1}), integers(dt::s64, {3})}, dt::f32),
            row_of(dt::f32, {-2}).elements);
}

TEST(ops_binary, broadcasts_both_ways) {
    const operand column = {dt::f32, {2, 1}, {10, 20}, {}};
    const operand line = {dt::f32, {3}, {1, 2, 3}, {}};
    const operand sum = run_one(k::Add, {}, {column, line});
    EXPECT_EQ(sum.shape, dims({2, 3}));
    EXPECT_THAT(sum.values, ElementsAre(11, 12, 13, 21, 22, 23));
    EXPECT_THAT(run_one(k::Subtract, {}, {line, column}).values,
            ElementsAre(-9, -8, -7, -19, -18, -17));
    const operand scalar = {dt::f32, {}, {5}, {}};
    EXPECT_THAT(run_one(k::Multiply, {}, {scalar, line}).values, ElementsAre(5, 10, 15));
    EXPECT_EQ(run_one(k::Multiply, {}, {scalar, scalar}).shape, dims());
    EXPECT_THAT(run_one(k::Maximum, {}, {scalar, scalar}).values, ElementsAre(5));
    const operand none = {dt::f32, {0, 3}, {}, {}};
    EXPECT_EQ(run_one(k::Add, {}, {none, line}).shape, dims({0, 3}));
    EXPECT_EQ(inferred_shape(spec_of(k::Add, {0}, {1})), "0");
}

TEST(ops_binary, walks_strides) {
    const operand a = {dt::f32, {2, 3}, {1, 2, 3, 4, 5, 6}, {1, 2}};
    const operand b = {dt::f32, {2, 3}, {10, 20, 30, 40, 50, 60}, {8, 2}};
    for (const dims &strides : {dims{}, dims{1, 2}, dims{9, 3}})
        EXPECT_THAT(run_one(k::Add, {}, {a, b}, {dt::f32, strides}).values,
                ElementsAre(11, 22, 33, 44, 55, 66));
    // Strides of axes of size 1 say nothing, however large.
    const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
    const operand thin = {dt::f32, {1, 2}, {1, 2}, {huge, 1}};
    EXPECT_THAT(run_one(k::Add, {}, {thin, thin}, {dt::f32, {huge, 1}}).values, ElementsAre(2, 4));
}

TEST(ops_binary, takes_the_highest_rank) {
    dims shape(max_rank, 1);
    shape[0] = 2;
    shape[max_rank - 1] = 3;
    const operand a = {dt::s32, shape, iota(6), {}};
    const operand b = {dt::s32, {3}, {10, 20, 30}, {}};
    EXPECT_THAT(
            run_one(k::Add, {}, {a, b}, {dt::s32, {}}).values, ElementsAre(10, 21, 32, 13, 24, 35));
}

TEST(ops_binary, shapes_may_be_unknown) {
    EXPECT_EQ(inferred_shape(spec_of(k::Add, {unknown_dim, 3}, {2, 1})), "2x3");
    EXPECT_EQ(inferred_shape(spec_of(k::Add, {unknown_dim, 3}, {1, 1})), "?x3");
    EXPECT_EQ(inferred_shape(spec_of(k::Add, {unknown_dim, 3}, {2, 3}, rule("none"))), "2x3");
    ir::op_spec spec = spec_of(k::Add, {}, {3});
    spec.inputs[0] = of_unknown_rank(0, dt::f32);
    EXPECT_EQ(inferred_shape(spec), "unknown rank");
}

TEST(ops_binary, wrong_shapes) {
    for (k kind : all_kinds) {
        expect_error(status::invalid_shape, spec_of(kind, {2, 3}, {2, 4}),
                "src_0 2x3 and src_1 2x4 do not broadcast: axis 1 (of 2) has 3 against 4");
        expect_error(status::invalid_shape, spec_of(kind, {2, 3}, {2, 1}, rule("none")),
                "auto_broadcast=none wants equal shapes, but at axis 1 src_1 has 1 where 3 is "
                "expected");
        expect_error(status::invalid_shape, spec_of(kind, {2, 3}, {3}, rule("none")),
                "auto_broadcast=none wants equal shapes, but src_0 is 2x3 and src_1 is 3");
        ir::op_spec given = spec_of(kind, {2, 1}, {3});
        given.outputs[0] = make_port(100, dt::f32, {2, 4});
        expect_error(status::invalid_shape, given,
                "dst is given as 2x4, but the inputs give 2x3: axis 1 has 4, expected 3");
    }
}

TEST(ops_binary, wrong_attributes_and_types) {
    const status bad = status::invalid_graph_op;
    for (k kind : all_kinds) {
        expect_error(bad, spec_of(kind, {2}, {2}, rule("ternary")),
                "attribute auto_broadcast is \"ternary\"; allowed: \"none\", \"numpy\"");
        expect_error(bad, spec_of(kind, {2}, {2}, {{op_attr::auto_broadcast, true}}),
                "attribute auto_broadcast has type bool, expected string");
        expect_error(bad, spec_of(kind, {2}, {2}, {{op_attr::axis, std::int64_t{1}}}),
                "the op has no attribute axis");
        expect_error(bad, make_spec(kind, {}, {{dt::f32, {2}}}, {dt::f32}),
                "1 inputs given, expected 2 (src_0, src_1)");
        expect_error(bad, make_spec(kind, {}, {{dt::boolean, {2}}, {dt::f32, {2}}}, {dt::f32}),
                "src_0 (tensor 0) has data type boolean; allowed: ");
    }
    for (const auto &[a, b, dst] : {std::array{dt::f32, dt::s32, dt::f32},
                 std::array{dt::s32, dt::s64, dt::s64}, std::array{dt::s32, dt::s32, dt::f32}})
        expect_error(bad, make_spec(k::Divide, {}, {{a, {2}}, {b, {2}}}, {dst}),
                "expected one integer type for all, or floating point");
    for (k kind : {k::Maximum, k::Minimum, k::SquaredDifference})
        expect_error(bad, make_spec(kind, {}, {{dt::f32, {2}}, {dt::bf16, {2}}}, {dt::f32}),
                "src_1 (tensor 1) has data type bf16, but src_0 has f32; they must be equal");
}

// Through a graph: what add_op leaves to finalize.
TEST(ops_binary, a_graph_says_what_is_wrong) {
    ir::graph graph(find);
    graph.add_op(spec_of(k::Add, {2, 3}, {4}));
    try {
        graph.finalize();
        FAIL() << "expected an error";
    } catch (const error &e) {
        EXPECT_EQ(e.status, status::invalid_shape);
        EXPECT_STREQ(e.message,
                "Add (op 7): src_0 2x3 and src_1 4 do not broadcast: axis 1 (of 2) has 3 against "
                "4");
    }
    ir::graph other(find);
    try {
        other.add_op(spec_of(k::Divide, {2}, {2}, rule("both")));
        FAIL() << "expected an error";
    } catch (const error &e) {
        EXPECT_EQ(e.status, status::invalid_graph_op);
        EXPECT_STREQ(e.message,
                "Divide (op 7): attribute auto_broadcast is \"both\"; allowed: \"none\", "
                "\"numpy\"");
    }
}

} // namespace
} // namespace tern::ops
