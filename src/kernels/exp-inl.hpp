// SPDX-License-Identifier: Apache-2.0
// Included once per SIMD target, by the files that Highway compiles for each: the guard toggles.
#if defined(TERN_KERNELS_EXP_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TERN_KERNELS_EXP_INL_HPP
#undef TERN_KERNELS_EXP_INL_HPP
#else
#define TERN_KERNELS_EXP_INL_HPP
#endif

/// \file
/// exp of f32 vectors, and the limits that keep its argument in range.

#include <cstdint>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tern::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

/// max(v, low); v where it is NaN, or equal.
template <class V>
HWY_INLINE V at_least(V v, V low) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
    return hn::Max(low, v); // The instruction gives its second operand then.
#else
    return hn::IfThenElse(hn::Lt(v, low), low, v);
#endif
}
template <class D>
HWY_INLINE hn::Vec<D> at_least(D d, hn::Vec<D> v, float low) {
    return at_least(v, hn::Set(d, low));
}

/// min(v, high); v where it is NaN, or equal.
template <class V>
HWY_INLINE V at_most(V v, V high) {
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
    return hn::Min(high, v); // As in at_least.
#else
    return hn::IfThenElse(hn::Gt(v, high), high, v);
#endif
}
template <class D>
HWY_INLINE hn::Vec<D> at_most(D d, hn::Vec<D> v, float high) {
    return at_most(v, hn::Set(d, high));
}

/// exp(v) = mantissa * 2^n, with n an integer and the mantissa in [0.7, 1.42].
template <class D>
struct exp_parts {
    hn::Vec<D> mantissa;                  ///< NaN when v is.
    hn::Vec<hn::RebindToSigned<D>> power; ///< n; anything when v is NaN.
};

/// v - n * ln(2) for integers |n| < 1024.
template <class D>
HWY_INLINE hn::Vec<D> without_powers(D d, hn::Vec<D> v, hn::Vec<D> n) {
    // ln 2 in two parts. The products with the first, of 14 bits, are exact.
    const auto r = hn::NegMulAdd(n, hn::Set(d, 0x1.62e4p-1F), v);
    return hn::NegMulAdd(n, hn::Set(d, 0x1.7f7d1cp-20F), r);
}

/// exp(r) - 1 for |r| <= ln(2) / 2 and a little more.
template <class D>
HWY_INLINE hn::Vec<D> exp_rest(D d, hn::Vec<D> r) {
    // exp(r) = 1 + r + r^2 q(r). q interpolates where that makes the relative error of exp nearly
    // even on [-ln(2) / 2, ln(2) / 2]: 0.04 ulp.
    auto q = hn::MulAdd(hn::Set(d, 0x1.6d501ap-10F), r, hn::Set(d, 0x1.124a88p-7F));
    q = hn::MulAdd(q, r, hn::Set(d, 0x1.5554e6p-5F));
    q = hn::MulAdd(q, r, hn::Set(d, 0x1.555474p-3F));
    q = hn::MulAdd(q, r, hn::Set(d, 0.5F));
    return hn::MulAdd(hn::Mul(q, r), r, r);
}

/// Precondition: v is NaN or |v| < 1000.
template <class D>
HWY_INLINE exp_parts<D> split_exp(D d, hn::Vec<D> v) {
    const hn::RebindToSigned<D> di;
    // Adding 1.5 * 2^23 rounds to an integer, which the sum has in its low bits.
    const auto shifter = hn::Set(d, 0x1.8p23F);
    const auto shifted = hn::MulAdd(v, hn::Set(d, 0x1.715476p0F), shifter);
    const auto r = without_powers(d, v, hn::Sub(shifted, shifter));
    const auto power = hn::Sub(hn::BitCast(di, shifted), hn::Set(di, 0x4B400000));
    return {hn::Add(exp_rest(d, r), hn::Set(d, 1.0F)), power};
}

/// 2^n for -127 < n < 128; 0 for n = -127.
template <class D>
HWY_INLINE hn::Vec<D> power_of_two(D d, hn::Vec<hn::RebindToSigned<D>> n) {
    const hn::RebindToSigned<D> di;
    return hn::BitCast(d, hn::ShiftLeft<23>(hn::Add(n, hn::Set(di, 127))));
}

/// What exp_of_negative multiplies by.
inline constexpr float negative_exp_scale = 0x1p25F;

/// negative_exp_scale * exp(v) for v <= 0 or NaN, at most 2 ulp off. The scale keeps all of what
/// exp(v) may be above 0 a normal number. 0 below -105.4 (where exp(v) is less than half of the
/// least denormal), NaN for NaN.
template <class D>
HWY_INLINE hn::Vec<D> exp_of_negative(D d, hn::Vec<D> v) {
    const hn::RebindToSigned<D> di;
    const auto parts = split_exp(d, at_least(d, v, -105.5F)); // n is -152 at the limit
    return hn::Mul(parts.mantissa, power_of_two(d, hn::Add(parts.power, hn::Set(di, 25))));
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace tern::kernels
HWY_AFTER_NAMESPACE();

#endif
