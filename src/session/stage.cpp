// SPDX-License-Identifier: Apache-2.0
#include "session/stage.hpp"

#include <algorithm>
#include <unordered_map>

#include "base/error.hpp"
#include "base/shape.hpp"
#include "compiler/memory_planner.hpp"
#include "ops/registry.hpp"

namespace tern::session_parts {
namespace {

/// Workspaces that are kept between runs: more than that many threads at a time allocate.
constexpr std::size_t most_kept = 16;

std::vector<ir::port> ports_of(const compiler::partition &part, const std::vector<int> &values) {
    std::vector<ir::port> ports;
    for (int index : values)
        ports.push_back({part.value(index).id, part.value(index).desc});
    return ports;
}

/// Takes memory for the one output of a partition whose shape depends on data.
class open_place final : public runtime::output_places {
public:
    open_place(const runtime::engine_state &engine, value &slot) : engine_(engine), slot_(slot) {}

    const runtime::plan_port *room(std::size_t) const noexcept override { return nullptr; }
    bool can_provide(std::size_t) const noexcept override { return true; }
    void *provide(std::size_t, const runtime::plan_port &layout) override {
        slot_ = allocate_tensor(engine_, layout.desc.type, layout.desc.shape,
                static_cast<std::size_t>(layout.bytes));
        return const_cast<void *>(slot_.data());
    }
    void finish(std::size_t, const runtime::plan_port &) noexcept override {}

private:
    const runtime::engine_state &engine_;
    value &slot_;
};

} // namespace

/// Makes steps and lays out memory.
class stage::builder {
public:
    builder(stage &target, const std::string &implementation)
        : target_(target),
          imported_(target.imported_),
          implementation_(implementation) {}

    void build() {
        auto graph = std::make_shared<ir::graph>(ops::find);
        for (const ir::op_spec &spec : imported_.ops)
            graph->add_op(spec);
        mark_outputs(*graph);
        graph->finalize();
        for (const auto &part : compiler::make_partitions(
                     graph, compiler::partition_policy::fusion, fpmath_mode::strict, false))
            if (part->op(part->ops[0]).kind != op_kind::End) add(part);
        lay_out();
    }

private:
    /// What other ops of the stage read, too, stays inside a partition unless an End reads it.
    void mark_outputs(ir::graph &graph) const {
        std::size_t next_id = imported_.next_id;
        for (auto [id, slot] : imported_.outputs)
            for (const ir::op_spec &spec : imported_.ops) {
                if (spec.outputs[0].id != id) continue;
                ir::op_spec end;
                end.id = next_id++;
                end.kind = op_kind::End;
                end.inputs = {spec.outputs[0]};
                graph.add_op(end);
            }
    }

    void add(const std::shared_ptr<const compiler::partition> &part) {
        step made;
        made.partition = compiler::compile(part, ports_of(*part, part->inputs),
                ports_of(*part, part->outputs), target_.engine_, implementation_);
        if (part->ops.size() == 1) made.where = imported_.file + ": " + part->op(part->ops[0]).name;
        const runtime::plan_parts &parts = made.partition.plan->parts();
        made.inputs = target_.fixed_pointers_.size();
        for (int index : part->inputs)
            add_input(part->value(index).id);
        made.outputs = target_.fixed_pointers_.size();
        for (std::size_t i = 0; i < part->outputs.size(); ++i)
            add_output(part->value(part->outputs[i]).id, parts.outputs[i], made.open_slot);
        target_.scratch_bytes_ = std::max(target_.scratch_bytes_, parts.scratch_bytes);
        target_.steps_.push_back(std::move(made));
    }

    void add_input(std::size_t id) {
        const std::size_t pointer = target_.fixed_pointers_.size();
        target_.fixed_pointers_.push_back(nullptr);
        for (const auto &[constant_id, content] : imported_.constants)
            if (constant_id == id)
                target_.fixed_pointers_.back() = const_cast<void *>(content->data);
        for (auto [slot_id, slot] : imported_.inputs)
            if (slot_id == id) target_.slot_pointers_.push_back({pointer, slot});
        use(id, pointer);
    }

    void add_output(std::size_t id, const runtime::plan_port &port, int &open_slot) {
        const std::size_t pointer = target_.fixed_pointers_.size();
        target_.fixed_pointers_.push_back(nullptr);
        if (port.is_open) { // nothing in this stage reads it
            for (auto [slot_id, slot] : imported_.outputs)
                if (slot_id == id) open_slot = slot;
            return;
        }
        for (auto [slot_id, slot] : imported_.outputs)
            if (slot_id == id) {
                target_.produced_.push_back({slot, port.desc.type, port.desc.shape,
                        static_cast<std::size_t>(port.bytes)});
                slot_by_id_.emplace(id, slot);
            }
        if (!slot_by_id_.contains(id)) {
            block_by_id_.emplace(id, blocks_.size());
            blocks_.push_back({static_cast<std::size_t>(port.bytes), here(), here()});
        }
        use(id, pointer);
    }

