// SPDX-License-Identifier: Apache-2.0
#include "base/loop_nest.hpp"

#include <algorithm>
#include <numeric>

namespace tern {
namespace {

using axis_order = std::array<int, max_rank>;

/// True when a walk along `outer` continues where one along `inner` ends, for every operand.
template <std::size_t Operands>
bool can_merge(const loop_nest<Operands> &nest, int outer, int inner) {
    for (const dims &strides : nest.strides) {
        std::int64_t reach = 0;
        if (__builtin_mul_overflow(strides[inner], nest.extents[inner], &reach)
                || reach != strides[outer])
            return false;
    }
    return true;
}

/// Stable, so that axes that nothing tells apart keep the caller's order.
template <std::size_t Operands>
void sort_axes(axis_order &axes, int count, const std::array<dims, Operands> &strides,
        std::size_t leader) {
    auto is_outer = [&](int a, int b) {
        if (strides[leader][a] != strides[leader][b])
            return strides[leader][a] > strides[leader][b];
        for (const dims &operand : strides)
            if (operand[a] != operand[b]) return operand[a] > operand[b];
        return false;
    };
    // Insertion sort: std::stable_sort allocates, and there are at most max_rank axes.
    for (int i = 1; i < count; ++i)
        for (int j = i; j > 0; --j) {
            auto at = static_cast<std::size_t>(j);
            if (!is_outer(axes[at], axes[at - 1])) break;
            std::swap(axes[at], axes[at - 1]);
        }
}

} // namespace

template <std::size_t Operands>
loop_nest<Operands> coalesce(
        const dims &shape, const std::array<dims, Operands> &strides, std::size_t leader) {
    axis_order axes{};
    int count = 0;
    for (int axis = 0; axis < shape.rank(); ++axis)
        if (shape[axis] != 1) axes[static_cast<std::size_t>(count++)] = axis;
    sort_axes(axes, count, strides, leader);

    loop_nest<Operands> sorted;
    for (int i = 0; i < count; ++i) {
        int axis = axes[static_cast<std::size_t>(i)];
        sorted.extents.push_back(shape[axis]);
        for (std::size_t operand = 0; operand < Operands; ++operand)
            sorted.strides[operand].push_back(strides[operand][axis]);
    }

    loop_nest<Operands> nest;
    for (int axis = 0; axis < count; ++axis) {
        int last = nest.extents.rank() - 1;
        bool merges = last >= 0 && can_merge(sorted, axis - 1, axis);
        if (merges)
            nest.extents[last] *= sorted.extents[axis];
        else
            nest.extents.push_back(sorted.extents[axis]);
        for (std::size_t operand = 0; operand < Operands; ++operand) {
            if (merges)
                nest.strides[operand][last] = sorted.strides[operand][axis];
            else
                nest.strides[operand].push_back(sorted.strides[operand][axis]);
        }
    }
    return nest;
}

template loop_nest<4> coalesce<4>(const dims &, const std::array<dims, 4> &, std::size_t);

} // namespace tern
