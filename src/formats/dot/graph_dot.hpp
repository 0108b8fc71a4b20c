// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_FORMATS_DOT_GRAPH_DOT_HPP
#define TERN_FORMATS_DOT_GRAPH_DOT_HPP

/// \file
/// Graphs in the DOT language, which Graphviz draws.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.hpp"

namespace tern::formats {

/// Ops that are drawn inside one frame.
struct dot_cluster {
    std::string name;
    std::vector<std::size_t> ops; ///< Ids.
};

/// Ops are boxes with kind, id, name and attributes; tensors are edges with type and shape, the
/// number of the input port at their head; tensors from outside, and those that no op reads, end in
/// an ellipse with the tensor's id. Op ids must be unique.
std::string write_dot(std::string_view name, std::span<const ir::op_spec> ops,
        std::span<const dot_cluster> clusters = {});

} // namespace tern::formats

#endif
