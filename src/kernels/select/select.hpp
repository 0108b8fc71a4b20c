// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_SELECT_SELECT_HPP
#define TERN_KERNELS_SELECT_SELECT_HPP

/// \file
/// dst = cond ? src_0 : src_1 over strided tensors, by lane size: parallel SIMD loops. Knows bytes,
/// not types.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/loop_nest.hpp"
#include "kernels/select/select_rows.hpp"

namespace tern::kernels {

/// Operand numbers of a select: order of strides and pointers.
enum select_operand : std::size_t { select_cond, select_src_0, select_src_1, select_dst };

/// How the innermost loops go.
enum class select_path {
    vector,  ///< SIMD along rows.
    packed,  ///< Rows are short: operands are spread into dense tiles first, then SIMD over those.
    tiled,   ///< Some operand lies column by column: it is transposed into dense tiles, then SIMD.
    strided, ///< Some operand jumps within rows otherwise: element by element.
};

/// A select made ready: everything that does not depend on the pointers. The two innermost axes of
/// the nest are rows of n elements; the axes around them are walked one index after the other.
struct select_loops {
    loop_nest<4> nest;
    int lane_bytes; ///< 1, 2, 4, 8 or 16: bytes of one element of src_0, src_1 and dst.

    select_path path;
    row_motion motion; ///< Of the rows that `vector` is called with.
    select_rows plane; ///< All rows of one pair of inner axes; pointers null.
    /// Units of work, numbered in the order of the nest: strips of some rows, cut into parts where
    /// rows are long.
    std::int64_t units;
    std::int64_t strip_rows; ///< Rows of a strip; the last one of a plane may have fewer.
    std::int64_t cuts;       ///< Parts of a strip.
    std::int64_t cut_n;      ///< Elements of a row in a part; the last one may have fewer.
    std::int64_t grain;      ///< Units that are worth a thread.

    bool is_far;                 ///< The operands together are too large for the caches.
    per_operand<bool> same_walk; ///< Visits the same bytes as dst when it starts where dst does.
    const vector_loops *vector;
};

/// `shape` is dst's; `strides` by select_operand, in elements, 0 on broadcast axes (as
/// broadcast_strides gives). The shape has at least one element. All stride combinations are legal;
/// dst's elements are distinct.
select_loops make_select_loops(
        const dims &shape, const std::array<dims, 4> &strides, int lane_bytes);

/// Runs it, in the caller's TBB arena when it is large enough to split. cond bytes: nonzero is
/// true. dst may be the very same view as src_0 or src_1 (or cond, for 1-byte lanes). Pointers need
/// no alignment. Bits are copied unchanged. Same bits for any number of threads.
void run_select(const select_loops &loops, const std::uint8_t *cond, const void *src_0,
        const void *src_1, void *dst) noexcept;

/// Lower-case name of the SIMD target that run_select uses on this CPU: "avx2", "sse4", "scalar"
/// ...
std::string_view select_target();

} // namespace tern::kernels

#endif
