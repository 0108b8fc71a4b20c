// SPDX-License-Identifier: Apache-2.0
// Included once per SIMD target, by the files that Highway compiles for each: the guard toggles.
#if defined(TERN_KERNELS_LANES_MATH_F32_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TERN_KERNELS_LANES_MATH_F32_INL_HPP
#undef TERN_KERNELS_LANES_MATH_F32_INL_HPP
#else
#define TERN_KERNELS_LANES_MATH_F32_INL_HPP
#endif

/// \file
/// Functions of f32 vectors, computed in f32, for targets with FMA. D is a tag of float.
/// Largest errors seen over every 211th f32, in ulp of the exact value: exp 1.01, log 0.79, sigmoid
/// 1.91, elu 0.90 (alpha 1; 1.67 for others).

#include <cstdint>
#include <limits>

#include "kernels/exp-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels {
namespace HWY_NAMESPACE {
namespace {

/// exp(v) = 2^n * (1 + rest)
template <class D>
struct f32_exp_parts {
    hn::Vec<D> rest;
    hn::Vec<hn::RebindToUnsigned<D>> biased; ///< n + bias modulo 2^9.
};

/// Precondition: v is NaN or |v| < 1000.
template <int bias, class D>
HWY_INLINE f32_exp_parts<D> split(D d, hn::Vec<D> v) {
    const hn::RebindToUnsigned<D> du;
    // The sum rounds to an integer, which it has, biased, in its low bits.
    const auto shifter = hn::Set(d, 0x1.8p23F + bias);
    const auto shifted = hn::MulAdd(v, hn::Set(d, 0x1.715476p0F), shifter);
    const auto r = without_powers(d, v, hn::Sub(shifted, shifter));
    return {exp_rest(d, r), hn::BitCast(du, shifted)};
}

/// 2^(biased - 127) for biased modulo 2^9 in [1, 254]; 0 for 0.
template <class D>
HWY_INLINE hn::Vec<D> biased_power(D d, hn::Vec<hn::RebindToUnsigned<D>> biased) {
    return hn::BitCast(d, hn::ShiftLeft<23>(biased));
}

/// Where exp(v) * 2^scale has the power 2^-127, which biased_power takes for 0.
template <int scale>
inline constexpr float lowest = -0.693147181F * (127 + scale);

template <class D>
HWY_INLINE hn::Vec<D> f32_exp(D d, hn::Vec<D> v) {
    // 2^n as a product: it may be beyond what f32 holds, on both sides.
    const auto parts = split<254>(d, at_least(d, at_most(d, v, 89.0F), -105.0F));
    const auto half = hn::ShiftRight<1>(parts.biased);
    const auto scale = biased_power(d, half);
    const auto value = hn::MulAdd(scale, parts.rest, scale);
    return hn::Mul(value, biased_power(d, hn::Sub(parts.biased, half)));
}

/// e^-|v| / (1 + e^-|v|) below 0, 1 / (1 + e^-|v|) from there.
template <class D>
HWY_INLINE hn::Vec<D> f32_sigmoid(D d, hn::Vec<D> v) {
    constexpr int up = 25;
    const auto one = hn::Set(d, 1.0F);
    const auto parts = split<127 + up>(d, at_least(d, hn::Neg(hn::Abs(v)), lowest<up>));
    const auto scale = hn::Mul(biased_power(d, parts.biased), hn::Set(d, 0x1p-25F));
    const auto sum = hn::MulAdd(scale, parts.rest, hn::Add(scale, one));
    const auto is_below = hn::Lt(v, hn::Zero(d));
    const auto ratio = hn::Div(hn::IfThenElse(is_below, scale, one), sum);
    return hn::MulAdd(ratio, hn::IfThenElseZero(is_below, parts.rest), ratio);
}

/// v > 0 ? v : alpha * (e^v - 1)
template <class D>
HWY_INLINE hn::Vec<D> f32_elu(D d, hn::Vec<D> v, hn::Vec<D> alpha) {
    const auto parts = split<127>(d, at_least(d, v, -80.0F));
    const auto scale = biased_power(d, parts.biased);
    // Near 0 the scale is 1.
    auto value = hn::MulAdd(scale, parts.rest, hn::Sub(scale, hn::Set(d, 1.0F)));
    value = hn::Or(value, hn::And(v, hn::Set(d, -0.0F))); // -0 stays -0.
    return hn::IfThenElse(hn::Gt(v, hn::Zero(d)), v, hn::Mul(alpha, value));
}

/// log(1 + f) for f in [sqrt(1/2) - 1, sqrt(2) - 1], plus k * ln(2) for an integer k.
template <class D>
HWY_INLINE hn::Vec<D> log_of_parts(D d, hn::Vec<D> f, hn::Vec<D> k) {
    // log(1 + f) = f - f^2 / 2 + f^3 p(f). Least squares, relative error below 2^-27.
    auto p = hn::MulAdd(hn::Set(d, -0x1.2d3636p-4F), f, hn::Set(d, 0x1.025beap-3F));
    p = hn::MulAdd(p, f, hn::Set(d, -0x1.0e6826p-3F));
    p = hn::MulAdd(p, f, hn::Set(d, 0x1.236438p-3F));
    p = hn::MulAdd(p, f, hn::Set(d, -0x1.546790p-3F));
    p = hn::MulAdd(p, f, hn::Set(d, 0x1.999860p-3F));
    p = hn::MulAdd(p, f, hn::Set(d, -0x1.00023cp-2F));
    p = hn::MulAdd(p, f, hn::Set(d, 0x1.555564p-2F));
    // p - 1 / (2f) has what is left, without its division.
    const auto square = hn::Mul(f, f);
    auto low = hn::Mul(hn::Mul(f, square), p);
    low = hn::MulAdd(k, hn::Set(d, 0x1.7f7d1cp-20F), low);
    low = hn::NegMulAdd(square, hn::Set(d, 0.5F), low);
    // The product with this part of ln(2) is exact.
    return hn::MulAdd(k, hn::Set(d, 0x1.62e4p-1F), hn::Add(f, low));
}

template <class D>
HWY_INLINE hn::Vec<D> f32_log(D d, hn::Vec<D> v) {
    const hn::RebindToSigned<D> di;
    const auto zero = hn::Zero(d);
    const auto infinity = hn::Set(d, std::numeric_limits<float>::infinity());
    const auto is_small = hn::Lt(v, hn::Set(d, 0x1p-126F));
    const auto normal = hn::IfThenElse(is_small, hn::Mul(v, hn::Set(d, 0x1p25F)), v);
    const auto bits = hn::BitCast(di, normal);
    // The exponent so that m is in [sqrt(1/2), sqrt(2)).
    const auto power = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, 0x3F3504F3)));
    const auto m = hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(power)));
    const auto k =
            hn::Sub(hn::ConvertTo(d, power), hn::IfThenElseZero(is_small, hn::Set(d, 25.0F)));
    auto value = log_of_parts(d, hn::Sub(m, hn::Set(d, 1.0F)), k);
    value = hn::IfThenElse(hn::Lt(v, infinity), value, v); // Infinity and NaN.
    value = hn::IfThenElse(hn::Eq(v, zero), hn::Neg(infinity), value);
    const auto nan = hn::Set(d, std::numeric_limits<float>::quiet_NaN());
    return hn::IfThenElse(hn::Lt(v, zero), nan, value);
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace tern::kernels
HWY_AFTER_NAMESPACE();

#endif
