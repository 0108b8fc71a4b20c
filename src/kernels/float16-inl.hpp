// SPDX-License-Identifier: Apache-2.0
// Included once per SIMD target, by the files that Highway compiles for each: the guard toggles.
#if defined(TERN_KERNELS_FLOAT16_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TERN_KERNELS_FLOAT16_INL_HPP
#undef TERN_KERNELS_FLOAT16_INL_HPP
#else
#define TERN_KERNELS_FLOAT16_INL_HPP
#endif

/// \file
/// f32, bf16 and f16 in memory as vectors of float, and back: the same bits on every target.
/// Values are rounded to nearest, ties to even; f16 denormals count, what is too large becomes
/// infinity. NaN stays NaN with the top bits of its payload: quiet, unless it is one of the shorter
/// type, whose bits a copy must keep. The float tag may be of any length (hn::ScalableTag,
/// CappedTag, Half); pointers need no alignment.

#include <cstddef>
#include <cstdint>
#include <cstring>

#include <hwy/highway.h>

#include "base/data_type.hpp"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// x86 targets whose conversions Highway leaves to F16C, which rounds to nearest even in every
// rounding mode. Elsewhere it truncates, or takes infinity for a number.
#undef TERN_HAVE_F16C
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2 && !defined(HWY_DISABLE_F16C)
#define TERN_HAVE_F16C 1
#else
#define TERN_HAVE_F16C 0
#endif

// ---- vectors of values -------------------------------------------------------------------------

template <class D>
using bits16_tag = hn::Rebind<std::uint16_t, D>;

template <class D>
HWY_INLINE hn::Vec<D> bf16_to_f32(D d, hn::Vec<bits16_tag<D>> bits) {
    const hn::RebindToUnsigned<D> du;
    return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(du, bits)));
}

/// For what computes: a signalling NaN may become a quiet one.
template <class D>
HWY_INLINE hn::Vec<D> f16_to_f32(D d, hn::Vec<bits16_tag<D>> bits) {
#if TERN_HAVE_F16C
    return hn::PromoteTo(d, hn::BitCast(hn::Rebind<hwy::float16_t, D>(), bits));
#else
    const hn::RebindToUnsigned<D> du;
    const hn::RebindToSigned<D> di;
    const auto wide = hn::PromoteTo(du, bits);
    const auto magnitude = hn::And(wide, hn::Set(du, 0x7FFFU));
    const auto sign = hn::ShiftLeft<16>(hn::Xor(wide, magnitude));
    const auto shifted = hn::ShiftLeft<13>(magnitude);
    const auto normal = hn::Add(shifted, hn::Set(du, (127U - 15U) << 23));
    // m * 2^-24: exact, and normal as f32, so that no FTZ or DAZ mode has a say.
    const auto denormal = hn::BitCast(
            du, hn::Mul(hn::ConvertTo(d, hn::BitCast(di, magnitude)), hn::Set(d, 0x1p-24F)));
    const auto special = hn::Or(shifted, hn::Set(du, 0x7F800000U));
    const auto quiet = hn::Or(special, hn::Set(du, 0x00400000U));
    const auto as_int = hn::BitCast(di, magnitude);
    const auto below = [&](std::int32_t limit) HWY_ATTR {
        return hn::RebindMask(du, hn::Gt(hn::Set(di, limit), as_int));
    };
    const auto finite = hn::IfThenElse(below(0x0400), denormal, normal);
    const auto beyond = hn::IfThenElse(below(0x7C01), special, quiet);
    return hn::BitCast(d, hn::Or(sign, hn::IfThenElse(below(0x7C00), finite, beyond)));
#endif
}

