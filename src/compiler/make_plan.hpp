// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_COMPILER_MAKE_PLAN_HPP
#define TERN_COMPILER_MAKE_PLAN_HPP

#include <string>

#include "compiler/ports.hpp"
#include "runtime/plan.hpp"

namespace tern::compiler {

/// From a partition to its plan: resolves every tensor, turns moves into views, groups ops, gives
/// each group an implementation (`implementation` alone, when it is not empty), and places what
/// lies between the groups. Throws as tern::graph::partition::compile says.
runtime::plan_parts make_plan(const partition &part, const given_list &inputs,
        const given_list &outputs, const std::string &implementation);

} // namespace tern::compiler

#endif
