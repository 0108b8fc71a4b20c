// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_GUARD_HPP
#define TERN_DRIVER_GUARD_HPP

#include <cstddef>
#include <functional>

#include "driver/result.hpp"
#include "driver/settings.hpp"

namespace tern::driver {

/// Runs a case and takes its time. Whatever it throws becomes part of the result, and its reason is
/// printed.
case_result guard(const std::function<void(case_result &)> &run, int verbose) noexcept;

/// Throws verdict when --start leaves the case out.
void check_start(std::size_t index, const run_settings &settings);

} // namespace tern::driver

#endif
