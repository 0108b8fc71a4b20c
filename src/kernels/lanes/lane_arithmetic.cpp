// SPDX-License-Identifier: Apache-2.0

// What comes after AVX3 (better targets have lower bits) has nothing more for these loops, nor has
// SSSE3 where there is SSE4. Fewer targets compile faster.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | (HWY_AVX3 - 1))
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/lanes/lane_arithmetic.cpp"
#include <hwy/foreach_target.h>

#include <array>

#include "kernels/lanes/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels {
namespace HWY_NAMESPACE {
namespace {

// Each function is named after its op. V is a vector of D.
#define TERN_UNARY(name, ...)                                                                      \
    struct name##_fn {                                                                             \
        template <class D, class V>                                                                \
        HWY_INLINE V operator()(D d, V a) const {                                                  \
            (void)d;                                                                               \
            return __VA_ARGS__;                                                                    \
        }                                                                                          \
    };
#define TERN_UNARY_XY(name, ...)                                                                   \
    struct name##_fn {                                                                             \
        float x, y;                                                                                \
        template <class D, class V>                                                                \
        HWY_INLINE V operator()(D d, V a) const {                                                  \
            return __VA_ARGS__;                                                                    \
        }                                                                                          \
    };
#define TERN_BINARY(name, ...)                                                                     \
    struct name##_fn {                                                                             \
        template <class D, class V>                                                                \
        HWY_INLINE V operator()(D d, V a, V b) const {                                             \
            (void)d;                                                                               \
            return __VA_ARGS__;                                                                    \
        }                                                                                          \
    };

/// Integers wrap around, without undefined behaviour: as unsigned ones.
template <class D, class V>
HWY_INLINE V multiply_lanes(D d, V a, V b) {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
        return hn::Mul(a, b);
    } else {
        const hn::RebindToUnsigned<D> du;
        return hn::BitCast(d, hn::Mul(hn::BitCast(du, a), hn::BitCast(du, b)));
    }
}
template <class D, class V>
HWY_INLINE V add_lanes(D d, V a, V b) {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
        return hn::Add(a, b);
    } else {
        const hn::RebindToUnsigned<D> du;
        return hn::BitCast(d, hn::Add(hn::BitCast(du, a), hn::BitCast(du, b)));
    }
}
template <class D, class V>
HWY_INLINE V subtract_lanes(D d, V a, V b) {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>()) {
        return hn::Sub(a, b);
    } else {
        const hn::RebindToUnsigned<D> du;
        return hn::BitCast(d, hn::Sub(hn::BitCast(du, a), hn::BitCast(du, b)));
    }
}
template <class D, class V>
HWY_INLINE V negate_lanes(D d, V a) {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>())
        return hn::Xor(a, hn::Set(d, -0.0F));
    else
        return subtract_lanes(d, hn::Zero(d), a);
}
template <class D, class V>
HWY_INLINE V abs_lanes(D d, V a) {
    if constexpr (hwy::IsFloat<hn::TFromD<D>>())
        return hn::AndNot(hn::Set(d, -0.0F), a);
    else
        return hn::IfThenElse(hn::Gt(hn::Zero(d), a), negate_lanes(d, a), a);
}
/// Unordered comparisons give b, so that only a need be asked whether it is NaN.
template <class V, class M>
HWY_INLINE V keep_nan(M a_wins, V a, V b) {
    const auto chosen = hn::IfThenElse(a_wins, a, b);
    if constexpr (hwy::IsFloat<hn::TFromV<V>>())
        return hn::IfThenElse(hn::Eq(a, a), chosen, a);
    else
        return chosen;
}
/// NaN stays.
template <class D, class V>
HWY_INLINE V clamp_lanes(D d, V a, float low, float high) {
    const auto l = hn::Set(d, low);
    const auto h = hn::Set(d, high);
    const auto raised = hn::IfThenElse(hn::Lt(a, l), l, a);
    return hn::IfThenElse(hn::Gt(raised, h), h, raised);
}

TERN_BINARY(add, add_lanes(d, a, b))
TERN_BINARY(subtract, subtract_lanes(d, a, b))
TERN_BINARY(multiply, multiply_lanes(d, a, b))
TERN_BINARY(maximum, keep_nan(hn::Gt(a, b), a, b))
TERN_BINARY(minimum, keep_nan(hn::Lt(a, b), a, b))
TERN_UNARY(negate, negate_lanes(d, a))
TERN_UNARY(abs, abs_lanes(d, a))
TERN_UNARY(square, multiply_lanes(d, a, a))
TERN_BINARY(divide, hn::Div(a, b))
TERN_BINARY(squared_difference, hn::Mul(hn::Sub(a, b), hn::Sub(a, b)))
TERN_UNARY_XY(clamp, clamp_lanes(d, a, x, y))
TERN_UNARY_XY(
        hard_sigmoid, clamp_lanes(d, hn::Add(hn::Mul(hn::Set(d, x), a), hn::Set(d, y)), 0.0F, 1.0F))
