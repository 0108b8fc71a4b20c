// SPDX-License-Identifier: Apache-2.0
#include "runtime/environment.hpp"

#include <charconv>
#include <cstdint>
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

std::size_t parse_constant_cache_capacity(const std::string &text) {
    constexpr auto most = static_cast<std::size_t>(INT64_MAX) >> 20;
    std::size_t of_cpu = 0;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ';');) {
        const bool is_cpu = part.rfind("cpu:", 0) == 0;
        if (!is_cpu && part.rfind("gpu:", 0) != 0) return 0;
        const char *first = part.data() + 4;
        const char *last = part.data() + part.size();
        std::size_t number = 0;
        auto [end, problem] = std::from_chars(first, last, number);
        if (problem != std::errc() || end != last || number > most) return 0;
        if (is_cpu) of_cpu = number;
    }
    return of_cpu;
}

std::size_t environment_constant_cache_megabytes() {
    static const std::size_t megabytes =
            parse_constant_cache_capacity(read("TERN_GRAPH_CONSTANT_TENSOR_CACHE_CAPACITY"));
    return megabytes;
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
