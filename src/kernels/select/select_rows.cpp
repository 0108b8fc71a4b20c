// SPDX-License-Identifier: Apache-2.0

// Blends gain nothing from what comes after AVX3 (better targets have lower bits), nor from SSSE3
// where there is SSE4. Fewer targets compile faster.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | (HWY_AVX3 - 1))
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/select/select_rows.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <hwy/highway.h>

#include "kernels/select/select_rows.hpp"

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

/// Stores to `dst` up to the next 64-byte boundary (a bit beyond, in part) in the plain way;
/// returns the lane at the boundary. Precondition: n is at least 128 bytes; dst is aligned to
/// lanes.
template <class D, class Row>
HWY_INLINE std::size_t store_head(D d, const Row &row, std::uint8_t *dst) {
    using lane = hn::TFromD<D>;
    const std::size_t head = (0 - reinterpret_cast<std::uintptr_t>(dst)) % 64 / sizeof(lane);
    for (std::size_t i = 0; i < head; i += hn::Lanes(d))
        store(d, row.get(d, i), dst + i * sizeof(lane));
    return head;
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

    const auto last = row.get(d, n - step);
    const auto put = [](auto tag, auto v, std::uint8_t *to) HWY_ATTR {
        if constexpr (Stream)
            stream(tag, v, to);
        else
            store(tag, v, to);
    };
    std::size_t i = 0;
    if constexpr (Stream) i = store_head(d, row, dst);
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

/// Streaming pays from a few cache lines on; below, head and tail are all there is. More than two
/// vectors of any target.
constexpr std::int64_t least_streamed_bytes = 512;

template <std::size_t LaneBytes, bool Moves>
using source = std::conditional_t<Moves, moving<LaneBytes>, constant<LaneBytes>>;

template <std::size_t LaneBytes, bool Stream, bool Moves0, bool Moves1>
void blend_rows(const select_rows &block) noexcept {
    if (Stream && block.n < least_streamed_bytes / std::int64_t{LaneBytes})
        return blend_rows<LaneBytes, false, Moves0, Moves1>(block);
    for (std::int64_t r = 0; r < block.rows; ++r) {
        const blended_row<LaneBytes, source<LaneBytes, Moves0>, source<LaneBytes, Moves1>> row = {
                block.cond + r * block.step[0],
                source<LaneBytes, Moves0>(block.src_0 + r * block.step[1]),
                source<LaneBytes, Moves1>(block.src_1 + r * block.step[2])};
        store_row<Stream>(row, block.dst + r * block.step[3],
                static_cast<std::size_t>(block.n) * lanes_of_element<LaneBytes>);
    }
}

/// Bytes, whatever they belong to. Not inlined: the loops are large, and every lane size uses them.
template <bool Stream>
HWY_NOINLINE void copy_row(const std::uint8_t *from, std::uint8_t *dst, std::size_t bytes) {
    const plain_row<1, moving<1>> row = {moving<1>(from)};
    store_row<Stream>(row, dst, bytes);
}

template <std::size_t LaneBytes, bool Stream>
HWY_NOINLINE void fill_row(const std::uint8_t *from, std::uint8_t *dst, std::size_t n) {
    const plain_row<LaneBytes, constant<LaneBytes>> row = {constant<LaneBytes>(from)};
    store_row<Stream>(row, dst, n * lanes_of_element<LaneBytes>);
}

/// One condition per row.
template <std::size_t LaneBytes, bool Stream>
void choose_rows(const select_rows &block) noexcept {
    if (Stream && block.n < least_streamed_bytes / std::int64_t{LaneBytes})
        return choose_rows<LaneBytes, false>(block);
    const auto n = static_cast<std::size_t>(block.n);
    for (std::int64_t r = 0; r < block.rows; ++r) {
        const bool truth = block.cond[r * block.step[0]] != 0;
        const std::uint8_t *chosen =
                truth ? block.src_0 + r * block.step[1] : block.src_1 + r * block.step[2];
        std::uint8_t *dst = block.dst + r * block.step[3];
        const bool moves = (truth ? block.stride[1] : block.stride[2]) != 0;
        if (!moves)
            fill_row<LaneBytes, Stream>(chosen, dst, n);
        else if (chosen != dst) // else it stays in place
            copy_row<Stream>(chosen, dst, n * LaneBytes);
    }
}

/// Rows no longer than a vector. One store each, which reaches into the next row (that comes later)
/// or into the slack; four at a time, since little else is done.
template <std::size_t LaneBytes, class D>
HWY_INLINE void repeat_short_rows(D d, const std::uint8_t *src, std::int64_t step,
        std::int64_t rows, std::int64_t row_bytes, std::uint8_t *dst) {
    const auto repeat = [=](std::int64_t r) HWY_ATTR {
        store(d, constant<LaneBytes>(src + r * step).get(d, 0), dst + r * row_bytes);
    };
    std::int64_t r = 0;
    for (; r + 4 <= rows; r += 4) {
        repeat(r);
        repeat(r + 1);
        repeat(r + 2);
        repeat(r + 3);
    }
    for (; r < rows; ++r)
        repeat(r);
}

template <std::size_t LaneBytes>
void repeat_rows(const std::uint8_t *src, std::int64_t step, std::int64_t rows, std::int64_t n,
        std::uint8_t *dst) noexcept {
    using lane = lane_of<LaneBytes>;
    const hn::CappedTag<lane, 8 / sizeof(lane)> eight;
    const hn::CappedTag<lane, 16 / sizeof(lane)> sixteen;
    const std::int64_t row_bytes = n * std::int64_t{LaneBytes};
    const auto bytes_of = [](auto d) HWY_ATTR {
        return static_cast<std::int64_t>(hn::Lanes(d) * sizeof(lane));
    };
    // Stores that overlap and cross cache lines are slow: the vector is no longer than it must be.
    if (row_bytes <= bytes_of(eight))
        return repeat_short_rows<LaneBytes>(eight, src, step, rows, row_bytes, dst);
    if (row_bytes <= bytes_of(sixteen))
        return repeat_short_rows<LaneBytes>(sixteen, src, step, rows, row_bytes, dst);
    for (std::int64_t r = 0; r < rows; ++r) {
        const constant<LaneBytes> value(src + r * step);
        for (std::int64_t at = 0; at < row_bytes; at += bytes_of(sixteen))
            store(sixteen, value.get(sixteen, static_cast<std::size_t>(at) / sizeof(lane)),
                    dst + r * row_bytes + at);
    }
}

constexpr std::int64_t stretch = std::max<std::int64_t>(64, HWY_MAX_BYTES);

/// True when all cond bytes of a stretch are true (or, for `truth` false, all are false).
HWY_INLINE bool is_uniform(const std::uint8_t *cond, bool truth) {
    const hn::CappedTag<std::uint8_t, 64> d;
    auto least = hn::Set(d, std::uint8_t{255});
    auto most = hn::Zero(d);
    for (std::size_t i = 0; i < std::size_t{stretch}; i += hn::Lanes(d)) {
        const auto bytes = hn::LoadU(d, cond + i);
        least = hn::Min(least, bytes);
        most = hn::Max(most, bytes);
    }
    const auto zero = hn::Zero(d);
    return truth ? hn::AllFalse(d, hn::Eq(least, zero)) : hn::AllTrue(d, hn::Eq(most, zero));
}

std::int64_t count_uniform(
        const std::uint8_t *cond, std::int64_t n, bool truth, bool uniform) noexcept {
    std::int64_t count = 0;
    while (count + stretch <= n && is_uniform(cond + count, truth) == uniform)
        count += stretch;
    // What is left is too short to be looked at, and counts as mixed.
    return count + stretch > n && !uniform ? n : count;
}

template <std::size_t LaneBytes, bool Stream>
constexpr void enter_rows(vector_loops &loops, std::size_t index) {
    loops.choose[index][Stream] = choose_rows<LaneBytes, Stream>;
    loops.blend[index][Stream][0] = blend_rows<LaneBytes, Stream, false, false>;
    loops.blend[index][Stream][1] = blend_rows<LaneBytes, Stream, true, false>;
    loops.blend[index][Stream][2] = blend_rows<LaneBytes, Stream, false, true>;
    loops.blend[index][Stream][3] = blend_rows<LaneBytes, Stream, true, true>;
}

template <std::size_t LaneBytes>
constexpr void enter_lanes(vector_loops &loops, std::size_t index) {
    enter_rows<LaneBytes, false>(loops, index);
    enter_rows<LaneBytes, true>(loops, index);
    loops.repeat[index] = repeat_rows<LaneBytes>;
}

constexpr vector_loops make_vector_loops() {
    vector_loops loops{};
    enter_lanes<1>(loops, 0);
    enter_lanes<2>(loops, 1);
    enter_lanes<4>(loops, 2);
    enter_lanes<8>(loops, 3);
    enter_lanes<16>(loops, 4);
    loops.count_uniform = count_uniform;
    return loops;
}

constexpr vector_loops target_loops = make_vector_loops();

constexpr std::array<char, 24> make_target_name() {
    std::array<char, 24> name{};
    const char *from = &HWY_STR(HWY_NAMESPACE)[2]; // "N_AVX2"
    for (std::size_t i = 0; from[i] != 0; ++i)
        name[i] = static_cast<char>(
                from[i] >= 'A' && from[i] <= 'Z' ? from[i] + ('a' - 'A') : from[i]);
    return name;
}

constexpr std::array<char, 24> target_name = make_target_name();

} // namespace

const vector_loops &get_vector_loops() {
    return target_loops;
}

const char *get_target_name() {
    return target_name.data();
}

} // namespace HWY_NAMESPACE
} // namespace tern::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tern::kernels {

HWY_EXPORT(get_vector_loops);
HWY_EXPORT(get_target_name);

const vector_loops &find_vector_loops() noexcept {
    return HWY_DYNAMIC_DISPATCH(get_vector_loops)();
}

const char *find_target_name() noexcept {
    return HWY_DYNAMIC_DISPATCH(get_target_name)();
}

} // namespace tern::kernels
#endif
