// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_TAKE_HPP
#define TERN_KERNELS_TAKE_HPP

/// \file
/// dst[i.., j.., k..] = src[i.., indices[j..], k..]: parallel loops. Knows bytes, not types.

#include <cstdint>

#include "base/dims.hpp"
#include "kernels/strided_copy.hpp"

namespace tern::kernels {

/// Shapes and strides (elements) of what is before, at and behind the axis.
struct take_problem {
    dims outer; ///< Extents of the axes i.
    dims outer_src;
    dims outer_dst;
    dims indices; ///< Extents of the axes j.
    dims index_strides;
    dims index_dst;
    dims inner; ///< Extents of the axes k.
    dims inner_src;
    dims inner_dst;
    std::int64_t axis_size;
    std::int64_t axis_stride; ///< Of src.
    int element_bytes;
    int index_bytes; ///< 4 or 8, signed.
};

struct take_loops {
    take_problem of; ///< Strides of src and dst in bytes.
    strided_copy block;
    std::int64_t outer_count;
    std::int64_t index_count;
    std::int64_t grain; ///< Blocks that are worth a thread.
    bool has_dense_indices;
};

/// No extent is 0.
take_loops make_take_loops(const take_problem &problem);

/// False when an index is not in [-axis_size, axis_size).
bool are_in_range(const take_loops &loops, const std::uint8_t *indices) noexcept;

/// Negative indices count from the end. Precondition: all are in range. Pointers are of any
/// alignment, dst overlaps neither of the others.
void run_take(const take_loops &loops, const std::uint8_t *src, const std::uint8_t *indices,
        std::uint8_t *dst) noexcept;

} // namespace tern::kernels

#endif
