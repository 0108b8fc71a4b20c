// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_LANES_LANE_PROGRAM_HPP
#define TERN_KERNELS_LANES_LANE_PROGRAM_HPP

/// \file
/// A region of elementwise ops as plain data: what the interpreter in run_lanes.hpp runs tile by
/// tile.

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "base/data_type.hpp"

namespace tern::kernels {

/// What an element of a register is.
enum class lane_kind : std::uint8_t {
    f32,    ///< The value of an f32, bf16 or f16 (f8) element, as f32.
    s32,    ///< The value of an integer of up to 32 bits (but u32), exact.
    s64,    ///< The value of an integer, exact; u64 modulo 2^64.
    mask,   ///< One byte, 0 or 1.
    bits_8, ///< Bytes of an element that only passes through.
    bits_16,
    bits_32,
    bits_64,
};

/// Operations by element. `a`, `b`, `c` are the source registers, x and y the immediates.
enum class lane_op : std::uint8_t {
    // f32, s32, s64 -> the same
    add,
    subtract,
    multiply,
    maximum, ///< NaN when either is NaN; +0 is above -0.
    minimum,
    negate,
    abs,
    square,
    // f32 -> f32
    divide,
    squared_difference,
    power, ///< a^b as std::pow says.
    ceil,
    clamp, ///< min(max(a, x), y); NaN stays NaN.
    elu,   ///< a > 0 ? a : x * (exp(a) - 1)
    erf,
    exp,
    floor,
    gelu_erf,
    gelu_tanh,
    hard_sigmoid, ///< max(0, min(1, x * a + y))
    hard_swish,   ///< a * (max(0, min(6, a + 3)) / 6)
    leaky_relu,   ///< a >= 0 ? a : x * a
    log,
    mish, ///< a * tanh(log(1 + exp(a)))
    reciprocal,
    relu,  ///< NaN stays NaN.
    round, ///< To nearest, ties to even.
    sigmoid,
    sign,      ///< 1, 0 or -1; +0 of -0, NaN of NaN.
    soft_plus, ///< log(1 + exp(x * a)) / x
    sqrt,
    tanh,
    power_x, ///< a^x
    // f32, s32, s64 -> mask; unordered: false but for not_equal
    equal,
    not_equal,
    greater,
    greater_equal,
    less,
    less_equal,
    // mask -> mask
    logical_and,
    logical_or,
    logical_xor,
    logical_not,
    // mask a, then b and c of one kind, which is the result's
    select, ///< a ? b : c, bits unchanged.
    // Conversions: from the kind of a to `kind`
    convert, ///< f32 to integer: towards zero, saturating, NaN gives 0. To mask: not 0. Integers
             ///< narrow by keeping the low bits. To f32: nearest, ties to even.
    // f32 -> f32
    round_to, ///< To the nearest value of `type` (bf16, f16, f8), ties to even, as f32.
    // s32, s64 -> the same
    wrap_to, ///< Keeps the low bits of an integer of `type`, extended by its sign.
};

struct lane_instruction {
    lane_op op;
    lane_kind kind; ///< Of the result; of the sources for comparisons (whose result is a mask).
    int dst = 0;    ///< Register.
    int a = 0;
    int b = 0;
    int c = 0;
    float x = 0;
    float y = 0;
    data_type type = data_type::undef; ///< round_to, wrap_to
};

/// An operand that is read into a register before the first instruction.
struct lane_input {
    data_type type = data_type::undef; ///< In memory.
    lane_kind kind{};                  ///< In the register.
    /// No memory: the value of an element is its offset, by the operand's strides. With a stride of
    /// 1 along one axis and 0 along the others it is the index along that axis. Type s32.
    bool is_index = false;
};

/// A register that is written to memory after the last instruction. Floating point: to nearest,
/// ties to even. Integers: f32 registers saturate after rounding to nearest even (so that a
/// quantization needs no more); integer registers keep the low bits.
struct lane_output {
    int reg = 0;
    data_type type = data_type::undef;
};

/// Registers 0 .. inputs.size() - 1 are the inputs. Each instruction writes a register that no
/// earlier one and no input wrote (the interpreter reuses the memory of those that are done).
struct lane_program {
    std::vector<lane_input> inputs;
    std::vector<lane_instruction> instructions;
    std::vector<lane_output> outputs;
};

/// The kind that elements of a type are computed in; none for types that no lane computes with
/// (f64, u32, complex).
std::optional<lane_kind> find_lane_kind(data_type type);
/// The kind for elements that only pass through; none for 16-byte types.
std::optional<lane_kind> find_bits_kind(data_type type);

std::string_view name_of(lane_op op);
std::string_view name_of(lane_kind kind);

} // namespace tern::kernels

#endif
