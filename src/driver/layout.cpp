// SPDX-License-Identifier: Apache-2.0
#include "driver/layout.hpp"

#include <algorithm>
#include <numeric>

#include "base/shape.hpp"

namespace tern::driver {

std::optional<axis_order> order_from_tag(std::string_view tag, int rank) {
    if (tag.size() != static_cast<std::size_t>(rank)) return std::nullopt;
    axis_order order;
    for (char letter : tag) {
        int axis = letter - 'a';
        bool seen = std::find(order.begin(), order.end(), axis) != order.end();
        if (axis < 0 || axis >= rank || seen) return std::nullopt;
        order.push_back(axis);
    }
    return order;
}

axis_order order_from_strides(const dims &strides) {
    axis_order order(static_cast<std::size_t>(strides.rank()));
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(
            order.begin(), order.end(), [&](int a, int b) { return strides[a] > strides[b]; });
    return order;
}

std::optional<dims> strides_in_order(const dims &shape, const axis_order &order) {
    dims permuted;
    for (int axis : order)
        permuted.push_back(shape[axis]);
    std::optional<dims> dense = dense_strides(permuted);
    if (!dense) return std::nullopt;
    dims strides(shape.rank(), 0);
    for (std::size_t i = 0; i < order.size(); ++i)
        strides[order[i]] = (*dense)[static_cast<int>(i)];
    return strides;
}

bool is_permuted_dense(const dims &shape, const dims &strides) {
    std::optional<dims> dense = strides_in_order(shape, order_from_strides(strides));
    return dense && same_strides(shape, *dense, strides);
}

} // namespace tern::driver
