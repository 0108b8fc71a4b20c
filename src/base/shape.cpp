// SPDX-License-Identifier: Apache-2.0
#include "base/shape.hpp"

#include <algorithm>

#include "base/text.hpp"

namespace tern {
namespace {

bool multiply(std::int64_t a, std::int64_t b, std::int64_t &product) {
    return !__builtin_mul_overflow(a, b, &product);
}

bool add(std::int64_t a, std::int64_t b, std::int64_t &sum) {
    return !__builtin_add_overflow(a, b, &sum);
}

} // namespace

std::string to_string(const dims &d) {
    if (d.empty()) return "scalar";
    std::string text;
    for (std::int64_t value : d) {
        if (!text.empty()) text += 'x';
        text += value == unknown_dim ? "?" : format_text("{}", value);
    }
    return text;
}

bool has_unknown(const dims &d) {
    return std::find(d.begin(), d.end(), unknown_dim) != d.end();
}

bool is_empty(const dims &shape) {
    return std::find(shape.begin(), shape.end(), 0) != shape.end();
}

std::optional<std::int64_t> element_count(const dims &shape) {
    if (is_empty(shape)) return 0;
    std::int64_t count = 1;
    for (std::int64_t dim : shape)
        if (!multiply(count, dim, count)) return std::nullopt;
    return count;
}

std::optional<dims> dense_strides(const dims &shape) {
    dims strides(shape.rank(), 1);
    for (int axis = shape.rank() - 2; axis >= 0; --axis) {
        std::int64_t inner = std::max<std::int64_t>(shape[axis + 1], 1);
        if (!multiply(strides[axis + 1], inner, strides[axis])) return std::nullopt;
    }
    return strides;
}

std::optional<std::int64_t> element_span(const dims &shape, const dims &strides) {
    if (is_empty(shape)) return 0;
    std::int64_t span = 1;
    for (int axis = 0; axis < shape.rank(); ++axis) {
        std::int64_t reach = 0;
        if (!multiply(shape[axis] - 1, strides[axis], reach) || !add(span, reach, span))
            return std::nullopt;
    }
    return span;
}

std::optional<std::int64_t> byte_span(
        const dims &shape, const dims &strides, std::size_t element_bytes) {
    std::optional<std::int64_t> span = element_span(shape, strides);
    std::int64_t bytes = 0;
    if (!span || !multiply(*span, static_cast<std::int64_t>(element_bytes), bytes))
        return std::nullopt;
    return bytes;
}

bool is_dense(const dims &shape, const dims &strides) {
    std::int64_t expected = 1;
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
        if (shape[axis] != 1 && strides[axis] != expected) return false;
        if (!multiply(expected, std::max<std::int64_t>(shape[axis], 1), expected)) return false;
    }
    return true;
}

bool same_strides(const dims &shape, const dims &a, const dims &b) {
    for (int axis = 0; axis < shape.rank(); ++axis)
        if (shape[axis] > 1 && a[axis] != b[axis]) return false;
    return true;
}

std::optional<dims> reshape_strides(const dims &shape, const dims &strides, const dims &into) {
    if (is_empty(shape)) return dense_strides(into);
    dims result(into.rank(), 1);
    int from = 0;
    int to = 0;
    while (from < shape.rank() || to < into.rank()) {
        // The smallest groups of axes, one of each shape, that hold as many elements.
        int from_end = from;
        int to_end = to;
        std::int64_t from_count = 1;
        std::int64_t to_count = 1;
        do {
            if (from_end < shape.rank() && (from_count <= to_count || to_end == into.rank()))
                from_count *= shape[from_end++];
            else
                to_count *= into[to_end++];
        } while (from_count != to_count);
        // A group must be one walk: each axis continues where the next one ends.
        std::int64_t inner = 0; // stride of the group's innermost axis above 1
        std::int64_t reach = 0;
        bool has_inner = false;
        bool overflows = false;
        for (int axis = from_end - 1; axis >= from; --axis) {
            if (shape[axis] == 1) continue;
            if (has_inner && (overflows || strides[axis] != reach)) return std::nullopt;
            if (!has_inner) inner = strides[axis];
            has_inner = true;
            overflows = __builtin_mul_overflow(strides[axis], shape[axis], &reach);
        }
        std::int64_t stride = inner;
        for (int axis = to_end - 1; axis >= to; --axis) {
            result[axis] = stride;
            if (axis > to) stride *= into[axis];
        }
        from = from_end;
        to = to_end;
    }
    return result;
}

std::optional<std::int64_t> broadcast_dim(std::int64_t a, std::int64_t b) {
    if (a == b || b == 1) return a;
    if (a == 1) return b;
    if (a == unknown_dim) return b;
    if (b == unknown_dim) return a;
    return std::nullopt;
}

broadcast_result broadcast_two_way(const dims &a, const dims &b) {
    int rank = std::max(a.rank(), b.rank());
    broadcast_result result;
    result.shape = dims(rank, 1);
    for (int back = 1; back <= rank; ++back) {
        int axis = rank - back;
        std::int64_t dim_a = back <= a.rank() ? a[a.rank() - back] : 1;
        std::int64_t dim_b = back <= b.rank() ? b[b.rank() - back] : 1;
        std::optional<std::int64_t> dim = broadcast_dim(dim_a, dim_b);
        if (!dim) {
            result.bad_axis = axis;
            return result;
        }
        result.shape[axis] = *dim;
    }
    return result;
}

broadcast_result broadcast_one_way(const dims &from, const dims &into) {
    broadcast_result result;
    result.shape = into;
    if (from.rank() > into.rank()) {
        result.bad_axis = 0;
        return result;
    }
    for (int back = 1; back <= from.rank(); ++back) {
        std::int64_t dim = from[from.rank() - back];
        std::int64_t target = into[into.rank() - back];
        bool fits = dim == target || dim == 1 || dim == unknown_dim || target == unknown_dim;
        if (!fits) {
            result.bad_axis = into.rank() - back;
            return result;
        }
    }
    return result;
}

dims broadcast_strides(const dims &from, const dims &strides, const dims &into) {
    dims result(into.rank(), 0);
    for (int back = 1; back <= from.rank(); ++back) {
        int axis = from.rank() - back;
        if (from[axis] != 1) result[into.rank() - back] = strides[axis];
    }
    return result;
}

index_range slice_range(
        std::int64_t dim, std::int64_t start, std::int64_t end, std::int64_t step) noexcept {
    index_range result;
    if (dim == 0) return result;
    const bool is_forward = step > 0;
    const std::int64_t most = is_forward ? dim : dim - 1;
    auto bound = [&](std::int64_t index, std::int64_t least) {
        return std::clamp(index < 0 ? index + dim : index, least, most);
    };
    result.first = bound(start, 0);
    const std::int64_t last = bound(end, is_forward ? 0 : -1); // -1: what stands before the first
    const std::int64_t distance = is_forward ? last - result.first : result.first - last;
    if (distance <= 0) {
        result.first = 0;
        return result;
    }
    // Unsigned: the least of all steps has no opposite.
    const std::uint64_t size = is_forward ? static_cast<std::uint64_t>(step)
                                          : std::uint64_t{0} - static_cast<std::uint64_t>(step);
    result.count = 1 + static_cast<std::int64_t>(static_cast<std::uint64_t>(distance - 1) / size);
    if (result.count > 1) result.step = step;
    return result;
}

} // namespace tern
