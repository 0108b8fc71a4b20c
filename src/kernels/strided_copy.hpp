// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_STRIDED_COPY_HPP
#define TERN_KERNELS_STRIDED_COPY_HPP

/// \file
/// Copies elements between two strided tensors of one shape. Knows bytes, not types.

#include <cstdint>

#include "base/dims.hpp"

namespace tern::kernels {

/// A copy made ready. All steps are bytes.
struct strided_copy {
    dims extents; ///< Of the axes around the planes.
    dims from_steps;
    dims to_steps;
    std::int64_t planes; ///< Product of the extents.
    std::int64_t rows;   ///< Of a plane.
    std::int64_t columns;
    std::int64_t from_row, from_column;
    std::int64_t to_row, to_column;
    std::int64_t element_bytes;
    /// A plane is cut into pieces of so many columns; 0: between rows.
    std::int64_t cut_columns;
    std::int64_t run_bytes; ///< Of the whole copy if it is one run of bytes on both sides, else 0.
};

/// `from` and `to` are strides in elements, of shape's rank: any at all for `from`, also negative
/// ones; for `to` those of distinct elements. The shape has at least one element; elements have 1,
/// 2, 4, 8 or 16 bytes.
strided_copy make_strided_copy(
        const dims &shape, const dims &from, const dims &to, int element_bytes);

/// Pointers are to the elements of index 0, of any alignment; the two do not overlap.
void run_here(const strided_copy &copy, const std::uint8_t *from, std::uint8_t *to) noexcept;
/// The same in the caller's TBB arena when it is large enough to split.
void run_parallel(const strided_copy &copy, const std::uint8_t *from, std::uint8_t *to) noexcept;

} // namespace tern::kernels

#endif
