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
const std::vector<k> comparisons = {
        k::Equal, k::NotEqual, k::Greater, k::GreaterEqual, k::Less, k::LessEqual};
const std::vector<k> logic = {k::And, k::Or, k::Xor};

/// Answers to a op b in the order of `comparisons`, one element.
bits answers(const row &a, const row &b) {
    bits result;
    for (k kind : comparisons)
        result.push_back(run_bits(kind, {}, {a, b}, dt::boolean)[0]);
    return result;
}

const bits less = {0, 1, 0, 0, 1, 1};
const bits same = {1, 0, 0, 1, 0, 1};
const bits greater = {0, 1, 1, 1, 0, 0};
const bits unordered = {0, 1, 0, 0, 0, 0};

const std::vector<dt> floats = {dt::f32, dt::bf16, dt::f16, dt::f64, dt::f8_e5m2, dt::f8_e4m3};
const std::vector<dt> signed_types = {dt::s8, dt::s16, dt::s32, dt::s64};
const std::vector<dt> unsigned_types = {dt::u8, dt::u16, dt::u32, dt::u64};

TEST(ops_compare, floating_point) {
    for (dt type : floats) {
        auto of = [&](double value) { return row_of(type, {value}); };
        EXPECT_EQ(answers(of(-1), of(1)), less) << name_of(type);
        EXPECT_EQ(answers(of(1.5), of(1.5)), same) << name_of(type);
        EXPECT_EQ(answers(of(2), of(1)), greater) << name_of(type);
        EXPECT_EQ(answers(of(-0.0), of(0.0)), same) << name_of(type);
        for (double other : {nan, 1.0, -2.0}) {
            EXPECT_EQ(answers(of(nan), of(other)), unordered) << name_of(type);
            EXPECT_EQ(answers(of(other), of(nan)), unordered) << name_of(type);
        }
        if (type == dt::f8_e4m3) continue; // which has no infinity
        EXPECT_EQ(answers(of(-inf), of(inf)), less) << name_of(type);
        EXPECT_EQ(answers(of(inf), of(inf)), same) << name_of(type);
        EXPECT_EQ(answers(of(nan), of(inf)), unordered) << name_of(type);
    }
    // The smallest denormals are not 0.
    EXPECT_EQ(answers(row_of(dt::f32, {0x1p-149}), row_of(dt::f32, {0})), greater);
    EXPECT_EQ(answers(row_of(dt::f64, {-0x1p-1074}), row_of(dt::f64, {0})), less);
    EXPECT_EQ(answers(row_of(dt::f16, {0x1p-24}), row_of(dt::f16, {0x1p-23})), less);
}

TEST(ops_compare, integers) {
    for (dt type : signed_types) {
        EXPECT_EQ(answers(integers(type, {-1}), integers(type, {1})), less) << name_of(type);
        EXPECT_EQ(answers(integers(type, {-5}), integers(type, {-5})), same) << name_of(type);
        EXPECT_EQ(answers(integers(type, {127}), integers(type, {-128})), greater) << name_of(type);
    }
    for (dt type : unsigned_types) { // -1 stands for the greatest
        EXPECT_EQ(answers(integers(type, {-1}), integers(type, {1})), greater) << name_of(type);
        EXPECT_EQ(answers(integers(type, {0}), integers(type, {-1})), less) << name_of(type);
    }
}

// B38: f32 knows no difference between these.
TEST(ops_compare, integers_of_32_bits_are_exact) {
    auto of = [](std::int64_t value) { return integers(dt::s32, {value}); };
    EXPECT_EQ(answers(of(16777216), of(16777217)), less);
    EXPECT_EQ(answers(of(-16777217), of(-16777216)), less);
    EXPECT_EQ(answers(of(2147483647), of(2147483646)), greater);
    EXPECT_EQ(answers(of(16777217), of(16777217)), same);
}

