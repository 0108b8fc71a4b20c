// SPDX-License-Identifier: Apache-2.0
#include "runtime/environment.hpp"

#include <cstdlib>
#include <sstream>

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

} // namespace tern::runtime
