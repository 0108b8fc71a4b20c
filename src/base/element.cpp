// SPDX-License-Identifier: Apache-2.0
#include "base/element.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace tern {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are read lowest byte first");

constexpr float_format format_f16{5, 10, true};
constexpr float_format format_bf16{8, 7, true};
constexpr float_format format_f32{8, 23, true};
constexpr float_format format_f64{11, 52, true};
constexpr float_format format_f8_e5m2{5, 2, true};
constexpr float_format format_f8_e4m3{4, 3, false};

template <typename Value>
Value read(const void *element) {
    Value value;
    std::memcpy(&value, element, sizeof value);
    return value;
}

/// 0 where there is no integer.
std::size_t integer_bytes(data_type type) {
    return type == data_type::boolean || is_integer(type) ? bytes_of(type) : 0;
}

constexpr int double_bias = 1023;
constexpr int double_mantissa_bits = 52;

/// 2^exponent, for exponents of normal doubles.
double power_of_two(int exponent) {
    return std::bit_cast<double>(
            static_cast<std::uint64_t>(exponent + double_bias) << double_mantissa_bits);
}

double decode(const float_format &format, std::uint64_t bits) {
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const std::uint64_t all_mantissa = (std::uint64_t{1} << format.mantissa_bits) - 1;
    const std::uint64_t mantissa = bits & all_mantissa;
    const int top = (1 << format.exponent_bits) - 1;
    const auto exponent = static_cast<int>(bits >> format.mantissa_bits) & top;
    const double sign = (bits >> (format.bits() - 1)) != 0 ? -1.0 : 1.0;
    if (exponent == top) {
        if (format.has_infinity && mantissa == 0)
            return sign * std::numeric_limits<double>::infinity();
        if (format.has_infinity || mantissa == all_mantissa)
            return std::numeric_limits<double>::quiet_NaN();
    }
    // In units of the last mantissa bit.
    std::uint64_t units = exponent == 0 ? mantissa : mantissa + all_mantissa + 1;
    int unit = std::max(exponent, 1) - bias - format.mantissa_bits;
    return sign * static_cast<double>(units) * power_of_two(unit);
}

/// For the formats of 8 and 16 bits.
std::uint64_t encode(const float_format &format, double value) {
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const std::uint64_t sign = std::uint64_t{std::signbit(value)} << (format.bits() - 1);
    const std::uint64_t all_mantissa = (std::uint64_t{1} << format.mantissa_bits) - 1;
    const std::uint64_t top = ((std::uint64_t{1} << format.exponent_bits) - 1)
                              << format.mantissa_bits;
    const std::uint64_t too_large = format.has_infinity ? top : top | all_mantissa;
    if (std::isnan(value)) return sign | top | all_mantissa;
    const double magnitude = std::abs(value);
    const int double_exponent =
            static_cast<int>(std::bit_cast<std::uint64_t>(magnitude) >> double_mantissa_bits)
            - double_bias;
    if (double_exponent > bias + 1) return sign | too_large;
    // In units of the last mantissa bit; a carry out of the mantissa lands in the exponent.
    const int exponent = std::max(double_exponent, 1 - bias);
    const double units = std::nearbyint(magnitude * power_of_two(format.mantissa_bits - exponent));
    const std::uint64_t biased = static_cast<std::uint64_t>(exponent + bias - 1)
                                 << format.mantissa_bits;
    return sign | std::min(biased + static_cast<std::uint64_t>(units), too_large);
}

std::uint64_t to_integer_bits(data_type type, double value) {
    if (std::isnan(value)) return 0;
    const int bits = bits_of(type);
    const bool is_signed = is_signed_integer(type);
    const double beyond = std::ldexp(1.0, is_signed ? bits - 1 : bits); // one above the largest
    if (is_signed) {
        if (value >= beyond) return (std::uint64_t{1} << (bits - 1)) - 1;
        if (value < -beyond) value = -beyond;
        return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    }
    if (value >= beyond) return ~std::uint64_t{0};
    return value > 0 ? static_cast<std::uint64_t>(value) : 0;
}

} // namespace

std::optional<float_format> format_of(data_type type) {
    switch (type) {
        case data_type::f16: return format_f16;
        case data_type::bf16: return format_bf16;
        case data_type::f32:
        case data_type::c64: return format_f32;
        case data_type::f64:
        case data_type::c128: return format_f64;
        case data_type::f8_e5m2: return format_f8_e5m2;
        case data_type::f8_e4m3: return format_f8_e4m3;
        default: return std::nullopt;
    }
}

bool is_signed_integer(data_type type) {
    return type == data_type::s8 || type == data_type::s16 || type == data_type::s32
           || type == data_type::s64;
}

bool is_integer(data_type type) {
    return is_signed_integer(type) || type == data_type::u8 || type == data_type::u16
           || type == data_type::u32 || type == data_type::u64;
}

double load_f64(data_type type, const void *element) noexcept {
    switch (type) {
        case data_type::f32:
        case data_type::c64: return read<float>(element);
        case data_type::f64:
        case data_type::c128: return read<double>(element);
        case data_type::bf16:
            return std::bit_cast<float>(std::uint32_t{read<std::uint16_t>(element)} << 16);
        case data_type::f16: return decode(format_f16, read<std::uint16_t>(element));
        case data_type::f8_e5m2: return decode(format_f8_e5m2, read<std::uint8_t>(element));
        case data_type::f8_e4m3: return decode(format_f8_e4m3, read<std::uint8_t>(element));
        case data_type::u64: return static_cast<double>(read<std::uint64_t>(element));
        default: return static_cast<double>(load_s64(type, element));
    }
}

void store_f64(data_type type, double value, void *element) noexcept {
    auto write = [element](auto bits) { std::memcpy(element, &bits, sizeof bits); };
    switch (type) {
        case data_type::f32: return write(static_cast<float>(value));
        case data_type::f64: return write(value);
        case data_type::c64: return write(std::array{static_cast<float>(value), 0.0F});
        case data_type::c128: return write(std::array{value, 0.0});
        case data_type::bf16: return write(static_cast<std::uint16_t>(encode(format_bf16, value)));
        case data_type::f16: return write(static_cast<std::uint16_t>(encode(format_f16, value)));
        case data_type::f8_e5m2:
            return write(static_cast<std::uint8_t>(encode(format_f8_e5m2, value)));
        case data_type::f8_e4m3:
            return write(static_cast<std::uint8_t>(encode(format_f8_e4m3, value)));
        case data_type::boolean: return write(static_cast<std::uint8_t>(value != 0));
        case data_type::string: std::memset(element, 0, bytes_of(type)); return;
        default: break;
    }
    const std::uint64_t bits = to_integer_bits(type, value);
    std::memcpy(element, &bits, bytes_of(type));
}

std::int64_t load_s64(data_type type, const void *element) noexcept {
    std::uint64_t bits = 0;
    std::memcpy(&bits, element, integer_bytes(type));
    if (type == data_type::boolean) return bits != 0;
    if (!is_signed_integer(type)) return static_cast<std::int64_t>(bits);
    int unused = 64 - bits_of(type);
    return static_cast<std::int64_t>(bits << unused) >> unused;
}

void store_s64(data_type type, std::int64_t value, void *element) noexcept {
    if (type == data_type::boolean) value = value != 0;
    std::memcpy(element, &value, integer_bytes(type));
}

} // namespace tern
