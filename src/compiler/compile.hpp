// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_COMPILER_COMPILE_HPP
#define TERN_COMPILER_COMPILE_HPP

#include <memory>
#include <span>
#include <string>

#include "compiler/partitioner.hpp"
#include "runtime/plan.hpp"

namespace tern::compiler {

/// A partition with the plan that runs it. The plan may serve other partitions as well: ids and
/// names are the partition's.
struct compiled final : runtime::plan_names {
    std::shared_ptr<const partition> part;
    std::shared_ptr<const runtime::plan> plan;

    std::string input(std::size_t port) const override;
    std::string output(std::size_t port) const override;
    std::string verbose_text(std::span<const runtime::plan_port> inputs,
            std::span<const runtime::plan_port> outputs) const override;

    void execute(const void *const *in, void *const *out, void *scratch,
            runtime::output_places *places = nullptr) const {
        plan->execute(in, out, scratch, *this, places);
    }
};

/// Makes a plan for a partition with the given logical tensors, which are looked up by id, or finds
/// one that was made for the like of it. `implementation` forces one; empty: the environment's,
/// else the best. Throws as tern::graph::partition::compile says.
compiled compile(std::shared_ptr<const partition> part, std::span<const ir::port> inputs,
        std::span<const ir::port> outputs, const runtime::engine_state &engine,
        const std::string &implementation);

} // namespace tern::compiler

#endif
