// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_RUNTIME_ENVIRONMENT_HPP
#define TERN_RUNTIME_ENVIRONMENT_HPP

/// \file
/// The environment variables that Tern reads; the only file that does. Each is read once, at first
/// use.

#include <cstddef>
#include <string>

namespace tern::runtime {

/// What TERN_VERBOSE asks for.
struct verbose_level {
    bool exec = false;     ///< A line for each execution.
    bool create = false;   ///< A line for each compilation.
    bool dispatch = false; ///< A line for each implementation that was passed over.

    bool any() const { return exec || create || dispatch; }
};

/// 0, 1 (exec), 2 (everything), or a comma list of none, profile_exec, profile_create, profile,
/// dispatch, all. Words that mean nothing here are ignored, as in oneDNN.
verbose_level parse_verbose(const std::string &text);

const verbose_level &environment_verbose();

/// TERN_IMPL: name of the implementation to force; empty when unset.
const std::string &environment_implementation();

/// TERN_GRAPH_COMPILED_PARTITION_CACHE_CAPACITY: plans that the cache keeps. 1024 when unset, or
/// when it is no number from 0 to INT_MAX.
std::size_t environment_cache_capacity();

} // namespace tern::runtime

#endif
