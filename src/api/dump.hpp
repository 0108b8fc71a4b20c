// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_API_DUMP_HPP
#define TERN_API_DUMP_HPP

/// \file
/// Files with graphs and partitions, for TERN_GRAPH_DUMP and set_dump_mode. A dump that fails
/// leaves no trace but a verbose line.

#include <cstddef>
#include <memory>
#include <span>

#include "compiler/compile.hpp"
#include "ir/graph.hpp"
#include "tern/graph.hpp"

namespace tern::graph {

std::size_t next_graph_id();

/// Is this wanted? One relaxed atomic read, once the environment has been looked at.
bool dumps(graph_dump_mode what);

struct dumped_graph {
    std::size_t id;
    const ir::graph &graph;
    fpmath_mode fpmath;
    bool fpmath_on_integers;
};

/// graph-<id>: before partitioning.
void dump_graph(const dumped_graph &g) noexcept;
/// graph-<id>-partitioning: every op with its partition.
void dump_partitioning(const dumped_graph &g,
        std::span<const std::shared_ptr<const compiler::partition>> parts) noexcept;
/// graph-<partition id>-<hash of the content>: ports as compiled, other tensors as the graph knows
/// them.
void dump_compiled(const compiler::compiled &compiled) noexcept;

} // namespace tern::graph

#endif
