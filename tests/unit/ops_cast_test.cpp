// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "op_bits.hpp"

namespace tern::ops {
namespace {

using dt = data_type;
using testing::ElementsAre;

const double inf = std::numeric_limits<double>::infinity();
const double nan = std::numeric_limits<double>::quiet_NaN();
const std::vector<dt> all_types = {dt::f16, dt::bf16, dt::f32, dt::f64, dt::f8_e5m2, dt::f8_e4m3,
        dt::s8, dt::s16, dt::s32, dt::s64, dt::u8, dt::u16, dt::u32, dt::u64, dt::boolean};

bits cast(const row &src, dt type) {
    return run_bits(op_kind::TypeCast, {}, {src}, type);
}

std::vector<double> values(dt from, const std::vector<double> &src, dt to) {
    return run_one(op_kind::TypeCast, {},
            {{from, {static_cast<std::int64_t>(src.size())}, src, {}}}, {to, {}})
            .values;
}

TEST(ops_cast, any_type_to_any_other) {
    for (dt from : all_types)
        for (dt to : all_types)
            EXPECT_THAT(values(from, {0, 1}, to), ElementsAre(0, 1))
                    << name_of(from) << " to " << name_of(to);
}

TEST(ops_cast, equal_types_copy_bits) {
    const row payloads = {dt::f32, {0x7f810000, 0xffbfffff, 0x80000000, 0x00000001}};
    EXPECT_EQ(cast(payloads, dt::f32), payloads.elements);
    const row halves = {dt::f16, {0xfd01, 0x7c01, 0x8000, 0x0001}};
    EXPECT_EQ(cast(halves, dt::f16), halves.elements);
    const row bytes = {dt::boolean, {0, 1, 2, 255}};
    EXPECT_EQ(cast(bytes, dt::boolean), bytes.elements);
}

TEST(ops_cast, floating_point_rounds_once_to_nearest_even) {
    // bf16 keeps 8 bits, f16 11.
    EXPECT_THAT(values(dt::f32, {257, 259, 257.0078125, -257}, dt::bf16),
            ElementsAre(256, 260, 258, -256));
    EXPECT_THAT(values(dt::f32, {2049, 2051, 2049.5, 65519, 65520, -65520}, dt::f16),
            ElementsAre(2048, 2052, 2050, 65504, inf, -inf));
    // By way of f32 these would become ties and go to the even neighbour.
    EXPECT_THAT(values(dt::f64, {257 + 0x1p-30}, dt::bf16), ElementsAre(258));
    EXPECT_THAT(values(dt::f64, {2049 + 0x1p-30}, dt::f16), ElementsAre(2050));
    EXPECT_THAT(values(dt::f64, {16777217, 16777219, 1e300}, dt::f32),
            ElementsAre(16777216, 16777220, inf));
    EXPECT_THAT(values(dt::bf16, {1.5, -inf}, dt::f16), ElementsAre(1.5, -inf));
    EXPECT_THAT(
            values(dt::f32, {57344, 61439, 61440}, dt::f8_e5m2), ElementsAre(57344, 57344, inf));
    EXPECT_THAT(values(dt::f32, {448, 1.0625, 1.1875}, dt::f8_e4m3), ElementsAre(448, 1, 1.25));
    EXPECT_TRUE(std::isnan(values(dt::f32, {1000}, dt::f8_e4m3)[0])); // has no infinity
}

TEST(ops_cast, floating_point_keeps_zeros_denormals_and_nan) {
    EXPECT_EQ(cast(row_of(dt::f32, {-0.0}), dt::bf16), bits{0x8000});
    EXPECT_EQ(cast(row_of(dt::f32, {-0.0}), dt::f64), bits{0x8000000000000000});
    EXPECT_EQ(cast(row_of(dt::f32, {0x1p-24, 0x1p-25, 0x1.8p-25, -0x1p-30}), dt::f16),
            (bits{1, 0, 1, 0x8000}));
    EXPECT_EQ(cast(row_of(dt::f64, {0x1p-149, 0x1p-150}), dt::f32), (bits{1, 0}));
    EXPECT_EQ(cast(row_of(dt::f16, {0x1p-24}), dt::f32), row_of(dt::f32, {0x1p-24}).elements);
    for (dt from : {dt::f16, dt::bf16, dt::f32, dt::f64, dt::f8_e5m2, dt::f8_e4m3})
        for (dt to : {dt::f16, dt::bf16, dt::f32, dt::f64, dt::f8_e5m2, dt::f8_e4m3})
            EXPECT_TRUE(std::isnan(values(from, {nan}, to)[0]));
}

TEST(ops_cast, floating_point_to_integer) {
    const std::vector<double> src = {1.9, -1.9, 0.5, -0.5, 300, -300, inf, -inf, nan};
    EXPECT_THAT(values(dt::f32, src, dt::s8), ElementsAre(1, -1, 0, 0, 127, -128, 127, -128, 0));
    EXPECT_THAT(values(dt::f32, src, dt::u8), ElementsAre(1, 0, 0, 0, 255, 0, 255, 0, 0));
    EXPECT_THAT(
            values(dt::f16, src, dt::s16), ElementsAre(1, -1, 0, 0, 300, -300, 32767, -32768, 0));
    EXPECT_THAT(values(dt::f32, {2147483520, 2147483648.0, -2147483648.0, -1e10}, dt::s32),
            ElementsAre(2147483520, 2147483647, -2147483648.0, -2147483648.0));
    EXPECT_THAT(values(dt::f64, {2147483646.9, 4294967295.5}, dt::u32),
            ElementsAre(2147483646, 4294967295.0));
    EXPECT_EQ(cast(row_of(dt::f64, {9007199254740991.0, 0x1p63, -0x1p63, -1e30, nan}), dt::s64),
            (bits{0x1fffffffffffff, 0x7fffffffffffffff, 0x8000000000000000, 0x8000000000000000,
                    0}));
    EXPECT_EQ(cast(row_of(dt::f64, {0x1p63, 0x1p64, -1}), dt::u64),
            (bits{0x8000000000000000, 0xffffffffffffffff, 0}));
}

// B42: not through u8, where 256 would become 0.
TEST(ops_cast, floating_point_to_boolean) {
    EXPECT_EQ(cast(row_of(dt::f32, {0, -0.0, 0.3, 256, -1, nan}), dt::boolean),
            (bits{0, 0, 1, 1, 1, 1}));
    EXPECT_EQ(cast(row_of(dt::f64, {0x1p-1074, inf, 1e300, 0}), dt::boolean), (bits{1, 1, 1, 0}));
    EXPECT_EQ(cast(row_of(dt::f16, {0x1p-24, 0, -0.0}), dt::boolean), (bits{1, 0, 0}));
}

// B42, to its end: the mask chooses.
TEST(ops_cast, a_cast_mask_chooses) {
    const row mask = {
            dt::boolean, cast(row_of(dt::f32, {0, -0.0, 0.3, 256, -1, nan}), dt::boolean)};
    const row ones = integers(dt::s32, {1, 1, 1, 1, 1, 1});
    const row zeros = integers(dt::s32, {0, 0, 0, 0, 0, 0});
    for (op_kind kind : {op_kind::Where, op_kind::Select})
        EXPECT_EQ(run_bits(kind, {}, {mask, ones, zeros}, dt::s32), (bits{0, 0, 1, 1, 1, 1}));
}

TEST(ops_cast, integers_keep_their_low_bits) {
    EXPECT_EQ(cast(integers(dt::s32, {300, -1, 128, 0x12345678}), dt::s8),
            (bits{44, 0xff, 0x80, 0x78}));
    EXPECT_EQ(cast(integers(dt::s32, {-1, 256}), dt::u8), (bits{0xff, 0}));
    EXPECT_EQ(cast(integers(dt::s8, {-1, -128, 127}), dt::s64),
            (bits{0xffffffffffffffff, 0xffffffffffffff80, 127}));
    EXPECT_EQ(cast(integers(dt::u8, {255}), dt::s64), bits{255});
    EXPECT_EQ(cast(integers(dt::s8, {-1}), dt::u16), bits{0xffff});
    EXPECT_EQ(cast(integers(dt::s64, {(std::int64_t{1} << 53) + 1}), dt::u64),
            bits{0x20000000000001});
    EXPECT_EQ(cast(integers(dt::u64, {-1}), dt::s64), bits{0xffffffffffffffff});
    EXPECT_EQ(cast(integers(dt::s64, {std::int64_t{1} << 32}), dt::s32), bits{0});
}

TEST(ops_cast, integers_and_booleans) {
    EXPECT_EQ(cast(integers(dt::s32, {0, 1, -1, 256}), dt::boolean), (bits{0, 1, 1, 1}));
    EXPECT_EQ(cast(integers(dt::s64, {std::int64_t{1} << 40}), dt::boolean), bits{1});
    // B39: every byte but 0 is true.
    const row bytes = integers(dt::boolean, {0, 1, 2, 128, 255});
    for (dt type : all_types) {
        if (type == dt::boolean) continue; // bits are copied
        EXPECT_EQ(cast(bytes, type), row_of(type, {0, 1, 1, 1, 1}).elements) << name_of(type);
    }
}

TEST(ops_cast, integers_are_rounded_once) {
    EXPECT_EQ(cast(integers(dt::s32, {16777217, 16777219, -16777217}), dt::f32),
            row_of(dt::f32, {16777216, 16777220, -16777216}).elements);
    // 2^60 + 2^36 + 1 lies just above the middle of two f32; rounded to double first, the 1 is
    // gone and the tie goes down.
    const std::int64_t above = (std::int64_t{1} << 60) + (std::int64_t{1} << 36) + 1;
    const double next = 0x1p60 + 0x1p37;
    EXPECT_EQ(cast(integers(dt::s64, {above, above - 1, above - 2, -above}), dt::f32),
            row_of(dt::f32, {next, 0x1p60, 0x1p60, -next}).elements);
    EXPECT_EQ(cast(integers(dt::u64, {above}), dt::f32), row_of(dt::f32, {next}).elements);
    // The same for bf16, whose neighbours here are 2^53 apart.
    const std::int64_t over = (std::int64_t{1} << 60) + (std::int64_t{1} << 52) + 1;
    const double after = 0x1p60 + 0x1p53;
    EXPECT_EQ(cast(integers(dt::s64, {over, over - 1, over - 2, -over}), dt::bf16),
            row_of(dt::bf16, {after, 0x1p60, 0x1p60, -after}).elements);
    EXPECT_EQ(cast(integers(dt::s32, {2049, 2051, 65519, 65520, -70000}), dt::f16),
            row_of(dt::f16, {2048, 2052, 65504, inf, -inf}).elements);
    EXPECT_EQ(cast(integers(dt::s64, {(std::int64_t{1} << 53) + 1, (std::int64_t{1} << 53) + 3}),
                      dt::f64),
            row_of(dt::f64, {0x1p53, 0x1p53 + 4}).elements);
    EXPECT_EQ(cast(integers(dt::u64, {-1}), dt::f32), row_of(dt::f32, {0x1p64}).elements);
    EXPECT_EQ(cast(integers(dt::u64, {-1}), dt::f64), row_of(dt::f64, {0x1p64}).elements);
    EXPECT_EQ(cast(integers(dt::s64, {std::numeric_limits<std::int64_t>::min()}), dt::f32),
            row_of(dt::f32, {-0x1p63}).elements);
}

TEST(ops_cast, shapes_and_strides) {
    const operand src = {dt::f32, {2, 3}, {1.5, 2.5, 3.5, -4.5, 5.5, 6.5}, {1, 2}};
    for (const dims &strides : {dims{}, dims{1, 2}, dims{20, 3}})
        EXPECT_THAT(run_one(op_kind::TypeCast, {}, {src}, {dt::s64, strides}).values,
                ElementsAre(1, 2, 3, -4, 5, 6));
    EXPECT_THAT(run_one(op_kind::TypeCast, {}, {{dt::s8, {}, {-3}, {}}}, {dt::f64, {}}).values,
            ElementsAre(-3));
    EXPECT_EQ(run_one(op_kind::TypeCast, {}, {{dt::s8, {0, 2}, {}, {}}}, {dt::f64, {}}).shape,
            dims({0, 2}));
}

TEST(ops_cast, errors) {
    const status bad = status::invalid_graph_op;
    auto spec = [](dt from, dt to) {
        return make_spec(op_kind::TypeCast, {}, {{from, {2, 3}}}, {to});
    };
    expect_error(bad, spec(dt::c64, dt::f32), "src (tensor 0) has data type c64; allowed: ");
    expect_error(bad, spec(dt::f32, dt::c128), "dst (tensor 100) has data type c128; allowed: ");
    expect_error(bad, spec(dt::s4, dt::f32), "src (tensor 0) has data type s4; allowed: ");
    expect_error(bad, spec(dt::f32, dt::undef), "dst (tensor 100) has data type undef; allowed: ");
    ir::op_spec given = spec(dt::f32, dt::s32);
    given.outputs[0] = make_port(100, dt::s32, {3, 2});
    expect_error(status::invalid_shape, given,
            "dst is given as 3x2, but the inputs give 2x3: axis 0 has 3, expected 2");
}

} // namespace
} // namespace tern::ops
