// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/element.hpp"
#include "each_target.hpp"
#include "kernels/lanes/lane_code.hpp"
#include "kernels/lanes/run_lanes.hpp"

namespace tern::kernels {
namespace {

constexpr float inf = std::numeric_limits<float>::infinity();
constexpr float nan = std::numeric_limits<float>::quiet_NaN();

/// Runs a program over dense vectors of one length. `Out` must fit the output's type.
template <typename Out>
std::vector<Out> run(
        const lane_program &program, std::size_t n, const std::vector<const void *> &in) {
    std::vector<Out> out(n);
    const dims shape = {static_cast<std::int64_t>(n)};
    const std::vector<dims> strides(in.size() + 1, dims{1});
    void *dst = out.data();
    run_lanes(make_lane_loops(make_lane_code(program), shape, strides), in.data(), &dst);
    return out;
}

std::vector<float> run_f32(lane_op op, const std::vector<float> &a, const std::vector<float> &b,
        float x = 0, float y = 0) {
    lane_program program;
    program.inputs = {{data_type::f32, lane_kind::f32}, {data_type::f32, lane_kind::f32}};
    program.instructions = {{op, lane_kind::f32, 2, 0, 1, 0, x, y}};
    program.outputs = {{2, data_type::f32}};
    return run<float>(program, a.size(), {a.data(), b.data()});
}
std::vector<float> run_f32(lane_op op, const std::vector<float> &a, float x = 0, float y = 0) {
    return run_f32(op, a, a, x, y);
}

void expect_same(const std::vector<float> &got, const std::vector<float> &want) {
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i)
        if (std::isnan(want[i]))
            EXPECT_TRUE(std::isnan(got[i])) << i << ": " << got[i];
        else
            EXPECT_EQ(std::bit_cast<std::uint32_t>(got[i]), std::bit_cast<std::uint32_t>(want[i]))
                    << i << ": " << got[i] << " instead of " << want[i];
}

/// What a program makes of every bit pattern of a type, and the patterns themselves.
std::pair<std::vector<std::uint16_t>, std::vector<std::uint16_t>> run_all_16_bits(
        lane_program program, data_type type, lane_kind kind) {
    std::vector<std::uint16_t> all(0x10000);
    std::iota(all.begin(), all.end(), std::uint16_t{0});
    program.inputs = {{type, kind}};
    program.outputs = {{program.instructions.empty() ? 0 : program.instructions.back().dst, type}};
    return {run<std::uint16_t>(program, all.size(), {all.data()}), all};
}

TEST(lanes_ops, copies_of_short_elements_keep_every_bit) {
    tests::for_each_target([] {
        for (data_type type : {data_type::bf16, data_type::f16, data_type::s16, data_type::u16}) {
            SCOPED_TRACE(name_of(type));
            const bool is_float = type == data_type::bf16 || type == data_type::f16;
            const lane_kind kind = is_float ? lane_kind::f32 : lane_kind::s32;
            const auto [copied, all] = run_all_16_bits({}, type, kind);
            EXPECT_EQ(copied, all);
            lane_program rounds;
            rounds.instructions = {{is_float ? lane_op::round_to : lane_op::wrap_to, kind, 1, 0, 0,
                    0, 0, 0, type}};
            EXPECT_EQ(run_all_16_bits(rounds, type, kind).first, all);
        }
    });
}

TEST(lanes_ops, shortened_nans_stay_nans) {
    tests::for_each_target([] {
        const std::vector<std::uint32_t> bits = {0x7F800001, 0xFF801FFF, 0x7F802000, 0x7F812345,
                0x7FC00000, 0xFFFFFFFF, 0x7F810000, 0x7F800000, 0xFF800000};
        lane_program program;
        program.inputs = {{data_type::f32, lane_kind::f32}};
        program.outputs = {{0, data_type::bf16}};
        EXPECT_EQ(run<std::uint16_t>(program, bits.size(), {bits.data()}),
                (std::vector<std::uint16_t>{
                        0x7FC0, 0xFFC0, 0x7FC0, 0x7FC1, 0x7FC0, 0xFFFF, 0x7F81, 0x7F80, 0xFF80}));
        program.outputs = {{0, data_type::f16}};
        EXPECT_EQ(run<std::uint16_t>(program, bits.size(), {bits.data()}),
                (std::vector<std::uint16_t>{
                        0x7E00, 0xFE00, 0x7C01, 0x7E09, 0x7E00, 0xFFFF, 0x7C08, 0x7C00, 0xFC00}));
    });
}

TEST(lanes_ops, arithmetic_of_f32) {
    tests::for_each_target([] {
        const std::vector<float> a = {1, -2, 0.5F, inf, nan, 3};
        const std::vector<float> b = {4, 5, -0.25F, -inf, 1, nan};
        expect_same(run_f32(lane_op::add, a, b), {5, 3, 0.25F, nan, nan, nan});
        expect_same(run_f32(lane_op::subtract, a, b), {-3, -7, 0.75F, inf, nan, nan});
        expect_same(run_f32(lane_op::multiply, a, b), {4, -10, -0.125F, -inf, nan, nan});
        expect_same(run_f32(lane_op::divide, a, b), {0.25F, -0.4F, -2, nan, nan, nan});
        expect_same(run_f32(lane_op::maximum, a, b), {4, 5, 0.5F, inf, nan, nan});
        expect_same(run_f32(lane_op::minimum, a, b), {1, -2, -0.25F, -inf, nan, nan});
        expect_same(run_f32(lane_op::squared_difference, a, b), {9, 49, 0.5625F, inf, nan, nan});
        expect_same(run_f32(lane_op::negate, {0.0F, -1, inf}), {-0.0F, 1, -inf});
        expect_same(run_f32(lane_op::abs, {-0.0F, -1, -inf, nan}), {0.0F, 1, inf, nan});
        expect_same(run_f32(lane_op::square, {-3, 1e30F, nan}), {9, inf, nan});
        expect_same(run_f32(lane_op::reciprocal, {4, -0.0F, inf}), {0.25F, -inf, 0});
        expect_same(run_f32(lane_op::sqrt, {9, -1, -0.0F, 2}), {3, nan, -0.0F, 1.41421356F});
        expect_same(run_f32(lane_op::round, {0.5F, 1.5F, -2.5F, -0.25F, 8388609, inf, nan}),
                {0, 2, -2, -0.0F, 8388609, inf, nan});
        expect_same(run_f32(lane_op::floor,
                            {0.5F, 1.5F, -2.5F, -0.25F, -0.0F, 8388607.5F, 1e30F, -inf, nan}),
                {0, 1, -3, -1, -0.0F, 8388607, 1e30F, -inf, nan});
        expect_same(run_f32(lane_op::ceil,
                            {0.5F, 1.5F, -2.5F, -0.25F, -0.0F, 8388607.5F, -1e30F, inf, nan}),
                {1, 2, -2, -0.0F, -0.0F, 8388608, -1e30F, inf, nan});
        expect_same(run_f32(lane_op::sign, {2.5F, -0.25F, 0, -0.0F, 1e-40F, -inf, nan}),
                {1, -1, 0, 0, 1, -1, nan});
    });
}

TEST(lanes_ops, piecewise_functions_of_f32) {
    tests::for_each_target([] {
        expect_same(run_f32(lane_op::relu, {-1, 2, nan, -inf, inf}), {0, 2, nan, 0, inf});
        expect_same(run_f32(lane_op::clamp, {-5, 0.5F, 7, nan, inf}, -1, 2), {-1, 0.5F, 2, nan, 2});
        expect_same(run_f32(lane_op::leaky_relu, {-4, 4, nan, -0.0F}, 0.25F), {-1, 4, nan, -0.0F});
        expect_same(run_f32(lane_op::leaky_relu, {-inf, -2, -0.0F, 3, nan}, 0),
                {nan, -0.0F, -0.0F, 3, nan});
        expect_same(run_f32(lane_op::leaky_relu, {-inf, -2, -0.0F, 3}, -0.0F), {nan, 0, -0.0F, 3});
        expect_same(run_f32(lane_op::leaky_relu, {-2, -0.0F, 0, 3}, inf), {-inf, -0.0F, 0, 3});
        expect_same(run_f32(lane_op::leaky_relu, {-2, -0.0F, 0, 3}, -inf), {inf, -0.0F, 0, 3});
        expect_same(run_f32(lane_op::leaky_relu, {-2, -0.0F, 0, 3}, nan), {nan, -0.0F, 0, 3});
        expect_same(run_f32(lane_op::leaky_relu, {-4, 4, nan, -0.0F, 0, -inf, inf}, -2),
                {8, 4, nan, -0.0F, 0, inf, inf});
        expect_same(run_f32(lane_op::hard_sigmoid, {-9, 0, 1, 9, nan}, 0.25F, 0.5F),
                {0, 0.5F, 0.75F, 1, nan});
        expect_same(run_f32(lane_op::hard_swish, {-4, -3, 0, 3, 4, 3e38F, nan}),
                {-0.0F, -0.0F, 0, 3, 4, 3e38F, nan});
    });
}

TEST(lanes_ops, integers_wrap_around) {
    tests::for_each_target([] {
        const auto check = [](lane_op op, std::vector<std::int32_t> a, std::vector<std::int32_t> b,
                                   const std::vector<std::int32_t> &want) {
            lane_program program;
            program.inputs = {{data_type::s32, lane_kind::s32}, {data_type::s32, lane_kind::s32}};
            program.instructions = {{op, lane_kind::s32, 2, 0, 1}};
            program.outputs = {{2, data_type::s32}};
            EXPECT_EQ(run<std::int32_t>(program, a.size(), {a.data(), b.data()}), want)
                    << name_of(op);
        };
        check(lane_op::add, {INT32_MAX, -5}, {1, 3}, {INT32_MIN, -2});
        check(lane_op::subtract, {INT32_MIN, 5}, {1, 7}, {INT32_MAX, -2});
        check(lane_op::multiply, {65536, -3}, {65536, 4}, {0, -12});
        check(lane_op::maximum, {INT32_MIN, 5}, {1, -7}, {1, 5});
        check(lane_op::minimum, {INT32_MIN, 5}, {1, -7}, {INT32_MIN, -7});
        check(lane_op::negate, {INT32_MIN, 5}, {0, 0}, {INT32_MIN, -5});
        check(lane_op::abs, {INT32_MIN, -5}, {0, 0}, {INT32_MIN, 5});
        check(lane_op::square, {-7, 65536}, {0, 0}, {49, 0});
    });
}

TEST(lanes_ops, comparisons_with_nan_are_false_but_for_not_equal) {
    tests::for_each_target([] {
        const std::vector<float> a = {1, 2, 3, nan, 0.0F};
        const std::vector<float> b = {2, 2, 2, nan, -0.0F};
        const auto check = [&](lane_op op, const std::vector<std::uint8_t> &want) {
            lane_program program;
            program.inputs = {{data_type::f32, lane_kind::f32}, {data_type::f32, lane_kind::f32}};
            program.instructions = {{op, lane_kind::f32, 2, 0, 1}};
            program.outputs = {{2, data_type::boolean}};
            EXPECT_EQ(run<std::uint8_t>(program, a.size(), {a.data(), b.data()}), want)
                    << name_of(op);
        };
        check(lane_op::equal, {0, 1, 0, 0, 1});
        check(lane_op::not_equal, {1, 0, 1, 1, 0});
        check(lane_op::greater, {0, 0, 1, 0, 0});
        check(lane_op::greater_equal, {0, 1, 1, 0, 1});
        check(lane_op::less, {1, 0, 0, 0, 0});
        check(lane_op::less_equal, {1, 1, 0, 0, 1});
    });
}

TEST(lanes_ops, any_byte_but_0_is_true) {
    tests::for_each_target([] {
        const std::vector<std::uint8_t> a = {0, 1, 2, 0x80, 0xFF};
        const std::vector<std::uint8_t> b = {0, 0, 1, 4, 0};
        const auto check = [&](lane_op op, const std::vector<std::uint8_t> &want) {
            lane_program program;
            program.inputs = {
                    {data_type::boolean, lane_kind::mask}, {data_type::boolean, lane_kind::mask}};
            program.instructions = {{op, lane_kind::mask, 2, 0, 1}};
            program.outputs = {{2, data_type::boolean}};
            EXPECT_EQ(run<std::uint8_t>(program, a.size(), {a.data(), b.data()}), want)
                    << name_of(op);
        };
        check(lane_op::logical_and, {0, 0, 1, 1, 0});
        check(lane_op::logical_or, {0, 1, 1, 1, 1});
        check(lane_op::logical_xor, {0, 1, 0, 0, 1});
        check(lane_op::logical_not, {1, 0, 0, 0, 0});
        check(lane_op::convert, {0, 1, 1, 1, 1});
    });
}

TEST(lanes_ops, select_keeps_every_bit) {
    tests::for_each_target([] {
        // Signalling NaN, minus zero, a denormal.
        const std::vector<std::uint32_t> b = {0x7F800001, 0x80000000, 1, 0xFF812345};
        const std::vector<std::uint32_t> c = {0, 0x7FA00000, 0x80000001, 5};
        const std::vector<std::uint8_t> cond = {1, 0, 0, 7};
        for (lane_kind kind : {lane_kind::f32, lane_kind::bits_32}) {
            lane_program program;
            program.inputs = {{data_type::boolean, lane_kind::mask}, {data_type::f32, kind},
                    {data_type::f32, kind}};
            program.instructions = {{lane_op::select, kind, 3, 0, 1, 2}};
            program.outputs = {{3, data_type::f32}};
            EXPECT_EQ(run<std::uint32_t>(program, b.size(), {cond.data(), b.data(), c.data()}),
                    (std::vector<std::uint32_t>{0x7F800001, 0x7FA00000, 0x80000001, 0xFF812345}));
        }
    });
}

TEST(lanes_ops, conversions_saturate_or_keep_low_bits) {
    tests::for_each_target([] {
        const std::vector<float> a = {2.5F, -2.5F, 3.5F, 300, -300, nan, inf, -inf};
        const auto stored = [&](data_type type) {
            lane_program program;
            program.inputs = {{data_type::f32, lane_kind::f32}};
            program.outputs = {{0, type}};
            return program;
        };
        EXPECT_EQ(run<std::int8_t>(stored(data_type::s8), a.size(), {a.data()}),
                (std::vector<std::int8_t>{2, -2, 4, 127, -128, 0, 127, -128}));
        EXPECT_EQ(run<std::uint8_t>(stored(data_type::u8), a.size(), {a.data()}),
                (std::vector<std::uint8_t>{2, 0, 4, 255, 0, 0, 255, 0}));
        EXPECT_EQ(run<std::int32_t>(stored(data_type::s32), a.size(), {a.data()}),
                (std::vector<std::int32_t>{2, -2, 4, 300, -300, 0, INT32_MAX, INT32_MIN}));
        lane_program cut;
        cut.inputs = {{data_type::f32, lane_kind::f32}};
        cut.instructions = {{lane_op::convert, lane_kind::s32, 1, 0}};
        cut.outputs = {{1, data_type::u8}};
        EXPECT_EQ(run<std::uint8_t>(cut, a.size(), {a.data()}),
                (std::vector<std::uint8_t>{2, 254, 3, 44, 212, 0, 255, 0}));
    });
}

TEST(lanes_ops, index_counts_from_where_the_tile_begins) {
    tests::for_each_target([] {
        lane_program program;
        program.inputs = {
                {data_type::s32, lane_kind::s32, true}, {data_type::s32, lane_kind::s32, true}};
        program.instructions = {{lane_op::greater_equal, lane_kind::s32, 2, 0, 1}};
        program.outputs = {{2, data_type::boolean}};
        const auto code = make_lane_code(program);
        std::vector<std::uint8_t> out(12);
        std::vector<std::byte> memory(lane_scratch_bytes(*code) + 64);
        void *scratch = memory.data();
        std::size_t space = memory.size();
        std::align(64, lane_scratch_bytes(*code), scratch, space);
        const lane_place places[] = {
                {nullptr, 1, 0, 10}, {nullptr, 0, 1, 9}, {out.data(), 4, 1, 0}};
        run_lane_tile(*code, 3, 4, places, scratch);
        EXPECT_EQ(out, (std::vector<std::uint8_t>{1, 1, 0, 0, 1, 1, 1, 0, 1, 1, 1, 1}));
    });
}

TEST(lanes_ops, what_is_written_past_the_caches_is_the_same) {
    tests::for_each_target([] {
        constexpr std::int64_t n = 5000;
        std::vector<float> in(n);
        for (std::size_t i = 0; i < in.size(); ++i)
            in[i] = static_cast<float>(i) * 0.37F - 700;
        for (data_type type : {data_type::f32, data_type::bf16, data_type::f16, data_type::u8})
            for (bool computes : {false, true}) {
                lane_program program;
                program.inputs = {{data_type::f32, lane_kind::f32}};
                if (computes) program.instructions = {{lane_op::square, lane_kind::f32, 1, 0}};
                program.outputs = {{computes ? 1 : 0, type}};
                const auto code = make_lane_code(program);
                std::vector<std::byte> memory(lane_scratch_bytes(*code) + 64);
                void *scratch = memory.data();
                std::size_t space = memory.size();
                std::align(64, lane_scratch_bytes(*code), scratch, space);
                // Dense from any element of a cache line on, and odd addresses.
                for (std::size_t skip : {0U, 4U, 12U, 60U, 1U}) {
                    const std::size_t bytes = bytes_of(type) * n;
                    std::vector<std::uint8_t> near(bytes + skip, 7);
                    std::vector<std::uint8_t> far(bytes + skip, 7);
                    lane_place places[] = {{in.data(), 0, 1}, {near.data() + skip, 0, 1}};
                    run_lane_tile(*code, 1, n, places, scratch, memory_level::l2);
                    places[1].data = far.data() + skip;
                    run_lane_tile(*code, 1, n, places, scratch, memory_level::main);
                    ASSERT_EQ(near, far) << name_of(type) << " " << computes << " " << skip;
                    ASSERT_NE(near, std::vector<std::uint8_t>(bytes + skip, 7));
                }
            }
    });
}

// A chain that is written at once needs no registers: its rows are run in long parts.
TEST(lanes_ops, rows_of_more_elements_than_a_part_has) {
    constexpr std::int64_t rows = 3;
    constexpr std::int64_t columns = 70001;
    constexpr std::int64_t step = columns + 3;
    lane_program program;
    program.inputs = {{data_type::f32, lane_kind::f32}, {data_type::f32, lane_kind::f32}};
    program.instructions = {
            {lane_op::add, lane_kind::f32, 2, 0, 1}, {lane_op::relu, lane_kind::f32, 3, 2}};
    program.outputs = {{3, data_type::f32}};
    std::vector<float> a(rows * step);
    std::vector<float> b(columns);
    for (std::size_t i = 0; i < a.size(); ++i)
        a[i] = static_cast<float>(i % 1009) - 500;
    for (std::size_t i = 0; i < b.size(); ++i)
        b[i] = static_cast<float>(i % 13);
    std::vector<float> want(rows * step, -7);
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < columns; ++column)
            want[static_cast<std::size_t>(row * step + column)] =
                    std::max(0.0F, a[static_cast<std::size_t>(row * step + column)]
                                           + b[static_cast<std::size_t>(column)]);
    tests::for_each_target([&] {
        const auto code = make_lane_code(program);
        std::vector<std::byte> memory(lane_scratch_bytes(*code) + 64);
        void *scratch = memory.data();
        std::size_t space = memory.size();
        std::align(64, lane_scratch_bytes(*code), scratch, space);
        for (memory_level level :
                {memory_level::l2, memory_level::last_cache, memory_level::main}) {
            std::vector<float> out(rows * step, -7);
            lane_place places[] = {{a.data(), step, 1}, {b.data(), 0, 1}, {out.data(), step, 1}};
            run_lane_tile(*code, rows, columns, places, scratch, level);
            ASSERT_EQ(out, want) << static_cast<int>(level);
            // In place, and as one run.
            std::vector<float> both = a;
            lane_place one[] = {{both.data(), 0, 1}, {a.data(), 0, 1}, {both.data(), 0, 1}};
            run_lane_tile(*code, 1, rows * step, one, scratch, level);
            for (std::size_t i = 0; i < both.size(); ++i)
                ASSERT_EQ(both[i], std::max(0.0F, a[i] + a[i])) << i;
        }
    });
}

