// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_NONZERO_NONZERO_PARTS_HPP
#define TERN_KERNELS_NONZERO_NONZERO_PARTS_HPP

/// \file
/// The vector loops that finding elements is made of, for each SIMD target.

#include <cstddef>
#include <cstdint>

namespace tern::kernels {

/// Elements of the longest chunk that is expanded at once.
inline constexpr std::int64_t most_chunk_n = 4096;
/// What expanding may write beyond the last position.
inline constexpr std::int64_t list_slack = 64;

/// How many bits of a word are set at most, as a rule: each way of expanding is right for all
/// words, and best for some.
enum class bit_density : std::size_t { two, four, eight, many };

struct nonzero_parts {
    /// By lane index (1, 2, 4, 8, 16 bytes): marks 64 * words dense elements. Bit i of bits[w] says
    /// whether element 64 * w + i has a bit in common with the mask. Returns how many do.
    std::int64_t (*mark[5])(const std::uint8_t *x, std::int64_t words, const std::uint8_t *mask,
            std::uint64_t *bits) noexcept;

    /// By bit_density: lists the set bits among [begin, end), each as its distance from `begin`
    /// plus `base`, all below 65536. Returns how many there are. `list` has room for end - begin +
    /// list_slack.
    std::int64_t (*expand[4])(const std::uint64_t *bits, std::int64_t begin, std::int64_t end,
            std::int64_t base, std::uint16_t *list) noexcept;

    /// dst[i] = list[i] + base. [1]: past the caches; dst is aligned to 8 bytes.
    void (*put[2])(const std::uint16_t *list, std::int64_t n, std::int64_t base,
            std::uint8_t *dst) noexcept;
    /// dst[i] = value.
    void (*fill[2])(std::int64_t value, std::int64_t n, std::uint8_t *dst) noexcept;
};

const nonzero_parts &find_nonzero_parts() noexcept;

} // namespace tern::kernels

#endif
