// SPDX-License-Identifier: Apache-2.0
#include "compiler/make_plan.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/mutation.hpp"
#include "base/shape.hpp"
#include "base/text.hpp"
#include "compiler/fusions.hpp"
#include "compiler/lowering.hpp"
#include "compiler/make_region.hpp"
#include "compiler/memory_planner.hpp"

namespace tern::compiler {
namespace {

using runtime::plan_step;
using runtime::step_operand;

/// Is one memory good for both? Only the very same view is.
bool same_view(const tensor_desc &a, const tensor_desc &b) {
    return a.shape == b.shape && bytes_of(a.type) == bytes_of(b.type)
           && (same_strides(a.shape, a.strides, b.strides)
                   || is_mutated(mutation::in_place_through_view));
}

std::size_t span_of(const tensor_desc &desc) {
    if (!desc.shape_known()) return 0; // told by execution
    return static_cast<std::size_t>(*byte_span(desc.shape, desc.strides, bytes_of(desc.type)));
}

class plan_maker {
public:
    plan_maker(region r, runtime::plan_parts parts, const std::string &wanted)
        : r_(std::move(r)),
          parts_(std::move(parts)),
          wanted_(wanted) {}

    runtime::plan_parts make() {
        // The reference runs op by op, and so does whatever is asked for by name.
        const bool fuse = wanted_.empty();
        verify(r_);
        if (fuse) make_views(r_);
        verify(r_);
        grouping found = find_groups(r_, fuse);
        groups_ = std::move(found.groups);
        for (const fusion_refusal &refusal : found.refusals)
            parts_.refusals.push_back(
                    {"fusion", format_text("{}: {}", ir::to_string(r_.op(refusal.op).op->label()),
                                       refusal.reason)});
        std::erase_if(groups_, [&](const group &g) { return has_nothing_to_do(g); });
        forget_inner_values();
        for (const group &g : groups_)
            add_step(g);
        place_results();
        find_aliases();
        return std::move(parts_);
    }

private:
    bool has_nothing_to_do(const group &g) const {
        return std::all_of(g.out.begin(), g.out.end(), [&](int v) {
            const dims &shape = r_.desc(v).shape;
            return is_empty(shape) && !has_unknown(shape);
        });
    }

    void forget_inner_values() {
        std::vector<char> is_stored(r_.values.size(), 0);
        for (const group &g : groups_)
            for (int v : g.out)
                is_stored[static_cast<std::size_t>(r_.value(v).home)] = 1;
        for (region_value &v : r_.values)
            if (v.where == place::arena && !is_stored[static_cast<std::size_t>(v.home)])
                v.where = place::none;
    }

    std::string names_of(const group &g) const {
        std::string names;
        for (int op : g.ops)
            names += format_text("{}{}", names.empty() ? "" : "+", ir::name_of(r_.op(op).kind()));
        return names;
    }

    std::string label_of(const group &g) const {
        return ir::to_string(r_.op(g.matmul >= 0 ? g.matmul : g.ops[0]).op->label());
    }

    void refuse(const group &g, std::string_view implementation, const std::string &reason) {
        bool is_whole = r_.ops.size() == 1;
        parts_.refusals.push_back({std::string(implementation),
                is_whole ? reason : format_text("{}: {}", label_of(g), reason)});
    }

    answer choose(const group &g, std::string &implementation) {
        const work w{r_, g};
        std::string known;
        for (const candidate &choice : candidates_of(w)) {
            known += format_text("{}{}", known.empty() ? "" : ", ", choice.name);
            if (!wanted_.empty() && choice.name != wanted_) {
                refuse(g, choice.name, format_text("{} was asked for", wanted_));
                continue;
            }
            answer result = choice.make(w);
            if (result.kernel) {
                implementation = format_text(
                        "{}{}{}", choice.name, result.detail.empty() ? "" : ":", result.detail);
                return result;
            }
            refuse(g, choice.name, result.detail);
            if (!wanted_.empty())
                fail(status::unimplemented, "compile: {} cannot run as {}: {}", label_of(g),
                        wanted_, result.detail);
        }
        if (!wanted_.empty())
            fail(status::unimplemented, "compile: {} has no implementation \"{}\"; it has: {}",
                    label_of(g), wanted_, known);
        fail(status::unimplemented, "compile: {} has no implementation for these tensors",
                label_of(g));
    }

