// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_FORMATS_ONNX_MESSAGE_READER_HPP
#define TERN_FORMATS_ONNX_MESSAGE_READER_HPP

/// \file
/// One protobuf message, field by field, that knows where in the file it stands. It is all that the
/// readers of ONNX's messages see of protozero.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <protozero/pbf_reader.hpp>

#include "tern/types.hpp"

namespace tern::formats::onnx {

/// How deep messages may be nested: protobuf's own limit.
inline constexpr int max_message_depth = 100;
/// How many messages one file may hold. Two bytes are an empty message, and a structure of some 200
/// bytes in memory: this bounds what a small file can make of itself.
inline constexpr std::size_t max_messages = 4'000'000;

/// The file that is being read.
struct source {
    std::string_view bytes;
    const std::string &name;   ///< In messages.
    const std::string &folder; ///< Where external data lies; empty if it may not be used.
    std::size_t messages = 0;  ///< How many have been read so far.
};

/// Reads a message's fields in file order: next(), then what the tag says, and skip() for tags that
/// nobody knows. Every failure is a tern::error that names the file, the byte and the path to the
/// field.
class message_reader {
public:
    /// The whole file is one message; `title` is what paths begin with.
    message_reader(source &file, std::string_view title);
    /// The current field of `outer` is a message. `index` counts the entries of a repeated field.
    message_reader(message_reader &outer, std::string_view field,
            std::optional<std::size_t> index = std::nullopt);
    message_reader(const message_reader &) = delete;
    message_reader &operator=(const message_reader &) = delete;

    bool next();
    std::uint32_t tag() const { return fields_.tag(); }
    void skip();

    // The current field, which must be of that kind.
    std::string_view view(std::string_view field);
    std::string text(std::string_view field) { return std::string(view(field)); }
    /// A text that paths call the message by.
    std::string label(std::string_view field) { return std::string(label_ = view(field)); }
    std::int64_t s64(std::string_view field);
    std::int32_t s32(std::string_view field);
    float f32(std::string_view field);

    // Appends the current field: an entry of a repeated field, or several of them packed.
    void append(std::string_view field, std::vector<float> &list);
    void append(std::string_view field, std::vector<double> &list);
    void append(std::string_view field, std::vector<std::int32_t> &list);
    void append(std::string_view field, std::vector<std::int64_t> &list);
    void append(std::string_view field, std::vector<std::uint64_t> &list);

    const std::string &folder() const { return file_.folder; }
    /// "model.graph.node[3] (add).attribute[0] (axis)"
    std::string path() const;
    /// Throws what is wrong with a field of this message.
    [[noreturn]] void fail(std::string_view field, const std::string &what,
            status code = status::invalid_arguments) const;

private:
    void enter();
    std::size_t offset() const;
    template <typename T>
    T get(std::string_view field, protozero::pbf_wire_type type,
            T (protozero::pbf_reader::*read)());
    template <typename T, typename Range>
    void append(std::string_view field, std::vector<T> &list, protozero::pbf_wire_type type,
            T (protozero::pbf_reader::*read)(), Range (protozero::pbf_reader::*read_packed)());
    void check_length(std::string_view field);
    [[noreturn]] void fail_malformed(std::string_view field) const;

    source &file_;
    const message_reader *outer_ = nullptr;
    std::string_view field_;
    std::optional<std::size_t> index_;
    std::string_view label_;
    int depth_ = 1;
    protozero::pbf_reader fields_;
    std::size_t begin_ = 0; ///< Offset in the file.
    /// Of the current field; of the message once all fields have been read.
    std::size_t field_begin_ = 0;
};

/// Appends the current field, a message, to a list: the entries of a repeated field.
template <typename T, typename Read>
void append_message(
        message_reader &in, std::string_view field, std::vector<T> &list, const Read &read) {
    message_reader entry(in, field, list.size());
    list.push_back(read(entry));
}

/// The current field, a message that may be there once.
template <typename T, typename Read>
void read_once(
        message_reader &in, std::string_view field, std::optional<T> &result, const Read &read) {
    if (result) in.fail(field, "expected one, found a second one");
    message_reader inner(in, field);
    result = read(inner);
}

} // namespace tern::formats::onnx

#endif
