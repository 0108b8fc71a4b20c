// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_COMMAND_LINE_HPP
#define TERN_DRIVER_COMMAND_LINE_HPP

/// \file
/// From arguments and batch files to a list of cases.

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/file_search.hpp"
#include "driver/settings.hpp"

namespace tern::driver {

/// Everything a command line asks for. It is read to its end before the first case runs, so that a
/// bad option shows at once.
struct run_plan {
    bool help = false;
    std::vector<planned_case> cases;
    run_settings settings; ///< As they stand at the end: they decide about the summary.
};

/// `arguments` without the program's name. Throws usage_error.
run_plan parse_command_line(const std::vector<std::string> &arguments);

/// The tokens of a batch file: separated by white space; a token that begins with # starts a
/// comment to the end of the line; a backslash at the end of a token glues the next token to it.
std::vector<std::string> batch_tokens(std::string_view text);

/// The text of --help.
std::string help_text();

} // namespace tern::driver

#endif
