// SPDX-License-Identifier: Apache-2.0
#include "formats/onnx/message_reader.hpp"

#include "base/error.hpp"
#include "formats/utf8.hpp"

namespace tern::formats::onnx {
namespace {

using wire_type = protozero::pbf_wire_type;

std::string_view describe(wire_type type) {
    switch (type) {
        case wire_type::varint: return "an integer";
        case wire_type::fixed64: return "8 bytes";
        case wire_type::length_delimited: return "bytes with a length";
        case wire_type::fixed32: return "4 bytes";
        default: return "an unknown wire type";
    }
}

} // namespace

message_reader::message_reader(source &file, std::string_view title)
    : file_(file),
      field_(title),
      fields_(file.bytes.data(), file.bytes.size()) {
    enter();
}

message_reader::message_reader(
        message_reader &outer, std::string_view field, std::optional<std::size_t> index)
    : file_(outer.file_),
      outer_(&outer),
      field_(field),
      index_(index),
      depth_(outer.depth_ + 1) {
    const std::string_view content = outer.view(field);
    fields_ = protozero::pbf_reader(content.data(), content.size());
    enter();
}

void message_reader::enter() {
    begin_ = field_begin_ = offset();
    if (depth_ > max_message_depth)
        fail("", format_text("messages are nested deeper than {} levels", max_message_depth));
    if (++file_.messages > max_messages)
        fail("", format_text("the file holds more than {} messages", max_messages));
}

bool message_reader::next() {
    field_begin_ = offset();
    try {
        if (fields_.next()) return true;
    } catch (const protozero::exception &) {
        fail_malformed("");
    }
    field_begin_ = begin_;
    return false;
}

void message_reader::skip() {
    try {
        if (fields_.wire_type() == wire_type::length_delimited) check_length("");
        fields_.skip();
    } catch (const protozero::exception &) {
        fail_malformed("");
    }
}

template <typename T>
T message_reader::get(std::string_view field, wire_type type, T (protozero::pbf_reader::*read)()) {
    if (fields_.wire_type() != type)
        fail(field, format_text("expected {}, found {}", describe(type),
                            describe(fields_.wire_type())));
    try {
        if (type == wire_type::length_delimited) check_length(field);
        return (fields_.*read)();
    } catch (const protozero::exception &) {
        fail_malformed(field);
    }
}

template <typename T, typename Range>
void message_reader::append(std::string_view field, std::vector<T> &list, wire_type type,
        T (protozero::pbf_reader::*read)(), Range (protozero::pbf_reader::*read_packed)()) {
    if (fields_.wire_type() != wire_type::length_delimited) {
        list.push_back(get(field, type, read));
        return;
    }
    const Range values = get(field, wire_type::length_delimited, read_packed);
    try {
        list.insert(list.end(), values.begin(), values.end());
    } catch (const protozero::exception &) {
        fail_malformed(field);
    }
}

std::string_view message_reader::view(std::string_view field) {
    const protozero::data_view bytes =
            get(field, wire_type::length_delimited, &protozero::pbf_reader::get_view);
    return {bytes.data(), bytes.size()};
}

std::int64_t message_reader::s64(std::string_view field) {
    return get(field, wire_type::varint, &protozero::pbf_reader::get_int64);
}

std::int32_t message_reader::s32(std::string_view field) {
    return get(field, wire_type::varint, &protozero::pbf_reader::get_int32);
}

float message_reader::f32(std::string_view field) {
    return get(field, wire_type::fixed32, &protozero::pbf_reader::get_float);
}

void message_reader::append(std::string_view field, std::vector<float> &list) {
    append(field, list, wire_type::fixed32, &protozero::pbf_reader::get_float,
            &protozero::pbf_reader::get_packed_float);
}

void message_reader::append(std::string_view field, std::vector<double> &list) {
    append(field, list, wire_type::fixed64, &protozero::pbf_reader::get_double,
            &protozero::pbf_reader::get_packed_double);
}

void message_reader::append(std::string_view field, std::vector<std::int32_t> &list) {
    append(field, list, wire_type::varint, &protozero::pbf_reader::get_int32,
            &protozero::pbf_reader::get_packed_int32);
}

void message_reader::append(std::string_view field, std::vector<std::int64_t> &list) {
    append(field, list, wire_type::varint, &protozero::pbf_reader::get_int64,
            &protozero::pbf_reader::get_packed_int64);
}

void message_reader::append(std::string_view field, std::vector<std::uint64_t> &list) {
    append(field, list, wire_type::varint, &protozero::pbf_reader::get_uint64,
            &protozero::pbf_reader::get_packed_uint64);
}

std::string message_reader::path() const {
    std::string result = outer_ != nullptr ? outer_->path() + '.' : std::string();
    result += field_;
    if (index_) result += format_text("[{}]", *index_);
    constexpr std::size_t longest = 60;
    if (!label_.empty())
        result += format_text(" ({}{})", valid_utf8(label_.substr(0, longest)),
                label_.size() > longest ? "..." : "");
    return result;
}

void message_reader::fail(std::string_view field, const std::string &what, status code) const {
    tern::fail(code, "{}: byte {}: {}{}{}: {}", file_.name, field_begin_, path(),
            field.empty() ? "" : ".", field, what);
}

std::size_t message_reader::offset() const {
    return static_cast<std::size_t>(fields_.data().data() - file_.bytes.data());
}

/// protozero would take a length modulo 2^32.
void message_reader::check_length(std::string_view field) {
    const char *at = fields_.data().data();
    const char *end = at + fields_.length();
    std::uint64_t length = protozero::decode_varint(&at, end);
    auto left = static_cast<std::uint64_t>(end - at);
    if (length > left)
        fail(field, format_text("{} bytes are announced, but only {} are left", length, left));
}

/// Says in our words which exception of protozero's is being handled.
void message_reader::fail_malformed(std::string_view field) const {
    try {
        throw;
    } catch (const protozero::end_of_buffer_exception &) {
        fail(field, "the data ends in the middle of a field");
    } catch (const protozero::varint_too_long_exception &) {
        fail(field, "an integer has more than 10 bytes");
    } catch (const protozero::invalid_length_exception &) {
        fail(field, "the length is no multiple of an element's");
    } catch (const protozero::exception &) {
        fail(field, "no field of protobuf begins here");
    }
}

} // namespace tern::formats::onnx
