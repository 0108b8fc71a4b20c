// SPDX-License-Identifier: Apache-2.0
// Included once per SIMD target, by the files that Highway compiles for each: the guard toggles.
#if defined(TERN_KERNELS_LANES_MATH_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TERN_KERNELS_LANES_MATH_INL_HPP
#undef TERN_KERNELS_LANES_MATH_INL_HPP
#else
#define TERN_KERNELS_LANES_MATH_INL_HPP
#endif

/// \file
/// Functions of f32 values, computed in double: relative errors are far below an f32's last bit, so
/// that what is left is the rounding of the result. D is a tag of double; arguments are f32 values.

#include <cstddef>
#include <cstdint>
#include <limits>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tern::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

template <class D, class V>
HWY_INLINE V polynomial(D d, V x, const double *coefficients, std::size_t count) {
    auto sum = hn::Set(d, coefficients[count - 1]);
    for (std::size_t i = count - 1; i > 0; --i)
        sum = hn::MulAdd(sum, x, hn::Set(d, coefficients[i - 1]));
    return sum;
}

template <class V>
HWY_INLINE auto is_nan(V v) {
    return hn::Not(hn::Eq(v, v));
}

/// e^x as scale + scale_times_rest: e^x = scale * (1 + rest), with scale a power of 2.
template <class V>
struct f64_exp_parts {
    V scale;
    V rest; ///< Relative error below 1e-9, also near x = 0.
};

/// For x in [-200, 200], which is beyond what an f32 can hold on both sides.
template <class D, class V>
HWY_INLINE f64_exp_parts<V> split_exp_f64(D d, V x) {
    // (e^r - 1) / r: the terms after 1/8! are below 6e-10 for |r| <= ln(2) / 2.
    constexpr double terms[] = {
            1.0, 1.0 / 2, 1.0 / 6, 1.0 / 24, 1.0 / 120, 1.0 / 720, 1.0 / 5040, 1.0 / 40320};
    // Next to 1.5 * 2^52 the last bit of a double is that of an integer.
    const auto magic = hn::Set(d, 0x1.8p52);
    const auto shifted = hn::MulAdd(x, hn::Set(d, 1.44269504088896340736), magic);
    const auto k = hn::Sub(shifted, magic);
    // ln(2) in two parts: the product with the first one, of 32 bits, is exact.
    auto r = hn::NegMulAdd(k, hn::Set(d, 0x1.62e42feep-1), x);
    r = hn::NegMulAdd(k, hn::Set(d, 0x1.a39ef35793c76p-33), r);
    const hn::RebindToUnsigned<D> du;
    const auto bits =
            hn::Add(hn::ShiftLeft<52>(hn::BitCast(du, shifted)), hn::BitCast(du, hn::Set(d, 1.0)));
    return {hn::BitCast(d, bits), hn::Mul(r, polynomial(d, r, terms, 8))};
}

template <class D, class V>
HWY_INLINE V limit(D d, V x, double most) {
    return hn::Max(hn::Min(x, hn::Set(d, most)), hn::Set(d, -most));
}

/// Beyond e^200 and e^-200, which f32 takes for infinity and 0. NaN stays NaN.
template <class D, class V>
HWY_INLINE V exp_value(D d, V x) {
    const auto parts = split_exp_f64(d, limit(d, x, 200.0));
    return hn::IfThenElse(is_nan(x), x, hn::MulAdd(parts.scale, parts.rest, parts.scale));
}

/// e^x - 1
template <class D, class V>
HWY_INLINE V exp_minus_1(D d, V x) {
    const auto parts = split_exp_f64(d, limit(d, x, 200.0));
    const auto value = hn::MulAdd(parts.scale, parts.rest, hn::Sub(parts.scale, hn::Set(d, 1.0)));
    return hn::IfThenElse(is_nan(x), x, value);
}

