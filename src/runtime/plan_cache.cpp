// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan_cache.hpp"

#include "runtime/environment.hpp"

namespace tern::runtime {

std::shared_ptr<const plan> plan_cache::find(std::string_view key) {
    std::lock_guard lock(mutex_);
    auto found = by_key_.find(key);
    if (found == by_key_.end()) return nullptr;
    by_use_.splice(by_use_.begin(), by_use_, found->second);
    return found->second->kept;
}

std::shared_ptr<const plan> plan_cache::insert(std::string key, std::shared_ptr<const plan> made) {
    entries dropped; // destroyed after the lock is given back: plans may take their time
    std::lock_guard lock(mutex_);
    if (capacity_ == 0) return made;
    auto found = by_key_.find(key);
    if (found != by_key_.end()) return found->second->kept;
    by_use_.push_front({std::move(key), std::move(made)});
    try {
        by_key_.emplace(by_use_.front().key, by_use_.begin());
    } catch (...) {
        by_use_.pop_front();
        throw;
    }
    shrink_to(capacity_, dropped);
    return by_use_.front().kept;
}

std::size_t plan_cache::capacity() const {
    std::lock_guard lock(mutex_);
    return capacity_;
}

void plan_cache::set_capacity(std::size_t capacity) {
    entries dropped;
    std::lock_guard lock(mutex_);
    capacity_ = capacity;
    shrink_to(capacity, dropped);
}

void plan_cache::shrink_to(std::size_t size, entries &dropped) {
    while (by_use_.size() > size) {
        by_key_.erase(by_use_.back().key);
        dropped.splice(dropped.begin(), by_use_, std::prev(by_use_.end()));
    }
}

plan_cache &the_plan_cache() {
    // Never destroyed: threads of the host may compile to the very end.
    static auto *cache = new plan_cache(environment_cache_capacity());
    return *cache;
}

} // namespace tern::runtime
