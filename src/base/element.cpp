// SPDX-License-Identifier: Apache-2.0
#include "base/element.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace tern {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are read lowest byte first");

std::uint64_t read_bits(const void *element, std::size_t bytes) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, element, bytes);
    return bits;
}

/// Bytes of the number that an element consists of or begins with; a string holds none.
std::size_t number_bytes(data_type type) {
    if (type == data_type::string) return 0;
    std::optional<float_format> format = format_of(type);
    return format ? static_cast<std::size_t>(format->bits()) / 8 : bytes_of(type);
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
        case data_type::f16: return float_format{5, 10, true};
        case data_type::bf16: return float_format{8, 7, true};
        case data_type::f32:
        case data_type::c64: return float_format{8, 23, true};
        case data_type::f64:
        case data_type::c128: return float_format{11, 52, true};
        case data_type::f8_e5m2: return float_format{5, 2, true};
        case data_type::f8_e4m3: return float_format{4, 3, false};
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
    std::uint64_t bits = read_bits(element, number_bytes(type));
    if (type == data_type::f32) return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    if (type == data_type::f64) return std::bit_cast<double>(bits);
    if (type == data_type::bf16)
        return std::bit_cast<float>(static_cast<std::uint32_t>(bits << 16));
    if (std::optional<float_format> format = format_of(type)) return decode(*format, bits);
    if (type == data_type::u64) return static_cast<double>(bits);
    return static_cast<double>(load_s64(type, element));
}

void store_f64(data_type type, double value, void *element) noexcept {
    std::memset(element, 0, bytes_of(type));
    if (type == data_type::string) return;
    std::optional<float_format> format = format_of(type);
    std::uint64_t bits = 0;
    if (type == data_type::boolean)
        bits = value != 0;
    else if (!format)
        bits = to_integer_bits(type, value);
    else if (format->mantissa_bits == 52)
        bits = std::bit_cast<std::uint64_t>(value);
    else if (format->mantissa_bits == 23)
        bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    else
        bits = encode(*format, value);
    std::memcpy(element, &bits, number_bytes(type));
}

std::int64_t load_s64(data_type type, const void *element) noexcept {
    std::uint64_t bits = read_bits(element, number_bytes(type));
    if (type == data_type::boolean) return bits != 0;
    if (!is_signed_integer(type)) return static_cast<std::int64_t>(bits);
    int unused = 64 - bits_of(type);
    return static_cast<std::int64_t>(bits << unused) >> unused;
}

void store_s64(data_type type, std::int64_t value, void *element) noexcept {
    if (type == data_type::boolean) value = value != 0;
    std::memcpy(element, &value, number_bytes(type));
}

} // namespace tern
