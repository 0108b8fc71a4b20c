// SPDX-License-Identifier: Apache-2.0

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | (HWY_AVX3 - 1)) // as in lane_arithmetic.cpp
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/lanes/lane_chain.cpp"
#include <hwy/foreach_target.h>

#include "kernels/exp-inl.hpp"
#include "kernels/lanes/lane_chain.hpp"
#include "kernels/lanes/loops-inl.hpp"
#include "kernels/prefetch.hpp"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels {
namespace HWY_NAMESPACE {
namespace {

using f32_vector = hn::Vec<f32_tag>;

/// Unordered comparisons give b, so that only a need be asked whether it is NaN.
HWY_INLINE f32_vector keep_nan(hn::Mask<f32_tag> a_wins, f32_vector a, f32_vector b) {
    return hn::IfThenElse(hn::Eq(a, a), hn::IfThenElse(a_wins, a, b), a);
}

/// Of zeros +0: the operands may come in either order. Others that are equal have the same bits.
HWY_INLINE f32_vector greater_of(f32_vector a, f32_vector b) {
    return hn::IfThenElse(hn::Eq(a, b), hn::And(a, b), keep_nan(hn::Gt(a, b), a, b));
}
HWY_INLINE f32_vector less_of(f32_vector a, f32_vector b) {
    return hn::IfThenElse(hn::Eq(a, b), hn::Or(a, b), keep_nan(hn::Lt(a, b), a, b));
}

/// NaN stays.
HWY_INLINE f32_vector clamp(f32_vector v, f32_vector low, f32_vector high) {
    return at_most(at_least(v, low), high);
}

HWY_INLINE f32_vector square(f32_vector v) {
    return hn::Mul(v, v);
}

/// 1, 0 or -1; +0 of -0. NaN stays.
HWY_INLINE f32_vector sign_of(f32_vector v) {
    const f32_tag d;
    const auto signs = hn::IfThenElse(hn::Eq(v, v), hn::CopySign(hn::Set(d, 1.0F), v), v);
    return hn::IfThenZeroElse(hn::Eq(v, hn::Zero(d)), signs);
}

/// Where links find their operands, from an element of the row on. Vectors of one block lie at
/// constant distances, also for operands that are one value: those have a block's worth of it.
template <bool Whole>
struct position {
    std::size_t element;
    std::size_t left; ///< Elements to read where a vector is not whole.

