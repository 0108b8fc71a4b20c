// SPDX-License-Identifier: Apache-2.0

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | (HWY_AVX3 - 1)) // as in lane_arithmetic.cpp
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/lanes/lane_math.cpp"
#include <hwy/foreach_target.h>

#include <cmath>

#include "kernels/lanes/activations_f32-inl.hpp"
#include "kernels/lanes/loops-inl.hpp"
#include "kernels/lanes/math-inl.hpp"
#include "kernels/lanes/math_f32-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels {
namespace HWY_NAMESPACE {
namespace {

using f64_tag = hn::ScalableTag<double>;
using narrow_tag = hn::Rebind<float, f64_tag>;

HWY_INLINE hn::Vec<narrow_tag> to_float(hn::Vec<f64_tag> v) {
    const f64_tag d;
    const narrow_tag df;
#if HWY_TARGET == HWY_SCALAR || HWY_TARGET == HWY_EMU128
    // Highway's own stops at the largest f32 instead of giving infinity.
    HWY_ALIGN double wide[HWY_MAX_BYTES / sizeof(double)];
    HWY_ALIGN float lanes[HWY_MAX_BYTES / sizeof(double)];
    hn::Store(v, d, wide);
    for (std::size_t i = 0; i < hn::Lanes(d); ++i)
        lanes[i] = static_cast<float>(wide[i]);
    return hn::Load(df, lanes);
#else
    (void)d;
    return hn::DemoteTo(df, v);
#endif
}

/// dst = fn(d, a) or fn(d, a, b) in double.
template <class Fn, std::size_t Sources>
struct math_step {
    using tag = f64_tag;
    static constexpr std::size_t a_bytes = 4, b_bytes = Sources > 1 ? 4 : 0, c_bytes = 0;
    static constexpr std::size_t dst_bytes = 4;
    Fn fn;
    HWY_INLINE void operator()(const std::uint8_t *a, const std::uint8_t *b, const std::uint8_t *,
            std::uint8_t *dst) const {
        const f64_tag d;
        const narrow_tag df;
        const auto v_a = hn::PromoteTo(d, load_bytes(df, a));
        if constexpr (Sources > 1)
            store_bytes(df, to_float(fn(d, v_a, hn::PromoteTo(d, load_bytes(df, b)))), dst);
        else
            store_bytes(df, to_float(fn(d, v_a)), dst);
    }
};

/// struct fn##_fn: calls `function` with a tag and a vector.
#define TERN_MATH(fn, function)                                                                    \
    struct fn##_fn {                                                                               \
        template <class D, class V>                                                                \
        HWY_INLINE V operator()(D d, V a) const {                                                  \
            return function(d, a);                                                                 \
        }                                                                                          \
    };
TERN_MATH(exp, exp_value)
TERN_MATH(log, log_value)
TERN_MATH(sigmoid, sigmoid_value)
TERN_MATH(tanh, tanh_value)

/// Has the naive formula's NaN for minus infinity, as mish and gelu_tanh have.
struct gelu_erf_fn {
    template <class D, class V>
    HWY_INLINE V operator()(D d, V a) const {
        // What f32 rounds to 0 must not grow again with |a|.
        const auto integral =
                hn::IfThenZeroElse(hn::Lt(a, hn::Set(d, -15.0)), normal_integral(d, a));
        return hn::Mul(a, integral);
    }
};

struct gelu_tanh_fn {
    template <class D, class V>
    HWY_INLINE V operator()(D d, V a) const {
        // (1 + tanh(z)) / 2 = sigmoid(2z)
        const auto inner = hn::MulAdd(hn::Mul(hn::Mul(a, a), a), hn::Set(d, 0.044715), a);
        const auto z_2 = hn::Mul(inner, hn::Set(d, 2 * 0.797884560802865355880));
        const auto weight =
                hn::IfThenZeroElse(hn::Lt(z_2, hn::Set(d, -199.0)), sigmoid_value(d, z_2));
        return hn::Mul(a, weight);
    }
};

struct mish_fn {
    template <class D, class V>
    HWY_INLINE V operator()(D d, V a) const {
        // tanh(log(1 + e)) = n / (n + 2), n = e * (e + 2)
        const auto two = hn::Set(d, 2.0);
        const auto e =
                exp_value(d, hn::IfThenElse(hn::Gt(a, hn::Set(d, 40.0)), hn::Set(d, 40.0), a));
        const auto n = hn::Mul(e, hn::Add(e, two));
        const auto weight =
                hn::IfThenZeroElse(hn::Lt(a, hn::Set(d, -199.0)), hn::Div(n, hn::Add(n, two)));
        return hn::Mul(a, weight);
    }
};

struct elu_fn {
    float x, y;
    template <class D, class V>
    HWY_INLINE V operator()(D d, V a) const {
        const auto below = hn::Mul(hn::Set(d, double{x}), exp_minus_1(d, a));
        return hn::IfThenElse(hn::Gt(a, hn::Zero(d)), a, below);
    }
};

struct soft_plus_fn {
    float x, y;
    template <class D, class V>
    HWY_INLINE V operator()(D d, V a) const {
        const auto beta = hn::Set(d, double{x});
        const auto v = hn::Mul(a, beta);
        const auto zero = hn::Zero(d);
        // log(1 + e^v) = max(v, 0) + log(1 + e^-|v|)
        const auto linear = hn::IfThenElse(hn::Gt(v, zero), v, zero);
        const auto rest = log_1_plus(d, exp_value(d, hn::Neg(hn::Abs(v))));
        const auto sum = hn::IfThenElse(is_nan(v), v, hn::Add(linear, rest));
        return hn::Div(sum, beta);
    }
};

struct power_fn {
    template <class D, class V>
    HWY_INLINE V operator()(D d, V a, V b) const {
        return power_value(d, a, b);
    }
};

struct power_x_fn {
    float x, y;
    template <class D, class V>
    HWY_INLINE V operator()(D d, V a) const {
        return power_value(d, a, hn::Set(d, double{x}));
    }
};

template <class Fn, std::size_t Sources = 1>
HWY_NOINLINE void run_math(const lane_args &args) noexcept {
    run_step(args, math_step<Fn, Sources>{make_fn<Fn>(args)});
}

#if HWY_NATIVE_FMA
TERN_MATH(f32_exp, f32_exp)
TERN_MATH(f32_log, f32_log)
TERN_MATH(f32_sigmoid, f32_sigmoid)
TERN_MATH(f32_gelu_erf, f32_gelu_erf)
TERN_MATH(f32_gelu_tanh, f32_gelu_tanh)
TERN_MATH(f32_mish, f32_mish)

struct f32_elu_fn {
    float x, y;
    template <class D, class V>
    HWY_INLINE V operator()(D d, V a) const {
        return f32_elu(d, a, hn::Set(d, x));
    }
};

HWY_NOINLINE void run_soft_plus(const lane_args &args) noexcept {
    const float size = std::abs(args.x);
    if (size >= f32_soft_plus::least && size <= f32_soft_plus::most)
        run_step(args, unary_step<float, f32_soft_plus>{f32_soft_plus(args.x)});
    else
        run_math<soft_plus_fn>(args);
}
#endif

} // namespace

