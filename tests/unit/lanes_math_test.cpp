// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "each_target.hpp"
#include "kernels/lanes/run_lanes.hpp"

namespace tern::kernels {
namespace {

/// Every 16411th f32 of all, and what is around 0 and 1.
std::vector<float> many_floats() {
    std::vector<float> values;
    for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 16411)
        values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    for (int i = -20000; i <= 20000; ++i) {
        values.push_back(static_cast<float>(i) / 173.0F);
        values.push_back(1 + static_cast<float>(i) * 0x1p-24F);
    }
    for (float special : {0.0F, -0.0F, HUGE_VALF, -HUGE_VALF, std::nanf(""), 1.0F, -1.0F})
        values.push_back(special);
    return values;
}

std::vector<float> run(
        lane_op op, const std::vector<float> &a, const std::vector<float> &b, float x) {
    lane_program program;
    program.inputs = {{data_type::f32, lane_kind::f32}, {data_type::f32, lane_kind::f32}};
    program.instructions = {{op, lane_kind::f32, 2, 0, 1, 0, x}};
    program.outputs = {{2, data_type::f32}};
    std::vector<float> out(a.size());
    const std::vector<dims> strides(3, dims{1});
    const void *in[] = {a.data(), b.data()};
    void *dst = out.data();
    run_lanes(make_lane_loops(
                      make_lane_code(program), {static_cast<std::int64_t>(a.size())}, strides),
            in, &dst);
    return out;
}

/// In units of the last place of the exact value (that of the smallest normal number at least a
/// denormal's).
double error_of(float got, double want) {
    if (std::isnan(want) || std::isnan(got))
        return std::isnan(want) && std::isnan(got) ? 0 : HUGE_VAL;
    const auto rounded = static_cast<float>(want);
    if (got == rounded) return 0;
    if (std::isinf(rounded) || std::isinf(got))
        // The largest f32 next to infinity.
        return std::nextafter(got, rounded) == rounded ? 1 : HUGE_VAL;
    const float size = std::max(std::abs(rounded), std::numeric_limits<float>::min());
    const double unit = std::ldexp(1.0, std::ilogb(size) - 23);
    return std::abs(got - want) / unit;
}

template <typename Exact>
void expect_near(lane_op op, double ulps, float x, const Exact &exact) {
    const std::vector<float> values = many_floats();
    const std::vector<float> got = run(op, values, values, x);
    double worst = 0;
    std::size_t where = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double error = error_of(got[i], exact(values[i]));
        if (!(error <= worst)) {
            worst = error;
            where = i;
        }
    }
    EXPECT_LE(worst, ulps) << name_of(op) << " of " << values[where] << " gives " << got[where]
                           << " instead of " << exact(values[where]);
}

double sigmoid(double v) {
    return 1 / (1 + std::exp(-v));
}
/// Without a product of infinity and 0, but as the naive formula for minus infinity.
double weighted(double a, double weight) {
    return a * weight;
}

TEST(lanes_math, elementary_functions_are_within_two_ulp) {
    tests::for_each_target([] {
        expect_near(lane_op::exp, 1.1, 0, [](double a) { return std::exp(a); });
        expect_near(lane_op::log, 1, 0, [](double a) { return std::log(a); });
        expect_near(lane_op::tanh, 1, 0, [](double a) { return std::tanh(a); });
        expect_near(lane_op::sigmoid, 2, 0, [](double a) { return sigmoid(a); });
        for (float alpha : {1.0F, 0.3F, -2.0F})
            expect_near(lane_op::elu, 2, alpha,
                    [=](double a) { return a > 0 ? a : double{alpha} * std::expm1(a); });
    });
}

TEST(lanes_math, compound_functions_are_within_two_ulp) {
    tests::for_each_target([] {
        expect_near(lane_op::erf, 1, 0, [](double a) { return std::erf(a); });
        expect_near(lane_op::gelu_erf, 2, 0,
                [](double a) { return weighted(a, 0.5 * std::erfc(-a / std::sqrt(2.0))); });
        expect_near(lane_op::gelu_tanh, 2, 0, [](double a) {
            const double z = std::sqrt(2 / M_PI) * (a + 0.044715 * a * a * a);
            return weighted(a, sigmoid(2 * z));
        });
        expect_near(lane_op::mish, 2, 0,
                [](double a) { return weighted(a, std::tanh(std::log1p(std::exp(a)))); });
        // The last ones are computed in another way.
        for (float beta : {1.0F, 2.5F, -1.0F, 1.41F, 0.3F, -0.7F, 1e-5F, 7e5F, 1e-7F, 3e8F})
            expect_near(lane_op::soft_plus, 2, beta, [=](double a) {
                const double v = a * double{beta};
                return (std::max(v, 0.0) + std::log1p(std::exp(-std::abs(v)))
                               + (std::isnan(v) ? v : 0))
                       / double{beta};
            });
    });
}

