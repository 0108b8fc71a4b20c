// SPDX-License-Identifier: Apache-2.0
#include "base/cpu.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace tern {
namespace {

/// One line of one of the files in which Linux describes a cache; false when there is none.
bool read_line(int cache, const char *what, char (&line)[32]) {
    char path[96];
    std::snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/%s", cache, what);
    std::FILE *file = std::fopen(path, "r");
    if (!file) return false;
    bool read = std::fgets(line, sizeof line, file) != nullptr;
    std::fclose(file);
    return read;
}

/// "32768K" to bytes; 0 when it is no size.
std::size_t parse_size(const char *text) {
    unsigned long long number = 0;
    char unit = 0;
    if (std::sscanf(text, "%llu%c", &number, &unit) < 1) return 0;
    unsigned shift = unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0;
    return static_cast<std::size_t>(number) << shift;
}

/// The kernel's files rather than sysconf(): where only some of a host's cores are given to a
/// virtual machine, sysconf() reports the last-level cache of all of them.
cache_sizes find_caches() {
    cache_sizes found = {0, 0, 0};
    char line[32];
    constexpr int most_caches = 8;
    for (int cache = 0; cache < most_caches; ++cache) {
        if (!read_line(cache, "type", line)) break;
        if (std::strncmp(line, "Instruction", 11) == 0) continue;
        if (!read_line(cache, "size", line)) continue;
        std::size_t size = parse_size(line);
        if (!read_line(cache, "level", line)) continue;
        if (line[0] == '1') found.l1_data = size;
        if (line[0] == '2') found.l2 = size;
        found.last_level = std::max(found.last_level, size);
    }
    if (found.l1_data == 0) found.l1_data = std::size_t{32} << 10;
    if (found.l2 == 0) found.l2 = std::size_t{512} << 10;
    if (found.last_level == 0) found.last_level = std::size_t{8} << 20;
    return found;
}

} // namespace

const cache_sizes &cpu_caches() noexcept {
    static const cache_sizes caches = find_caches();
    return caches;
}

memory_level level_with_room(double bytes) noexcept {
    const cache_sizes &caches = cpu_caches();
    if (bytes <= static_cast<double>(caches.l2)) return memory_level::l2;
    return bytes <= static_cast<double>(caches.last_level) ? memory_level::last_cache
                                                           : memory_level::main;
}

} // namespace tern