TERN_UNARY(hard_swish, hn::Div(hn::Mul(a, clamp_lanes(d, hn::Add(a, hn::Set(d, 3.0F)), 0.0F, 6.0F)),
                               hn::Set(d, 6.0F)))
TERN_UNARY_XY(leaky_relu, hn::IfThenElse(hn::Ge(a, hn::Zero(d)), a, hn::Mul(hn::Set(d, x), a)))
TERN_UNARY(reciprocal, hn::Div(hn::Set(d, 1.0F), a))
TERN_UNARY(relu, hn::IfThenZeroElse(hn::Lt(a, hn::Zero(d)), a))
// Highway's scalar one loses the sign of zero.
TERN_UNARY(round, hn::CopySign(hn::Round(a), a))
TERN_UNARY(sqrt, hn::Sqrt(a))

// Mask bytes count as true unless they are 0; results are 0 and 1.
TERN_BINARY(logical_and, hn::Min(hn::Min(a, b), hn::Set(d, std::uint8_t{1})))
TERN_BINARY(logical_or, hn::Min(hn::Or(a, b), hn::Set(d, std::uint8_t{1})))
TERN_BINARY(logical_xor,
        hn::Xor(hn::Min(a, hn::Set(d, std::uint8_t{1})), hn::Min(b, hn::Set(d, std::uint8_t{1}))))
TERN_UNARY(
        logical_not, hn::Xor(hn::Min(a, hn::Set(d, std::uint8_t{1})), hn::Set(d, std::uint8_t{1})))
TERN_UNARY(normalize, hn::Min(a, hn::Set(d, std::uint8_t{1})))

#define TERN_COMPARISON(name, ...)                                                                 \
    struct name##_fn {                                                                             \
        template <class V>                                                                         \
        HWY_INLINE auto operator()(V a, V b) const {                                               \
            return __VA_ARGS__;                                                                    \
        }                                                                                          \
    };
TERN_COMPARISON(equal, hn::Eq(a, b))
TERN_COMPARISON(not_equal, hn::Not(hn::Eq(a, b)))
TERN_COMPARISON(greater, hn::Gt(a, b))
TERN_COMPARISON(less, hn::Lt(a, b))

/// Comparisons "or equal" of integers are the opposite of the strict ones; of floats they are not.
struct greater_equal_fn {
    template <class V>
    HWY_INLINE auto operator()(V a, V b) const {
        if constexpr (hwy::IsFloat<hn::TFromV<V>>())
            return hn::Ge(a, b);
        else
            return hn::Not(hn::Lt(a, b));
    }
};
struct less_equal_fn {
    template <class V>
    HWY_INLINE auto operator()(V a, V b) const {
        return greater_equal_fn()(b, a);
    }
};

template <typename T, class Fn>
struct comparison_step {
    using tag = hn::ScalableTag<T>;
    static constexpr std::size_t a_bytes = 4, b_bytes = 4, c_bytes = 0, dst_bytes = 1;
    HWY_INLINE void operator()(const std::uint8_t *a, const std::uint8_t *b, const std::uint8_t *,
            std::uint8_t *dst) const {
        const tag d;
        const hn::RebindToSigned<tag> di;
        const auto is = Fn()(load_bytes(d, a), load_bytes(d, b));
        const auto ones = hn::And(hn::VecFromMask(di, hn::RebindMask(di, is)), hn::Set(di, 1));
        const hn::Rebind<std::uint8_t, tag> bytes;
        store_bytes(bytes, hn::DemoteTo(bytes, ones), dst);
    }
};

/// a (a mask byte) ? b : c, for unsigned lanes T.
template <typename T>
struct select_step {
    using tag = hn::ScalableTag<T>;
    static constexpr std::size_t a_bytes = 1, b_bytes = sizeof(T), c_bytes = sizeof(T);
    static constexpr std::size_t dst_bytes = sizeof(T);
    HWY_INLINE void operator()(const std::uint8_t *a, const std::uint8_t *b, const std::uint8_t *c,
            std::uint8_t *dst) const {
        const tag d;
        const auto v_b = load_bytes(d, b);
        const auto v_c = load_bytes(d, c);
        const auto mask = load_bytes(hn::Rebind<std::uint8_t, tag>(), a);
        const auto zero = hn::Zero(d);
        if constexpr (sizeof(T) == 1)
            store_bytes(d, hn::IfThenElse(hn::Eq(mask, zero), v_c, v_b), dst);
        else if constexpr (sizeof(T) == 8) // Highway 1.0.3 has no promotion from 1 to 8 bytes.
            store_bytes(d,
                    hn::IfThenElse(
                            hn::Eq(hn::PromoteTo(d,
                                           hn::PromoteTo(hn::Rebind<std::uint32_t, tag>(), mask)),
                                    zero),
                            v_c, v_b),
                    dst);
        else
            store_bytes(d, hn::IfThenElse(hn::Eq(hn::PromoteTo(d, mask), zero), v_c, v_b), dst);
    }
};

