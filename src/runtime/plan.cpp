// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>

#include "base/error.hpp"
#include "base/overlap.hpp"
#include "base/shape.hpp"
#include "runtime/constant_cache.hpp"
#include "runtime/local_list.hpp"
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
      engine_(engine),
      has_open_outputs_(std::any_of(parts_.outputs.begin(), parts_.outputs.end(),
              [](const plan_port &port) { return port.is_open; })),
      checks_data_(std::any_of(parts_.steps.begin(), parts_.steps.end(),
              [](const plan_step &step) { return step.checks_data; })) {}

namespace {

bool is_missing(const plan_port &port, const void *data) {
    return !data && !port.is_empty;
}

[[noreturn]] void fail_missing(const std::string &name, const plan_port &port) {
    fail(status::invalid_arguments, "execute: {} has no memory; {} bytes expected", name,
            port.bytes);
}

} // namespace

void plan::check_inputs(const void *const *in, const plan_names &names) const {
    if (!in && !parts_.inputs.empty())
        fail(status::invalid_arguments, "execute: the list of inputs is null; {} pointers expected",
                parts_.inputs.size());
    for (std::size_t i = 0; i < parts_.inputs.size(); ++i)
        if (is_missing(parts_.inputs[i], in[i])) fail_missing(names.input(i), parts_.inputs[i]);
    if (!checks_data_) return;
    for (const plan_step &step : parts_.steps)
        if (step.checks_data) check_data(step, in, names);
}

void plan::check(const void *const *in, void *const *out, const plan_names &names) const {
    check_inputs(in, names);
    if (!out && !parts_.outputs.empty())
        fail(status::invalid_arguments,
                "execute: the list of outputs is null; {} pointers expected",
                parts_.outputs.size());
    for (std::size_t o = 0; o < parts_.outputs.size(); ++o) {
        if (is_missing(parts_.outputs[o], out[o])) fail_missing(names.output(o), parts_.outputs[o]);
        if (!parts_.outputs[o].is_empty) check_output(o, parts_.outputs.data(), in, out, names);
    }
}

void plan::check_data(const plan_step &step, const void *const *in, const plan_names &names) const {
    std::array<const void *, max_step_operands> from{};
    for (std::size_t i = 0; i < step.in.size(); ++i)
        if (step.in[i].where == step_operand::memory::input) from[i] = in[step.in[i].at];
    if (const auto fault = step.work->check_data(from.data()))
        fail(status::invalid_arguments, "execute: {} {}", names.input(step.in[fault->input].at),
                fault->text);
}

void plan::check_output(std::size_t index, const plan_port *outputs, const void *const *in,
        void *const *out, const plan_names &names) const {
    const plan_port &output = outputs[index];
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
        const plan_port &other = outputs[o];
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

template <typename Visit>
void plan::for_each_step(const void *const *in, void *const *out, void *scratch, constant_use &kept,
        const Visit &visit) const noexcept {
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
        visit(*step.work, from.data(), to.data(), base + parts_.arena_bytes);
    }
}

void plan::run(const void *const *in, void *const *out, void *scratch,
        constant_entries *entries) const noexcept {
    constant_use kept = entries ? entries->find(in) : constant_use();
    for_each_step(in, out, scratch, kept,
            [](const kernel &work, const void *const *from, void *const *to, void *own) noexcept {
                work.run(from, to, own);
            });
    if (kept.is_first()) kept.publish();
}

template <typename Run, typename Outputs>
void plan::run_and_report(
        void *scratch, const plan_names &names, const Run &run, const Outputs &outputs) const {
    auto run_with_scratch = [&] {
        if (parts_.scratch_bytes == 0 || scratch) {
            run(scratch);
        } else {
            scratch_buffer own(engine_, parts_.scratch_bytes);
            run(own.data());
        }
    };
    if (!verbose().exec) {
        run_with_scratch();
        return;
    }
    auto start = std::chrono::steady_clock::now();
    run_with_scratch();
    std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
    write_verbose("graph,exec,{},scratchpad:{}:{},{},tern_backend,{:g}",
            names.verbose_text(parts_.inputs, outputs()), scratch ? "user" : "library",
            parts_.scratch_bytes, parts_.implementation, took.count());
}

/// A call whose outputs are not all in place when it begins.
class open_call {
public:
    open_call(const plan &called, const void *const *in, void *const *given,
            const plan_names &names, constant_entries *kept, output_places *places)
        : plan_(called),
          in_(in),
          given_(given),
          names_(names),
          kept_(kept),
          places_(places),
          out_(count()),
          ports_(count()) {}

    std::span<const plan_port> outputs() { return {ports_.data(), count()}; }

