// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_OP_CLASSES_HPP
#define TERN_DRIVER_OP_CLASSES_HPP

#include <vector>

#include "ir/graph.hpp"

namespace tern::driver {

/// Ops by what they do to numbers: this decides which inputs they are given and how exactly their
/// results must be met.
enum class op_class {
    moves,      ///< Takes elements as they are: Select, Reorder.
    decides,    ///< Exact answers: comparisons, logic, coordinates.
    converts,   ///< One rounding: TypeCast, Quantize.
    picks,      ///< No rounding: Maximum, Abs, Clamp.
    arithmetic, ///< One rounding of a sum, product, quotient or root.
    curved,     ///< Approximated functions: Exp, Tanh.
    softmax,    ///< SoftMax and its kind.
    sums,       ///< MatMul and reductions.
    other,
};

op_class class_of(op_kind kind);

/// True when every op of the graph only moves or decides, so that any bits will do as input.
bool takes_any_bits(const std::vector<ir::op_spec> &ops);

/// True when the attributes are such that every element of the result is the same: a Clamp to one
/// number, a HardSigmoid without a slope.
bool gives_one_value(const ir::op_spec &op);

} // namespace tern::driver

#endif
