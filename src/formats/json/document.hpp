// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_FORMATS_JSON_DOCUMENT_HPP
#define TERN_FORMATS_JSON_DOCUMENT_HPP

/// \file
/// A JSON document that remembers where in the text each value stands, so that a message about the
/// meaning of a value can point at it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tern::formats {

/// One JSON value.
struct json_value {
    enum class kind { null, boolean, integer, unsigned_integer, real, string, list, object };

    kind type = kind::null;
    bool truth = false;            ///< boolean
    std::int64_t integer = 0;      ///< integer: every whole number that fits
    std::uint64_t natural = 0;     ///< integer (when >= 0) and unsigned_integer (above INT64_MAX)
    double real = 0;               ///< real; for the integers the nearest double
    std::string text;              ///< string: its content; real: as written
    std::vector<std::string> keys; ///< object: keys in file order
    std::vector<json_value> items; ///< list: elements; object: the values of `keys`
    std::size_t offset = 0;        ///< of the last byte of a scalar, of the opening bracket

    /// The value of a key; null when there is none or this is no object.
    const json_value *find(std::string_view key) const;
    bool is_number() const;
};

/// "the string \"abc\"", "the number 1.5", "a list of 3": for "expected ..., found ..." messages.
std::string describe(const json_value &value);

/// Limits that keep a hostile file from costing more than its size.
inline constexpr std::size_t max_json_depth = 64;
inline constexpr std::size_t max_json_values = 200'000;
inline constexpr std::size_t max_json_keys = 256; ///< In one object.

/// Throws tern::error (invalid_arguments) with `name`, line and column: malformed text, a key given
/// twice in one object, a limit above exceeded.
json_value parse_json(std::string_view text, const std::string &name);

/// "NAME:LINE:COLUMN", both counted from 1, of a byte of the text.
std::string position_in(std::string_view text, const std::string &name, std::size_t offset);

} // namespace tern::formats

#endif