    HWY_INLINE f32_vector operand(const chain_link &link, std::size_t k) const {
        const f32_tag d;
        const std::uint8_t *from = link.operand + (element * sizeof(float) & link.mask)
                                   + k * hn::Lanes(d) * sizeof(float);
        if (Whole || link.mask == 0)
            return load_bytes(d, from);
        else
            return load_bytes_part(d, from, left);
    }
    HWY_INLINE hn::Mask<f32_tag> is_false(const chain_link &link, std::size_t k) const {
        const f32_tag d;
        const hn::RebindToUnsigned<f32_tag> du;
        const hn::Rebind<std::uint8_t, f32_tag> bytes;
        const std::uint8_t *from = link.cond + (element & link.cond_mask) + k * hn::Lanes(d);
        auto cond = hn::Zero(bytes);
        if (Whole || link.cond_mask == 0)
            cond = load_bytes(bytes, from);
        else
            cond = load_bytes_part(bytes, from, left);
        return hn::RebindMask(d, hn::Eq(hn::PromoteTo(du, cond), hn::Zero(du)));
    }
};

// Operations by link_op, on a value v. `at` and `k` say where its operand is. Functions, not
// lambdas: the values of a block stay in registers only where all is inlined.
#define TERN_EACH_LINK(TERN_LINK)                                                                  \
    TERN_LINK(start, at.operand(link, k))                                                          \
    TERN_LINK(add, hn::Add(v, at.operand(link, k)))                                                \
    TERN_LINK(subtract, hn::Sub(v, at.operand(link, k)))                                           \
    TERN_LINK(subtract_from, hn::Sub(at.operand(link, k), v))                                      \
    TERN_LINK(multiply, hn::Mul(v, at.operand(link, k)))                                           \
    TERN_LINK(divide, hn::Div(v, at.operand(link, k)))                                             \
    TERN_LINK(divide_into, hn::Div(at.operand(link, k), v))                                        \
    TERN_LINK(maximum, greater_of(v, at.operand(link, k)))                                         \
    TERN_LINK(minimum, less_of(v, at.operand(link, k)))                                            \
    TERN_LINK(raise, at_least(v, at.operand(link, k)))                                             \
    TERN_LINK(cap, at_most(v, at.operand(link, k)))                                                \
    TERN_LINK(squared_difference, square(hn::Sub(v, at.operand(link, k))))                         \
    TERN_LINK(select_value, hn::IfThenElse(at.is_false(link, k), at.operand(link, k), v))          \
    TERN_LINK(select_operand, hn::IfThenElse(at.is_false(link, k), v, at.operand(link, k)))        \
    TERN_LINK(negate, hn::Xor(v, hn::Set(d, -0.0F)))                                               \
    TERN_LINK(abs, hn::AndNot(hn::Set(d, -0.0F), v))                                               \
    TERN_LINK(square, square(v))                                                                   \
    TERN_LINK(clamp, clamp(v, hn::Set(d, link.x), hn::Set(d, link.y)))                             \
    TERN_LINK(hard_sigmoid, clamp(hn::Add(hn::Mul(hn::Set(d, link.x), v), hn::Set(d, link.y)),     \
                                    hn::Zero(d), hn::Set(d, 1.0F)))                                \
    TERN_LINK(hard_swish,                                                                          \
            hn::Mul(v, hn::Div(clamp(hn::Add(v, hn::Set(d, 3.0F)), hn::Zero(d), hn::Set(d, 6.0F)), \
                               hn::Set(d, 6.0F)))) /* nothing overflows */                         \
    TERN_LINK(                                                                                     \
            leaky_relu, hn::IfThenElse(hn::Ge(v, hn::Zero(d)), v, hn::Mul(hn::Set(d, link.x), v))) \
    TERN_LINK(reciprocal, hn::Div(hn::Set(d, 1.0F), v))                                            \
    TERN_LINK(relu, hn::IfThenZeroElse(hn::Lt(v, hn::Zero(d)), v))                                 \
    /* Highway's scalar ones lose the sign of zero. */                                             \
    TERN_LINK(round, hn::CopySign(hn::Round(v), v))                                                \
    TERN_LINK(floor, hn::CopySign(hn::Floor(v), v))                                                \
    TERN_LINK(ceil, hn::CopySign(hn::Ceil(v), v))                                                  \
    TERN_LINK(sign, sign_of(v))                                                                    \
    TERN_LINK(sqrt, hn::Sqrt(v))

#define TERN_LINK(name, ...)                                                                       \
    template <class At>                                                                            \
    HWY_INLINE f32_vector name##_link(                                                             \
            f32_vector v, const At &at, const chain_link &link, std::size_t k) {                   \
        const f32_tag d;                                                                           \
        (void)d;                                                                                   \
        (void)v;                                                                                   \
        (void)at;                                                                                  \
        (void)link;                                                                                \
        (void)k;                                                                                   \
        return __VA_ARGS__;                                                                        \
    }
TERN_EACH_LINK(TERN_LINK)
#undef TERN_LINK

/// The value of one vector.
template <bool Whole>
HWY_INLINE f32_vector run_links(const chain_args &args, const position<Whole> &at) {
    const f32_tag d;
    auto v = hn::Zero(d);
    for (std::size_t i = 0; i < args.count; ++i) {
        const chain_link &link = args.links[i];
        switch (link.op) {
#define TERN_LINK(name, ...)                                                                       \
    case link_op::name: v = name##_link(v, at, link, 0); break;
            TERN_EACH_LINK(TERN_LINK)
#undef TERN_LINK
        }
    }
    return v;
}

template <bool Stream>
HWY_INLINE void put(f32_vector v, std::uint8_t *to) {
    const f32_tag d;
    if constexpr (!Stream || HWY_TARGET == HWY_SCALAR) {
        store_bytes(d, v, to);
    } else {
        hn::Stream(v, d, reinterpret_cast<float *>(to));
    }
}

/// Operands that lie in memory, to fetch ahead: at once for all vectors of a block, as every link
/// would see too little of them.
class fetched_ahead {
public:
    explicit fetched_ahead(const chain_args &args) {
        for (std::size_t i = 0; i < args.count; ++i) {
            const chain_link &link = args.links[i];
            if (link.operand != nullptr && link.mask != 0)
                operands_[count_++] = {link.operand, sizeof(float)};
            if (link.cond != nullptr && link.cond_mask != 0) operands_[count_++] = {link.cond, 1};
        }
    }