template <class Fn>
void enter_binary(lane_table &table, lane_op op) {
    table.op[index_of(op)][0] = run_binary<float, Fn>;
    table.op[index_of(op)][1] = run_binary<std::int32_t, Fn>;
}
template <class Fn>
void enter_unary(lane_table &table, lane_op op) {
    table.op[index_of(op)][0] = run_unary<float, Fn>;
    table.op[index_of(op)][1] = run_unary<std::int32_t, Fn>;
}
template <class Fn>
void enter_comparison(lane_table &table, lane_op op) {
    table.op[index_of(op)][0] = run_plain<comparison_step<float, Fn>>;
    table.op[index_of(op)][1] = run_plain<comparison_step<std::int32_t, Fn>>;
}

constexpr std::array<char, 24> make_target_name() {
    std::array<char, 24> name{};
    const char *from = &HWY_STR(HWY_NAMESPACE)[2]; // "N_AVX2"
    for (std::size_t i = 0; from[i] != 0; ++i)
        name[i] = static_cast<char>(
                from[i] >= 'A' && from[i] <= 'Z' ? from[i] + ('a' - 'A') : from[i]);
    return name;
}

constexpr std::array<char, 24> target_name = make_target_name();

} // namespace

void enter_arithmetic_here(lane_table &table) {
    enter_binary<add_fn>(table, lane_op::add);
    enter_binary<subtract_fn>(table, lane_op::subtract);
    enter_binary<multiply_fn>(table, lane_op::multiply);
    enter_binary<maximum_fn>(table, lane_op::maximum);
    enter_binary<minimum_fn>(table, lane_op::minimum);
    enter_unary<negate_fn>(table, lane_op::negate);
    enter_unary<abs_fn>(table, lane_op::abs);
    enter_unary<square_fn>(table, lane_op::square);
    const auto f32 = [&](lane_op op, lane_function function) {
        table.op[index_of(op)][0] = function;
    };
    f32(lane_op::divide, run_binary<float, divide_fn>);
    f32(lane_op::squared_difference, run_binary<float, squared_difference_fn>);
    f32(lane_op::clamp, run_unary<float, clamp_fn>);
    f32(lane_op::hard_sigmoid, run_unary<float, hard_sigmoid_fn>);
    f32(lane_op::hard_swish, run_unary<float, hard_swish_fn>);
    f32(lane_op::leaky_relu, run_unary<float, leaky_relu_fn>);
    f32(lane_op::reciprocal, run_unary<float, reciprocal_fn>);
    f32(lane_op::relu, run_unary<float, relu_fn>);
    f32(lane_op::round, run_unary<float, round_fn>);
    f32(lane_op::sqrt, run_unary<float, sqrt_fn>);
    f32(lane_op::logical_and, run_binary<std::uint8_t, logical_and_fn>);
    f32(lane_op::logical_or, run_binary<std::uint8_t, logical_or_fn>);
    f32(lane_op::logical_xor, run_binary<std::uint8_t, logical_xor_fn>);
    f32(lane_op::logical_not, run_unary<std::uint8_t, logical_not_fn>);
    table.normalize_mask = run_unary<std::uint8_t, normalize_fn>;
    enter_comparison<equal_fn>(table, lane_op::equal);
    enter_comparison<not_equal_fn>(table, lane_op::not_equal);
    enter_comparison<greater_fn>(table, lane_op::greater);
    enter_comparison<greater_equal_fn>(table, lane_op::greater_equal);
    enter_comparison<less_fn>(table, lane_op::less);
    enter_comparison<less_equal_fn>(table, lane_op::less_equal);
    table.select[0] = run_plain<select_step<std::uint8_t>>;
    table.select[1] = run_plain<select_step<std::uint16_t>>;
    table.select[2] = run_plain<select_step<std::uint32_t>>;
    table.select[3] = run_plain<select_step<std::uint64_t>>;
}

const char *get_lanes_target() {
    return target_name.data();
}

} // namespace HWY_NAMESPACE
} // namespace tern::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tern::kernels {

HWY_EXPORT(enter_arithmetic_here);
HWY_EXPORT(get_lanes_target);

void enter_arithmetic(lane_table &table) noexcept {
    HWY_DYNAMIC_DISPATCH(enter_arithmetic_here)(table);
}

const char *find_lanes_target() noexcept {
    return HWY_DYNAMIC_DISPATCH(get_lanes_target)();
}

} // namespace tern::kernels
#endif
