// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_RUNTIME_PLAN_HPP
#define TERN_RUNTIME_PLAN_HPP

/// \file
/// The plan: a compiled partition's inside. Immutable; checks the arguments of a call, then runs
/// the kernel.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "ir/graph.hpp"
#include "runtime/engine_state.hpp"
#include "runtime/kernel.hpp"

namespace tern::runtime {

/// An implementation that was considered and not taken.
struct passed_over {
    std::string implementation;
    std::string reason;
};

/// A port of the partition, fully resolved.
struct plan_port {
    ir::port port;
    std::string name;       ///< For messages: "src_0 of Select (op 7)".
    std::int64_t bytes = 0; ///< From the first to the last byte.
    bool is_empty = false;
};

/// Everything the compiler decided.
struct plan_parts {
    std::vector<plan_port> inputs;
    std::vector<plan_port> outputs;
    /// For each output, for each input: may both be the very same memory? By index output * inputs
    /// + input.
    std::vector<char> may_alias;
    std::vector<std::pair<std::size_t, std::size_t>> in_place_ids;
    /// Null when there is nothing to compute (all outputs are empty).
    std::unique_ptr<const kernel> work;
    /// Which partition port feeds each input of the kernel.
    std::vector<int> kernel_inputs;
    std::size_t scratch_bytes = 0;
    std::string implementation;
    std::vector<passed_over> refusals;
    /// "cpu,<id>,<kind>,<op names>,<formats>,<logical tensors>,fpm:<mode>": the middle of verbose
    /// lines.
    std::string verbose_text;
};

class plan {
public:
    plan(plan_parts parts, const engine_state &engine);

    const plan_parts &parts() const { return parts_; }
    const engine_state &engine() const { return engine_; }

    /// Pointers by port. Throws tern::error (invalid_arguments, out_of_memory) before any output
    /// byte is written. Allocates nothing unless scratch is needed and not given.
    void execute(const void *const *in, void *const *out, void *scratch) const;

private:
    void check(const void *const *in, void *const *out) const;
    void check_output(std::size_t index, const void *const *in, void *const *out) const;
    void run(const void *const *in, void *const *out, void *scratch) const noexcept;

    plan_parts parts_;
    const engine_state &engine_;
};

} // namespace tern::runtime

#endif
