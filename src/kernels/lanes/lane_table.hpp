// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_LANES_LANE_TABLE_HPP
#define TERN_KERNELS_LANES_LANE_TABLE_HPP

/// \file
/// The loops that a lane program is made of: one operation over n dense elements.

#include <cstddef>
#include <cstdint>

#include "kernels/lanes/lane_program.hpp"

namespace tern::kernels {

/// Bytes of a vector of the widest target.
inline constexpr std::size_t widest_vector = 64;

/// Operands of a loop. Nothing beyond n elements is touched. dst may be a source whose elements
/// have dst's size. Pointers need no alignment.
struct lane_args {
    const std::uint8_t *source[3];
    bool moves[3]; ///< False: one value, repeated over widest_vector.
    std::uint8_t *dst;
    std::int64_t n;
    float x;
    float y;
};

using lane_function = void (*)(const lane_args &) noexcept;

inline constexpr std::size_t lane_ops = static_cast<std::size_t>(lane_op::wrap_to) + 1;

/// Null where there is no such loop.
struct lane_table {
    lane_function op[lane_ops][2]; ///< By op; for f32 (but for links of chains) or masks, and s32.
    lane_function select[4];       ///< By log2 of the element's bytes.
    lane_function convert[4][4];   ///< From, to: f32, s32, s64, mask.
    lane_function round_to_bf16;
    lane_function round_to_f16;
    lane_function load_bf16; ///< To f32.
    lane_function load_f16;
    lane_function load_s8; ///< To s32.
    lane_function load_u8;
    lane_function load_s16;
    lane_function load_u16;
    lane_function store_bf16[2]; ///< From f32; [1]: past the caches.
    lane_function store_f16[2];
    lane_function store_saturated[5]; ///< From f32, rounded: s8, u8, s16, u16, s32.
    lane_function store_low[2];       ///< From s32: 1 and 2 bytes.
    lane_function copy_32[2];         ///< [1]: past the caches.
    lane_function normalize_mask;
};

/// Fills what its source file has, for the best target that this CPU has.
void enter_arithmetic(lane_table &table) noexcept;
void enter_math(lane_table &table) noexcept;
void enter_memory(lane_table &table) noexcept;

/// Loops that are the same on every target: 64-bit integers and rare types.
lane_function find_wide_op(lane_op op) noexcept;
lane_function find_wide_convert(lane_kind from, lane_kind to) noexcept;
/// wrap_to and round_to of types that lane_table lacks.
lane_function find_narrowing(lane_op op, lane_kind kind, data_type type) noexcept;
/// Types that lane_table lacks; null where a copy or another loop serves.
lane_function find_plain_load(data_type type) noexcept;
lane_function find_plain_store(lane_kind kind, data_type type) noexcept;
/// Copies elements of 1, 2, 4 or 8 bytes.
lane_function find_plain_copy(int bytes) noexcept;

const char *find_lanes_target() noexcept;

} // namespace tern::kernels

#endif
