// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_FORMATS_UTF8_HPP
#define TERN_FORMATS_UTF8_HPP

#include <string>
#include <string_view>

namespace tern::formats {

/// The text with every ill-formed sequence replaced by U+FFFD: names are any bytes, files are not.
std::string valid_utf8(std::string_view text);

} // namespace tern::formats

#endif
