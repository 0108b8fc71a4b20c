// SPDX-License-Identifier: Apache-2.0

// Works on vectors of 16 bytes, for which newer targets bring nothing, and in arrays of them, which
// those with vectors of unknown length do not have.
#define HWY_DISABLED_TARGETS                                                                       \
    (HWY_SSSE3 | (HWY_AVX2 - 1) | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/transpose.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "kernels/float16-inl.hpp"
#include "kernels/prefetch.hpp"
#include "kernels/transpose.hpp"

// At the usual level of optimisation gcc leaves short loops as they are, and with them arrays of
// vectors in memory; clang does not.
#if defined(__GNUC__) && !defined(__clang__)
#define TERN_UNROLL _Pragma("GCC unroll 16")
#else
#define TERN_UNROLL
#endif

HWY_BEFORE_NAMESPACE();
namespace tern::kernels {
namespace HWY_NAMESPACE {
namespace {

constexpr std::int64_t line = 64; // bytes

struct plane {
    const std::uint8_t *from;
    std::int64_t from_step;
    std::uint8_t *to;
    std::int64_t to_step;
};

template <std::size_t LaneBytes>
void transpose_elements(const plane &at, std::int64_t rows, std::int64_t columns) {
    for (std::int64_t column = 0; column < columns; ++column)
        for (std::int64_t row = 0; row < rows; ++row)
            std::memcpy(at.to + column * at.to_step + row * std::int64_t{LaneBytes},
                    at.from + row * at.from_step + column * std::int64_t{LaneBytes}, LaneBytes);
}

/// As many rows as columns: those that fill a vector of 16 bytes.
template <std::size_t LaneBytes>
HWY_INLINE void transpose_block(const plane &at) {
#if HWY_TARGET == HWY_SCALAR
    transpose_elements<LaneBytes>(at, 16 / LaneBytes, 16 / LaneBytes);
#else
    using lane = hwy::UnsignedFromSize<LaneBytes == 16 ? 8 : LaneBytes>;
    constexpr std::size_t side = 16 / LaneBytes;
    const hn::CappedTag<lane, 16 / sizeof(lane)> d;
    using vector = hn::Vec<decltype(d)>;
    vector v[side];
    TERN_UNROLL
    for (std::size_t row = 0; row < side; ++row)
        v[row] = load_bytes(d, at.from + static_cast<std::int64_t>(row) * at.from_step);
    // Each round interleaves the first half of the vectors with the second: of the bits of an
    // element's number (vector, then lane) the first becomes the last. After as many rounds as lane
    // numbers have bits, vector and lane have changed places.
    TERN_UNROLL
    for (std::size_t round = 1; round < side; round *= 2) {
        vector w[side];
        TERN_UNROLL
        for (std::size_t i = 0; i < side / 2; ++i) {
            w[2 * i] = hn::InterleaveLower(d, v[i], v[i + side / 2]);
            w[2 * i + 1] = hn::InterleaveUpper(d, v[i], v[i + side / 2]);
        }
        TERN_UNROLL
        for (std::size_t i = 0; i < side; ++i)
            v[i] = w[i];
    }
    TERN_UNROLL
    for (std::size_t row = 0; row < side; ++row)
        store_bytes(d, v[row], at.to + static_cast<std::int64_t>(row) * at.to_step);
#endif
}

template <std::size_t LaneBytes>
void transpose_plane(const plane &all, std::int64_t rows, std::int64_t columns) {
    constexpr std::int64_t side = 16 / LaneBytes;
    const std::int64_t row_bytes = columns * std::int64_t{LaneBytes};
    const std::int64_t whole_columns = columns / side * side;
    const bool is_sparse = all.from_step > row_bytes;
    auto part = [&](std::int64_t row, std::int64_t column) {
        plane at = all;
        at.from += row * at.from_step + column * std::int64_t{LaneBytes};
        at.to += column * at.to_step + row * std::int64_t{LaneBytes};
        return at;
    };
    std::int64_t row = 0;
    for (; row + side <= rows; row += side) {
        // Rows that lie far apart are found by no hardware prefetcher. It does no harm that the
        // last ones are none of ours.
        constexpr std::int64_t rows_ahead = 16;
        for (std::int64_t i = 0; i < side && is_sparse; ++i)
            for (std::int64_t at = 0; at < row_bytes + line - 1; at += line)
                prefetch_at(all.from + (row + i) * all.from_step,
                        rows_ahead * all.from_step + std::min(at, row_bytes - 1));
        for (std::int64_t column = 0; column < whole_columns; column += side)
            transpose_block<LaneBytes>(part(row, column));
        if (whole_columns < columns)
            transpose_elements<LaneBytes>(part(row, whole_columns), side, columns - whole_columns);
    }
    if (row < rows) transpose_elements<LaneBytes>(part(row, 0), rows - row, columns);
}

} // namespace

// NOLINTNEXTLINE(readability-non-const-parameter): what `to` points to is written
void transpose_any(const std::uint8_t *from, std::int64_t from_step, std::uint8_t *to,
        std::int64_t to_step, std::int64_t rows, std::int64_t columns, int lane_bytes) {
    const plane at = {from, from_step, to, to_step};
    switch (lane_bytes) {
        case 1: return transpose_plane<1>(at, rows, columns);
        case 2: return transpose_plane<2>(at, rows, columns);
        case 4: return transpose_plane<4>(at, rows, columns);
        case 8: return transpose_plane<8>(at, rows, columns);
        default: return transpose_plane<16>(at, rows, columns);
    }
}

} // namespace HWY_NAMESPACE
} // namespace tern::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tern::kernels {

HWY_EXPORT(transpose_any);

void transpose(const std::uint8_t *from, std::int64_t from_step, std::uint8_t *to,
        std::int64_t to_step, std::int64_t rows, std::int64_t columns, int lane_bytes) noexcept {
    HWY_DYNAMIC_DISPATCH(transpose_any)(from, from_step, to, to_step, rows, columns, lane_bytes);
}

} // namespace tern::kernels
#endif
