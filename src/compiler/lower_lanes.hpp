// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_COMPILER_LOWER_LANES_HPP
#define TERN_COMPILER_LOWER_LANES_HPP

/// \file
/// From elementwise ops to lane programs.

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "compiler/fusions.hpp"
#include "compiler/region.hpp"
#include "kernels/lanes/lane_program.hpp"

namespace tern::compiler {

/// Ops that may be part of a lane program, for the types that it computes with.
bool has_lane_form(op_kind kind);
/// Why an op cannot be part of a lane program; empty when it can.
std::string lanes_obstacle(const region &r, int op);

/// What feeds an input of a lane program, or takes an output.
struct lane_operand {
    int value = -1; ///< Of the region; -1: `constant`, an index, or the tile of a MatMul.
    std::shared_ptr<const std::vector<float>> constant{};
    bool is_index = false;
    bool is_tile = false;
    dims strides{}; ///< Over the group's shape, in elements; 0 where broadcast.
};

/// A group as a program. Operands are in the program's order.
struct lane_build {
    kernels::lane_program program;
    std::vector<lane_operand> inputs;
    std::vector<lane_operand> outputs;
};

/// `shape` is that of every op's result. Of a MatMul group the first input is the tile with the
/// sums in f32. Precondition: no op of the group has an obstacle.
lane_build build_lanes(const region &r, const group &g, const dims &shape);

} // namespace tern::compiler

#endif
