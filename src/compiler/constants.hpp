// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_COMPILER_CONSTANTS_HPP
#define TERN_COMPILER_CONSTANTS_HPP

/// \file
/// What follows from constants only. It cannot be computed at compile, when their memory is not
/// there; the first execution does, for all those after it.

#include <vector>

#include "compiler/fusions.hpp"
#include "compiler/region.hpp"

namespace tern::compiler {

/// Marks the values that depend on inputs of property constant only; of an op's results those of
/// groups that write no output of the partition, which is to be written in each execution. By
/// group: does it write such values? Groups are topologically sorted.
std::vector<char> mark_constants(region &r, const std::vector<group> &groups);

} // namespace tern::compiler

#endif
