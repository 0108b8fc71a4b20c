// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_RUNTIME_ENGINE_STATE_HPP
#define TERN_RUNTIME_ENGINE_STATE_HPP

#include <cstddef>

#include "tern/engine.hpp"

namespace tern::runtime {

/// What an engine handle points to. Interned: one per distinct argument list, alive until the
/// process ends, so that handles compare by address and never dangle.
struct engine_state {
    engine::kind kind;
    std::size_t index;
    host_allocate_f allocate;
    host_deallocate_f deallocate;
};

const engine_state *intern_engine(const engine_state &wanted);

/// The library's own pair of functions: aligned to 64 bytes or more, null when there is no memory.
void *default_allocate(std::size_t size, std::size_t alignment) noexcept;
void default_deallocate(void *ptr) noexcept;

} // namespace tern::runtime

#endif
