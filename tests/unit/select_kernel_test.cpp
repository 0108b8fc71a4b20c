// SPDX-License-Identifier: Apache-2.0
#include "kernels/select/select.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include "each_target.hpp"
#include "select_case.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tern {
namespace {

using namespace kernels;
using namespace tests;

void expect_reference_result(const select_form &form, placement place = {}, unsigned seed = 1) {
    select_case tested(form, seed);
    tested.place(place);
    tested.expect_reference_result();
}

TEST(select_kernel, rows_of_all_lengths) {
    for_each_target([] {
        for (int lane_bytes : all_lane_bytes)
            for (unsigned motion = 0; motion < motions; ++motion)
                for (std::int64_t n = 1; n <= 130; ++n)
                    ASSERT_NO_FATAL_FAILURE(expect_reference_result(
                            dense_form({n}, axes_of(motion, 1), lane_bytes)));
    });
}

TEST(select_kernel, touches_nothing_around_its_operands) {
    for_each_target([] {
        for (auto where : {placement::ends_at_guard, placement::begins_at_guard})
            for (int lane_bytes : all_lane_bytes)
                for (unsigned motion = 0; motion < motions; ++motion) {
                    for (std::int64_t n = 1; n <= 70; ++n)
                        ASSERT_NO_FATAL_FAILURE(expect_reference_result(
                                dense_form({n}, axes_of(motion, 1), lane_bytes), {where}));
                    for (std::int64_t n : {1, 2, 3, 5, 7, 15, 17, 33, 63})
                        for (std::int64_t rows : {2, 9, 100})
                            ASSERT_NO_FATAL_FAILURE(expect_reference_result(
                                    dense_form({rows, n}, axes_of(motion, 2, 1), lane_bytes),
                                    {where}));
                }
    });
}

// B16: the single element of a broadcast source, at the end of a page.
TEST(select_kernel, reads_one_element_of_a_broadcast_source) {
    for_each_target([] {
        for (int lane_bytes : all_lane_bytes)
            for (std::int64_t n : {1, 15, 17, 31, 33})
                for (unsigned axes : {0U, 1U, 2U, 3U})
                    ASSERT_NO_FATAL_FAILURE(
                            expect_reference_result(dense_form({2, 3, n}, {7, 7, axes}, lane_bytes),
                                    {placement::ends_at_guard}));
    });
}

TEST(select_kernel, pointers_need_no_alignment) {
    for_each_target([] {
        for (int lane_bytes : all_lane_bytes)
            for (std::size_t misalignment = 0; misalignment < 64; ++misalignment)
                for (std::int64_t n : {5, 64, 301})
                    ASSERT_NO_FATAL_FAILURE(
                            expect_reference_result(dense_form({3, n}, {3, 2, 3}, lane_bytes),
                                    {placement::anywhere, misalignment}));
    });
}

TEST(select_kernel, short_rows) {
    for_each_target([] {
        for (int lane_bytes : all_lane_bytes)
            for (std::int64_t n : {2, 3, 8, 31})
                for (std::int64_t rows : {7, 8, 100, 500})
                    for (unsigned cond = 0; cond < 4; ++cond)
                        for (unsigned src = 0; src < 4; ++src)
                            ASSERT_NO_FATAL_FAILURE(expect_reference_result(
                                    dense_form({rows, n}, {cond, src, 3 - src / 2}, lane_bytes)));
    });
}

TEST(select_kernel, short_rows_of_a_wider_source) {
    for (int lane_bytes : all_lane_bytes)
        for (std::int64_t n : {2, 3, 7}) {
            select_form form = dense_form({500, n}, {3, 3, 3}, lane_bytes);
            form.strides[select_src_0] = {n + 3, 1};
            form.strides[select_cond] = {n + 1, 1};
            ASSERT_NO_FATAL_FAILURE(expect_reference_result(form, {placement::ends_at_guard}));
        }
}

/// Strides of a random kind for a shape: permuted, with gaps, broadcast if `broadcasts`.
dims random_strides(const dims &shape, std::minstd_rand &random, bool broadcasts) {
    std::vector<int> order(static_cast<std::size_t>(shape.rank()));
    for (std::size_t i = 0; i < order.size(); ++i)
        order[i] = static_cast<int>(i);
    if (random() % 2 == 0) std::shuffle(order.begin(), order.end(), random);
    dims strides(shape.rank(), 1);
    std::int64_t stride = random() % 4 == 0 ? 2 + static_cast<std::int64_t>(random() % 3) : 1;
    for (std::size_t i = order.size(); i-- > 0;) {
        strides[order[i]] = stride;
        stride *= shape[order[i]];
        if (random() % 4 == 0) stride += static_cast<std::int64_t>(random() % 5);
        if (broadcasts && random() % 3 == 0) strides[order[i]] = 0;
    }
    return strides;
}

TEST(select_kernel, random_views) {
    for_each_target([] {
        std::minstd_rand random(7);
        for (unsigned i = 0; i < 4000; ++i) {
            select_form form{{}, {}, all_lane_bytes[random() % all_lane_bytes.size()]};
            auto rank = static_cast<int>(random() % 6);
            for (int axis = 0; axis < rank; ++axis)
                form.shape.push_back(1 + static_cast<std::int64_t>(random() % (rank > 3 ? 5 : 20)));
            for (std::size_t operand = 0; operand < 4; ++operand)
                form.strides[operand] = random_strides(form.shape, random, operand != select_dst);
            auto where = static_cast<placement::kind>(random() % 3);
            ASSERT_NO_FATAL_FAILURE(expect_reference_result(form, {where, random() % 64}, i));
        }
    });
}

TEST(select_kernel, takes_the_highest_rank) {
    dims shape(max_rank, 2);
    for (int lane_bytes : all_lane_bytes)
        ASSERT_NO_FATAL_FAILURE(
                expect_reference_result(dense_form(shape, {0x555, 0xfff, 0xaaa}, lane_bytes)));
}

// B28: operands with strides of their own; what lies between dst's elements stays.
TEST(select_kernel, strided_operands) {
    for (int lane_bytes : all_lane_bytes) {
        ASSERT_NO_FATAL_FAILURE(expect_reference_result(
                {{2, 3}, {dims{3, 1}, {1, 2}, {0, 0}, {3, 1}}, lane_bytes}));
        ASSERT_NO_FATAL_FAILURE(expect_reference_result(
                {{2, 3}, {dims{3, 1}, {1, 2}, {0, 0}, {7, 2}}, lane_bytes}));
        ASSERT_NO_FATAL_FAILURE(expect_reference_result(
                {{100, 120}, {dims{120, 1}, {1, 100}, {120, 1}, {250, 2}}, lane_bytes}));
        ASSERT_NO_FATAL_FAILURE(expect_reference_result({{40, 50, 3},
                {dims{150, 3, 1}, {50, 1, 2000}, {0, 0, 1}, {150, 3, 1}}, lane_bytes}));
    }
}

// B29: strides of size-1 axes say nothing.
TEST(select_kernel, ignores_strides_of_size_1_axes) {
    select_form form = {{1, 4, 4}, {dims{16, 4, 1}, {4, 4, 1}, {16, 4, 1}, {999, 4, 1}}, 4};
    select_case tested(form);
    tested.place();
    EXPECT_EQ(tested.loops().nest.extents, dims({16}));
    EXPECT_EQ(tested.loops().path, select_path::vector);
    tested.expect_reference_result();
}

TEST(select_kernel, interleaved_views) {
    for_each_target([] {
        for (int lane_bytes : all_lane_bytes) {
            auto bytes = static_cast<std::size_t>(lane_bytes);
            // Even elements are dst, odd ones src_0; then whole rows in turn.
            for (const dims &strides : {dims{2 * 37, 2}, dims{2 * 37, 1}}) {
                select_form form = {{30, 37}, {dims{37, 1}, strides, {0, 0}, strides}, lane_bytes};
                select_case tested(form);
                region *shared = tested.add_region(30 * 2 * 37 * bytes);
                tested.put(select_src_0, shared, strides[1] == 2 ? bytes : 37 * bytes);
                tested.put(select_dst, shared, 0);
                tested.place();
                ASSERT_NO_FATAL_FAILURE(tested.expect_reference_result());
            }
        }
    });
}

/// Stretches of equal conditions, as masks have, and places where they change.
void make_stretches(std::uint8_t *cond, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i)
        if (i / 200 % 3 != 2) cond[i] = i / 200 % 3 == 0 ? std::uint8_t{128} : std::uint8_t{0};
}

