// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_RUNTIME_CONSTANT_CACHE_HPP
#define TERN_RUNTIME_CONSTANT_CACHE_HPP

/// \file
/// What follows from constants only, kept from one execution to the next.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/engine_state.hpp"

namespace tern::runtime {

class constant_entries;
struct constant_block;

/// Bounds what all compiled partitions keep together; what was not used for longest makes room.
/// Thread-safe. Memory comes from the engines' allocators, which are called without its lock.
class constant_cache {
public:
    explicit constant_cache(std::size_t capacity_bytes) : capacity_(capacity_bytes) {}

    std::size_t capacity() const { return capacity_.load(std::memory_order_relaxed); }
    /// Lets everything go; what executions are using, when they are done.
    void set_capacity(std::size_t bytes);
    /// Of all blocks there are, with what they need beyond their content.
    std::size_t used() const { return used_.load(std::memory_order_relaxed); }

private:
    friend class constant_entries;
    friend class constant_use;

    std::mutex mutex_;
    std::atomic<std::size_t> capacity_;
    std::atomic<std::size_t> used_{0};
    std::atomic<std::uint64_t> clock_{0}; ///< Counts uses.
    std::list<constant_entries *> owners_;
};

/// One execution's hold on an entry, which stays while it lives. Empty: the execution does without.
class constant_use {
public:
    constant_use() = default;
    constant_use(constant_use &&other) noexcept;
    constant_use &operator=(constant_use &&) = delete;
    ~constant_use();

    /// The block, aligned to 64 bytes; null: there is none.
    std::byte *data() const;
    /// The block has no content yet, and this execution is to give it one.
    bool is_first() const { return is_first_; }
    /// Offers the content to other executions.
    void publish() noexcept;

private:
    friend class constant_entries;
    struct entry;
    constant_use(constant_entries &owner, entry &held, bool is_first)
        : owner_(&owner),
          held_(&held),
          is_first_(is_first) {}

    constant_entries *owner_ = nullptr;
    entry *held_ = nullptr;
    bool is_first_ = false;
};

/// The entries of one compiled partition, by the addresses of its constants. No other one uses
/// them: the same address may mean other weights there. They go when this is destroyed, which no
/// execution may be using then.
class constant_entries {
public:
    /// `ports`: inputs whose addresses tell entries apart. `bytes`: of a block.
    constant_entries(constant_cache &cache, const engine_state &engine,
            std::vector<std::size_t> ports, std::size_t bytes);
    ~constant_entries();
    constant_entries(const constant_entries &) = delete;
    constant_entries &operator=(const constant_entries &) = delete;

    /// The entry for the constants of a call (pointers by port). Where there is none, one is begun;
    /// unless another execution is at that, the capacity is too small, or there is no memory: then
    /// nothing. Free of locks and allocations when the entry is there or the cache is off.
    constant_use find(const void *const *in) noexcept;

private:
    friend class constant_cache;
    friend class constant_use;
    using entry = constant_use::entry;

    std::size_t hash(const void *const *in) const;
    bool matches(const entry &e, const void *const *in) const;
    constant_use begin(const void *const *in, std::size_t hash);
    entry *claim(const void *const *in, std::size_t hash, constant_block *&dropped);
    bool make_room(constant_block *&dropped);
    void release(entry &e) noexcept;

    constant_cache &cache_;
    const engine_state &engine_;
    const std::vector<std::size_t> ports_;
    const std::size_t bytes_; ///< Of a block, with all it needs.
    std::atomic<entry *> first_{nullptr};
    std::list<constant_entries *>::iterator self_;
};

/// The process's. Its capacity is the environment's, until it is set.
constant_cache &the_constant_cache();

} // namespace tern::runtime

#endif
