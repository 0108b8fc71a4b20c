// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_OPTION_VALUES_HPP
#define TERN_DRIVER_OPTION_VALUES_HPP

/// \file
/// The syntax of option values. Every function throws usage_error naming option and text.

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/text.hpp"
#include "driver/settings.hpp"

namespace tern::driver {

/// A command line that cannot be understood: the run ends at once with this exit code, which is
/// benchdnn's: 1 for a bad value, 2 for an option that does not exist.
class usage_error : public std::runtime_error {
public:
    usage_error(int exit_code, const std::string &message)
        : std::runtime_error(message),
          exit_code(exit_code) {}
    int exit_code;
};

template <typename... Args>
[[noreturn]] void fail_usage(int exit_code, fmt::format_string<Args...> format, Args &&...args) {
    throw usage_error(exit_code, format_text(format, std::forward<Args>(args)...));
}

/// The parts between separators; an empty text is one empty part.
std::vector<std::string> split(std::string_view text, char separator);

/// The whole text as a number; nullopt otherwise.
std::optional<std::int64_t> to_integer(std::string_view text);
std::optional<std::size_t> to_id(std::string_view text);
/// Finite numbers only.
std::optional<double> to_real(std::string_view text);
/// true, false, 1, 0, in any case.
std::optional<bool> to_bool(std::string_view text);

/// At least `least`, at most `most`.
std::int64_t parse_integer(
        std::string_view option, std::string_view text, std::int64_t least, std::int64_t most);
double parse_real(std::string_view option, std::string_view text, double least, double most);
bool parse_bool(std::string_view option, std::string_view text);

/// ID:VALUE[+ID:VALUE...][,ID:VALUE...]. An empty case means no change and is an empty map.
std::vector<id_values> parse_id_values(std::string_view option, std::string_view text);

} // namespace tern::driver

#endif
