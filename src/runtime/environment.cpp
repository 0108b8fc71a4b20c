// SPDX-License-Identifier: Apache-2.0
#include "runtime/environment.hpp"

#include <charconv>
#include <cstdlib>
#include <sstream>
#include <system_error>

namespace tern::runtime {
namespace {

std::string read(const char *name) {
    const char *text = std::getenv(name);
    return text ? text : "";
}

} // namespace

verbose_level parse_verbose(const std::string &text) {
    verbose_level level;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        bool all = word == "all" || word == "2";
        if (word == "none" || word == "0") level = {};
        if (all || word == "1" || word == "profile_exec" || word == "profile") level.exec = true;
        if (all || word == "profile_create" || word == "profile") level.create = true;
        if (all || word == "dispatch") level.dispatch = true;
    }
    return level;
}

const verbose_level &environment_verbose() {
    static const verbose_level level = parse_verbose(read("TERN_VERBOSE"));
    return level;
}

const std::string &environment_implementation() {
    static const std::string name = read("TERN_IMPL");
    return name;
}

std::size_t environment_cache_capacity() {
    static const std::string text = read("TERN_GRAPH_COMPILED_PARTITION_CACHE_CAPACITY");
    constexpr std::size_t usual = 1024;
    int capacity = 0;
    auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), capacity);
    bool is_number = problem == std::errc() && end == text.data() + text.size();
    return is_number && capacity >= 0 ? static_cast<std::size_t>(capacity) : usual;
}

graph_dump parse_graph_dump(const std::string &text) {
    graph_dump dump;
    std::istringstream words(text);
    for (std::string word; std::getline(words, word, ',');) {
        bool *wanted = word == "graph"      ? &dump.graph
                       : word == "subgraph" ? &dump.subgraph
                       : word == "dot"      ? &dump.dot
                       : word == "text"     ? &dump.text
                                            : nullptr;
        if (!wanted) return {};
        *wanted = true;
    }
    bool no_moment = !dump.graph && !dump.subgraph;
    if (no_moment && (dump.dot || dump.text)) dump.graph = dump.subgraph = true;
    return dump;
}

const graph_dump &environment_graph_dump() {
    static const graph_dump dump = parse_graph_dump(read("TERN_GRAPH_DUMP"));
    return dump;
}

const std::string &environment_graph_dump_dir() {
    static const std::string folder = read("TERN_GRAPH_DUMP_DIR");
    return folder;
}

} // namespace tern::runtime
