// SPDX-License-Identifier: Apache-2.0
#include "formats/onnx/external_data.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <system_error>

#include "base/aligned_memory.hpp"
#include "base/text.hpp"

namespace tern::formats::onnx {
namespace {

namespace fs = std::filesystem;

struct placement {
    std::string location;
    std::uint64_t offset = 0;
    std::optional<std::uint64_t> length;
};

[[noreturn]] void complain(const message_reader &tensor, const std::string &what) {
    tensor.fail("external_data", what);
}

std::uint64_t number(const message_reader &tensor, const metadata_entry &entry) {
    std::uint64_t value = 0;
    const char *end = entry.value.data() + entry.value.size();
    auto [stopped, code] = std::from_chars(entry.value.data(), end, value);
    if (code != std::errc() || stopped != end)
        complain(tensor, format_text("{}: expected a number of bytes, found \"{}\"", entry.key,
                                 entry.value));
    return value;
}

placement read_placement(const message_reader &tensor, const std::vector<metadata_entry> &entries) {
    placement result;
    for (const metadata_entry &entry : entries) {
        if (entry.key == "location") result.location = entry.value;
        if (entry.key == "offset") result.offset = number(tensor, entry);
        if (entry.key == "length") result.length = number(tensor, entry);
    }
    if (result.location.empty()) complain(tensor, "no location is given");
    return result;
}

/// The file itself, behind all links.
fs::path find_file(const message_reader &tensor, const std::string &location) {
    if (tensor.folder().empty())
        complain(tensor,
                format_text("the data lies in the file \"{}\", and a model read from memory "
                            "has no folder to look for it",
                        location));
    const fs::path relative(location);
    if (relative.has_root_path() || location.find('\0') != std::string::npos
            || std::find(relative.begin(), relative.end(), "..") != relative.end())
        complain(tensor,
                format_text("expected a path below the model's folder, found \"{}\"", location));
    std::error_code code;
    const fs::path folder = fs::canonical(tensor.folder(), code);
    fs::path file = code ? fs::path() : fs::canonical(folder / relative, code);
    if (code) complain(tensor, format_text("cannot open \"{}\": {}", location, code.message()));
    if (std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first != folder.end())
        complain(tensor, format_text("\"{}\" is a link that leaves the model's folder", location));
    if (!fs::is_regular_file(file, code))
        complain(tensor, format_text("\"{}\" is not a regular file", location));
    return file;
}

} // namespace

std::shared_ptr<const std::byte> read_external_data(const message_reader &tensor,
        const std::vector<metadata_entry> &entries, std::size_t bytes) {
    const placement where = read_placement(tensor, entries);
    if (where.length && *where.length != bytes)
        complain(tensor, format_text("length: expected {} bytes, as type and dims say, found {}",
                                 bytes, *where.length));
    const fs::path path = find_file(tensor, where.location);
    std::error_code code;
    const std::uintmax_t size = fs::file_size(path, code);
    if (code || where.offset > size || bytes > size - where.offset)
        complain(tensor, format_text("expected {} bytes from byte {} on, but \"{}\" has {} bytes",
                                 bytes, where.offset, where.location, code ? 0 : size));
    std::shared_ptr<std::byte> data = allocate_aligned(bytes, "external data");
    std::ifstream file(path, std::ios::binary);
    file.seekg(static_cast<std::streamoff>(where.offset));
    file.read(reinterpret_cast<char *>(data.get()), static_cast<std::streamsize>(bytes));
    if (!file) complain(tensor, format_text("cannot read \"{}\"", where.location));
    return data;
}

} // namespace tern::formats::onnx
