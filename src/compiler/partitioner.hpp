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
    bool is_supported;        ///< Tern executes every op.
    bool on_values;           ///< One op, with a port that is no tensor: it is evaluated.

    const ir::value &value(int index) const {
        return graph->values()[static_cast<std::size_t>(index)];
    }
    const ir::op &op(int index) const { return graph->ops()[static_cast<std::size_t>(index)]; }
};

/// How ops are put together; the numbers are dnnl::graph's.
enum class partition_policy { fusion = 1, debug = 2 };

/// Cuts a finalized graph into partitions, in topological order.
/// fusion: maximal convex regions of connected ops that Tern executes, but for those with open
/// shapes, which stay alone; debug: one op each. Every other op is an unsupported partition of its
/// own.
/// Outputs of a partition are the values that other partitions, or no op at all, read.
std::vector<std::shared_ptr<const partition>> make_partitions(
        const std::shared_ptr<const ir::graph> &graph, partition_policy policy, fpmath_mode fpmath,
        bool fpmath_on_integers);

} // namespace tern::compiler

#endif
