// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_ENGINE_HPP
#define TERN_ENGINE_HPP

/// \file
/// Engines, streams and allocators: where partitions are compiled for, where they run, and who
/// provides memory. All are small handles that are cheap to copy.

#include <cstddef>

#include "tern/types.hpp"

namespace tern {

namespace runtime {
struct engine_state;
}

/// Allocates `size` bytes aligned to `alignment` (a power of two); null on failure. May be called
/// from any thread.
using host_allocate_f = void *(*)(std::size_t size, std::size_t alignment);
/// Frees what the allocate function of the same pair returned. May be called from any thread.
using host_deallocate_f = void (*)(void *ptr);

/// A pair of functions that gives memory and takes it back.
class TERN_API allocator {
public:
    /// The library's own pair: aligned to 64 bytes at least.
    allocator();
    /// When either is null the library's own pair is taken.
    allocator(host_allocate_f host_malloc, host_deallocate_f host_free);

private:
    friend class engine;
    host_allocate_f allocate_;
    host_deallocate_f deallocate_;
};

/// A device. Tern knows one: the CPU, index 0. Engines live as long as the process; a handle is a
/// pointer, and two engines made with the same arguments are the same engine.
class TERN_API engine {
public:
    enum class kind { any = 0, cpu = 1, gpu = 2 };

    /// An empty handle.
    engine() = default;
    /// Errors: invalid_arguments when there is no such device.
    engine(kind engine_kind, std::size_t index);
    /// As above; memory that the library allocates on this engine's behalf comes from `alloc`.
    engine(kind engine_kind, std::size_t index, const allocator &alloc);

    /// Errors: invalid_arguments on an empty handle.
    kind get_kind() const;
    /// Number of devices of a kind: 1 for cpu (and any), 0 for gpu.
    static std::size_t get_count(kind engine_kind);

    explicit operator bool() const noexcept { return state_ != nullptr; }
    bool operator==(const engine &other) const noexcept { return state_ == other.state_; }
    bool operator!=(const engine &other) const noexcept { return state_ != other.state_; }

    /// For the library's own use.
    const runtime::engine_state *state() const noexcept { return state_; }

private:
    const runtime::engine_state *state_ = nullptr;
};

/// A queue of work on an engine. On the CPU every execution is over when `execute` returns, so a
/// stream is only a name for its engine; several threads may use one.
class TERN_API stream {
public:
    enum class flags : unsigned { in_order = 1, out_of_order = 2, default_flags = in_order };

    /// An empty handle.
    stream() = default;
    /// Errors: invalid_arguments on an empty engine.
    explicit stream(const engine &stream_engine, flags stream_flags = flags::default_flags);

    engine get_engine() const { return engine_; }
    /// Returns at once: nothing is ever pending. Errors: invalid_arguments on an empty handle.
    stream &wait();

    explicit operator bool() const noexcept { return static_cast<bool>(engine_); }

private:
    engine engine_;
};

} // namespace tern

#endif
