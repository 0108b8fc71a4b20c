// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_CASE_TEXT_HPP
#define TERN_DRIVER_CASE_TEXT_HPP

#include <string>

#include "driver/settings.hpp"

namespace tern::driver {

/// The options of a case as text, in benchdnn's order, only what is not default, ending in --case=.
std::string case_to_text(const case_options &options, const std::string &path);
std::string case_to_text(const dim_sizes &dims, const std::string &path);

/// The global options that matter to a result, only what is not default, and --graph or --onnx;
/// ends in a space. Together with case_to_text this is a command line that runs the same case.
std::string settings_to_text(const run_settings &settings);

} // namespace tern::driver

#endif
