// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_COMPILER_EXECUTE_VALUES_HPP
#define TERN_COMPILER_EXECUTE_VALUES_HPP

#include <span>

#include "compiler/compile.hpp"
#include "tern/value.hpp"

namespace tern::compiler {

/// Runs a partition on values, by port. A single op that can is evaluated; everything else runs as
/// planned, on the memory of the values, into new tensors. Throws as
/// tern::graph::compiled_partition::execute says; `out` is as before then.
void execute_values(const compiled &c, std::span<const value> in, std::span<value> out);

} // namespace tern::compiler

#endif
