// SPDX-License-Identifier: Apache-2.0

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | (HWY_AVX3 - 1)) // as in lane_arithmetic.cpp
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/lanes/lane_chain.cpp"
#include <algorithm>
#include <cstring>

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

// NaN when either is NaN; of zeros +0 is the greater one, -0 the less. Others that are equal have
// the same bits.
#if HWY_ARCH_X86 && HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128
// The instruction gives its second operand when one is NaN, or both are zeros: the two orders
// differ exactly then.
HWY_INLINE f32_vector greater_of(f32_vector a, f32_vector b) {
    const auto m = hn::Max(a, b), n = hn::Max(b, a);
    return hn::IfThenElse(hn::Eq(m, n), hn::And(m, n), hn::Add(m, n));
}
HWY_INLINE f32_vector less_of(f32_vector a, f32_vector b) {
    return hn::Or(hn::Min(a, b), hn::Min(b, a)); // NaN, with anything, stays one.
}
#else
/// Unordered comparisons give b, so that only a need be asked whether it is NaN.
HWY_INLINE f32_vector keep_nan(hn::Mask<f32_tag> a_wins, f32_vector a, f32_vector b) {
    return hn::IfThenElse(hn::Eq(a, a), hn::IfThenElse(a_wins, a, b), a);
}
HWY_INLINE f32_vector greater_of(f32_vector a, f32_vector b) {
    return hn::IfThenElse(hn::Eq(a, b), hn::And(a, b), keep_nan(hn::Gt(a, b), a, b));
}
HWY_INLINE f32_vector less_of(f32_vector a, f32_vector b) {
    return hn::IfThenElse(hn::Eq(a, b), hn::Or(a, b), keep_nan(hn::Lt(a, b), a, b));
}
#endif

/// NaN stays.
HWY_INLINE f32_vector clamp(f32_vector v, f32_vector low, f32_vector high) {
    return at_most(at_least(v, low), high);
}

/// v / 6, of v in [0, 6]. 1/6 in two parts is as good as the division, and sooner there.
HWY_INLINE f32_vector sixth_of(f32_vector v) {
    const f32_tag d;
#if HWY_NATIVE_FMA
    return hn::MulAdd(v, hn::Set(d, 0x1.555556p-3F), hn::Mul(v, hn::Set(d, -0x1.555556p-28F)));
#else
    return hn::Div(v, hn::Set(d, 6.0F));
#endif
}

HWY_INLINE f32_vector square(f32_vector v) {
    return hn::Mul(v, v);
}

/// Of a rounded v: x86's instructions leave a zero the sign of v, Highway's emulation does not.
HWY_INLINE f32_vector with_sign_of(f32_vector v, f32_vector rounded) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_SSE4
    (void)v;
    return rounded;
#else
    return hn::CopySign(rounded, v);
#endif
}

/// 1, 0 or -1; +0 of -0. NaN stays.
HWY_INLINE f32_vector sign_of(f32_vector v) {
    const f32_tag d;
    const auto signs = hn::IfThenElse(hn::Eq(v, v), hn::CopySign(hn::Set(d, 1.0F), v), v);
    return hn::IfThenZeroElse(hn::Eq(v, hn::Zero(d)), signs);
}

/// Of cond's bytes.
template <class Bytes>
HWY_INLINE hn::Mask<f32_tag> is_zero(Bytes cond) {
    const f32_tag d;
    const hn::RebindToUnsigned<f32_tag> du;
    return hn::RebindMask(d, hn::Eq(hn::PromoteTo(du, cond), hn::Zero(du)));
}

HWY_INLINE f32_vector load_value(const chain_link &link) {
    float value = 0;
    std::memcpy(&value, link.operand, sizeof value);
    return hn::Set(f32_tag(), value);
}

/// Where links find their operands, for vector k of the block that begins at an element.
struct block_position {
    std::size_t element;

    HWY_INLINE f32_vector operand(const chain_link &link, std::size_t k) const {
        const f32_tag d;
        return load_bytes(
                d, link.operand + element * sizeof(float) + k * hn::Lanes(d) * sizeof(float));
    }
    /// Read once for all vectors of the block.
    HWY_INLINE f32_vector value(const chain_link &link) const { return load_value(link); }
    HWY_INLINE hn::Mask<f32_tag> is_false(const chain_link &link, std::size_t k) const {
        const hn::Rebind<std::uint8_t, f32_tag> bytes;
        return is_zero(load_bytes(bytes, link.cond + element + k * hn::Lanes(bytes)));
    }
};

