// SPDX-License-Identifier: Apache-2.0
// Included once per SIMD target, by the files that Highway compiles for each: the guard toggles.
#if defined(TERN_KERNELS_MATMUL_THIN_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TERN_KERNELS_MATMUL_THIN_INL_HPP
#undef TERN_KERNELS_MATMUL_THIN_INL_HPP
#else
#define TERN_KERNELS_MATMUL_THIN_INL_HPP
#endif

/// \file
/// Few rows: b is read once, as it lies in memory, since reading it is most of the work. It is f32,
/// bf16 or f16.

#include <cstddef>
#include <cstdint>
#include <utility>

#include <hwy/highway.h>

#include "kernels/matmul/micro-inl.hpp"
#include "kernels/matmul/pack-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels {
namespace HWY_NAMESPACE {
namespace {

/// c += a * b over a block of k.
struct thin_block {
    const float *a; ///< Rows a_row elements apart, with zeros after each up to a whole vector.
    std::int64_t a_row;
    const std::uint8_t *b;
    std::int64_t b_step; ///< Bytes from row to row of b (stream), from column to column (dots).
    float *c;
    std::int64_t c_row; ///< Rows of c have room for whole vectors.
    std::int64_t columns;
    std::int64_t k;
};

/// By element of a: its row and its place among the steps of k, in turn.
template <std::size_t Rows, std::size_t Steps, std::size_t... I>
HWY_INLINE void load_factors(
        float_vector *factors, const float *a, std::int64_t a_row, std::index_sequence<I...>) {
    ((factors[I] = hn::Set(float_tag(), a[static_cast<std::int64_t>(I % Rows) * a_row
                                                + static_cast<std::int64_t>(I / Rows)])),
            ...);
}

template <std::size_t... R>
HWY_INLINE void load_sums(
        float_vector *sums, const float *c, std::int64_t c_row, std::index_sequence<R...>) {
    ((sums[R] = hn::LoadU(float_tag(), c + static_cast<std::int64_t>(R) * c_row)), ...);
}

template <std::size_t... R>
HWY_INLINE void store_rows(
        const float_vector *sums, float *c, std::int64_t c_row, std::index_sequence<R...>) {
    (hn::StoreU(sums[R], float_tag(), c + static_cast<std::int64_t>(R) * c_row), ...);
}

template <std::size_t Rows, std::size_t... I>
HWY_INLINE void multiply_factors(float_vector *sums, const float_vector *factors,
        const float_vector *b, std::index_sequence<I...>) {
    ((sums[I % Rows] = hn::MulAdd(factors[I], b[I / Rows], sums[I % Rows])), ...);
}

template <data_type Type, std::size_t... S>
HWY_INLINE void load_steps(
        float_vector *b, const std::uint8_t *from, std::int64_t step, std::index_sequence<S...>) {
    ((b[S] = load_values<Type>(float_tag(), from + static_cast<std::int64_t>(S) * step)), ...);
}

template <data_type Type, std::size_t... S>
HWY_INLINE void load_steps_part(float_vector *b, const std::uint8_t *from, std::int64_t step,
        std::int64_t n, std::index_sequence<S...>) {
    ((b[S] = load_values_part<Type>(float_tag(), from + static_cast<std::int64_t>(S) * step, n)),
            ...);
}

/// Asks for what the next steps will read of the same columns: b's rows may each be in pages of
/// their own, where the CPU does not foresee it. Integers, since it may be beyond b's end.
template <std::size_t... S>
HWY_INLINE void prefetch_steps(
        const std::uint8_t *from, std::int64_t step, std::index_sequence<S...>) {
#if defined(__GNUC__)
    const auto next = reinterpret_cast<std::uintptr_t>(from);
    (__builtin_prefetch(reinterpret_cast<const void *>(
                                next
                                + static_cast<std::uintptr_t>(
                                        static_cast<std::int64_t>(sizeof...(S) + S) * step)),
             0, 2),
            ...);
#endif
}

/// `Steps` rows of b, which are contiguous.
template <data_type Type, std::size_t Rows, std::size_t Steps>
HWY_NOINLINE void stream_steps(const thin_block &at, std::int64_t first_k) {
    constexpr std::make_index_sequence<Rows * Steps> all;
    constexpr std::make_index_sequence<Rows> rows;
    constexpr std::make_index_sequence<Steps> steps;
    float_vector factors[Rows * Steps];
    load_factors<Rows, Steps>(factors, at.a + first_k, at.a_row, all);
    const std::uint8_t *from = at.b + first_k * at.b_step;
    const std::int64_t step = at.b_step;
    const std::int64_t c_row = at.c_row;
    float *c = at.c;
    float_vector b[Steps];
    float_vector sums[Rows];
    std::int64_t left = at.columns;
    for (; left >= float_lanes; left -= float_lanes) {
        if constexpr (Steps > 1) prefetch_steps(from, step, steps);
        load_steps<Type>(b, from, step, steps);
        load_sums(sums, c, c_row, rows);
        multiply_factors<Rows>(sums, factors, b, all);
        store_rows(sums, c, c_row, rows);
        from += float_lanes * element_bytes<Type>;
        c += float_lanes;
    }
    if constexpr (float_lanes > 1) {
        if (left == 0) return;
        load_steps_part<Type>(b, from, step, left, steps);
        load_sums(sums, c, c_row, rows);
        multiply_factors<Rows>(sums, factors, b, all);
        store_rows(sums, c, c_row, rows);
    }
}

template <data_type Type, std::size_t Rows>
void stream_rows(const thin_block &at) {
    constexpr std::size_t steps = emulated ? 1 : Rows > 2 ? 2 : 8 / Rows;
    std::int64_t k = 0;
    for (; k + std::int64_t{steps} <= at.k; k += std::int64_t{steps})
        stream_steps<Type, Rows, steps>(at, k);
    for (; k < at.k; ++k)
        stream_steps<Type, Rows, 1>(at, k);
}

template <std::size_t Columns, std::size_t... I>
HWY_INLINE void multiply_pairs(float_vector *sums, const float *a, std::int64_t a_row,
        const float_vector *b, std::index_sequence<I...>) {
    ((sums[I] = hn::MulAdd(
              hn::LoadU(float_tag(), a + static_cast<std::int64_t>(I / Columns) * a_row),
              b[I % Columns], sums[I])),
            ...);
}

/// Dot products of all rows with `Columns` columns of b, which are contiguous along k.
template <data_type Type, std::size_t Rows, std::size_t Columns>
HWY_INLINE void dot_columns(const thin_block &at, std::int64_t first_column) {
    constexpr std::make_index_sequence<Rows * Columns> all;
    constexpr std::make_index_sequence<Columns> columns;
    const std::uint8_t *from = at.b + first_column * at.b_step;
    const float *a = at.a;
    float_vector sums[Rows * Columns];
    clear_sums(sums, all);
    float_vector b[Columns];
    std::int64_t left = at.k;
    for (; left >= float_lanes; left -= float_lanes) {
        load_steps<Type>(b, from, at.b_step, columns);
        multiply_pairs<Columns>(sums, a, at.a_row, b, all);
        from += float_lanes * element_bytes<Type>;
        a += float_lanes;
    }
    if constexpr (float_lanes > 1) {
        if (left > 0) {
            load_steps_part<Type>(b, from, at.b_step, left, columns);
            multiply_pairs<Columns>(sums, a, at.a_row, b, all);
        }
    }
    for (std::size_t i = 0; i < Rows * Columns; ++i)
        at.c[static_cast<std::int64_t>(i / Columns) * at.c_row + first_column
                + static_cast<std::int64_t>(i % Columns)] +=
                hn::GetLane(hn::SumOfLanes(float_tag(), sums[i]));
}

template <data_type Type, std::size_t Rows>
void dot_rows(const thin_block &at) {
    constexpr std::size_t columns = emulated ? 1 : Rows > 2 ? 2 : 4;
    std::int64_t j = 0;
    for (; j + std::int64_t{columns} <= at.columns; j += std::int64_t{columns})
        dot_columns<Type, Rows, columns>(at, j);
    for (; j < at.columns; ++j)
        dot_columns<Type, Rows, 1>(at, j);
}

inline constexpr std::size_t thin_rows = emulated ? 1 : 4;

using thin_function = void (*)(const thin_block &);

template <data_type Type, std::size_t... Row>
void multiply_thin(
        matmul_path path, std::int64_t rows, const thin_block &at, std::index_sequence<Row...>) {
    static constexpr thin_function stream[] = {stream_rows<Type, Row + 1>...};
    static constexpr thin_function dots[] = {dot_rows<Type, Row + 1>...};
    (path == matmul_path::stream ? stream : dots)[rows - 1](at);
}

/// At most thin_rows rows.
template <data_type Type>
void multiply_thin(matmul_path path, std::int64_t rows, const thin_block &at) {
    multiply_thin<Type>(path, rows, at, std::make_index_sequence<thin_rows>());
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace tern::kernels
HWY_AFTER_NAMESPACE();

#endif
