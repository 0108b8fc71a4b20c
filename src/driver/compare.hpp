// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_COMPARE_HPP
#define TERN_DRIVER_COMPARE_HPP

#include <cstdint>
#include <string_view>

#include "driver/buffer.hpp"

namespace tern::driver {

/// When an element counts as right. One rule per op kind, for the op that writes the output.
enum class compare_rule {
    exact_bits, ///< Every bit as the reference has it: -0.0 is not 0.0, and a NaN keeps its
                ///< payload.
};

compare_rule rule_of(op_kind kind);

struct comparison {
    std::int64_t errors = 0;
    std::int64_t total = 0;
};

/// Compares two buffers of one type, shape and layout that held the same bytes before they were
/// written. What stands between the elements must still be there: a change counts as one error
/// more. Prints wrong elements in benchdnn's form, the first ten, or all of them when verbose
/// is 99. `label` says in those lines what is compared.
comparison compare(const buffer &expected, const buffer &found, compare_rule rule,
        std::string_view label, int verbose);

} // namespace tern::driver

#endif