/// log(x) for a positive, normal double. Relative error below 1e-10, also near x = 1.
template <class D, class V>
HWY_INLINE V log_of_normal(D d, V x) {
    // log(m) = 2s * (1 + s^2 / 3 + s^4 / 5 + ...), s = (m - 1) / (m + 1), |s| <= 0.172.
    constexpr double terms[] = {1.0, 1.0 / 3, 1.0 / 5, 1.0 / 7, 1.0 / 9, 1.0 / 11, 1.0 / 13};
    const hn::RebindToUnsigned<D> du;
    // The exponent so that m is in [sqrt(1/2), sqrt(2)).
    const auto root = hn::Set(du, std::uint64_t{0x3FE6A09E667F3BCD});
    const auto bits = hn::BitCast(du, x);
    const auto one_bits = hn::Set(du, std::uint64_t{0x3FF0000000000000});
    // Biased, so that it stays positive.
    const auto biased = hn::ShiftRight<52>(hn::Add(hn::Sub(bits, root), one_bits));
    const auto back = hn::ShiftLeft<52>(hn::Sub(biased, hn::Set(du, std::uint64_t{1023})));
    const auto m = hn::BitCast(d, hn::Sub(bits, back));
    const auto number = hn::BitCast(d, hn::Or(biased, hn::BitCast(du, hn::Set(d, 0x1p52))));
    const auto k = hn::Sub(number, hn::Set(d, 0x1p52 + 1023));
    const auto one = hn::Set(d, 1.0);
    const auto s = hn::Div(hn::Sub(m, one), hn::Add(m, one));
    const auto log_m = hn::Mul(hn::Add(s, s), polynomial(d, hn::Mul(s, s), terms, 7));
    return hn::MulAdd(k, hn::Set(d, 0.693147180559945309417), log_m);
}

/// log(x): -infinity for 0, NaN below.
template <class D, class V>
HWY_INLINE V log_value(D d, V x) {
    const auto infinity = hn::Set(d, std::numeric_limits<double>::infinity());
    const auto zero = hn::Zero(d);
    auto value = log_of_normal(d, x);
    value = hn::IfThenElse(hn::Eq(x, infinity), infinity, value);
    value = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(infinity), value);
    const auto invalid = hn::Or(hn::Lt(x, zero), is_nan(x));
    return hn::IfThenElse(invalid, hn::Set(d, std::numeric_limits<double>::quiet_NaN()), value);
}

/// log(1 + u) for u in [0, 1].
template <class D, class V>
HWY_INLINE V log_1_plus(D d, V u) {
    const auto one = hn::Set(d, 1.0);
    const auto sum = hn::Add(u, one);
    // What the sum lost.
    const auto lost = hn::Sub(u, hn::Sub(sum, one));
    return hn::Add(log_of_normal(d, sum), hn::Div(lost, sum));
}

/// 1 / (1 + e^-x). Relative error below 1e-9 down to e^-200.
template <class D, class V>
HWY_INLINE V sigmoid_value(D d, V x) {
    const auto one = hn::Set(d, 1.0);
    return hn::Div(one, hn::Add(one, exp_value(d, hn::Neg(x))));
}

template <class D, class V>
HWY_INLINE V tanh_value(D d, V x) {
    const auto m = exp_minus_1(d, limit(d, hn::Add(x, x), 40.0));
    const auto value = hn::CopySign(hn::Div(m, hn::Add(m, hn::Set(d, 2.0))), x);
    return hn::IfThenElse(is_nan(x), x, value);
}

