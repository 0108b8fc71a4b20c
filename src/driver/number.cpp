// SPDX-License-Identifier: Apache-2.0
#include "driver/number.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/text.hpp"

namespace tern::driver {
namespace {

static_assert(std::endian::native == std::endian::little, "elements are read lowest byte first");

bool is_signed_integer(data_type type) {
    return type == data_type::s8 || type == data_type::s16 || type == data_type::s32
           || type == data_type::s64;
}

std::uint64_t read_bits(const void *element, std::size_t bytes) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, element, bytes);
    return bits;
}

/// Bytes of the number that an element consists of or begins with.
std::size_t number_bytes(data_type type) {
    std::optional<float_format> format = format_of(type);
    return format ? static_cast<std::size_t>(format->bits()) / 8 : bytes_of(type);
}

double decode(const float_format &format, std::uint64_t bits) {
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const std::uint64_t mantissa = bits & ((std::uint64_t{1} << format.mantissa_bits) - 1);
    const auto exponent = static_cast<int>(
            (bits >> format.mantissa_bits) & ((std::uint64_t{1} << format.exponent_bits) - 1));
    const double sign = (bits >> (format.bits() - 1)) != 0 ? -1.0 : 1.0;
    const int top = (1 << format.exponent_bits) - 1;
    const std::uint64_t all_mantissa = (std::uint64_t{1} << format.mantissa_bits) - 1;
    if (exponent == top) {
        if (format.has_infinity && mantissa == 0)
            return sign * std::numeric_limits<double>::infinity();
        if (format.has_infinity || mantissa == all_mantissa)
            return std::numeric_limits<double>::quiet_NaN();
    }
    double fraction = std::ldexp(static_cast<double>(mantissa), -format.mantissa_bits);
    if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias);
    return sign * std::ldexp(1.0 + fraction, exponent - bias);
}

/// For the formats of 8 and 16 bits.
std::uint64_t encode(const float_format &format, double value) {
    const int bias = (1 << (format.exponent_bits - 1)) - 1;
    const std::uint64_t sign = std::uint64_t{std::signbit(value)} << (format.bits() - 1);
    if (value == 0) return sign;
    const double magnitude = std::abs(value);
    const auto double_exponent = static_cast<int>(std::bit_cast<std::uint64_t>(magnitude) >> 52);
    const int exponent = std::max(double_exponent - 1023, 1 - bias);
    // In units of the last mantissa bit; a carry out of the mantissa lands in the exponent.
    const double unit = std::bit_cast<double>(
            static_cast<std::uint64_t>(1023 + format.mantissa_bits - exponent) << 52);
    const auto scaled = static_cast<std::uint64_t>(std::nearbyint(magnitude * unit));
    std::uint64_t biased = static_cast<std::uint64_t>(exponent + bias - 1) << format.mantissa_bits;
    return sign | (biased + scaled);
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

double to_double(data_type type, const void *element) {
    std::uint64_t bits = read_bits(element, number_bytes(type));
    if (std::optional<float_format> format = format_of(type)) return decode(*format, bits);
    if (!is_signed_integer(type)) return static_cast<double>(bits);
    int unused = 64 - bits_of(type);
    return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
}

void from_double(data_type type, double value, void *element) {
    std::memset(element, 0, bytes_of(type));
    std::optional<float_format> format = format_of(type);
    std::uint64_t bits = 0;
    if (!format)
        bits = static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
    else if (format->mantissa_bits == 52)
        bits = std::bit_cast<std::uint64_t>(value);
    else if (format->mantissa_bits == 23)
        bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
    else
        bits = encode(*format, value);
    std::memcpy(element, &bits, number_bytes(type));
}

std::string bits_to_text(data_type type, const void *element) {
    std::string text = "0x";
    const auto *bytes = static_cast<const unsigned char *>(element);
    for (std::size_t i = bytes_of(type); i-- > 0;)
        text += format_text("{:02x}", bytes[i]);
    return text;
}

} // namespace tern::driver
