// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_MATMUL_TILE_HPP
#define TERN_KERNELS_MATMUL_TILE_HPP

/// \file
/// What the plan of a matrix multiplication and the code for a SIMD target know of each other.

#include <cstdint>

#include "base/arithmetic.hpp"
#include "kernels/matmul/matmul.hpp"

namespace tern::kernels {

/// Elements by which a packed row or panel is longer than what it holds: rows a power of two apart
/// would share a few sets of the cache.
inline constexpr std::int64_t packed_pad = 16;

/// Elements from one row of packed a to the next, and from one panel of packed b to the next.
/// Whatever the target, a whole number of vectors.
constexpr std::int64_t packed_row(std::int64_t block_k) {
    return round_up(block_k, packed_pad) + packed_pad;
}
constexpr std::int64_t packed_panel(std::int64_t block_k, std::int64_t micro_columns) {
    return round_up(block_k * micro_columns, packed_pad) + packed_pad;
}

/// All of b, packed before: for each batch of b, for each tile's columns, for each block of k the
/// panels that a tile would pack, in loops.packed_b bytes.
struct packed_layout {
    std::int64_t column_tiles;
    std::int64_t k_blocks;
    std::int64_t batches;  ///< Of b; the result may have more.
    std::int64_t elements; ///< From one block's panels to the next's.
};

/// One tile to be computed, and the memory of the thread that does it.
struct tile_work {
    const std::uint8_t *a; ///< First element of the tile's rows,
    const std::uint8_t *b; ///< of its columns.
    std::int64_t rows;
    std::int64_t columns;
    bool direct_a;
    bool direct_b;
    float *packed_a;
    float *packed_b;
    float *tile; ///< Rows are loops.tile_stride apart; columns up to that are written too.
    /// What packed_b holds, where k is one block: the tiles of one column come one after another.
    const std::uint8_t *held_b;
    std::int64_t held_columns;
    /// All blocks of k of the tile's columns, packed before, or null; `kept_elements` apart.
    const float *kept_b;
    std::int64_t kept_elements;
};

struct matmul_code {
    const char *target;
    std::int64_t micro_rows; ///< Of a register block.
    std::int64_t micro_columns;
    std::int64_t thin_rows; ///< Most rows of the paths for few rows.
    void (*run_tile)(const matmul_loops &loops, tile_work &work) noexcept;
    /// The panels of one block of k of a tile's columns. `b`: its first element.
    void (*pack_b)(const matmul_loops &loops, const std::uint8_t *b, std::int64_t k,
            std::int64_t columns, float *to) noexcept;
};

const matmul_code &find_matmul_code() noexcept;

} // namespace tern::kernels

#endif
