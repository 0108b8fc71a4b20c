// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_DRIVER_HPP
#define TERN_DRIVER_DRIVER_HPP

#include <string>
#include <vector>

namespace tern::driver {

/// benchtern: parses the arguments (without the program's name), runs every case, prints results
/// and summary. Returns the exit code: 0 when no case failed, 1 when one did or an option has a bad
/// value, 2 for an option that does not exist.
int run_driver(const std::vector<std::string> &arguments);

} // namespace tern::driver

#endif
