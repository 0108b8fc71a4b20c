// SPDX-License-Identifier: Apache-2.0
#include "kernels/lanes/gather.hpp"

#include <cstring>
#include <type_traits>

#include "kernels/copy_plane.hpp"

namespace tern::kernels {
namespace {

/// In unsigned numbers, which wrap around.
template <typename T, typename Number>
void count_numbers(const strided_block &block, std::int64_t first, std::uint8_t *dst) {
    const auto row_stride = static_cast<T>(block.row_stride);
    const auto column_stride = static_cast<T>(block.column_stride);
    for (std::int64_t r = 0; r < block.rows; ++r) {
        T value = static_cast<T>(first) + static_cast<T>(r) * row_stride;
        for (std::int64_t c = 0; c < block.columns; ++c, dst += sizeof(T)) {
            const auto number = static_cast<Number>(static_cast<std::make_signed_t<T>>(value));
            std::memcpy(dst, &number, sizeof number);
            value += column_stride;
        }
    }
}

template <typename T>
void repeat_as(const std::uint8_t *element, std::size_t size, std::uint8_t *dst) {
    T value = 0;
    std::memcpy(&value, element, sizeof value);
    for (std::size_t done = 0; done < size; done += sizeof value)
        std::memcpy(dst + done, &value, sizeof value);
}

} // namespace

void gather(const strided_block &block, const std::uint8_t *src, std::uint8_t *dst) noexcept {
    const std::int64_t bytes = block.bytes;
    copy_plane({src, block.row_stride * bytes, block.column_stride * bytes},
            {dst, block.columns * bytes, bytes}, block.rows, block.columns, bytes);
}

void scatter(const strided_block &block, const std::uint8_t *src, std::uint8_t *dst) noexcept {
    const std::int64_t bytes = block.bytes;
    copy_plane({src, block.columns * bytes, bytes},
            {dst, block.row_stride * bytes, block.column_stride * bytes}, block.rows, block.columns,
            bytes);
}

void repeat(const std::uint8_t *element, std::int64_t bytes, std::size_t size,
        std::uint8_t *dst) noexcept {
    switch (bytes) {
        case 1: return repeat_as<std::uint8_t>(element, size, dst);
        case 2: return repeat_as<std::uint16_t>(element, size, dst);
        case 4: return repeat_as<std::uint32_t>(element, size, dst);
        default: return repeat_as<std::uint64_t>(element, size, dst);
    }
}

void count_up(
        const strided_block &block, std::int64_t first, bool is_float, std::uint8_t *dst) noexcept {
    if (is_float)
        count_numbers<std::uint32_t, float>(block, first, dst);
    else if (block.bytes == 4)
        count_numbers<std::uint32_t, std::int32_t>(block, first, dst);
    else
        count_numbers<std::uint64_t, std::int64_t>(block, first, dst);
}

} // namespace tern::kernels
