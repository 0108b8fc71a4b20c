// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_FILL_HPP
#define TERN_DRIVER_FILL_HPP

/// \file
/// Values of graph inputs. They follow from seed, tensor id and position alone, so that two runs,
/// with any number of threads, see the same data.

#include <cstddef>
#include <cstdint>

#include "driver/buffer.hpp"
#include "driver/roles.hpp"

namespace tern::driver {

/// For comparing. Conditions: half zero, the others 1 to 255, evenly. Everything else as
/// `role.kind` says. Bits: with zeros, denormals, infinities and NaNs with payloads among the
/// floating-point ones; the top bit is the parity of port and seed, so that neighbouring ports
/// differ in every element. Strings: up to 24 characters, some of them none, that live as long as
/// the program. The bytes between elements get values, too. Where zeros are counted, half the
/// elements are zero, those of floating-point types with either sign.
///
/// Of the rows of a mask the share `masked_rows` is masked entirely; every other row lets at least
/// one element through. Rows without an end of their own (a broadcast mask) count each element.
void fill_for_comparison(buffer &memory, std::size_t tensor_id, const input_role &role,
        std::uint64_t seed, double masked_rows = 0);

/// For measuring. Conditions: 0 or 1, each true with probability `density`. Everything else:
/// numbers drawn evenly from the range that benchdnn uses for the type; where zeros are counted, an
/// element is a number other than 0 with probability `density`.
void fill_for_measuring(buffer &memory, std::size_t tensor_id, const input_role &role,
        std::uint64_t seed, double density);

/// Bytes that outputs hold before they are written.
void fill_with_pattern(buffer &memory);

} // namespace tern::driver

#endif
