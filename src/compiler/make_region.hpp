// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_COMPILER_MAKE_REGION_HPP
#define TERN_COMPILER_MAKE_REGION_HPP

#include "compiler/ports.hpp"
#include "compiler/region.hpp"

namespace tern::compiler {

/// A partition with the caller's logical tensors as a region: shapes inferred again, inner tensors
/// dense. Fills in the ports of `parts`. Throws as tern::graph::partition::compile says.
region make_region(const partition &part, const given_list &inputs, const given_list &outputs,
        runtime::plan_parts &parts);

} // namespace tern::compiler

#endif
