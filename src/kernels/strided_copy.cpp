// SPDX-License-Identifier: Apache-2.0
#include "kernels/strided_copy.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

#include "base/arithmetic.hpp"
#include "base/loop_nest.hpp"
#include "base/parallel.hpp"
#include "kernels/copy_plane.hpp"
#include "kernels/offset_walk.hpp"

namespace tern::kernels {
namespace {

constexpr std::int64_t grain_bytes = std::int64_t{128} << 10; // worth a thread, as for select

/// Rows [begin, end) of all planes, one after the other.
void copy_rows(const strided_copy &copy, const std::uint8_t *from, std::uint8_t *to,
        std::int64_t begin, std::int64_t end) {
    offset_walk<2> walk(copy.extents, {&copy.from_steps, &copy.to_steps}, begin / copy.rows);
    while (begin < end) {
        const std::int64_t row = begin % copy.rows;
        const std::int64_t count = std::min(copy.rows - row, end - begin);
        copy_plane({from + walk.at(0) + row * copy.from_row, copy.from_row, copy.from_column},
                {to + walk.at(1) + row * copy.to_row, copy.to_row, copy.to_column}, count,
                copy.columns, copy.element_bytes);
        begin += count;
        walk.next();
    }
}

/// Pieces [begin, end) of planes that are cut across their rows.
void copy_pieces(const strided_copy &copy, const std::uint8_t *from, std::uint8_t *to,
        std::int64_t begin, std::int64_t end) {
    const std::int64_t across = divide_up(copy.columns, copy.cut_columns);
    offset_walk<2> walk(copy.extents, {&copy.from_steps, &copy.to_steps}, begin / across);
    for (std::int64_t piece = begin; piece < end; ++piece) {
        const std::int64_t column = piece % across * copy.cut_columns;
        copy_plane({from + walk.at(0) + column * copy.from_column, copy.from_row, copy.from_column},
                {to + walk.at(1) + column * copy.to_column, copy.to_row, copy.to_column}, copy.rows,
                std::min(copy.cut_columns, copy.columns - column), copy.element_bytes);
        if (piece % across + 1 == across) walk.next();
    }
}

/// Where few long rows are transposed, each row would need all of the source.
std::int64_t find_cut(const strided_copy &copy) {
    const bool is_transposed =
            copy.from_row == copy.element_bytes && copy.to_column == copy.element_bytes;
    if (!is_transposed || copy.rows < 2 || copy.columns <= copy.rows) return 0;
    constexpr std::int64_t whole = 64; // columns: whole cache lines of any type
    return round_up(divide_up(grain_bytes / 4, copy.rows * copy.element_bytes), whole);
}

} // namespace

strided_copy make_strided_copy(
        const dims &shape, const dims &from, const dims &to, int element_bytes) {
    std::array<dims, 2> merged;
    dims extents;
    const std::array<dims, 2> strides = {from, to};
    coalesce(shape, strides, 1, extents, merged);
    strided_copy copy{};
    copy.element_bytes = element_bytes;
    copy.planes = copy.rows = copy.columns = 1;
    copy.from_column = copy.to_column = element_bytes;
    const int inner = extents.rank() - 1;
    // Beside the axis along which `to` lies closest together, a plane has that of `from`.
    int row = inner - 1;
    for (int axis = 0; axis < inner; ++axis)
        if (std::abs(merged[0][axis]) < std::abs(merged[0][row])) row = axis;
    for (int axis = 0; axis <= inner; ++axis) {
        const std::int64_t from_step = merged[0][axis] * element_bytes;
        const std::int64_t to_step = merged[1][axis] * element_bytes;
        if (axis == inner) {
            copy.columns = extents[axis];
            copy.from_column = from_step;
            copy.to_column = to_step;
        } else if (axis == row) {
            copy.rows = extents[axis];
            copy.from_row = from_step;
            copy.to_row = to_step;
        } else {
            copy.planes *= extents[axis];
            copy.extents.push_back(extents[axis]);
            copy.from_steps.push_back(from_step);
            copy.to_steps.push_back(to_step);
        }
    }
    const bool is_run =
            inner <= 0 && copy.from_column == element_bytes && copy.to_column == element_bytes;
    copy.cut_columns = find_cut(copy);
    copy.run_bytes = is_run ? copy.columns * element_bytes : 0;
    return copy;
}

void run_here(const strided_copy &copy, const std::uint8_t *from, std::uint8_t *to) noexcept {
    if (copy.run_bytes > 0)
        std::memcpy(to, from, static_cast<std::size_t>(copy.run_bytes));
    else
        copy_rows(copy, from, to, 0, copy.planes * copy.rows);
}

void run_parallel(const strided_copy &copy, const std::uint8_t *from, std::uint8_t *to) noexcept {
    if (copy.cut_columns > 0) {
        const std::int64_t bytes =
                copy.rows * std::min(copy.cut_columns, copy.columns) * copy.element_bytes;
        const std::int64_t pieces = copy.planes * divide_up(copy.columns, copy.cut_columns);
        return parallel_for(pieces, divide_up(grain_bytes, bytes),
                [&](std::int64_t begin, std::int64_t end) noexcept {
                    copy_pieces(copy, from, to, begin, end);
                });
    }
    const std::int64_t rows = copy.planes * copy.rows;
    const std::int64_t row_bytes = copy.columns * copy.element_bytes;
    if (rows > 1) {
        const std::int64_t grain = std::max<std::int64_t>(1, grain_bytes / row_bytes);
        return parallel_for(rows, grain, [&](std::int64_t begin, std::int64_t end) noexcept {
            copy_rows(copy, from, to, begin, end);
        });
    }
    parallel_for(copy.columns, grain_bytes / copy.element_bytes,
            [&](std::int64_t begin, std::int64_t end) noexcept {
                if (copy.run_bytes > 0) {
                    std::memcpy(to + begin * copy.to_column, from + begin * copy.from_column,
                            static_cast<std::size_t>((end - begin) * copy.element_bytes));
                    return;
                }
                copy_plane({from + begin * copy.from_column, 0, copy.from_column},
                        {to + begin * copy.to_column, 0, copy.to_column}, 1, end - begin,
                        copy.element_bytes);
            });
}

} // namespace tern::kernels
