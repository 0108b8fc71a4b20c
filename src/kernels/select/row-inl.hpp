// SPDX-License-Identifier: Apache-2.0
// Included once per SIMD target, by the files that Highway compiles for each: the guard toggles.
#if defined(TERN_KERNELS_SELECT_ROW_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TERN_KERNELS_SELECT_ROW_INL_HPP
#undef TERN_KERNELS_SELECT_ROW_INL_HPP
#else
#define TERN_KERNELS_SELECT_ROW_INL_HPP
#endif

/// \file
/// One row of elements as vectors: where they come from, and how they are stored.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <hwy/highway.h>

#include "kernels/prefetch.hpp"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

// A row is computed in lanes of unsigned integers. 16-byte elements are two 8-byte lanes each.
template <std::size_t LaneBytes>
using lane_of = std::conditional_t<LaneBytes == 1, std::uint8_t,
        std::conditional_t<LaneBytes == 2, std::uint16_t,
                std::conditional_t<LaneBytes == 4, std::uint32_t, std::uint64_t>>>;

template <std::size_t LaneBytes>
constexpr std::size_t lanes_of_element = LaneBytes == 16 ? 2 : 1;

/// Lanes of the widest vector in use. One 16-byte element fills a vector of its own: that makes
/// its condition one value.
template <std::size_t LaneBytes>
constexpr std::size_t widest() {
    return LaneBytes == 16 ? 2 : HWY_MAX_BYTES / sizeof(lane_of<LaneBytes>);
}

// Pointers are to bytes: callers need not align, and a pointer to a wider type would let the
// compiler believe that they did.

template <class D>
HWY_INLINE hn::Vec<D> load(D d, const std::uint8_t *from) {
#if HWY_TARGET == HWY_SCALAR
    hn::TFromD<D> lane;
    std::memcpy(&lane, from, sizeof lane);
    return hn::Set(d, lane);
#else
    return hn::BitCast(d, hn::LoadU(hn::Repartition<std::uint8_t, D>(), from));
#endif
}

template <class D>
HWY_INLINE void store(D d, hn::Vec<D> v, std::uint8_t *to) {
#if HWY_TARGET == HWY_SCALAR
    hn::TFromD<D> lane = hn::GetLane(v);
    std::memcpy(to, &lane, sizeof lane);
    (void)d;
#else
    const hn::Repartition<std::uint8_t, D> bytes;
    hn::StoreU(hn::BitCast(bytes, v), bytes, to);
    (void)d;
#endif
}

/// Precondition: `to` is aligned to the vector.
template <class D>
HWY_INLINE void stream(D d, hn::Vec<D> v, std::uint8_t *to) {
#if HWY_TARGET == HWY_SCALAR
    store(d, v, to);
#else
    const hn::Repartition<std::uint8_t, D> bytes;
    hn::Stream(hn::BitCast(bytes, v), bytes, to);
    (void)d;
#endif
}

inline constexpr std::int64_t line = 64; // bytes

/// One element, loaded before anything is written.
template <std::size_t LaneBytes>
struct constant {
    lane_of<LaneBytes> lanes[lanes_of_element<LaneBytes>];

    HWY_INLINE explicit constant(const std::uint8_t *from) {
        std::memcpy(lanes, from, sizeof lanes);
    }
    template <class D>
    HWY_INLINE hn::Vec<D> get(D d, std::size_t i) const {
        if constexpr (LaneBytes != 16)
            return hn::Set(d, lanes[0]);
        else if constexpr (HWY_TARGET == HWY_SCALAR)
            return hn::Set(d, lanes[i % 2]);
        else
            return hn::LoadU(d, lanes);
    }
};

template <std::size_t LaneBytes>
struct moving {
    const std::uint8_t *from;

    HWY_INLINE explicit moving(const std::uint8_t *first) : from(first) {}
    template <class D>
    HWY_INLINE hn::Vec<D> get(D d, std::size_t i) const {
        return load(d, from + i * sizeof(hn::TFromD<D>));
    }
};

/// Mask of the lanes i, i + 1, ... whose condition byte is 0.
template <std::size_t LaneBytes, class D>
HWY_INLINE hn::Mask<D> is_false(D d, const std::uint8_t *cond, std::size_t i) {
    const auto zero = hn::Zero(d);
    if constexpr (LaneBytes == 16) {
        return hn::Eq(hn::Set(d, std::uint64_t{cond[i / 2]}), zero);
    } else {
        const auto bytes = hn::LoadU(hn::Rebind<std::uint8_t, D>(), cond + i);
        if constexpr (LaneBytes == 1)
            return hn::Eq(bytes, zero);
        else if constexpr (LaneBytes == 8) // Highway 1.0.3 has no promotion from 1 to 8 bytes.
            return hn::Eq(
                    hn::PromoteTo(d, hn::PromoteTo(hn::Rebind<std::uint32_t, D>(), bytes)), zero);
        else
            return hn::Eq(hn::PromoteTo(d, bytes), zero);
    }
}

