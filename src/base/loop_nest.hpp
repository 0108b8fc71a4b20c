// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_BASE_LOOP_NEST_HPP
#define TERN_BASE_LOOP_NEST_HPP

/// \file
/// Coalescing of strided loops over several operands: the shape machine of every elementwise
/// kernel.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/dims.hpp"

namespace tern {

/// A nest of loops over `Operands` strided tensors of one shape. Axis 0 is the outermost.
template <std::size_t Operands>
struct loop_nest {
    dims extents;                       ///< No axis of extent 1; rank 0 means one element.
    std::array<dims, Operands> strides; ///< Elements; 0 where an operand is broadcast.
};

/// The nest with the fewest axes that visits the same elements of every operand:
/// axes of extent 1 go, axes are ordered by the strides of operand `leader` (largest outermost;
/// ties by those of the others), neighbours that every operand can walk as one axis are merged.
/// Preconditions: strides are >= 0 and have shape's rank; no extent is 0.
template <std::size_t Operands>
loop_nest<Operands> coalesce(
        const dims &shape, const std::array<dims, Operands> &strides, std::size_t leader);

/// The same for operands whose number is known at run time only. `merged` has as many entries as
/// `strides`. Allocates nothing.
void coalesce(const dims &shape, std::span<const dims> strides, std::size_t leader, dims &extents,
        std::span<dims> merged);

extern template loop_nest<4> coalesce<4>(const dims &, const std::array<dims, 4> &, std::size_t);

} // namespace tern

#endif
