// SPDX-License-Identifier: Apache-2.0
#include "compiler/fusions.hpp"

#include <algorithm>

#include "base/shape.hpp"
#include "base/topological.hpp"
#include "compiler/lower_lanes.hpp"
#include "compiler/lowering.hpp"

namespace tern::compiler {
namespace {

/// Bounds what a step asks of the interpreter's registers and of a call's pointer list.
constexpr std::size_t most_group_ops = 48;

bool contains(const std::vector<int> &list, int item) {
    return std::find(list.begin(), list.end(), item) != list.end();
}

void add_once(std::vector<int> &list, int item) {
    if (!contains(list, item)) list.push_back(item);
}

class group_finder {
public:
    explicit group_finder(const region &r) : r_(r), node_(r.ops.size(), -1) {}

    grouping find(bool fuse) {
        for (std::size_t i = 0; fuse && i < r_.ops.size(); ++i)
            if (r_.ops[i].kind() == op_kind::MatMul && is_loose(static_cast<int>(i))
                    && matmul_obstacle(r_, static_cast<int>(i)).empty())
                grow(group_kind::matmul, static_cast<int>(i));
        for (std::size_t i = 0; fuse && i < r_.ops.size(); ++i)
            if (is_loose(static_cast<int>(i)) && lanes_obstacle(r_, static_cast<int>(i)).empty())
                grow(group_kind::lanes, static_cast<int>(i));
        for (std::size_t i = 0; i < r_.ops.size(); ++i)
            if (is_loose(static_cast<int>(i))) start(group_kind::single, static_cast<int>(i));
        for (group &g : result_.groups)
            complete(g);
        sort();
        return std::move(result_);
    }

private:
    bool is_loose(int op) const {
        return node_[static_cast<std::size_t>(op)] < 0 && !r_.op(op).is_view;
    }

    int start(group_kind kind, int op) {
        auto number = static_cast<int>(result_.groups.size());
        result_.groups.push_back({kind, {op}, {}, {}, kind == group_kind::matmul ? op : -1});
        node_[static_cast<std::size_t>(op)] = number;
        return number;
    }

    group &at(int number) { return result_.groups[static_cast<std::size_t>(number)]; }

    /// Takes in neighbours as long as there are any that may join.
    void grow(group_kind kind, int seed) {
        const int number = start(kind, seed);
        const dims &shape = r_.desc(r_.op(seed).out[0]).shape;
        for (bool grows = !is_empty(shape); grows;) {
            grows = false;
            for (int candidate : neighbours(at(number)))
                if (at(number).ops.size() < most_group_ops && may_join(number, candidate, shape)) {
                    at(number).ops.push_back(candidate);
                    node_[static_cast<std::size_t>(candidate)] = number;
                    grows = true;
                }
        }
        std::sort(at(number).ops.begin(), at(number).ops.end());
        // Alone, an op has implementations of its own.
        if (at(number).ops.size() == 1) {
            at(number).kind = group_kind::single;
            at(number).matmul = -1;
        }
    }

    /// Loose ops that read what the group writes, and such that write for the group alone.
    std::vector<int> neighbours(const group &g) const {
        std::vector<int> found;
        for (int op : g.ops) {
            for (int v : r_.op(op).out)
                for (int reader : r_.value(v).readers)
                    if (is_loose(reader)) add_once(found, reader);
            if (op == g.matmul) continue; // its operands are read whole
            for (int v : r_.op(op).in) {
                int producer = r_.value(v).producer;
                if (producer < 0 || !is_loose(producer)) continue;
                const std::vector<int> &readers = r_.value(v).readers;
                bool is_private = r_.value(v).where != place::output
                                  && std::all_of(readers.begin(), readers.end(),
                                          [&](int reader) { return contains(g.ops, reader); });
                if (is_private) add_once(found, producer);
            }
        }
        return found;
    }

