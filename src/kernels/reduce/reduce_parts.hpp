// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_REDUCE_REDUCE_PARTS_HPP
#define TERN_KERNELS_REDUCE_REDUCE_PARTS_HPP

/// \file
/// The SIMD part of sums. Pointers to elements need no alignment.

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/data_type.hpp"

namespace tern::kernels {

/// Rows that are added up before their sum is added to others.
inline constexpr int rows_at_once = 8;

/// Functions by type of the elements of src. Sums are float, uint32 or uint64.
struct reduce_parts {
    /// Adds `count` (at most rows_at_once) rows of `columns` elements to `sums`.
    using add_rows = void (*)(
            const std::uint8_t *const *rows, std::int64_t count, std::int64_t columns, void *sums);
    /// Writes the sum of n elements that lie side by side.
    using sum_run = void (*)(const std::uint8_t *src, std::int64_t n, void *sum);
    /// Writes sums as elements of dst.
    using store_sums = void (*)(const void *sums, std::int64_t n, std::uint8_t *dst);

    struct functions {
        add_rows add;
        sum_run sum;
        store_sums store; ///< For dst of this type.
    };
    std::array<functions, 5> by_type;

    const functions &of(data_type type) const;
};

const reduce_parts &find_reduce_parts() noexcept;

} // namespace tern::kernels

#endif
