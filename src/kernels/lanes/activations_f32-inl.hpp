// SPDX-License-Identifier: Apache-2.0
// Included once per SIMD target, by the files that Highway compiles for each: the guard toggles.
#if defined(TERN_KERNELS_LANES_ACTIVATIONS_F32_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TERN_KERNELS_LANES_ACTIVATIONS_F32_INL_HPP
#undef TERN_KERNELS_LANES_ACTIVATIONS_F32_INL_HPP
#else
#define TERN_KERNELS_LANES_ACTIVATIONS_F32_INL_HPP
#endif

/// \file
/// GELU, Mish and SoftPlus of f32 vectors, computed in f32, for targets with FMA. D is a tag of
/// float. Below 0 each of them is a power of 2 times a few factors near 1. To stay within 2 ulp,
/// what would be rounded on the way is kept as a sum of two: exp's argument, quotients, and 1 plus
/// something. Only the last sum or two round to the result's precision.
/// Largest errors, over all f32, in ulp of the exact value: gelu_erf 1.99, gelu_tanh 1.41, mish
/// 1.83, soft_plus 1.58 (beta 1; 1.84 for nine others, over every 7th block of 4096 values). Of
/// results that are denormal they are below those, in units of 2^-149.

#include <cstddef>
#include <cstdint>