TEST(select_kernel, in_place) {
    for_each_target([] {
        for (int lane_bytes : all_lane_bytes)
            for (std::size_t shared : {select_src_0, select_src_1})
                for (std::int64_t n : {1, 2, 31, 33, 63, 64, 65, 127, 130, 1003})
                    for (unsigned axes = 0; axes < 16; ++axes) {
                        std::array<unsigned, 3> moving = {axes & 3, axes >> 2, axes >> 2};
                        moving[shared] = 3;
                        select_case tested(dense_form({4, n}, moving, lane_bytes));
                        tested.place();
                        tested.share_with_dst(shared);
                        make_stretches(tested.at(select_cond), tested.home(select_cond)->bytes());
                        ASSERT_NO_FATAL_FAILURE(tested.expect_reference_result());
                    }
    });
}

TEST(select_kernel, in_place_over_cond) {
    for_each_target([] {
        for (unsigned motion = 0; motion < 4; ++motion)
            for (std::int64_t n = 1; n <= 300; ++n) {
                select_case tested(dense_form({n}, {1, motion & 1, motion >> 1}, 1));
                tested.place();
                tested.share_with_dst(select_cond);
                ASSERT_NO_FATAL_FAILURE(tested.expect_reference_result());
            }
    });
}

TEST(select_kernel, in_place_of_a_strided_view) {
    dims strides = {100, 3};
    select_case tested({{20, 30}, {dims{30, 1}, strides, {0, 1}, strides}, 4});
    tested.place();
    tested.share_with_dst(select_src_0);
    tested.expect_reference_result();
}