/// The normal distribution's integral from -infinity to x. Relative error below 1e-9 for |x| <= 15;
/// below that it is under 1e-50, and for less than -15.1 it stops to fall.
template <class D, class V>
HWY_INLINE V normal_integral(D d, V x) {
    // (1 + 2t) * e^(t^2) * erfc(t) for t in [0, 10.7], in powers of (t - 3) / (t + 3): interpolated
    // at Chebyshev's points.
    constexpr double terms[] = {1.2530080582394392465, -0.1356211070016212253,
            -0.047562290683188492197, 0.12964520666594051733, -0.11927371233015526663,
            0.06830727304985124199, -0.023770697374480808531, 0.0025341748004288724188,
            0.0018935589474807812914, -0.00079170070639839640067, -0.00012669956776173268508,
            0.00012812848694936997526, 0.000033758055014372073024};
    const auto three = hn::Set(d, 3.0);
    const auto half = hn::Set(d, 0.5);
    const auto one = hn::Set(d, 1.0);
    const auto t =
            hn::Min(hn::Mul(hn::Abs(x), hn::Set(d, 0.707106781186547524401)), hn::Set(d, 10.7));
    const auto u = hn::Div(hn::Sub(t, three), hn::Add(t, three));
    const auto scaled = hn::Div(polynomial(d, u, terms, 13), hn::MulAdd(t, hn::Set(d, 2.0), one));
    const auto tail = hn::Mul(hn::Mul(half, scaled), exp_value(d, hn::Neg(hn::Mul(t, t))));
    return hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(one, tail));
}

/// The error function.
template <class D, class V>
HWY_INLINE V erf_value(D d, V x) {
    // erf(x) = 2 / sqrt(pi) * x * (1 - x^2 / 3 + x^4 / (2! * 5) - x^6 / (3! * 7) + ...): the terms
    // after these are below 3e-11 for |x| <= 1 / 2.
    constexpr double terms[] = {
            1.0, -1.0 / 3, 1.0 / 10, -1.0 / 42, 1.0 / 216, -1.0 / 1320, 1.0 / 9360, -1.0 / 75600};
    const auto half = hn::Set(d, 0.5);
    const auto size = hn::Abs(x);
    const auto near = hn::Min(size, half);
    const auto small = hn::Mul(hn::Mul(near, hn::Set(d, 1.12837916709551257390)),
            polynomial(d, hn::Mul(near, near), terms, 8));
    // erf(|x|) = 1 - 2 * normal_integral(-sqrt(2) * |x|): nothing cancels above 1 / 2.
    const auto tail = normal_integral(d, hn::Mul(size, hn::Set(d, -1.41421356237309504880)));
    const auto large = hn::NegMulAdd(tail, hn::Set(d, 2.0), hn::Set(d, 1.0));
    const auto value = hn::CopySign(hn::IfThenElse(hn::Lt(size, half), small, large), x);
    return hn::IfThenElse(is_nan(x), x, value);
}

/// a^b as std::pow has it.
template <class D, class V>
HWY_INLINE V power_value(D d, V a, V b) {
    const auto zero = hn::Zero(d);
    const auto one = hn::Set(d, 1.0);
    const auto infinity = hn::Set(d, std::numeric_limits<double>::infinity());
    const auto base = hn::Abs(a);
    auto value = exp_value(d, hn::Mul(b, log_value(d, base)));

    // f32 values of 2^24 and more are even. Half of an odd integer is none.
    const auto size = hn::Min(hn::Abs(b), hn::Set(d, 0x1p24));
    const auto magic = hn::Set(d, 0x1p52);
    const auto integer = [&](V v) HWY_ATTR { return hn::Eq(hn::Sub(hn::Add(v, magic), magic), v); };
    const auto is_integer = integer(size);
    const auto half = hn::Mul(size, hn::Set(d, 0.5));
    const auto is_odd = hn::AndNot(integer(half), is_integer);
    // The sign of -0 and -infinity counts too.
    value = hn::IfThenElse(is_odd, hn::CopySign(value, a), value);
    const auto no_root =
            hn::AndNot(is_integer, hn::And(hn::Lt(a, zero), hn::Not(hn::Eq(base, infinity))));
    value = hn::IfThenElse(no_root, hn::Set(d, std::numeric_limits<double>::quiet_NaN()), value);
    // 1^b, a^0 and (-1)^infinity, also where the others are NaN.
    const auto minus_one = hn::And(hn::Eq(base, one), hn::Eq(hn::Abs(b), infinity));
    const auto is_one = hn::Or(hn::Or(hn::Eq(a, one), hn::Eq(b, zero)), minus_one);
    return hn::IfThenElse(is_one, one, value);
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace tern::kernels
HWY_AFTER_NAMESPACE();

#endif
