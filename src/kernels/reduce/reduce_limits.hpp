// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_REDUCE_REDUCE_LIMITS_HPP
#define TERN_KERNELS_REDUCE_REDUCE_LIMITS_HPP

/// \file
/// What lies on the stack while sums are computed.

#include <cstdint>

namespace tern::kernels {

/// Sums of a block, at most.
inline constexpr std::int64_t most_sums = 512;
/// Sums of all parts, where there are several.
inline constexpr std::int64_t most_partial_sums = 8192;

} // namespace tern::kernels

#endif
