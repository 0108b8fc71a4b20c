// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_SOFTMAX_SOFTMAX_HPP
#define TERN_KERNELS_SOFTMAX_SOFTMAX_HPP

/// \file
/// SoftMax along one axis, in f32: dst = exp(src - max) / sum(exp(src - max)).
///
/// NaN makes its whole row NaN, and so does +infinity, since infinity - infinity is NaN. Finite
/// values never overflow. Only src - max is rounded before exp, and exp is at most 2 ulp off.

#include <array>
#include <cstdint>
#include <string_view>

#include "base/data_type.hpp"
#include "base/dims.hpp"
#include "base/loop_nest.hpp"

namespace tern::kernels {

struct softmax_parts;

struct softmax_operand {
    data_type type = data_type::f32; ///< f32, bf16 or f16.
    dims strides;                    ///< Elements, by axis of the shape.
};

struct softmax_problem {
    dims shape;
    int axis = 0;             ///< In [0, rank). A scalar (rank 0) is a row of one element.
    bool inf_as_zero = false; ///< A row of nothing but -inf gives zeros (stats 0); else NaN.
    softmax_operand src;
    softmax_operand dst;
    bool has_stats = false;
    softmax_operand stats; ///< f32: max + log(sum of exp(src - max)); its axis has one element.
};

/// Bytes of a cache line.
inline constexpr std::int64_t softmax_line = 64;

/// How one operand is walked. Bytes.
struct softmax_walk {
    int element_bytes = 4;
    std::int64_t axis_step = 0; ///< Along the row.
    std::int64_t lane_step = 0; ///< From row to row within a block of rows.
};

enum class softmax_path : std::uint8_t {
    rows,    ///< SIMD lanes along the row, a block of `columns` rows at a time.
    columns, ///< SIMD lanes across rows, `columns` of them at a time.
};

/// Everything that does not depend on the pointers.
struct softmax_loops {
    softmax_path path = softmax_path::rows;
    bool inf_as_zero = false;
    bool has_stats = false;
    std::array<data_type, 2> types{data_type::f32, data_type::f32}; ///< src, dst
    std::array<softmax_walk, 3> walks;                              ///< src, dst, stats

    std::int64_t n = 1;     ///< Elements of a row.
    std::int64_t lanes = 1; ///< Rows that lane_step walks.
    std::int64_t columns = 1;
    std::int64_t blocks = 1; ///< Of up to `columns` rows, that make up `lanes`.
    dims outer;              ///< Extents of the loops around that.
    std::array<dims, 3> outer_steps;

    /// Path of columns: dst goes past the caches, unless it is src or does not begin with a line.
    bool is_far = false;
    std::int64_t units = 1; ///< Blocks of all outer loops.
    std::int64_t grain = 1;
    const softmax_parts *parts = nullptr; ///< The SIMD target's functions.
};

/// The shape has at least one element.
softmax_loops make_softmax_loops(const softmax_problem &problem);

/// In the caller's TBB arena when it is large enough to split. dst may be the very same view as
/// src when the types agree. `stats` may be null without stats. Same bits for any number of
/// threads. Allocates nothing.
void run_softmax(const softmax_loops &loops, const void *src, void *dst, void *stats) noexcept;

/// Lower-case name of the SIMD target in use: "avx2", ...
std::string_view softmax_target();

} // namespace tern::kernels

#endif