    /// For the block of n elements from `element` on.
    HWY_INLINE void fetch(std::size_t element, std::size_t n) const {
        constexpr std::size_t ahead = 512; // elements
        for (std::size_t i = 0; i < count_; ++i) {
            const operand &one = operands_[i];
            for (std::size_t at = 0; at < n * one.bytes; at += 64)
                prefetch_at<keeping::no_longer_than_needed>(
                        one.data, static_cast<std::int64_t>((element + ahead) * one.bytes + at));
        }
    }

private:
    struct operand {
        const std::uint8_t *data;
        std::size_t bytes; ///< Of an element.
    };
    operand operands_[2 * longest_chain];
    std::size_t count_ = 0;
};

/// Vectors in registers at once.
constexpr std::size_t abreast = 8;
static_assert(abreast * HWY_MAX_BYTES <= splat_bytes);

/// The next `abreast` vectors, at `element`.
template <bool Stream>
HWY_INLINE void run_block(const chain_args &args, std::size_t element) {
    const f32_tag d;
    const position<true> at{element, 0};
    auto v_0 = hn::Zero(d), v_1 = v_0, v_2 = v_0, v_3 = v_0;
    auto v_4 = v_0, v_5 = v_0, v_6 = v_0, v_7 = v_0;
    for (std::size_t i = 0; i < args.count; ++i) {
        const chain_link &link = args.links[i];
        switch (link.op) {
#define TERN_LINK(name, ...)                                                                       \
    case link_op::name:                                                                            \
        v_0 = name##_link(v_0, at, link, 0);                                                       \
        v_1 = name##_link(v_1, at, link, 1);                                                       \
        v_2 = name##_link(v_2, at, link, 2);                                                       \
        v_3 = name##_link(v_3, at, link, 3);                                                       \
        v_4 = name##_link(v_4, at, link, 4);                                                       \
        v_5 = name##_link(v_5, at, link, 5);                                                       \
        v_6 = name##_link(v_6, at, link, 6);                                                       \
        v_7 = name##_link(v_7, at, link, 7);                                                       \
        break;
            TERN_EACH_LINK(TERN_LINK)
#undef TERN_LINK
        }
    }
    const std::size_t step = hn::Lanes(d) * sizeof(float);
    std::uint8_t *to = args.dst + element * sizeof(float);
    put<Stream>(v_0, to);
    put<Stream>(v_1, to + 1 * step);
    put<Stream>(v_2, to + 2 * step);
    put<Stream>(v_3, to + 3 * step);
    put<Stream>(v_4, to + 4 * step);
    put<Stream>(v_5, to + 5 * step);
    put<Stream>(v_6, to + 6 * step);
    put<Stream>(v_7, to + 7 * step);
}

/// Elements [from, to), vector by vector.
HWY_NOINLINE void run_vectors(const chain_args &args, std::size_t from, std::size_t to) {
    const f32_tag d;
    const std::size_t lanes = hn::Lanes(d);
    for (; from + lanes <= to; from += lanes)
        store_bytes(d, run_links(args, position<true>{from, 0}), args.dst + from * sizeof(float));
    if (from < to) {
        const auto v = run_links(args, position<false>{from, to - from});
        store_bytes_part(d, v, args.dst + from * sizeof(float), to - from);
    }
}

void run_chain(const chain_args &args) noexcept {
    const f32_tag d;
    const std::size_t lanes = hn::Lanes(d);
    const auto n = static_cast<std::size_t>(args.n);
    std::size_t i = 0;
    const auto address = reinterpret_cast<std::uintptr_t>(args.dst);
    if (args.is_far && address % sizeof(float) == 0) {
        // Whole cache lines only.
        const std::size_t head = (0 - address) % 64 / sizeof(float);
        i = head < n ? head : n;
        run_vectors(args, 0, i);
        const fetched_ahead operands(args);
        for (; i + abreast * lanes <= n; i += abreast * lanes) {
            operands.fetch(i, abreast * lanes);
            run_block<true>(args, i);
        }
    } else {
        for (; i + abreast * lanes <= n; i += abreast * lanes)
            run_block<false>(args, i);
    }
    if (i < n) run_vectors(args, i, n);
}

} // namespace

chain_function get_chain() {
    return run_chain;
}

} // namespace HWY_NAMESPACE
} // namespace tern::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tern::kernels {

HWY_EXPORT(get_chain);

chain_function find_chain() noexcept {
    return HWY_DYNAMIC_DISPATCH(get_chain)();
}

} // namespace tern::kernels
#endif
