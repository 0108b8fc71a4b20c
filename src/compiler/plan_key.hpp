// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_COMPILER_PLAN_KEY_HPP
#define TERN_COMPILER_PLAN_KEY_HPP

#include <span>
#include <string>
#include <string_view>

#include "compiler/partitioner.hpp"
#include "runtime/engine_state.hpp"

namespace tern::compiler {

/// Everything that decides what a plan is, as bytes: ops and how they are joined, attributes, what
/// graph and caller know of each tensor, engine and implementation. Tensors go by position, not by
/// id. `inputs` and `outputs` are the caller's, by port.
std::string make_plan_key(const partition &part, std::span<const tensor_desc *const> inputs,
        std::span<const tensor_desc *const> outputs, const runtime::engine_state &engine,
        std::string_view implementation);

} // namespace tern::compiler

#endif