    /// Everything that can be told before the inputs are read.
    void check_given() {
        plan_.check_inputs(in_, names_);
        for (std::size_t o = 0; o < count(); ++o) {
            const plan_port &compiled = plan_.parts_.outputs[o];
            out_[o] = given_ ? given_[o] : nullptr;
            ports_[o] = compiled;
            if (is_provided(o)) continue;
            const plan_port *room = compiled.is_open && places_ ? places_->room(o) : nullptr;
            if (room) ports_[o] = *room;
            if (compiled.is_open && !room)
                fail(status::invalid_arguments,
                        "execute: {} has a shape that depends on what the inputs hold, {}; "
                        "expected {}",
                        names_.output(o), out_[o] ? "and memory of unknown size" : "and no memory",
                        out_[o] ? "a tensor of known size, or no memory and an output provider"
                                : "memory, a library-allocated tensor, or an output provider");
            if (is_missing(ports_[o], out_[o])) fail_missing(names_.output(o), ports_[o]);
            check_apart(o);
        }
    }

    /// The counting pass, then what only that makes possible.
    void run(void *scratch) {
        find_shapes(scratch);
        for (std::size_t o = 0; o < count(); ++o)
            if (is_provided(o)) provide(o);
        for (std::size_t o = 0; o < count(); ++o)
            check_apart(o);
        plan_.run(in_, out_.data(), scratch, kept_);
        if (!places_) return;
        for (std::size_t o = 0; o < count(); ++o)
            places_->finish(o, ports_[o]);
    }

private:
    std::size_t count() const { return plan_.parts_.outputs.size(); }
    bool is_provided(std::size_t o) { return !out_[o] && places_ && places_->can_provide(o); }
    void check_apart(std::size_t o) {
        if (out_[o] && !ports_[o].is_empty)
            plan_.check_output(o, ports_.data(), in_, out_.data(), names_);
    }

    void find_shapes(void *scratch) {
        if (!plan_.has_open_outputs_) return;
        // An op with open shapes is a partition of its own.
        local_list<dims, 4> shapes(count());
        for (std::size_t o = 0; o < count(); ++o)
            shapes[o] = plan_.parts_.outputs[o].desc.shape;
        constant_use none;
        plan_.for_each_step(in_, out_.data(), scratch, none,
                [&](const kernel &work, const void *const *from, void *const *,
                        void *own) noexcept { work.find_shapes(from, shapes.data(), own); });
        for (std::size_t o = 0; o < count(); ++o)
            check_room(o, shapes[o]);
        for (std::size_t o = 0; o < count(); ++o)
            if (plan_.parts_.outputs[o].is_open) ports_[o] = layout_of(o, shapes[o]);
    }

    /// `ports_` holds the room that is there.
    void check_room(std::size_t o, const dims &shape) {
        const plan_port &room = ports_[o];
        if (!plan_.parts_.outputs[o].is_open || room.is_open) return;
        const bool fits = std::equal(shape.begin(), shape.end(), room.desc.shape.begin(),
                [](std::int64_t needed, std::int64_t there) { return needed <= there; });
        if (!fits)
            fail(status::invalid_arguments,
                    "execute: {} needs {} ({} bytes), but is given memory for {} ({} bytes)",
                    names_.output(o), to_string(shape), layout_of(o, shape).bytes,
                    to_string(room.desc.shape), room.bytes);
    }

    plan_port layout_of(std::size_t o, const dims &shape) {
        plan_port port;
        port.desc = plan_.parts_.outputs[o].desc;
        port.desc.shape = shape;
        std::optional<dims> strides = dense_strides(shape);
        std::optional<std::int64_t> bytes;
        if (strides) bytes = byte_span(shape, *strides, bytes_of(port.desc.type));
        if (!bytes)
            fail(status::out_of_memory, "execute: {} has shape {}: its size does not fit 63 bits",
                    names_.output(o), to_string(shape));
        port.desc.strides = *strides;
        port.bytes = *bytes;
        port.is_empty = *bytes == 0;
        return port;
    }

    void provide(std::size_t o) {
        out_[o] = places_->provide(o, ports_[o]);
        if (is_missing(ports_[o], out_[o]))
            fail(status::out_of_memory, "execute: no memory is provided for {}; {} bytes expected",
                    names_.output(o), ports_[o].bytes);
    }

    const plan &plan_;
    const void *const *in_;
    void *const *given_;
    const plan_names &names_;
    constant_entries *kept_;
    output_places *places_;
    local_list<void *, 16> out_;
    local_list<plan_port, 4> ports_; ///< What is known of each output so far.
};

void plan::execute(const void *const *in, void *const *out, void *scratch, const plan_names &names,
        constant_entries *kept, output_places *places) const {
    if (!places && !has_open_outputs_) {
        check(in, out, names);
        run_and_report(
                scratch, names, [&](void *memory) { run(in, out, memory, kept); },
                [&]() -> std::span<const plan_port> { return parts_.outputs; });
        return;
    }
    open_call call(*this, in, out, names, kept, places);
    call.check_given();
    run_and_report(
            scratch, names, [&](void *memory) { call.run(memory); },
            [&] { return call.outputs(); });
}

} // namespace tern::runtime
