// SPDX-License-Identifier: Apache-2.0
//
// Conditions that agree in runs, as masks have them: the operand that is not chosen is not read
// there, and in place nothing is written that stays.
#include <algorithm>
#include <random>

#include <gtest/gtest.h>

#include "each_target.hpp"
#include "select_case.hpp"

namespace tern {
namespace {

using namespace kernels;
using namespace tests;

using lengths = std::vector<std::size_t>;

/// Runs of true and false in turn, with lengths out of a list.
void make_runs(std::uint8_t *cond, std::size_t n, const lengths &choice, unsigned seed) {
    std::minstd_rand random(seed);
    bool truth = random() % 2 == 0;
    for (std::size_t at = 0; at < n; truth = !truth) {
        std::size_t length = std::min(choice[random() % choice.size()], n - at);
        for (std::size_t i = 0; i < length; ++i, ++at)
            cond[at] = truth ? static_cast<std::uint8_t>(1 + random() % 255) : std::uint8_t{0};
    }
}

/// Around the length that is looked at at once, in and out of step with it, and far beyond.
const std::vector<lengths> run_lengths = {{64}, {128, 256}, {512, 1024}, {63, 64, 65}, {1, 300},
        {255, 256, 257, 1}, {5000}, {1000000}};

TEST(select_masks, runs) {
    for_each_target([] {
        for (int lane_bytes : all_lane_bytes)
            for (unsigned motion = 1; motion < motions; motion += 2) // cond moves
                for (std::int64_t n : {255, 256, 300, 1024, 5003})
                    for (const lengths &choice : run_lengths)
                        for (bool is_far : {false, true}) {
                            select_case tested(
                                    dense_form({3, n}, axes_of(motion, 2, 1), lane_bytes));
                            tested.place();
                            make_runs(tested.at(select_cond), tested.home(select_cond)->bytes(),
                                    choice, static_cast<unsigned>(n));
                            select_loops loops = tested.loops();
                            loops.is_far = is_far;
                            ASSERT_NO_FATAL_FAILURE(tested.expect_reference_result(loops));
                        }
    });
}

TEST(select_masks, runs_at_any_alignment) {
    for_each_target([] {
        for (int lane_bytes : all_lane_bytes)
            for (std::size_t misalignment = 0; misalignment < 64; ++misalignment)
                for (bool is_far : {false, true}) {
                    select_case tested(dense_form({2, 1501}, {3, 3, 3}, lane_bytes));
                    tested.place({placement::anywhere, misalignment});
                    make_runs(tested.at(select_cond), tested.home(select_cond)->bytes(),
                            {64, 200, 700}, 1);
                    select_loops loops = tested.loops();
                    loops.is_far = is_far;
                    ASSERT_NO_FATAL_FAILURE(tested.expect_reference_result(loops));
                }
    });
}

TEST(select_masks, runs_in_place) {
    for_each_target([] {
        for (int lane_bytes : all_lane_bytes)
            for (std::size_t shared : {select_src_0, select_src_1})
                for (const lengths &choice : run_lengths)
                    for (unsigned other : {0U, 1U, 3U}) {
                        std::array<unsigned, 3> axes = {3, other, other};
                        axes[shared] = 3;
                        select_case tested(dense_form({3, 2500}, axes, lane_bytes));
                        tested.place();
                        tested.share_with_dst(shared);
                        make_runs(tested.at(select_cond), tested.home(select_cond)->bytes(), choice,
                                2);
                        ASSERT_NO_FATAL_FAILURE(tested.expect_reference_result());
                    }
    });
}

TEST(select_masks, runs_in_place_over_cond) {
    for_each_target([] {
        for (const lengths &choice : run_lengths)
            for (bool is_far : {false, true})
                for (bool all_in_one : {false, true})
                    for (std::int64_t n : {2500, 9001}) {
                        select_case tested(dense_form({n}, {1, 1, 1}, 1));
                        tested.place();
                        make_runs(tested.at(select_cond), tested.home(select_cond)->bytes(), choice,
                                3);
                        if (all_in_one)
                            for (std::size_t source : {select_src_0, select_src_1})
                                tested.share(source, select_cond);
                        tested.share_with_dst(select_cond);
                        select_loops loops = tested.loops();
                        loops.is_far = is_far;
                        ASSERT_NO_FATAL_FAILURE(tested.expect_reference_result(loops));
                    }
    });
}

/// Memory that may not be touched from `begin` to `end`, while it lives; as far as whole pages go.
class forbidden {
public:
    forbidden(std::uint8_t *begin, std::uint8_t *end, int allowed) {
        auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
        auto first = (reinterpret_cast<std::uintptr_t>(begin) + page - 1) / page * page;
        auto last = reinterpret_cast<std::uintptr_t>(end) / page * page;
        first_ = reinterpret_cast<void *>(first);
        bytes_ = last - first;
        EXPECT_GT(bytes_, 0u);
        EXPECT_EQ(mprotect(first_, bytes_, allowed), 0);
    }
    forbidden(const forbidden &) = delete;
    forbidden &operator=(const forbidden &) = delete;
    ~forbidden() { mprotect(first_, bytes_, PROT_READ | PROT_WRITE); }

private:
    void *first_;
    std::size_t bytes_;
};

// Reading what is not chosen would end the process here.
TEST(select_masks, what_is_not_chosen_is_not_read) {
    for_each_target([] {
        for (int lane_bytes : all_lane_bytes)
            for (std::uint8_t truth : {0, 1})
                for (bool is_far : {false, true}) {
                    constexpr std::int64_t n = 40000;
                    select_case tested(dense_form({n}, {1, 1, 1}, lane_bytes));
                    tested.place({placement::ends_at_guard});
                    std::fill_n(tested.at(select_cond), n, truth);
                    auto wanted = tested.expected();
                    select_loops loops = tested.loops();
                    loops.is_far = is_far;
                    loops.grain = loops.units; // parts of a row end with incomplete stretches, too
                    std::size_t unused = truth != 0 ? select_src_1 : select_src_0;
                    // The last, incomplete stretch is read.
                    auto bytes = static_cast<std::ptrdiff_t>(n * lane_bytes);
                    {
                        forbidden unread(
                                tested.at(unused), tested.at(unused) + bytes - 8192, PROT_NONE);
                        tested.run(loops);
                    }
                    EXPECT_TRUE(tested.contents() == wanted) << lane_bytes;
                }
    });
}

// Nor may a stretch be written that stays as a whole, in place.
TEST(select_masks, what_stays_is_not_written) {
    for_each_target([] {
        for (int lane_bytes : all_lane_bytes)
            for (std::size_t shared : {select_src_0, select_src_1}) {
                constexpr std::int64_t n = 40000;
                select_case tested(dense_form({n}, {1, 1, 1}, lane_bytes));
                tested.place({placement::ends_at_guard});
                tested.share_with_dst(shared);
                std::fill_n(tested.at(select_cond), n,
                        static_cast<std::uint8_t>(shared == select_src_0));
                auto wanted = tested.expected();
                select_loops loops = tested.loops();
                loops.grain = loops.units;
                auto bytes = static_cast<std::ptrdiff_t>(n * lane_bytes);
                {
                    forbidden unwritten(
                            tested.at(shared), tested.at(shared) + bytes - 8192, PROT_READ);
                    tested.run(loops);
                }
                EXPECT_TRUE(tested.contents() == wanted) << lane_bytes;
            }
    });
}

} // namespace
} // namespace tern
