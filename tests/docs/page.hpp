// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_TESTS_DOCS_PAGE_HPP
#define TERN_TESTS_DOCS_PAGE_HPP

/// \file
/// Pages of the documentation that a program writes: `<program> [--check] docs/<page>.md`.

#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

namespace tern {

/// Says which line differs first. False: none does.
inline bool report_difference(const std::string &path, const std::string &expected) {
    std::ifstream file(path, std::ios::binary);
    std::istringstream wanted(expected);
    for (int number = 1;; ++number) {
        std::string found_line, wanted_line;
        bool has_found = static_cast<bool>(std::getline(file, found_line));
        bool has_wanted = static_cast<bool>(std::getline(wanted, wanted_line));
        if (!has_found && !has_wanted) return false;
        if (has_found == has_wanted && found_line == wanted_line) continue;
        std::printf("%s:%d: not what the definitions say; write it anew\n"
                    "  found:    %s\n  expected: %s\n",
                path.c_str(), number, has_found ? found_line.c_str() : "(nothing)",
                has_wanted ? wanted_line.c_str() : "(nothing)");
        return true;
    }
}

/// The whole program, its exit code returned.
inline int write_or_check_page(
        int count, char **arguments, const char *page_name, const std::string &page) {
    const bool check = count == 3 && std::string_view(arguments[1]) == "--check";
    if (count != 2 && !check) {
        std::fprintf(stderr, "usage: %s [--check] %s\n", arguments[0], page_name);
        return 2;
    }
    const std::string path = arguments[count - 1];
    if (check) return report_difference(path, page) ? 1 : 0;
    std::ofstream file(path, std::ios::binary);
    file << page;
    file.close();
    if (!file) std::fprintf(stderr, "%s: cannot write\n", path.c_str());
    return file ? 0 : 1;
}

} // namespace tern

#endif
