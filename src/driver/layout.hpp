// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_LAYOUT_HPP
#define TERN_DRIVER_LAYOUT_HPP

/// \file
/// Layouts without gaps in another order of axes: benchdnn's tags.

#include <optional>
#include <string_view>
#include <vector>

#include "base/dims.hpp"

namespace tern::driver {

/// Axes from the outermost in memory to the innermost.
using axis_order = std::vector<int>;

/// "acdb" for rank 4. nullopt unless each of the first `rank` letters is there once.
std::optional<axis_order> order_from_tag(std::string_view tag, int rank);

/// Axes by descending stride; equal strides keep the order of the axes.
axis_order order_from_strides(const dims &strides);

/// Strides without gaps; a dim of 0 counts as 1. nullopt when one does not fit 64 bits.
std::optional<dims> strides_in_order(const dims &shape, const axis_order &order);

/// True when the strides are without gaps and overlaps, in whatever order of axes.
bool is_permuted_dense(const dims &shape, const dims &strides);

} // namespace tern::driver

#endif
