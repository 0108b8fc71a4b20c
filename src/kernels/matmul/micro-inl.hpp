// SPDX-License-Identifier: Apache-2.0
// Included once per SIMD target, by the files that Highway compiles for each: the guard toggles.
#if defined(TERN_KERNELS_MATMUL_MICRO_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TERN_KERNELS_MATMUL_MICRO_INL_HPP
#undef TERN_KERNELS_MATMUL_MICRO_INL_HPP
#else
#define TERN_KERNELS_MATMUL_MICRO_INL_HPP
#endif

/// \file
/// Register blocks: some rows of a by some vectors of b, over a block of k.

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace tern::kernels {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using float_tag = hn::ScalableTag<float>;
using float_vector = hn::Vec<float_tag>;

inline constexpr std::int64_t float_lanes = HWY_LANES(float);
inline constexpr std::size_t micro_vectors = 2;
// Targets whose vectors are arrays that the compiler may make vectors of: where code is much
// longer, above all under sanitizers, and not fast anyway.
inline constexpr bool emulated = HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128;
// Of 16 registers 12 are sums, of 32 (AVX-512, 64-bit Arm) 24; the others hold what is multiplied.
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
inline constexpr std::size_t micro_rows = 2;
#elif HWY_TARGET <= HWY_AVX3 || HWY_ARCH_ARM_A64
inline constexpr std::size_t micro_rows = 12;
#else
inline constexpr std::size_t micro_rows = 6;
#endif
inline constexpr std::int64_t micro_columns = float_lanes * std::int64_t{micro_vectors};

/// Strides in elements. Vectors of b are whole: what reaches beyond b's columns is in the caller's
/// memory, and c has room for it.
struct micro_block {
    const float *a;
    std::int64_t a_row;
    std::int64_t a_k;
    const float *b;
    std::int64_t b_k;
    float *c;
    std::int64_t c_row;
    std::int64_t k;
    bool add; ///< To what c holds.
};

// Folds rather than loops: their indices are constants before the compiler decides what lives in
// registers.

/// One row's sums: vectors J.
template <std::size_t... J>
HWY_INLINE void multiply_row(
        float_vector *sums, const float *a, const float_vector *b, std::index_sequence<J...>) {
    const float_vector factor = hn::Set(float_tag(), *a);
    ((sums[J] = hn::MulAdd(factor, b[J], sums[J])), ...);
}

template <std::size_t... I, std::size_t... J>
HWY_INLINE void multiply_step(float_vector *sums, const float *a, std::int64_t a_row,
        const float *b, std::index_sequence<I...>, std::index_sequence<J...> vectors) {
    const float_vector at_k[] = {hn::LoadU(float_tag(), b + std::int64_t{J} * float_lanes)...};
    (multiply_row(sums + I * sizeof...(J), a + std::int64_t{I} * a_row, at_k, vectors), ...);
}

template <std::size_t Vectors, std::size_t... I>
HWY_INLINE void store_sums(
        const float_vector *sums, const micro_block &at, std::index_sequence<I...>) {
    const float_tag d;
    const auto place = [&](std::size_t i) HWY_ATTR {
        return at.c + static_cast<std::int64_t>(i / Vectors) * at.c_row
               + static_cast<std::int64_t>(i % Vectors) * float_lanes;
    };
    if (at.add)
        (hn::StoreU(hn::Add(sums[I], hn::LoadU(d, place(I))), d, place(I)), ...);
    else
        (hn::StoreU(sums[I], d, place(I)), ...);
}

template <std::size_t... I>
HWY_INLINE void clear_sums(float_vector *sums, std::index_sequence<I...>) {
    ((sums[I] = hn::Zero(float_tag())), ...);
}

template <std::size_t Rows, std::size_t Vectors>
HWY_NOINLINE void multiply_block(const micro_block &at) noexcept {
    constexpr std::make_index_sequence<Rows * Vectors> all;
    float_vector sums[Rows * Vectors];
    clear_sums(sums, all);
    const float *a = at.a;
    const float *b = at.b;
    const std::int64_t a_row = at.a_row;
    const std::int64_t a_k = at.a_k;
    const std::int64_t b_k = at.b_k;
    for (std::int64_t left = at.k; left > 0; --left) {
        multiply_step(sums, a, a_row, b, std::make_index_sequence<Rows>(),
                std::make_index_sequence<Vectors>());
        a += a_k;
        b += b_k;
    }
    store_sums<Vectors>(sums, at, all);
}

using micro_function = void (*)(const micro_block &) noexcept;

template <std::size_t Vectors, std::size_t... Row>
constexpr std::array<micro_function, sizeof...(Row)> micro_functions(std::index_sequence<Row...>) {
    return {multiply_block<Row + 1, Vectors>...};
}

/// By vectors - 1, rows - 1.
inline constexpr std::array<std::array<micro_function, micro_rows>, micro_vectors> micro_table = {
        micro_functions<1>(std::make_index_sequence<micro_rows>()),
        micro_functions<2>(std::make_index_sequence<micro_rows>())};

} // namespace
} // namespace HWY_NAMESPACE
} // namespace tern::kernels
HWY_AFTER_NAMESPACE();

#endif
