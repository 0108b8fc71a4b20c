// SPDX-License-Identifier: Apache-2.0
#include "base/parallel.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#ifdef TERN_THREAD_SANITIZER
extern "C" {
void __tsan_acquire(void *address); // NOLINT(bugprone-reserved-identifier): the sanitizer's names
void __tsan_release(void *address); // NOLINT(bugprone-reserved-identifier)
}
#endif

namespace tern {
namespace {

/// The thread sanitizer does not see how a TBB that was not built for it orders threads, and would
/// report every block that a worker runs. This file is compiled without it, and says itself what
/// happens before what: what `give` was called after, before what is after `take`.
struct order_mark {
#ifdef TERN_THREAD_SANITIZER
    static void give(void *address) {
        __tsan_release(address);
    }
    static void take(void *address) {
        __tsan_acquire(address);
    }
#else
    static void give(void *) {}
    static void take(void *) {}
#endif
};

/// Blocks per thread: enough that a thread which is held up leaves most of its share to others.
constexpr std::int64_t blocks_per_thread = 16;
/// Blocks that what is worth a thread may be cut into: other threads come a microsecond or two
/// late, and what they find must be fine enough to be shared out then.
constexpr std::int64_t blocks_per_grain = 4;
/// Threads beyond these start in the share of another one.
constexpr std::int64_t most_shares = 64;

thread_local int depth = 0;

/// Evenly cuts [0, n) into `parts` parts: where part `index` begins.
std::int64_t cut(std::int64_t n, std::int64_t parts, std::int64_t index) {
    return n / parts * index + std::min(n % parts, index);
}

/// The blocks of one call. They are dealt out in shares, one per thread, so that a thread that
/// works on the same memory in call after call finds it in its own cache; who is done with its own
/// share takes from the others'. A thread takes a third of what a share still has, at once:
/// beginning costs a kernel some tenths of a microsecond, and only towards the end do small blocks
/// pay. Tasks only bring threads here: which of them run, and how many, does not matter, so nothing
/// is lost when one cannot be made.
class block_queue {
public:
    block_queue(std::int64_t n, std::int64_t blocks, std::int64_t shares,
            detail::block_function call, const void *work)
        : n_(n),
          blocks_(blocks),
          shares_(shares),
          call_(call),
          work_(work) {
        for (std::int64_t share = 0; share < shares; ++share)
            next(share).store(cut(blocks, shares, share), std::memory_order_relaxed);
    }

    /// Runs blocks until none is left to be taken.
    void take_all(std::int64_t first_share) noexcept {
        order_mark::take(this);
        ++depth;
        for (std::int64_t i = 0; i < shares_; ++i) {
            const std::int64_t share = (first_share + i) % shares_;
            const std::int64_t end = cut(blocks_, shares_, share + 1);
            std::int64_t first = 0, last = 0;
            while (take_third(next(share), end, first, last))
                call_(work_, cut(n_, blocks_, first), cut(n_, blocks_, last));
        }
        --depth;
        order_mark::give(this);
    }

private:
    struct alignas(64) counter {
        std::atomic<std::int64_t> value;
    };
    /// False when nothing is left before `end`. Else the caller's are blocks [first, last).
    static bool take_third(std::atomic<std::int64_t> &next, std::int64_t end, std::int64_t &first,
            std::int64_t &last) {
        first = next.load(std::memory_order_relaxed);
        do {
            if (first >= end) return false;
            last = first + (end - first + 2) / 3;
        } while (!next.compare_exchange_weak(first, last, std::memory_order_relaxed));
        return true;
    }
    std::atomic<std::int64_t> &next(std::int64_t share) {
        return next_[static_cast<std::size_t>(share)].value;
    }

    std::int64_t n_;
    std::int64_t blocks_;
    std::int64_t shares_;
    detail::block_function call_;
    const void *work_;
    std::array<counter, most_shares> next_; // By share: the block to be taken next.
};

void bring_threads(block_queue &queue, std::int64_t threads) {
    using context = tbb::task_group_context;
    // isolated: not cancelled with a group around it. fp_settings: takes the calling thread's modes
    // along.
    context own_group(context::isolated, context::default_traits | context::fp_settings);
    auto take_from = [&queue](const tbb::blocked_range<std::int64_t> &range) {
        int slot = tbb::this_task_arena::current_thread_index();
        queue.take_all(slot >= 0 ? slot : range.begin());
    };
    tbb::this_task_arena::isolate([&] {
        tbb::parallel_for(tbb::blocked_range<std::int64_t>(0, threads), take_from,
                tbb::simple_partitioner(), own_group);
    });
}

} // namespace

int max_concurrency() noexcept {
    return std::max(tbb::this_task_arena::max_concurrency(), 1);
}

bool in_parallel_work() noexcept {
    return depth > 0;
}

void detail::parallel_blocks(
        std::int64_t n, std::int64_t grain, block_function call, const void *work) noexcept {
    grain = std::max<std::int64_t>(grain, 1);
    std::int64_t threads = std::min<std::int64_t>(max_concurrency(), n / grain);
    if (threads == 1) {
        call(work, 0, n);
        return;
    }
    std::int64_t smallest = std::max<std::int64_t>(grain / blocks_per_grain, 1);
    std::int64_t blocks = std::min(n / smallest, threads * blocks_per_thread);
    block_queue queue(n, blocks, std::min(threads, most_shares), call, work);
    order_mark::give(&queue);
    try {
        bring_threads(queue, threads);
    } catch (...) {
        // Out of memory for a task. Those that were made are over by now; what they left is ours.
        queue.take_all(0);
    }
    order_mark::take(&queue);
}

} // namespace tern
