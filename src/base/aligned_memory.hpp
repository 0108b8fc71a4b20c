// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_BASE_ALIGNED_MEMORY_HPP
#define TERN_BASE_ALIGNED_MEMORY_HPP

#include <cstddef>
#include <memory>
#include <new>
#include <string_view>

#include "base/error.hpp"

namespace tern {

/// Memory for elements of any type, on a cache line's boundary, not initialised; null for 0 bytes.
/// Errors: out_of_memory, naming `what`.
inline std::shared_ptr<std::byte> allocate_aligned(std::size_t bytes, std::string_view what) {
    constexpr std::align_val_t alignment{64};
    if (bytes == 0) return nullptr;
    void *memory = ::operator new(bytes, alignment, std::nothrow);
    if (memory == nullptr) fail(status::out_of_memory, "{}: {} bytes cannot be had", what, bytes);
    return {static_cast<std::byte *>(memory),
            [](std::byte *data) { ::operator delete(data, alignment); }};
}

} // namespace tern

#endif
