// SPDX-License-Identifier: Apache-2.0

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | (HWY_AVX3 - 1)) // as in lane_arithmetic.cpp
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/lanes/lane_memory.cpp"
#include <hwy/foreach_target.h>

#include <limits>

#include <hwy/cache_control.h>

#include "kernels/lanes/loops-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels {
namespace HWY_NAMESPACE {
namespace {

/// dst = fn(vector of From) for as many elements as a vector of the wider of both has.
template <typename From, typename To, class Fn>
struct change_step {
    using wide = std::conditional_t<(sizeof(From) > sizeof(To)), From, To>;
    using tag = hn::ScalableTag<wide>;
    static constexpr std::size_t a_bytes = sizeof(From), b_bytes = 0, c_bytes = 0;
    static constexpr std::size_t dst_bytes = sizeof(To);
    HWY_INLINE void operator()(const std::uint8_t *a, const std::uint8_t *, const std::uint8_t *,
            std::uint8_t *dst) const {
        const hn::Rebind<From, tag> from;
        const hn::Rebind<To, tag> to;
        store_bytes(to, Fn()(to, load_bytes(from, a)), dst);
    }
};
template <typename From, typename To, class Fn>
constexpr lane_function change = run_plain<change_step<From, To, Fn>>;

#define TERN_CHANGE(name, ...)                                                                     \
    struct name {                                                                                  \
        template <class D, class V>                                                                \
        HWY_INLINE auto operator()(D to, V v) const {                                              \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    };

TERN_CHANGE(copied, (void)to; return v;)
TERN_CHANGE(promoted, return hn::PromoteTo(to, v);)
TERN_CHANGE(as_number, return hn::ConvertTo(to, v);)
TERN_CHANGE(from_bf16, return bf16_to_f32(to, v);)
TERN_CHANGE(from_f16, return f16_to_f32_exactly(to, v);)
TERN_CHANGE(to_bf16, (void)to; return f32_to_bf16(f32_tag(), v);)
TERN_CHANGE(to_f16, (void)to; return f32_to_f16(f32_tag(), v);)
TERN_CHANGE(by_bf16, return bf16_to_f32(to, f32_to_bf16(to, v));)
TERN_CHANGE(by_f16, return f16_to_f32_exactly(to, f32_to_f16(to, v));)

/// Towards zero, saturating; NaN gives 0.
HWY_INLINE hn::Vec<s32_tag> truncated(hn::Vec<f32_tag> v) {
    const auto number = hn::IfThenElseZero(hn::Eq(v, v), v);
    // Highway's saturates at the top on every target, at the bottom by what the CPU does.
    return hn::ConvertTo(s32_tag(), number);
}

TERN_CHANGE(to_s32, (void)to; return truncated(v);)
TERN_CHANGE(rounded, (void)to; return truncated(hn::Round(v));)

/// Highway's demotion to unsigned types takes what is far too large for small on AVX2.
template <typename To>
struct saturated {
    template <class D, class V>
    HWY_INLINE auto operator()(D to, V v) const {
        const s32_tag d;
        const auto low = hn::Set(d, std::numeric_limits<To>::lowest());
        const auto high = hn::Set(d, std::numeric_limits<To>::max());
        return hn::DemoteTo(to, hn::Min(hn::Max(truncated(hn::Round(v)), low), high));
    }
};

TERN_CHANGE(low_16, return hn::DemoteTo(to, hn::And(v, hn::Set(s32_tag(), 0xFFFF)));)
TERN_CHANGE(low_8, return hn::DemoteTo(to, hn::And(v, hn::Set(s32_tag(), 0xFF)));)
TERN_CHANGE(
        f32_is_true,
        const auto is = hn::RebindMask(s32_tag(), hn::Not(hn::Eq(v, hn::Zero(f32_tag()))));
        return hn::DemoteTo(to, hn::And(hn::VecFromMask(s32_tag(), is), hn::Set(s32_tag(), 1)));)
TERN_CHANGE(
        s32_is_true, const auto is = hn::Not(hn::Eq(v, hn::Zero(s32_tag())));
        return hn::DemoteTo(to, hn::And(hn::VecFromMask(s32_tag(), is), hn::Set(s32_tag(), 1)));)

/// A mask byte that came from memory may be any value.
template <class D>
HWY_INLINE hn::Vec<hn::Rebind<std::uint8_t, D>> one_or_zero(
        D, hn::Vec<hn::Rebind<std::uint8_t, D>> v) {
    return hn::Min(v, hn::Set(hn::Rebind<std::uint8_t, D>(), std::uint8_t{1}));
}
TERN_CHANGE(mask_to_s32, return hn::PromoteTo(to, one_or_zero(to, v));)
TERN_CHANGE(mask_to_f32, return hn::ConvertTo(to, hn::PromoteTo(s32_tag(), one_or_zero(to, v)));)

/// Stores past the caches: from the first whole cache line of dst on, the others in the plain way.
template <typename From, typename To, class Fn>
HWY_NOINLINE void stream(const lane_args &args) noexcept {
#if HWY_TARGET == HWY_SCALAR
    change<From, To, Fn>(args);
#else
    using step = change_step<From, To, Fn>;
    const hn::Rebind<From, typename step::tag> from;
    const hn::Rebind<To, typename step::tag> to;
    constexpr std::int64_t line = 64;
    const auto address = reinterpret_cast<std::uintptr_t>(args.dst);
    const std::int64_t head = static_cast<std::int64_t>((0 - address) % line / sizeof(To));
    const std::int64_t body =
            (args.n - head) / (line / std::int64_t{sizeof(To)}) * (line / std::int64_t{sizeof(To)});
    // Highway streams whole vectors of 16 bytes and more only.
    const bool is_narrow = hn::Lanes(to) * sizeof(To) < 16;
    if (is_narrow || address % sizeof(To) != 0 || body <= 0 || !args.moves[0])
        return change<From, To, Fn>(args);
    lane_args part = args;
    part.n = head;
    change<From, To, Fn>(part);
    const std::uint8_t *source = args.source[0] + head * std::int64_t{sizeof(From)};
    std::uint8_t *dst = args.dst + head * std::int64_t{sizeof(To)};
    const auto lanes = static_cast<std::int64_t>(hn::Lanes(to));
    for (std::int64_t i = 0; i < body; i += lanes) {
        const hn::Repartition<std::uint8_t, decltype(to)> bytes;
        const auto v = Fn()(to, load_bytes(from, source + i * std::int64_t{sizeof(From)}));
        hn::Stream(hn::BitCast(bytes, v), bytes, dst + i * std::int64_t{sizeof(To)});
    }
    part.source[0] = source + body * std::int64_t{sizeof(From)};
    part.dst = dst + body * std::int64_t{sizeof(To)};
    part.n = args.n - head - body;
    change<From, To, Fn>(part);
#endif
}

} // namespace

void enter_memory_here(lane_table &table) {
    using s8 = std::int8_t;
    using u8 = std::uint8_t;
    using s16 = std::int16_t;
    using u16 = std::uint16_t;
    using s32 = std::int32_t;
    using u32 = std::uint32_t;
    // f32, s32, s64, mask
    table.convert[0][0] = table.convert[1][1] = change<u32, u32, copied>;
    table.convert[0][1] = change<float, s32, to_s32>;
    table.convert[0][3] = change<float, u8, f32_is_true>;
    table.convert[1][0] = change<s32, float, as_number>;
    table.convert[1][3] = change<s32, u8, s32_is_true>;
    table.convert[3][0] = change<u8, float, mask_to_f32>;
    table.convert[3][1] = change<u8, s32, mask_to_s32>;
    table.convert[3][3] = table.normalize_mask;
    table.round_to_bf16 = change<float, float, by_bf16>;
    table.round_to_f16 = change<float, float, by_f16>;
    table.load_bf16 = change<u16, float, from_bf16>;
    table.load_f16 = change<u16, float, from_f16>;
    table.load_s8 = change<s8, s32, promoted>;
    table.load_u8 = change<u8, s32, promoted>;
    table.load_s16 = change<s16, s32, promoted>;
    table.load_u16 = change<u16, s32, promoted>;
    table.store_bf16[0] = change<float, u16, to_bf16>;
    table.store_bf16[1] = stream<float, u16, to_bf16>;
    table.store_f16[0] = change<float, u16, to_f16>;
    table.store_f16[1] = stream<float, u16, to_f16>;
    table.store_saturated[0] = change<float, s8, saturated<s8>>;
    table.store_saturated[1] = change<float, u8, saturated<u8>>;
    table.store_saturated[2] = change<float, s16, saturated<s16>>;
    table.store_saturated[3] = change<float, u16, saturated<u16>>;
    table.store_saturated[4] = change<float, s32, rounded>;
    table.store_low[0] = change<s32, u8, low_8>;
    table.store_low[1] = change<s32, u16, low_16>;
    table.copy_32[0] = change<u32, u32, copied>;
    table.copy_32[1] = stream<u32, u32, copied>;
}

} // namespace HWY_NAMESPACE
} // namespace tern::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tern::kernels {

HWY_EXPORT(enter_memory_here);

void enter_memory(lane_table &table) noexcept {
    HWY_DYNAMIC_DISPATCH(enter_memory_here)(table);
}

} // namespace tern::kernels
#endif
