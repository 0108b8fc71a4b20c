// SPDX-License-Identifier: Apache-2.0
// What the legs in C++ of NonZero share. Beyond leg.hpp: dt=boolean|f32, x=SHAPE, x_file=NAME.
#pragma once

#include <string>

#include "leg.hpp"

namespace leg {

/// y[axis][k] is the index along an axis of the k-th element of x that is not 0. There is memory
/// for exactly what is found.
struct nonzero_case {
    dims shape;
    size_t element_size;
    int64_t n, rank;
    uint8_t *x;
    int64_t found = 0;
    int64_t *y;

    explicit nonzero_case(const arguments &given)
        : shape(given.shape("x")),
          element_size(given.text("dt") == "f32" ? 4 : 1),
          n(count(shape)),
          rank(static_cast<int64_t>(shape.size())),
          x(allocate(n * element_size)) {
        read_file(given.text("x_file"), x, n * element_size);
        for (int64_t i = 0; i < n; ++i)
            found += is_set(i);
        y = reinterpret_cast<int64_t *>(allocate(found * rank * sizeof(int64_t)));
    }

    /// No element is -0.0.
    bool is_set(int64_t i) const {
        for (size_t byte = 0; byte < element_size; ++byte)
            if (x[i * element_size + byte] != 0) return true;
        return false;
    }

    bool is_right() const {
        dims index(rank);
        int64_t k = 0;
        for (int64_t i = 0; i < n; ++i) {
            if (is_set(i)) {
                for (int64_t axis = 0; axis < rank; ++axis)
                    if (y[axis * found + k] != index[axis]) return false;
                ++k;
            }
            for (int64_t axis = rank; axis-- > 0;) {
                if (++index[axis] < shape[axis]) break;
                index[axis] = 0;
            }
        }
        return true;
    }
};

} // namespace leg
