// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_RUNTIME_VERBOSE_HPP
#define TERN_RUNTIME_VERBOSE_HPP

/// \file
/// Verbose lines, in the format of oneDNN's: "tern_verbose,v1,..."

#include <string>
#include <utility>

#include "base/text.hpp"
#include "runtime/environment.hpp"

namespace tern::runtime {

/// The level in force: what the API set last, else what the environment says. One relaxed atomic
/// read.
verbose_level verbose();
void set_verbose(verbose_level level);
/// Null: standard output.
void set_verbose_callback(void (*callback)(void *user, const char *line), void *user);

/// Writes "tern_verbose,v1,<text>", preceded by the header lines the first time. Thread-safe; never
/// throws: a line that cannot be made is dropped.
void write_verbose_line(const std::string &text) noexcept;

template <typename... Args>
void write_verbose(fmt::format_string<Args...> format, Args &&...args) noexcept {
    try {
        write_verbose_line(format_text(format, std::forward<Args>(args)...));
    } catch (...) {
        // Reporting must not change what is reported on.
    }
}

} // namespace tern::runtime

#endif
