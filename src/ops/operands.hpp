// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_OPS_OPERANDS_HPP
#define TERN_OPS_OPERANDS_HPP

/// \file
/// What shape rules and reference loops of several ops need to get at attributes, axes and
/// elements.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "base/element.hpp"
#include "ir/op_def.hpp"

namespace tern::ops {

/// `axis` counted from the front; -1 when it is out of range.
int resolve_axis(std::int64_t axis, int rank) noexcept;

/// The attribute `axis`, counted from the front. Throws `code` naming the input and its rank when
/// it is out of range. Precondition: the rank of `input` is known.
int axis_of(status code, const ir::op_label &label, const ir::attr_list &attrs,
        std::string_view input_name, const tensor_desc &input);

/// The index of element `number` in row-major order. Precondition: no dim is 0.
inline dims index_of(std::int64_t number, const dims &shape) noexcept {
    dims index(shape.rank(), 0);
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
        index[axis] = number % shape[axis];
        number /= shape[axis];
    }
    return index;
}

/// Elements from the first one to the one at `index`.
inline std::int64_t offset_of(const dims &index, const dims &strides) noexcept {
    std::int64_t offset = 0;
    for (int axis = 0; axis < index.rank(); ++axis)
        offset += index[axis] * strides[axis];
    return offset;
}

inline const void *at(const ir::const_view &view, std::int64_t offset) noexcept {
    return static_cast<const unsigned char *>(view.data)
           + static_cast<std::size_t>(offset) * bytes_of(view.type);
}
inline void *at(const ir::mutable_view &view, std::int64_t offset) noexcept {
    return static_cast<unsigned char *>(view.data)
           + static_cast<std::size_t>(offset) * bytes_of(view.type);
}
inline double load(const ir::const_view &view, std::int64_t offset) noexcept {
    return load_f64(view.type, at(view, offset));
}
inline void store(const ir::mutable_view &view, std::int64_t offset, double value) noexcept {
    store_f64(view.type, value, at(view, offset));
}

/// Goes through strided operands of one shape together, in row-major order.
template <std::size_t Operands>
class element_walk {
public:
    /// Stands at element number `begin`. Strides have the shape's rank; those of axes of extent 1
    /// are not looked at. Precondition: the shape is not empty.
    element_walk(const dims &shape, const std::array<dims, Operands> &strides, std::int64_t begin)
        : shape_(shape),
          strides_(strides),
          index_(shape.rank(), 0) {
        for (int axis = shape.rank() - 1; axis >= 0; --axis) {
            index_[axis] = begin % shape[axis];
            begin /= shape[axis];
            if (index_[axis] == 0) continue; // a stride that counts for nothing may be anything
            for (std::size_t i = 0; i < Operands; ++i)
                at_[i] += index_[axis] * strides[i][axis];
        }
    }

    /// Offset of the current element of an operand, in elements.
    std::int64_t at(std::size_t operand) const { return at_[operand]; }
    /// Of the current element.
    std::int64_t index(int axis) const { return index_[axis]; }

    void next() {
        for (int axis = shape_.rank() - 1; axis >= 0; --axis) {
            if (index_[axis] + 1 < shape_[axis]) {
                ++index_[axis];
                for (std::size_t i = 0; i < Operands; ++i)
                    at_[i] += strides_[i][axis];
                return;
            }
            if (index_[axis] == 0) continue;
            for (std::size_t i = 0; i < Operands; ++i)
                at_[i] -= index_[axis] * strides_[i][axis];
            index_[axis] = 0;
        }
    }

private:
    dims shape_;
    std::array<dims, Operands> strides_;
    dims index_;
    std::array<std::int64_t, Operands> at_{};
};

/// Elements [begin, end) of `dst`, bit by bit, from the elements of the same numbers of a source
/// that is walked as `shape` with `strides`; it has as many elements as `dst`.
void copy_elements(const ir::const_view &src, const dims &shape, const dims &strides,
        const ir::mutable_view &dst, std::int64_t begin, std::int64_t end) noexcept;

} // namespace tern::ops

#endif