TEST(ops_compare, integers_of_64_bits_are_exact) {
    const std::int64_t limit = std::int64_t{1} << 53;
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    auto of = [](std::int64_t value) { return integers(dt::s64, {value}); };
    EXPECT_EQ(answers(of(limit), of(limit + 1)), less);
    EXPECT_EQ(answers(of(-limit - 1), of(-limit)), less);
    EXPECT_EQ(answers(of(most), of(most - 1)), greater);
    EXPECT_EQ(answers(of(-most - 1), of(most)), less); // their difference overflows
    auto of_u64 = [](std::uint64_t value) { return integers(dt::u64, {value}); };
    const std::uint64_t high = std::uint64_t{1} << 63;
    EXPECT_EQ(answers(of_u64(high), of_u64(high - 1)), greater);
    EXPECT_EQ(answers(of_u64(~std::uint64_t{0}), of_u64(~std::uint64_t{0} - 1)), greater);
}

// B39: bytes of a boolean count by their truth, and dst is 0 or 1.
TEST(ops_compare, booleans_by_their_truth) {
    const row a = integers(dt::boolean, {0, 0, 1, 2, 255, 128});
    const row b = integers(dt::boolean, {0, 7, 0, 1, 128, 0});
    EXPECT_EQ(run_bits(k::Equal, {}, {a, b}, dt::boolean), (bits{1, 0, 0, 1, 1, 0}));
    EXPECT_EQ(run_bits(k::NotEqual, {}, {a, b}, dt::boolean), (bits{0, 1, 1, 0, 0, 1}));
    EXPECT_EQ(run_bits(k::And, {}, {a, b}, dt::boolean), (bits{0, 0, 0, 1, 1, 0}));
    EXPECT_EQ(run_bits(k::Or, {}, {a, b}, dt::boolean), (bits{0, 1, 1, 1, 1, 1}));
    EXPECT_EQ(run_bits(k::Xor, {}, {a, b}, dt::boolean), (bits{0, 1, 1, 0, 0, 1}));
    EXPECT_EQ(run_bits(k::Not, {}, {a}, dt::boolean), (bits{1, 1, 0, 0, 0, 0}));
}

TEST(ops_compare, broadcasts_both_ways) {
    const operand column = {dt::s32, {3, 1}, {0, 1, 2}, {}};
    const operand line = {dt::s32, {3}, {0, 1, 2}, {}};
    const output mask = {dt::boolean, {}};
    const operand causal = run_one(k::GreaterEqual, {}, {column, line}, mask);
    EXPECT_EQ(causal.shape, dims({3, 3}));
    EXPECT_THAT(causal.values, ElementsAre(1, 0, 0, 1, 1, 0, 1, 1, 1));
    EXPECT_THAT(run_one(k::Greater, {}, {line, column}, mask).values,
            ElementsAre(0, 1, 1, 0, 0, 1, 0, 0, 0));
    const operand scalar = {dt::s32, {}, {1}, {}};
    EXPECT_THAT(run_one(k::Equal, {}, {scalar, line}, mask).values, ElementsAre(0, 1, 0));
    EXPECT_THAT(run_one(k::LessEqual, {}, {scalar, scalar}, mask).values, ElementsAre(1));
    const operand yes = {dt::boolean, {2, 1}, {1, 0}, {}};
    const operand no = {dt::boolean, {2}, {0, 1}, {}};
    EXPECT_THAT(run_one(k::And, {}, {yes, no}, mask).values, ElementsAre(0, 1, 0, 0));
    EXPECT_THAT(run_one(k::Xor, {}, {yes, no}, mask).values, ElementsAre(1, 0, 0, 1));
}

TEST(ops_compare, walks_strides) {
    const operand a = {dt::f32, {2, 3}, {1, 2, 3, 4, 5, 6}, {1, 2}};
    const operand b = {dt::f32, {2, 3}, {6, 5, 3, 4, 2, 1}, {10, 3}};
    EXPECT_THAT(run_one(k::GreaterEqual, {}, {a, b}, {dt::boolean, {1, 3}}).values,
            ElementsAre(0, 0, 1, 1, 1, 1));
    const operand c = {dt::boolean, {2, 2}, {0, 1, 1, 0}, {1, 2}};
    EXPECT_THAT(run_one(k::Not, {}, {c}, {dt::boolean, {5, 2}}).values, ElementsAre(1, 0, 0, 1));
}

