// SPDX-License-Identifier: Apache-2.0
#include "compiler/partitioner.hpp"

#include <algorithm>
#include <atomic>
#include <numeric>

#include "base/topological.hpp"

namespace tern::compiler {
namespace {

using index_list = std::vector<int>;

std::size_t next_id() {
    static std::atomic<std::size_t> next{0};
    return next.fetch_add(1, std::memory_order_relaxed);
}

/// Is a port something else than a tensor in memory?
bool works_on_values(const ir::graph &graph, const ir::op &op) {
    auto is_no_tensor = [&](int v) {
        return !graph.values()[static_cast<std::size_t>(v)].desc.is_tensor();
    };
    return std::any_of(op.inputs.begin(), op.inputs.end(), is_no_tensor)
           || std::any_of(op.outputs.begin(), op.outputs.end(), is_no_tensor);
}

bool is_supported(const ir::graph &graph, const ir::op &op) {
    if (!op.def) return false;
    return works_on_values(graph, op) ? op.def->evaluate != nullptr : op.def->reference != nullptr;
}

/// Others stand alone: sequences and optionals are no memory, and whoever executes what comes after
/// an op with open shapes must know these first.
bool joins_others(const ir::graph &graph, const ir::op &op) {
    return is_supported(graph, op) && !works_on_values(graph, op) && !op.def->has_open_shapes();
}

template <typename T>
void add_once(std::vector<T> &list, T value) {
    if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
}

/// Which region each op belongs to, while regions grow.
class region_finder {
public:
    explicit region_finder(const ir::graph &graph)
        : graph_(graph),
          readers_(graph.values().size()),
          region_(graph.ops().size()),
          joins_(graph.ops().size()) {
        for (std::size_t i = 0; i < graph.ops().size(); ++i)
            for (int v : graph.ops()[i].inputs)
                add_once(readers_[static_cast<std::size_t>(v)], static_cast<int>(i));
        for (std::size_t i = 0; i < joins_.size(); ++i)
            joins_[i] = joins_others(graph, graph.ops()[i]);
        std::iota(region_.begin(), region_.end(), 0);
    }

    /// By op: the number of its region.
    const index_list &find() {
        join_levels();
        join_neighbours();
        return region_;
    }

    const index_list &readers_of(int value) const {
        return readers_[static_cast<std::size_t>(value)];
    }

private:
    const ir::op &op(int index) const { return graph_.ops()[static_cast<std::size_t>(index)]; }
    int producer_of(int value) const {
        return graph_.values()[static_cast<std::size_t>(value)].producer;
    }
    int region_of(int op) const { return region_[static_cast<std::size_t>(op)]; }
    /// Can it share a region? The other ops are regions of their own.
    bool joins(int op) const { return joins_[static_cast<std::size_t>(op)] != 0; }

    void join(int a, int b) {
        int from = region_of(b);
        int to = region_of(a);
        std::replace(region_.begin(), region_.end(), from, to);
    }

    /// The level of an op is the largest number of ops that stay alone on a path that leads to it.
    /// Connected ops of one level that can share a region are convex: a path that leaves them comes
    /// back on a higher level, if at all.
    void join_levels() {
        std::vector<int> level(graph_.ops().size(), 0);
        for (std::size_t i = 0; i < level.size(); ++i) {
            const ir::op &reader = graph_.ops()[i];
            for (int v : reader.inputs)
                if (int p = producer_of(v); p >= 0)
                    level[i] = std::max(
                            level[i], level[static_cast<std::size_t>(p)] + (joins(p) ? 0 : 1));
            if (!joins(static_cast<int>(i))) continue;
            for (int v : reader.inputs)
                if (int p = producer_of(v);
                        p >= 0 && joins(p) && level[static_cast<std::size_t>(p)] == level[i])
                    join(p, static_cast<int>(i));
        }
    }

    /// Regions of different levels that touch may still be convex together.
    void join_neighbours() {
        for (std::size_t i = 0; i < graph_.ops().size(); ++i) {
            const auto reader = static_cast<int>(i);
            if (!joins(reader)) continue;
            for (int v : op(reader).inputs) {
                int p = producer_of(v);
                if (p < 0 || !joins(p) || region_of(p) == region_of(reader)) continue;
                if (!has_way_around(region_of(p), region_of(reader))) join(p, reader);
            }
        }
    }

