// SPDX-License-Identifier: Apache-2.0
#include "formats/file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include "base/error.hpp"

namespace tern::formats {

std::string read_file(const std::string &path, std::size_t max_bytes) {
    // Looked at before it is opened: opening a pipe would wait for a writer.
    std::error_code code;
    std::filesystem::file_status found = std::filesystem::status(path, code);
    if (!std::filesystem::exists(found))
        fail(status::invalid_arguments, "{}: cannot open: {}", path,
                code ? code.message() : "No such file or directory");
    if (std::filesystem::is_directory(found))
        fail(status::invalid_arguments, "{}: is a directory, expected a file", path);
    if (!std::filesystem::is_regular_file(found))
        fail(status::invalid_arguments, "{}: is not a regular file", path);

    errno = 0;
    std::ifstream file(path, std::ios::binary);
    if (!file)
        fail(status::invalid_arguments, "{}: cannot open: {}", path,
                std::strerror(errno != 0 ? errno : EIO));
    std::string text;
    std::array<char, 1 << 16> block;
    do {
        file.read(block.data(), block.size());
        text.append(block.data(), static_cast<std::size_t>(file.gcount()));
        if (text.size() > max_bytes)
            fail(status::invalid_arguments, "{}: too large: more than {} bytes", path, max_bytes);
    } while (file);
    if (file.bad()) fail(status::invalid_arguments, "{}: read error", path);
    return text;
}

} // namespace tern::formats
