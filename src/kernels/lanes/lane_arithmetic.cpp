// SPDX-License-Identifier: Apache-2.0

// What comes after AVX3 (better targets have lower bits) has nothing more for these loops, nor has
// SSSE3 where there is SSE4. Fewer targets compile faster.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | (HWY_AVX3 - 1))
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/lanes/lane_arithmetic.cpp"
#include <hwy/foreach_target.h>

#include "kernels/lanes/loops-inl.hpp"
#include "kernels/target_name.hpp"

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
#define TERN_BINARY(name, ...)                                                                     \
    struct name##_fn {                                                                             \
        template <class D, class V>                                                                \
        HWY_INLINE V operator()(D d, V a, V b) const {                                             \
            (void)d;                                                                               \
            return __VA_ARGS__;                                                                    \
        }                                                                                          \
    };

/// As unsigned numbers, which wrap around.
template <class V>
HWY_INLINE auto as_unsigned(V v) {
    return hn::BitCast(hn::RebindToUnsigned<hn::DFromV<V>>(), v);
}

TERN_BINARY(add, hn::BitCast(d, hn::Add(as_unsigned(a), as_unsigned(b))))
TERN_BINARY(subtract, hn::BitCast(d, hn::Sub(as_unsigned(a), as_unsigned(b))))
TERN_BINARY(multiply, hn::BitCast(d, hn::Mul(as_unsigned(a), as_unsigned(b))))
TERN_BINARY(maximum, hn::Max(a, b))
TERN_BINARY(minimum, hn::Min(a, b))
TERN_UNARY(negate, hn::BitCast(d, hn::Sub(as_unsigned(hn::Zero(d)), as_unsigned(a))))
TERN_UNARY(abs, hn::IfThenElse(hn::Gt(hn::Zero(d), a), negate_fn()(d, a), a))
TERN_UNARY(square, hn::BitCast(d, hn::Mul(as_unsigned(a), as_unsigned(a))))

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
    table.op[index_of(op)][1] = run_binary<std::int32_t, Fn>;
}
template <class Fn>
void enter_unary(lane_table &table, lane_op op) {
    table.op[index_of(op)][1] = run_unary<std::int32_t, Fn>;
}
template <class Fn>
void enter_comparison(lane_table &table, lane_op op) {
    table.op[index_of(op)][0] = run_plain<comparison_step<float, Fn>>;
    table.op[index_of(op)][1] = run_plain<comparison_step<std::int32_t, Fn>>;
}

constexpr auto target_name = make_target_name(HWY_STR(HWY_NAMESPACE));

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
    const auto mask = [&](lane_op op, lane_function function) {
        table.op[index_of(op)][0] = function;
    };
    mask(lane_op::logical_and, run_binary<std::uint8_t, logical_and_fn>);
    mask(lane_op::logical_or, run_binary<std::uint8_t, logical_or_fn>);
    mask(lane_op::logical_xor, run_binary<std::uint8_t, logical_xor_fn>);
    mask(lane_op::logical_not, run_unary<std::uint8_t, logical_not_fn>);
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