    /// Does a path lead from one region to the other through ops of neither?
    bool has_way_around(int from, int to) const {
        std::vector<char> seen(graph_.ops().size(), 0);
        index_list open;
        auto visit_readers = [&](int index, bool is_start) {
            for (int v : op(index).outputs)
                for (int reader : readers_of(v)) {
                    bool inside = region_of(reader) == from || region_of(reader) == to;
                    if (inside && (is_start || region_of(reader) == from)) continue;
                    if (inside) return true;
                    if (!seen[static_cast<std::size_t>(reader)]) open.push_back(reader);
                    seen[static_cast<std::size_t>(reader)] = 1;
                }
            return false;
        };
        for (std::size_t i = 0; i < region_.size(); ++i)
            if (region_[i] == from) visit_readers(static_cast<int>(i), true);
        while (!open.empty()) {
            int next = open.back();
            open.pop_back();
            if (visit_readers(next, false)) return true;
        }
        return false;
    }

    const ir::graph &graph_;
    std::vector<index_list> readers_; ///< By value.
    index_list region_;
    std::vector<char> joins_; ///< By op.
};

/// Partitions as sets of ops, sorted so that none comes before one that it reads from; among those
/// that are ready the one whose first op was added first.
std::vector<index_list> in_order(const ir::graph &graph, const index_list &region) {
    std::vector<index_list> sets;
    std::vector<int> set_of(region.size(), -1); // by region
    for (std::size_t i = 0; i < region.size(); ++i) {
        int &set = set_of[static_cast<std::size_t>(region[i])];
        if (set < 0) {
            set = static_cast<int>(sets.size());
            sets.emplace_back();
        }
        sets[static_cast<std::size_t>(set)].push_back(static_cast<int>(i));
    }
    std::vector<std::vector<int>> needs(sets.size());
    for (std::size_t i = 0; i < region.size(); ++i)
        for (int v : graph.ops()[i].inputs) {
            int producer = graph.values()[static_cast<std::size_t>(v)].producer;
            if (producer < 0) continue;
            int from = region[static_cast<std::size_t>(producer)];
            if (from == region[i]) continue;
            needs[static_cast<std::size_t>(set_of[static_cast<std::size_t>(region[i])])].push_back(
                    set_of[static_cast<std::size_t>(from)]);
        }
    // Sets are numbered by their first ops.
    std::vector<index_list> sorted;
    for (int set : topological_order(needs))
        sorted.push_back(std::move(sets[static_cast<std::size_t>(set)]));
    return sorted;
}

std::shared_ptr<partition> make_partition(const std::shared_ptr<const ir::graph> &graph,
        index_list ops, const region_finder &finder) {
    auto result = std::make_shared<partition>();
    result->id = next_id();
    result->graph = graph;
    result->ops = std::move(ops);
    auto is_inside = [&](int op) {
        return std::binary_search(result->ops.begin(), result->ops.end(), op);
    };
    for (int index : result->ops)
        for (int v : result->op(index).inputs)
            if (int p = result->value(v).producer; p < 0 || !is_inside(p))
                add_once(result->inputs, v);
    for (int index : result->ops)
        for (int v : result->op(index).outputs) {
            const index_list &readers = finder.readers_of(v);
            if (readers.empty() || !std::all_of(readers.begin(), readers.end(), is_inside))
                result->outputs.push_back(v);
        }
    result->is_supported = std::all_of(result->ops.begin(), result->ops.end(),
            [&](int index) { return is_supported(*graph, result->op(index)); });
    result->on_values =
            result->ops.size() == 1 && works_on_values(*graph, result->op(result->ops.front()));
    return result;
}

} // namespace

std::vector<std::shared_ptr<const partition>> make_partitions(
        const std::shared_ptr<const ir::graph> &graph, partition_policy policy, fpmath_mode fpmath,
        bool fpmath_on_integers) {
    region_finder finder(*graph);
    index_list region(graph->ops().size());
    std::iota(region.begin(), region.end(), 0);
    if (policy == partition_policy::fusion) region = finder.find();
    std::vector<std::shared_ptr<const partition>> partitions;
    for (index_list &ops : in_order(*graph, region)) {
        std::shared_ptr<partition> made = make_partition(graph, std::move(ops), finder);
        made->fpmath = fpmath;
        made->fpmath_on_integers = fpmath_on_integers;
        partitions.push_back(std::move(made));
    }
    return partitions;
}

} // namespace tern::compiler
