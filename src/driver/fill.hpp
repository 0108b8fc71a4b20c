// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_FILL_HPP
#define TERN_DRIVER_FILL_HPP

/// \file
/// Values of graph inputs. They follow from seed, tensor id and position alone, so that two runs,
/// with any number of threads, see the same data.

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "driver/buffer.hpp"
#include "ir/graph.hpp"

namespace tern::driver {

/// What an input is to the op that reads it.
struct input_role {
    bool condition = false; ///< The port takes boolean and nothing else.
    int port = 0;           ///< Position among the inputs of the first op that reads it.
};

/// The roles of all tensors that no op writes. An input that is a condition anywhere is one.
std::map<std::size_t, input_role> input_roles(const std::vector<ir::op_spec> &ops);

/// For comparing bits. Conditions: half zero, the others 1 to 255, evenly. Everything else: any bit
/// patterns, with zeros, denormals, infinities and NaNs with payloads among the floating-point
/// ones; the top bit is the parity of port and seed, so that neighbouring ports differ in every
/// element. The bytes between elements get values, too.
void fill_for_comparison(
        buffer &memory, std::size_t tensor_id, const input_role &role, std::uint64_t seed);

/// For measuring. Conditions: 0 or 1, each true with probability `density`. Everything else:
/// numbers drawn evenly from the range that benchdnn uses for the type.
void fill_for_measuring(buffer &memory, std::size_t tensor_id, const input_role &role,
        std::uint64_t seed, double density);

/// Bytes that outputs hold before they are written.
void fill_with_pattern(buffer &memory);

} // namespace tern::driver

#endif
