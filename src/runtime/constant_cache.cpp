// SPDX-License-Identifier: Apache-2.0
#include "runtime/constant_cache.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "runtime/environment.hpp"

namespace tern::runtime {

/// Lies at the beginning of its own memory, one alignment before the content.
struct constant_block {
    void *allocation;
    const engine_state *engine;
    constant_block *next; ///< Among those that are to be freed.
};

namespace {

constexpr std::size_t alignment = 64;
static_assert(sizeof(constant_block) <= alignment);

constant_block *allocate(const engine_state &engine, std::size_t bytes) {
    void *memory = engine.allocate(bytes, alignment);
    if (!memory) return nullptr;
    const auto address = reinterpret_cast<std::uintptr_t>(memory);
    char *aligned = static_cast<char *>(memory) + (-address & (alignment - 1));
    return new (aligned) constant_block{memory, &engine, nullptr};
}

void free_all(constant_block *block) {
    while (block) {
        constant_block *next = block->next;
        block->engine->deallocate(block->allocation);
        block = next;
    }
}

// The state of an entry: how many executions hold it, and
constexpr std::uint32_t is_ready = 1U << 31;  // its block has its content;
constexpr std::uint32_t is_doomed = 1U << 30; // nobody may take hold of it any more.
constexpr std::uint32_t holders = is_doomed - 1;
constexpr std::uint32_t is_free = 0; // Neither, and no holder: there is no block.

} // namespace

/// Entries outlive what they stand for, and are used again: who walks along them needs no lock.
/// Who holds an entry may read all of it. Who takes the last hold of a doomed one, or dooms one
/// that nobody holds, has it for himself.
struct constant_use::entry {
    std::atomic<std::uint32_t> state{is_free};
    std::atomic<std::size_t> hash{0};
    std::atomic<std::uint64_t> last_use{0};
    std::vector<const void *> constants; ///< Written with the lock, in a free entry only.
    constant_block *block = nullptr;
    entry *next = nullptr;

    bool hold() {
        std::uint32_t seen = state.load(std::memory_order_relaxed);
        while ((seen & is_ready) && !(seen & is_doomed))
            if (state.compare_exchange_weak(
                        seen, seen + 1, std::memory_order_acquire, std::memory_order_relaxed))
                return true;
        return false;
    }

    /// True: nobody held it, and the caller has it for himself.
    bool doom() {
        std::uint32_t seen = state.load(std::memory_order_relaxed);
        while (seen != is_free && !(seen & is_doomed))
            if (state.compare_exchange_weak(seen, seen | is_doomed, std::memory_order_acquire,
                        std::memory_order_relaxed))
                return (seen & holders) == 0;
        return false;
    }

    bool doom_if_idle() {
        std::uint32_t seen = is_ready;
        return state.compare_exchange_strong(
                seen, is_ready | is_doomed, std::memory_order_acquire, std::memory_order_relaxed);
    }