/// What a row of dst is made of: `get(d, i)` is its vector at lane i.
template <std::size_t LaneBytes, class Src0, class Src1>
struct blended_row {
    static constexpr std::size_t lane_bytes = LaneBytes;
    const std::uint8_t *cond;
    Src0 src_0;
    Src1 src_1;

    template <class D>
    HWY_INLINE hn::Vec<D> get(D d, std::size_t i) const {
        return hn::IfThenElse(is_false<LaneBytes>(d, cond, i), src_1.get(d, i), src_0.get(d, i));
    }
};

template <std::size_t LaneBytes, class Src>
struct plain_row {
    static constexpr std::size_t lane_bytes = LaneBytes;
    Src src;

    template <class D>
    HWY_INLINE hn::Vec<D> get(D d, std::size_t i) const {
        return src.get(d, i);
    }
};

/// Rows shorter than a vector of 2 * Lanes: two overlapping vectors, or shorter ones.
/// Both are computed before the first is stored, since dst may be a source, or cond.
template <std::size_t Lanes, class Row>
HWY_INLINE void store_short(const Row &row, std::uint8_t *dst, std::size_t n) {
    using lane = lane_of<Row::lane_bytes>;
    const hn::CappedTag<lane, Lanes> d;
    const std::size_t step = hn::Lanes(d);
    if (n >= step) {
        const auto first = row.get(d, 0);
        const auto last = row.get(d, n - step);
        store(d, first, dst);
        store(d, last, dst + (n - step) * sizeof(lane));
    } else if constexpr (Lanes > 1) {
        store_short<Lanes / 2>(row, dst, n);
    }
}

/// n lanes of a row. The last vector overlaps the one before where n is no multiple of a vector. It
/// is computed first: later, dst may hold results where a source (or cond) was.
template <bool Stream, class Row>
HWY_INLINE void store_row(const Row &row, std::uint8_t *dst, std::size_t n) {
    using lane = lane_of<Row::lane_bytes>;
    constexpr std::size_t most_lanes = widest<Row::lane_bytes>();
    const hn::CappedTag<lane, most_lanes> d;
    const std::size_t step = hn::Lanes(d);
    if constexpr (!Stream && most_lanes > 1) {
        if (n < step) return store_short<most_lanes / 2>(row, dst, n);
    }

    // A streamed row begins in the plain way, up to (and in part beyond) the next cache line.
    // Precondition of streaming: n is at least 128 bytes, dst is aligned to lanes.
    const std::size_t head =
            Stream ? (0 - reinterpret_cast<std::uintptr_t>(dst)) % 64 / sizeof(lane) : 0;
    // Where vectors fill the row the last one is not needed, and its memory is not touched so
    // early: that would mislead the hardware's prefetching.
    const auto last = row.get(d, (n - head) % step == 0 ? 0 : n - step);
    const auto put = [](auto tag, auto v, std::uint8_t *to) HWY_ATTR {
        if constexpr (Stream)
            stream(tag, v, to);
        else
            store(tag, v, to);
    };
    for (std::size_t i = 0; i < head; i += step)
        store(d, row.get(d, i), dst + i * sizeof(lane));
    std::size_t i = head;
    for (; i + 4 * step <= n; i += 4 * step) {
        const auto v_0 = row.get(d, i);
        const auto v_1 = row.get(d, i + step);
        const auto v_2 = row.get(d, i + 2 * step);
        const auto v_3 = row.get(d, i + 3 * step);
        put(d, v_0, dst + i * sizeof(lane));
        put(d, v_1, dst + (i + step) * sizeof(lane));
        put(d, v_2, dst + (i + 2 * step) * sizeof(lane));
        put(d, v_3, dst + (i + 3 * step) * sizeof(lane));
    }
    for (; i + step <= n; i += step)
        store(d, row.get(d, i), dst + i * sizeof(lane));
    if (i < n) store(d, last, dst + (n - step) * sizeof(lane));
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace tern::kernels
HWY_AFTER_NAMESPACE();

#endif
