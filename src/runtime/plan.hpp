// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_RUNTIME_PLAN_HPP
#define TERN_RUNTIME_PLAN_HPP

/// \file
/// The plan: a compiled partition's inside. Immutable; checks the arguments of a call, then runs
/// its steps one after the other.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/tensor_desc.hpp"
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
    tensor_desc desc;
    std::int64_t bytes = 0; ///< From the first to the last byte.
    bool is_empty = false;
    /// Some dims depend on what the inputs hold: they are unknown in `desc`, and so is the size.
    /// Only outputs are open.
    bool is_open = false;
};

/// Where those outputs of one call go that are open, or come without memory. Asked on the thread of
/// the call.
class output_places {
public:
    virtual ~output_places() = default;
    /// How the memory lies that the caller gives for an open output, for which a pointer alone says
    /// too little. Null: not known, so there must be none.
    virtual const plan_port *room(std::size_t output) const noexcept = 0;
    /// Will `provide` find memory for an output that comes without?
    virtual bool can_provide(std::size_t output) const noexcept = 0;
    /// Memory for an output, whose layout is known by now; null when there is none. Called once for
    /// each such output, empty ones included, before any byte is written. May throw.
    virtual void *provide(std::size_t output, const plan_port &layout) = 0;
    /// All outputs are written; called for each.
    virtual void finish(std::size_t output, const plan_port &layout) noexcept = 0;
};

/// Where an operand of a step is during a call.
struct step_operand {
    enum class memory : std::uint8_t {
        input,   ///< Of the caller, by port.
        output,  ///< Of the caller, by port.
        scratch, ///< At an offset of the call's scratch memory.
        none,    ///< There is none: the operand is empty, or its content is not read.
    };
    memory where = memory::none;
    std::size_t at = 0; ///< Port, or offset in bytes.
    /// Offset in the block of what is kept from call to call; when a call has one, it goes before
    /// `where`.
    std::size_t kept_at = not_kept;

    static constexpr std::size_t not_kept = SIZE_MAX;
};

/// When a step runs.
enum class step_role : std::uint8_t {
    always,
    /// Its operands are constants: not when its results were kept.
    constant,
    /// Makes what only other calls are faster for: only in the call that fills the block.
    preparation,
};

/// One kernel with its operands.
struct plan_step {
    std::unique_ptr<const kernel> work;
    std::vector<step_operand> in; ///< As the kernel counts them.
    std::vector<step_operand> out;
    step_role role = step_role::always;
    /// The kernel does not take all elements that there are: it is asked before the first step
    /// runs, and all of its inputs are the caller's.
    bool checks_data = false;
    std::size_t scratch_bytes = 0; ///< What the kernel needs for itself.
    std::size_t arena_bytes = 0;   ///< Of the results that later steps read from scratch memory.
    std::size_t moved_bytes = 0;   ///< Read and written outside of caches at best: all operands.
    std::string ops;               ///< Kinds, joined by "+".
    std::string implementation;
};

/// Everything the compiler decided. It knows ports by position and neither ids nor names, so that
/// partitions that are alike share it.
struct plan_parts {
    std::vector<plan_port> inputs;
    std::vector<plan_port> outputs;
    /// For each output, for each input: may both be the very same memory? By index output * inputs
    /// + input.
    std::vector<char> may_alias;
    /// Input and output ports that share memory best, one pair per output at most.
    std::vector<std::pair<std::size_t, std::size_t>> in_place;
    /// In the order of execution. None when there is nothing to compute (all outputs are empty).
    std::vector<plan_step> steps;
    std::size_t kept_bytes = 0; ///< Of the block of what is kept from call to call; 0: nothing is.
    std::vector<std::size_t> constants; ///< Input ports that the content of that block depends on.
    std::size_t arena_bytes = 0;        ///< Results that one step leaves for another.
    std::size_t scratch_bytes = 0;      ///< Of a call, in all; the address needs no alignment.
    std::string implementation;
    std::vector<passed_over> refusals;
};

/// Most operands, inputs or outputs, of a step.
inline constexpr std::size_t max_step_operands = 160;

/// What the ports of one partition are called. Asked only where a message or a verbose line is
/// written.
class plan_names {
public:
    virtual ~plan_names() = default;
    virtual std::string input(std::size_t port) const = 0; ///< "src_0 of Select (op 7) (tensor 2)"
    virtual std::string output(std::size_t port) const = 0;
    /// The middle of verbose lines:
    /// "cpu,<id>,<kind>,<op names>,<formats>,<logical tensors>,fpm:<mode>".
    virtual std::string verbose_text(
            std::span<const plan_port> inputs, std::span<const plan_port> outputs) const = 0;
};

class constant_entries;
class constant_use;

class plan {
public:
    plan(plan_parts parts, const engine_state &engine);

    const plan_parts &parts() const { return parts_; }
    const engine_state &engine() const { return engine_; }

    /// Pointers by port. Throws tern::error (invalid_arguments, out_of_memory) before any output
    /// byte is written. Allocates nothing unless scratch is needed and not given, or what is kept
    /// of constants is made. `kept`: entries for `constants` and `kept_bytes`, or null. Without
    /// `places` every output needs memory, and none may be open.
    void execute(const void *const *in, void *const *out, void *scratch, const plan_names &names,
            constant_entries *kept = nullptr, output_places *places = nullptr) const;

private:
    friend class open_call;

    void check_inputs(const void *const *in, const plan_names &names) const;
    void check(const void *const *in, void *const *out, const plan_names &names) const;
    void check_output(std::size_t index, const plan_port *outputs, const void *const *in,
            void *const *out, const plan_names &names) const;
    void check_data(const plan_step &step, const void *const *in, const plan_names &names) const;
    /// Calls `visit(step, pointers in, pointers out, scratch of the step)` for each step.
    template <typename Visit>
    void for_each_step(const void *const *in, void *const *out, void *scratch, constant_use &kept,
            const Visit &visit) const noexcept;
    void run(const void *const *in, void *const *out, void *scratch,
            constant_entries *entries) const noexcept;
    /// `outputs()` are those of the verbose line, once `run(scratch)` is through.
    template <typename Run, typename Outputs>
    void run_and_report(
            void *scratch, const plan_names &names, const Run &run, const Outputs &outputs) const;

    plan_parts parts_;
    const engine_state &engine_;
    bool has_open_outputs_;
    bool checks_data_; ///< A step does.
};

} // namespace tern::runtime

#endif
