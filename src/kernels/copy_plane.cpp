// SPDX-License-Identifier: Apache-2.0
#include "kernels/copy_plane.hpp"

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "kernels/transpose.hpp"

namespace tern::kernels {
namespace {

constexpr std::int64_t least_copied = 64; // bytes of a row worth a call of memcpy

template <std::size_t ElementBytes>
struct element {
    std::uint8_t bytes[ElementBytes];
};

template <std::size_t ElementBytes>
void copy_elements(plane_of<const std::uint8_t> from, plane_of<std::uint8_t> to, std::int64_t rows,
        std::int64_t columns) {
    constexpr auto bytes = std::int64_t{ElementBytes};
    const bool is_dense = from.column_step == bytes && to.column_step == bytes;
    const bool repeats = from.column_step == 0 && to.column_step == bytes;
    for (std::int64_t row = 0; row < rows; ++row) {
        const std::uint8_t *src = from.first + row * from.row_step;
        std::uint8_t *dst = to.first + row * to.row_step;
        if (is_dense && columns * bytes >= least_copied) {
            std::memcpy(dst, src, static_cast<std::size_t>(columns * bytes));
        } else if (repeats) {
            element<ElementBytes> value;
            std::memcpy(&value, src, sizeof value);
            for (std::int64_t column = 0; column < columns; ++column)
                std::memcpy(dst + column * bytes, &value, sizeof value);
        } else {
            for (std::int64_t column = 0; column < columns; ++column)
                std::memcpy(dst + column * to.column_step, src + column * from.column_step,
                        ElementBytes);
        }
    }
}

} // namespace

void copy_plane(plane_of<const std::uint8_t> from, plane_of<std::uint8_t> to, std::int64_t rows,
        std::int64_t columns, std::int64_t element_bytes) noexcept {
    // Where one of the two is dense along rows and the other one along columns.
    const auto lane_bytes = static_cast<int>(element_bytes);
    if (rows > 1 && columns > 1) {
        if (from.row_step == element_bytes && to.column_step == element_bytes
                && from.column_step != 0)
            return transpose(
                    from.first, from.column_step, to.first, to.row_step, columns, rows, lane_bytes);
        if (from.column_step == element_bytes && to.row_step == element_bytes && from.row_step != 0)
            return transpose(
                    from.first, from.row_step, to.first, to.column_step, rows, columns, lane_bytes);
    }
    // The inner loop is along what lies closer together: a cache line is used up while it is here.
    if (std::abs(from.row_step) + to.row_step < std::abs(from.column_step) + to.column_step) {
        std::swap(from.row_step, from.column_step);
        std::swap(to.row_step, to.column_step);
        std::swap(rows, columns);
    }
    switch (element_bytes) {
        case 1: return copy_elements<1>(from, to, rows, columns);
        case 2: return copy_elements<2>(from, to, rows, columns);
        case 4: return copy_elements<4>(from, to, rows, columns);
        case 8: return copy_elements<8>(from, to, rows, columns);
        default: return copy_elements<16>(from, to, rows, columns);
    }
}

} // namespace tern::kernels
