// SPDX-License-Identifier: Apache-2.0
// Included once per SIMD target, by the files that Highway compiles for each: the guard toggles.
#if defined(TERN_KERNELS_MATMUL_PACK_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TERN_KERNELS_MATMUL_PACK_INL_HPP
#undef TERN_KERNELS_MATMUL_PACK_INL_HPP
#else
#define TERN_KERNELS_MATMUL_PACK_INL_HPP
#endif

/// \file
/// Operands of any type and stride as f32, in the order in which register blocks read them.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <hwy/highway.h>

#include "base/data_type.hpp"
#include "kernels/float16-inl.hpp"
#include "kernels/matmul/micro-inl.hpp"
#include "kernels/matmul/tile.hpp"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels {
namespace HWY_NAMESPACE {
namespace {

template <data_type Type>
constexpr std::int64_t element_bytes = Type == data_type::f32                              ? 4
                                       : Type == data_type::bf16 || Type == data_type::f16 ? 2
                                                                                           : 1;

// ---- elements as vectors of float --------------------------------------------------------------

#undef TERN_INLINE_LOAD
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
#define TERN_INLINE_LOAD HWY_NOINLINE // see `emulated`
#else
#define TERN_INLINE_LOAD HWY_INLINE
#endif

template <data_type Type, class D>
TERN_INLINE_LOAD hn::Vec<D> load_values(D d, const std::uint8_t *from) {
    const hn::RebindToSigned<D> integers;
    if constexpr (Type == data_type::s8)
        return hn::ConvertTo(
                d, hn::PromoteTo(integers, load_bytes(hn::Rebind<std::int8_t, D>(), from)));
    else if constexpr (Type == data_type::u8)
        return hn::ConvertTo(
                d, hn::PromoteTo(integers, load_bytes(hn::Rebind<std::uint8_t, D>(), from)));
    else
        return load_as<Type>(d, from);
}

/// The first `n`, fewer than a vector holds; the others are 0.
template <data_type Type, class D>
HWY_NOINLINE hn::Vec<D> load_values_part(D d, const std::uint8_t *from, std::int64_t n) {
    std::uint8_t bytes[HWY_MAX_BYTES] = {};
    std::memcpy(bytes, from, static_cast<std::size_t>(n * element_bytes<Type>));
    return load_values<Type>(d, bytes);
}

template <data_type Type>
HWY_NOINLINE float load_value(const std::uint8_t *from) {
    return hn::GetLane(load_values<Type>(hn::CappedTag<float, 1>(), from));
}

// ---- a -----------------------------------------------------------------------------------------

/// Contiguous elements; zeros up to `padded`, a number of whole vectors.
template <data_type Type>
HWY_NOINLINE void convert_row(
        const std::uint8_t *from, std::int64_t n, std::int64_t padded, float *to) {
    const float_tag d;
    std::int64_t i = 0;
    for (; i + float_lanes <= n; i += float_lanes)
        hn::StoreU(load_values<Type>(d, from + i * element_bytes<Type>), d, to + i);
    if (i < n) {
        hn::StoreU(load_values_part<Type>(d, from + i * element_bytes<Type>, n - i), d, to + i);
        i += float_lanes;
    }
    for (; i < padded; i += float_lanes)
        hn::StoreU(hn::Zero(d), d, to + i);
}

/// Strides in bytes.
struct matrix_view {
    const std::uint8_t *from;
    std::int64_t row_bytes;
    std::int64_t column_bytes;
};

/// Where a block of a is, for multiply_block: rows and k.
struct packed_view {
    const float *values;
    std::int64_t row;   ///< Elements from row to row within a register block's rows,
    std::int64_t k;     ///< along k,
    std::int64_t block; ///< from one register block's rows to the next's.
};

/// Row by row, with zeros after each up to a whole vector.
template <data_type Type>
packed_view pack_rows(
        const matrix_view &a, std::int64_t rows, std::int64_t k, std::int64_t to_row, float *to) {
    const std::int64_t padded = round_up(k, float_lanes);
    for (std::int64_t r = 0; r < rows; ++r) {
        const std::uint8_t *from = a.from + r * a.row_bytes;
        float *row = to + r * to_row;
        if (a.column_bytes == element_bytes<Type>) {
            convert_row<Type>(from, k, padded, row);
            continue;
        }
        for (std::int64_t i = 0; i < k; ++i)
            row[i] = load_value<Type>(from + i * a.column_bytes);
        std::fill(row + k, row + padded, 0.0F);
    }
    return {to, to_row, 1, to_row * std::int64_t{micro_rows}};
}

/// a is contiguous along its rows' axis: the rows of a register block side by side, by k.
template <data_type Type>
packed_view pack_columns(const matrix_view &a, std::int64_t rows, std::int64_t k, float *to) {
    constexpr auto step = std::int64_t{micro_rows};
    constexpr std::int64_t most = step * 16; // values[] stays in L1
    float values[most + 2 * float_lanes] = {};
    for (std::int64_t first = 0; first < rows; first += most) {
        const std::int64_t n = std::min(most, rows - first);
        for (std::int64_t i = 0; i < k; ++i) {
            convert_row<Type>(
                    a.from + i * a.column_bytes + first * element_bytes<Type>, n, n, values);
            for (std::int64_t r = 0; r < n; r += step)
                std::memcpy(
                        to + (first + r) * k + i * step, values + r, sizeof(float) * micro_rows);
        }
    }
    return {to, 1, step, step * k};
}

// ---- b -----------------------------------------------------------------------------------------

/// One panel: `columns` of them, at most micro_columns; zeros after those.
template <data_type Type>
HWY_INLINE void pack_panel_row(const std::uint8_t *from, std::int64_t columns, float *to) {
    const float_tag d;
    for (std::int64_t j = 0; j < micro_columns; j += float_lanes) {
        const std::uint8_t *at = from + j * element_bytes<Type>;
        float_vector v = hn::Zero(d);
        if (j + float_lanes <= columns)
            v = load_values<Type>(d, at);
        else if (j < columns)
            v = load_values_part<Type>(d, at, columns - j);
        hn::StoreU(v, d, to + j);
    }
}

/// b is contiguous along n. Some panels at a time: that makes long enough reads of each row.
template <data_type Type>
void pack_panels_along_n(const matrix_view &b, std::int64_t k, std::int64_t columns,
        std::int64_t to_panel, float *to) {
    constexpr std::int64_t panels = emulated ? 1 : 4;
    constexpr std::int64_t side_by_side = panels * micro_columns;
    std::int64_t j = 0;
    for (; j + side_by_side <= columns; j += side_by_side)
        for (std::int64_t i = 0; i < k; ++i)
            for (std::int64_t p = 0; p < panels; ++p)
                pack_panel_row<Type>(
                        b.from + i * b.row_bytes + (j + p * micro_columns) * element_bytes<Type>,
                        micro_columns, to + (j / micro_columns + p) * to_panel + i * micro_columns);
    for (; j < columns; j += micro_columns)
        for (std::int64_t i = 0; i < k; ++i)
            pack_panel_row<Type>(b.from + i * b.row_bytes + j * element_bytes<Type>, columns - j,
                    to + j / micro_columns * to_panel + i * micro_columns);
}

template <data_type Type>
void pack_panel_by_element(const matrix_view &b, std::int64_t k, std::int64_t columns, float *to) {
    for (std::int64_t i = 0; i < k; ++i)
        for (std::int64_t j = 0; j < micro_columns; ++j)
            to[i * micro_columns + j] =
                    j < columns ? load_value<Type>(b.from + i * b.row_bytes + j * b.column_bytes)
                                : 0.0F;
}

#if HWY_TARGET != HWY_SCALAR
/// Four columns by four of k, which become four rows.
template <data_type Type>
HWY_INLINE void transpose_four(const std::uint8_t *from, std::int64_t column_bytes, float *to) {
    const hn::CappedTag<float, 4> d;
    const auto column_0 = load_values<Type>(d, from);
    const auto column_1 = load_values<Type>(d, from + column_bytes);
    const auto column_2 = load_values<Type>(d, from + 2 * column_bytes);
    const auto column_3 = load_values<Type>(d, from + 3 * column_bytes);
    const auto even_low = hn::InterleaveLower(d, column_0, column_2);
    const auto even_high = hn::InterleaveUpper(d, column_0, column_2);
    const auto odd_low = hn::InterleaveLower(d, column_1, column_3);
    const auto odd_high = hn::InterleaveUpper(d, column_1, column_3);
    hn::StoreU(hn::InterleaveLower(d, even_low, odd_low), d, to);
    hn::StoreU(hn::InterleaveUpper(d, even_low, odd_low), d, to + micro_columns);
    hn::StoreU(hn::InterleaveLower(d, even_high, odd_high), d, to + 2 * micro_columns);
    hn::StoreU(hn::InterleaveUpper(d, even_high, odd_high), d, to + 3 * micro_columns);
}
#endif

/// b is contiguous along k: a whole panel.
template <data_type Type>
void pack_panel_along_k(const matrix_view &b, std::int64_t k, float *to) {
#if HWY_TARGET == HWY_SCALAR
    pack_panel_by_element<Type>(b, k, micro_columns, to);
#else
    // Four columns all along: more at a time could be in the same few sets of L1.
    const std::int64_t whole = k / 4 * 4;
    for (std::int64_t j = 0; j < micro_columns; j += 4)
        for (std::int64_t i = 0; i < whole; i += 4)
            transpose_four<Type>(b.from + i * element_bytes<Type> + j * b.column_bytes,
                    b.column_bytes, to + i * micro_columns + j);
    const matrix_view rest = {
            b.from + whole * element_bytes<Type>, element_bytes<Type>, b.column_bytes};
    pack_panel_by_element<Type>(rest, k - whole, micro_columns, to + whole * micro_columns);
#endif
}

/// Panels of micro_columns, by k; the last one is filled up with zeros.
template <data_type Type>
void pack_panels(const matrix_view &b, std::int64_t k, std::int64_t columns, std::int64_t to_panel,
        float *to) {
    if (b.column_bytes == element_bytes<Type>)
        return pack_panels_along_n<Type>(b, k, columns, to_panel, to);
    for (std::int64_t j = 0; j < columns; j += micro_columns) {
        const matrix_view panel = {b.from + j * b.column_bytes, b.row_bytes, b.column_bytes};
        float *to_this = to + j / micro_columns * to_panel;
        if (b.row_bytes == element_bytes<Type> && columns - j >= micro_columns)
            pack_panel_along_k<Type>(panel, k, to_this);
        else
            pack_panel_by_element<Type>(panel, k, columns - j, to_this);
    }
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace tern::kernels
HWY_AFTER_NAMESPACE();

#endif
