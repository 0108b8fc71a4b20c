// SPDX-License-Identifier: Apache-2.0
#include "kernels/lanes/lane_program.hpp"

#include <array>

namespace tern::kernels {
namespace {

constexpr std::array op_names = {"add", "subtract", "multiply", "maximum", "minimum", "negate",
        "abs", "square", "divide", "squared_difference", "power", "ceil", "clamp", "elu", "erf",
        "exp", "floor", "gelu_erf", "gelu_tanh", "hard_sigmoid", "hard_swish", "leaky_relu", "log",
        "mish", "reciprocal", "relu", "round", "sigmoid", "sign", "soft_plus", "sqrt", "tanh",
        "power_x", "equal", "not_equal", "greater", "greater_equal", "less", "less_equal",
        "logical_and", "logical_or", "logical_xor", "logical_not", "select", "convert", "round_to",
        "wrap_to"};
static_assert(op_names.size() == static_cast<std::size_t>(lane_op::wrap_to) + 1);

constexpr std::array kind_names = {
        "f32", "s32", "s64", "mask", "bits_8", "bits_16", "bits_32", "bits_64"};

} // namespace

bool find_lane_kind(data_type type, lane_kind &kind) {
    switch (type) {
        case data_type::f32:
        case data_type::bf16:
        case data_type::f16:
        case data_type::f8_e5m2:
        case data_type::f8_e4m3: kind = lane_kind::f32; return true;
        case data_type::s8:
        case data_type::u8:
        case data_type::s16:
        case data_type::u16:
        case data_type::s32: kind = lane_kind::s32; return true;
        case data_type::s64:
        case data_type::u64: kind = lane_kind::s64; return true;
        case data_type::boolean: kind = lane_kind::mask; return true;
        default: return false;
    }
}

bool find_bits_kind(data_type type, lane_kind &kind) {
    switch (bits_of(type)) {
        case 8: kind = lane_kind::bits_8; return true;
        case 16: kind = lane_kind::bits_16; return true;
        case 32: kind = lane_kind::bits_32; return true;
        case 64: kind = lane_kind::bits_64; return true;
        default: return false;
    }
}

std::string_view name_of(lane_op op) {
    return op_names[static_cast<std::size_t>(op)];
}

std::string_view name_of(lane_kind kind) {
    return kind_names[static_cast<std::size_t>(kind)];
}

} // namespace tern::kernels
