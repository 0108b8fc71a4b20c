// SPDX-License-Identifier: Apache-2.0
#include "base/overlap.hpp"

#include <algorithm>
#include <array>

#include "base/shape.hpp"

namespace tern {
namespace {

using wide = __int128; // sums of two 64-bit spans

/// Is there an x with 0 <= x[k] <= limit[k] and low <= sum of step[k] * x[k] <= high?
/// All steps are positive. Searched depth first, largest step first: the inner terms of a real
/// layout reach less far than one step of the outer ones, which leaves one or two values to try at
/// each level.
class bounded_sum {
public:
    void add_term(wide step, wide limit) {
        if (limit <= 0 || step <= 0) return;
        for (int k = 0; k < count_; ++k)
            if (terms_[at(k)].step == step) {
                terms_[at(k)].limit += limit;
                return;
            }
        terms_[at(count_++)] = {step, limit, 0, 0};
    }

    bool reaches(wide low, wide high) {
        std::sort(terms_.begin(), terms_.begin() + count_,
                [](const term &a, const term &b) { return a.step > b.step; });
        wide reach = 0;
        wide divisor = 0;
        for (int k = count_ - 1; k >= 0; --k) {
            term &t = terms_[at(k)];
            reach += t.step * t.limit;
            divisor = gcd(divisor, t.step);
            t.reach = reach;
            t.divisor = divisor;
        }
        effort_ = 0;
        return search(0, low, high);
    }

private:
    struct term {
        wide step;
        wide limit;
        wide reach;   ///< Largest sum of this term and the ones behind it.
        wide divisor; ///< Greatest common divisor of their steps.
    };

    static constexpr int most_effort = 100'000;

    static std::size_t at(int k) { return static_cast<std::size_t>(k); }
    static wide gcd(wide a, wide b) {
        while (b != 0) {
            wide rest = a % b;
            a = b;
            b = rest;
        }
        return a;
    }

    bool search(int k, wide low, wide high) {
        if (high < 0) return false;
        if (low <= 0) return true; // all remaining x at 0 reach 0, which is inside
        if (k == count_) return false;
        const term &t = terms_[at(k)];
        if (low > t.reach) return false;
        if (high / t.divisor * t.divisor < low) return false; // no multiple in the window
        if (++effort_ > most_effort) return true;
        wide inner = t.reach - t.step * t.limit;
        wide first = low > inner ? (low - inner + t.step - 1) / t.step : 0;
        wide last = std::min(t.limit, high / t.step);
        for (wide x = first; x <= last; ++x)
            if (search(k + 1, low - t.step * x, high - t.step * x)) return true;
        return false;
    }

    std::array<term, 2 * max_rank> terms_;
    int count_ = 0;
    int effort_ = 0;
};

} // namespace

bool views_overlap(const memory_view &a, const memory_view &b) noexcept {
    if (is_empty(a.shape) || is_empty(b.shape)) return false;
    auto address = [](const memory_view &v) {
        return static_cast<wide>(reinterpret_cast<std::uintptr_t>(v.data));
    };
    auto bytes = [](const memory_view &v) { return static_cast<wide>(v.element_bytes); };

    // An element of a at offset p and one of b at offset q overlap when
    // -bytes(a) < (a + p) - (b + q) < bytes(b). Counting b's axes from their far ends makes every
    // term positive: p + (reach(b) - q) must lie in a window.
    bounded_sum sum;
    wide reach_b = 0;
    for (int axis = 0; axis < a.shape.rank(); ++axis)
        sum.add_term(bytes(a) * a.strides[axis], a.shape[axis] - 1);
    for (int axis = 0; axis < b.shape.rank(); ++axis) {
        sum.add_term(bytes(b) * b.strides[axis], b.shape[axis] - 1);
        reach_b += bytes(b) * b.strides[axis] * (b.shape[axis] - 1);
    }
    wide shift = reach_b - (address(a) - address(b));
    return sum.reaches(shift - bytes(a) + 1, shift + bytes(b) - 1);
}

bool elements_overlap(const dims &shape, const dims &strides) noexcept {
    if (is_empty(shape)) return false;
    // Axes by stride, largest first. Two elements meet when a non-zero combination of index
    // differences, |d[k]| < shape[k], gives offset 0; by symmetry the first non-zero one is
    // positive.
    std::array<int, max_rank> order;
    int count = 0;
    for (int axis = 0; axis < shape.rank(); ++axis)
        if (shape[axis] > 1) order[static_cast<std::size_t>(count++)] = axis;
    std::sort(order.begin(), order.begin() + count,
            [&](int a, int b) { return strides[a] > strides[b]; });

    for (int lead = 0; lead < count; ++lead) {
        int lead_axis = order[static_cast<std::size_t>(lead)];
        if (strides[lead_axis] == 0) return true;
        bounded_sum sum;
        wide target = -static_cast<wide>(strides[lead_axis]);
        sum.add_term(strides[lead_axis], shape[lead_axis] - 2);
        for (int k = lead + 1; k < count; ++k) {
            int axis = order[static_cast<std::size_t>(k)];
            sum.add_term(strides[axis], 2 * static_cast<wide>(shape[axis] - 1));
            target += static_cast<wide>(strides[axis]) * (shape[axis] - 1);
        }
        if (target >= 0 && sum.reaches(target, target)) return true;
    }
    return false;
}

} // namespace tern
