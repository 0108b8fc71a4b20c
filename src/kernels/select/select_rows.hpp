// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_SELECT_SELECT_ROWS_HPP
#define TERN_KERNELS_SELECT_SELECT_ROWS_HPP

/// \file
/// The inner loops of select: rows of elements, one after the other, on one thread.

#include <array>
#include <cstddef>
#include <cstdint>

namespace tern::kernels {

/// One value per operand, by select_operand.
template <typename T>
using per_operand = std::array<T, 4>;

/// A block of rows. Steps may be 0 (the operand is broadcast) and are in bytes: `step` leads from a
/// row to the next one, `stride` from an element to the next one in its row.
struct select_rows {
    const std::uint8_t *cond;
    const std::uint8_t *src_0;
    const std::uint8_t *src_1;
    std::uint8_t *dst;
    std::int64_t rows; ///< At least 1.
    std::int64_t n;    ///< Elements of a row, at least 1.
    per_operand<std::int64_t> step;
    per_operand<std::int64_t> stride;
};

using rows_function = void (*)(const select_rows &) noexcept;

/// 1, 2, 4, 8, 16 bytes: 0 to 4.
inline constexpr std::size_t lane_sizes = 5;
inline std::size_t lane_index(int lane_bytes) {
    std::size_t index = 0;
    while ((1 << index) < lane_bytes)
        ++index;
    return index;
}

/// Where the operands are, which decides how they are read and written.
enum class memory {
    cached,   ///< In the caches, or soon there.
    far,      ///< Beyond them.
    streamed, ///< Beyond them, and dst is written past them: it is aligned to the element size, and
              ///< no source.
};
inline constexpr std::size_t memories = 3;

/// Whether an operand moves from element to element in a row, or is the same for all of it.
struct row_motion {
    bool cond;
    bool src_0;
    bool src_1;
};

/// Loops for rows in which dst is contiguous and every other operand contiguous or broadcast; one
/// such table per SIMD target. Where conditions agree for a while, the operand that is not chosen
/// is not read, and dst is not written where it is the very same as the chosen one.
struct vector_loops {
    /// One condition per row. By lane_index, memory.
    rows_function choose[lane_sizes][memories];
    /// A condition per element. By lane_index, memory, motion.src_0 + 2 * motion.src_1.
    rows_function blend[lane_sizes][memories][4];

    /// dst = for each of `rows` rows, `n` copies of the element at src + row * step. Writes up to
    /// repeat_slack bytes after the end.
    using repeat_function = void (*)(const std::uint8_t *src, std::int64_t step, std::int64_t rows,
            std::int64_t n, std::uint8_t *dst) noexcept;
    repeat_function repeat[lane_sizes];

    rows_function find(int lane_bytes, memory where, row_motion motion) const {
        std::size_t lane = lane_index(lane_bytes);
        auto at = static_cast<std::size_t>(where);
        if (!motion.cond) return choose[lane][at];
        return blend[lane][at][std::size_t{motion.src_0} + 2 * std::size_t{motion.src_1}];
    }
};
inline constexpr std::int64_t repeat_slack = 16;

/// Of the best target that this CPU has.
const vector_loops &find_vector_loops() noexcept;
/// Its name in lower case, such as "avx2".
const char *find_target_name() noexcept;

/// Rows of any strides, element by element.
void run_elements(const select_rows &block, int lane_bytes) noexcept;

/// Rows of any strides: operands that jump within rows are copied into dense tiles, for which
/// `vector` is called: a loop of vector_loops, for what moves within rows.
void run_tiled(const select_rows &block, int lane_bytes, rows_function vector) noexcept;

} // namespace tern::kernels

#endif