/// For what may only be copied: each NaN of f16 becomes another one of f32.
template <class D>
HWY_INLINE hn::Vec<D> f16_to_f32_exactly(D d, hn::Vec<bits16_tag<D>> bits) {
    const hn::RebindToSigned<D> di;
    const auto computed = f16_to_f32(d, bits);
    const auto wide = hn::PromoteTo(di, bits);
    const auto magnitude = hn::And(wide, hn::Set(di, 0x7FFF));
    const auto is_nan = hn::Gt(magnitude, hn::Set(di, 0x7C00));
    if (HWY_LIKELY(hn::AllFalse(di, is_nan))) return computed;
    const auto sign = hn::ShiftLeft<16>(hn::Xor(wide, magnitude));
    const auto nan = hn::Or(hn::Or(sign, hn::ShiftLeft<13>(magnitude)), hn::Set(di, 0x7F800000));
    return hn::BitCast(d, hn::IfThenElse(is_nan, nan, hn::BitCast(di, computed)));
}

/// `quiet` where `bits` of a NaN, and 0 where the low bits, which the shorter type has not, are 0.
template <int Dropped, class D>
HWY_INLINE hn::Vec<D> quieting(D du, hn::Vec<D> bits, std::uint32_t quiet) {
    const auto dropped = hn::And(bits, hn::Set(du, (1U << Dropped) - 1U));
    return hn::IfThenZeroElse(hn::Eq(dropped, hn::Zero(du)), hn::Set(du, quiet));
}

/// The low halves of the lanes, which are at most 0xFFFF.
template <class D>
HWY_INLINE hn::Vec<bits16_tag<D>> narrow_bits(D, hn::Vec<hn::RebindToUnsigned<D>> wide) {
    return hn::DemoteTo(bits16_tag<D>(), hn::BitCast(hn::RebindToSigned<D>(), wide));
}

template <class D>
HWY_INLINE hn::Vec<bits16_tag<D>> f32_to_bf16(D d, hn::Vec<D> v) {
    const hn::RebindToUnsigned<D> du;
    const hn::RebindToSigned<D> di;
    const auto bits = hn::BitCast(du, v);
    const auto high = hn::ShiftRight<16>(bits);
    const auto odd = hn::And(high, hn::Set(du, 1U));
    const auto rounded = hn::ShiftRight<16>(hn::Add(bits, hn::Add(odd, hn::Set(du, 0x7FFFU))));
    const auto nan = hn::Or(high, quieting<16>(du, bits, 0x0040U));
    // NaN by its bits: a comparison of floats could be optimised on the promise of no NaN.
    const auto magnitude = hn::BitCast(di, hn::And(bits, hn::Set(du, 0x7FFFFFFFU)));
    const auto is_nan = hn::RebindMask(du, hn::Gt(magnitude, hn::Set(di, 0x7F800000)));
    return narrow_bits(d, hn::IfThenElse(is_nan, nan, rounded));
}

template <class D>
HWY_INLINE hn::Vec<bits16_tag<D>> f32_to_f16(D d, hn::Vec<D> v) {
    const hn::RebindToUnsigned<D> du;
    const hn::RebindToSigned<D> di;
    const auto bits = hn::BitCast(du, v);
    const auto magnitude = hn::And(bits, hn::Set(du, 0x7FFFFFFFU));
    const auto sign = hn::ShiftRight<16>(hn::Xor(bits, magnitude));
    const auto as_int = hn::BitCast(di, magnitude);
    const auto nan = hn::Or(hn::Or(hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 0x03FFU)),
                                    hn::Set(du, 0x7C00U)),
            quieting<13>(du, bits, 0x0200U));
#if TERN_HAVE_F16C
    const auto computed =
            hn::BitCast(bits16_tag<D>(), hn::DemoteTo(hn::Rebind<hwy::float16_t, D>(), v));
    const auto is_nan = hn::RebindMask(du, hn::Gt(as_int, hn::Set(di, 0x7F800000)));
    if (HWY_LIKELY(hn::AllFalse(du, is_nan))) return computed;
    const auto wide = hn::PromoteTo(du, computed);
    return narrow_bits(d, hn::IfThenElse(is_nan, hn::Or(sign, nan), wide));
