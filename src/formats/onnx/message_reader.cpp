// SPDX-License-Identifier: Apache-2.0
#include "formats/onnx/message_reader.hpp"

#include <type_traits>

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
    field_begin_ = offset();
    if (depth_ > max_message_depth)
        fail("", format_text("messages are nested deeper than {} levels", max_message_depth));
    if (++file_.messages > max_messages)
        fail("", format_text("the file holds more than {} messages", max_messages));
}

bool message_reader::next() {
    field_begin_ = offset();
    try {
        return fields_.next();
    } catch (const protozero::exception &) {
        fail_malformed("");
    }
}

void message_reader::skip() {
    try {
        if (fields_.wire_type() == wire_type::length_delimited) check_length("");
        fields_.skip();
    } catch (const protozero::exception &) {
        fail_malformed("");
    }
}

std::string_view message_reader::view(std::string_view field) {
    expect(field, wire_type::length_delimited);
    try {
        check_length(field);
        protozero::data_view bytes = fields_.get_view();
        return {bytes.data(), bytes.size()};
    } catch (const protozero::exception &) {
        fail_malformed(field);
    }
}

std::int64_t message_reader::s64(std::string_view field) {
    expect(field, wire_type::varint);
    try {
        return fields_.get_int64();
    } catch (const protozero::exception &) {
        fail_malformed(field);
    }
}

std::int32_t message_reader::s32(std::string_view field) {
    expect(field, wire_type::varint);
    try {
        return fields_.get_int32();
    } catch (const protozero::exception &) {
        fail_malformed(field);
    }
}

float message_reader::f32(std::string_view field) {
    expect(field, wire_type::fixed32);
    try {
        return fields_.get_float();
    } catch (const protozero::exception &) {
        fail_malformed(field);
    }
}

template <typename T>
void message_reader::append(std::string_view field, std::vector<T> &list) {
    const bool is_packed = fields_.wire_type() == wire_type::length_delimited;
    auto add_all = [&](const auto &values) {
        list.insert(list.end(), values.begin(), values.end());
    };
    try {
        if (is_packed) check_length(field);
        if constexpr (std::is_same_v<T, float>) {
            if (is_packed) return add_all(fields_.get_packed_float());
            expect(field, wire_type::fixed32);
            list.push_back(fields_.get_float());
        } else if constexpr (std::is_same_v<T, double>) {
            if (is_packed) return add_all(fields_.get_packed_double());
            expect(field, wire_type::fixed64);
            list.push_back(fields_.get_double());
        } else if constexpr (std::is_same_v<T, std::int32_t>) {
            if (is_packed) return add_all(fields_.get_packed_int32());
            expect(field, wire_type::varint);
            list.push_back(fields_.get_int32());
        } else if constexpr (std::is_same_v<T, std::int64_t>) {
            if (is_packed) return add_all(fields_.get_packed_int64());
            expect(field, wire_type::varint);
            list.push_back(fields_.get_int64());
        } else {
            if (is_packed) return add_all(fields_.get_packed_uint64());
            expect(field, wire_type::varint);
            list.push_back(fields_.get_uint64());
        }
    } catch (const protozero::exception &) {
        fail_malformed(field);
    }
}

template void message_reader::append(std::string_view, std::vector<float> &);
template void message_reader::append(std::string_view, std::vector<double> &);
template void message_reader::append(std::string_view, std::vector<std::int32_t> &);
template void message_reader::append(std::string_view, std::vector<std::int64_t> &);
template void message_reader::append(std::string_view, std::vector<std::uint64_t> &);

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

void message_reader::expect(std::string_view field, wire_type type) {
    if (fields_.wire_type() != type)
        fail(field, format_text("expected {}, found {}", describe(type),
                            describe(fields_.wire_type())));
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
