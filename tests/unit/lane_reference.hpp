// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_TESTS_UNIT_LANE_REFERENCE_HPP
#define TERN_TESTS_UNIT_LANE_REFERENCE_HPP

/// \file
/// Lane programs one element at a time, and operands with exactly the memory they need.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "base/element.hpp"
#include "kernels/lanes/lane_program.hpp"

namespace tern::tests {

using kernels::lane_instruction;
using kernels::lane_kind;
using kernels::lane_op;
using kernels::lane_program;

/// A register's element: f32 in `f`, everything else in `i`.
struct lane_value {
    float f = 0;
    std::int64_t i = 0;
};

inline bool is_bits_kind(lane_kind kind) {
    return kind >= lane_kind::bits_8;
}

inline lane_value convert_value(lane_value v, lane_kind from, lane_kind to) {
    lane_value result;
    if (is_bits_kind(from) || is_bits_kind(to)) return v;
    if (from == lane_kind::f32) {
        if (to == lane_kind::f32) return v;
        if (to == lane_kind::mask) {
            result.i = v.f != 0;
        } else if (to == lane_kind::s32) {
            std::int32_t number = 0;
            store_f64(data_type::s32, v.f, &number);
            result.i = number;
        } else {
            store_f64(data_type::s64, v.f, &result.i);
        }
        return result;
    }
    const std::int64_t number = from == lane_kind::mask ? v.i != 0 : v.i;
    switch (to) {
        case lane_kind::f32: result.f = static_cast<float>(number); break;
        case lane_kind::s32: result.i = static_cast<std::int32_t>(number); break;
        case lane_kind::mask: result.i = number != 0; break;
        default: result.i = number; break;
    }
    return result;
}

inline lane_value load_value(data_type type, lane_kind kind, const void *element) {
    lane_value v;
    if (is_bits_kind(kind)) {
        std::memcpy(&v.i, element, bytes_of(type));
        return v;
    }
    lane_kind own{};
    find_lane_kind(type, own);
    if (own == lane_kind::f32) {
        if (type == data_type::f32)
            std::memcpy(&v.f, element, sizeof v.f);
        else
            v.f = static_cast<float>(load_f64(type, element));
    } else {
        v.i = load_s64(type, element);
    }
    return convert_value(v, own, kind);
}

inline void store_value(lane_value v, lane_kind kind, data_type type, void *element) {
    if (is_bits_kind(kind)) {
        std::memcpy(element, &v.i, bytes_of(type));
    } else if (kind == lane_kind::f32) {
        if (type == data_type::f32)
            std::memcpy(element, &v.f, sizeof v.f);
        else
            store_f64(type,
                    is_floating(type) || type == data_type::boolean ? v.f : std::nearbyint(v.f),
                    element);
    } else if (is_floating(type)) {
        store_f64(type, convert_value(v, kind, lane_kind::f32).f, element);
    } else {
        store_s64(type, kind == lane_kind::mask ? v.i != 0 : v.i, element);
    }
}

inline float apply_float(const lane_instruction &in, float a, float b) {
    switch (in.op) {
        case lane_op::add: return a + b;
        case lane_op::subtract: return a - b;
        case lane_op::multiply: return a * b;
        case lane_op::maximum:
            if (a == 0 && b == 0) return std::signbit(a) ? b : a;
            return std::isnan(a) || std::isnan(b) ? a + b : a > b ? a : b;
        case lane_op::minimum:
            if (a == 0 && b == 0) return std::signbit(a) ? a : b;
            return std::isnan(a) || std::isnan(b) ? a + b : a < b ? a : b;
        case lane_op::negate: return -a;
        case lane_op::abs: return std::abs(a);
        case lane_op::square: return a * a;
        case lane_op::divide: return a / b;
        case lane_op::squared_difference: return (a - b) * (a - b);
        case lane_op::clamp: return std::isnan(a) ? a : std::min(std::max(a, in.x), in.y);
        case lane_op::leaky_relu: return a >= 0 ? a : in.x * a;
        case lane_op::reciprocal: return 1 / a;
        case lane_op::relu: return a < 0 ? 0 : a;
        case lane_op::round: return std::nearbyint(a);
        case lane_op::floor: return std::floor(a);
        case lane_op::ceil: return std::ceil(a);
        case lane_op::sign: return a == 0 ? 0 : std::isnan(a) ? a : std::copysign(1.0F, a);
        case lane_op::sqrt: return std::sqrt(a);
        default: return std::numeric_limits<float>::quiet_NaN();
    }
}

inline std::int64_t apply_integer(lane_op op, std::int64_t a, std::int64_t b) {
    const auto u = static_cast<std::uint64_t>(a);
    const auto w = static_cast<std::uint64_t>(b);
    switch (op) {
        case lane_op::add: return static_cast<std::int64_t>(u + w);
        case lane_op::subtract: return static_cast<std::int64_t>(u - w);
        case lane_op::multiply: return static_cast<std::int64_t>(u * w);
        case lane_op::square: return static_cast<std::int64_t>(u * u);
        case lane_op::maximum: return a > b ? a : b;
        case lane_op::minimum: return a < b ? a : b;
        case lane_op::negate: return static_cast<std::int64_t>(0 - u);
        case lane_op::abs: return a < 0 ? static_cast<std::int64_t>(0 - u) : a;
        case lane_op::logical_and: return a != 0 && b != 0;
        case lane_op::logical_or: return a != 0 || b != 0;
        case lane_op::logical_xor: return (a != 0) != (b != 0);
        case lane_op::logical_not: return a == 0;
        default: return 0;
    }
}

template <typename T>
bool compare_values(lane_op op, T a, T b) {
    switch (op) {
        case lane_op::equal: return a == b;
        case lane_op::not_equal: return a != b;
        case lane_op::greater: return a > b;
        case lane_op::greater_equal: return a >= b;
        case lane_op::less: return a < b;
        default: return a <= b;
    }
}

/// All registers of one element. `kinds` grows with them.
inline void run_element(const lane_program &program, std::vector<lane_value> &registers,
        std::vector<lane_kind> &kinds) {
    registers.resize(program.inputs.size() + program.instructions.size());
    kinds.resize(registers.size());
    for (const lane_instruction &in : program.instructions) {
        const auto at = [](int reg) { return static_cast<std::size_t>(reg); };
        const lane_value a = registers[at(in.a)];
        const lane_value b = registers[at(in.b)];
        lane_value &dst = registers[at(in.dst)];
        kinds[at(in.dst)] = in.kind;
        if (in.op >= lane_op::equal && in.op <= lane_op::less_equal) {
            kinds[at(in.dst)] = lane_kind::mask;
            dst.i = in.kind == lane_kind::f32 ? compare_values(in.op, a.f, b.f)
                                              : compare_values(in.op, a.i, b.i);
        } else if (in.op == lane_op::select) {
            dst = a.i != 0 ? b : registers[at(in.c)];
        } else if (in.op == lane_op::convert) {
            dst = convert_value(a, kinds[at(in.a)], in.kind);
        } else if (in.op == lane_op::round_to) {
            std::uint64_t bits = 0;
            store_f64(in.type, a.f, &bits);
            dst.f = static_cast<float>(load_f64(in.type, &bits));
        } else if (in.op == lane_op::wrap_to) {
            std::uint64_t bits = 0;
            store_s64(in.type, a.i, &bits);
            dst.i = load_s64(in.type, &bits);
            if (in.kind == lane_kind::s32) dst.i = static_cast<std::int32_t>(dst.i);
        } else if (in.kind == lane_kind::f32) {
            dst.f = apply_float(in, a.f, b.f);
        } else {
            dst.i = apply_integer(in.op, a.i, b.i);
            if (in.kind == lane_kind::s32) dst.i = static_cast<std::int32_t>(dst.i);
        }
    }
}

/// Memory that ends where the last element does, at an address of any alignment.
class exact_memory {
public:
    exact_memory() = default;
    exact_memory(std::size_t bytes, std::size_t misalignment)
        : skip_(misalignment),
          bytes_(bytes + misalignment, std::uint8_t{0xCD}) {
        bytes_.shrink_to_fit();
    }
    std::uint8_t *data() { return bytes_.data() + skip_; }
    const std::uint8_t *data() const { return bytes_.data() + skip_; }
    std::size_t size() const { return bytes_.size() - skip_; }

private:
    std::size_t skip_ = 0;
    std::vector<std::uint8_t> bytes_;
};

} // namespace tern::tests

#endif
