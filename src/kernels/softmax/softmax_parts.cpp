// SPDX-License-Identifier: Apache-2.0

// As for the blends: nothing is gained after AVX3, nor from SSSE3 where there is SSE4.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | (HWY_AVX3 - 1))
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/softmax/softmax_parts.cpp"
#include <hwy/foreach_target.h>

#include <limits>
#include <string_view>

#include "kernels/exp-inl.hpp"
#include "kernels/float16-inl.hpp"
#include "kernels/softmax/softmax.hpp"
#include "kernels/softmax/softmax_parts.hpp"
#include "kernels/target_name.hpp"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels {
namespace HWY_NAMESPACE {
namespace {

using float_tag = hn::CappedTag<float, 16>;
using float_vec = hn::Vec<float_tag>;

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

template <data_type Type>
constexpr std::int64_t bytes = Type == data_type::f32 ? 4 : 2;

/// The last, partial vector of n elements. Where n is more than
/// a vector, the elements before it fill its first lanes; else the other lanes are `idle`.
template <data_type Type>
HWY_INLINE float_vec load_tail(const std::uint8_t *src, std::int64_t n, float idle) {
    const float_tag d;
    const auto step = static_cast<std::int64_t>(hn::Lanes(d));
    if (n >= step) return load_as<Type>(d, src + (n - step) * bytes<Type>);
    const auto count = static_cast<std::size_t>(n);
    return hn::IfThenElse(
            hn::FirstN(d, count), load_part_as<Type>(d, src, count), hn::Set(d, idle));
}

/// Highway's emulation takes no number below the lowest finite one for a maximum.
HWY_INLINE float max_of_lanes(float_vec v) {
    const float_tag d;
#if HWY_TARGET == HWY_EMU128
    HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(float)];
    hn::Store(v, d, lanes);
    float max = lanes[0];
    for (std::size_t i = 1; i < hn::Lanes(d); ++i)
        max = lanes[i] > max ? lanes[i] : max;
    return max;
#else
    return hn::GetLane(hn::MaxOfLanes(d, v));
#endif
}

template <data_type Type>
float load_row(const std::uint8_t *src, std::int64_t n, float *tile, float max) {
    const float_tag d;
    const auto step = static_cast<std::int64_t>(hn::Lanes(d));
    auto max_0 = hn::Set(d, max);
    auto max_1 = max_0;
    std::int64_t i = 0;
    for (; i + 2 * step <= n; i += 2 * step) {
        const auto v_0 = load_as<Type>(d, src + i * bytes<Type>);
        const auto v_1 = load_as<Type>(d, src + (i + step) * bytes<Type>);
        max_0 = hn::Max(max_0, v_0);
        max_1 = hn::Max(max_1, v_1);
        hn::StoreU(v_0, d, tile + i);
        hn::StoreU(v_1, d, tile + i + step);
    }
    for (; i + step <= n; i += step) {
        const auto v = load_as<Type>(d, src + i * bytes<Type>);
        max_0 = hn::Max(max_0, v);
        hn::StoreU(v, d, tile + i);
    }
    if (i < n) {
        const auto v = load_tail<Type>(src, n, minus_infinity);
        max_1 = hn::Max(max_1, v);
        hn::StoreU(v, d, tile + i);
    }
    return max_of_lanes(hn::Max(max_0, max_1));
}

/// Vectors that are summed up in one go; the sums of such parts are then. That keeps the error of
/// long sums small.
constexpr std::int64_t part_vectors = 64;

float exp_row(float *tile, std::int64_t n, float max) {
    const float_tag d;
    const auto step = static_cast<std::int64_t>(hn::Lanes(d));
    const auto sub = hn::Set(d, max);
    const auto replace = [&](std::int64_t i) HWY_ATTR {
        const auto e = exp_of_negative(d, hn::Sub(hn::LoadU(d, tile + i), sub));
        hn::StoreU(e, d, tile + i);
        return e;
    };
    auto sum = hn::Zero(d);
    const std::int64_t whole = n / step * step;
    for (std::int64_t i = 0; i < whole;) {
        const std::int64_t most = i + 2 * part_vectors * step;
        const std::int64_t end = most < whole ? most : whole;
        auto sum_0 = hn::Zero(d);
        auto sum_1 = hn::Zero(d);
        for (; i + step < end; i += 2 * step) {
            sum_0 = hn::Add(sum_0, replace(i));
            sum_1 = hn::Add(sum_1, replace(i + step));
        }
        if (i < end) {
            sum_0 = hn::Add(sum_0, replace(i));
            i += step;
        }
        sum = hn::Add(sum, hn::Add(sum_0, sum_1));
    }
    if (whole < n) {
        auto e = replace(whole);
        if (n > step) // Its first lanes have been counted.
            e = hn::IfThenZeroElse(hn::FirstN(d, static_cast<std::size_t>(step - (n - whole))), e);
        sum = hn::Add(sum, e);
    }
    return hn::GetLane(hn::SumOfLanes(d, sum));
}

/// n elements to dst, past the caches (f32) if that is wanted and vectors are aligned. `get(i)`
/// gives those from the i-th on; get(last_at) the last ones where vectors do not fill the row.
template <data_type Type, bool Stream, class Get>
HWY_INLINE void store_elements(
        const Get &get, std::int64_t n, std::int64_t last_at, std::uint8_t *dst) {
    const float_tag d;
    const auto step = static_cast<std::int64_t>(hn::Lanes(d));
    std::int64_t i = 0;
    if constexpr (Stream && HWY_TARGET != HWY_SCALAR) {
        if (reinterpret_cast<std::uintptr_t>(dst) % (hn::Lanes(d) * sizeof(float)) == 0)
            for (; i + step <= n; i += step)
                hn::Stream(get(i), d, reinterpret_cast<float *>(dst + i * bytes<Type>));
    }
    for (; i + step <= n; i += step)
        store_as<Type>(d, get(i), dst + i * bytes<Type>);
    if (i == n) return;
    if (n > step)
        store_as<Type>(d, get(last_at), dst + (n - step) * bytes<Type>);
    else
        store_part_as<Type>(d, get(last_at), dst, static_cast<std::size_t>(n));
}

template <data_type Type>
void store_row(const float *tile, std::int64_t n, float scale, std::uint8_t *dst) {
    const float_tag d;
    const auto step = static_cast<std::int64_t>(hn::Lanes(d));
    const auto by = hn::Set(d, scale);
    const auto get = [&](std::int64_t i) HWY_ATTR { return hn::Mul(hn::LoadU(d, tile + i), by); };
    store_elements<Type, false>(get, n, n / step * step, dst);
}

void reset(std::int64_t columns, float *max, float *sum) {
    const float_tag d;
    const auto step = static_cast<std::int64_t>(hn::Lanes(d));
    const std::int64_t width = tile_width(columns);
    for (std::int64_t i = 0; i < width; i += step) {
        hn::StoreU(hn::Set(d, minus_infinity), d, max + i);
        hn::StoreU(hn::Zero(d), d, sum + i);
    }
}

template <data_type Type>
void load_columns(const std::uint8_t *src, std::int64_t src_step, std::int64_t rows,
        std::int64_t columns, float *tile, float *max) {
    const float_tag d;
    const auto step = static_cast<std::int64_t>(hn::Lanes(d));
    const std::int64_t width = tile_width(columns);
    for (std::int64_t row = 0; row < rows; ++row, src += src_step, tile += width) {
        std::int64_t i = 0;
        const auto put = [&](float_vec v, std::int64_t at) HWY_ATTR {
            hn::StoreU(v, d, tile + at);
            hn::StoreU(hn::Max(hn::LoadU(d, max + at), v), d, max + at);
        };
        for (; i + step <= columns; i += step)
            put(load_as<Type>(d, src + i * bytes<Type>), i);
        if (i == columns) continue;
        hn::StoreU(hn::Zero(d), d, tile + i); // Columns that are not there are computed along.
        put(load_tail<Type>(src, columns, 0), columns < step ? 0 : columns - step);
    }
}

void exp_columns(
        float *tile, std::int64_t rows, std::int64_t columns, const float *max, float *sum) {
    const float_tag d;
    const auto step = static_cast<std::int64_t>(hn::Lanes(d));
    const std::int64_t width = tile_width(columns);
    for (std::int64_t column = 0; column < columns; column += step) {
        const auto sub = hn::LoadU(d, max + column);
        auto total = hn::Zero(d);
        for (std::int64_t begin = 0; begin < rows; begin += part_vectors) {
            const std::int64_t end = begin + part_vectors < rows ? begin + part_vectors : rows;
            auto sum_of_part = hn::Zero(d);
            for (std::int64_t row = begin; row < end; ++row) {
                float *at = tile + row * width + column;
                const auto e = exp_of_negative(d, hn::Sub(hn::LoadU(d, at), sub));
                hn::StoreU(e, d, at);
                sum_of_part = hn::Add(sum_of_part, e);
            }
            total = hn::Add(total, sum_of_part);
        }
        hn::StoreU(hn::Add(hn::LoadU(d, sum + column), total), d, sum + column);
    }
}

void find_scales(const float *sum, std::int64_t columns, float *scale) {
    const float_tag d;
    const auto step = static_cast<std::int64_t>(hn::Lanes(d));
    for (std::int64_t i = 0; i < columns; i += step) {
        const auto of = hn::LoadU(d, sum + i);
        const auto inverse = hn::Div(hn::Set(d, 1.0F), of);
        const auto is_empty = hn::Lt(of, hn::Set(d, 0.5F * negative_exp_scale));
        hn::StoreU(hn::IfThenElse(is_empty, hn::Zero(d), inverse), d, scale + i);
    }
}

template <data_type Type, bool Stream = false>
void store_columns(const float *tile, std::int64_t rows, std::int64_t columns, const float *scale,
        std::uint8_t *dst, std::int64_t dst_step) {
    const float_tag d;
    const auto step = static_cast<std::int64_t>(hn::Lanes(d));
    const std::int64_t width = tile_width(columns);
    const auto get = [&](std::int64_t i) HWY_ATTR {
        return hn::Mul(hn::LoadU(d, tile + i), hn::LoadU(d, scale + i));
    };
    const std::int64_t last_at = columns > step ? columns - step : 0;
    for (std::int64_t row = 0; row < rows; ++row, tile += width, dst += dst_step)
        store_elements<Type, Stream>(get, columns, last_at, dst);
}

constexpr softmax_parts target_parts = {
        reset,
        {load_row<data_type::f32>, load_row<data_type::bf16>, load_row<data_type::f16>},
        exp_row,
        {store_row<data_type::f32>, store_row<data_type::bf16>, store_row<data_type::f16>},
        {load_columns<data_type::f32>, load_columns<data_type::bf16>, load_columns<data_type::f16>},
        exp_columns,
        {store_columns<data_type::f32>, store_columns<data_type::bf16>,
                store_columns<data_type::f16>},
        store_columns<data_type::f32, true>,
        find_scales,
};

constexpr auto target_name = make_target_name(HWY_STR(HWY_NAMESPACE));

} // namespace

const softmax_parts &get_softmax_parts() {
    return target_parts;
}

const char *get_softmax_target() {
    return target_name.data();
}

} // namespace HWY_NAMESPACE
} // namespace tern::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tern::kernels {

HWY_EXPORT(get_softmax_parts);
HWY_EXPORT(get_softmax_target);

const softmax_parts &find_softmax_parts() noexcept {
    return HWY_DYNAMIC_DISPATCH(get_softmax_parts)();
}

std::string_view softmax_target() {
    return HWY_DYNAMIC_DISPATCH(get_softmax_target)();
}

} // namespace tern::kernels
#endif
