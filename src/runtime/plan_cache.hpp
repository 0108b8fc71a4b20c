// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_RUNTIME_PLAN_CACHE_HPP
#define TERN_RUNTIME_PLAN_CACHE_HPP

/// \file
/// Plans that were made before, for partitions that are alike.

#include <cstddef>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

#include "runtime/plan.hpp"

namespace tern::runtime {

/// The plans used last, up to a capacity, by key. Thread-safe.
class plan_cache {
public:
    explicit plan_cache(std::size_t capacity) : capacity_(capacity) {}

    /// The plan of a key, or null.
    std::shared_ptr<const plan> find(std::string_view key);
    /// Keeps a plan, and gives back the one that is kept: that of another thread, where it was
    /// faster. Throws std::bad_alloc.
    std::shared_ptr<const plan> insert(std::string key, std::shared_ptr<const plan> made);

    std::size_t capacity() const;
    /// Lets those go that have not been used for longest. 0: nothing is kept from now on.
    void set_capacity(std::size_t capacity);

private:
    struct entry {
        std::string key;
        std::shared_ptr<const plan> kept;
    };
    using entries = std::list<entry>;

    void shrink_to(std::size_t size, entries &dropped);

    mutable std::mutex mutex_;
    std::size_t capacity_;
    entries by_use_; ///< The one used last comes first.
    std::unordered_map<std::string_view, entries::iterator> by_key_; ///< Views of by_use_'s keys.
};

/// The process's. Its capacity is the environment's, until it is set.
plan_cache &the_plan_cache();

} // namespace tern::runtime

#endif
