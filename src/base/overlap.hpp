// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_BASE_OVERLAP_HPP
#define TERN_BASE_OVERLAP_HPP

/// \file
/// Do strided tensors share memory? Exact for every layout that occurs in practice; a search that
/// would take too long (strides that interleave in several dimensions without a pattern) is
/// answered with "yes".

#include <cstddef>
#include <cstdint>

#include "base/dims.hpp"

namespace tern {

/// A strided tensor in memory. Strides are in elements and not negative; the byte span fits 63
/// bits.
struct memory_view {
    const void *data;
    const dims &shape;
    const dims &strides;
    std::size_t element_bytes;
};

/// True when a byte belongs to an element of both. Empty tensors share nothing.
bool views_overlap(const memory_view &a, const memory_view &b) noexcept;

/// True when two different elements of one tensor lie at the same place (a stride of 0, for
/// example). Precondition: the element span fits 63 bits.
bool elements_overlap(const dims &shape, const dims &strides) noexcept;

} // namespace tern

#endif