#else
    const auto below = [&](std::int32_t limit) HWY_ATTR {
        return hn::RebindMask(du, hn::Gt(hn::Set(di, limit), as_int));
    };
    const auto odd = hn::And(hn::ShiftRight<13>(magnitude), hn::Set(du, 1U));
    const auto bumped = hn::Add(magnitude, hn::Add(odd, hn::Set(du, 0x0FFFU)));
    const auto normal = hn::Sub(hn::ShiftRight<13>(bumped), hn::Set(du, (127U - 15U) << 10));
    // Denormals: the mantissa with its leading bit, shifted right by 126 - exponent (14 to 31) and
    // rounded by integers, which no rounding, FTZ or DAZ mode reaches.
    const auto exponent = hn::ShiftRight<23>(magnitude);
    const auto mantissa =
            hn::Or(hn::And(magnitude, hn::Set(du, 0x007FFFFFU)), hn::Set(du, 0x00800000U));
    const auto by = hn::Min(hn::Sub(hn::Set(di, 126), hn::BitCast(di, exponent)), hn::Set(di, 31));
    const auto shift = hn::BitCast(du, hn::Max(by, hn::Set(di, 1)));
    const auto half = hn::Shl(hn::Set(du, 1U), hn::Sub(shift, hn::Set(du, 1U)));
    const auto kept = hn::And(hn::Shr(mantissa, shift), hn::Set(du, 1U));
    const auto denormal =
            hn::Shr(hn::Add(mantissa, hn::Sub(hn::Add(half, kept), hn::Set(du, 1U))), shift);
    const auto infinite = hn::Set(du, 0x7C00U);
    const auto finite = hn::IfThenElse(below(0x38800000), denormal, normal);
    const auto beyond = hn::IfThenElse(below(0x7F800001), infinite, nan);
    return narrow_bits(d, hn::Or(sign, hn::IfThenElse(below(0x477FF000), finite, beyond)));
#endif
}

// ---- memory ------------------------------------------------------------------------------------

/// hn::Lanes(d) elements as they lie in memory.
template <class D>
HWY_INLINE hn::Vec<D> load_bytes(D d, const void *from) {
#if HWY_TARGET == HWY_SCALAR
    hn::TFromD<D> lane;
    std::memcpy(&lane, from, sizeof lane);
    return hn::Set(d, lane);
#else
    return hn::BitCast(d,
            hn::LoadU(hn::Repartition<std::uint8_t, D>(), static_cast<const std::uint8_t *>(from)));
#endif
}

template <class D>
HWY_INLINE void store_bytes(D d, hn::Vec<D> v, void *to) {
#if HWY_TARGET == HWY_SCALAR
    const hn::TFromD<D> lane = hn::GetLane(v);
    std::memcpy(to, &lane, sizeof lane);
    (void)d;
#else
    const hn::Repartition<std::uint8_t, D> bytes;
    hn::StoreU(hn::BitCast(bytes, v), bytes, static_cast<std::uint8_t *>(to));
    (void)d;
#endif
}

/// The first `n` lanes, n < hn::Lanes(d); the others are 0. Nothing else is read: Highway's masked
/// loads read whole vectors where there is no instruction for it. AVX2's for 4 bytes does not fault
/// for lanes that are left out.
template <class D>
HWY_INLINE hn::Vec<D> load_bytes_part(D d, const void *from, std::size_t n) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX2
    if constexpr (sizeof(hn::TFromD<D>) == 4)
        return hn::MaskedLoad(hn::FirstN(d, n), d, static_cast<const hn::TFromD<D> *>(from));
#endif
    HWY_ALIGN hn::TFromD<D> lanes[HWY_MAX_BYTES / sizeof(hn::TFromD<D>)] = {};
    std::memcpy(lanes, from, n * sizeof(hn::TFromD<D>));
    return hn::Load(d, lanes);
}

/// The first `n` lanes, n < hn::Lanes(d), and nothing else.
template <class D>
HWY_INLINE void store_bytes_part(D d, hn::Vec<D> v, void *to, std::size_t n) {
    HWY_ALIGN hn::TFromD<D> lanes[HWY_MAX_BYTES / sizeof(hn::TFromD<D>)];
    hn::Store(v, d, lanes);
    std::memcpy(to, lanes, n * sizeof(hn::TFromD<D>));
}

