// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_BASE_CPU_HPP
#define TERN_BASE_CPU_HPP

#include <cstddef>
#include <cstdint>

namespace tern {

/// Bytes of the caches that one core reaches. Never 0: what cannot be found out is a usual size.
struct cache_sizes {
    std::size_t l1_data;
    std::size_t l2;
    std::size_t last_level; ///< Shared by several cores, as a rule.
};

/// Those of the machine this process runs on; found out once.
const cache_sizes &cpu_caches() noexcept;

/// What memory is near: one core's second cache, the last one, and beyond.
enum class memory_level : std::uint8_t { l2, last_cache, main };

/// The nearest one that has room for so many bytes.
memory_level level_with_room(double bytes) noexcept;

} // namespace tern

#endif
