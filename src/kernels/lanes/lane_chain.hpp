// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_LANES_LANE_CHAIN_HPP
#define TERN_KERNELS_LANES_LANE_CHAIN_HPP

/// \file
/// Chains of simple f32 operations in which each takes the result of the one before: that stays in
/// vector registers, several vectors of it, while one link after the other is applied.

#include <cstddef>
#include <cstdint>

#include "base/cpu.hpp"
#include "kernels/lanes/lane_program.hpp"

namespace tern::kernels {

/// v is the value so far, o the link's operand.
enum class link_op : std::uint8_t {
    start, ///< v = o
    add,
    subtract,      ///< v - o
    subtract_from, ///< o - v
    multiply,
    divide,      ///< v / o
    divide_into, ///< o / v
    maximum,
    minimum,
    raise, ///< maximum with one number that is not 0
    cap,   ///< minimum with one number that is not 0
    squared_difference,
    select_value,   ///< cond ? v : o
    select_operand, ///< cond ? o : v
    negate,
    abs,
    square,
    ceil,
    clamp,
    floor,
    hard_sigmoid,
    hard_swish,
    leaky_relu, ///< x is any number.
    leak,       ///< leaky_relu where x is +0 or finite and above it, in fewer instructions.
    reciprocal,
    relu,
    round,
    sign,
    sqrt,
};

struct chain_link {
    link_op op;
    const std::uint8_t *operand = nullptr; ///< Elements, or one value.
    bool moves = false;                    ///< Elements.
    const std::uint8_t *cond = nullptr;    ///< Mask bytes.
    float x = 0;
    float y = 0;
};

/// At most so many links, the start included.
inline constexpr std::size_t longest_chain = 16;

struct chain_args {
    const chain_link *links; ///< The first one is a start.
    std::size_t count;
    std::uint8_t *dst; ///< n elements; may be an operand.
    std::int64_t n;
    /// Where the operands are, at most: what has been used just now is nearer. For main memory dst
    /// is stored past the caches.
    memory_level level;
};

using chain_function = void (*)(const chain_args &) noexcept;

/// For the best target that this CPU has.
chain_function find_chain() noexcept;

} // namespace tern::kernels

#endif
