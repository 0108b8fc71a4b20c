// SPDX-License-Identifier: Apache-2.0
#include "base/loop_nest.hpp"

#include <algorithm>
#include <numeric>

namespace tern {
namespace {

using axis_order = std::array<int, max_rank>;

/// True when a walk along `outer` continues where one along `inner` ends, for every operand.
bool can_merge(std::int64_t inner_extent, std::span<const dims> strides, int outer, int inner) {
    for (const dims &operand : strides) {
        std::int64_t reach = 0;
        if (__builtin_mul_overflow(operand[inner], inner_extent, &reach) || reach != operand[outer])
            return false;
    }
    return true;
}

/// Stable, so that axes that nothing tells apart keep the caller's order.
void sort_axes(axis_order &axes, int count, std::span<const dims> strides, std::size_t leader) {
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

void coalesce(const dims &shape, std::span<const dims> strides, std::size_t leader, dims &extents,
        std::span<dims> merged) {
    axis_order axes{};
    int count = 0;
    for (int axis = 0; axis < shape.rank(); ++axis)
        if (shape[axis] != 1) axes[static_cast<std::size_t>(count++)] = axis;
    sort_axes(axes, count, strides, leader);

    extents = dims();
    std::fill(merged.begin(), merged.end(), dims());
    for (int i = 0; i < count; ++i) {
        const int axis = axes[static_cast<std::size_t>(i)];
        const int last = extents.rank() - 1;
        const bool merges =
                i > 0
                && can_merge(shape[axis], strides, axes[static_cast<std::size_t>(i - 1)], axis);
        if (merges)
            extents[last] *= shape[axis];
        else
            extents.push_back(shape[axis]);
        for (std::size_t operand = 0; operand < strides.size(); ++operand) {
            if (merges)
                merged[operand][last] = strides[operand][axis];
            else
                merged[operand].push_back(strides[operand][axis]);
        }
    }
}

template <std::size_t Operands>
loop_nest<Operands> coalesce(
        const dims &shape, const std::array<dims, Operands> &strides, std::size_t leader) {
    loop_nest<Operands> nest;
    coalesce(shape, strides, leader, nest.extents, nest.strides);
    return nest;
}

template loop_nest<4> coalesce<4>(const dims &, const std::array<dims, 4> &, std::size_t);

} // namespace tern
