// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/data_type.hpp"
#include "formats/onnx/reader.hpp"
#include "onnx_seeds.hpp"
#include "temporary_folder.hpp"

namespace tern::onnx_writer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace onnx = formats::onnx;

onnx::tensor read(const message &file) {
    return onnx::read_tensor(std::as_bytes(std::span(file.bytes)), "t.pb");
}

std::string refusal(const message &file) {
    try {
        read(file);
    } catch (const error &failure) {
        EXPECT_EQ(failure.status, status::invalid_arguments);
        return failure.message;
    }
    return "";
}

/// The elements of a tensor, which must be as many bytes as it says.
template <typename T>
std::vector<T> elements(const onnx::tensor &t) {
    std::vector<T> result(t.bytes / sizeof(T));
    EXPECT_EQ(result.size() * sizeof(T), t.bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(t.data.get()) % 64, 0u);
    if (t.data) std::memcpy(result.data(), t.data.get(), t.bytes);
    return result;
}

/// Elements in the typed field `field`: packed, one by one, and both mixed.
template <typename T, typename Entry>
void expect_typed(element_type type, std::uint32_t field, const std::vector<Entry> &entries,
        const std::vector<T> &expected) {
    const std::vector<std::int64_t> dims = {static_cast<std::int64_t>(expected.size())};
    message packed = empty_tensor("t", type, dims).packed(field, entries);
    message single = empty_tensor("t", type, dims);
    for (const Entry &entry : entries)
        if constexpr (std::is_integral_v<Entry>)
            single.integer(field, entry);
        else
            single.real(field, entry);
    message mixed = empty_tensor("t", type, dims);
    if constexpr (std::is_integral_v<Entry>)
        mixed.integer(field, entries[0]);
    else
        mixed.real(field, entries[0]);
    mixed.packed(field, std::vector<Entry>(entries.begin() + 1, entries.end()));
    for (const message &file : {packed, single, mixed}) {
        const onnx::tensor t = read(file);
        EXPECT_EQ(t.type, type);
        EXPECT_EQ(t.dims, dims);
        EXPECT_EQ(elements<T>(t), expected) << name_of(type);
    }
}

TEST(onnx_tensor, typed_fields) {
    using integers = std::vector<std::int64_t>;
    expect_typed<float>(element_type::FLOAT, 4, std::vector<float>{1, -2}, {1, -2});
    expect_typed<double>(element_type::DOUBLE, 10, std::vector<double>{1, -2}, {1, -2});
    expect_typed<std::int64_t>(
            element_type::INT64, 7, integers{INT64_MIN, INT64_MAX}, {INT64_MIN, INT64_MAX});
    expect_typed<std::uint64_t>(element_type::UINT64, 11, integers{-1, 1}, {UINT64_MAX, 1});
    expect_typed<std::uint32_t>(element_type::UINT32, 11, integers{UINT32_MAX, 1}, {UINT32_MAX, 1});
    expect_typed<std::int32_t>(
            element_type::INT32, 5, integers{INT32_MIN, INT32_MAX}, {INT32_MIN, INT32_MAX});
    expect_typed<std::int16_t>(element_type::INT16, 5, integers{-32768, 32767}, {-32768, 32767});
    expect_typed<std::int8_t>(element_type::INT8, 5, integers{-128, 127}, {-128, 127});
    expect_typed<std::uint16_t>(element_type::UINT16, 5, integers{0, 65535}, {0, 65535});
    expect_typed<std::uint8_t>(element_type::UINT8, 5, integers{0, 255}, {0, 255});
    expect_typed<std::uint8_t>(element_type::BOOL, 5, integers{0, 1}, {0, 1});
    for (element_type type : {element_type::FLOAT16, element_type::BFLOAT16})
        expect_typed<std::uint16_t>(type, 5, integers{0x3c00, 0xffff}, {0x3c00, 0xffff});
    for (element_type type : {element_type::FLOAT8E4M3FN, element_type::FLOAT8E5M2})
        expect_typed<std::uint8_t>(type, 5, integers{0x3c, 0xff}, {0x3c, 0xff});
}