/// The same for single vectors (k is 0), the last one of which may have fewer elements.
template <bool Whole>
struct vector_position {
    std::size_t element;
    std::size_t left;

    HWY_INLINE f32_vector operand(const chain_link &link, std::size_t) const {
        const f32_tag d;
        if (!link.moves) return load_value(link);
        const std::uint8_t *from = link.operand + element * sizeof(float);
        if constexpr (Whole)
            return load_bytes(d, from);
        else
            return load_bytes_part(d, from, left);
    }
    HWY_INLINE hn::Mask<f32_tag> is_false(const chain_link &link, std::size_t) const {
        const hn::Rebind<std::uint8_t, f32_tag> bytes;
        if constexpr (Whole)
            return is_zero(load_bytes(bytes, link.cond + element));
        else
            return is_zero(load_bytes_part(bytes, link.cond + element, left));
    }
};

// Operations by link_op, on a value v. Functions, not lambdas: the values of a block stay in
// registers only where all is inlined.
#define TERN_EACH_UNARY(TERN_LINK)                                                                 \
    TERN_LINK(negate, hn::Xor(v, hn::Set(d, -0.0F)))                                               \
    TERN_LINK(abs, hn::AndNot(hn::Set(d, -0.0F), v))                                               \
    TERN_LINK(square, square(v))                                                                   \
    TERN_LINK(clamp, clamp(v, hn::Set(d, link.x), hn::Set(d, link.y)))                             \
    TERN_LINK(hard_sigmoid, clamp(hn::MulAdd(hn::Set(d, link.x), v, hn::Set(d, link.y)),           \
                                    hn::Zero(d), hn::Set(d, 1.0F)))                                \
    TERN_LINK(hard_swish, hn::Mul(v, sixth_of(clamp(hn::Add(v, hn::Set(d, 3.0F)), hn::Zero(d),     \
                                             hn::Set(d, 6.0F))))) /* nothing overflows */          \
    TERN_LINK(                                                                                     \
            leaky_relu, hn::IfThenElse(hn::Lt(v, hn::Zero(d)), hn::Mul(hn::Set(d, link.x), v), v)) \
    /* By sign, which -0 has as well: x * -0 is -0. */                                             \
    TERN_LINK(leak, hn::IfNegativeThenElse(v, hn::Mul(hn::Set(d, link.x), v), v))                  \
    TERN_LINK(reciprocal, hn::Div(hn::Set(d, 1.0F), v))                                            \
    TERN_LINK(relu, at_least(v, hn::Zero(d)))                                                      \
    TERN_LINK(round, with_sign_of(v, hn::Round(v)))                                                \
    TERN_LINK(floor, with_sign_of(v, hn::Floor(v)))                                                \
    TERN_LINK(ceil, with_sign_of(v, hn::Ceil(v)))                                                  \
    TERN_LINK(sign, sign_of(v))                                                                    \
    TERN_LINK(sqrt, hn::Sqrt(v))

// Those with an operand o.
#define TERN_EACH_BINARY(TERN_LINK)                                                                \
    TERN_LINK(start, o)                                                                            \
    TERN_LINK(add, hn::Add(v, o))                                                                  \
    TERN_LINK(subtract, hn::Sub(v, o))                                                             \
    TERN_LINK(subtract_from, hn::Sub(o, v))                                                        \
    TERN_LINK(multiply, hn::Mul(v, o))                                                             \
    TERN_LINK(divide, hn::Div(v, o))                                                               \
    TERN_LINK(divide_into, hn::Div(o, v))                                                          \
    TERN_LINK(maximum, greater_of(v, o))                                                           \
    TERN_LINK(minimum, less_of(v, o))                                                              \
    TERN_LINK(raise, at_least(v, o))                                                               \
    TERN_LINK(cap, at_most(v, o))                                                                  \
    TERN_LINK(squared_difference, square(hn::Sub(v, o)))                                           \
    TERN_LINK(select_value, hn::IfThenElse(at.is_false(link, k), o, v))                            \
    TERN_LINK(select_operand, hn::IfThenElse(at.is_false(link, k), v, o))

#define TERN_FUNCTION(name, declaration, ...)                                                      \
    template <class At>                                                                            \
    HWY_INLINE f32_vector name(                                                                    \
            f32_vector v, const At &at, const chain_link &link, std::size_t k) {                   \
        const f32_tag d;                                                                           \
        declaration;                                                                               \
        (void)d;                                                                                   \
        (void)v;                                                                                   \
        (void)at;                                                                                  \
        (void)link;                                                                                \
        (void)k;                                                                                   \
        return __VA_ARGS__;                                                                        \
    }
