// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_SOFTMAX_SOFTMAX_PARTS_HPP
#define TERN_KERNELS_SOFTMAX_SOFTMAX_PARTS_HPP

/// \file
/// The SIMD part of SoftMax: functions on a tile of floats that stays in the cache.

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/arithmetic.hpp"

namespace tern::kernels {

/// Floats of a tile: what a core's second cache holds with ease. It is on the stack of each thread:
/// 128 KiB of the megabytes that there are.
inline constexpr std::int64_t tile_floats = 32768;
/// A row of a tile begins at a multiple of this many floats, so that vectors of any length fill it.
inline constexpr std::int64_t tile_multiple = 16;
/// Columns of a tile, at most.
inline constexpr std::int64_t most_columns = 256;

/// Functions by type: f32, bf16, f16. Pointers to elements need no alignment.
struct softmax_parts {
    /// -infinity and 0, for as many columns and those that are computed along.
    using reset_columns = void (*)(std::int64_t columns, float *max, float *sum);
    /// n elements to the tile. Where vectors do not fill the row, the last one has a place of its
    /// own there, but holds the row's last elements, some of which the one before holds as well
    /// (or -infinity in idle lanes, in rows of less than a vector). Returns the greater of `max`
    /// and the greatest element.
    using load_row = float (*)(const std::uint8_t *src, std::int64_t n, float *tile, float max);
    /// Replaces a row of n floats by their exp_of_negative after `max` is subtracted; returns their
    /// sum.
    using exp_row = float (*)(float *tile, std::int64_t n, float max);
    using store_row = void (*)(const float *tile, std::int64_t n, float scale, std::uint8_t *dst);

    /// `rows` rows of `columns` elements, `step` bytes apart, to a tile whose rows are
    /// tile_width(columns) floats apart.
    using load_columns = void (*)(const std::uint8_t *src, std::int64_t step, std::int64_t rows,
            std::int64_t columns, float *tile, float *max);
    using exp_columns = void (*)(
            float *tile, std::int64_t rows, std::int64_t columns, const float *max, float *sum);
    using store_columns = void (*)(const float *tile, std::int64_t rows, std::int64_t columns,
            const float *scale, std::uint8_t *dst, std::int64_t step);

    /// 1 / sum; 0 where nothing was added: all -infinity, which counts as zeros.
    using scales = void (*)(const float *sum, std::int64_t columns, float *scale);

    reset_columns reset;
    std::array<load_row, 3> load_rows;
    exp_row exp_one_row;
    std::array<store_row, 3> store_rows;
    std::array<load_columns, 3> load_blocks;
    exp_columns exp_block;
    std::array<store_columns, 3> store_blocks;
    store_columns stream_block; ///< f32 past the caches.
    scales find_scales;
};

/// Columns of a tile, with those that are computed along.
inline std::int64_t tile_width(std::int64_t columns) {
    return round_up(columns, tile_multiple);
}

const softmax_parts &find_softmax_parts() noexcept;

} // namespace tern::kernels

#endif