TEST(select_kernel, streams_large_outputs) {
    for_each_target([] {
        for (int lane_bytes : all_lane_bytes)
            for (std::size_t misalignment : {0, 1, 16, 48})
                for (std::int64_t n : {3, 60, 128, 517, 2003})
                    for (unsigned motion = 0; motion < motions; ++motion) {
                        select_case tested(dense_form({9, n}, axes_of(motion, 2, 1), lane_bytes));
                        tested.place({placement::anywhere, misalignment});
                        select_loops loops = tested.loops();
                        EXPECT_FALSE(loops.is_far);
                        loops.is_far = true;
                        ASSERT_NO_FATAL_FAILURE(tested.expect_reference_result(loops));
                    }
    });
}

TEST(select_kernel, any_number_of_threads) {
    tbb::global_control more(tbb::global_control::max_allowed_parallelism, 8);
    const std::vector<dims> shapes = {{40003}, {3, 10007}, {5, 7, 11, 41}, {4001, 3}, {2, 3, 1021}};
    for (const dims &shape : shapes)
        for (int lane_bytes : {1, 4, 16}) {
            unsigned all = (1U << shape.rank()) - 1;
            for (std::array<unsigned, 3> axes :
                    {std::array{all, all, all}, {all & ~1U, 0U, all}, {1U, all, 0U}}) {
                select_case tested(dense_form(shape, axes, lane_bytes));
                tested.place();
                const auto wanted = tested.expected();
                select_loops loops = tested.loops();
                // Grains so small that this is split at all.
                loops.grain = std::max<std::int64_t>(loops.units / 40, 1);
                for (int threads : {1, 2, 3, 8})
                    tbb::task_arena(threads).execute([&] {
                        loops.is_far = threads == 3;
                        std::fill_n(tested.at(select_dst), tested.home(select_dst)->bytes(),
                                std::uint8_t{0x5a});
                        tested.run(loops);
                        ASSERT_TRUE(tested.contents() == wanted) << to_string(shape);
                    });
            }
        }
}

