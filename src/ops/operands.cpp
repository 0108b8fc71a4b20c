// SPDX-License-Identifier: Apache-2.0
#include "ops/operands.hpp"

#include <cstring>

#include "base/error.hpp"
#include "ops/rules.hpp"

namespace tern::ops {

int resolve_axis(std::int64_t axis, int rank) noexcept {
    if (axis < -rank || axis >= rank) return -1;
    return static_cast<int>(axis < 0 ? axis + rank : axis);
}

int axis_of(status code, const ir::op_label &label, const ir::attr_list &attrs,
        std::string_view input_name, const tensor_desc &input) {
    const auto given = ir::attr_of<std::int64_t>(attrs, op_attr::axis);
    const int axis = resolve_axis(given, input.shape.rank());
    if (axis < 0)
        fail(code, "{}: attribute axis is {}, but {} has rank {}", ir::to_string(label), given,
                input_name, input.shape.rank());
    return axis;
}

void copy_elements(const ir::const_view &src, const dims &shape, const dims &strides,
        const ir::mutable_view &dst, std::int64_t begin, std::int64_t end) noexcept {
    if (begin >= end) return;
    const std::size_t bytes = bytes_of(dst.type);
    element_walk<1> from(shape, {strides}, begin);
    element_walk<1> to(dst.shape, {dst.strides}, begin);
    for (std::int64_t element = begin; element < end; ++element, from.next(), to.next())
        std::memmove(at(dst, to.at(0)), at(src, from.at(0)), bytes); // may be the same
}

} // namespace tern::ops
