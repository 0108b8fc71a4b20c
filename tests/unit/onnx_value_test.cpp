// SPDX-License-Identifier: Apache-2.0
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/onnx/reader.hpp"
#include "onnx_writer.hpp"

namespace tern::onnx_writer {
namespace {

using formats::onnx::value_kind;
using testing::HasSubstr;
namespace onnx = formats::onnx;

const message one = tensor<float>("one", element_type::FLOAT, {1}, {1});
const message two = tensor<float>("two", element_type::FLOAT, {2}, {1, 2});

/// A type as a model declares it.
onnx::value_type declared(const message &type) {
    const message file = model({.inputs = {value("x", type)}});
    return *onnx::read_model(std::as_bytes(std::span(file.bytes)), "m.onnx")
                    .main_graph.inputs[0]
                    .type;
}

onnx::stored_value read(const message &file, const message &type) {
    return onnx::read_value(std::as_bytes(std::span(file.bytes)), declared(type), "x.pb");
}

std::string refusal(
        const message &file, const message &type, status expected = status::invalid_arguments) {
    try {
        read(file, type);
    } catch (const error &failure) {
        EXPECT_EQ(failure.status, expected);
        return failure.message;
    }
    return "";
}

const message floats = tensor_type(element_type::FLOAT);

TEST(onnx_value, tensor) {
    const onnx::stored_value v = read(two, floats);
    EXPECT_EQ(v.kind, value_kind::tensor);
    EXPECT_EQ(v.content.bytes, 8u);
    EXPECT_EQ(refusal(two, tensor_type(element_type::INT64)),
            "x.pb: byte 0: tensor (two).data_type: expected INT64, the declared type, found "
            "FLOAT");
}

TEST(onnx_value, sequence) {
    const onnx::stored_value v = read(sequence_of_tensors({one, two}), sequence_type(floats));
    EXPECT_EQ(v.kind, value_kind::sequence);
    EXPECT_EQ(v.element_kind, value_kind::tensor);
    ASSERT_EQ(v.elements.size(), 2u);
    EXPECT_EQ(v.elements[1].kind, value_kind::tensor);
    EXPECT_EQ(v.elements[1].content.where, "sequence.tensor_values[1] (two)");

    const message sequences = message().integer(2, 3).inners(
            5, {sequence_of_tensors({one}), sequence_of_tensors({})});
    const onnx::stored_value nested = read(sequences, sequence_type(sequence_type(floats)));
    ASSERT_EQ(nested.elements.size(), 2u);
    EXPECT_EQ(nested.elements[0].elements.size(), 1u);
    EXPECT_EQ(nested.elements[1].elements.size(), 0u);
}

TEST(onnx_value, optional) {
    const onnx::stored_value tensor = read(optional_of_tensor(two), optional_type(floats));
    EXPECT_EQ(tensor.kind, value_kind::optional);
    EXPECT_EQ(tensor.element_kind, value_kind::tensor);
    ASSERT_EQ(tensor.elements.size(), 1u);
    EXPECT_EQ(tensor.elements[0].content.where, "optional.tensor_value (two)");

    const onnx::stored_value sequence = read(optional_of_sequence(sequence_of_tensors({one, two})),
            optional_type(sequence_type(floats)));
    EXPECT_EQ(sequence.element_kind, value_kind::sequence);
    EXPECT_EQ(sequence.elements[0].elements.size(), 2u);

    const onnx::stored_value outer = read(message().integer(2, 5).inner(7, empty_optional()),
            optional_type(optional_type(floats)));
    EXPECT_EQ(outer.element_kind, value_kind::optional);
    ASSERT_EQ(outer.elements.size(), 1u);
    EXPECT_TRUE(outer.elements[0].elements.empty());
}

TEST(onnx_value, the_declared_type_tells_empty_optionals_from_empty_sequences) {
    const message nothing;
    EXPECT_EQ(read(nothing, optional_type(floats)).kind, value_kind::optional);
    EXPECT_EQ(read(nothing, sequence_type(floats)).kind, value_kind::sequence);
    for (const message &file : {nothing, empty_optional()}) {
        const onnx::stored_value v = read(file, optional_type(sequence_type(floats)));
        EXPECT_EQ(v.kind, value_kind::optional);
        EXPECT_EQ(v.element_kind, value_kind::undefined);
        EXPECT_TRUE(v.elements.empty());
    }
    // An optional of a sequence that is there, but empty.
    const onnx::stored_value v = read(
            optional_of_sequence(sequence_of_tensors({})), optional_type(sequence_type(floats)));
    ASSERT_EQ(v.elements.size(), 1u);
    EXPECT_EQ(v.elements[0].kind, value_kind::sequence);
    EXPECT_TRUE(v.elements[0].elements.empty());
    // Empty, but with a type.
    EXPECT_EQ(
            read(message().integer(2, 1), optional_type(floats)).element_kind, value_kind::tensor);
}

TEST(onnx_value, refuses_values_of_other_kinds_than_declared) {
    EXPECT_THAT(refusal(sequence_of_tensors({one}), sequence_type(sequence_type(floats))),
            HasSubstr("sequence.tensor_values: expected a sequence, the declared element, found a "
                      "tensor"));
    EXPECT_THAT(refusal(optional_of_sequence(sequence_of_tensors({})), optional_type(floats)),
            HasSubstr("optional.sequence_value: expected a tensor, the declared element, found a "
                      "sequence"));
    EXPECT_THAT(refusal(sequence_of_tensors({one}), sequence_type(tensor_type(element_type::INT8))),
            HasSubstr(
                    "sequence.tensor_values[0] (one).data_type: expected INT8, the declared type, "
                    "found FLOAT"));
    EXPECT_THAT(refusal(message().integer(2, 3), sequence_type(floats)),
            HasSubstr("sequence.elem_type: expected tensor, the declared kind, found sequence"));
}

TEST(onnx_value, refuses_values_that_contradict_themselves) {
    EXPECT_THAT(refusal(message().integer(2, 0).inner(3, one), optional_type(floats)),
            HasSubstr("optional.elem_type: expected tensor, the kind of an element, found "
                      "undefined"));
    EXPECT_THAT(refusal(optional_of_tensor(one).inner(3, two), optional_type(floats)),
            HasSubstr("optional.tensor_value: expected one, found a second one"));
    EXPECT_THAT(refusal(message().integer(2, 6), sequence_type(floats)),
            HasSubstr("sequence.elem_type: expected a kind of value, found 6"));
    EXPECT_THAT(refusal(message().integer(2, -1), sequence_type(floats)),
            HasSubstr("sequence.elem_type: expected a kind of value, found -1"));
}

TEST(onnx_value, maps_and_sparse_tensors_are_not_supported) {
    const message map = message().inner(5, message().integer(1, 7).inner(2, floats));
    EXPECT_THAT(refusal(message(), map, status::unimplemented),
            HasSubstr("map: values of kind map are not supported"));
    const message maps = message().integer(2, 4).inner(6, message());
    EXPECT_THAT(refusal(maps, sequence_type(map), status::unimplemented),
            HasSubstr("sequence.map_values[0]: values of kind map are not supported"));
    const message sparse = message().inner(8, message().integer(1, 1));
    EXPECT_THAT(refusal(message(), sparse, status::unimplemented),
            HasSubstr("values of kind sparse tensor are not supported"));
    EXPECT_THAT(refusal(message(), message(), status::unimplemented),
            HasSubstr("values of kind undefined are not supported"));
    EXPECT_THAT(refusal(message(), message().inner(7, message()), status::unimplemented),
            HasSubstr("values of kind opaque are not supported"));
}

} // namespace
} // namespace tern::onnx_writer
