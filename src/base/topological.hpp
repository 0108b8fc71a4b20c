// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_BASE_TOPOLOGICAL_HPP
#define TERN_BASE_TOPOLOGICAL_HPP

#include <span>
#include <vector>

namespace tern {

/// Numbers 0 .. needs.size() - 1 in an order in which none comes before one that it needs; among
/// those that are ready the one of lowest rank comes first (without ranks: the lowest number).
/// What lies on a cycle, or behind one, is left out.
std::vector<int> topological_order(
        const std::vector<std::vector<int>> &needs, std::span<const int> ranks = {});

/// A number on a cycle. Precondition: `order`, of the same needs, has left some out.
int find_on_cycle(const std::vector<std::vector<int>> &needs, std::span<const int> order);

} // namespace tern

#endif
