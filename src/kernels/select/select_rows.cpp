// SPDX-License-Identifier: Apache-2.0

// Blends gain nothing from what comes after AVX3 (better targets have lower bits), nor from SSSE3
// where there is SSE4. Fewer targets compile faster.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | (HWY_AVX3 - 1))
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/select/select_rows.cpp"
#include <hwy/foreach_target.h>

#include <array>
#include <bit>
#include <cstdint>

#include "kernels/select/row-inl.hpp"
#include "kernels/select/select_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels {
namespace HWY_NAMESPACE {
namespace {

/// Streaming pays from a few cache lines on; below, head and tail are all there is.
constexpr std::int64_t least_streamed_bytes = std::max<std::int64_t>(256, 2 * HWY_MAX_BYTES);

template <std::size_t LaneBytes, bool Moves>
using source = std::conditional_t<Moves, moving<LaneBytes>, constant<LaneBytes>>;

/// The operands' next elements in a row.
struct row_pointers {
    const std::uint8_t *cond;
    const std::uint8_t *src_0;
    const std::uint8_t *src_1;
    std::uint8_t *dst;
};

template <std::size_t LaneBytes, bool Stream, bool Moves0, bool Moves1>
HWY_NOINLINE void blend_part(const row_pointers &at, std::int64_t n) {
    const blended_row<LaneBytes, source<LaneBytes, Moves0>, source<LaneBytes, Moves1>> row = {
            at.cond, source<LaneBytes, Moves0>(at.src_0), source<LaneBytes, Moves1>(at.src_1)};
    store_row<Stream>(row, at.dst, static_cast<std::size_t>(n) * lanes_of_element<LaneBytes>);
}

/// Bytes, whatever they belong to. Not inlined: the loops are large, and every lane size uses them.
template <bool Stream>
HWY_NOINLINE void copy_row(const std::uint8_t *from, std::uint8_t *dst, std::size_t bytes) {
    const plain_row<1, moving<1>> row = {moving<1>(from)};
    store_row<Stream>(row, dst, bytes);
}

template <std::size_t LaneBytes, bool Stream>
HWY_NOINLINE void fill_row(const std::uint8_t *from, std::uint8_t *dst, std::size_t n) {
    const plain_row<LaneBytes, constant<LaneBytes>> row = {constant<LaneBytes>(from)};
    store_row<Stream>(row, dst, n * lanes_of_element<LaneBytes>);
}

/// dst = n elements of `chosen`. What is there already, in place, stays untouched.
template <std::size_t LaneBytes, bool Stream>
HWY_INLINE void copy_or_fill(
        const std::uint8_t *chosen, bool moves, std::uint8_t *dst, std::int64_t n) {
    if (!moves)
        fill_row<LaneBytes, Stream>(chosen, dst, static_cast<std::size_t>(n));
    else if (chosen != dst)
        copy_row<Stream>(chosen, dst, static_cast<std::size_t>(n) * LaneBytes);
}

/// Elements that are looked at together for conditions that all agree: some cache lines of dst, so
/// that a copy or fill pays, and at least one of cond.
template <std::size_t LaneBytes>
constexpr std::int64_t stretch = std::max<std::int64_t>(
        64, least_streamed_bytes / std::int64_t{LaneBytes});

enum class truth { none, all, mixed };

template <std::size_t LaneBytes>
HWY_INLINE truth truth_of_stretch(const std::uint8_t *cond) {
    const hn::CappedTag<std::uint8_t, 64> d;
    auto least = hn::LoadU(d, cond);
    auto most = least;
    for (std::size_t i = hn::Lanes(d); i < std::size_t{stretch<LaneBytes>}; i += hn::Lanes(d)) {
        const auto bytes = hn::LoadU(d, cond + i);
        least = hn::Min(least, bytes);
        most = hn::Max(most, bytes);
    }
    const auto zero = hn::Zero(d);
    if (hn::AllFalse(d, hn::Eq(least, zero))) return truth::all;
    return hn::AllTrue(d, hn::Eq(most, zero)) ? truth::none : truth::mixed;
}

/// Masks of real models are runs: padding, triangles, blocks. In a run the operand that is not
/// chosen need not be read, nor dst be written where it is the chosen one.
template <std::size_t LaneBytes, bool Stream>
class run_walk {
public:
    using part_function = void (*)(const row_pointers &at, std::int64_t n);

