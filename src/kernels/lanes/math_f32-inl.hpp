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
/// 1.91, elu 0.90 (alpha 1; 1.67 for others), mish 2.30, gelu_tanh 2.15, gelu_erf 3.10, soft_plus
/// 1.95 (beta 1; 2.37 for others). Tests allow a little more.

#include <cstdint>
#include <limits>

#include "kernels/exp-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels {
namespace HWY_NAMESPACE {
namespace {

/// a * b - product for product = a * b rounded: exact unless it underflows.
template <class V>
HWY_INLINE V product_error(V a, V b, V product) {
    return hn::MulSub(a, b, product);
}

/// exp(v) = 2^n * (1 + rest)
template <class D>
struct f32_exp_parts {
    hn::Vec<D> rest;
    hn::Vec<hn::RebindToUnsigned<D>> biased; ///< n + bias modulo 2^9.
};

/// For exp(v + low). Preconditions: v is NaN or |v| < 1000; |low| is some ulp of v at most.
template <int bias, class D>
HWY_INLINE f32_exp_parts<D> split(D d, hn::Vec<D> v, hn::Vec<D> low) {
    const hn::RebindToUnsigned<D> du;
    // The sum rounds to an integer, which it has, biased, in its low bits.
    const auto shifter = hn::Set(d, 0x1.8p23F + bias);
    const auto shifted = hn::MulAdd(v, hn::Set(d, 0x1.715476p0F), shifter);
    const auto n = hn::Sub(shifted, shifter);
    // As without_powers does it.
    const auto r = hn::NegMulAdd(n, hn::Set(d, 0x1.62e4p-1F), v);
    const auto rest = exp_rest(d, hn::Add(r, hn::NegMulAdd(n, hn::Set(d, 0x1.7f7d1cp-20F), low)));
    return {rest, hn::BitCast(du, shifted)};
}

template <int bias, class D>
HWY_INLINE f32_exp_parts<D> split(D d, hn::Vec<D> v) {
    const hn::RebindToUnsigned<D> du;
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

/// NaN for minus infinity, as the naive formula has it.
template <class D>
HWY_INLINE hn::Vec<D> f32_mish(D d, hn::Vec<D> v) {
    // With u = e^v, tanh(log(1 + u)) is u * (1 - (u^2 + u) / (u^2 + 2u + 2)): for v below about 0.
    // With u = e^-v, it is 1 - 2u^2 / (2u^2 + 2u + 1): for others.
    constexpr int up = 40; // Keeps small weights normal.
    const auto one = hn::Set(d, 1.0F);
    const auto two = hn::Set(d, 2.0F);
    const auto down = hn::Set(d, 0x1p-40F);
    const auto is_below = hn::Lt(v, hn::Set(d, -0.25F));
    const auto inner = hn::IfThenElse(is_below, v, hn::Neg(v));
    const auto parts = split<127 + up>(d, at_least(d, inner, lowest<up>));
    const auto scale = biased_power(d, parts.biased);
    const auto u = hn::Mul(hn::MulAdd(scale, parts.rest, scale), down);
    const auto factor = hn::IfThenElse(is_below, u, hn::Add(u, u));
    const auto above = hn::MulAdd(u, factor, hn::IfThenElseZero(is_below, u));
    const auto below =
            hn::MulAdd(u, factor, hn::MulAdd(u, two, hn::IfThenElse(is_below, two, one)));
    const auto ratio = hn::Div(above, below);
    // The ratio is 0 from the limit on.
    const auto value = hn::NegMulAdd(at_most(d, v, 200.0F), ratio, v);
    const auto scaled = hn::Mul(value, scale);
    return hn::IfThenElse(is_below, hn::Mul(hn::MulAdd(scaled, parts.rest, scaled), down), value);
}

/// log(1 + e^(beta * v)) / beta, for beta from 2^-100.
template <class D>
HWY_INLINE hn::Vec<D> f32_soft_plus(D d, hn::Vec<D> v, float beta) {
    constexpr int up = 125;
    const auto zero = hn::Zero(d);
    const auto v_beta = hn::Set(d, beta);
    const auto product = hn::Mul(v, v_beta);
    const auto size = hn::Abs(product);
    // log(1 + e^x) = max(x, 0) + log(1 + e^-|x|)
    const auto lost = product_error(v, v_beta, product);
    const auto low = hn::IfThenElseZero(hn::Lt(size, hn::Set(d, 200.0F)),
            hn::IfThenElse(hn::Gt(product, zero), hn::Neg(lost), lost));
    const auto parts = split<127 + up>(d, at_least(d, hn::Neg(size), lowest<up>), low);
    const auto scale = biased_power(d, parts.biased);
    const auto down = hn::Set(d, 0x1p-125F);
    const auto e = hn::Mul(hn::MulAdd(scale, parts.rest, scale), down);
    // log(1 + e) / e, least squares, relative error below 2^-27.
    auto q = hn::MulAdd(hn::Set(d, -0x1.a6f30ap-9F), e, hn::Set(d, 0x1.443a38p-6F));
    q = hn::MulAdd(q, e, hn::Set(d, -0x1.d1f56ap-5F));
    q = hn::MulAdd(q, e, hn::Set(d, 0x1.b23326p-4F));
    q = hn::MulAdd(q, e, hn::Set(d, -0x1.39818cp-3F));
    q = hn::MulAdd(q, e, hn::Set(d, 0x1.9305f6p-3F));
    q = hn::MulAdd(q, e, hn::Set(d, -0x1.ff160ap-3F));
    q = hn::MulAdd(q, e, hn::Set(d, 0x1.554d22p-2F));
    q = hn::MulAdd(q, e, hn::Set(d, -0x1.ffffccp-2F));
    q = hn::MulAdd(q, e, hn::Set(d, 1.0F));
    const auto scaled = hn::Mul(q, scale);
    const auto rest = hn::MulAdd(scaled, parts.rest, scaled);
    // 2^up goes away before or after, so that nothing overflows.
    const bool is_before = beta < 1 && beta > -1;
    const auto divisor = hn::Set(d, is_before ? beta * 0x1p125F : beta);
    const auto part = hn::Mul(hn::Div(rest, divisor), is_before ? hn::Set(d, 1.0F) : down);
    return hn::Add(hn::IfThenElseZero(hn::Gt(product, zero), v), part);
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

/// v * weight(v) for a weight that rises from 0 to 1 with weight(v) + weight(-v) = 1, from
/// tail = |v| * weight(-|v|). NaN for minus infinity, as the naive formula has it.
template <class D>
HWY_INLINE hn::Vec<D> apply_tail(D d, hn::Vec<D> v, hn::Vec<D> tail) {
    const auto zero = hn::Zero(d);
    // Times 0, and not 0, for infinity and the sign of 0.
    return hn::Sub(hn::IfThenElse(hn::Gt(v, zero), v, hn::Mul(v, zero)), tail);
}

template <class D>
HWY_INLINE hn::Vec<D> f32_gelu_erf(D d, hn::Vec<D> v) {
    const auto x = at_most(d, hn::Abs(v), 14.6F);
    // x * normal_integral(-x) = y * q(y - 35 / 64) * exp(-x^2 / 2), y = x / (x + 3).
    const auto one = hn::Set(d, 1.0F);
    const auto three = hn::Set(d, 3.0F);
    const auto sum = hn::Add(x, three);
    const auto lost = hn::Sub(x, hn::Sub(sum, three));
    const auto inverse = hn::Div(one, sum);
    const auto y = hn::Mul(x, inverse);
    // What y lacks. Its own error hardly changes q.
    const auto y_low = hn::Mul(inverse, hn::NegMulAdd(y, lost, hn::NegMulAdd(y, sum, x)));
    const auto u = hn::Sub(y, hn::Set(d, 35.0F / 64));
    // Least squares, relative error below 2^-27.
    auto q = hn::MulAdd(hn::Set(d, 0x1.c28060p-5F), u, hn::Set(d, 0x1.7aa26ep-4F));
    q = hn::MulAdd(q, u, hn::Set(d, -0x1.d8f242p-6F));
    q = hn::MulAdd(q, u, hn::Set(d, -0x1.3201b6p-3F));
    q = hn::MulAdd(q, u, hn::Set(d, 0x1.384b8ap-6F));
    q = hn::MulAdd(q, u, hn::Set(d, 0x1.e15616p-3F));
    q = hn::MulAdd(q, u, hn::Set(d, -0x1.d0c67ap-4F));
    q = hn::MulAdd(q, u, hn::Set(d, -0x1.9e2ef6p-2F));
    q = hn::MulAdd(q, u, hn::Set(d, 0x1.bad7c2p-1F));
    q = hn::MulAdd(q, u, hn::Set(d, -0x1.deb380p-1F));
    q = hn::MulAdd(q, u, hn::Set(d, 0x1.5ddb90p-1F));
    const auto minus_half = hn::Set(d, -0.5F);
    const auto square = hn::Mul(x, x);
    const auto low = hn::Mul(product_error(x, x, square), minus_half);
    const auto parts = split<127 + 40>(d, hn::Mul(square, minus_half), low);
    const auto factor = hn::Mul(y, q);
    const auto factor_low = hn::MulAdd(y_low, q, product_error(y, q, factor));
    const auto value = hn::Add(factor, hn::MulAdd(factor, parts.rest, factor_low));
    const auto scaled = hn::Mul(value, biased_power(d, parts.biased));
    return apply_tail(d, v, hn::Mul(scaled, hn::Set(d, 0x1p-40F)));
}

template <class D>
HWY_INLINE hn::Vec<D> f32_gelu_tanh(D d, hn::Vec<D> v) {
    const auto one = hn::Set(d, 1.0F);
    const auto x = at_most(d, hn::Abs(v), 11.0F);
    // (1 + tanh(z / 2)) / 2 = 1 / (1 + exp(-z)) with z = x * (k_0 + k_1 * x^2), up to 113: as a sum
    // of two f32, since the error of exp is the absolute one of z.
    const auto k_0 = hn::Set(d, 0x1.988454p+0F);
    const auto k_1 = hn::Set(d, 0x1.2444f2p-4F);
    const auto square = hn::Mul(x, x);
    const auto square_low = product_error(x, x, square);
    const auto term = hn::Mul(k_1, square);
    auto low = product_error(k_1, square, term);
    low = hn::MulAdd(k_1, square_low, low);
    low = hn::MulAdd(hn::Set(d, 0x1.49b16ap-29F), square, low);
    const auto inner = hn::Add(k_0, term);
    const auto term_in_sum = hn::Sub(inner, k_0);
    const auto lost =
            hn::Add(hn::Sub(k_0, hn::Sub(inner, term_in_sum)), hn::Sub(term, term_in_sum));
    low = hn::Add(hn::Add(low, hn::Set(d, -0x1.857936p-25F)), lost);
    const auto z = hn::Mul(x, inner);
    low = hn::MulAdd(x, low, product_error(x, inner, z));

    const auto parts = split<127 + 40>(d, hn::Neg(z), hn::Neg(low));
    const auto scaled = biased_power(d, parts.biased);
    const auto down = hn::Set(d, 0x1p-40F);
    const auto scale = hn::Mul(scaled, down);
    const auto base = hn::Add(scale, one);
    const auto sum = hn::MulAdd(scale, parts.rest, base);
    // What the sum lost counts where it is near 1.
    const auto rest = hn::Sub(parts.rest, hn::MulAdd(scale, parts.rest, hn::Sub(base, sum)));
    const auto ratio = hn::Div(hn::Mul(x, scaled), sum);
    return apply_tail(d, v, hn::Mul(hn::MulAdd(ratio, rest, ratio), down));
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace tern::kernels
HWY_AFTER_NAMESPACE();

#endif
