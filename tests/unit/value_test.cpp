// SPDX-License-Identifier: Apache-2.0
#include "tern/value.hpp"

#include <cstring>
#include <limits>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace tern {
namespace {

using shape = value::dims;

constexpr value_type tensor_of(data_type type) {
    return {value_form::tensor, type};
}
constexpr value_type sequence_of(data_type type) {
    return {value_form::sequence, type};
}

template <typename Action>
void expect_refused(const Action &action, const std::string &word) {
    try {
        action();
        FAIL() << "expected an error with " << word;
    } catch (const error &e) {
        EXPECT_EQ(e.status, status::invalid_arguments) << e.message;
        EXPECT_NE(std::string(e.message).find(word), std::string::npos) << e.message;
    }
}

std::string_view string_of(const value &v, std::size_t index) {
    return static_cast<const string_ref *>(v.data())[index];
}

TEST(value_type, text_and_forms) {
    EXPECT_EQ(to_string(tensor_of(data_type::bf16)), "tensor(bf16)");
    EXPECT_EQ(to_string(sequence_of(data_type::string)), "seq(tensor(string))");
    EXPECT_EQ(to_string(value_type{value_form::optional_tensor, data_type::f32}),
            "optional(tensor(f32))");
    EXPECT_EQ(to_string(value_type{value_form::optional_sequence, data_type::c128}),
            "optional(seq(tensor(c128)))");
    for (value_form form : {value_form::tensor, value_form::sequence}) {
        EXPECT_FALSE(is_optional(form));
        EXPECT_TRUE(is_optional(optional_form(form)));
        EXPECT_EQ(held_form(optional_form(form)), form);
        EXPECT_EQ(held_form(form), form);
        EXPECT_EQ(optional_form(optional_form(form)), optional_form(form));
    }
    EXPECT_NE(tensor_of(data_type::f32), tensor_of(data_type::f16));
    EXPECT_NE(tensor_of(data_type::f32), sequence_of(data_type::f32));
    EXPECT_EQ(tensor_of(data_type::f32), tensor_of(data_type::f32));
}

TEST(value, absent) {
    const value none;
    EXPECT_TRUE(none.is_absent());
    EXPECT_FALSE(none.is_tensor() || none.is_sequence() || none.is_optional());
    EXPECT_FALSE(none.has_element());
    expect_refused([&] { none.type(); }, "value::type: the value is absent");
    expect_refused([&] { none.shape(); }, "value::shape");
    expect_refused([&] { none.data(); }, "absent");
    expect_refused([&] { none.elements(); }, "absent");
    expect_refused([&] { none.bytes(); }, "absent");
    expect_refused([&] { none.size(); }, "absent");
    expect_refused([&] { none.at(0); }, "absent");
    expect_refused([&] { none.element(); }, "absent");
}

TEST(value, a_tensor_is_a_copy) {
    float data[] = {1, 2, 3, 4, 5, 6};
    const value v = value::tensor(data_type::f32, {2, 3}, data);
    data[0] = 7;
    EXPECT_TRUE(v.is_tensor());
    EXPECT_TRUE(v.has_element());
    EXPECT_EQ(v.type(), tensor_of(data_type::f32));
    EXPECT_EQ(v.shape(), (shape{2, 3}));
    EXPECT_EQ(v.elements(), 6u);
    EXPECT_EQ(v.bytes(), 24u);
    EXPECT_EQ(static_cast<const float *>(v.data())[0], 1);
    EXPECT_EQ(static_cast<const float *>(v.data())[5], 6);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(v.data()) % 64, 0u);
    expect_refused([&] { v.size(); }, "value::size: the value is tensor(f32)");
    expect_refused([&] { v.at(0); }, "value::at: the value is tensor(f32)");
    expect_refused([&] { v.element(); }, "value::element: the value is tensor(f32)");
}