    /// `blend_short` is for parts that are too short to be streamed.
    run_walk(const select_rows &block, part_function blend, part_function blend_short)
        : block_(block),
          blend_(blend),
          blend_short_(blend_short) {}

    HWY_INLINE void row(row_pointers at) {
        std::int64_t left = block_.n;
        // Parts of a row begin on cache lines of dst, else streamed lines would be written in two.
        if (Stream) {
            const auto past = reinterpret_cast<std::uintptr_t>(at.dst) % 64;
            if (past != 0) blend(at, left, static_cast<std::int64_t>((64 - past) / LaneBytes));
        }
        while (left >= stretch<LaneBytes>) {
            const truth found = truth_of_stretch<LaneBytes>(at.cond);
            if (found == truth::mixed)
                pass_mixed(at, left);
            else
                pass_run(at, left, found);
        }
        if (left > 0) blend(at, left, left);
    }

private:
    void pass_run(row_pointers &at, std::int64_t &left, truth found) {
        std::int64_t n = stretch<LaneBytes>;
        while (left - n >= stretch<LaneBytes> && truth_of_stretch<LaneBytes>(at.cond + n) == found)
            n += stretch<LaneBytes>;
        if (n >= 4 * stretch<LaneBytes>) unseen_ = 0;
        const std::size_t operand = found == truth::all ? 1 : 2;
        copy_or_fill<LaneBytes, Stream>(
                operand == 1 ? at.src_0 : at.src_1, block_.stride[operand] != 0, at.dst, n);
        advance(at, left, n);
    }

    /// Where conditions are mixed, so are the next ones as a rule: then looking at each stretch
    /// would cost time, and more of it where a few are uniform by chance and the branch is
    /// mispredicted.
    void pass_mixed(row_pointers &at, std::int64_t &left) {
        blend(at, left, (1 + unseen_) * stretch<LaneBytes>);
        unseen_ = std::min<std::int64_t>(2 * unseen_ + 1, most_unseen);
    }

    void blend(row_pointers &at, std::int64_t &left, std::int64_t n) {
        n = std::min(n, left);
        const bool is_short = n < least_streamed_bytes / std::int64_t{LaneBytes};
        (is_short ? blend_short_ : blend_)(at, n);
        advance(at, left, n);
    }

    void advance(row_pointers &at, std::int64_t &left, std::int64_t n) const {
        at.cond += n;
        at.src_0 += n * block_.stride[1];
        at.src_1 += n * block_.stride[2];
        at.dst += n * std::int64_t{LaneBytes};
        left -= n;
    }

    static constexpr std::int64_t most_unseen = 15;

