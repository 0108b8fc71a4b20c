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
    const auto given = attr<std::int64_t>(attrs, op_attr::axis);
    const int axis = resolve_axis(given, input.shape.rank());
    if (axis < 0)
        fail(code, "{}: attribute axis is {}, but {} has rank {}", ir::to_string(label), given,
                input_name, input.shape.rank());
    return axis;
}

void copy_elements(const ir::const_view &src, const dims &shape, const dims &strides,
        const ir::mutable_view &dst, std::int64_t begin, std::int64_t end) noexcept {
    const std::size_t bytes = bytes_of(dst.type);
    for (std::int64_t element = begin; element < end; ++element) {
        const void *from = at(src, offset_of(index_of(element, shape), strides));
        void *to = at(dst, offset_of(index_of(element, dst.shape), dst.strides));
        std::memmove(to, from, bytes); // in place, both may be the same element
    }
}

} // namespace tern::ops
