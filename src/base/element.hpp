// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_BASE_ELEMENT_HPP
#define TERN_BASE_ELEMENT_HPP

/// \file
/// Single elements as numbers. Plain and slow: for reference loops and for the driver. The kernels
/// have conversions of their own, but for f8 and 64-bit integers, where tests hold literal values.

#include <cstdint>
#include <optional>

#include "base/data_type.hpp"

namespace tern {

/// Layout of a floating-point type: sign bit, exponent, mantissa.
struct float_format {
    int exponent_bits;
    int mantissa_bits;
    bool has_infinity;

    int bits() const { return 1 + exponent_bits + mantissa_bits; }
};

/// Of one real part for the complex types; nullopt for integers and boolean.
std::optional<float_format> format_of(data_type type);

/// True for the real floating-point types.
inline bool is_floating(data_type type) {
    return format_of(type) && type != data_type::c64 && type != data_type::c128;
}
bool is_signed_integer(data_type type);
/// True for the integers of 8 to 64 bits; boolean is none.
bool is_integer(data_type type);

/// The value of an element: exact but for integers beyond 2^53, which are rounded. Boolean: 0 or 1.
/// The real part for complex types, 0 for a string. Not for types below a byte.
double load_f64(data_type type, const void *element) noexcept;

/// Writes `value` as an element; an imaginary part becomes 0.
/// Floating point: to nearest, ties to even, denormals kept; what is too large becomes infinity (in
/// f8_e4m3, which has none: NaN). Integers: towards zero, saturating; NaN becomes 0.
/// Boolean: 1 unless the value is 0. String: an empty one, whatever the value is.
void store_f64(data_type type, double value, void *element) noexcept;

/// The value of an integer or boolean (0 or 1) element, modulo 2^64 for u64.
std::int64_t load_s64(data_type type, const void *element) noexcept;
/// Writes the low bits of `value`; boolean: 1 unless the value is 0.
void store_s64(data_type type, std::int64_t value, void *element) noexcept;

} // namespace tern

#endif
