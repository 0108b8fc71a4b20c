// SPDX-License-Identifier: Apache-2.0
#include "driver/compare.hpp"

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "base/shape.hpp"
#include "base/text.hpp"
#include "driver/number.hpp"
#include "driver/report.hpp"

namespace tern::driver {
namespace {

/// Position of an element, in row-major numbering, along each axis.
dims index_of(const dims &shape, std::int64_t element) {
    dims index(shape.rank(), 0);
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
        index[axis] = element % shape[axis];
        element /= shape[axis];
    }
    return index;
}

std::size_t offset_of(const dims &index, const dims &strides, std::size_t bytes) {
    std::int64_t offset = 0;
    for (int axis = 0; axis < index.rank(); ++axis)
        offset += index[axis] * strides[axis];
    return static_cast<std::size_t>(offset) * bytes;
}

bool is_right(
        compare_rule rule, const std::byte *expected, const std::byte *found, std::size_t bytes) {
    switch (rule) {
        case compare_rule::exact_bits: break;
    }
    return std::memcmp(expected, found, bytes) == 0;
}

void print_element(std::string_view label, std::int64_t element, const dims &index, data_type type,
        const std::byte *expected, const std::byte *found) {
    std::string position;
    for (std::int64_t i : index)
        position += format_text("{}{}", position.empty() ? "" : ":", i);
    double want = load_f64(type, expected);
    double got = load_f64(type, found);
    double difference = std::abs(want - got);
    print_line(format_text("[{:4}][{}][{}] exp_f32:{:12g} exp:{:12g} got:{:12g} diff:{:8g} "
                           "rdiff:{:8g} exp_bits:{} got_bits:{}",
            element, label, position, static_cast<double>(static_cast<float>(want)), want, got,
            difference, want != 0 ? difference / std::abs(want) : difference,
            bits_to_text(type, expected), bits_to_text(type, found)));
}

/// First byte that differs though no element does; the buffers are known to differ.
std::size_t first_difference(const buffer &expected, const buffer &found) {
    std::size_t at = 0;
    while (expected.data()[at] == found.data()[at])
        ++at;
    return at;
}

} // namespace

compare_rule rule_of(op_kind kind) {
    switch (kind) {
        // Everything that runs today moves bits and computes nothing.
        default: return compare_rule::exact_bits;
    }
}

comparison compare(const buffer &expected, const buffer &found, compare_rule rule,
        std::string_view label, int verbose) {
    const tensor_desc &desc = expected.desc();
    comparison result;
    result.total = *element_count(desc.shape);
    if (expected.bytes() == 0 || std::memcmp(expected.data(), found.data(), expected.bytes()) == 0)
        return result;

    constexpr std::int64_t most_printed = 10;
    constexpr int print_all = 99;
    const std::size_t bytes = bytes_of(desc.type);
    for (std::int64_t element = 0; element < result.total; ++element) {
        dims index = index_of(desc.shape, element);
        std::size_t offset = offset_of(index, desc.strides, bytes);
        const std::byte *want = expected.data() + offset;
        const std::byte *got = found.data() + offset;
        if (is_right(rule, want, got, bytes)) continue;
        if (result.errors++ < most_printed || verbose >= print_all)
            print_element(label, element, index, desc.type, want, got);
    }
    if (rule == compare_rule::exact_bits && result.errors == 0) {
        result.errors = 1;
        print_line(format_text("Error: {}: byte {} between the elements was written to", label,
                first_difference(expected, found)));
    }
    return result;
}

} // namespace tern::driver
