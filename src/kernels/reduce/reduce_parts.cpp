// SPDX-License-Identifier: Apache-2.0

// As for the blends: nothing is gained after AVX3, nor from SSSE3 where there is SSE4.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | (HWY_AVX3 - 1))
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/reduce/reduce_parts.cpp"
#include <hwy/foreach_target.h>

#include <cstring>
#include <string_view>
#include <type_traits>

#include "kernels/float16-inl.hpp"
#include "kernels/reduce/reduce_parts.hpp"
#include "kernels/reduce/reduce_sum.hpp"
#include "kernels/target_name.hpp"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels {
namespace HWY_NAMESPACE {
namespace {

template <data_type Type>
using sum_of = std::conditional_t<Type == data_type::s64, std::uint64_t,
        std::conditional_t<Type == data_type::s32, std::uint32_t, float>>;
template <data_type Type>
using tag_of = hn::CappedTag<sum_of<Type>, 64 / sizeof(sum_of<Type>)>;
template <data_type Type>
using vec_of = hn::Vec<tag_of<Type>>;

template <data_type Type>
constexpr std::int64_t bytes = Type == data_type::s64                             ? 8
                               : Type == data_type::f32 || Type == data_type::s32 ? 4
                                                                                  : 2;

template <data_type Type>
HWY_INLINE vec_of<Type> load(const std::uint8_t *from) {
    if constexpr (std::is_same_v<sum_of<Type>, float>)
        return load_as<Type>(tag_of<Type>(), from);
    else
        return load_bytes(tag_of<Type>(), from);
}

/// Of less than a vector; the other lanes are 0.
template <data_type Type>
HWY_INLINE vec_of<Type> load_part(const std::uint8_t *from, std::int64_t n) {
    if constexpr (std::is_same_v<sum_of<Type>, float>)
        return load_part_as<Type>(tag_of<Type>(), from, static_cast<std::size_t>(n));
    else
        return load_bytes_part(tag_of<Type>(), from, static_cast<std::size_t>(n));
}

// ---- rows --------------------------------------------------------------------------------------

/// Half and half.
template <int Count, class Get>
HWY_INLINE auto add_up(int first, Get get) {
    if constexpr (Count == 1)
        return get(first);
    else
        return hn::Add(add_up<Count / 2>(first, get), add_up<Count / 2>(first + Count / 2, get));
}

template <data_type Type, int Count>
HWY_INLINE void add_some_rows(
        const std::uint8_t *const *rows, std::int64_t columns, sum_of<Type> *sums) {
    const tag_of<Type> d;
    const auto step = static_cast<std::int64_t>(hn::Lanes(d));
    const std::uint8_t *from[Count];
    for (int row = 0; row < Count; ++row)
        from[row] = rows[row];
    std::int64_t i = 0;
    for (; i + step <= columns; i += step) {
        const auto sum = add_up<Count>(
                0, [&](int row) HWY_ATTR { return load<Type>(from[row] + i * bytes<Type>); });
        hn::StoreU(hn::Add(hn::LoadU(d, sums + i), sum), d, sums + i);
    }
    if (i == columns) return;
    const std::int64_t rest = columns - i;
    const auto sum = add_up<Count>(0,
            [&](int row) HWY_ATTR { return load_part<Type>(from[row] + i * bytes<Type>, rest); });
    const auto count = static_cast<std::size_t>(rest);
    store_bytes_part(d, hn::Add(load_bytes_part(d, sums + i, count), sum), sums + i, count);
}

template <data_type Type>
void add_rows(const std::uint8_t *const *rows, std::int64_t count, std::int64_t columns, void *to) {
    auto *sums = static_cast<sum_of<Type> *>(to);
    static_assert(rows_at_once == 8);
    if (count == 8) return add_some_rows<Type, 8>(rows, columns, sums);
    std::int64_t row = 0;
    if (count >= 4) {
        add_some_rows<Type, 4>(rows, columns, sums);
        row = 4;
    }
    for (; row < count; ++row)
        add_some_rows<Type, 1>(rows + row, columns, sums);
}

// ---- runs --------------------------------------------------------------------------------------

/// Whole vectors, in four sums that are then added up.
template <data_type Type>
HWY_INLINE vec_of<Type> sum_vectors(const std::uint8_t *src, std::int64_t vectors) {
    const tag_of<Type> d;
    const std::int64_t step = static_cast<std::int64_t>(hn::Lanes(d)) * bytes<Type>;
    auto sum_0 = hn::Zero(d);
    auto sum_1 = hn::Zero(d);
    auto sum_2 = hn::Zero(d);
    auto sum_3 = hn::Zero(d);
    std::int64_t i = 0;
    for (; i + 4 <= vectors; i += 4, src += 4 * step) {
        sum_0 = hn::Add(sum_0, load<Type>(src));
        sum_1 = hn::Add(sum_1, load<Type>(src + step));
        sum_2 = hn::Add(sum_2, load<Type>(src + 2 * step));
        sum_3 = hn::Add(sum_3, load<Type>(src + 3 * step));
    }
    for (; i < vectors; ++i, src += step)
        sum_0 = hn::Add(sum_0, load<Type>(src));
    return hn::Add(hn::Add(sum_0, sum_1), hn::Add(sum_2, sum_3));
}

/// Cuts in two until what is left is short.
template <data_type Type>
HWY_NOINLINE vec_of<Type> sum_long(const std::uint8_t *src, std::int64_t vectors) {
    constexpr std::int64_t most = 128;
    if (vectors <= most) return sum_vectors<Type>(src, vectors);
    const tag_of<Type> d;
    const std::int64_t step = static_cast<std::int64_t>(hn::Lanes(d)) * bytes<Type>;
    const std::int64_t half = (vectors / 2 + most - 1) / most * most;
    return hn::Add(sum_long<Type>(src, half), sum_long<Type>(src + half * step, vectors - half));
}

template <data_type Type>
void sum_run(const std::uint8_t *src, std::int64_t n, void *sum) {
    const tag_of<Type> d;
    const auto step = static_cast<std::int64_t>(hn::Lanes(d));
    const std::int64_t vectors = n / step;
    const std::int64_t rest = n - vectors * step;
    auto total = sum_long<Type>(src, vectors);
    if (rest != 0) {
        if (vectors == 0) {
            total = load_part<Type>(src, rest);
        } else { // The last vector, but what has been counted.
            const auto last = load<Type>(src + (n - step) * bytes<Type>);
            total = hn::Add(total,
                    hn::IfThenZeroElse(hn::FirstN(d, static_cast<std::size_t>(step - rest)), last));
        }
    }
    const auto result = hn::GetLane(hn::SumOfLanes(d, total));
    std::memcpy(sum, &result, sizeof result);
}

template <data_type Type>
void store_sums(const void *sums, std::int64_t n, std::uint8_t *dst) {
    if constexpr (bytes<Type> == sizeof(sum_of<Type>)) {
        std::memcpy(dst, sums, static_cast<std::size_t>(n) * sizeof(sum_of<Type>));
    } else {
        const tag_of<Type> d;
        const auto step = static_cast<std::int64_t>(hn::Lanes(d));
        const auto *from = static_cast<const float *>(sums);
        std::int64_t i = 0;
        for (; i + step <= n; i += step)
            store_as<Type>(d, hn::LoadU(d, from + i), dst + i * bytes<Type>);
        if (i == n) return;
        const auto rest = static_cast<std::size_t>(n - i);
        store_part_as<Type>(d, load_bytes_part(d, from + i, rest), dst + i * bytes<Type>, rest);
    }
}

template <data_type Type>
constexpr reduce_parts::functions functions_of() {
    return {add_rows<Type>, sum_run<Type>, store_sums<Type>};
}

constexpr reduce_parts target_parts = {{functions_of<data_type::f32>(),
        functions_of<data_type::bf16>(), functions_of<data_type::f16>(),
        functions_of<data_type::s32>(), functions_of<data_type::s64>()}};

constexpr auto target_name = make_target_name(HWY_STR(HWY_NAMESPACE));

} // namespace

const reduce_parts &get_reduce_parts() {
    return target_parts;
}

const char *get_reduce_target() {
    return target_name.data();
}

} // namespace HWY_NAMESPACE
} // namespace tern::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tern::kernels {

HWY_EXPORT(get_reduce_parts);
HWY_EXPORT(get_reduce_target);

const reduce_parts::functions &reduce_parts::of(data_type type) const {
    switch (type) {
        case data_type::bf16: return by_type[1];
        case data_type::f16: return by_type[2];
        case data_type::s32: return by_type[3];
        case data_type::s64: return by_type[4];
        default: return by_type[0];
    }
}

const reduce_parts &find_reduce_parts() noexcept {
    return HWY_DYNAMIC_DISPATCH(get_reduce_parts)();
}

std::string_view reduce_target() {
    return HWY_DYNAMIC_DISPATCH(get_reduce_target)();
}

} // namespace tern::kernels
#endif