#include "kernels/lanes/math_f32-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels {
namespace HWY_NAMESPACE {
namespace {

/// high + low
template <class V>
struct f32_pair {
    V high, low;
};

/// a * b, exactly.
template <class V>
HWY_INLINE f32_pair<V> product_of(V a, V b) {
    const auto high = hn::Mul(a, b);
    return {high, hn::MulSub(a, b, high)};
}

/// a + a * b for |b| <= 1/2, exactly but for a's denormals.
template <class V>
HWY_INLINE f32_pair<V> grown(V a, V b) {
    const auto high = hn::MulAdd(a, b, a);
    return {high, hn::MulAdd(a, b, hn::Sub(a, high))};
}

/// n / b, with inverse near 1 / b.
template <class V>
HWY_INLINE f32_pair<V> quotient_of(f32_pair<V> n, f32_pair<V> b, V inverse) {
    const auto high = hn::Mul(n.high, inverse);
    const auto left =
            hn::Add(hn::NegMulAdd(high, b.high, n.high), hn::NegMulAdd(high, b.low, n.low));
    return {high, hn::Mul(left, inverse)};
}

/// exp(v) = 2^n * (1 + r + rest)
template <class D>
struct f32_exp_sum {
    hn::Vec<D> r; ///< Exact, at most ln(2) / 2 and a little more.
    hn::Vec<D> rest;
    hn::Vec<hn::RebindToUnsigned<D>> biased; ///< As in f32_exp_parts.
};

/// exp(v.high + v.low). Precondition: as for split, and v.low is at most some ulp of v.high.
template <int bias, class D>
HWY_INLINE f32_exp_sum<D> split_finely(D d, f32_pair<hn::Vec<D>> v) {
    const hn::RebindToUnsigned<D> du;
    const auto shifter = hn::Set(d, 0x1.8p23F + bias);
    const auto shifted = hn::MulAdd(v.high, hn::Set(d, 0x1.715476p0F), shifter);
    const auto n = hn::Sub(shifted, shifter);
    // As in without_powers and exp_rest, with what is small apart.
    const auto r = hn::NegMulAdd(n, hn::Set(d, 0x1.62e4p-1F), v.high);
    const auto low = hn::NegMulAdd(n, hn::Set(d, 0x1.7f7d1cp-20F), v.low);
    const auto all = hn::Add(r, low);
    const auto square = hn::Mul(all, all);
    auto q = hn::MulAdd(hn::Set(d, 0x1.124a88p-7F), all, hn::Set(d, 0x1.5554e6p-5F));
    q = hn::MulAdd(hn::Set(d, 0x1.6d501ap-10F), square, q);
    q = hn::MulAdd(q, square, hn::MulAdd(hn::Set(d, 0x1.555474p-3F), all, hn::Set(d, 0.5F)));
    return {r, hn::MulAdd(q, square, low), hn::BitCast(du, shifted)};
}

/// factor * (1 + r + rest)
template <class V>
HWY_INLINE V product_of(f32_pair<V> factor, V r, V rest) {
    const auto main = grown(factor.high, r);
    return hn::Add(main.high, hn::MulAdd(factor.high, rest, hn::Add(main.low, factor.low)));
}

/// v * 2^(biased - 127) * 2^-up: denormals are rounded once.
template <int up, class D>
HWY_INLINE hn::Vec<D> scaled(D d, hn::Vec<D> v, hn::Vec<hn::RebindToUnsigned<D>> biased) {
    return hn::Mul(hn::Mul(biased_power(d, biased), v),
            hn::Set(d, 1.0F / static_cast<float>(std::uint64_t{1} << up)));
}

/// The sum of every second coefficient, from First on, times powers of x.
template <std::size_t First, class D, std::size_t Count>
HWY_INLINE hn::Vec<D> every_second(D d, hn::Vec<D> x, const float (&terms)[Count]) {
    const auto first = hn::Set(d, terms[First]);
    if constexpr (First + 2 >= Count)
        return first;
    else
        return hn::MulAdd(every_second<First + 2>(d, x, terms), x, first);
}

/// The polynomial with these coefficients, lowest first. Even and odd powers apart: there is less
/// to wait for.
template <class D, std::size_t Count>
HWY_INLINE hn::Vec<D> f32_polynomial(D d, hn::Vec<D> x, const float (&terms)[Count]) {
    const auto square = hn::Mul(x, x);
    return hn::MulAdd(every_second<1>(d, square, terms), x, every_second<0>(d, square, terms));
}

/// v * Phi(v), Phi the integral of the normal distribution. With a = |v| and constants c and k it
/// is a * Phi(-a) = e^(-a^2 / 2) * a / (k * (a + c)) * (1 + w), negated below 0 and subtracted from
/// v elsewhere. NaN for minus infinity.
template <class D>
HWY_INLINE hn::Vec<D> f32_gelu_erf(D d, hn::Vec<D> v) {
    // w = k * (a + c) * e^(a^2 / 2) * Phi(-a) - 1 for a in [0, 13.4], in powers of
    // (a - c) / (a + c) = 1 - 2c / (a + c). Least squares, weighted until even: the relative error
    // of 1 + w is 2^-27.2. w is in [-0.24, 0.32]; k is chosen for that.
    constexpr float c = 1.5F, k = 1.75F;
    static constexpr float terms[] = {0x1.491b84p-4F, -0x1.5d9e48p-2F, -0x1.9c20ecp-4F,
            0x1.00911ap-5F, 0x1.f9d1f2p-6F, 0x1.c94ee4p-8F, -0x1.178e04p-8F, -0x1.36a5eep-8F,
            -0x1.dc5be0p-10F, 0x1.c6af7ap-12F, 0x1.aa5fdap-11F, 0x1.18dac8p-12F};
    constexpr int up = 25;
    // Where the power of 2 is 0. The factor still grows below -most, so that minus infinity is
    // NaN; above, infinity must not become one.
    constexpr float most = 14.516F;
    const auto zero = hn::Zero(d);
    const auto one = hn::Set(d, 1.0F);
    const auto v_k = hn::Set(d, k);
    const auto k_c = hn::Set(d, k * c);
    const auto a = hn::Abs(at_most(d, v, most));
    const auto near = at_most(d, a, most);
    const auto e = split_finely<127 + up>(d, product_of(near, hn::Mul(near, hn::Set(d, -0.5F))));
    const auto sum = hn::MulAdd(near, v_k, k_c);
    // The difference is exact: k * c has no more bits than a sum can have.
    const auto lost = hn::MulAdd(near, v_k, hn::Sub(k_c, sum));
    const auto inverse = hn::Div(one, sum);
    const auto w = f32_polynomial(d, hn::NegMulAdd(inverse, hn::Set(d, 2 * k * c), one), terms);
    const auto rest = hn::MulAdd(w, hn::Add(e.r, e.rest), w);
    const auto factor = quotient_of<hn::Vec<D>>({a, zero}, {sum, lost}, inverse);
    const auto tail = scaled<up>(d, product_of(factor, e.r, hn::Add(rest, e.rest)), e.biased);
    return hn::IfThenElse(hn::Lt(v, zero), hn::Neg(tail), hn::Sub(v, tail));
}

/// v / (1 + e^-z), z = v * (k_0 + k_1 * v^2): GELU by tanh. With a = |v| it is
/// a * e^-|z| / (1 + e^-|z|), negated or subtracted as in f32_gelu_erf. NaN for minus infinity.
template <class D>
HWY_INLINE hn::Vec<D> f32_gelu_tanh(D d, hn::Vec<D> v) {
    // k_0 = 2 * sqrt(2 / pi): k_0 - k below is exact with 18 bits behind the point.
    constexpr float k_0 = 0x1.98844p0F, k_0_low = 0x1.33d436p-20F;
    // k_1 = 0.044715 * k_0
    constexpr float k_1 = 0x1.2444f2p-4F, k_1_low = 0x1.49b16ap-29F;
    constexpr int up = 28;
    // As in f32_gelu_erf. A little more, so that r is below 0 and no factor overflows.
    constexpr float most = 10.816F;
    const auto zero = hn::Zero(d);
    const auto one = hn::Set(d, 1.0F);
    const auto v_k_0 = hn::Set(d, k_0);
    const auto v_k_1 = hn::Set(d, k_1);
    const auto a = hn::Abs(at_most(d, v, most));
    const auto near = at_most(d, a, most);
    const auto square = product_of(near, near);
    const auto k = hn::MulAdd(square.high, v_k_1, v_k_0);
    auto k_low = hn::MulAdd(square.high, hn::Set(d, k_1_low), hn::Set(d, k_0_low));
    k_low = hn::MulAdd(square.low, v_k_1, k_low);
    k_low = hn::Add(k_low, hn::MulAdd(square.high, v_k_1, hn::Sub(v_k_0, k)));
    const auto z = product_of(hn::Neg(near), k);
    const auto e = split_finely<127 + up>(
            d, f32_pair<hn::Vec<D>>{z.high, hn::NegMulAdd(near, k_low, z.low)});
    const auto power = hn::Mul(biased_power(d, e.biased), hn::Set(d, 0x1p-28F));
    const auto value = hn::MulAdd(power, hn::Add(e.r, e.rest), power);
    const auto sum = hn::Add(one, value);
    const auto lost = hn::Sub(value, hn::Sub(sum, one));
    const auto factor = quotient_of<hn::Vec<D>>({a, zero}, {sum, lost}, hn::Div(one, sum));
    const auto tail = scaled<up>(d, product_of(factor, e.r, e.rest), e.biased);
    return hn::IfThenElse(hn::Lt(v, zero), hn::Neg(tail), hn::Sub(v, tail));
}

/// v * tanh(log(1 + e)), e = e^v. With b = 1 + e * (1 + e / 2) it is e * (v + v * e / 2) / b, and
/// v - v / b. NaN for minus infinity.
template <class D>
HWY_INLINE hn::Vec<D> f32_mish(D d, hn::Vec<D> v) {
    constexpr int up = 40; // v * e is above 0 farther than e.
    const auto one = hn::Set(d, 1.0F);
    const auto half = hn::Set(d, 0.5F);
    const auto capped = at_most(d, v, 20.0F); // v / b is far below v's last bit there.
    // A little below where the power is 0: r is below 0 then, and no factor overflows.
    const auto e = split_finely<127 + up>(
            d, f32_pair<hn::Vec<D>>{at_least(d, capped, lowest<up> - 0.1F), hn::Zero(d)});
    const auto power = hn::Mul(biased_power(d, e.biased), hn::Set(d, 0x1p-40F));
    const auto value = hn::MulAdd(power, hn::Add(e.r, e.rest), power);
    const auto w = hn::MulAdd(value, half, one);
    const auto b = hn::MulAdd(value, w, one);
    const auto lost = hn::MulAdd(value, w, hn::Sub(one, b));
    const auto is_below = hn::Lt(v, hn::Zero(d));
    const auto n = grown(capped, hn::IfThenElseZero(is_below, hn::Mul(value, half)));
    const auto factor = quotient_of<hn::Vec<D>>(n, {b, lost}, hn::Div(one, b));
    const auto below = scaled<up>(d, product_of(factor, e.r, e.rest), e.biased);
    const auto above = hn::Sub(v, hn::Add(factor.high, factor.low));
    return hn::IfThenElse(is_below, below, above);
}

/// log(1 + e^u) / beta, u = beta * v: that is max(u, 0) / beta, which is v or 0, plus
/// log(1 + e) / beta = e * k / beta * (1 + w), e = e^-|u|, with a constant k.
struct f32_soft_plus {
    /// Beyond, powers of 2 times 1 / beta are not all in range. For |beta|.
    static constexpr float least = 0x1p-20F, most = 0x1p20F;
    static constexpr int up = 60;
    static constexpr double k = 0.84375;

