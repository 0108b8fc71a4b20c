// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_MEASURE_HPP
#define TERN_DRIVER_MEASURE_HPP

#include <functional>

#include "driver/correctness.hpp"

namespace tern::driver {

/// Calls `run_all` once to warm up, then as often as `settings` say, and notes the times.
void measure_calls(
        const run_settings &settings, case_result &result, const std::function<void()> &run_all);

/// Mode P: one warm-up, then execution after execution until the time is used up and there were at
/// least five, or as often as --fix-times-per-prb says. One sample is all partitions in their
/// order, through the pointer form of execute, with memory and scratchpads made before.
void measure(const prepared_graph &prepared, const formats::graph_file &file,
        const run_settings &settings, const tensor_dump &dump, case_result &result);

} // namespace tern::driver

#endif