// Rows that are cut into parts, and as many blocks of them as there can be.
TEST(select_kernel, long_rows_are_cut) {
    for (int lane_bytes : all_lane_bytes)
        for (std::array<unsigned, 3> axes : {std::array{3U, 3U, 3U}, {1U, 0U, 3U}}) {
            select_case tested(dense_form({2, 300007 / lane_bytes}, axes, lane_bytes));
            tested.place();
            const auto wanted = tested.expected();
            select_loops loops = tested.loops();
            EXPECT_GT(loops.cuts, 1);
            EXPECT_EQ(loops.cut_n % 64, 0);
            loops.grain = 1;
            tested.run(loops);
            EXPECT_TRUE(tested.contents() == wanted) << lane_bytes;
        }
}

// B39, B41: a condition byte is true unless it is 0.
TEST(select_kernel, every_cond_byte_but_0_is_true) {
    for_each_target([] {
        for (int lane_bytes : all_lane_bytes)
            for (unsigned axes : {3U, 1U}) {
                select_case tested(dense_form({256, 71}, {axes, 3, 3}, lane_bytes));
                tested.place();
                for (std::size_t i = 0; i < tested.home(select_cond)->bytes(); ++i)
                    tested.at(select_cond)[i] = static_cast<std::uint8_t>(i);
                ASSERT_NO_FATAL_FAILURE(tested.expect_reference_result());
            }
    });
}

// B32, B35, B36: bits are copied, whatever they mean.
TEST(select_kernel, copies_bits_whatever_the_modes) {
#if defined(__SSE2__)
    unsigned before = _mm_getcsr();
    _mm_setcsr(before | 0x8040U); // FTZ and DAZ
#endif
    const std::array<std::uint32_t, 8> f32 = {0x80000000, 0x00000001, 0x80000001, 0x7f810000,
            0xffbfffff, 0x7fc00001, 0x7f800000, 0x007fffff};
    const std::array<std::uint64_t, 4> f64 = {
            0x8000000000000000, 0x0000000000000001, 0xfff0000000000001, 0x000fffffffffffff};
    for_each_target([&] {
        for (int lane_bytes : {2, 4, 8, 16})
            for (unsigned axes : {0U, 1U}) {
                select_case tested(dense_form({64}, {1, 1, axes}, lane_bytes));
                tested.place();
                for (std::size_t operand : {select_src_0, select_src_1})
                    for (std::size_t i = 0; i + 8 <= tested.home(operand)->bytes(); i += 8) {
                        if (lane_bytes >= 8)
                            std::memcpy(tested.at(operand) + i, &f64[i / 8 % f64.size()], 8);
                        else
                            std::memcpy(tested.at(operand) + i, &f32[i / 4 % f32.size()], 8);
                    }
                ASSERT_NO_FATAL_FAILURE(tested.expect_reference_result());
            }
    });
#if defined(__SSE2__)
    _mm_setcsr(before);
#endif
}

TEST(select_kernel, names_its_target) {
    std::set<std::string> names;
    for_each_target([&] { names.insert(std::string(select_target())); });
    for (const std::string &name : names) {
        EXPECT_FALSE(name.empty());
        EXPECT_TRUE(std::all_of(name.begin(), name.end(), [](char c) {
            return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
        })) << name;
    }
    EXPECT_TRUE(names.count(std::string(select_target())) == 1);
}

} // namespace
} // namespace tern
