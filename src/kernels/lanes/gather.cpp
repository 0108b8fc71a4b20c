// SPDX-License-Identifier: Apache-2.0
#include "kernels/lanes/gather.hpp"

#include <cstring>
#include <type_traits>

namespace tern::kernels {
namespace {

constexpr std::int64_t least_copied = 64; // bytes of a row worth a call of memcpy

template <typename T>
void move_element(const std::uint8_t *src, std::uint8_t *dst) {
    std::memcpy(dst, src, sizeof(T));
}

template <typename T>
void gather_elements(const strided_block &block, const std::uint8_t *src, std::uint8_t *dst) {
    constexpr std::int64_t bytes = sizeof(T);
    const std::int64_t row_bytes = block.columns * bytes;
    for (std::int64_t r = 0; r < block.rows; ++r, dst += row_bytes) {
        const std::uint8_t *row = src + r * block.row_stride * bytes;
        if (block.column_stride == 1 && row_bytes >= least_copied)
            std::memcpy(dst, row, static_cast<std::size_t>(row_bytes));
        else
            for (std::int64_t c = 0; c < block.columns; ++c)
                move_element<T>(row + c * block.column_stride * bytes, dst + c * bytes);
    }
}

template <typename T>
void scatter_elements(const strided_block &block, const std::uint8_t *src, std::uint8_t *dst) {
    constexpr std::int64_t bytes = sizeof(T);
    const std::int64_t row_bytes = block.columns * bytes;
    for (std::int64_t r = 0; r < block.rows; ++r, src += row_bytes) {
        std::uint8_t *row = dst + r * block.row_stride * bytes;
        if (block.column_stride == 1 && row_bytes >= least_copied)
            std::memcpy(row, src, static_cast<std::size_t>(row_bytes));
        else
            for (std::int64_t c = 0; c < block.columns; ++c)
                move_element<T>(src + c * bytes, row + c * block.column_stride * bytes);
    }
}

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

} // namespace

void gather(const strided_block &block, const std::uint8_t *src, std::uint8_t *dst) noexcept {
    switch (block.bytes) {
        case 1: return gather_elements<std::uint8_t>(block, src, dst);
        case 2: return gather_elements<std::uint16_t>(block, src, dst);
        case 4: return gather_elements<std::uint32_t>(block, src, dst);
        default: return gather_elements<std::uint64_t>(block, src, dst);
    }
}

void scatter(const strided_block &block, const std::uint8_t *src, std::uint8_t *dst) noexcept {
    switch (block.bytes) {
        case 1: return scatter_elements<std::uint8_t>(block, src, dst);
        case 2: return scatter_elements<std::uint16_t>(block, src, dst);
        case 4: return scatter_elements<std::uint32_t>(block, src, dst);
        default: return scatter_elements<std::uint64_t>(block, src, dst);
    }
}

void repeat(const std::uint8_t *element, std::int64_t bytes, std::size_t size,
        std::uint8_t *dst) noexcept {
    constexpr std::size_t begin = 64;
    gather({1, std::int64_t{begin} / bytes, 0, 0, bytes}, element, dst);
    for (std::size_t done = begin; done < size; done *= 2)
        std::memcpy(dst + done, dst, done);
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
