// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_NUMBER_HPP
#define TERN_DRIVER_NUMBER_HPP

/// \file
/// Elements as numbers: for messages and for input values. Plain and slow, and independent of the
/// library's conversions.

#include <cstdint>
#include <optional>
#include <string>

#include "base/data_type.hpp"

namespace tern::driver {

/// Layout of a floating-point type: sign bit, exponent, mantissa.
struct float_format {
    int exponent_bits;
    int mantissa_bits;
    bool has_infinity;

    int bits() const { return 1 + exponent_bits + mantissa_bits; }
};

/// Of one real part for the complex types; nullopt for integers and boolean.
std::optional<float_format> format_of(data_type type);

/// The value of an element; the real part for complex types.
double to_double(data_type type, const void *element);

/// Writes the number of the type that is nearest to `value`, which must be in its range; an
/// imaginary part becomes 0.
void from_double(data_type type, double value, void *element);

/// "0x3f800000": the bytes of an element as one number, highest first.
std::string bits_to_text(data_type type, const void *element);

} // namespace tern::driver

#endif
