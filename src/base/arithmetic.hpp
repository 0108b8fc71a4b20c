// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_BASE_ARITHMETIC_HPP
#define TERN_BASE_ARITHMETIC_HPP

/// \file
/// Small sums over counts and sizes. None of the arguments is negative, divisors are not 0.

#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>

namespace tern {

/// n / by, rounded up.
template <std::integral Int>
constexpr Int divide_up(Int n, std::type_identity_t<Int> by) {
    return static_cast<Int>(n / by + (n % by != 0 ? 1 : 0));
}

/// The least multiple of `to` that is not below n. Precondition: it can be represented.
template <std::integral Int>
constexpr Int round_up(Int n, std::type_identity_t<Int> to) {
    return static_cast<Int>(divide_up(n, to) * to);
}

/// a * b, or the largest number where that does not fit: tensors may be described that no memory
/// can hold.
constexpr std::int64_t capped_product(std::int64_t a, std::int64_t b) {
    std::int64_t product = 0;
    return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max()
                                                  : product;
}

} // namespace tern

#endif
