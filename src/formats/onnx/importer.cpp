// SPDX-License-Identifier: Apache-2.0
#include "formats/onnx/importer.hpp"

#include <algorithm>
#include <unordered_set>

#include "base/error.hpp"
#include "formats/onnx/op_table.hpp"
#include "ir/print.hpp"

namespace tern::formats::onnx {
namespace {

/// Goes through the nodes of one stage.
class stage_walk {
public:
    stage_walk(const program &source, environment known, std::size_t next_id, int slots)
        : source_(source),
          build_(result_.next_id) {
        result_.after = std::move(known);
        result_.file = source.file;
        result_.next_id = next_id;
        result_.slots = slots;
    }

    imported_stage run(const std::vector<std::size_t> &nodes) {
        for (std::size_t index : nodes)
            if (!import(source_.nodes[index])) result_.deferred.push_back(index);
        keep_what_is_needed();
        leave_in_slots();
        take_graph();
        return std::move(result_);
    }

private:
    /// False: the node has to wait.
    bool import(const program_node &node) {
        std::optional<std::vector<traced>> in = inputs_of(node);
        if (!in) return false;
        build_.where = label_of(*node.source, node.index);
        node_context context(*node.source, *node.rule, source_.version, build_, std::move(*in));
        try {
            node.rule->import(context);
        } catch (const content_needed &needed) {
            demanded_.push_back(needed.value);
            return false;
        } catch (const not_yet &) {
            return false;
        } catch (const declined &failure) {
            throw declined(qualified_name(*node.source), located(node, failure.message));
        } catch (const error &failure) {
            throw error(failure.status, located(node, failure.message));
        }
        take_results(node, context);
        return true;
    }

    std::string where_is(const program_node &node) const {
        return format_text("{}: {}, operator set {}", source_.file,
                label_of(*node.source, node.index), source_.version);
    }
    std::string located(const program_node &node, const char *message) const {
        return format_text("{}: {}", where_is(node), message);
    }

    /// None while one of them has yet to come, or has a shape that is not known.
    std::optional<std::vector<traced>> inputs_of(const program_node &node) const {
        std::vector<traced> in;
        for (const std::string &name : node.source->inputs) {
            if (name.empty()) {
                in.emplace_back();
                continue;
            }
            auto found = result_.after.find(name);
            if (found == result_.after.end()) return std::nullopt;
            const traced &value = found->second;
            if (value.is_tensor() && !value.desc.shape_known() && !node.rule->takes_values)
                return std::nullopt;
            in.push_back(value);
        }
        return in;
    }

    void take_results(const program_node &node, node_context &context) {
        for (value_step &step : context.steps) {
            step.where = where_is(node);
            step.out.slot = result_.slots++;
            for (traced &value : context.out)
                if (value.id == step.out.id) value.slot = step.out.slot;
            result_.value_steps.push_back(std::move(step));
        }
        const std::vector<std::string> &names = node.source->outputs;
        for (std::size_t i = 0; i < names.size(); ++i) {
            if (names[i].empty()) continue;
            if (i >= context.out.size())
                throw declined(qualified_name(*node.source),
                        located(node, format_text("output {} is not supported", i).c_str()));
            result_.after.insert_or_assign(names[i], context.out[i]);
        }
    }

    void keep_what_is_needed() {
        std::unordered_set<std::string> needed;
        for (const value_info *output : source_.outputs)
            needed.insert(output->name);
        for (std::size_t index : result_.deferred)
            needed.insert(source_.nodes[index].source->inputs.begin(),
                    source_.nodes[index].source->inputs.end());
        std::erase_if(
                result_.after, [&](const auto &entry) { return !needed.contains(entry.first); });
    }

    void leave_in_slots() {
        std::unordered_map<std::size_t, int> slot_by_id;
        for (auto &[name, value] : result_.after) {
            if (value.content || value.slot >= 0) continue;
            auto [at, fresh] = slot_by_id.try_emplace(value.id, result_.slots);
            if (fresh) result_.outputs.emplace_back(value.id, result_.slots++);
            value.slot = at->second;
        }
        for (const std::string &name : demanded_)
            if (auto found = result_.after.find(name); found != result_.after.end())
                result_.demanded.push_back(found->second.slot);
    }

    /// The ops whose results are left in slots, and those that these need.
    void take_graph() {
        std::unordered_set<std::size_t> needed;
        for (auto [id, slot] : result_.outputs)
            needed.insert(id);
        for (auto op = build_.ops.rbegin(); op != build_.ops.rend(); ++op) {
            if (!needed.contains(op->outputs[0].id)) continue;
            for (const ir::port &port : op->inputs)
                needed.insert(port.id);
            result_.ops.push_back(std::move(*op));
        }
        std::reverse(result_.ops.begin(), result_.ops.end());
        for (const auto &[id, content] : build_.constants)
            if (needed.contains(id)) result_.constants.emplace_back(id, content);
        for (const auto &[id, slot] : build_.slots)
            if (needed.contains(id)) result_.inputs.emplace_back(id, slot);
    }

    const program &source_;
    imported_stage result_;
    stage_builder build_;
    std::vector<std::string> demanded_;
};

} // namespace

imported_stage import_constants(const program &source) {
    environment known = source.constants;
    for (std::size_t i = 0; i < source.inputs.size(); ++i) {
        traced input = traced::declared(*source.inputs[i]);
        input.slot = static_cast<int>(i);
        known.insert_or_assign(source.inputs[i]->name, std::move(input));
    }
    std::vector<std::size_t> all(source.nodes.size());
    for (std::size_t i = 0; i < all.size(); ++i)
        all[i] = i;
    return stage_walk(source, std::move(known), 1, static_cast<int>(source.inputs.size())).run(all);
}

imported_stage import_next(
        const program &source, const imported_stage &before, const environment &known) {
    return stage_walk(source, known, before.next_id, before.slots).run(before.deferred);
}

} // namespace tern::formats::onnx
