// SPDX-License-Identifier: Apache-2.0
#include "base/topological.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace tern {

std::vector<int> topological_order(
        const std::vector<std::vector<int>> &needs, std::span<const int> ranks) {
    const std::size_t n = needs.size();
    std::vector<std::size_t> missing(n);
    std::vector<std::vector<int>> needed_by(n);
    for (std::size_t i = 0; i < n; ++i) {
        missing[i] = needs[i].size();
        for (int other : needs[i])
            needed_by[static_cast<std::size_t>(other)].push_back(static_cast<int>(i));
    }
    using entry = std::pair<int, int>; // rank, number
    std::priority_queue<entry, std::vector<entry>, std::greater<>> ready;
    auto offer = [&](int i) {
        const auto at = static_cast<std::size_t>(i);
        if (missing[at] == 0) ready.emplace(ranks.empty() ? i : ranks[at], i);
    };
    for (std::size_t i = 0; i < n; ++i)
        offer(static_cast<int>(i));
    std::vector<int> order;
    order.reserve(n);
    while (!ready.empty()) {
        const int next = ready.top().second;
        ready.pop();
        order.push_back(next);
        for (int other : needed_by[static_cast<std::size_t>(next)]) {
            --missing[static_cast<std::size_t>(other)];
            offer(other);
        }
    }
    return order;
}

int find_on_cycle(const std::vector<std::vector<int>> &needs, std::span<const int> order) {
    std::vector<char> is_sorted(needs.size(), 0);
    for (int i : order)
        is_sorted[static_cast<std::size_t>(i)] = 1;
    auto is_left_out = [&](int i) { return !is_sorted[static_cast<std::size_t>(i)]; };
    int at = 0;
    while (!is_left_out(at))
        ++at;
    // Each one that was left out needs such another one; as many steps as there are end on a cycle.
    for (std::size_t step = 0; step < needs.size(); ++step) {
        const std::vector<int> &its = needs[static_cast<std::size_t>(at)];
        at = *std::find_if(its.begin(), its.end(), is_left_out);
    }
    return at;
}

} // namespace tern
