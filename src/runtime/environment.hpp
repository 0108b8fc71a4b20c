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

/// The number of "cpu" in a text such as "cpu:100;gpu:20", in MB; 0 when it is not of that form, or
/// when a number of bytes does not fit 63 bits.
std::size_t parse_constant_cache_capacity(const std::string &text);

/// TERN_GRAPH_CONSTANT_TENSOR_CACHE_CAPACITY, parsed.
std::size_t environment_constant_cache_megabytes();

/// What TERN_GRAPH_DUMP asks for.
struct graph_dump {
    bool graph = false;    ///< Whole graphs, before and after partitioning.
    bool subgraph = false; ///< Partitions, when they are compiled.
    bool dot = false;      ///< Besides JSON, in the DOT language.
    bool text = false;     ///< Besides JSON, as text with a line for each op.
};

/// A comma list of graph, subgraph, dot, text; dot and text alone stand for graph and subgraph,
/// too. A word that is none of these turns everything off, as in oneDNN.
graph_dump parse_graph_dump(const std::string &text);

const graph_dump &environment_graph_dump();

/// TERN_GRAPH_DUMP_DIR: the folder that dumps go to; empty: the current one.
const std::string &environment_graph_dump_dir();

} // namespace tern::runtime

#endif