    /// Precondition: the caller has it for himself.
    void make_free(constant_block *&dropped) {
        if (constant_block *old = std::exchange(block, nullptr)) {
            old->next = dropped;
            dropped = old;
        }
        state.store(is_free, std::memory_order_release);
    }
};

// --- constant_cache

void constant_cache::set_capacity(std::size_t bytes) {
    constant_block *dropped = nullptr;
    {
        std::lock_guard lock(mutex_);
        capacity_.store(bytes, std::memory_order_relaxed);
        for (constant_entries *owner : owners_)
            for (auto *e = owner->first_.load(std::memory_order_relaxed); e; e = e->next)
                if (e->doom()) {
                    used_ -= owner->bytes_;
                    e->make_free(dropped);
                }
    }
    free_all(dropped);
}

constant_cache &the_constant_cache() {
    // Never destroyed: threads of the host may execute to the very end.
    static auto *cache = new constant_cache(environment_constant_cache_megabytes() << 20);
    return *cache;
}

// --- constant_use

constant_use::constant_use(constant_use &&other) noexcept
    : owner_(std::exchange(other.owner_, nullptr)),
      held_(std::exchange(other.held_, nullptr)),
      is_first_(other.is_first_) {}

constant_use::~constant_use() {
    if (!held_) return;
    if (is_first_) held_->doom(); // never published
    owner_->release(*held_);
}

std::byte *constant_use::data() const {
    return held_ ? reinterpret_cast<std::byte *>(held_->block) + alignment : nullptr;
}

void constant_use::publish() noexcept {
    held_->state.fetch_or(is_ready, std::memory_order_release);
    is_first_ = false;
}

// --- constant_entries

constant_entries::constant_entries(constant_cache &cache, const engine_state &engine,
        std::vector<std::size_t> ports, std::size_t bytes)
    : cache_(cache),
      engine_(engine),
      ports_(std::move(ports)),
      bytes_(bytes + 2 * alignment) {
    std::lock_guard lock(cache_.mutex_);
    self_ = cache_.owners_.insert(cache_.owners_.end(), this);
}

constant_entries::~constant_entries() {
    constant_block *dropped = nullptr;
    {
        std::lock_guard lock(cache_.mutex_);
        cache_.owners_.erase(self_);
    }
    for (entry *e = first_.load(std::memory_order_relaxed); e;) {
        if (e->doom()) {
            cache_.used_ -= bytes_;
            e->make_free(dropped);
        }
        delete std::exchange(e, e->next);
    }
    free_all(dropped);
}

std::size_t constant_entries::hash(const void *const *in) const {
    std::uint64_t mixed = 0;
    for (std::size_t port : ports_) {
        mixed = (mixed ^ reinterpret_cast<std::uintptr_t>(in[port])) * 0x9E3779B97F4A7C15U;
        mixed ^= mixed >> 32;
    }
    return static_cast<std::size_t>(mixed);
}

bool constant_entries::matches(const entry &e, const void *const *in) const {
    for (std::size_t i = 0; i < ports_.size(); ++i)
        if (e.constants[i] != in[ports_[i]]) return false;
    return true;
}

constant_use constant_entries::find(const void *const *in) noexcept {
    if (cache_.capacity() < bytes_) return {};
    const std::size_t wanted = hash(in);
    for (entry *e = first_.load(std::memory_order_acquire); e; e = e->next) {
        if (e->hash.load(std::memory_order_relaxed) != wanted || !e->hold()) continue;
        if (matches(*e, in)) {
            e->last_use.store(cache_.clock_.fetch_add(1, std::memory_order_relaxed),
                    std::memory_order_relaxed);
            return {*this, *e, false};
        }
        release(*e);
    }
    try {
        return begin(in, wanted);
    } catch (...) {
        return {}; // no memory for an entry
    }
}

constant_use constant_entries::begin(const void *const *in, std::size_t hash) {
    constant_block *dropped = nullptr;
    entry *claimed = nullptr;
    {
        std::lock_guard lock(cache_.mutex_);
        claimed = claim(in, hash, dropped);
    }
    free_all(dropped);
    if (!claimed) return {};
    constant_use use(*this, *claimed, true);
    claimed->block = allocate(engine_, bytes_);
    if (!claimed->block) return {}; // and `use` gives up the entry
    return use;
}

/// With the lock. An entry that is the caller's to fill, or null.
constant_entries::entry *constant_entries::claim(
        const void *const *in, std::size_t hash, constant_block *&dropped) {
    entry *vacant = nullptr;
    for (entry *e = first_.load(std::memory_order_relaxed); e; e = e->next) {
        if (e->state.load(std::memory_order_acquire) == is_free)
            vacant = e;
        else if (e->hash.load(std::memory_order_relaxed) == hash && matches(*e, in))
            return nullptr; // another execution came first
    }
    std::unique_ptr<entry> made;
    if (!vacant) {
        made = std::make_unique<entry>();
        made->constants.resize(ports_.size());
        vacant = made.get();
    }
    if (!make_room(dropped)) return nullptr;
    cache_.used_ += bytes_;
    for (std::size_t i = 0; i < ports_.size(); ++i)
        vacant->constants[i] = in[ports_[i]];
    vacant->hash.store(hash, std::memory_order_relaxed);
    vacant->last_use.store(
            cache_.clock_.fetch_add(1, std::memory_order_relaxed), std::memory_order_relaxed);
    vacant->state.store(1, std::memory_order_relaxed);
    if (made) {
        made->next = first_.load(std::memory_order_relaxed);
        first_.store(made.release(), std::memory_order_release);
    }
    return vacant;
}

/// With the lock. Lets entries go, of whatever owner, until one more block fits.
bool constant_entries::make_room(constant_block *&dropped) {
    const std::size_t capacity = cache_.capacity();
    if (capacity < bytes_) return false;
    while (cache_.used() > capacity - bytes_) {
        constant_entries *owner = nullptr;
        entry *oldest = nullptr;
        for (constant_entries *o : cache_.owners_)
            for (entry *e = o->first_.load(std::memory_order_relaxed); e; e = e->next)
                if (e->state.load(std::memory_order_relaxed) == is_ready
                        && (!oldest
                                || e->last_use.load(std::memory_order_relaxed)
                                           < oldest->last_use.load(std::memory_order_relaxed)))
                    owner = o, oldest = e;
        if (!oldest) return false; // all are in use
        if (!oldest->doom_if_idle()) continue;
        cache_.used_ -= owner->bytes_;
        oldest->make_free(dropped);
    }
    return true;
}

void constant_entries::release(entry &e) noexcept {
    const std::uint32_t before = e.state.fetch_sub(1, std::memory_order_acq_rel);
    if (!(before & is_doomed) || (before & holders) != 1) return;
    constant_block *dropped = nullptr;
    cache_.used_ -= bytes_;
    e.make_free(dropped);
    free_all(dropped);
}

} // namespace tern::runtime
