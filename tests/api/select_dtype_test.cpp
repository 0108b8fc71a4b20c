// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cmath>
#include <limits>

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

#include "select_graph.hpp"

using namespace select_graph;

namespace {

/// 16 bytes that compare by their bits.
struct bits128 {
    std::uint64_t low;
    std::uint64_t high;
    friend bool operator==(const bits128 &a, const bits128 &b) {
        return a.low == b.low && a.high == b.high;
    }
};

/// Sets the caller's FTZ and DAZ bits; does nothing where there are none.
class denormals_flushed {
public:
#ifdef __SSE2__
    denormals_flushed() : old_(_mm_getcsr()) {
        _mm_setcsr(old_ | 0x8040);
    }
    ~denormals_flushed() {
        _mm_setcsr(old_);
    }

private:
    unsigned old_;
#else
    denormals_flushed() = default;
    ~denormals_flushed() {}
#endif
};

/// Both sources hold `bits`; src_1 backwards. Whatever is chosen, the very bits must arrive.
template <typename T>
void expect_bits_survive(data_type type, const std::vector<T> &bits) {
    std::vector<T> backwards(bits.rbegin(), bits.rend());
    auto n = static_cast<std::int64_t>(bits.size());
    select_case<T> c{type, {{n}, {}}, {{n}, bits}, {{n}, backwards}};
    for (int pattern = 0; pattern < 4; ++pattern) {
        std::vector<T> expected;
        c.cond.memory.clear();
        for (std::size_t i = 0; i < bits.size(); ++i) {
            bool chosen =
                    pattern == 0 || (pattern > 1 && i % 2 == static_cast<unsigned>(pattern) % 2);
            c.cond.memory.push_back(chosen);
            expected.push_back(chosen ? bits[i] : backwards[i]);
        }
        EXPECT_EQ(run_select(c).memory, expected);
        denormals_flushed flushed;
        EXPECT_EQ(run_select(c).memory, expected) << "with FTZ and DAZ";
    }
    // A single element next to a full tensor.
    for (const T &one : bits) {
        c = {type, {{n}, std::vector<std::uint8_t>(bits.size(), 1)}, {{}, {one}}, {{n}, backwards}};
        EXPECT_EQ(run_select(c).memory, std::vector<T>(bits.size(), one));
        c = {type, {{n}, std::vector<std::uint8_t>(bits.size(), 0)}, {{n}, bits}, {{}, {one}}};
        EXPECT_EQ(run_select(c).memory, std::vector<T>(bits.size(), one));
    }
}

TEST(select_dtype, B32_minus_zero) {
    select_case<std::uint32_t> f32{data_type::f32, {{2}, {1, 0}}, {{2}, {0x80000000, 0x3f800000}},
            {{2}, {0x40000000, 0x80000000}}};
    EXPECT_EQ(run_select(f32).memory, (std::vector<std::uint32_t>{0x80000000, 0x80000000}));
    f32 = {data_type::f32, {{3}, {0, 0, 0}}, {{3}, {1, 2, 3}}, {{}, {0x80000000}}};
    EXPECT_EQ(run_select(f32).memory, (std::vector<std::uint32_t>(3, 0x80000000)));

    for (data_type type : {data_type::f16, data_type::bf16}) {
        select_case<std::uint16_t> half{
                type, {{2}, {1, 0}}, {{2}, {0x8000, 0x3c00}}, {{2}, {0x4000, 0x8000}}};
        EXPECT_EQ(run_select(half).memory, (std::vector<std::uint16_t>{0x8000, 0x8000}));
    }
    constexpr std::uint64_t minus_zero = 0x8000000000000000;
    select_case<std::uint64_t> f64{
            data_type::f64, {{2}, {1, 0}}, {{2}, {minus_zero, 1}}, {{2}, {2, minus_zero}}};
    EXPECT_EQ(run_select(f64).memory, (std::vector<std::uint64_t>{minus_zero, minus_zero}));
    constexpr std::uint64_t both_minus_zero = 0x8000000080000000;
    select_case<std::uint64_t> c64{data_type::c64, {{2}, {1, 0}}, {{2}, {both_minus_zero, 1}},
            {{2}, {2, both_minus_zero}}};
    EXPECT_EQ(
            run_select(c64).memory, (std::vector<std::uint64_t>{both_minus_zero, both_minus_zero}));
}

TEST(select_dtype, B33_the_other_lane_does_not_leak) {
    constexpr float inf = std::numeric_limits<float>::infinity();
    select_case<float> c{
            data_type::f32, {{4}, {1, 0, 1, 0}}, {{4}, {inf, 2, 3, 4}}, {{4}, {inf, 20, 30, 40}}};
    EXPECT_EQ(run_select(c).memory, (std::vector<float>{inf, 20, 3, 40}));
    for (float bad : {inf, -inf, std::nanf("")}) {
        c = {data_type::f32, {{4}, {1, 0, 1, 0}}, {{4}, {1, bad, 3, bad}},
                {{4}, {bad, 20, bad, 40}}};
        EXPECT_EQ(run_select(c).memory, (std::vector<float>{1, 20, 3, 40}));
    }
}

TEST(select_dtype, B35_signalling_nans_f32) {
    expect_bits_survive<std::uint32_t>(data_type::f32,
            {0x7f810000, 0x7f800001, 0xff812345, 0x7fc00000, 0xffc00001, 0x7f800000, 0xff800000, 1,
                    0x80000001, 0x007fffff, 0x80000000, 0, 0x3f800000});
}

TEST(select_dtype, B35_signalling_nans_f64) {
    expect_bits_survive<std::uint64_t>(data_type::f64,
            {0xfff0000000000001, 0x7ff0000000000001, 0x7ff8000000000000, 0xfff8000000000123, 1,
                    0x8000000000000001, 0x000fffffffffffff, 0x8000000000000000, 0});
}

TEST(select_dtype, B36_bf16_and_f16_bits) {
    expect_bits_survive<std::uint16_t>(
            data_type::bf16, {0x0001, 0x8001, 0x7f81, 0xffbf, 0x8000, 0x7f80, 0xff80, 0x3f80, 0});
    expect_bits_survive<std::uint16_t>(
            data_type::f16, {0x0001, 0x7c01, 0xfdff, 0xfc80, 0x8000, 0x7c00, 0x03ff, 0x3c00});
}

TEST(select_dtype, B36_eight_bit_floats) {
    std::vector<std::uint8_t> all(256);
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = static_cast<std::uint8_t>(i);
    expect_bits_survive(data_type::f8_e5m2, all);
    expect_bits_survive(data_type::f8_e4m3, all);
}

TEST(select_dtype, complex_bits) {
    expect_bits_survive<std::uint64_t>(
            data_type::c64, {0x7f8100007f810000, 0x0000000180000001, 0x80000000ff812345, 0, 1});
    expect_bits_survive<bits128>(
            data_type::c128, {{0xfff0000000000001, 1}, {1, 0x7ff0000000000001},
                                     {0x8000000000000000, 0}, {0, 0x8000000000000001}, {0, 0}});
}

/// Large enough to run on several threads, whose modes are the caller's.
TEST(select_dtype, B36_denormals_on_all_threads) {
    constexpr std::size_t n = (1u << 20) + 3;
    select_case<std::uint32_t> c{data_type::f32, {{n}, std::vector<std::uint8_t>(n)},
            {{n}, std::vector<std::uint32_t>(n)}, {{n}, std::vector<std::uint32_t>(n)}};
    std::vector<std::uint32_t> expected(n);
    for (std::size_t i = 0; i < n; ++i) {
        auto denormal = static_cast<std::uint32_t>(i % 0x7fffff + 1);
        c.cond.memory[i] = i % 5 == 0 ? 0 : static_cast<std::uint8_t>(i % 5);
        c.src_0.memory[i] = denormal;
        c.src_1.memory[i] = denormal | 0x80000000;
        expected[i] = i % 5 == 0 ? c.src_1.memory[i] : c.src_0.memory[i];
    }
    denormals_flushed flushed;
    EXPECT_TRUE(same_bits(run_select(c).memory, expected));
}

TEST(select_dtype, B38_integers_are_exact) {
    constexpr std::int32_t most = std::numeric_limits<std::int32_t>::max();
    select_case<std::int32_t> s32{data_type::s32, {{4}, {1, 0, 1, 0}},
            {{4}, {16777217, 0, -16777217, 0}}, {{4}, {0, most, 0, most - 1}}};
    EXPECT_EQ(run_select(s32).memory,
            (std::vector<std::int32_t>{16777217, most, -16777217, most - 1}));
    constexpr std::int64_t beyond_f64 = (std::int64_t{1} << 53) + 1;
    select_case<std::int64_t> s64{data_type::s64, {{2}, {1, 0}}, {{2}, {beyond_f64, 0}},
            {{2}, {0, std::numeric_limits<std::int64_t>::min() + 1}}};
    EXPECT_EQ(run_select(s64).memory,
            (std::vector<std::int64_t>{beyond_f64, std::numeric_limits<std::int64_t>::min() + 1}));
}

/// Both shapes that oneDNN's primitive takes are among them: full, and src_1 one element.
TEST(select_dtype, B39_every_cond_byte_but_0_is_true) {
    static_assert(sizeof(bool) == 1, "a boolean element is one byte");
    std::vector<std::uint8_t> cond(256);
    std::vector<float> zeros(256, 0), ones(256, 1), expected(256, 0);
    for (std::size_t i = 0; i < cond.size(); ++i)
        cond[i] = static_cast<std::uint8_t>(i);
    expected[0] = 1;
    select_case<float> c{data_type::f32, {{256}, cond}, {{256}, zeros}, {{256}, ones}};
    EXPECT_EQ(run_select(c).memory, expected);
    c.src_1 = {{1}, {1}};
    EXPECT_EQ(run_select(c).memory, expected);
    c.src_0 = {{1}, {0}};
    c.src_1 = {{256}, ones};
    EXPECT_EQ(run_select(c).memory, expected);
}

template <typename T>
void expect_byte_2_is_true(data_type type) {
    constexpr std::size_t n = 71;
    select_case<T> c{type, {{n}, {}}, {{n}, {}}, {{n}, {}}};
    std::vector<T> expected;
    for (std::size_t i = 0; i < n; ++i) {
        c.cond.memory.push_back(i % 2 ? 2 : 0);
        c.src_0.memory.push_back(T(i + 1));
        c.src_1.memory.push_back(T(i + 101));
        expected.push_back(T(i % 2 ? i + 1 : i + 101));
    }
    EXPECT_EQ(run_select(c).memory, expected);
}

TEST(select_dtype, B41_byte_2_is_true) {
    expect_byte_2_is_true<std::uint8_t>(data_type::u8);
    expect_byte_2_is_true<std::uint16_t>(data_type::u16);
    expect_byte_2_is_true<float>(data_type::f32);
    expect_byte_2_is_true<double>(data_type::f64);
}

/// Boolean sources are bytes like any other: they keep their value, true or not.
TEST(select_dtype, boolean_sources_keep_their_bytes) {
    select_case<std::uint8_t> c{
            data_type::boolean, {{4}, {1, 2, 0, 0}}, {{4}, {0, 255, 3, 4}}, {{4}, {1, 1, 128, 0}}};
    EXPECT_EQ(run_select(c).memory, (std::vector<std::uint8_t>{0, 255, 128, 0}));
}

template <typename T>
void expect_type_runs(data_type type) {
    T a{}, b{}, d{};
    std::memset(&a, 0x11, sizeof a);
    std::memset(&b, 0x22, sizeof b);
    std::memset(&d, 0xee, sizeof d);
    select_case<T> c{type, {{3}, {1, 0, 1}}, {{3}, {a, b, a}}, {{1}, {d}}};
    EXPECT_EQ(run_select(c).memory, (std::vector<T>{a, d, a}));
}

TEST(select_dtype, B44_every_type) {
    for (auto type : {data_type::s8, data_type::u8, data_type::boolean, data_type::f8_e5m2,
                 data_type::f8_e4m3})
        expect_type_runs<std::uint8_t>(type);
    for (auto type : {data_type::f16, data_type::bf16, data_type::s16, data_type::u16})
        expect_type_runs<std::uint16_t>(type);
    for (auto type : {data_type::f32, data_type::s32, data_type::u32})
        expect_type_runs<std::uint32_t>(type);
    for (auto type : {data_type::f64, data_type::s64, data_type::u64, data_type::c64})
        expect_type_runs<std::uint64_t>(type);
    expect_type_runs<bits128>(data_type::c128);
}

} // namespace
