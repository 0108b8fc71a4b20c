// SPDX-License-Identifier: Apache-2.0
// Included once per SIMD target, by the files that Highway compiles for each: the guard toggles.
#if defined(TERN_KERNELS_LANES_LOOPS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TERN_KERNELS_LANES_LOOPS_INL_HPP
#undef TERN_KERNELS_LANES_LOOPS_INL_HPP
#else
#define TERN_KERNELS_LANES_LOOPS_INL_HPP
#endif

/// \file
/// The loop over the elements of a tile, for any step that turns vectors into a vector.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "kernels/float16-inl.hpp"
#include "kernels/lanes/lane_table.hpp"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels {
namespace HWY_NAMESPACE {
namespace {

/// Elements that a step handles when D is the tag of its widest operand.
using f32_tag = hn::ScalableTag<float>;
using s32_tag = hn::ScalableTag<std::int32_t>;

/// A step is a type with: tag D, sizes a_bytes, b_bytes, c_bytes (0: no such source) and dst_bytes
/// of one element, and operator()(a, b, c, dst), which reads and writes whole vectors. The tail is
/// the same step over a copy: an element's result does not depend on its place.
template <class Step>
HWY_INLINE void run_step(const lane_args &args, const Step &step) {
    const std::size_t lanes = hn::Lanes(typename Step::tag());
    const std::uint8_t *a = args.source[0];
    const std::uint8_t *b = args.source[1];
    const std::uint8_t *c = args.source[2];
    std::uint8_t *dst = args.dst;
    const std::size_t by_a = args.moves[0] ? lanes * Step::a_bytes : 0;
    const std::size_t by_b = args.moves[1] ? lanes * Step::b_bytes : 0;
    const std::size_t by_c = args.moves[2] ? lanes * Step::c_bytes : 0;
    const std::size_t by_dst = lanes * Step::dst_bytes;
    auto left = static_cast<std::size_t>(args.n);
    for (; left >= 4 * lanes; left -= 4 * lanes) {
        step(a, b, c, dst);
        step(a + by_a, b + by_b, c + by_c, dst + by_dst);
        step(a + 2 * by_a, b + 2 * by_b, c + 2 * by_c, dst + 2 * by_dst);
        step(a + 3 * by_a, b + 3 * by_b, c + 3 * by_c, dst + 3 * by_dst);
        a += 4 * by_a;
        b += 4 * by_b;
        c += 4 * by_c;
        dst += 4 * by_dst;
    }
    for (; left > 0; left -= left < lanes ? left : lanes) {
        HWY_ALIGN std::uint8_t copies[4][widest_vector];
        const bool whole = left >= lanes;
        if (!whole) {
            const auto copy = [left](std::uint8_t *to, const std::uint8_t *&from, std::size_t by,
                                      std::size_t bytes) {
                std::memset(to, 0, widest_vector);
                std::memcpy(to, from, by == 0 ? widest_vector : left * bytes);
                from = to;
            };
            if (Step::a_bytes != 0) copy(copies[0], a, by_a, Step::a_bytes);
            if (Step::b_bytes != 0) copy(copies[1], b, by_b, Step::b_bytes);
            if (Step::c_bytes != 0) copy(copies[2], c, by_c, Step::c_bytes);
        }
        step(a, b, c, whole ? dst : copies[3]);
        if (!whole) std::memcpy(dst, copies[3], left * Step::dst_bytes);
        a += by_a;
        b += by_b;
        c += by_c;
        dst += by_dst;
    }
}

/// dst = fn(d, a), by lanes of T.
template <typename T, class Fn>
struct unary_step {
    using tag = hn::ScalableTag<T>;
    static constexpr std::size_t a_bytes = sizeof(T), b_bytes = 0, c_bytes = 0;
    static constexpr std::size_t dst_bytes = sizeof(T);
    Fn fn;
    HWY_INLINE void operator()(const std::uint8_t *a, const std::uint8_t *, const std::uint8_t *,
            std::uint8_t *dst) const {
        const tag d;
        store_bytes(d, fn(d, load_bytes(d, a)), dst);
    }
};

template <typename T, class Fn>
struct binary_step {
    using tag = hn::ScalableTag<T>;
    static constexpr std::size_t a_bytes = sizeof(T), b_bytes = sizeof(T), c_bytes = 0;
    static constexpr std::size_t dst_bytes = sizeof(T);
    Fn fn;
    HWY_INLINE void operator()(const std::uint8_t *a, const std::uint8_t *b, const std::uint8_t *,
            std::uint8_t *dst) const {
        const tag d;
        store_bytes(d, fn(d, load_bytes(d, a), load_bytes(d, b)), dst);
    }
};

/// What an operation does, with the immediates as vectors: struct fn { x, y; operator()(d, ...) }.
template <class Fn>
HWY_INLINE Fn make_fn(const lane_args &args) {
    if constexpr (std::is_empty_v<Fn>)
        return Fn{};
    else
        return Fn{args.x, args.y};
}

template <typename T, class Fn>
HWY_NOINLINE void run_unary(const lane_args &args) noexcept {
    run_step(args, unary_step<T, Fn>{make_fn<Fn>(args)});
}
template <typename T, class Fn>
HWY_NOINLINE void run_binary(const lane_args &args) noexcept {
    run_step(args, binary_step<T, Fn>{make_fn<Fn>(args)});
}
template <class Step>
HWY_NOINLINE void run_plain(const lane_args &args) noexcept {
    run_step(args, Step{});
}

constexpr std::size_t index_of(lane_op op) {
    return static_cast<std::size_t>(op);
}

} // namespace
} // namespace HWY_NAMESPACE
} // namespace tern::kernels
HWY_AFTER_NAMESPACE();

#endif
