// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_ROLES_HPP
#define TERN_DRIVER_ROLES_HPP

/// \file
/// What each input of a graph is to the ops around it, and so which values make a good test: masks
/// that mask, scales that scale, sums that are exact.

#include <cstddef>
#include <map>
#include <vector>

#include "ir/graph.hpp"

namespace tern::driver {

enum class value_kind {
    bits,          ///< Any bit patterns.
    numbers,       ///< Reals around 0, with zeros, small and large ones; small integers.
    multiples,     ///< step * k, with k drawn evenly from the integers least to most.
    indices,       ///< The same; also where others are numbers for measuring.
    one_of,        ///< One of `choices` for the whole tensor.
    each_of,       ///< One of `choices` for each element.
    additive_mask, ///< 0, or -infinity where a key is masked.
    statistics,    ///< Roughly the logarithms of the sums of a causal softmax's rows.
};

/// What an input is to the op that reads it.
struct input_role {
    bool condition = false; ///< The port takes boolean and nothing else.
    bool counted = false;   ///< An op asks of each element whether it is zero.
    int port = 0;           ///< Position among the inputs of the first op that reads it.

    value_kind kind = value_kind::bits;
    double least = 0;
    double most = 0;
    double step = 1;
    std::vector<double> choices = {};
    double least_magnitude = 0; ///< numbers: none is nearer to 0.
    bool positive = false;      ///< numbers: above 0.
    bool specials = false;      ///< numbers: infinities and NaNs among them.

    /// For conditions and additive masks: they mask rows of a softmax, along this axis counted from
    /// the end (-1 is the last). 0: they do not.
    int row_axis = 0;
    bool keeps = true;        ///< The condition's value that lets an element through.
    bool keeps_first = false; ///< Element 0 of every row is let through; else any one.
};

/// The roles of all tensors that no op writes. Precondition: shapes are known.
///
/// A tensor that is a condition anywhere is one. Where all ops move or decide, everything else is
/// bits. Otherwise the first op that cares decides, seen through ops that only move or convert:
/// - Select, Where: a side that no op writes, if the result reaches a SoftMax or an Exp through
///   Add, Subtract, Multiply, Divide and the like, is -infinity, and the condition leaves at least
///   one element of each row.
/// - Add before SoftMax, or before a Subtract of statistics: an input of its own that has keys on
///   its last axis is an additive mask.
/// - Multiply, Divide by one element: a power of two other than 1.
/// - Add, Subtract of one integer to what comes from GenIndex: the number of keys, of queries.
/// - Subtract before Exp of an input with one element a row: statistics.
/// - MatMul, and Multiply before ReduceSum: multiples whose products add up exactly in f32.
/// - Dequantize and its kind: integers around the zero point, scales that are powers of two.
/// - Log, Sqrt and Pow: above 0; divisors: not near 0.
/// Indices of a Gather are in range always.
std::map<std::size_t, input_role> input_roles(const std::vector<ir::op_spec> &ops);

} // namespace tern::driver

#endif
