// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include "base/cpu.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace tern {
namespace {

using block = std::pair<std::int64_t, std::int64_t>;

std::vector<block> blocks_of(std::int64_t n, std::int64_t grain) {
    std::mutex guard;
    std::vector<block> blocks;
    parallel_for(n, grain, [&](std::int64_t begin, std::int64_t end) noexcept {
        std::lock_guard lock(guard);
        blocks.emplace_back(begin, end);
    });
    std::sort(blocks.begin(), blocks.end());
    return blocks;
}

/// Lets the test see more threads than this machine may have cores.
class parallel : public testing::Test {
    tbb::global_control threads_{tbb::global_control::max_allowed_parallelism, 8};
};

TEST_F(parallel, covers_the_range_once_in_blocks_of_a_quarter_grain_or_more) {
    for (int threads : {1, 2, 3, 8})
        tbb::task_arena(threads).execute([&] {
            for (std::int64_t n : {0, 1, 2, 3, 7, 64, 100, 999, 100003})
                for (std::int64_t grain : {1, 2, 3, 10, 64, 1000}) {
                    std::vector<block> blocks = blocks_of(n, grain);
                    std::int64_t covered = 0;
                    for (auto [begin, end] : blocks) {
                        ASSERT_EQ(begin, covered);
                        ASSERT_GE(end - begin, blocks.size() > 1 ? grain / 4 : 0);
                        covered = end;
                    }
                    ASSERT_EQ(covered, n);
                }
        });
}

TEST_F(parallel, no_block_is_much_more_than_a_third_of_a_thread_s_share) {
    for (int threads : {2, 3, 8})
        tbb::task_arena(threads).execute([&] {
            for (auto [begin, end] : blocks_of(32000, 1))
                ASSERT_LE(end - begin, 32000 * 2 / 5 / threads) << threads;
        });
}

TEST_F(parallel, takes_any_range_that_fits) {
    constexpr std::int64_t n = INT64_MAX;
    std::vector<block> blocks = blocks_of(n, n / 1000);
    EXPECT_EQ(blocks.front().first, 0);
    EXPECT_EQ(blocks.back().second, n);
}

TEST_F(parallel, small_work_stays_on_the_calling_thread) {
    std::thread::id caller = std::this_thread::get_id();
    for (std::int64_t n = 1; n < 20; ++n) {
        int calls = 0;
        parallel_for(n, 10, [&](std::int64_t begin, std::int64_t end) noexcept {
            ++calls;
            EXPECT_EQ(begin, 0);
            EXPECT_EQ(end, n);
            EXPECT_EQ(std::this_thread::get_id(), caller);
            EXPECT_FALSE(in_parallel_work());
        });
        EXPECT_EQ(calls, 1);
    }
}

TEST_F(parallel, uses_the_threads_of_the_arena) {
    for (int threads : {1, 2, 3, 8})
        tbb::task_arena(threads).execute([&] {
            EXPECT_EQ(max_concurrency(), threads);
            std::atomic<int> inside{0};
            std::atomic<int> most{0};
            parallel_for(1000, 1, [&](std::int64_t, std::int64_t) noexcept {
                EXPECT_EQ(in_parallel_work(), threads > 1);
                int now = ++inside;
                for (int seen = most; seen < now && !most.compare_exchange_weak(seen, now);) {
                }
                std::this_thread::sleep_for(std::chrono::microseconds(50));
                --inside;
            });
            EXPECT_LE(most, threads);
            EXPECT_FALSE(in_parallel_work());
        });
}

TEST_F(parallel, calls_may_be_nested) {
    for (int threads : {1, 2, 8})
        tbb::task_arena(threads).execute([&] {
            std::atomic<std::int64_t> sum{0};
            parallel_for(50, 1, [&](std::int64_t begin, std::int64_t end) noexcept {
                for (std::int64_t i = begin; i < end; ++i)
                    parallel_for(40, 1, [&](std::int64_t from, std::int64_t to) noexcept {
                        for (std::int64_t j = from; j < to; ++j)
                            parallel_for(30, 1,
                                    [&](std::int64_t a, std::int64_t b) noexcept { sum += b - a; });
                    });
            });
            EXPECT_EQ(sum, 50 * 40 * 30);
        });
}

TEST_F(parallel, a_waiting_thread_takes_no_other_work) {
    static thread_local bool inside = false;
    std::atomic<int> reentered{0};
    tbb::task_arena(4).execute([&] {
        // Work of the host around ours, some of it waiting in the queue of this very thread.
        tbb::parallel_for(0, 400, [&](int) {
            if (inside) ++reentered;
            inside = true;
            parallel_for(64, 1, [](std::int64_t, std::int64_t) noexcept {
                std::this_thread::sleep_for(std::chrono::microseconds(5));
            });
            inside = false;
        });
    });
    EXPECT_EQ(reentered, 0);
}

TEST_F(parallel, runs_to_the_end_in_a_cancelled_group) {
    std::atomic<std::int64_t> done{0};
    tbb::task_group_context host;
    tbb::task_arena(4).execute([&] {
        tbb::parallel_for(
                0, 1,
                [&](int) {
                    host.cancel_group_execution();
                    parallel_for(1000, 1, [&](std::int64_t begin, std::int64_t end) noexcept {
                        done += end - begin;
                    });
                },
                host);
    });
    EXPECT_EQ(done, 1000);
}

TEST_F(parallel, any_number_of_threads_may_call) {
    std::atomic<std::int64_t> sum{0};
    std::vector<std::thread> callers;
    for (int caller = 0; caller < 6; ++caller)
        callers.emplace_back([&] {
            for (int i = 0; i < 200; ++i)
                parallel_for(100, 1,
                        [&](std::int64_t begin, std::int64_t end) noexcept { sum += end - begin; });
        });
    for (std::thread &caller : callers)
        caller.join();
    EXPECT_EQ(sum, 6 * 200 * 100);
}

TEST_F(parallel, blocks_run_in_the_rounding_mode_of_the_caller) {
    tbb::task_arena(8).execute([&] {
        for (int mode : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
            std::fesetround(mode);
            std::atomic<int> others{0};
            parallel_for(200, 1, [&](std::int64_t, std::int64_t) noexcept {
                if (std::fegetround() != mode) ++others;
                std::this_thread::sleep_for(std::chrono::microseconds(20));
            });
            EXPECT_EQ(others, 0);
            EXPECT_EQ(std::fegetround(), mode);
        }
        std::fesetround(FE_TONEAREST);
    });
}

#if defined(__SSE2__)
TEST_F(parallel, blocks_flush_denormals_when_the_caller_does) {
    constexpr unsigned flush_and_zero = 0x8040; // FTZ and DAZ
    unsigned before = _mm_getcsr();
    tbb::task_arena(8).execute([&] {
        for (unsigned mode : {0x0U, 0x8000U, 0x0040U, 0x8040U, 0x0U}) {
            _mm_setcsr((before & ~flush_and_zero) | mode);
            std::atomic<int> others{0};
            parallel_for(200, 1, [&](std::int64_t, std::int64_t) noexcept {
                if ((_mm_getcsr() & flush_and_zero) != mode) ++others;
                std::this_thread::sleep_for(std::chrono::microseconds(20));
            });
            EXPECT_EQ(others, 0);
        }
    });
    _mm_setcsr(before);
}
#endif

TEST(cpu, knows_its_caches) {
    const cache_sizes &caches = cpu_caches();
    EXPECT_GE(caches.l1_data, 4096U);
    EXPECT_GE(caches.l2, caches.l1_data);
    EXPECT_GE(caches.last_level, caches.l2);
    EXPECT_EQ(&caches, &cpu_caches());
}

} // namespace
} // namespace tern
