// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_COMPILER_COMPILE_HPP
#define TERN_COMPILER_COMPILE_HPP

#include <memory>
#include <span>
#include <string>

#include "compiler/partitioner.hpp"
#include "runtime/plan.hpp"

namespace tern::compiler {

/// Makes a plan for a partition with the given logical tensors, looked up by id. `implementation`
/// forces one; empty: the environment's, else the best. Throws as tern::graph::partition::compile
/// says.
std::shared_ptr<const runtime::plan> compile(const partition &part,
        std::span<const ir::port> inputs, std::span<const ir::port> outputs,
        const runtime::engine_state &engine, const std::string &implementation);

} // namespace tern::compiler

#endif
