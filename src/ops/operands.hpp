// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_OPS_OPERANDS_HPP
#define TERN_OPS_OPERANDS_HPP

/// \file
/// What shape rules and reference loops of several ops need to get at attributes, axes and
/// elements.

#include <cstdint>
#include <string_view>
#include <variant>

#include "base/element.hpp"
#include "ir/op_def.hpp"

namespace tern::ops {

/// The value of an attribute that is required or has a default. Precondition: it is a T.
template <typename T>
const T &attr(const ir::attr_list &attrs, op_attr name) noexcept {
    return *std::get_if<T>(ir::find(attrs, name));
}

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

/// Elements [begin, end) of `dst`, bit by bit, from the elements of the same numbers of a source
/// that is walked as `shape` with `strides`; it has as many elements as `dst`.
void copy_elements(const ir::const_view &src, const dims &shape, const dims &strides,
        const ir::mutable_view &dst, std::int64_t begin, std::int64_t end) noexcept;

} // namespace tern::ops

#endif
