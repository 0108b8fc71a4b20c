// SPDX-License-Identifier: Apache-2.0
#include "formats/onnx/reader.hpp"

#include <filesystem>

#include "base/error.hpp"
#include "formats/file.hpp"
#include "formats/onnx/decoders.hpp"

namespace tern::formats::onnx {
namespace {

/// The whole of `bytes` as one message, read by `read`; `title` is what paths begin with.
template <typename Read>
auto read_message(std::span<const std::byte> bytes, const std::string &name,
        const std::string &folder, std::string_view title, const Read &read) {
    if (bytes.size() > max_model_bytes)
        fail(status::invalid_arguments, "{}: too large: more than {} bytes", name, max_model_bytes);
    source file{{reinterpret_cast<const char *>(bytes.data()), bytes.size()}, name, folder};
    message_reader in(file, title);
    return read(in);
}

} // namespace

model read_model_file(const std::string &path) {
    const std::string text = read_file(path, max_model_bytes);
    const std::string folder = std::filesystem::path(path).parent_path().string();
    return read_model(std::as_bytes(std::span(text)), path, folder.empty() ? "." : folder);
}

model read_model(
        std::span<const std::byte> bytes, const std::string &name, const std::string &folder) {
    return read_message(
            bytes, name, folder, "model", [](message_reader &in) { return decode_model(in); });
}

tensor read_tensor(std::span<const std::byte> bytes, const std::string &name) {
    return read_message(
            bytes, name, "", "tensor", [](message_reader &in) { return decode_tensor(in); });
}

stored_value read_value(
        std::span<const std::byte> bytes, const value_type &declared, const std::string &name) {
    return read_message(bytes, name, "", name_of(declared.kind),
            [&](message_reader &in) { return decode_stored_value(in, declared); });
}

} // namespace tern::formats::onnx