template <class D>
HWY_INLINE hn::Vec<D> load_f32(D d, const void *from) {
    return load_bytes(d, from);
}
template <class D>
HWY_INLINE hn::Vec<D> load_bf16(D d, const void *from) {
    return bf16_to_f32(d, load_bytes(bits16_tag<D>(), from));
}
template <class D>
HWY_INLINE hn::Vec<D> load_f16(D d, const void *from) {
    return f16_to_f32(d, load_bytes(bits16_tag<D>(), from));
}

template <class D>
HWY_INLINE hn::Vec<D> load_f32_part(D d, const void *from, std::size_t n) {
    return load_bytes_part(d, from, n);
}
template <class D>
HWY_INLINE hn::Vec<D> load_bf16_part(D d, const void *from, std::size_t n) {
    return bf16_to_f32(d, load_bytes_part(bits16_tag<D>(), from, n));
}
template <class D>
HWY_INLINE hn::Vec<D> load_f16_part(D d, const void *from, std::size_t n) {
    return f16_to_f32(d, load_bytes_part(bits16_tag<D>(), from, n));
}

template <class D>
HWY_INLINE void store_f32(D d, hn::Vec<D> v, void *to) {
    store_bytes(d, v, to);
}
template <class D>
HWY_INLINE void store_bf16(D d, hn::Vec<D> v, void *to) {
    store_bytes(bits16_tag<D>(), f32_to_bf16(d, v), to);
}
template <class D>
HWY_INLINE void store_f16(D d, hn::Vec<D> v, void *to) {
    store_bytes(bits16_tag<D>(), f32_to_f16(d, v), to);
}

template <class D>
HWY_INLINE void store_f32_part(D d, hn::Vec<D> v, void *to, std::size_t n) {
    store_bytes_part(d, v, to, n);
}
template <class D>
HWY_INLINE void store_bf16_part(D d, hn::Vec<D> v, void *to, std::size_t n) {
    store_bytes_part(bits16_tag<D>(), f32_to_bf16(d, v), to, n);
}
template <class D>
HWY_INLINE void store_f16_part(D d, hn::Vec<D> v, void *to, std::size_t n) {
    store_bytes_part(bits16_tag<D>(), f32_to_f16(d, v), to, n);
}

/// By type, for templates: f32, bf16 or f16.
template <data_type Type, class D>
HWY_INLINE hn::Vec<D> load_as(D d, const void *from) {
    static_assert(Type == data_type::f32 || Type == data_type::bf16 || Type == data_type::f16);
    if constexpr (Type == data_type::f32)
        return load_f32(d, from);
    else if constexpr (Type == data_type::bf16)
        return load_bf16(d, from);
    else
        return load_f16(d, from);
}
template <data_type Type, class D>
HWY_INLINE hn::Vec<D> load_part_as(D d, const void *from, std::size_t n) {
    static_assert(Type == data_type::f32 || Type == data_type::bf16 || Type == data_type::f16);
    if constexpr (Type == data_type::f32)
        return load_f32_part(d, from, n);
    else if constexpr (Type == data_type::bf16)
        return load_bf16_part(d, from, n);
    else
        return load_f16_part(d, from, n);
}
template <data_type Type, class D>
HWY_INLINE void store_as(D d, hn::Vec<D> v, void *to) {
    static_assert(Type == data_type::f32 || Type == data_type::bf16 || Type == data_type::f16);
    if constexpr (Type == data_type::f32)
        store_f32(d, v, to);
    else if constexpr (Type == data_type::bf16)
        store_bf16(d, v, to);
    else
        store_f16(d, v, to);
}
template <data_type Type, class D>
HWY_INLINE void store_part_as(D d, hn::Vec<D> v, void *to, std::size_t n) {
    static_assert(Type == data_type::f32 || Type == data_type::bf16 || Type == data_type::f16);
    if constexpr (Type == data_type::f32)
        store_f32_part(d, v, to, n);
    else if constexpr (Type == data_type::bf16)
        store_bf16_part(d, v, to, n);
    else
        store_f16_part(d, v, to, n);
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace tern::kernels
HWY_AFTER_NAMESPACE();

#endif
