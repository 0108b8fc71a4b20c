// SPDX-License-Identifier: Apache-2.0
#include "driver/ram.hpp"

#include <algorithm>
#include <fstream>

#include <unistd.h>

namespace tern::driver {
namespace {

/// The limit of control group v2 or v1; all ones when there is none.
std::uint64_t control_group_limit() {
    for (const char *path :
            {"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}) {
        std::ifstream file(path);
        std::uint64_t limit = 0;
        // "max" does not read as a number.
        if (file >> limit) return limit;
    }
    return UINT64_MAX;
}

} // namespace

std::uint64_t usable_ram() {
    long pages = sysconf(_SC_PHYS_PAGES);
    long page_bytes = sysconf(_SC_PAGE_SIZE);
    std::uint64_t physical = UINT64_MAX;
    if (pages > 0 && page_bytes > 0)
        physical = static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
    return std::min(physical, control_group_limit());
}

void ram_estimate::add(std::uint64_t bytes) {
    if (__builtin_add_overflow(bytes_, bytes, &bytes_)) bytes_ = UINT64_MAX;
}

bool ram_estimate::fits() const {
    return bytes_ <= usable_ram() / 4 * 3;
}

} // namespace tern::driver
