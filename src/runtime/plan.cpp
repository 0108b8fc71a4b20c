// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan.hpp"

#include <array>
#include <chrono>

#include "base/error.hpp"
#include "base/overlap.hpp"
#include "runtime/constant_cache.hpp"
#include "runtime/verbose.hpp"

namespace tern::runtime {
namespace {

/// Scratch memory of one call, from the engine's allocator.
class scratch_buffer {
public:
    scratch_buffer(const engine_state &engine, std::size_t bytes)
        : engine_(engine),
          data_(engine.allocate(bytes, 64)) {
        if (!data_)
            fail(status::out_of_memory, "execute: {} bytes of scratch memory cannot be had", bytes);
    }
    ~scratch_buffer() { engine_.deallocate(data_); }
    scratch_buffer(const scratch_buffer &) = delete;
    scratch_buffer &operator=(const scratch_buffer &) = delete;
    void *data() const { return data_; }

private:
    const engine_state &engine_;
    void *data_;
};

bool ranges_meet(const void *a, std::int64_t a_bytes, const void *b, std::int64_t b_bytes) {
    auto from_a = reinterpret_cast<std::uintptr_t>(a);
    auto from_b = reinterpret_cast<std::uintptr_t>(b);
    return from_a < from_b + static_cast<std::uintptr_t>(b_bytes)
           && from_b < from_a + static_cast<std::uintptr_t>(a_bytes);
}

memory_view view_of(const plan_port &port, const void *data) {
    const tensor_desc &desc = port.desc;
    return {data, desc.shape, desc.strides, bytes_of(desc.type)};
}

/// Do the elements of two ports share a byte? The ranges are compared first: that decides nearly
/// every call.
bool ports_meet(const plan_port &a, const void *a_data, const plan_port &b, const void *b_data) {
    return ranges_meet(a_data, a.bytes, b_data, b.bytes)
           && views_overlap(view_of(a, a_data), view_of(b, b_data));
}

} // namespace

plan::plan(plan_parts parts, const engine_state &engine)
    : parts_(std::move(parts)),
      engine_(engine) {}

void plan::check(const void *const *in, void *const *out, const plan_names &names) const {
    if (!in && !parts_.inputs.empty())
        fail(status::invalid_arguments, "execute: the list of inputs is null; {} pointers expected",
                parts_.inputs.size());
    if (!out && !parts_.outputs.empty())
        fail(status::invalid_arguments,
                "execute: the list of outputs is null; {} pointers expected",
                parts_.outputs.size());
    auto is_missing = [](const plan_port &port, const void *data) {
        return !data && !port.is_empty;
    };
    auto fail_missing = [](const std::string &name, const plan_port &port) {
        fail(status::invalid_arguments, "execute: {} has no memory; {} bytes expected", name,
                port.bytes);
    };
    for (std::size_t i = 0; i < parts_.inputs.size(); ++i)
        if (is_missing(parts_.inputs[i], in[i])) fail_missing(names.input(i), parts_.inputs[i]);
    for (std::size_t o = 0; o < parts_.outputs.size(); ++o) {
        if (is_missing(parts_.outputs[o], out[o])) fail_missing(names.output(o), parts_.outputs[o]);
        if (!parts_.outputs[o].is_empty) check_output(o, in, out, names);
    }
    for (const plan_step &step : parts_.steps)
        if (step.checks_data) check_data(step, in, names);
}

void plan::check_data(const plan_step &step, const void *const *in, const plan_names &names) const {
    std::array<const void *, max_step_operands> from{};
    for (std::size_t i = 0; i < step.in.size(); ++i)
        if (step.in[i].where == step_operand::memory::input) from[i] = in[step.in[i].at];
    if (const auto fault = step.work->check_data(from.data()))
        fail(status::invalid_arguments, "execute: {} {}", names.input(step.in[fault->input].at),
                fault->text);
}

void plan::check_output(
        std::size_t index, const void *const *in, void *const *out, const plan_names &names) const {
    const plan_port &output = parts_.outputs[index];
    for (std::size_t i = 0; i < parts_.inputs.size(); ++i) {
        const plan_port &input = parts_.inputs[i];
        if (input.is_empty) continue;
        bool same = in[i] == out[index] && parts_.may_alias[index * parts_.inputs.size() + i];
        if (!same && ports_meet(output, out[index], input, in[i]))
            fail(status::invalid_arguments,
                    "execute: the memory of {} overlaps that of {}; expected separate memory, or "
                    "exactly the same where execution in place is legal",
                    names.output(index), names.input(i));
    }
    for (std::size_t o = 0; o < index; ++o) {
        const plan_port &other = parts_.outputs[o];
        if (!other.is_empty && ports_meet(output, out[index], other, out[o]))
            fail(status::invalid_arguments,
                    "execute: the memory of {} overlaps that of {}, another output",
                    names.output(index), names.output(o));
    }
}

namespace {

/// What kernels expect of scratch memory.
constexpr std::uintptr_t scratch_alignment = 64;

char *align(void *scratch) {
    auto address = reinterpret_cast<std::uintptr_t>(scratch);
    return static_cast<char *>(scratch) + (-address & (scratch_alignment - 1));
}

} // namespace

void plan::run(const void *const *in, void *const *out, void *scratch,
        constant_use &&kept) const noexcept {
    std::array<const void *, max_step_operands> from;
    std::array<void *, max_step_operands> to;
    char *base = align(scratch);
    std::byte *block = kept.data();
    auto find = [&](const step_operand &operand) -> void * {
        if (block && operand.kept_at != step_operand::not_kept) return block + operand.kept_at;
        switch (operand.where) {
            case step_operand::memory::input: return const_cast<void *>(in[operand.at]);
            case step_operand::memory::output: return out[operand.at];
            case step_operand::memory::scratch: return base + operand.at;
            case step_operand::memory::none: break;
        }
        return nullptr;
    };
    auto is_skipped = [&](step_role role) {
        if (role == step_role::constant) return block && !kept.is_first();
        return role == step_role::preparation && !kept.is_first();
    };
    for (const plan_step &step : parts_.steps) {
        if (is_skipped(step.role)) continue;
        for (std::size_t i = 0; i < step.in.size(); ++i)
            from[i] = find(step.in[i]);
        for (std::size_t o = 0; o < step.out.size(); ++o)
            to[o] = find(step.out[o]);
        step.work->run(from.data(), to.data(), base + parts_.arena_bytes);
    }
    if (kept.is_first()) kept.publish();
}

void plan::execute(const void *const *in, void *const *out, void *scratch, const plan_names &names,
        constant_entries *kept) const {
    check(in, out, names);
    auto run_with_scratch = [&] {
        if (parts_.scratch_bytes == 0 || scratch) {
            run(in, out, scratch, kept ? kept->find(in) : constant_use());
        } else {
            scratch_buffer own(engine_, parts_.scratch_bytes);
            run(in, out, own.data(), kept ? kept->find(in) : constant_use());
        }
    };
    if (!verbose().exec) {
        run_with_scratch();
        return;
    }
    auto start = std::chrono::steady_clock::now();
    run_with_scratch();
    std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    write_verbose("graph,exec,{},scratchpad:{}:{},{},tern_backend,{:g}", names.verbose_text(parts_),
            scratch ? "user" : "library", parts_.scratch_bytes, parts_.implementation,
            took.count());
}

} // namespace tern::runtime
