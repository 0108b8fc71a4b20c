// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_BASE_ERROR_HPP
#define TERN_BASE_ERROR_HPP

#include <utility>

#include <fmt/format.h>

#include "tern/types.hpp"

namespace tern {

/// Throws tern::error with a formatted message.
template <typename... Args>
[[noreturn]] void fail(status code, fmt::format_string<Args...> format, Args &&...args) {
    throw error(code, fmt::format(format, std::forward<Args>(args)...));
}

} // namespace tern

#endif
