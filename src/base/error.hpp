// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_BASE_ERROR_HPP
#define TERN_BASE_ERROR_HPP

#include <utility>

#include "base/text.hpp"
#include "tern/types.hpp"

namespace tern {

/// Throws tern::error with a formatted message.
template <typename... Args>
[[noreturn]] void fail(status code, fmt::format_string<Args...> format, Args &&...args) {
    throw error(code, format_text(format, std::forward<Args>(args)...));
}

} // namespace tern

#endif
