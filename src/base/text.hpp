// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_BASE_TEXT_HPP
#define TERN_BASE_TEXT_HPP

/// \file
/// Text formatting with fmt's format strings, which are checked at compile time. fmt itself is
/// compiled into text.cpp only: header-only in every file it would dominate compile times.

#include <string>

#if __has_include(<fmt/base.h>) // fmt 11
#include <fmt/base.h>
#else
#include <fmt/core.h>
#endif

namespace tern {

std::string format_erased(fmt::string_view format, fmt::format_args args);

template <typename... Args>
std::string format_text(fmt::format_string<Args...> format, Args &&...args) {
    return format_erased(format, fmt::make_format_args(args...));
}

} // namespace tern

#endif
