// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_OFFSET_WALK_HPP
#define TERN_KERNELS_OFFSET_WALK_HPP

/// \file
/// Counts through a nest of loops, the last axis fastest, and keeps the offsets of operands.

#include <array>
#include <cstddef>
#include <cstdint>

#include "base/dims.hpp"

namespace tern::kernels {

/// Refers to extents and steps (bytes, by operand), which must outlive it.
template <std::size_t Operands>
class offset_walk {
public:
    /// Begins at the iteration `index`.
    offset_walk(const dims &extents, const std::array<const dims *, Operands> &steps,
            std::int64_t index)
        : extents_(extents),
          steps_(steps) {
        for (int axis = extents.rank() - 1; axis >= 0; --axis) {
            index_[axis] = index % extents[axis];
            index /= extents[axis];
            move(axis, index_[axis]);
        }
    }

    std::int64_t at(std::size_t operand) const { return offsets_[operand]; }

    /// After the last iteration comes the first.
    void next() {
        for (int axis = extents_.rank() - 1; axis >= 0; --axis) {
            move(axis, 1);
            if (++index_[axis] < extents_[axis]) return;
            move(axis, -index_[axis]);
            index_[axis] = 0;
        }
    }

private:
    void move(int axis, std::int64_t count) {
        for (std::size_t operand = 0; operand < Operands; ++operand)
            offsets_[operand] += count * (*steps_[operand])[axis];
    }

    const dims &extents_;
    std::array<const dims *, Operands> steps_;
    std::array<std::int64_t, Operands> offsets_{};
    dims index_{max_rank, 0};
};

} // namespace tern::kernels

#endif
