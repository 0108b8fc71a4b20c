// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_NONZERO_NONZERO_HPP
#define TERN_KERNELS_NONZERO_NONZERO_HPP

/// \file
/// Indices of the elements of a strided tensor that are not zero, in two parallel passes: one marks
/// and counts them, one writes their indices. Knows bits, not types.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/dims.hpp"
#include "kernels/nonzero/nonzero_parts.hpp"

namespace tern::kernels {

/// Which elements are not zero: those that have a bit in common with `mask`, of which the first
/// `bytes` bytes count.
struct nonzero_element {
    int bytes; ///< 1, 2, 4, 8 or 16.
    std::array<std::uint8_t, 16> mask;
};

/// How the second pass cuts the elements, which are numbered in row-major order: a chunk is some
/// indices of one axis, `split`, with all that is inside of them. Within a chunk the axes around
/// `split` do not change; what the others are at each of its elements is tabulated.
struct nonzero_chunks {
    int split;          ///< Axis of the shape.
    std::int64_t inner; ///< Elements inside of one index of `split`.
    std::int64_t most;  ///< Indices of `split` in a chunk; fewer where the axis ends.
    /// For the axes from `split` on: index at each element of a chunk (along `split` from its first
    /// one on). Empty when `split` is the last axis: then it is the element's own number.
    std::vector<std::vector<std::uint16_t>> tables;

    std::int64_t chunk_n() const { return most * inner; }
};

/// Everything that does not depend on the pointers.
struct nonzero_loops {
    dims shape;
    std::int64_t n; ///< Elements.
    nonzero_element element;

    // How the elements lie. The innermost axis last; n >= 1.
    dims extents;
    dims steps; ///< Bytes.
    bool is_dense;

    std::int64_t block_n; ///< Elements of a unit of work, a multiple of 64.
    std::int64_t blocks;

    nonzero_chunks dense;  ///< Of blocks in general.
    nonzero_chunks sparse; ///< Of blocks that are listed, see is_listed: larger ones.
    bool can_list;         ///< Blocks are made of whole sparse chunks of whole words.

    std::int64_t mark_grain; ///< Blocks that are worth a thread in the first pass.
    const nonzero_parts *parts;
};

/// Strides are in elements and not negative. Any shape.
nonzero_loops make_nonzero_loops(
        const dims &shape, const dims &strides, const nonzero_element &element);

/// Scratch memory of the two passes, aligned to 8 bytes: a bit for each element and 8 bytes for
/// each block, of which there are about a thousand at most.
std::size_t nonzero_scratch_bytes(const nonzero_loops &loops);

/// First pass. Returns the count, and leaves in `scratch` what the second pass needs. `x` needs no
/// alignment.
std::int64_t count_nonzero(const nonzero_loops &loops, const void *x, void *scratch) noexcept;

/// Second pass: y[axis * count + k] is the index along `axis` of the k-th element that is not zero.
/// `y` needs no alignment, but is slower without 8 bytes of it. Same bits for any number of
/// threads.
void write_nonzero(const nonzero_loops &loops, const void *scratch, void *y) noexcept;

/// Lower-case name of the SIMD target that runs on this CPU.
std::string_view nonzero_target();

} // namespace tern::kernels

#endif
