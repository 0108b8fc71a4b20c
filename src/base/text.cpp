// SPDX-License-Identifier: Apache-2.0
#define FMT_HEADER_ONLY
#include <fmt/format.h>

#include "base/text.hpp"

namespace tern {

std::string format_erased(fmt::string_view format, fmt::format_args args) {
    return fmt::vformat(format, args);
}

} // namespace tern
