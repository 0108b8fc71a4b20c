// SPDX-License-Identifier: Apache-2.0
#include "runtime/engine_state.hpp"

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <mutex>

#include "base/arithmetic.hpp"

namespace tern::runtime {

const engine_state *intern_engine(const engine_state &wanted) {
    // Never destroyed: handles in static objects of the host stay good to the very end.
    static auto *mutex = new std::mutex;
    static auto *known = new std::deque<engine_state>;
    std::lock_guard lock(*mutex);
    auto found = std::find_if(known->begin(), known->end(), [&](const engine_state &state) {
        return state.kind == wanted.kind && state.index == wanted.index
               && state.allocate == wanted.allocate && state.deallocate == wanted.deallocate;
    });
    return found != known->end() ? &*found : &known->emplace_back(wanted);
}

void *default_allocate(std::size_t size, std::size_t alignment) noexcept {
    alignment = std::max<std::size_t>(alignment, 64);
    if (size > SIZE_MAX - alignment) return nullptr;
    // aligned_alloc wants a size that is a multiple of the alignment
    return std::aligned_alloc(alignment, round_up(size, alignment));
}

void default_deallocate(void *ptr) noexcept {
    std::free(ptr);
}

} // namespace tern::runtime
