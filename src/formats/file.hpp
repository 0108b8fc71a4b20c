// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_FORMATS_FILE_HPP
#define TERN_FORMATS_FILE_HPP

#include <cstddef>
#include <string>

namespace tern::formats {

/// Largest text file that is read, in bytes. The largest graph file of oneDNN's own cases has 42
/// KB.
inline constexpr std::size_t max_text_file_bytes = std::size_t{64} << 20;

/// The content of a regular file. Memory grows with what is really read, not with a claimed size.
/// Throws tern::error (invalid_arguments) naming the file: missing, unreadable, a directory, a
/// device or a pipe, longer than `max_bytes`.
std::string read_file(const std::string &path, std::size_t max_bytes = max_text_file_bytes);

} // namespace tern::formats

#endif
