// SPDX-License-Identifier: Apache-2.0
// Included once per SIMD target, by the files that Highway compiles for each: the guard toggles.
#if defined(TERN_KERNELS_SELECT_RUNS_INL_HPP) == defined(HWY_TARGET_TOGGLE)
#ifdef TERN_KERNELS_SELECT_RUNS_INL_HPP
#undef TERN_KERNELS_SELECT_RUNS_INL_HPP
#else
#define TERN_KERNELS_SELECT_RUNS_INL_HPP
#endif

/// \file
/// Rows with a condition per element, where conditions agree in runs. Masks of real models do:
/// padding, triangles, blocks. In a run the operand that is not chosen need not be read, nor dst be
/// written where it is the chosen one.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <hwy/highway.h>

#include "kernels/select/row-inl.hpp"
#include "kernels/select/select_rows.hpp"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels {
namespace HWY_NAMESPACE {
namespace {

/// Streaming pays from a few cache lines on; below, head and tail are all there is.
inline constexpr std::int64_t least_streamed_bytes = std::max<std::int64_t>(256, 2 * HWY_MAX_BYTES);

/// Elements that are looked at together for conditions that all agree: some cache lines of dst, so
/// that a copy or fill pays, and at least one of cond.
template <std::size_t LaneBytes>
constexpr std::int64_t stretch = std::max<std::int64_t>(
        64, least_streamed_bytes / std::int64_t{LaneBytes});

/// Bytes, whatever they belong to. Not inlined: the loops are large, and every lane size uses them.
template <bool Stream>
HWY_NOINLINE void copy_part(const std::uint8_t *from, std::uint8_t *dst, std::int64_t bytes) {
    const plain_row<1, moving<1>> row = {moving<1>(from)};
    store_row<Stream>(row, dst, static_cast<std::size_t>(bytes));
}

template <std::size_t LaneBytes, bool Stream>
HWY_NOINLINE void fill_row(const std::uint8_t *from, std::uint8_t *dst, std::int64_t n) {
    const plain_row<LaneBytes, constant<LaneBytes>> row = {constant<LaneBytes>(from)};
    store_row<Stream>(row, dst, static_cast<std::size_t>(n) * lanes_of_element<LaneBytes>);
}

/// The operands' next elements in a row.
struct row_pointers {
    const std::uint8_t *cond;
    const std::uint8_t *src_0;
    const std::uint8_t *src_1;
    std::uint8_t *dst;
};

/// Blends n elements.
using part_function = void (*)(const row_pointers &at, std::int64_t n);

HWY_INLINE row_pointers row_of(const select_rows &block, std::int64_t row) {
    return {block.cond + row * block.step[0], block.src_0 + row * block.step[1],
            block.src_1 + row * block.step[2], block.dst + row * block.step[3]};
}

enum class truth : std::uint8_t { none, all, mixed };

/// Conditions are asked for this long before they are needed, in bytes: they may be all that is
/// read, and then nothing else hides how long they take.
inline constexpr std::int64_t cond_ahead = 2048;

/// Of one stretch.
template <std::size_t LaneBytes>
HWY_INLINE truth truth_of(const std::uint8_t *cond) {
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

/// Are all conditions true (or, for All false, are none)?
template <std::int64_t Elements, bool All>
HWY_INLINE bool is_uniform(const std::uint8_t *cond) {
    const hn::CappedTag<std::uint8_t, 64> d;
    for (std::int64_t at = 0; at < Elements; at += line)
        prefetch_at(cond, at + cond_ahead);
    auto seen = hn::LoadU(d, cond);
    for (std::size_t i = hn::Lanes(d); i < std::size_t{Elements}; i += hn::Lanes(d)) {
        const auto bytes = hn::LoadU(d, cond + i);
        seen = All ? hn::Min(seen, bytes) : hn::Or(seen, bytes);
    }
    const auto is_false = hn::Eq(seen, hn::Zero(d));
    return All ? hn::AllFalse(d, is_false) : hn::AllTrue(d, is_false);
}

/// Elements at the beginning of cond, in whole stretches, whose conditions are all true (or false).
template <std::size_t LaneBytes, bool All>
HWY_NOINLINE std::int64_t run_length(const std::uint8_t *cond, std::int64_t n) {
    constexpr std::int64_t one = stretch<LaneBytes>;
    std::int64_t length = 0;
    while (n - length >= 4 * one && is_uniform<4 * one, All>(cond + length))
        length += 4 * one;
    while (n - length >= one && is_uniform<one, All>(cond + length))
        length += one;
    return length;
}

/// What is left of a row.
template <std::size_t LaneBytes>
class row_rest {
public:
    row_rest(const select_rows &block, std::int64_t row)
        : block_(&block),
          at_(row_of(block, row)),
          left_(block.n) {}

    const row_pointers &at() const { return at_; }
    std::int64_t left() const { return left_; }

    void advance(std::int64_t n) {
        at_.cond += n;
        at_.src_0 += n * block_->stride[1];
        at_.src_1 += n * block_->stride[2];
        at_.dst += n * std::int64_t{LaneBytes};
        left_ -= n;
    }

private:
    const select_rows *block_;
    row_pointers at_;
    std::int64_t left_;
};

/// Elements of a row below which runs are not looked for.
inline constexpr std::int64_t least_walked = 256;

/// Rows of n elements, from part to part.
template <std::size_t LaneBytes, memory Memory>
class run_walk {
public:
    /// `blend_short` is for parts that are too short to be streamed.
    run_walk(const select_rows &block, part_function blend, part_function blend_short)
        : block_(block),
          blend_(blend),
          blend_short_(blend_short) {}

    void run() {
        for (std::int64_t r = 0; r < block_.rows; ++r) {
            row_rest<LaneBytes> rest(block_, r);
            // Parts begin on cache lines of dst, else streamed lines would be written in two.
            const auto past = static_cast<std::int64_t>(
                    reinterpret_cast<std::uintptr_t>(rest.at().dst) % std::uintptr_t{line});
            if (streams && past != 0) blend(rest, (line - past) / std::int64_t{LaneBytes});
            while (rest.left() >= stretch<LaneBytes>) {
                if (unseen_ > 0) {
                    unseen_ -= blend(rest, unseen_);
                    continue;
                }
                const truth found = truth_of<LaneBytes>(rest.at().cond);
                if (found == truth::mixed)
                    pass_mixed(rest, stretch<LaneBytes>);
                else
                    pass_run(rest, found);
            }
            if (rest.left() > 0) blend(rest, rest.left());
        }
    }

private:
    static constexpr bool streams = Memory == memory::streamed;

    void pass_run(row_rest<LaneBytes> &rest, truth found) {
        const row_pointers at = rest.at();
        const std::int64_t n = found == truth::all
                                       ? run_length<LaneBytes, true>(at.cond, rest.left())
                                       : run_length<LaneBytes, false>(at.cond, rest.left());
        const std::uint8_t *chosen = found == truth::all ? at.src_0 : at.src_1;
        const bool moves = block_.stride[found == truth::all ? 1 : 2] != 0;
        const bool in_place = at.src_0 == at.dst || at.src_1 == at.dst;
        if (n < least_run && !in_place) return pass_mixed(rest, n);
        next_unseen_ = 0;
        if (Memory != memory::cached) ask_for_other(at, rest.left(), n, found);
        rest.advance(n);
        if (chosen == at.dst) return; // it stays
        if (moves)
            copy_part<streams>(chosen, at.dst, n * std::int64_t{LaneBytes});
        else
            fill_row<LaneBytes, streams>(chosen, at.dst, n);
    }

    /// Where conditions are mixed, or agree for a short while only, so it goes on as a rule: then
    /// looking at each stretch would cost time, and more of it where a few are uniform by chance
    /// and the branch is mispredicted. What the row does not have is left for the next one.
    void pass_mixed(row_rest<LaneBytes> &rest, std::int64_t n) {
        n += next_unseen_ * stretch<LaneBytes>;
        next_unseen_ = std::min<std::int64_t>(2 * next_unseen_ + 1, most_unseen);
        unseen_ = n - blend(rest, n);
    }

    /// The operand that a run leaves out is needed behind it, where no hardware expects it.
    void ask_for_other(const row_pointers &at, std::int64_t left, std::int64_t n, truth found) {
        const std::size_t operand = found == truth::all ? 2 : 1;
        const std::int64_t stride = block_.stride[operand];
        const std::uint8_t *other = (operand == 1 ? at.src_0 : at.src_1) + n * stride;
        const std::int64_t bytes = std::min((left - n) * stride, bytes_asked_for);
        for (std::int64_t byte = 0; byte < bytes; byte += line)
            prefetch_at(other, byte);
    }

    /// n elements, or what is left of the row; returns how many.
    std::int64_t blend(row_rest<LaneBytes> &rest, std::int64_t n) {
        n = std::min(n, rest.left());
        const bool is_short = n < least_streamed_bytes / std::int64_t{LaneBytes};
        (is_short ? blend_short_ : blend_)(rest.at(), n);
        rest.advance(n);
        return n;
    }

    static constexpr std::int64_t most_unseen = 15;
    /// Shorter runs are blended, but for in place: reading a source here and there keeps the
    /// hardware from seeing what comes next.
    static constexpr std::int64_t least_run = 8 * stretch<LaneBytes>;
    static constexpr std::int64_t bytes_asked_for = 2048;

    const select_rows &block_;
    part_function blend_;
    part_function blend_short_;
    std::int64_t next_unseen_ =
            0;                ///< Stretches after a mixed one that are taken for mixed as well.
    std::int64_t unseen_ = 0; ///< Elements of the next row that still are.
};

} // namespace
} // namespace HWY_NAMESPACE
} // namespace tern::kernels
HWY_AFTER_NAMESPACE();

#endif
