// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_REDUCE_REDUCE_SUM_HPP
#define TERN_KERNELS_REDUCE_REDUCE_SUM_HPP

/// \file
/// Sums over any axes.
///
/// f32, bf16 and f16 are summed up in f32, in an order that shape and strides settle, with an error
/// of no more than some 16 roundings per factor of 16 in the number of terms: hardly more than
/// pairwise summation has. s32 and s64 are exact, modulo 2^32 and 2^64.

#include <array>
#include <cstdint>
#include <string_view>

#include "base/data_type.hpp"
#include "base/dims.hpp"

namespace tern::kernels {

struct reduce_parts;

enum class reduce_path : std::uint8_t {
    runs,    ///< SIMD lanes along a reduced axis: runs of elements that go into one sum.
    columns, ///< SIMD lanes across sums: rows of elements that go into sums side by side.
};

/// Everything that does not depend on the pointers. Steps are bytes.
struct reduce_loops {
    reduce_path path = reduce_path::columns;
    data_type src_type = data_type::f32;
    data_type dst_type = data_type::f32;
    std::int64_t src_bytes = 4; ///< Of an element.
    std::int64_t dst_bytes = 4;

    std::int64_t lanes = 1; ///< Sums along the innermost kept axis; they are computed in blocks.
    std::int64_t src_lane_step = 0;
    std::int64_t dst_lane_step = 0;
    std::int64_t columns = 1; ///< Sums of a block.
    std::int64_t blocks = 1;  ///< That make up `lanes`.
    dims kept;                ///< Extents of the loops around that.
    dims src_kept_steps;
    dims dst_kept_steps;
    std::int64_t outer = 1; ///< Product of `kept`.

    std::int64_t run = 1; ///< Path of runs: elements of a run.
    std::int64_t run_step = 0;
    dims reduced; ///< Extents of the (other) reduced axes.
    dims reduced_steps;
    std::int64_t terms = 1; ///< Runs times `run`, or rows.

    std::int64_t parts = 1; ///< Of the terms, that are summed up apart from each other.
    std::int64_t grain = 1; ///< Of the units: outer * blocks * parts.
    const reduce_parts *vector = nullptr; ///< The SIMD target's functions.
};

/// `shape` is that of src. dst has stride 0 on the axes that are reduced, and only there (but for
/// axes of one element); it has at least one element. Strides are in elements. Types: f32, bf16
/// and f16 with any of these; s32 and s64 with themselves.
reduce_loops make_reduce_loops(const dims &shape, const dims &src_strides, const dims &dst_strides,
        data_type src_type, data_type dst_type);

/// In the caller's TBB arena when it is large enough to split. dst must not overlap src. Same bits
/// for any number of threads. Allocates nothing.
void run_reduce_sum(const reduce_loops &loops, const void *src, void *dst) noexcept;

/// Lower-case name of the SIMD target in use: "avx2", ...
std::string_view reduce_target();

} // namespace tern::kernels

#endif
