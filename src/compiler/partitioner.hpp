// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_COMPILER_PARTITIONER_HPP
#define TERN_COMPILER_PARTITIONER_HPP

#include <cstddef>
#include <memory>
#include <vector>

#include "ir/graph.hpp"

namespace tern::compiler {

/// A set of ops of a finalized graph that is compiled and executed as one. Immutable.
struct partition {
    std::size_t id; ///< Unique in the process.
    std::shared_ptr<const ir::graph> graph;
    fpmath_mode fpmath;
    bool fpmath_on_integers;
    std::vector<int> ops;     ///< Indices into graph->ops(), topologically sorted.
    std::vector<int> inputs;  ///< Indices into graph->values(), by port; each value once.
    std::vector<int> outputs; ///< As inputs.
    bool is_supported;        ///< Every op has a definition.

    const ir::value &value(int index) const {
        return graph->values()[static_cast<std::size_t>(index)];
    }
    const ir::op &op(int index) const { return graph->ops()[static_cast<std::size_t>(index)]; }
};

/// Cuts a finalized graph into partitions, in topological order: one op each.
std::vector<std::shared_ptr<const partition>> make_partitions(
        const std::shared_ptr<const ir::graph> &graph, fpmath_mode fpmath, bool fpmath_on_integers);

} // namespace tern::compiler

#endif
