// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_VALUE_REFERENCE_HPP
#define TERN_DRIVER_VALUE_REFERENCE_HPP

#include <cstdint>
#include <string_view>
#include <vector>

#include "driver/compare.hpp"
#include "ir/graph.hpp"
#include "tern/value.hpp"

namespace tern::driver {

/// The result of an op on sequences and optionals, in the driver's own words: nothing of it is the
/// library's. Throws std::runtime_error for an op it does not know.
value reference_value(const ir::op_spec &op, const std::vector<value> &in);

/// Compares two values: types and sizes, then element by element, strings by their characters.
comparison compare_values(const value &expected, const value &found, const acceptance &accepted,
        std::string_view label, int verbose);

/// A dense buffer with a copy of a tensor. Strings stay references.
buffer to_buffer(const value &tensor);
/// A tensor with a copy of a dense buffer.
value to_value(const buffer &memory);

} // namespace tern::driver

#endif
