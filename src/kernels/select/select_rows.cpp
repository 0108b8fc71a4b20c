// SPDX-License-Identifier: Apache-2.0

// Blends gain nothing from what comes after AVX3 (better targets have lower bits), nor from SSSE3
// where there is SSE4. Fewer targets compile faster.
#define HWY_DISABLED_TARGETS (HWY_SSSE3 | (HWY_AVX3 - 1))
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/select/select_rows.cpp"
#include <hwy/foreach_target.h>

#include <bit>
#include <cstdint>

#include "kernels/select/row-inl.hpp"
#include "kernels/select/runs-inl.hpp"
#include "kernels/select/select_rows.hpp"
#include "kernels/target_name.hpp"

HWY_BEFORE_NAMESPACE();
namespace tern::kernels {
namespace HWY_NAMESPACE {
namespace {

/// One condition per row.
template <std::size_t LaneBytes, memory Memory>
void choose_rows(const select_rows &block) noexcept {
    if (Memory != memory::cached && block.n < least_streamed_bytes / std::int64_t{LaneBytes})
        return choose_rows<LaneBytes, memory::cached>(block);
    for (std::int64_t r = 0; r < block.rows; ++r) {
        const bool all = block.cond[r * block.step[0]] != 0;
        const std::uint8_t *chosen =
                all ? block.src_0 + r * block.step[1] : block.src_1 + r * block.step[2];
        std::uint8_t *dst = block.dst + r * block.step[3];
        if (block.stride[all ? 1 : 2] == 0)
            fill_row<LaneBytes, Memory == memory::streamed>(chosen, dst, block.n);
        else if (chosen != dst) // else it stays in place
            copy_part<Memory == memory::streamed>(chosen, dst, block.n * std::int64_t{LaneBytes});
    }
}

template <std::size_t LaneBytes, bool Moves>
using source = std::conditional_t<Moves, moving<LaneBytes>, constant<LaneBytes>>;

template <std::size_t LaneBytes, bool Stream, bool Moves0, bool Moves1>
HWY_NOINLINE void blend_part(const row_pointers &at, std::int64_t n) {
    const blended_row<LaneBytes, source<LaneBytes, Moves0>, source<LaneBytes, Moves1>> row = {
            at.cond, source<LaneBytes, Moves0>(at.src_0), source<LaneBytes, Moves1>(at.src_1)};
    store_row<Stream>(row, at.dst, static_cast<std::size_t>(n) * lanes_of_element<LaneBytes>);
}

/// A condition per element.
template <std::size_t LaneBytes, memory Memory, bool Moves0, bool Moves1>
void blend_rows(const select_rows &block) noexcept {
    constexpr auto short_part = blend_part<LaneBytes, false, Moves0, Moves1>;
    constexpr auto part = blend_part<LaneBytes, Memory == memory::streamed, Moves0, Moves1>;
    if (block.n >= least_walked) return run_walk<LaneBytes, Memory>(block, part, short_part).run();
    if (Memory != memory::cached && block.n >= least_streamed_bytes / std::int64_t{LaneBytes}) {
        for (std::int64_t r = 0; r < block.rows; ++r)
            part(row_of(block, r), block.n);
        return;
    }
    for (std::int64_t r = 0; r < block.rows; ++r)
        short_part(row_of(block, r), block.n);
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

template <std::size_t LaneBytes, memory Memory>
constexpr void enter_rows(vector_loops &loops, std::size_t index) {
    constexpr auto at = static_cast<std::size_t>(Memory);
    loops.choose[index][at] = choose_rows<LaneBytes, Memory>;
    loops.blend[index][at][0] = blend_rows<LaneBytes, Memory, false, false>;
    loops.blend[index][at][1] = blend_rows<LaneBytes, Memory, true, false>;
    loops.blend[index][at][2] = blend_rows<LaneBytes, Memory, false, true>;
    loops.blend[index][at][3] = blend_rows<LaneBytes, Memory, true, true>;
}

template <std::size_t LaneBytes>
constexpr void enter_lanes(vector_loops &loops, std::size_t index) {
    enter_rows<LaneBytes, memory::cached>(loops, index);
    enter_rows<LaneBytes, memory::far>(loops, index);
    enter_rows<LaneBytes, memory::streamed>(loops, index);
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

constexpr auto target_name = make_target_name(HWY_STR(HWY_NAMESPACE));

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
