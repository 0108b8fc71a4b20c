// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_TRANSPOSE_HPP
#define TERN_KERNELS_TRANSPOSE_HPP

/// \file
/// Copying a plane of elements from rows to columns.

#include <cstdint>

namespace tern::kernels {

/// to[column][row] = from[row][column]. Elements of 1, 2, 4, 8 or 16 bytes lie one after the other
/// in rows of `from` and in rows of `to`; the steps lead from one such row to the next, in bytes.
/// `rows` and `columns` are those of `from`. No alignment is needed; the two do not overlap.
void transpose(const std::uint8_t *from, std::int64_t from_step, std::uint8_t *to,
        std::int64_t to_step, std::int64_t rows, std::int64_t columns, int lane_bytes) noexcept;

} // namespace tern::kernels

#endif