#define TERN_LINK(name, ...) TERN_FUNCTION(name##_link, , __VA_ARGS__)
TERN_EACH_UNARY(TERN_LINK)
#undef TERN_LINK
// For a block there is a second form of each: its operand is one value.
#define TERN_LINK(name, ...)                                                                       \
    TERN_FUNCTION(name##_link, const auto o = at.operand(link, k), __VA_ARGS__)                    \
    TERN_FUNCTION(name##_value_link, const auto o = at.value(link), __VA_ARGS__)
TERN_EACH_BINARY(TERN_LINK)
#undef TERN_LINK
#undef TERN_FUNCTION

// Pairs of links that are applied to a block at once: a jump costs about as much as a link does.
// Each of the second ones may follow each of the first ones. No start: loads that come all at once
// wait for the outer caches a tenth less than loads with something in between. No product: with a
// sum after it, compilers would make one operation of both, which rounds once.
#define TERN_EACH_SECOND(TERN_PAIR, first)                                                         \
    TERN_PAIR(first, add)                                                                          \
    TERN_PAIR(first, subtract)                                                                     \
    TERN_PAIR(first, multiply)                                                                     \
    TERN_PAIR(first, select_value)                                                                 \
    TERN_PAIR(first, select_operand)                                                               \
    TERN_PAIR(first, relu)                                                                         \
    TERN_PAIR(first, add_value)                                                                    \
    TERN_PAIR(first, subtract_value)                                                               \
    TERN_PAIR(first, multiply_value)                                                               \
    TERN_PAIR(first, raise_value)                                                                  \
    TERN_PAIR(first, cap_value)                                                                    \
    TERN_PAIR(first, select_value_value)                                                           \
    TERN_PAIR(first, select_operand_value)
#define TERN_EACH_PAIR(TERN_PAIR)                                                                  \
    TERN_EACH_SECOND(TERN_PAIR, add)                                                               \
    TERN_EACH_SECOND(TERN_PAIR, subtract)                                                          \
    TERN_EACH_SECOND(TERN_PAIR, add_value)                                                         \
    TERN_EACH_SECOND(TERN_PAIR, subtract_value)                                                    \
    TERN_EACH_SECOND(TERN_PAIR, raise_value)                                                       \
    TERN_EACH_SECOND(TERN_PAIR, cap_value)

#define TERN_PAIR(first, second)                                                                   \
    HWY_INLINE f32_vector first##_then_##second##_link(                                            \
            f32_vector v, const block_position &at, const chain_link &link, std::size_t k) {       \
        return second##_link(first##_link(v, at, link, k), at, (&link)[1], k);                     \
    }
TERN_EACH_PAIR(TERN_PAIR)
#undef TERN_PAIR

/// What is applied to a block in one go.
enum class block_op : std::uint8_t {
#define TERN_LINK(name, ...) name,
    TERN_EACH_UNARY(TERN_LINK) TERN_EACH_BINARY(TERN_LINK)
#undef TERN_LINK
#define TERN_LINK(name, ...) name##_value,
            TERN_EACH_BINARY(TERN_LINK)
#undef TERN_LINK
#define TERN_PAIR(first, second) first##_then_##second,
                    TERN_EACH_PAIR(TERN_PAIR)
#undef TERN_PAIR
};

// Those of one link come first.
constexpr std::size_t single_ops = static_cast<std::size_t>(block_op::add_then_add);

struct block_step {
    block_op op;
    const chain_link *link; ///< The first one of a pair.
};

block_op block_op_of(const chain_link &link) {
    switch (link.op) {
#define TERN_LINK(name, ...)                                                                       \
    case link_op::name: return block_op::name;
        TERN_EACH_UNARY(TERN_LINK)
#undef TERN_LINK
#define TERN_LINK(name, ...)                                                                       \
    case link_op::name: return link.moves ? block_op::name : block_op::name##_value;
        TERN_EACH_BINARY(TERN_LINK)
#undef TERN_LINK
    }
    return block_op::start; // never: all are listed
}

/// By both ops; the first one where they are no pair.
struct pair_table {
    block_op pair[single_ops][single_ops];

    constexpr pair_table() {
        for (std::size_t first = 0; first < single_ops; ++first)
            for (block_op &second : pair[first])
                second = static_cast<block_op>(first);
#define TERN_PAIR(first, second)                                                                   \
    pair[static_cast<std::size_t>(block_op::first)][static_cast<std::size_t>(block_op::second)] =  \
            block_op::first##_then_##second;
        TERN_EACH_PAIR(TERN_PAIR)
#undef TERN_PAIR
    }
};
constexpr pair_table pairs;

block_op join(block_op first, block_op second) {
    return pairs.pair[static_cast<std::size_t>(first)][static_cast<std::size_t>(second)];
}

/// A chain in steps.
class block_steps {
public:
    explicit block_steps(const chain_args &args) {
        for (std::size_t i = 0; i < args.count; ++i) {
            const chain_link *link = &args.links[i];
            const block_op op = block_op_of(*link);
            block_op joined = op;
            if (i + 1 < args.count) joined = join(op, block_op_of(link[1]));
            if (joined != op) ++i;
            steps_[count_++] = {joined, link};
        }
    }
    const block_step *begin() const { return steps_; }
    const block_step *end() const { return steps_ + count_; }

private:
    block_step steps_[longest_chain];
    std::size_t count_ = 0;
};

/// The value of one vector.
template <bool Whole>
HWY_INLINE f32_vector run_links(const chain_args &args, const vector_position<Whole> &at) {
    const f32_tag d;
    auto v = hn::Zero(d);
    for (std::size_t i = 0; i < args.count; ++i) {
        const chain_link &link = args.links[i];
        switch (link.op) {
#define TERN_LINK(name, ...)                                                                       \
    case link_op::name: v = name##_link(v, at, link, 0); break;
            TERN_EACH_UNARY(TERN_LINK)
            TERN_EACH_BINARY(TERN_LINK)
#undef TERN_LINK
        }
    }
    return v;
}

HWY_INLINE void stream(f32_vector v, std::uint8_t *to) {
    const f32_tag d;
    if constexpr (HWY_TARGET == HWY_SCALAR) {
        store_bytes(d, v, to);
    } else {
        hn::Stream(v, d, reinterpret_cast<float *>(to));
    }
}

/// Elements from what is computed to what is fetched ahead.
constexpr std::size_t ahead = 512;

/// Operands that lie in memory, to fetch ahead: at once for all vectors of a block, as every link
/// would see too little of them.
class fetched_ahead {
public:
    explicit fetched_ahead(const chain_args &args) {
        for (std::size_t i = 0; i < args.count; ++i) {
            const chain_link &link = args.links[i];
            if (link.moves) operands_[count_++] = {link.operand, sizeof(float)};
            if (link.cond != nullptr) operands_[count_++] = {link.cond, 1};
        }
    }

    /// For the block of n elements from `element` on.
    HWY_INLINE void fetch(std::size_t element, std::size_t n) const {
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

/// The next `abreast` vectors, at `element`.
HWY_INLINE void run_block(
        const chain_args &args, const block_steps &steps, std::size_t element, bool streams) {
    const f32_tag d;
    const block_position at{element};
    auto v_0 = hn::Zero(d), v_1 = v_0, v_2 = v_0, v_3 = v_0;
    auto v_4 = v_0, v_5 = v_0, v_6 = v_0, v_7 = v_0;
    for (const block_step &step : steps) {
        const chain_link &link = *step.link;
        switch (step.op) {
#define TERN_STEP(name)                                                                            \
    case block_op::name:                                                                           \
        v_0 = name##_link(v_0, at, link, 0);                                                       \
        v_1 = name##_link(v_1, at, link, 1);                                                       \
        v_2 = name##_link(v_2, at, link, 2);                                                       \
        v_3 = name##_link(v_3, at, link, 3);                                                       \
        v_4 = name##_link(v_4, at, link, 4);                                                       \
        v_5 = name##_link(v_5, at, link, 5);                                                       \
        v_6 = name##_link(v_6, at, link, 6);                                                       \
        v_7 = name##_link(v_7, at, link, 7);                                                       \
        break;
#define TERN_LINK(name, ...) TERN_STEP(name)
            TERN_EACH_UNARY(TERN_LINK)
            TERN_EACH_BINARY(TERN_LINK)
#undef TERN_LINK
#define TERN_LINK(name, ...) TERN_STEP(name##_value)
            TERN_EACH_BINARY(TERN_LINK)
#undef TERN_LINK
#define TERN_PAIR(first, second) TERN_STEP(first##_then_##second)
            TERN_EACH_PAIR(TERN_PAIR)
#undef TERN_PAIR
#undef TERN_STEP
        }
    }
    const std::size_t step = hn::Lanes(d) * sizeof(float);
    std::uint8_t *to = args.dst + element * sizeof(float);
    if (streams) {
        stream(v_0, to);
        stream(v_1, to + 1 * step);
        stream(v_2, to + 2 * step);
        stream(v_3, to + 3 * step);
        stream(v_4, to + 4 * step);
        stream(v_5, to + 5 * step);
        stream(v_6, to + 6 * step);
        stream(v_7, to + 7 * step);
    } else {
        store_bytes(d, v_0, to);
        store_bytes(d, v_1, to + 1 * step);
        store_bytes(d, v_2, to + 2 * step);
        store_bytes(d, v_3, to + 3 * step);
        store_bytes(d, v_4, to + 4 * step);
        store_bytes(d, v_5, to + 5 * step);
        store_bytes(d, v_6, to + 6 * step);
        store_bytes(d, v_7, to + 7 * step);
    }
}

using block_link = f32_vector (*)(
        f32_vector v, const block_position &at, const chain_link &link, std::size_t k);

/// A load and one link, a cache line at a time: the outer caches give one every few cycles, in
/// which there is time for little besides. Returns where it ends: less than a line is left.
template <block_link Link>
HWY_NOINLINE std::size_t run_lines(const chain_args &args) {
    const f32_tag d;
    const std::size_t lanes = hn::Lanes(d);
    const std::size_t line = std::max<std::size_t>(64 / sizeof(float), lanes);
    const auto n = static_cast<std::size_t>(args.n);
    const bool fetches = args.level != memory_level::l2;
    // Not in memory that a store might change.
    const chain_link start = args.links[0];
    const chain_link link = args.links[1];
    std::uint8_t *const dst = args.dst;
    std::size_t i = 0;
    for (; i + line <= n; i += line) {
        if (fetches) {
            const auto there = static_cast<std::int64_t>((i + ahead) * sizeof(float));
            prefetch_at(start.operand, there);
            if (link.moves) prefetch_at(link.operand, there);
            prefetch_at(dst, there);
        }
        const block_position at{i};
        for (std::size_t k = 0; k * lanes < line; ++k)
            store_bytes(d, Link(at.operand(start, k), at, link, k),
                    dst + (i + k * lanes) * sizeof(float));
    }
    return i;
}

std::size_t run_single(const chain_args &args) {
    switch (block_op_of(args.links[1])) {
#define TERN_LINK(name, ...)                                                                       \
    case block_op::name: return run_lines<name##_link<block_position>>(args);
        TERN_EACH_UNARY(TERN_LINK)
        TERN_EACH_BINARY(TERN_LINK)
#undef TERN_LINK
#define TERN_LINK(name, ...)                                                                       \
    case block_op::name##_value: return run_lines<name##_value_link<block_position>>(args);
        TERN_EACH_BINARY(TERN_LINK)
#undef TERN_LINK
        default: return 0; // never: pairs have two links
    }
}

/// Elements [from, to), vector by vector.
HWY_NOINLINE void run_vectors(const chain_args &args, std::size_t from, std::size_t to) {
    const f32_tag d;
    const std::size_t lanes = hn::Lanes(d);
    for (; from + lanes <= to; from += lanes)
        store_bytes(d, run_links(args, vector_position<true>{from, 0}),
                args.dst + from * sizeof(float));
    if (from < to) {
        const auto v = run_links(args, vector_position<false>{from, to - from});
        store_bytes_part(d, v, args.dst + from * sizeof(float), to - from);
    }
}

void run_chain(const chain_args &args) noexcept {
    const f32_tag d;
    const std::size_t lanes = hn::Lanes(d);
    const auto n = static_cast<std::size_t>(args.n);
    const std::size_t block = abreast * lanes;
    std::size_t i = 0;
    const auto address = reinterpret_cast<std::uintptr_t>(args.dst);
    const bool streams = args.level == memory_level::main && address % sizeof(float) == 0;
    if (streams) {
        // Whole cache lines only.
        i = std::min((0 - address) % 64 / sizeof(float), n);
        run_vectors(args, 0, i);
    } else if (args.count == 2 && args.links[0].moves) {
        i = run_single(args);
    }
    if (i + block <= n) {
        const block_steps steps(args);
        const fetched_ahead operands(args);
        for (; i + block <= n; i += block) {
            if (streams) operands.fetch(i, block);
            run_block(args, steps, i, streams);
        }
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
