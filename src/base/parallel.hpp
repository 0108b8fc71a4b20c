// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_BASE_PARALLEL_HPP
#define TERN_BASE_PARALLEL_HPP

/// \file
/// Splitting work over threads. parallel.cpp is the only place that includes TBB.

#include <cstdint>
#include <type_traits>

namespace tern {

namespace detail {
/// Calls a function object behind a plain pointer, so that TBB stays out of this header.
using block_function = void (*)(const void *work, std::int64_t begin, std::int64_t end) noexcept;
void parallel_blocks(
        std::int64_t n, std::int64_t grain, block_function call, const void *work) noexcept;
} // namespace detail

/// Threads that may work at once in the arena of the calling thread, itself included; at least 1.
int max_concurrency() noexcept;

/// True on a thread that is in the middle of a block of a parallel_for that was split.
bool in_parallel_work() noexcept;

/// Calls `work(begin, end)` for blocks that cover [0, n) exactly once, on the calling thread and
/// those of its TBB arena, and returns when all of them are done.
///
/// - `grain` (at least 1) is what is worth a thread: there are no more threads than grains, and
///   fewer than two grains stay one block on the calling thread, without a call to TBB. Else
///   blocks are of a quarter of a grain or more. Which neighbours of those are one block, and which
///   thread takes it, differs from call to call.
/// - Blocks may run in any order and at the same time, and no block may wait for another one.
/// - The calling thread's rounding and FTZ/DAZ modes hold in every block.
/// - While it waits, the calling thread only takes blocks of this call: what the caller holds (a
///   lock, thread-local state) is never met again by unrelated work on the same thread. Calls may
///   be nested: an inner call shares the arena's threads.
/// - Cancelling a task group around the call does not keep blocks from running.
/// - `work` must not throw. When TBB cannot allocate its tasks, the blocks that no thread has taken
///   run on the calling thread.
template <typename Work>
void parallel_for(std::int64_t n, std::int64_t grain, const Work &work) noexcept {
    static_assert(std::is_nothrow_invocable_v<const Work &, std::int64_t, std::int64_t>,
            "the work of a kernel must not throw");
    if (n <= 0) return;
    if (n / 2 < grain) {
        work(std::int64_t{0}, n);
        return;
    }
    detail::parallel_blocks(
            n, grain,
            [](const void *erased, std::int64_t begin, std::int64_t end) noexcept {
                (*static_cast<const Work *>(erased))(begin, end);
            },
            &work);
}

} // namespace tern

#endif
