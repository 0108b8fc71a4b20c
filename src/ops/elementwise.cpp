// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise.hpp"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <variant>

namespace tern::ops {
namespace {

/// A double that any type of at most 51 mantissa bits rounds to what it would round `value` to: the
/// last bit remembers that lower ones were cut off.
double rounded_to_odd(std::int64_t value, bool is_unsigned) {
    auto magnitude = static_cast<std::uint64_t>(value);
    const bool is_negative = !is_unsigned && value < 0;
    if (is_negative) magnitude = -magnitude;
    const int excess =
            static_cast<int>(std::bit_width(magnitude)) - std::numeric_limits<double>::digits;
    if (excess > 0) {
        const std::uint64_t cut = magnitude & ((std::uint64_t{1} << excess) - 1);
        magnitude -= cut;
        if (cut != 0) magnitude |= std::uint64_t{1} << excess;
    }
    const auto result = static_cast<double>(magnitude);
    return is_negative ? -result : result;
}

/// Takes src_0 but where its order to src_1 is `unwanted`. Of zeros -0 comes before +0.
void choose_by_order(const ir::reference_args &args, std::int64_t begin, std::int64_t end,
        std::partial_ordering unwanted) {
    const data_type type = args.out[0].type;
    const std::size_t bytes = bytes_of(type);
    for_each_element<2>(args, begin, end, [=](void *to, const void *a, const void *b) {
        std::partial_ordering order = compare(type, a, b);
        if (std::is_eq(order) && format_of(type))
            order = std::signbit(load_f64(type, b)) <=> std::signbit(load_f64(type, a));
        if (order == std::partial_ordering::unordered)
            store_f64(type, std::numeric_limits<double>::quiet_NaN(), to);
        else // memmove: in place, both may be the same element
            std::memmove(to, order == unwanted ? b : a, bytes);
    });
}

} // namespace

void infer_binary(const ir::op_label &label, const ir::attr_list &attrs,
        std::span<const tensor_desc> in, std::span<tensor_desc> out) {
    if (!in[0].rank_known || !in[1].rank_known) return;
    dims shape = may_broadcast(attrs) ? broadcast(label, "src_0", in[0].shape, "src_1", in[1].shape)
                                      : infer_equal(label, binary_inputs, in);
    settle_shape(label, "dst", shape, out[0]);
}

double number_of(const ir::attr_list &attrs, op_attr attr) noexcept {
    return ir::attr_or(attrs, attr, 0.0F); // add_op has seen to it that there is one
}

double soft_plus_of(double x) noexcept {
    return std::fmax(x, 0) + std::log1p(std::exp(-std::abs(x)));
}

void store_result(data_type type, double value, void *element) noexcept {
    store_f64(type, is_integer(type) ? std::nearbyint(value) : value, element);
}

void store_integer(data_type type, std::int64_t value, bool is_unsigned, void *element) noexcept {
    if (!format_of(type))
        store_s64(type, value, element);
    else if (type == data_type::f64)
        store_f64(type,
                is_unsigned ? static_cast<double>(static_cast<std::uint64_t>(value))
                            : static_cast<double>(value),
                element);
    else
        store_f64(type, rounded_to_odd(value, is_unsigned), element);
}

std::partial_ordering compare(data_type type, const void *a, const void *b) noexcept {
    if (format_of(type)) return load_f64(type, a) <=> load_f64(type, b);
    const std::int64_t left = load_s64(type, a);
    const std::int64_t right = load_s64(type, b);
    if (type == data_type::u64)
        return static_cast<std::uint64_t>(left) <=> static_cast<std::uint64_t>(right);
    return left <=> right;
}

void choose_greater(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    choose_by_order(args, begin, end, std::partial_ordering::less);
}

void choose_lesser(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    choose_by_order(args, begin, end, std::partial_ordering::greater);
}

} // namespace tern::ops