    void add_step(const group &g) {
        plan_step step;
        answer chosen = choose(g, step.implementation);
        step.work = std::move(chosen.kernel);
        step.scratch_bytes = chosen.scratch_bytes;
        step.checks_data = g.kind == group_kind::single && r_.op(g.ops[0]).op->def->check_data;
        step.ops = names_of(g);
        for (int v : g.in)
            step.moved_bytes += span_of(r_.desc(v));
        for (int v : g.out) {
            step.moved_bytes += span_of(r_.desc(v));
            if (r_.value(v).where == place::arena) step.arena_bytes += span_of(r_.desc(v));
        }
        parts_.implementation +=
                format_text("{}{}", parts_.implementation.empty() ? "" : "+", step.implementation);
        parts_.steps.push_back(std::move(step));
    }

    // --- memory

    struct use {
        int first = -1; ///< Step that writes it.
        int last = -1;  ///< Last step that has to do with it.
    };

    /// By home.
    std::vector<use> find_uses() const {
        std::vector<use> uses(r_.values.size());
        for (std::size_t s = 0; s < groups_.size(); ++s) {
            const auto step = static_cast<int>(s);
            for (int v : groups_[s].out) {
                use &u = uses[static_cast<std::size_t>(r_.value(v).home)];
                if (u.first < 0) u.first = step;
                u.last = step;
            }
            for (int v : groups_[s].in) {
                use &u = uses[static_cast<std::size_t>(r_.value(v).home)];
                const bool was_read = u.first >= 0 && u.last > u.first;
                if (was_read && is_mutated(mutation::lifetime_cut_short)) continue;
                u.last = step;
            }
        }
        return uses;
    }

    /// The operand of a step whose memory its output may take over: one that nobody needs any more.
    int find_successor(std::size_t step, std::size_t out, const std::vector<use> &uses,
            const std::vector<int> &block) const {
        const group &g = groups_[step];
        const region_value &result = r_.value(g.out[out]);
        for (std::size_t i = 0; i < g.in.size(); ++i) {
            const region_value &v = r_.value(g.in[i]);
            bool is_dying = v.where == place::arena
                            && uses[static_cast<std::size_t>(v.home)].last == static_cast<int>(step)
                            && block[static_cast<std::size_t>(v.home)] >= 0;
            if (!is_dying || !same_view(v.desc, result.desc)
                    || !same_view(r_.desc(v.home), result.desc))
                continue;
            bool fits = true;
            for (std::size_t j = 0; j < g.in.size(); ++j)
                if (r_.value(g.in[j]).home == v.home)
                    fits = fits && same_view(r_.desc(g.in[j]), result.desc)
                           && parts_.steps[step].work->works_in_place(j, out);
            if (fits) return v.home;
        }
        return -1;
    }

    void place_results() {
        std::vector<use> uses = find_uses();
        std::vector<int> block(r_.values.size(), -1); // by home
        std::vector<arena_block> blocks;
        for (std::size_t s = 0; s < groups_.size(); ++s) {
            std::vector<int> taken;
            for (std::size_t o = 0; o < groups_[s].out.size(); ++o) {
                const region_value &v = r_.value(groups_[s].out[o]);
                if (v.where != place::arena || block[static_cast<std::size_t>(v.home)] >= 0)
                    continue;
                const int last = uses[static_cast<std::size_t>(v.home)].last;
                int before = find_successor(s, o, uses, block);
                if (before >= 0 && std::find(taken.begin(), taken.end(), before) == taken.end()) {
                    taken.push_back(before);
                    int its = block[static_cast<std::size_t>(before)];
                    block[static_cast<std::size_t>(v.home)] = its;
                    blocks[static_cast<std::size_t>(its)].last_step = last;
                    continue;
                }
                block[static_cast<std::size_t>(v.home)] = static_cast<int>(blocks.size());
                blocks.push_back({span_of(r_.desc(v.home)), static_cast<int>(s), last});
            }
        }
        arena_layout layout = lay_out(blocks);
        parts_.arena_bytes = layout.bytes;
        std::size_t most = 0;
        for (std::size_t s = 0; s < groups_.size(); ++s) {
            plan_step &step = parts_.steps[s];
            most = std::max(most, step.scratch_bytes);
            auto operand = [&](int value) -> step_operand {
                const region_value &v = r_.value(value);
                using memory = step_operand::memory;
                switch (v.where) {
                    case place::input: return {memory::input, static_cast<std::size_t>(v.port)};
                    case place::output: return {memory::output, static_cast<std::size_t>(v.port)};
                    case place::arena: {
                        int its = block[static_cast<std::size_t>(v.home)];
                        if (its < 0) break; // empty: nothing writes it
                        return {memory::scratch, layout.offsets[static_cast<std::size_t>(its)]};
                    }
                    case place::none: break;
                }
                return {};
            };
            for (int v : groups_[s].in)
                step.in.push_back(operand(v));
            for (int v : groups_[s].out)
                step.out.push_back(operand(v));
        }
        // The address of a call's scratch memory is rounded up.
        constexpr std::size_t alignment = 64;
        if (layout.bytes + most > 0) parts_.scratch_bytes = layout.bytes + most + alignment - 1;
    }