    /// A pointer to what a partition of this stage makes.
    void use(std::size_t id, std::size_t pointer) {
        if (auto slot = slot_by_id_.find(id); slot != slot_by_id_.end())
            target_.slot_pointers_.push_back({pointer, slot->second});
        if (auto block = block_by_id_.find(id); block != block_by_id_.end()) {
            blocks_[block->second].last_step = here();
            target_.arena_pointers_.emplace_back(pointer, block->second);
        }
    }

    int here() const { return static_cast<int>(target_.steps_.size()); }

    void lay_out() {
        const compiler::arena_layout layout = compiler::lay_out(blocks_);
        target_.arena_bytes_ = layout.bytes;
        for (auto &[pointer, at] : target_.arena_pointers_)
            at = layout.offsets[at];
    }

    stage &target_;
    const formats::onnx::imported_stage &imported_;
    const std::string &implementation_;
    std::vector<compiler::arena_block> blocks_;
    std::unordered_map<std::size_t, std::size_t> block_by_id_;
    std::unordered_map<std::size_t, int> slot_by_id_;
};

stage::stage(formats::onnx::imported_stage imported, const runtime::engine_state &engine,
        const std::string &implementation)
    : imported_(std::move(imported)),
      engine_(engine) {
    builder(*this, implementation).build();
}

std::unique_ptr<stage::workspace> stage::take_workspace() const {
    {
        const std::lock_guard lock(mutex_);
        if (!free_.empty()) {
            std::unique_ptr<workspace> used = std::move(free_.back());
            free_.pop_back();
            return used;
        }
    }
    auto made = std::make_unique<workspace>();
    made->pointers = fixed_pointers_;
    if (arena_bytes_ + scratch_bytes_ > 0)
        made->memory = allocate(engine_, arena_bytes_ + scratch_bytes_);
    for (auto [pointer, offset] : arena_pointers_)
        made->pointers[pointer] = static_cast<std::byte *>(made->memory.get()) + offset;
    return made;
}

void stage::give_back(std::unique_ptr<workspace> used) const {
    const std::lock_guard lock(mutex_);
    if (free_.size() < most_kept) free_.push_back(std::move(used));
}

void stage::run_values(frame &values) const {
    for (const formats::onnx::value_step &step : imported_.value_steps) {
        std::vector<value> in;
        for (const formats::onnx::traced &operand : step.in)
            in.push_back(operand.content ? to_value(*operand.content)
                                         : values[static_cast<std::size_t>(operand.slot)]);
        value out;
        try {
            ops::find(step.label.kind)->evaluate({step.label, step.attrs, in, std::span(&out, 1)});
        } catch (const error &failure) {
            fail(failure.status, "{}: {}", step.where, failure.message);
        }
        values[static_cast<std::size_t>(step.out.slot)] = std::move(out);
    }
}

void stage::run_step(const step &each, workspace &work, void *scratch, frame &values) const {
    const void *const *in = work.pointers.data() + each.inputs;
    void *const *out = work.pointers.data() + each.outputs;
    try {
        if (each.open_slot < 0) return each.partition.execute(in, out, scratch);
        open_place place(engine_, values[static_cast<std::size_t>(each.open_slot)]);
        each.partition.execute(in, out, scratch, &place);
    } catch (const error &failure) {
        if (each.where.empty()) throw;
        fail(failure.status, "{}: {}", each.where, failure.message);
    }
}

void stage::run(frame &values) const {
    values.resize(static_cast<std::size_t>(imported_.slots));
    run_values(values);
    for (const produced &output : produced_) {
        value &slot = values[static_cast<std::size_t>(output.slot)];
        if (slot.is_absent())
            slot = allocate_tensor(engine_, output.type, output.shape, output.bytes);
    }
    if (steps_.empty()) return;
    std::unique_ptr<workspace> work = take_workspace();
    for (const slot_pointer &each : slot_pointers_)
        work->pointers[each.pointer] =
                const_cast<void *>(values[static_cast<std::size_t>(each.slot)].data());
    void *scratch =
            work->memory ? static_cast<std::byte *>(work->memory.get()) + arena_bytes_ : nullptr;
    for (const step &each : steps_)
        run_step(each, *work, scratch, values);
    give_back(std::move(work));
}

} // namespace tern::session_parts