TEST(lanes_ops, every_16_bit_float_comes_and_goes) {
    tests::for_each_target([] {
        std::vector<std::uint16_t> all(65536);
        for (std::size_t i = 0; i < all.size(); ++i)
            all[i] = static_cast<std::uint16_t>(i);
        for (data_type type : {data_type::bf16, data_type::f16}) {
            lane_program load;
            load.inputs = {{type, lane_kind::f32}};
            load.outputs = {{0, data_type::f32}};
            const auto values = run<float>(load, all.size(), {all.data()});
            std::vector<float> near;
            for (std::size_t i = 0; i < all.size(); ++i) {
                const auto want = static_cast<float>(load_f64(type, &all[i]));
                if (std::isnan(want))
                    ASSERT_TRUE(std::isnan(values[i])) << i;
                else
                    ASSERT_EQ(std::bit_cast<std::uint32_t>(values[i]),
                            std::bit_cast<std::uint32_t>(want));
                // The value, the tie above it, and the floats next to both.
                const std::uint32_t bits = std::bit_cast<std::uint32_t>(want);
                const auto next = static_cast<std::uint16_t>(i + 1);
                const auto tie =
                        static_cast<float>((static_cast<double>(want) + load_f64(type, &next)) / 2);
                for (std::uint32_t step : {0U, 1U, 0xFFFFFFFFU})
                    for (std::uint32_t from : {bits, std::bit_cast<std::uint32_t>(tie)})
                        near.push_back(std::bit_cast<float>(from + step));
            }
            lane_program store;
            store.inputs = {{data_type::f32, lane_kind::f32}};
            store.outputs = {{0, type}};
            const auto stored = run<std::uint16_t>(store, near.size(), {near.data()});
            for (std::size_t i = 0; i < near.size(); ++i) {
                std::uint16_t want = 0;
                store_f64(type, near[i], &want);
                if (std::isnan(near[i]))
                    ASSERT_TRUE(std::isnan(load_f64(type, &stored[i])));
                else
                    ASSERT_EQ(stored[i], want) << near[i];
            }
        }
    });
}

} // namespace
} // namespace tern::kernels
