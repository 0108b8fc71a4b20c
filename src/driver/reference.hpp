// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_REFERENCE_HPP
#define TERN_DRIVER_REFERENCE_HPP

#include <span>

#include "ir/graph.hpp"

namespace tern::driver {

/// Runs the reference loop of an op, whose kind must have one, over all elements.
/// Precondition: shapes are known and legal, outputs have memory.
void run_reference(const ir::op_spec &op, std::span<const ir::const_view> inputs,
        std::span<const ir::mutable_view> outputs);

} // namespace tern::driver

#endif
