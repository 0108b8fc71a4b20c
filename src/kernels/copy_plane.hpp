// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_COPY_PLANE_HPP
#define TERN_KERNELS_COPY_PLANE_HPP

/// \file
/// Copies elements that do not lie side by side to where they do, and back.

#include <cstdint>

namespace tern::kernels {

/// A plane of elements: bytes from row to row and from column to column.
template <typename Byte>
struct plane_of {
    Byte *first;
    std::int64_t row_step;
    std::int64_t column_step;
};

/// Elements of 1, 2, 4, 8 or 16 bytes, of any alignment. Steps of `from` may be 0 or negative. The
/// two do not overlap.
void copy_plane(plane_of<const std::uint8_t> from, plane_of<std::uint8_t> to, std::int64_t rows,
        std::int64_t columns, std::int64_t element_bytes) noexcept;

} // namespace tern::kernels

#endif
