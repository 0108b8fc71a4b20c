// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_BASE_DIMS_HPP
#define TERN_BASE_DIMS_HPP

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>

#include "tern/types.hpp"

namespace tern {

inline constexpr int max_rank = TERN_MAX_NDIMS;
inline constexpr std::int64_t unknown_dim = TERN_GRAPH_UNKNOWN_DIM;

/// Up to max_rank 64-bit integers: a shape, or strides in elements. Axis 0 is the outermost.
class dims {
public:
    dims() = default;
    dims(std::initializer_list<std::int64_t> values) { assign(values.begin(), values.end()); }
    /// `rank` times `value`. Precondition: 0 <= rank <= max_rank.
    dims(int rank, std::int64_t value) : rank_(rank) { std::fill_n(values_.begin(), rank, value); }

    template <typename It>
    void assign(It first, It last) {
        rank_ = 0;
        for (; first != last; ++first)
            push_back(*first);
    }
    /// Precondition: rank() < max_rank.
    void push_back(std::int64_t value) { values_[static_cast<std::size_t>(rank_++)] = value; }

    int rank() const { return rank_; }
    bool empty() const { return rank_ == 0; }
    std::int64_t &operator[](int axis) { return values_[static_cast<std::size_t>(axis)]; }
    std::int64_t operator[](int axis) const { return values_[static_cast<std::size_t>(axis)]; }

    std::int64_t *begin() { return values_.data(); }
    std::int64_t *end() { return values_.data() + rank_; }
    const std::int64_t *begin() const { return values_.data(); }
    const std::int64_t *end() const { return values_.data() + rank_; }

    friend bool operator==(const dims &a, const dims &b) {
        return std::equal(a.begin(), a.end(), b.begin(), b.end());
    }

private:
    std::array<std::int64_t, max_rank> values_{};
    int rank_ = 0;
};

/// "2x3x4"; "scalar" for rank 0; an unknown value prints as "?".
std::string to_string(const dims &d);

} // namespace tern

#endif
