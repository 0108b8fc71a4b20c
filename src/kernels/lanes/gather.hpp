// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_LANES_GATHER_HPP
#define TERN_KERNELS_LANES_GATHER_HPP

/// \file
/// Between strided memory and dense tiles, as bytes.

#include <cstddef>
#include <cstdint>

namespace tern::kernels {

/// A block of elements of 1, 2, 4 or 8 bytes. Strides in elements.
struct strided_block {
    std::int64_t rows;
    std::int64_t columns;
    std::int64_t row_stride;
    std::int64_t column_stride;
    std::int64_t bytes;
};

/// dst: dense, row after row.
void gather(const strided_block &block, const std::uint8_t *src, std::uint8_t *dst) noexcept;
void scatter(const strided_block &block, const std::uint8_t *src, std::uint8_t *dst) noexcept;

/// Fills `size` bytes, a power of 2 from 64 on, with copies of an element.
void repeat(const std::uint8_t *element, std::int64_t bytes, std::size_t size,
        std::uint8_t *dst) noexcept;

/// The values first + r * row_stride + c * column_stride, modulo 2^32 for 4-byte integers. The
/// block's bytes are those of the number: 4 or 8.
void count_up(
        const strided_block &block, std::int64_t first, bool is_float, std::uint8_t *dst) noexcept;

} // namespace tern::kernels

#endif