    bool may_join(int number, int candidate, const dims &shape) {
        const region_op &o = r_.op(candidate);
        if (o.out.size() != 1 || !(r_.desc(o.out[0]).shape == shape)) return false;
        if (std::string obstacle = lanes_obstacle(r_, candidate); !obstacle.empty()) {
            refuse(candidate, std::move(obstacle));
            return false;
        }
        node_[static_cast<std::size_t>(candidate)] = number;
        bool closes_cycle = has_way_back(number);
        node_[static_cast<std::size_t>(candidate)] = -1;
        return !closes_cycle;
    }

    void refuse(int op, std::string reason) {
        for (const fusion_refusal &known : result_.refusals)
            if (known.op == op) return;
        result_.refusals.push_back({op, std::move(reason)});
    }

    /// Does a path lead from the group through other ops (other groups as a whole) back to it?
    bool has_way_back(int number) const {
        std::vector<char> seen(r_.ops.size(), 0);
        std::vector<int> open;
        bool found = false;
        auto visit = [&](int op) {
            for (int v : r_.op(op).out)
                for (int reader : r_.value(v).readers) {
                    if (seen[static_cast<std::size_t>(reader)]) continue;
                    seen[static_cast<std::size_t>(reader)] = 1;
                    open.push_back(reader);
                }
        };
        for (std::size_t i = 0; i < node_.size(); ++i)
            if (node_[i] == number) visit(static_cast<int>(i));
        std::erase_if(open, [&](int op) { return node_[static_cast<std::size_t>(op)] == number; });
        std::fill(seen.begin(), seen.end(), 0);
        while (!open.empty() && !found) {
            int next = open.back();
            open.pop_back();
            int group = node_[static_cast<std::size_t>(next)];
            if (group == number) found = true;
            if (group < 0)
                visit(next);
            else if (!found)
                for (std::size_t i = 0; i < node_.size(); ++i)
                    if (node_[i] == group) visit(static_cast<int>(i));
        }
        return found;
    }

    void complete(group &g) {
        if (g.kind == group_kind::single) {
            g.in = r_.op(g.ops[0]).in;
            g.out = r_.op(g.ops[0]).out;
            return;
        }
        for (int op : g.ops) {
            for (int v : r_.op(op).in) {
                int producer = r_.value(v).producer;
                bool is_inside = producer >= 0 && contains(g.ops, producer);
                if (!is_inside && r_.op(op).kind() != op_kind::GenIndex) add_once(g.in, v);
            }
            for (int v : r_.op(op).out) {
                const std::vector<int> &readers = r_.value(v).readers;
                bool is_seen = r_.value(v).port >= 0
                               || std::any_of(readers.begin(), readers.end(),
                                       [&](int reader) { return !contains(g.ops, reader); });
                if (is_seen) add_once(g.out, v);
            }
        }
    }

    /// Among the groups that are ready, that of the earliest op comes first. A view is ready when
    /// its source is.
    void sort() {
        std::vector<std::vector<int>> needs(result_.groups.size());
        for (std::size_t i = 0; i < r_.ops.size(); ++i) {
            const int to = node_[i];
            for (int v : to < 0 ? std::vector<int>() : r_.ops[i].in)
                if (int from = writer_of(v); from >= 0 && from != to)
                    needs[static_cast<std::size_t>(to)].push_back(from);
        }
        std::vector<int> first_ops;
        for (const group &g : result_.groups)
            first_ops.push_back(g.ops.front());
        std::vector<group> sorted;
        for (int g : topological_order(needs, first_ops))
            sorted.push_back(std::move(at(g)));
        result_.groups = std::move(sorted);
    }

    /// The group that writes a value, be it through views; -1: an input of the partition.
    int writer_of(int value) const {
        int producer = r_.value(value).producer;
        while (producer >= 0 && r_.op(producer).is_view)
            producer = r_.value(r_.op(producer).in[0]).producer;
        return producer < 0 ? -1 : node_[static_cast<std::size_t>(producer)];
    }

    const region &r_;
    std::vector<int> node_; ///< By op: its group; -1: none yet, or a view.
    grouping result_;
};

} // namespace

grouping find_groups(const region &r, bool fuse) {
    return group_finder(r).find(fuse);
}

} // namespace tern::compiler
