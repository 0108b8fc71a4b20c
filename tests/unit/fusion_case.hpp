// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_TESTS_UNIT_FUSION_CASE_HPP
#define TERN_TESTS_UNIT_FUSION_CASE_HPP

/// \file
/// A graph before, the steps after, both as text.

#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/text.hpp"
#include "compiler/make_plan.hpp"
#include "graph_text.hpp"

namespace tern::compiler {

/// Each op that is no view is in one group, and every group comes after those that it reads from.
inline void check_order(const region &r, const std::vector<group> &groups) {
    std::vector<int> group_of(r.ops.size(), -1);
    for (std::size_t g = 0; g < groups.size(); ++g)
        for (int op : groups[g].ops) {
            EXPECT_EQ(group_of[static_cast<std::size_t>(op)], -1);
            group_of[static_cast<std::size_t>(op)] = static_cast<int>(g);
        }
    for (std::size_t i = 0; i < r.ops.size(); ++i) {
        EXPECT_EQ(group_of[i] < 0, r.ops[i].is_view);
        for (int v : r.ops[i].in) {
            int producer = r.value(v).producer;
            while (producer >= 0 && r.op(producer).is_view)
                producer = r.value(r.op(producer).in[0]).producer;
            if (producer < 0 || r.ops[i].is_view) continue;
            EXPECT_LE(group_of[static_cast<std::size_t>(producer)], group_of[i]);
        }
    }
}

/// The plan of the partition has the groups for steps, and an implementation of each kind of group
/// serves it.
inline void check_plan(const partition &part, const region &r, const std::vector<group> &groups) {
    runtime::plan_parts plan = make_plan(part, ports_of(part, true), ports_of(part, false), "");
    std::size_t step = 0;
    for (const group &g : groups) {
        if (is_empty(r.desc(g.out[0]).shape)) continue;
        ASSERT_LT(step, plan.steps.size());
        std::string names;
        for (int op : g.ops)
            names += (names.empty() ? "" : "+") + std::string(ir::name_of(r.op(op).kind()));
        EXPECT_EQ(plan.steps[step].ops, names);
        std::string name = plan.steps[step].implementation;
        name = name.substr(0, name.find(':'));
        if (g.kind != group_kind::single) {
            EXPECT_EQ(name, g.kind == group_kind::lanes ? "lanes" : "matmul");
        }
        ++step;
    }
    EXPECT_EQ(step, plan.steps.size());
}

/// Views, then groups, then refusals.
inline std::string fused(std::string_view graph, bool fuse = true) {
    auto part = read_partition(graph);
    region r = region_of(*part);
    if (fuse) make_views(r);
    grouping found = find_groups(r, fuse);
    check_order(r, found.groups);
    if (fuse) check_plan(*part, r, found.groups);
    const group_text text(r, *part);
    std::string result;
    for (const region_op &o : r.ops)
        if (o.is_view) result += text.view(o);
    for (const group &g : found.groups)
        result += text(g);
    for (const fusion_refusal &refusal : found.refusals)
        result += format_text(
                "refused {}: {}\n", ir::to_string(r.op(refusal.op).op->label()), refusal.reason);
    return result;
}

inline void expect_steps(std::string_view graph, std::string_view steps) {
    SCOPED_TRACE(graph);
    EXPECT_EQ(fused(graph), trimmed(steps));
}

} // namespace tern::compiler

#endif