TEST(value, empty_tensors_and_scalars) {
    const value empty = value::tensor(data_type::f64, {4, 0}, nullptr);
    EXPECT_TRUE(empty.has_element());
    EXPECT_EQ(empty.elements(), 0u);
    EXPECT_EQ(empty.bytes(), 0u);
    EXPECT_EQ(empty.data(), nullptr);
    // An empty tensor may have dims whose product would be too large.
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    EXPECT_EQ(value::tensor(data_type::f64, {most, most, 0}, nullptr).elements(), 0u);
    EXPECT_EQ(value::tensor(data_type::string, {0}, nullptr).data(), nullptr);
    EXPECT_EQ(value::borrow(data_type::s8, {0}, nullptr).data(), nullptr);
    const std::int64_t one = 1;
    const value scalar = value::tensor(data_type::s64, {}, &one);
    EXPECT_EQ(scalar.elements(), 1u);
    EXPECT_TRUE(scalar.shape().empty());
}

TEST(value, copies_share_their_memory) {
    value kept;
    const void *data = nullptr;
    {
        const std::int32_t numbers[] = {1, 2, 3};
        const value first = value::tensor(data_type::s32, {3}, numbers);
        kept = first;
        data = first.data();
    }
    EXPECT_EQ(kept.data(), data);
    EXPECT_EQ(static_cast<const std::int32_t *>(kept.data())[2], 3);
}

TEST(value, B47_strings_own_their_characters) {
    value v;
    {
        std::vector<std::string> texts = {
                "short", std::string(1000, 'z'), "", std::string("a\0b", 3)};
        v = value::strings({2, 2}, texts);
        for (std::string &text : texts)
            text.assign(text.size(), '!');
    }
    EXPECT_EQ(v.type(), tensor_of(data_type::string));
    EXPECT_EQ(v.bytes(), 64u);
    EXPECT_EQ(string_of(v, 0), "short");
    EXPECT_EQ(string_of(v, 1), std::string(1000, 'z'));
    EXPECT_EQ(string_of(v, 2), "");
    EXPECT_EQ(string_of(v, 3), std::string_view("a\0b", 3));
    expect_refused(
            [] { value::strings({2}, {"one"}); }, "value::strings: 1 texts given for 2 elements");
    const string_ref broken[] = {{nullptr, 0}, {nullptr, 3}};
    expect_refused([&] { value::tensor(data_type::string, {2}, broken); },
            "string 1 has 3 characters, but no data");
}

TEST(value, borrowed_memory_is_the_callers) {
    float data[] = {1, 2};
    const value v = value::borrow(data_type::f32, {2}, data);
    EXPECT_EQ(v.data(), data);
    auto keeper = std::make_shared<std::vector<float>>(3, 5.0F);
    std::weak_ptr<const void> watch = keeper;
    value held = value::borrow(data_type::f32, {3}, keeper->data(), keeper);
    keeper.reset();
    EXPECT_FALSE(watch.expired());
    EXPECT_EQ(static_cast<const float *>(held.data())[2], 5);
    value other = held;
    held = value();
    EXPECT_FALSE(watch.expired());
    other = value();
    EXPECT_TRUE(watch.expired());
}

TEST(value, memory_to_write_to) {
    void *data = nullptr;
    const value v = value::make_tensor(data_type::u16, {2}, data);
    ASSERT_NE(data, nullptr);
    EXPECT_EQ(v.data(), data);
    const std::uint16_t numbers[] = {3, 4};
    std::memcpy(data, numbers, sizeof numbers);
    EXPECT_EQ(static_cast<const std::uint16_t *>(v.data())[1], 4);
    const value texts = value::make_tensor(data_type::string, {3}, data);
    EXPECT_EQ(string_of(texts, 2), "");
    value::make_tensor(data_type::f32, {0}, data);
    EXPECT_EQ(data, nullptr);
}

