// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_VALUE_CASE_HPP
#define TERN_DRIVER_VALUE_CASE_HPP

/// \file
/// Cases with sequences and optionals. Their shapes are known when they run, so partitions are
/// compiled one after the other, for what those before them gave.

#include "driver/correctness.hpp"
#include "driver/result.hpp"
#include "driver/settings.hpp"
#include "formats/json/graph_file.hpp"

namespace tern::driver {

/// Has the graph a port that is no tensor?
bool has_values(const formats::graph_file &file);

/// Sorts the ops. Such graphs run as the file has them: throws verdict (Rewriter failed) for an
/// option that would change it.
void settle_values(formats::graph_file &file, const case_options &options);

/// Runs the case in the mode of `settings`, from building the graph on. Mode C compares with
/// reference loops, and sequences and optionals with what the driver itself makes of the inputs.
/// Throws verdict; lets the library's tern::error pass.
void run_value_case(const formats::graph_file &file, const case_options &options,
        const run_settings &settings, const tensor_dump &dump, case_result &result);

} // namespace tern::driver

#endif
