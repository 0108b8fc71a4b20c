// SPDX-License-Identifier: Apache-2.0
// Threads of the limit kernels.
#pragma once

#include <immintrin.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace limit {

/// Keeps the calling thread on the i-th of the allowed cores: left to the scheduler, two threads
/// that spin and yield can end up sharing a core for as long as the program runs.
inline void pin(const cpu_set_t &allowed, int i) {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(cpu, &allowed) && i-- == 0) CPU_SET(cpu, &one);
    if (CPU_COUNT(&one) == 1) sched_setaffinity(0, sizeof one, &one); // 0: this thread
}

/// Threads that spin between calls: a call costs two cache line transfers, not two wake-ups.
class team {
public:
    team(int size, std::function<void(int)> work) : size_(size), work_(std::move(work)) {
        cpu_set_t allowed;
        CPU_ZERO(&allowed); // pins nothing, should the next line fail
        sched_getaffinity(0, sizeof allowed, &allowed);
        pin(allowed, 0);
        for (int i = 1; i < size; ++i)
            std::thread([this, allowed, i] {
                pin(allowed, i);
                serve(i);
            }).detach(); // until the process ends
    }

    void run() {
        left_.store(size_ - 1, std::memory_order_relaxed);
        round_.fetch_add(1, std::memory_order_release);
        work_(0);
        spin_until([this] { return left_.load(std::memory_order_acquire) == 0; });
    }

private:
    /// Gives the core away after a while, so that a team on a busy machine does not stand in its
    /// own way.
    template <typename Done>
    static void spin_until(Done done) {
        for (int spins = 0; !done(); ++spins) {
            if (spins < 4096)
                _mm_pause();
            else
                std::this_thread::yield();
        }
    }

    void serve(int i) {
        for (unsigned seen = 0;; ++seen) {
            spin_until([&] { return round_.load(std::memory_order_acquire) != seen; });
            work_(i);
            left_.fetch_sub(1, std::memory_order_release);
        }
    }

    const int size_;
    const std::function<void(int)> work_;
    alignas(64) std::atomic<unsigned> round_{0};
    alignas(64) std::atomic<int> left_{0};
};

/// Elements [0, n) in blocks, dealt out in one share per thread: a thread finds what it worked on
/// in the last call in its own cache. Who is done with its own share takes blocks from the others'.
class shares {
public:
    shares(int64_t lines, int threads)
        : lines_(lines),
          threads_(threads),
          blocks_(std::min<int64_t>(blocks_per_share, (lines / threads + 255) / 256)),
          taken_(threads) {}

    void begin() {
        for (counter &c : taken_)
            c.value.store(0, std::memory_order_relaxed);
    }

    /// Calls work(first line, last line) for what thread `i` gets.
    template <typename Work>
    void work_off(int i, Work work) {
        for (int offset = 0; offset < threads_; ++offset) {
            const int share = (i + offset) % threads_;
            for (int64_t block; (block = taken_[share].value.fetch_add(1)) < blocks_;)
                work(cut(share * blocks_ + block), cut(share * blocks_ + block + 1));
        }
    }

private:
    static constexpr int64_t blocks_per_share = 16;
    struct alignas(64) counter {
        std::atomic<int64_t> value{0};
    };

    int64_t cut(int64_t block) const { return lines_ * block / (blocks_ * threads_); }

    const int64_t lines_;
    const int threads_;
    const int64_t blocks_;
    std::vector<counter> taken_;
};

} // namespace limit
