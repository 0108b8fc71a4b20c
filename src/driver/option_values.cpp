// SPDX-License-Identifier: Apache-2.0
#include "driver/option_values.hpp"

#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>

namespace tern::driver {
namespace {

template <typename Number>
std::optional<Number> to_number(std::string_view text) {
    Number value{};
    auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc{} || end != text.data() + text.size()) return std::nullopt;
    return value;
}

void add_id_value(std::string_view option, std::string_view text, id_values &values) {
    std::size_t colon = text.find(':');
    if (colon == std::string_view::npos)
        fail_usage(1, "option --{}: expected ID:VALUE, found '{}': the colon is missing", option,
                text);
    std::string_view id_text = text.substr(0, colon);
    std::string_view value = text.substr(colon + 1);
    // One of oneDNN's own batch files says 2*abc:3x64x8*abc; benchdnn reads the digits in front.
    std::size_t star = id_text.find('*');
    std::optional<std::size_t> id = to_id(id_text.substr(0, star));
    if (id && star != std::string_view::npos)
        std::fprintf(stderr, "benchtern: warning: option --%.*s: '%.*s' is read as id %zu\n",
                static_cast<int>(option.size()), option.data(), static_cast<int>(id_text.size()),
                id_text.data(), *id);
    if (!id)
        fail_usage(1, "option --{}: expected a number as id, found '{}' in '{}'", option, id_text,
                text);
    if (value.empty())
        fail_usage(1, "option --{}: the value after the colon is missing in '{}'", option, text);
    auto [at, fresh] = values.emplace(*id, value);
    if (!fresh)
        fail_usage(1, "option --{}: id {} is given twice, as '{}' and as '{}'", option, *id,
                at->second, value);
}

} // namespace

std::vector<std::string> split(std::string_view text, char separator) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    for (;;) {
        std::size_t end = text.find(separator, begin);
        parts.emplace_back(text.substr(begin, end - begin));
        if (end == std::string_view::npos) return parts;
        begin = end + 1;
    }
}

std::optional<std::int64_t> to_integer(std::string_view text) {
    return to_number<std::int64_t>(text);
}

std::optional<std::size_t> to_id(std::string_view text) {
    return to_number<std::size_t>(text);
}

std::optional<double> to_real(std::string_view text) {
    std::optional<double> value = to_number<double>(text);
    if (value && !std::isfinite(*value)) return std::nullopt;
    return value;
}

std::optional<bool> to_bool(std::string_view text) {
    std::string lower;
    for (char c : text)
        lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (lower == "true" || lower == "1") return true;
    if (lower == "false" || lower == "0") return false;
    return std::nullopt;
}

std::int64_t parse_integer(
        std::string_view option, std::string_view text, std::int64_t least, std::int64_t most) {
    std::optional<std::int64_t> value = to_integer(text);
    if (!value) fail_usage(1, "option --{}: expected an integer, found '{}'", option, text);
    if (*value < least || *value > most)
        fail_usage(1, "option --{}: expected {} to {}, found {}", option, least, most, *value);
    return *value;
}

double parse_real(std::string_view option, std::string_view text, double least, double most) {
    std::optional<double> value = to_real(text);
    if (!value) fail_usage(1, "option --{}: expected a number, found '{}'", option, text);
    if (*value < least || *value > most)
        fail_usage(1, "option --{}: expected {} to {}, found {}", option, least, most, *value);
    return *value;
}

bool parse_bool(std::string_view option, std::string_view text) {
    std::optional<bool> value = to_bool(text);
    if (!value) fail_usage(1, "option --{}: expected true or false, found '{}'", option, text);
    return *value;
}

std::vector<id_values> parse_id_values(std::string_view option, std::string_view text) {
    std::vector<id_values> cases;
    for (const std::string &one : split(text, ',')) {
        id_values values;
        for (const std::string &entry : split(one, '+'))
            if (!entry.empty()) add_id_value(option, entry, values);
        cases.push_back(std::move(values));
    }
    return cases;
}

} // namespace tern::driver
