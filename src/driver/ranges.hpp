// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_RANGES_HPP
#define TERN_DRIVER_RANGES_HPP

#include <algorithm>
#include <cstdint>
#include <exception>
#include <thread>
#include <vector>

namespace tern::driver {

/// Calls `work(begin, end)`, which must not throw, for ranges that make up [0, count), on threads
/// of its own: what the driver computes must not depend on the parallel loops of the library under
/// test. Small counts stay on the calling thread.
template <typename Work>
void in_ranges(std::int64_t count, Work work) {
    constexpr std::int64_t smallest_range = 1 << 15;
    const std::int64_t threads = std::clamp<std::int64_t>(count / smallest_range, 1,
            std::max<std::int64_t>(std::thread::hardware_concurrency(), 1));
    const std::int64_t range = (count + threads - 1) / std::max<std::int64_t>(threads, 1);
    std::vector<std::thread> running;
    std::int64_t begin = 0;
    try {
        running.reserve(static_cast<std::size_t>(threads));
        for (; begin + range < count; begin += range)
            running.emplace_back(work, begin, begin + range);
    } catch (const std::exception &) {
        // No more threads, or memory for them, to be had: the rest runs here.
    }
    if (begin < count) work(begin, count);
    for (std::thread &thread : running)
        thread.join();
}

} // namespace tern::driver

#endif
