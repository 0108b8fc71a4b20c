// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_EXECUTION_HPP
#define TERN_DRIVER_EXECUTION_HPP

/// \file
/// Memory of a case and calls to execute.

#include <cstddef>
#include <map>
#include <vector>

#include "driver/buffer.hpp"
#include "driver/prepared_graph.hpp"
#include "driver/ram.hpp"

namespace tern::driver {

/// Tensors by id.
using memory_map = std::map<std::size_t, buffer>;

/// Throws verdict (Not enough RAM) when everything that the mode allocates is too much.
void check_ram(const prepared_graph &prepared, run_mode mode, int verbose);

/// Bytes of a port's memory; the most there may be where the shape depends on data.
std::size_t most_bytes(const compiled_step &step, const compiled_port &port);

/// Makes and fills every graph input; the time goes to `phases`.
memory_map make_inputs(const prepared_graph &prepared, const formats::graph_file &file,
        const run_settings &settings, phase_seconds &phases);
/// Makes a step's outputs, every page of them touched. Not those whose shape depends on data:
/// execution asks for them, and puts them into the same map.
void make_outputs(const compiled_step &step, memory_map &memory);

/// The pointers of a step's ports, for the second form of execute.
struct step_pointers {
    std::vector<const void *> inputs;
    std::vector<void *> outputs; ///< Null where the shape depends on data.
    memory_map *memory;          ///< Gets what execution asks for, and keeps it for the next time.
};
step_pointers pointers_of(const compiled_step &step, memory_map &memory);

/// Executes through tensor objects.
void execute_tensors(const prepared_graph &prepared, const compiled_step &step, memory_map &memory);
/// Executes through bare pointers; `scratch` may be null.
void execute_pointers(const prepared_graph &prepared, const compiled_step &step,
        const step_pointers &pointers, void *scratch);

/// For each tensor id that is an input of a step: the last such step.
std::map<std::size_t, std::size_t> last_uses(const prepared_graph &prepared);

} // namespace tern::driver

#endif