TEST(onnx_tensor, complex_elements_are_two_entries_each) {
    const std::vector<std::int64_t> dims = {2};
    EXPECT_THAT(elements<float>(read(empty_tensor("t", element_type::COMPLEX64, dims)
                                             .packed(4, std::vector<float>{1, 2, 3, 4}))),
            ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(elements<double>(read(empty_tensor("t", element_type::COMPLEX128, dims)
                                              .packed(10, std::vector<double>{1, 2, 3, 4}))),
            ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(refusal(empty_tensor("t", element_type::COMPLEX64, dims)
                                .packed(4, std::vector<float>{1, 2})),
            HasSubstr("float_data: expected 4 entries, as type and dims say, found 2"));
}

TEST(onnx_tensor, raw_data) {
    EXPECT_THAT(elements<std::int16_t>(
                        read(tensor<std::int16_t>("t", element_type::INT16, {2, 1}, {-3, 4}))),
            ElementsAre(-3, 4));
    // Booleans are not made 0 or 1.
    EXPECT_THAT(elements<std::uint8_t>(
                        read(tensor<std::uint8_t>("t", element_type::BOOL, {3}, {0, 1, 128}))),
            ElementsAre(0, 1, 128));
    const onnx::tensor scalar = read(tensor<double>("s", element_type::DOUBLE, {}, {0.5}));
    EXPECT_THAT(scalar.dims, ElementsAre());
    EXPECT_THAT(elements<double>(scalar), ElementsAre(0.5));
    EXPECT_EQ(scalar.name, "s");
    EXPECT_EQ(scalar.where, "tensor (s)");
}

TEST(onnx_tensor, strings_are_any_bytes) {
    const std::string zeros("\0\xff", 2);
    const onnx::tensor t = read(string_tensor("t", {1, 3}, {"ab", "", zeros}));
    EXPECT_THAT(t.strings, ElementsAre("ab", "", zeros));
    EXPECT_EQ(t.data, nullptr);
}

TEST(onnx_tensor, without_elements) {
    const onnx::tensor t = read(empty_tensor("t", element_type::FLOAT, {3, 0, INT64_MAX}));
    EXPECT_EQ(t.bytes, 0u);
    EXPECT_EQ(t.data, nullptr);
    EXPECT_TRUE(read(empty_tensor("t", element_type::STRING, {0})).strings.empty());
}

TEST(onnx_tensor, types_that_tern_lacks_are_kept_without_elements) {
    EXPECT_EQ(read(raw_tensor("t", element_type::INT4, {3}, "ab")).unreadable,
            "elements of INT4 are not supported");
    EXPECT_EQ(read(empty_tensor("t", static_cast<element_type>(99), {3})).unreadable,
            "elements of type 99 are not supported");
}

TEST(onnx_tensor, names_of_types) {
    EXPECT_EQ(name_of(element_type::FLOAT8E5M2FNUZ), "FLOAT8E5M2FNUZ");
    EXPECT_EQ(name_of(static_cast<element_type>(-1)), "type -1");
    EXPECT_EQ(data_type_of(element_type::BFLOAT16), data_type::bf16);
    EXPECT_EQ(data_type_of(static_cast<element_type>(99)), data_type::undef);
}

TEST(onnx_tensor, refuses_dims) {
    EXPECT_EQ(refusal(empty_tensor("w", element_type::FLOAT, {2, -1})),
            "t.pb: byte 0: tensor (w).dims: axis 1: expected a size, found -1");
    EXPECT_THAT(refusal(empty_tensor("w", element_type::FLOAT, {INT64_MAX, 2})),
            HasSubstr("dims: their product does not fit 64 bits"));
    EXPECT_THAT(refusal(empty_tensor("w", element_type::FLOAT, {INT64_MAX})),
            HasSubstr("dims: the elements' size does not fit 64 bits"));
    EXPECT_THAT(refusal(empty_tensor("w", element_type::FLOAT, std::vector<std::int64_t>(13, 1))),
            HasSubstr("dims: expected up to 12 dims, found 13"));
}

TEST(onnx_tensor, refuses_elements_that_do_not_fit) {
    const std::vector<std::int64_t> two = {2};
    EXPECT_THAT(refusal(raw_tensor("w", element_type::FLOAT, two, "abc")),
            HasSubstr("tensor (w).raw_data: expected 8 bytes, as type and dims say, found 3"));
    // Nothing of that size is allocated.
    EXPECT_THAT(refusal(raw_tensor("w", element_type::FLOAT, {1LL << 60}, "abcd")),
            HasSubstr("expected 4611686018427387904 bytes, as type and dims say, found 4"));
    EXPECT_THAT(refusal(empty_tensor("w", element_type::FLOAT, two)),
            HasSubstr("float_data: expected 2 entries, as type and dims say, found 0"));
    EXPECT_THAT(refusal(string_tensor("w", two, {"a"})),
            HasSubstr("string_data: expected 2 entries, as type and dims say, found 1"));
    auto integer = [](element_type type, std::int64_t value) {
        const bool is_u32 = type == element_type::UINT32;
        return refusal(empty_tensor("w", type, {1}).integer(is_u32 ? 11 : 5, value));
    };
    EXPECT_THAT(integer(element_type::INT8, 128),
            HasSubstr("int32_data: element 0: 128 is no value of INT8"));
    EXPECT_THAT(integer(element_type::INT16, -32769), HasSubstr("-32769 is no value of INT16"));
    EXPECT_THAT(integer(element_type::UINT8, -1), HasSubstr("-1 is no value of UINT8"));
    EXPECT_THAT(integer(element_type::FLOAT16, 65536), HasSubstr("65536 is no value of FLOAT16"));
    EXPECT_THAT(integer(element_type::BOOL, 2), HasSubstr("2 is no value of BOOL"));
    EXPECT_THAT(integer(element_type::UINT32, 1LL << 32),
            HasSubstr("uint64_data: element 0: 4294967296 is no value of UINT32"));
}

TEST(onnx_tensor, refuses_elements_in_the_wrong_field) {
    EXPECT_THAT(refusal(empty_tensor("w", element_type::FLOAT, {1}).text(6, "a")),
            HasSubstr("string_data: elements of FLOAT are expected in float_data, not here"));
    EXPECT_THAT(refusal(empty_tensor("w", element_type::INT64, {1}).integer(5, 1)),
            HasSubstr("int32_data: elements of INT64 are expected in int64_data, not here"));
    EXPECT_THAT(refusal(raw_tensor("w", element_type::STRING, {1}, "a")),
            HasSubstr("raw_data: elements of STRING are expected in string_data, not here"));
    EXPECT_THAT(refusal(raw_tensor("w", element_type::FLOAT, {1}, "abcd").real(4, 1.0F)),
            HasSubstr("float_data: the elements are in raw_data, too"));
    EXPECT_THAT(refusal(empty_tensor("w", element_type::UNDEFINED, {1})),
            HasSubstr("data_type: no type is given"));
    EXPECT_THAT(refusal(raw_tensor("w", element_type::FLOAT, {1}, "abcd").inner(3, message())),
            HasSubstr("segment: tensors in segments are not supported"));
}

/// A model of one INT8 tensor of 4 elements whose data is elsewhere.
message model_with_data(const std::vector<std::pair<std::string, std::string>> &entries) {
    message tensor = empty_tensor("w", element_type::INT8, {4}).integer(14, 1);
    for (const auto &[key, text] : entries)
        tensor.inner(13, message().text(1, key).text(2, text));
    return model({.initializers = {tensor}});
}

class onnx_external_data : public testing::Test {
protected:
    onnx_external_data() { folder_.file("weights", "0123456789"); }

    onnx::tensor read(const message &file) {
        return onnx::read_model_file(folder_.file("m.onnx", file.bytes)).main_graph.initializers[0];
    }
    /// What is said after "FILE: byte N: model.graph.initializer[0] (w).external_data: ".
    std::string refusal(const std::vector<std::pair<std::string, std::string>> &entries) {
        try {
            read(model_with_data(entries));
        } catch (const error &failure) {
            const std::string text = failure.message;
            const std::string where = "model.graph.initializer[0] (w).external_data: ";
            EXPECT_THAT(text, HasSubstr(where));
            return text.substr(text.find(where) + where.size());
        }
        return "";
    }

    temporary_folder folder_;
};

TEST_F(onnx_external_data, is_read) {
    EXPECT_THAT(elements<char>(read(model_with_data(
                        {{"location", "weights"}, {"offset", "6"}, {"length", "4"}}))),
            ElementsAre('6', '7', '8', '9'));
    EXPECT_THAT(
            elements<char>(read(model_with_data({{"location", "./weights"}, {"checksum", "?"}}))),
            ElementsAre('0', '1', '2', '3'));
    std::filesystem::create_directory(folder_.path() / "below");
    std::filesystem::create_symlink("../weights", folder_.path() / "below" / "link");
    EXPECT_THAT(elements<char>(read(model_with_data({{"location", "below/link"}}))),
            ElementsAre('0', '1', '2', '3'));
}

TEST_F(onnx_external_data, of_an_empty_tensor) {
    const message tensor = empty_tensor("w", element_type::INT8, {0})
                                   .integer(14, 1)
                                   .inner(13, message().text(1, "location").text(2, "weights"));
    EXPECT_EQ(read(model({.initializers = {tensor}})).bytes, 0u);
}

TEST_F(onnx_external_data, must_be_there) {
    EXPECT_EQ(refusal({}), "no location is given");
    EXPECT_EQ(refusal({{"location", "none"}}), "cannot open \"none\": No such file or directory");
    EXPECT_EQ(refusal({{"location", "."}}), "\".\" is not a regular file");
    EXPECT_EQ(refusal({{"location", "weights"}, {"offset", "7"}}),
            "expected 4 bytes from byte 7 on, but \"weights\" has 10 bytes");
    EXPECT_EQ(refusal({{"location", "weights"}, {"offset", "18446744073709551615"}}),
            "expected 4 bytes from byte 18446744073709551615 on, but \"weights\" has 10 bytes");
    EXPECT_EQ(refusal({{"location", "weights"}, {"offset", "-1"}}),
            "offset: expected a number of bytes, found \"-1\"");
    EXPECT_EQ(refusal({{"location", "weights"}, {"length", "4 "}}),
            "length: expected a number of bytes, found \"4 \"");
    EXPECT_EQ(refusal({{"location", "weights"}, {"length", "5"}}),
            "length: expected 4 bytes, as type and dims say, found 5");
}

TEST_F(onnx_external_data, must_lie_in_the_folder) {
    temporary_folder other;
    const std::string outside = other.file("weights", "0123456789");
    for (const std::string &location :
            {outside, std::string("../weights"), std::string("below/../../weights")})
        EXPECT_EQ(refusal({{"location", location}}),
                "expected a path below the model's folder, found \"" + location + "\"");
    EXPECT_THAT(refusal({{"location", std::string("weights\0", 8)}}),
            HasSubstr("expected a path below the model's folder"));
    std::filesystem::create_symlink(outside, folder_.path() / "link");
    EXPECT_EQ(refusal({{"location", "link"}}), "\"link\" is a link that leaves the model's folder");
    std::filesystem::create_directory_symlink(other.path(), folder_.path() / "folder");
    EXPECT_EQ(refusal({{"location", "folder/weights"}}),
            "\"folder/weights\" is a link that leaves the model's folder");
}

TEST_F(onnx_external_data, needs_a_folder) {
    const message file = model_with_data({{"location", "weights"}});
    const std::span<const std::byte> bytes = std::as_bytes(std::span(file.bytes));
    EXPECT_EQ(
            onnx::read_model(bytes, "m", folder_.path().string()).main_graph.initializers[0].bytes,
            4u);
    try {
        onnx::read_model(bytes, "m");
        FAIL() << "found data without a folder";
    } catch (const error &failure) {
        EXPECT_THAT(failure.message,
                HasSubstr("the data lies in the file \"weights\", and a model read from memory has "
                          "no folder to look for it"));
    }
}

TEST_F(onnx_external_data, holds_no_strings) {
    const message tensor = string_tensor("w", {1}, {}).integer(14, 1);
    EXPECT_THROW(read(model({.initializers = {tensor}})), error);
}

} // namespace
} // namespace tern::onnx_writer
