// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <limits>

#include "base/element.hpp"
#include "kernels/lanes/lane_table.hpp"

namespace tern::kernels {
namespace {

template <typename T>
T read(const std::uint8_t *from, std::int64_t i) {
    T value;
    std::memcpy(&value, from + i * std::int64_t{sizeof(T)}, sizeof value);
    return value;
}
template <typename T>
void write(std::uint8_t *to, std::int64_t i, T value) {
    std::memcpy(to + i * std::int64_t{sizeof(T)}, &value, sizeof value);
}

/// dst = Fn(a) or Fn(a, b).
template <typename From, typename To, auto Fn>
void run_1(const lane_args &args) noexcept {
    const std::int64_t by = args.moves[0] ? 1 : 0;
    for (std::int64_t i = 0; i < args.n; ++i)
        write<To>(args.dst, i, Fn(read<From>(args.source[0], i * by)));
}
template <typename From, typename To, auto Fn>
void run_2(const lane_args &args) noexcept {
    const std::int64_t by_a = args.moves[0] ? 1 : 0;
    const std::int64_t by_b = args.moves[1] ? 1 : 0;
    for (std::int64_t i = 0; i < args.n; ++i)
        write<To>(args.dst, i,
                Fn(read<From>(args.source[0], i * by_a), read<From>(args.source[1], i * by_b)));
}

using s64 = std::int64_t;
using u64 = std::uint64_t;
using u8 = std::uint8_t;

// As unsigned numbers, which wrap around.
u64 add(u64 a, u64 b) {
    return a + b;
}
u64 subtract(u64 a, u64 b) {
    return a - b;
}
u64 multiply(u64 a, u64 b) {
    return a * b;
}
u64 negate(u64 a) {
    return 0 - a;
}
u64 absolute(u64 a) {
    return static_cast<s64>(a) < 0 ? 0 - a : a;
}
u64 square(u64 a) {
    return a * a;
}
s64 maximum(s64 a, s64 b) {
    return a > b ? a : b;
}
s64 minimum(s64 a, s64 b) {
    return a < b ? a : b;
}
u8 equal(s64 a, s64 b) {
    return a == b;
}
u8 not_equal(s64 a, s64 b) {
    return a != b;
}
u8 greater(s64 a, s64 b) {
    return a > b;
}
u8 greater_equal(s64 a, s64 b) {
    return a >= b;
}
u8 less(s64 a, s64 b) {
    return a < b;
}
u8 less_equal(s64 a, s64 b) {
    return a <= b;
}

template <typename From, typename To>
To keep_low(From value) {
    return static_cast<To>(value);
}
template <typename From>
u8 is_true(From value) {
    return value != 0;
}
template <typename To>
To from_mask(u8 value) {
    return static_cast<To>(value != 0 ? 1 : 0);
}
/// The low bits of a register of T, extended as a U.
template <typename T, typename U>
T wrap(T value) {
    return static_cast<T>(static_cast<U>(value));
}

// The element functions take a type at run time; here it is a constant.
template <data_type Type>
float load_small(u8 bits) {
    return static_cast<float>(load_f64(Type, &bits));
}
template <data_type Type>
u8 store_small(float value) {
    u8 bits = 0;
    store_f64(Type, value, &bits);
    return bits;
}
template <data_type Type>
float round_small(float value) {
    return load_small<Type>(store_small<Type>(value));
}
/// Towards zero, saturating.
template <data_type Type, typename To>
To saturate(float value) {
    To number = 0;
    store_f64(Type, value, &number);
    return number;
}
template <data_type Type, typename To>
To saturate_rounded(float value) {
    return saturate<Type, To>(std::nearbyint(value));
}

template <typename T>
lane_function find_wrap(data_type type) {
    switch (type) {
        case data_type::s8: return run_1<T, T, wrap<T, std::int8_t>>;
        case data_type::u8: return run_1<T, T, wrap<T, u8>>;
        case data_type::s16: return run_1<T, T, wrap<T, std::int16_t>>;
        case data_type::u16: return run_1<T, T, wrap<T, std::uint16_t>>;
        case data_type::s32: return run_1<T, T, wrap<T, std::int32_t>>;
        case data_type::u32: return run_1<T, T, wrap<T, std::uint32_t>>;
        case data_type::boolean: return run_1<T, T, [](T v) { return static_cast<T>(v != 0); }>;
        default: return run_1<T, T, [](T v) { return v; }>;
    }
}

} // namespace

lane_function find_wide_op(lane_op op) noexcept {
    switch (op) {
        case lane_op::add: return run_2<u64, u64, add>;
        case lane_op::subtract: return run_2<u64, u64, subtract>;
        case lane_op::multiply: return run_2<u64, u64, multiply>;
        case lane_op::maximum: return run_2<s64, s64, maximum>;
        case lane_op::minimum: return run_2<s64, s64, minimum>;
        case lane_op::negate: return run_1<u64, u64, negate>;
        case lane_op::abs: return run_1<u64, u64, absolute>;
        case lane_op::square: return run_1<u64, u64, square>;
        case lane_op::equal: return run_2<s64, u8, equal>;
        case lane_op::not_equal: return run_2<s64, u8, not_equal>;
        case lane_op::greater: return run_2<s64, u8, greater>;
        case lane_op::greater_equal: return run_2<s64, u8, greater_equal>;
        case lane_op::less: return run_2<s64, u8, less>;
        case lane_op::less_equal: return run_2<s64, u8, less_equal>;
        default: return nullptr;
    }
}

lane_function find_wide_convert(lane_kind from, lane_kind to) noexcept {
    if (to == lane_kind::s64) {
        switch (from) {
            case lane_kind::f32: return run_1<float, s64, saturate<data_type::s64, s64>>;
            case lane_kind::s32: return run_1<std::int32_t, s64, keep_low<std::int32_t, s64>>;
            case lane_kind::mask: return run_1<u8, s64, from_mask<s64>>;
            default: return run_1<s64, s64, keep_low<s64, s64>>;
        }
    }
    switch (to) {
        case lane_kind::f32: return run_1<s64, float, keep_low<s64, float>>;
        case lane_kind::s32: return run_1<s64, std::int32_t, keep_low<s64, std::int32_t>>;
        case lane_kind::mask: return run_1<s64, u8, is_true<s64>>;
        default: return nullptr;
    }
}

lane_function find_narrowing(lane_op op, lane_kind kind, data_type type) noexcept {
    if (op == lane_op::wrap_to)
        return kind == lane_kind::s32 ? find_wrap<std::int32_t>(type) : find_wrap<s64>(type);
    switch (type) {
        case data_type::f8_e5m2: return run_1<float, float, round_small<data_type::f8_e5m2>>;
        case data_type::f8_e4m3: return run_1<float, float, round_small<data_type::f8_e4m3>>;
        default: return run_1<float, float, [](float v) { return v; }>;
    }
}

lane_function find_plain_load(data_type type) noexcept {
    switch (type) {
        case data_type::f8_e5m2: return run_1<u8, float, load_small<data_type::f8_e5m2>>;
        case data_type::f8_e4m3: return run_1<u8, float, load_small<data_type::f8_e4m3>>;
        default: return nullptr;
    }
}

lane_function find_plain_store(lane_kind kind, data_type type) noexcept {
    if (kind == lane_kind::f32) {
        switch (type) {
            case data_type::f8_e5m2: return run_1<float, u8, store_small<data_type::f8_e5m2>>;
            case data_type::f8_e4m3: return run_1<float, u8, store_small<data_type::f8_e4m3>>;
            case data_type::s64: return run_1<float, s64, saturate_rounded<data_type::s64, s64>>;
            case data_type::u64: return run_1<float, u64, saturate_rounded<data_type::u64, u64>>;
            case data_type::u32:
                return run_1<float, std::uint32_t, saturate_rounded<data_type::u32, std::uint32_t>>;
            default: return nullptr;
        }
    }
    if (kind != lane_kind::s64) return nullptr;
    switch (bits_of(type)) {
        case 8: return run_1<s64, u8, keep_low<s64, u8>>;
        case 16: return run_1<s64, std::uint16_t, keep_low<s64, std::uint16_t>>;
        case 32: return run_1<s64, std::uint32_t, keep_low<s64, std::uint32_t>>;
        default: return nullptr;
    }
}

lane_function find_plain_copy(int bytes) noexcept {
    switch (bytes) {
        case 1: return run_1<u8, u8, keep_low<u8, u8>>;
        case 2: return run_1<std::uint16_t, std::uint16_t, keep_low<std::uint16_t, std::uint16_t>>;
        case 4: return run_1<std::uint32_t, std::uint32_t, keep_low<std::uint32_t, std::uint32_t>>;
        default: return run_1<u64, u64, keep_low<u64, u64>>;
    }
}

} // namespace tern::kernels
