// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_RUN_CASE_HPP
#define TERN_DRIVER_RUN_CASE_HPP

#include <cstddef>
#include <string>

#include "driver/result.hpp"
#include "driver/settings.hpp"

namespace tern::driver {

/// Runs one case. Never throws: whatever goes wrong is part of the result, and its reason has been
/// printed. `case_text` and `index` are for what is printed and dumped.
case_result run_case(const std::string &path, const case_options &options,
        const run_settings &settings, const std::string &case_text, std::size_t index) noexcept;

} // namespace tern::driver

#endif
