// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_COMPARE_HPP
#define TERN_DRIVER_COMPARE_HPP

#include <cstdint>
#include <string_view>

#include "driver/buffer.hpp"

namespace tern::driver {

/// When an element counts as right.
enum class compare_rule {
    exact_bits, ///< Every bit as the reference has it: -0.0 is not 0.0, and a NaN keeps its
                ///< payload.
    close,      ///< Near the reference's value. NaN meets any NaN, infinity the same infinity.
};

/// How near is near: |found - expected| <= relative * |expected| + of_row * R + floor, where R is
/// the root mean square of the expected elements of the same row (last axis; of the whole tensor
/// where rows are shorter than eight elements). The zeros are equal.
struct acceptance {
    acceptance(compare_rule rule = compare_rule::exact_bits) // NOLINT(google-explicit-constructor)
        : rule(rule) {}

    compare_rule rule;
    double relative = 0;
    double of_row = 0;
    double floor = 0;
    double differing = 1; ///< Share of the elements that may differ at all, in 256 or more.
};

struct comparison {
    std::int64_t errors = 0;
    std::int64_t total = 0;
    bool uniform = false; ///< Rule close: nearly all elements are 0, or the same.
};

/// Compares two buffers of one type, shape and layout that held the same bytes before they were
/// written. What stands between the elements must still be there: a change counts as one error
/// more. Prints wrong elements in benchdnn's form, the first ten, or all of them when verbose
/// is 99. `label` says in those lines what is compared.
comparison compare(const buffer &expected, const buffer &found, const acceptance &accepted,
        std::string_view label, int verbose);

/// Copies the elements, not what stands between them. Shapes and layouts are the same.
void copy_elements(const buffer &from, buffer &to);

} // namespace tern::driver

#endif
