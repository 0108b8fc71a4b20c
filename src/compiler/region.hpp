// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_COMPILER_REGION_HPP
#define TERN_COMPILER_REGION_HPP

/// \file
/// A partition under compilation: ops and values by index, everything known of each tensor.

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "ir/graph.hpp"

namespace tern::compiler {

/// Where the elements of a value are while the plan runs.
enum class place : std::uint8_t {
    input,  ///< In the caller's memory of an input port.
    output, ///< In the caller's memory of an output port.
    arena,  ///< In the plan's scratch memory.
    none,   ///< Nowhere: a fused step keeps it to itself.
};

struct region_value {
    tensor_desc desc; ///< Strided, nothing unknown; the strides are those of its place.
    int producer = -1;
    std::vector<int> readers; ///< Ops, each once.
    place where = place::none;
    int port = -1; ///< Of input and output.
    /// The value whose memory this one lies in, with strides of its own; itself when it has memory
    /// of its own.
    int home = -1;
};

struct region_op {
    const ir::op *op = nullptr;
    std::vector<int> in; ///< Values, by port.
    std::vector<int> out;
    bool is_view = false; ///< Moves nothing: its output lies where its input lies.

    op_kind kind() const { return op->kind; }
};

/// Immutable once the passes are through. Ops are topologically sorted.
struct region {
    std::vector<region_op> ops;
    std::vector<region_value> values;

    const region_op &op(int index) const { return ops[static_cast<std::size_t>(index)]; }
    region_op &op(int index) { return ops[static_cast<std::size_t>(index)]; }
    const region_value &value(int index) const { return values[static_cast<std::size_t>(index)]; }
    region_value &value(int index) { return values[static_cast<std::size_t>(index)]; }
    const tensor_desc &desc(int value_index) const { return value(value_index).desc; }
};

/// Throws std::logic_error naming what is wrong with a region: ops out of order, values without a
/// producer or a place. Called after each pass.
void verify(const region &r);

/// Turns StaticTranspose, StaticReshape, Reorder and its like into views where the result may lie
/// in the memory of the source, or the source be written to where the result is wanted.
void make_views(region &r);

/// Strides that reach the elements of a StaticTranspose's result in its source.
dims transposed_strides(const region_op &o, const dims &src_strides);

} // namespace tern::compiler

#endif
