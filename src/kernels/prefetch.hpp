// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_PREFETCH_HPP
#define TERN_KERNELS_PREFETCH_HPP

#include <cstdint>

namespace tern::kernels {

/// What becomes of a cache line that is asked for.
enum class keeping { all_caches, no_longer_than_needed };

/// Asks for the line at from + bytes, which need not belong to the operand: nothing is read.
template <keeping Keeping = keeping::all_caches>
[[gnu::always_inline]] inline void prefetch_at(const std::uint8_t *from, std::int64_t bytes) {
    const auto address =
            reinterpret_cast<std::uintptr_t>(from) + static_cast<std::uintptr_t>(bytes);
    __builtin_prefetch(
            reinterpret_cast<const void *>(address), 0, Keeping == keeping::all_caches ? 3 : 0);
}

} // namespace tern::kernels

#endif