/// Of zeros the sign counts too.
void expect_values(
        lane_op op, float x, const std::vector<float> &values, const std::vector<float> &want) {
    const std::vector<float> got = run(op, values, values, x);
    for (std::size_t i = 0; i < want.size(); ++i) {
        if (std::isnan(want[i])) {
            EXPECT_TRUE(std::isnan(got[i])) << name_of(op) << " of " << values[i];
        } else {
            EXPECT_LE(error_of(got[i], want[i]), 2) << name_of(op) << " of " << values[i];
            EXPECT_EQ(std::signbit(got[i]), std::signbit(want[i]))
                    << name_of(op) << " of " << values[i];
        }
    }
}

TEST(lanes_math, compound_functions_at_their_ends) {
    constexpr float inf = std::numeric_limits<float>::infinity();
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();
    constexpr float tiny = 0x1p-149F;
    constexpr float most = std::numeric_limits<float>::max();
    const std::vector<float> values = {0.0F, -0.0F, inf, -inf, nan, most, -most, 200.0F, -200.0F,
            0x1p-127F, -0x1p-127F, 3 * tiny, -3 * tiny, 1.0F, -1.0F};
    tests::for_each_target([&] {
        expect_values(lane_op::gelu_erf, 0, values,
                {0.0F, -0.0F, inf, nan, nan, most, -0.0F, 200.0F, -0.0F, 0x1p-128F, -0x1p-128F,
                        2 * tiny, -2 * tiny, 0.841344746F, -0.158655254F});
        expect_values(lane_op::gelu_tanh, 0, values,
                {0.0F, -0.0F, inf, nan, nan, most, -0.0F, 200.0F, -0.0F, 0x1p-128F, -0x1p-128F,
                        2 * tiny, -2 * tiny, 0.841191991F, -0.158808009F});
        expect_values(lane_op::mish, 0, values,
                {0.0F, -0.0F, inf, nan, nan, most, -0.0F, 200.0F, -0.0F, 0.6F * 0x1p-127F,
                        -0.6F * 0x1p-127F, 2 * tiny, -2 * tiny, 0.865098388F, -0.303401461F});
        expect_values(lane_op::soft_plus, 1, values,
                {0.693147181F, 0.693147181F, inf, 0.0F, nan, most, 0.0F, 200.0F, 0.0F, 0.693147181F,
                        0.693147181F, 0.693147181F, 0.693147181F, 1.31326169F, 0.313261688F});
        expect_values(lane_op::soft_plus, -2, {0.0F, -0.0F, -inf, nan, -most, -200.0F, 1.0F, -1.0F},
                {-0.34657359F, -0.34657359F, -inf, nan, -most, -200.0F, -0.0634640055F,
                        -1.06346401F});
    });
}

TEST(lanes_math, results_that_are_denormal) {
    tests::for_each_target([] {
        expect_values(lane_op::gelu_erf, 0, {-13.5F, -14.0F, -14.2F, -14.6F},
                {-1.05553899e-40F, -1.09109516e-43F, -6.50448117e-45F, -0.0F});
        expect_values(lane_op::mish, 0, {-92.5F, -100.0F, -108.0F, -120.0F},
                {-6.221601e-39F, -3.720076e-42F, -1.34778e-45F, -0.0F});
        expect_values(lane_op::gelu_tanh, 0, {-10.0F, -10.5F, -10.8F, -11.0F},
                {-1.20409235e-37F, -7.42490056e-43F, -0.0F, -0.0F});
        expect_values(lane_op::soft_plus, 1, {-90.0F, -95.0F, -102.0F, -105.0F},
                {8.19401262e-40F, 5.521082e-42F, 5.034575e-45F, 0.0F});
    });
}

TEST(lanes_math, power_is_that_of_the_standard_library) {
    tests::for_each_target([] {
        for (float x : {0.0F, 1.0F, 2.0F, 3.0F, -1.0F, 0.5F, -0.5F, 1.0F / 3, 7.25F, -2.0F, 1e30F})
            expect_near(lane_op::power_x, 1, x, [=](double a) { return std::pow(a, double{x}); });
        const float special[] = {0.0F, -0.0F, 1.0F, -1.0F, 0.5F, -0.5F, 2.0F, -2.0F, 3.0F, -3.0F,
                HUGE_VALF, -HUGE_VALF, std::nanf(""), 1e-40F, -1e-40F, 3e38F, -3e38F, 8388607.0F,
                16777215.0F, 16777216.0F, 1.0000001F, -0.9999999F, 1.5F, -1.5F};
        std::vector<float> a;
        std::vector<float> b;
        for (float base : special)
            for (float exponent : special) {
                a.push_back(base);
                b.push_back(exponent);
            }
        for (float base : many_floats()) {
            a.push_back(base);
            b.push_back(std::fmod(base * 77.0F, 19.0F));
        }
        const std::vector<float> got = run(lane_op::power, a, b, 0);
        for (std::size_t i = 0; i < a.size(); ++i) {
            const double want = std::pow(double{a[i]}, double{b[i]});
            ASSERT_LE(error_of(got[i], want), 1)
                    << a[i] << " ^ " << b[i] << " = " << got[i] << " instead of " << want;
            ASSERT_EQ(want == 0 && std::signbit(got[i]), want == 0 && std::signbit(want))
                    << a[i] << " ^ " << b[i];
        }
    });
}

} // namespace
} // namespace tern::kernels