    float beta;
    float factor, factor_low; ///< k / beta
    float limit;              ///< Of |v|: the power of 2 is 0 there.

    explicit f32_soft_plus(float b)
        : beta(b),
          factor(static_cast<float>(k / double{b})),
          factor_low(static_cast<float>(k / double{b} - double{factor})),
          limit(-lowest<up> / (b < 0 ? -b : b)) {}

    template <class D>
    HWY_INLINE hn::Vec<D> operator()(D d, hn::Vec<D> v) const {
        // w = log(1 + e) / (e * k) - 1 for e in [0, 1], in powers of e - 1/2. Least squares,
        // weighted until even: the relative error of 1 + w is 2^-27.5. |w| is below 0.19; k is
        // chosen for that.
        static constexpr float terms[] = {-0x1.3ea602p-5F, -0x1.5e2a40p-2F, 0x1.41e06ap-3F,
                -0x1.4897b4p-4F, 0x1.63aed8p-5F, -0x1.8f6032p-6F, 0x1.c1d974p-7F, -0x1.06aa26p-7F,
                0x1.9705c4p-8F, -0x1.f4b16ap-9F};
        const auto down = hn::Set(d, 0x1p-60F);
        const auto sign = hn::Set(d, -0.0F);
        const auto u = product_of(at_least(d, at_most(d, v, limit), -limit), hn::Set(d, beta));
        const auto linear = hn::IfThenElseZero(hn::Gt(u.high, hn::Zero(d)), v);
        const auto e = split_finely<127 + up>(d, f32_pair<hn::Vec<D>>{hn::Or(u.high, sign),
                                                         hn::Xor(u.low, hn::AndNot(u.high, sign))});
        const auto power = biased_power(d, e.biased);
        const auto small = hn::Mul(power, down);
        const auto r = hn::Add(e.r, e.rest);
        const auto value = hn::MulAdd(small, r, small);
        const auto w = f32_polynomial(d, hn::Sub(value, hn::Set(d, 0.5F)), terms);
        const f32_pair<hn::Vec<D>> scale = {
                hn::Mul(power, hn::Set(d, factor)), hn::Mul(power, hn::Set(d, factor_low))};
        const auto rest = hn::Add(hn::MulAdd(w, r, w), e.rest);
        return hn::MulAdd(product_of(scale, e.r, rest), down, linear);
    }
};

} // namespace
} // namespace HWY_NAMESPACE
} // namespace tern::kernels
HWY_AFTER_NAMESPACE();

#endif
