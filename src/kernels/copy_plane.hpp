// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_COPY_PLANE_HPP
#define TERN_KERNELS_COPY_PLANE_HPP

/// \file
/// Copies elements that do not lie side by side to where they do, and back.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <utility>

namespace tern::kernels {

/// A plane of elements: bytes from row to row and from column to column.
template <typename Byte>
struct plane_of {
    Byte *first;
    std::int64_t row_step;
    std::int64_t column_step;
};

template <std::size_t ElementBytes>
void copy_elements(plane_of<const std::uint8_t> from, plane_of<std::uint8_t> to, std::int64_t rows,
        std::int64_t columns) {
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < columns; ++column)
            std::memcpy(to.first + row * to.row_step + column * to.column_step,
                    from.first + row * from.row_step + column * from.column_step, ElementBytes);
}

/// Elements of 2, 4 or 8 bytes.
inline void copy_plane(plane_of<const std::uint8_t> from, plane_of<std::uint8_t> to,
        std::int64_t rows, std::int64_t columns, std::int64_t element_bytes) {
    // The inner loop is along what lies closer together.
    if (from.row_step + to.row_step < from.column_step + to.column_step) {
        std::swap(from.row_step, from.column_step);
        std::swap(to.row_step, to.column_step);
        std::swap(rows, columns);
    }
    if (element_bytes == 2)
        copy_elements<2>(from, to, rows, columns);
    else if (element_bytes == 4)
        copy_elements<4>(from, to, rows, columns);
    else
        copy_elements<8>(from, to, rows, columns);
}

} // namespace tern::kernels

#endif