void enter_math_here(lane_table &table) {
    const auto enter = [&](lane_op op, lane_function function) {
        table.op[index_of(op)][0] = function;
    };
    enter(lane_op::power, run_math<power_fn, 2>);
    enter(lane_op::power_x, run_math<power_x_fn>);
    enter(lane_op::tanh, run_math<tanh_fn>);
#if HWY_NATIVE_FMA
    enter(lane_op::elu, run_unary<float, f32_elu_fn>);
    enter(lane_op::exp, run_unary<float, f32_exp_fn>);
    enter(lane_op::gelu_erf, run_unary<float, f32_gelu_erf_fn>);
    enter(lane_op::gelu_tanh, run_unary<float, f32_gelu_tanh_fn>);
    enter(lane_op::log, run_unary<float, f32_log_fn>);
    enter(lane_op::mish, run_unary<float, f32_mish_fn>);
    enter(lane_op::sigmoid, run_unary<float, f32_sigmoid_fn>);
    enter(lane_op::soft_plus, run_soft_plus);
#else
    enter(lane_op::elu, run_math<elu_fn>);
    enter(lane_op::exp, run_math<exp_fn>);
    enter(lane_op::gelu_erf, run_math<gelu_erf_fn>);
    enter(lane_op::gelu_tanh, run_math<gelu_tanh_fn>);
    enter(lane_op::log, run_math<log_fn>);
    enter(lane_op::mish, run_math<mish_fn>);
    enter(lane_op::sigmoid, run_math<sigmoid_fn>);
    enter(lane_op::soft_plus, run_math<soft_plus_fn>);
#endif
}

} // namespace HWY_NAMESPACE
} // namespace tern::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tern::kernels {

HWY_EXPORT(enter_math_here);

void enter_math(lane_table &table) noexcept {
    HWY_DYNAMIC_DISPATCH(enter_math_here)(table);
}

} // namespace tern::kernels
#endif
