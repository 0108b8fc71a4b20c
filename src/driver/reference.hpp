// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_REFERENCE_HPP
#define TERN_DRIVER_REFERENCE_HPP

#include <cstdint>
#include <span>

#include "ir/graph.hpp"

namespace tern::driver {

/// Runs the reference loop of an op, whose kind must have one, over all elements.
/// Precondition: shapes are known and legal, outputs have memory.
///
/// A MatMul reads each operand many times: its loop is given them as f32, which holds every value
/// of the shorter types exactly, with the axis that is summed over innermost in memory.
void run_reference(const ir::op_spec &op, std::span<const ir::const_view> inputs,
        std::span<const ir::mutable_view> outputs);

/// Completes the layouts of outputs whose shape depends on data, for which the op is run; others
/// stay as they are.
void complete_shapes(const ir::op_spec &op, std::span<const ir::const_view> inputs,
        std::span<tensor_desc> outputs);

/// Bytes of the operands that run_reference packs.
std::uint64_t packed_bytes(const ir::op_spec &op);

} // namespace tern::driver

#endif
