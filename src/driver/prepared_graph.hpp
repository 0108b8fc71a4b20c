// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_PREPARED_GRAPH_HPP
#define TERN_DRIVER_PREPARED_GRAPH_HPP

/// \file
/// From a rewritten graph file to compiled partitions, through the public API.

#include <cstddef>
#include <utility>
#include <vector>

#include "base/tensor_desc.hpp"
#include "driver/result.hpp"
#include "driver/settings.hpp"
#include "formats/json/graph_file.hpp"
#include "tern/graph.hpp"

namespace tern::driver {

struct compiled_port {
    std::size_t id;
    graph::logical_tensor tensor; ///< As compiled.
    tensor_desc desc;             ///< The same, from the inside; dense when the layout was any.

    /// Its shape depends on data: execution tells.
    bool is_open() const { return !desc.shape_known(); }
};

/// One partition, ready to run.
struct compiled_step {
    graph::compiled_partition compiled;
    std::vector<const ir::op_spec *> ops; ///< In topological order; they live in the graph file.
    std::vector<compiled_port> inputs;    ///< In port order, as are the outputs.
    std::vector<compiled_port> outputs;
    std::size_t scratch_bytes = 0;
};

struct prepared_graph {
    engine where;
    std::vector<compiled_step> steps; ///< In the order of execution.
};

/// Builds, finalizes and partitions; ops End count for nothing. Throws verdict for an unsupported
/// partition (naming its ops) and for an unexpected number of partitions; lets the library's
/// tern::error pass.
std::vector<graph::partition> make_partitions(const formats::graph_file &file,
        std::size_t expected_n_partitions, const run_settings &settings, phase_seconds &phases);

/// The ops of a partition, in the file's order.
std::vector<const ir::op_spec *> ops_of(
        const graph::partition &partition, const formats::graph_file &file);

/// Builds, finalizes, partitions and compiles, with `settings.implementation`. Throws verdict for
/// an unsupported partition (naming its ops) and for an unexpected number of partitions; lets the
/// library's tern::error pass.
prepared_graph prepare(const formats::graph_file &file, std::size_t expected_n_partitions,
        const run_settings &settings, phase_seconds &phases);

} // namespace tern::driver

#endif