TEST(ops_compare, zero_sizes) {
    const operand none = {dt::f32, {2, 0}, {}, {}};
    EXPECT_EQ(run_one(k::Less, {}, {none, none}, {dt::boolean, {}}).shape, dims({2, 0}));
    const operand no_mask = {dt::boolean, {0}, {}, {}};
    EXPECT_EQ(run_one(k::Not, {}, {no_mask}, {dt::boolean, {}}).shape, dims({0}));
}

TEST(ops_compare, errors) {
    const status bad = status::invalid_graph_op;
    const ir::attr_list none = {{op_attr::auto_broadcast, std::string("none")}};
    for (k kind : comparisons) {
        expect_error(bad, make_spec(kind, {}, {{dt::f32, {2}}, {dt::f32, {2}}}, {dt::f32}),
                "dst (tensor 100) has data type f32; allowed: boolean");
        expect_error(bad, make_spec(kind, {}, {{dt::s32, {2}}, {dt::s64, {2}}}, {dt::boolean}),
                "src_1 (tensor 1) has data type s64, but src_0 has s32; they must be equal");
        expect_error(bad, make_spec(kind, {}, {{dt::c64, {2}}, {dt::c64, {2}}}, {dt::boolean}),
                "src_0 (tensor 0) has data type c64; allowed: ");
        expect_error(status::invalid_shape,
                make_spec(kind, {}, {{dt::f32, {2, 3}}, {dt::f32, {2}}}, {dt::boolean}),
                "src_0 2x3 and src_1 2 do not broadcast: axis 1 (of 2) has 3 against 2");
        expect_error(status::invalid_shape,
                make_spec(kind, none, {{dt::f32, {3}}, {dt::f32, {1}}}, {dt::boolean}),
                "auto_broadcast=none wants equal shapes, but at axis 0 src_1 has 1 where 3 is "
                "expected");
    }
    for (k kind : {k::Greater, k::GreaterEqual, k::Less, k::LessEqual})
        expect_error(bad,
                make_spec(kind, {}, {{dt::boolean, {2}}, {dt::boolean, {2}}}, {dt::boolean}),
                "src_0 (tensor 0) has data type boolean; allowed: ");
    for (k kind : logic) {
        expect_error(bad, make_spec(kind, {}, {{dt::u8, {2}}, {dt::boolean, {2}}}, {dt::boolean}),
                "src_0 (tensor 0) has data type u8; allowed: boolean");
        expect_error(status::invalid_shape,
                make_spec(kind, {}, {{dt::boolean, {4}}, {dt::boolean, {2}}}, {dt::boolean}),
                "src_0 4 and src_1 2 do not broadcast: axis 0 (of 1) has 4 against 2");
    }
    expect_error(bad, make_spec(k::Not, {}, {{dt::s32, {2}}}, {dt::boolean}),
            "src (tensor 0) has data type s32; allowed: boolean");
}

TEST(ops_compare, strings_by_their_characters) {
    const std::string same_letters = "abc";
    const string_ref a[] = {{"abc", 3}, {"abc", 2}, {nullptr, 0}, {"", 0}, {"a\0b", 3}};
    const string_ref b[] = {
            {same_letters.data(), 3}, {"ac", 2}, {"x", 0}, {nullptr, 0}, {"a\0c", 3}};
    ir::op_spec spec =
            make_spec(k::Equal, {}, {{dt::string, {5}}, {dt::string, {5}}}, {dt::boolean});
    complete(spec);
    const std::vector<ir::const_view> in = {{a, dt::string, {5}, {1}}, {b, dt::string, {5}, {1}}};
    std::uint8_t dst[5] = {};
    const std::vector<ir::mutable_view> out = {{dst, dt::boolean, {5}, {1}}};
    find(k::Equal)->reference({spec.attrs, in, out}, 0, 5);
    EXPECT_THAT(dst, ElementsAre(1, 0, 1, 1, 0));
    expect_error(status::invalid_graph_op,
            make_spec(k::Less, {}, {{dt::string, {5}}, {dt::string, {5}}}, {dt::boolean}),
            "has data type string; allowed: ");
}

} // namespace
} // namespace tern::ops