    // --- in place

    /// May an output be written to the very memory of an input? When no step reads the input after
    /// the output is first written, and the step that does both works in place.
    bool may_alias(std::size_t input, std::size_t output) const {
        if (!same_view(parts_.inputs[input].desc, parts_.outputs[output].desc)) return false;
        auto is_of = [&](int v, place where, std::size_t port) {
            return r_.value(v).where == where && r_.value(v).port == static_cast<int>(port);
        };
        bool is_written = false;
        for (std::size_t s = 0; s < groups_.size(); ++s) {
            const group &g = groups_[s];
            bool was_written = is_written;
            for (std::size_t o = 0; o < g.out.size(); ++o) {
                if (!is_of(g.out[o], place::output, output)) continue;
                is_written = true;
                for (std::size_t i = 0; i < g.in.size(); ++i)
                    if (is_of(g.in[i], place::input, input)
                            && (!same_view(r_.desc(g.in[i]), r_.desc(g.out[o]))
                                    || !parts_.steps[s].work->works_in_place(i, o)))
                        return false;
            }
            if (!was_written) continue;
            for (int v : g.in)
                if (is_of(v, place::input, input)) return false;
        }
        return true;
    }

    void find_aliases() {
        parts_.may_alias.assign(parts_.outputs.size() * parts_.inputs.size(), 0);
        std::vector<char> is_used(parts_.inputs.size(), 0);
        for (std::size_t o = 0; o < parts_.outputs.size(); ++o) {
            for (std::size_t i = 0; i < parts_.inputs.size(); ++i)
                parts_.may_alias[o * parts_.inputs.size() + i] = may_alias(i, o);
            for (std::size_t i : preferred(o)) {
                // A constant must survive the execution, a host scalar has no memory of its own.
                property_type property = parts_.inputs[i].desc.property;
                bool is_overwritable = property != property_type::constant
                                       && property != property_type::host_scalar;
                if (is_used[i] || !is_overwritable
                        || !parts_.may_alias[o * parts_.inputs.size() + i])
                    continue;
                is_used[i] = 1;
                parts_.in_place.emplace_back(i, o);
                break; // one pair per output
            }
        }
    }

    /// Input ports that an output shares memory with, best first: those that its op names, of a
    /// partition of one; else all of them.
    std::vector<std::size_t> preferred(std::size_t output) const {
        std::vector<std::size_t> ports;
        if (r_.ops.size() == 1) {
            if (output == 0)
                for (int operand : r_.ops[0].op->def->in_place_inputs)
                    if (static_cast<std::size_t>(operand) < r_.ops[0].in.size())
                        ports.push_back(static_cast<std::size_t>(
                                r_.value(r_.ops[0].in[static_cast<std::size_t>(operand)]).port));
        } else {
            for (std::size_t i = 0; i < parts_.inputs.size(); ++i)
                ports.push_back(i);
        }
        return ports;
    }

    region r_;
    runtime::plan_parts parts_;
    const std::string &wanted_;
    std::vector<group> groups_;
};

} // namespace

runtime::plan_parts make_plan(const partition &part, const given_list &inputs,
        const given_list &outputs, const std::string &implementation) {
    runtime::plan_parts parts;
    region r = make_region(part, inputs, outputs, parts);
    parts = plan_maker(std::move(r), std::move(parts), implementation).make();
    if (parts.steps.empty()) parts.implementation = "empty";
    return parts;
}

} // namespace tern::compiler