    const select_rows &block_;
    part_function blend_;
    part_function blend_short_;
    std::int64_t unseen_ = 0; ///< Stretches after a mixed one that are taken for mixed as well.
};

/// Shorter rows are blended as a whole.
constexpr std::int64_t least_walked = 256;

/// A condition per element.
template <std::size_t LaneBytes, bool Stream, bool Moves0, bool Moves1>
void blend_rows(const select_rows &block) noexcept {
    if (Stream && block.n < least_streamed_bytes / std::int64_t{LaneBytes})
        return blend_rows<LaneBytes, false, Moves0, Moves1>(block);
    constexpr auto blend = blend_part<LaneBytes, Stream, Moves0, Moves1>;
    run_walk<LaneBytes, Stream> walk(block, blend, blend_part<LaneBytes, false, Moves0, Moves1>);
    for (std::int64_t r = 0; r < block.rows; ++r) {
        const row_pointers at = {block.cond + r * block.step[0], block.src_0 + r * block.step[1],
                block.src_1 + r * block.step[2], block.dst + r * block.step[3]};
        if (block.n < least_walked)
            blend(at, block.n);
        else
            walk.row(at);
    }
}

/// One condition per row.
template <std::size_t LaneBytes, bool Stream>
void choose_rows(const select_rows &block) noexcept {
    if (Stream && block.n < least_streamed_bytes / std::int64_t{LaneBytes})
        return choose_rows<LaneBytes, false>(block);
    for (std::int64_t r = 0; r < block.rows; ++r) {
        const bool all = block.cond[r * block.step[0]] != 0;
        const std::uint8_t *chosen =
                all ? block.src_0 + r * block.step[1] : block.src_1 + r * block.step[2];
        std::uint8_t *dst = block.dst + r * block.step[3];
        copy_or_fill<LaneBytes, Stream>(chosen, block.stride[all ? 1 : 2] != 0, dst, block.n);
    }
}

/// Rows no longer than a vector. One store each, which reaches into the next row (that comes later)
/// or into the slack; four at a time, since little else is done.
template <std::size_t LaneBytes, class D>
HWY_INLINE void repeat_short_rows(D d, const std::uint8_t *src, std::int64_t step,
        std::int64_t rows, std::int64_t row_bytes, std::uint8_t *dst) {
    const auto repeat = [=](std::int64_t r) HWY_ATTR {
        store(d, constant<LaneBytes>(src + r * step).get(d, 0), dst + r * row_bytes);
    };
    std::int64_t r = 0;
    for (; r + 4 <= rows; r += 4) {
        repeat(r);
        repeat(r + 1);
        repeat(r + 2);
        repeat(r + 3);
    }
    for (; r < rows; ++r)
        repeat(r);
}

template <std::size_t LaneBytes>
void repeat_rows(const std::uint8_t *src, std::int64_t step, std::int64_t rows, std::int64_t n,
        std::uint8_t *dst) noexcept {
    using lane = lane_of<LaneBytes>;
    const hn::CappedTag<lane, 8 / sizeof(lane)> eight;
    const hn::CappedTag<lane, 16 / sizeof(lane)> sixteen;
    const std::int64_t row_bytes = n * std::int64_t{LaneBytes};
    const auto bytes_of = [](auto d) HWY_ATTR {
        return static_cast<std::int64_t>(hn::Lanes(d) * sizeof(lane));
    };
    // Stores that overlap and cross cache lines are slow: the vector is no longer than it must be.
    if (row_bytes <= bytes_of(eight))
        return repeat_short_rows<LaneBytes>(eight, src, step, rows, row_bytes, dst);
    if (row_bytes <= bytes_of(sixteen))
        return repeat_short_rows<LaneBytes>(sixteen, src, step, rows, row_bytes, dst);
    for (std::int64_t r = 0; r < rows; ++r) {
        const constant<LaneBytes> value(src + r * step);
        for (std::int64_t at = 0; at < row_bytes; at += bytes_of(sixteen))
            store(sixteen, value.get(sixteen, static_cast<std::size_t>(at) / sizeof(lane)),
                    dst + r * row_bytes + at);
    }
}

template <std::size_t LaneBytes, bool Stream>
constexpr void enter_rows(vector_loops &loops, std::size_t index) {
    loops.choose[index][Stream] = choose_rows<LaneBytes, Stream>;
    loops.blend[index][Stream][0] = blend_rows<LaneBytes, Stream, false, false>;
    loops.blend[index][Stream][1] = blend_rows<LaneBytes, Stream, true, false>;
    loops.blend[index][Stream][2] = blend_rows<LaneBytes, Stream, false, true>;
    loops.blend[index][Stream][3] = blend_rows<LaneBytes, Stream, true, true>;
}

template <std::size_t LaneBytes>
constexpr void enter_lanes(vector_loops &loops, std::size_t index) {
    enter_rows<LaneBytes, false>(loops, index);
    enter_rows<LaneBytes, true>(loops, index);
    loops.repeat[index] = repeat_rows<LaneBytes>;
}

constexpr vector_loops make_vector_loops() {
    vector_loops loops{};
    enter_lanes<1>(loops, 0);
    enter_lanes<2>(loops, 1);
    enter_lanes<4>(loops, 2);
    enter_lanes<8>(loops, 3);
    enter_lanes<16>(loops, 4);
    return loops;
}

constexpr vector_loops target_loops = make_vector_loops();

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

const vector_loops &get_vector_loops() {
    return target_loops;
}

const char *get_target_name() {
    return target_name.data();
}

} // namespace HWY_NAMESPACE
} // namespace tern::kernels
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace tern::kernels {

HWY_EXPORT(get_vector_loops);
HWY_EXPORT(get_target_name);

const vector_loops &find_vector_loops() noexcept {
    return HWY_DYNAMIC_DISPATCH(get_vector_loops)();
}

const char *find_target_name() noexcept {
    return HWY_DYNAMIC_DISPATCH(get_target_name)();
}

} // namespace tern::kernels
#endif