TEST(value, sequences) {
    const float numbers[] = {1, 2, 3};
    const value a = value::tensor(data_type::f32, {3}, numbers);
    const value b = value::tensor(data_type::f32, {1, 2}, numbers);
    const value s = value::sequence(data_type::f32, {a, b});
    EXPECT_TRUE(s.is_sequence());
    EXPECT_TRUE(s.has_element());
    EXPECT_EQ(s.type(), sequence_of(data_type::f32));
    EXPECT_EQ(s.size(), 2u);
    EXPECT_EQ(s.at(0).data(), a.data());
    EXPECT_EQ(s.at(1).shape(), (shape{1, 2}));
    expect_refused([&] { s.at(2); }, "value::at: position 2 of a sequence of 2");
    expect_refused([&] { s.shape(); }, "value::shape: the value is seq(tensor(f32))");
    expect_refused([&] { s.data(); }, "seq(tensor(f32))");
    expect_refused([&] { s.bytes(); }, "seq(tensor(f32))");
    expect_refused([&] { s.elements(); }, "seq(tensor(f32))");
    expect_refused([&] { s.element(); }, "value::element: the value is seq(tensor(f32))");
    const value none = value::sequence(data_type::string);
    EXPECT_TRUE(none.has_element());
    EXPECT_EQ(none.size(), 0u);
    const value wrong = value::tensor(data_type::f16, {0}, nullptr);
    expect_refused(
            [&] {
                value::sequence(data_type::f32, {a, wrong});
            },
            "item 1 is tensor(f16), expected tensor(f32)");
    expect_refused([&] { value::sequence(data_type::f32, {a, value()}); }, "item 1 is absent");
    expect_refused([&] { value::sequence(data_type::f32, {s}); }, "item 0 is seq(tensor(f32))");
}

TEST(value, optionals) {
    const float number = 1;
    const value a = value::tensor(data_type::f32, {}, &number);
    const value some = value::optional(a);
    EXPECT_TRUE(some.is_optional());
    EXPECT_TRUE(some.has_element());
    EXPECT_EQ(some.type(), (value_type{value_form::optional_tensor, data_type::f32}));
    EXPECT_EQ(some.element().data(), a.data());
    const value of_sequence = value::optional(value::sequence(data_type::s8));
    EXPECT_TRUE(of_sequence.has_element());
    EXPECT_EQ(of_sequence.type(), (value_type{value_form::optional_sequence, data_type::s8}));
    EXPECT_EQ(of_sequence.element().size(), 0u);
    const value empty = value::empty_optional(sequence_of(data_type::s8));
    EXPECT_TRUE(empty.is_optional());
    EXPECT_FALSE(empty.is_absent());
    EXPECT_FALSE(empty.has_element());
    EXPECT_EQ(empty.type(), of_sequence.type());
    expect_refused(
            [&] { empty.element(); }, "value::element: the optional(seq(tensor(s8))) is empty");
    expect_refused([&] { some.data(); }, "optional(tensor(f32))");
    expect_refused([&] { some.size(); }, "optional(tensor(f32))");
    expect_refused([&] { value::optional(value()); }, "an absent value given");
    expect_refused([&] { value::optional(some); }, "optional(tensor(f32)) given");
    expect_refused([&] { value::empty_optional(some.type()); }, "optional(tensor(f32)) given");
}

TEST(value, tensors_that_cannot_be) {
    const float number = 1;
    for (data_type type : {data_type::undef, data_type::s4, data_type::u4}) {
        expect_refused([&] { value::tensor(type, {1}, &number); }, "has no elements of whole");
        expect_refused([&] { value::sequence(type); }, "has no elements of whole bytes");
        expect_refused([&] { value::empty_optional(tensor_of(type)); }, "whole bytes");
    }
    expect_refused([&] { value::tensor(static_cast<data_type>(99), {1}, &number); }, "unknown");
    expect_refused([&] { value::tensor(static_cast<data_type>(-1), {1}, &number); }, "unknown");
    expect_refused(
            [&] {
                value::tensor(data_type::f32, {2, -1}, &number);
            },
            "value::tensor: dimension 1 is -1; expected 0 or more");
    expect_refused([&] { value::tensor(data_type::f32, shape(13, 1), &number); },
            "13 dimensions given; at most 12");
    expect_refused([] { value::tensor(data_type::f32, {2}, nullptr); },
            "there are 2 elements, but no data");
    expect_refused([] { value::borrow(data_type::f32, {}, nullptr); }, "1 elements, but no data");
    const std::int64_t most = std::numeric_limits<std::int64_t>::max();
    expect_refused([&] { value::tensor(data_type::f32, {most, 2}, &number); }, "63 bits");
    expect_refused([&] { value::borrow(data_type::f32, {most / 2}, &number); }, "63 bits");
}

} // namespace
} // namespace tern
