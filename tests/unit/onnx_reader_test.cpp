// SPDX-License-Identifier: Apache-2.0
#include <random>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/onnx/message_reader.hpp"
#include "formats/onnx/reader.hpp"
#include "onnx_seeds.hpp"
#include "temporary_folder.hpp"

namespace tern::onnx_writer {
namespace {

using formats::onnx::value_kind;
using testing::ElementsAre;
using testing::HasSubstr;
namespace onnx = formats::onnx;

std::span<const std::byte> bytes_of(const std::string &text) {
    return std::as_bytes(std::span(text));
}

onnx::model read(const message &file) {
    return onnx::read_model(bytes_of(file.bytes), "m.onnx");
}

/// What is said about a model.
std::string refusal(const message &file) {
    try {
        read(file);
    } catch (const error &failure) {
        EXPECT_EQ(failure.status, status::invalid_arguments);
        return failure.message;
    }
    return "";
}

/// What is said about a model of one node with one attribute.
std::string attribute_refusal(const message &attribute) {
    return refusal(model({.nodes = {node("Op", {}, {"y"}, {attribute})}}));
}

TEST(onnx_reader, reads_a_model) {
    const onnx::model m = read(seed_model());
    EXPECT_EQ(m.ir_version, 10);
    EXPECT_EQ(m.producer_name, "producer");
    EXPECT_EQ(m.producer_version, "1.0");
    EXPECT_EQ(m.domain, "domain");
    EXPECT_EQ(m.model_version, 7);
    EXPECT_EQ(m.doc, "doc");
    ASSERT_EQ(m.opset_imports.size(), 2u);
    EXPECT_EQ(m.opset_imports[0].domain, "");
    EXPECT_EQ(m.opset_imports[0].version, 21);
    EXPECT_EQ(m.opset_imports[1].domain, "local");
    ASSERT_EQ(m.metadata.size(), 1u);
    EXPECT_EQ(m.metadata[0].key, "key");
    EXPECT_EQ(m.metadata[0].value, "value");

    ASSERT_EQ(m.functions.size(), 1u);
    const onnx::function &f = m.functions[0];
    EXPECT_EQ(f.name, "twice");
    EXPECT_EQ(f.domain, "local");
    EXPECT_EQ(f.overload, "overload");
    EXPECT_THAT(f.inputs, ElementsAre("a"));
    EXPECT_THAT(f.outputs, ElementsAre("b"));
    EXPECT_THAT(f.attributes, ElementsAre("needed"));
    ASSERT_EQ(f.default_attributes.size(), 1u);
    EXPECT_THAT(f.default_attributes[0].ints, ElementsAre(2));
    ASSERT_EQ(f.nodes.size(), 1u);
    EXPECT_EQ(f.nodes[0].attributes[0].reference, "needed");
    EXPECT_EQ(f.nodes[0].attributes[0].kind, attribute_kind::INT);
    EXPECT_EQ(f.value_infos[0].name, "a");
    EXPECT_EQ(f.opset_imports[0].version, 21);
}

TEST(onnx_reader, reads_a_graph) {
    const onnx::graph g = read(seed_model()).main_graph;
    EXPECT_EQ(g.name, "test");
    EXPECT_EQ(g.doc, "doc");
    ASSERT_EQ(g.nodes.size(), 2u);
    EXPECT_EQ(g.nodes[0].op_type, "Op");
    EXPECT_EQ(g.nodes[0].name, "first");
    EXPECT_EQ(g.nodes[0].domain, "domain");
    EXPECT_EQ(g.nodes[0].overload, "overload");
    EXPECT_THAT(g.nodes[0].inputs, ElementsAre("x", "", "w"));
    EXPECT_THAT(g.nodes[0].outputs, ElementsAre("y", ""));
    EXPECT_THAT(g.sparse_initializers, ElementsAre("t0"));
    EXPECT_EQ(g.initializers.size(), seed_tensors().size());
    EXPECT_EQ(g.initializers[3].where, "model.graph.initializer[3] (t3)");
    EXPECT_EQ(g.outputs[0].name, "z");
    EXPECT_EQ(g.value_infos[0].name, "y");

    ASSERT_EQ(g.inputs.size(), 7u);
    ASSERT_TRUE(g.inputs[0].type && g.inputs[0].type->shape);
    const std::vector<onnx::dimension> &shape = *g.inputs[0].type->shape;
    ASSERT_EQ(shape.size(), 3u);
    EXPECT_EQ(shape[0].size, 2);
    EXPECT_EQ(shape[1].size, std::nullopt);
    EXPECT_EQ(shape[1].name, "n");
    EXPECT_EQ(shape[2].size, std::nullopt);
    EXPECT_EQ(shape[2].name, "");
    const std::vector<value_kind> kinds = {value_kind::tensor, value_kind::tensor,
            value_kind::sequence, value_kind::map, value_kind::opaque, value_kind::sparse_tensor,
            value_kind::optional};
    for (std::size_t i = 0; i < kinds.size(); ++i)
        EXPECT_EQ(g.inputs[i].type->kind, kinds[i]);
    EXPECT_EQ(g.inputs[0].type->element, element_type::FLOAT);
    EXPECT_EQ(g.inputs[2].type->inner->kind, value_kind::tensor);
    EXPECT_EQ(g.inputs[3].type->element, element_type::INT64);
    EXPECT_EQ(g.inputs[3].type->inner->element, element_type::FLOAT);
    EXPECT_EQ(g.outputs[0].type->kind, value_kind::optional);
    EXPECT_FALSE(g.outputs[0].type->inner->shape);
}

TEST(onnx_reader, reads_attributes_of_every_kind) {
    const onnx::graph g = read(seed_model()).main_graph;
    const std::vector<onnx::attribute> &all = g.nodes[0].attributes;
    ASSERT_EQ(all.size(), 14u);
    EXPECT_EQ(all[0].name, "f");
    EXPECT_EQ(all[0].kind, attribute_kind::FLOAT);
    EXPECT_THAT(all[0].floats, ElementsAre(1.5F));
    EXPECT_THAT(all[1].ints, ElementsAre(3));
    EXPECT_THAT(all[2].strings, ElementsAre("text"));
    EXPECT_THAT(all[3].floats, ElementsAre(1, 2));
    EXPECT_THAT(all[4].ints, ElementsAre(1, -2));
    EXPECT_THAT(all[5].strings, ElementsAre("a", ""));
    EXPECT_EQ(all[6].tensors[0].where, "model.graph.node[0].attribute[6] (t).t (t0)");
    EXPECT_EQ(all[7].graphs[0].nodes[0].op_type, "Neg");
    EXPECT_EQ(all[8].types[0].kind, value_kind::optional);
    EXPECT_EQ(all[8].types[0].inner->kind, value_kind::sequence);
    EXPECT_EQ(all[8].types[0].inner->inner->kind, value_kind::tensor);
    EXPECT_EQ(all[9].tensors.size(), 2u);
    EXPECT_EQ(all[10].graphs.size(), 2u);
    EXPECT_EQ(all[11].types.size(), 2u);
    EXPECT_EQ(all[12].kind, attribute_kind::SPARSE_TENSOR);
    EXPECT_EQ(all[13].kind, attribute_kind::SPARSE_TENSORS);
}

TEST(onnx_reader, a_number_or_text_given_twice_counts_as_given_last) {
    EXPECT_EQ(read(model({}).integer(1, 3)).ir_version, 3);
    const message file = model(
            {.nodes = {node("Add", {}, {}, {attribute("i", 1).integer(3, 2)}).text(4, "Mul")}});
    const onnx::node n = read(file).main_graph.nodes[0];
    EXPECT_EQ(n.op_type, "Mul");
    EXPECT_THAT(n.attributes[0].ints, ElementsAre(2));
}

TEST(onnx_reader, numbers_in_lists_may_be_packed_or_not) {
    const message file =
            model({.nodes = {node("Op", {}, {},
                           {empty_attribute("i", attribute_kind::INTS)
                                           .integer(8, 1)
                                           .packed(8, std::vector<std::int64_t>{2, 3}),
                                   empty_attribute("f", attribute_kind::FLOATS).real(7, 1.0F)})}});
    const onnx::node n = read(file).main_graph.nodes[0];
    EXPECT_THAT(n.attributes[0].ints, ElementsAre(1, 2, 3));
    EXPECT_THAT(n.attributes[1].floats, ElementsAre(1));
}

TEST(onnx_reader, attributes_without_value_or_type) {
    const message file = model(
            {.nodes = {node("Op", {}, {},
                     {empty_attribute("a", attribute_kind::INT),
                             empty_attribute("b", attribute_kind::FLOAT),
                             empty_attribute("c", attribute_kind::STRING),
                             empty_attribute("d", attribute_kind::INTS),
                             message().text(1, "e").integer(3, 4), message().text(21, "f")})}});
    const std::vector<onnx::attribute> all = read(file).main_graph.nodes[0].attributes;
    EXPECT_THAT(all[0].ints, ElementsAre(0));
    EXPECT_THAT(all[1].floats, ElementsAre(0));
    EXPECT_THAT(all[2].strings, ElementsAre(""));
    EXPECT_THAT(all[3].ints, ElementsAre());
    EXPECT_EQ(all[4].kind, attribute_kind::INT);
    EXPECT_EQ(all[5].kind, attribute_kind::UNDEFINED);
}

TEST(onnx_reader, refuses_attributes_whose_value_is_not_what_the_type_says) {
    const std::string where = "model.graph.node[0].attribute[0] (axis).";
    EXPECT_THAT(attribute_refusal(empty_attribute("axis", attribute_kind::INT).real(2, 1.0F)),
            HasSubstr(where + "f: the value of type INT is expected in i, not here"));
    EXPECT_THAT(attribute_refusal(empty_attribute("axis", static_cast<attribute_kind>(15))),
            HasSubstr(where + "type: expected a kind of attribute, found 15"));
    EXPECT_THAT(attribute_refusal(message().text(1, "axis")),
            HasSubstr(where + "type: no type is given"));
    EXPECT_THAT(attribute_refusal(empty_attribute("axis", attribute_kind::TENSOR)),
            HasSubstr(where + "t: no value is given"));
    EXPECT_THAT(attribute_refusal(attribute("axis", 1).text(21, "outer")),
            HasSubstr(where + "ref_attr_name: a value is given, too"));
    EXPECT_THAT(attribute_refusal(graph_attribute("axis", graph({})).inner(6, graph({}))),
            HasSubstr(where + "g: expected one, found a second one"));
    EXPECT_THAT(attribute_refusal(empty_attribute("axis", attribute_kind::INT).text(3, "1")),
            HasSubstr(where + "i: expected an integer, found bytes with a length"));
    EXPECT_THAT(attribute_refusal(empty_attribute("axis", attribute_kind::FLOAT).real(2, 1.0)),
            HasSubstr(where + "f: expected 4 bytes, found 8 bytes"));
    EXPECT_THAT(attribute_refusal(empty_attribute("axis", attribute_kind::STRING).real(4, 1.0F)),
            HasSubstr(where + "s: expected bytes with a length, found 4 bytes"));
    EXPECT_THAT(attribute_refusal(empty_attribute("axis", attribute_kind::FLOATS).text(7, "abc")),
            HasSubstr(where + "floats: the length is no multiple of an element's"));
    EXPECT_THAT(attribute_refusal(empty_attribute("axis", attribute_kind::FLOATS).integer(7, 1)),
            HasSubstr(where + "floats: expected 4 bytes, found an integer"));
}

TEST(onnx_reader, refuses_messages_that_contradict_themselves) {
    EXPECT_EQ(refusal(message()), "m.onnx: byte 0: model.graph: no graph is given");
    EXPECT_THAT(refusal(model({}).inner(7, graph({}))),
            HasSubstr("model.graph: expected one, found a second one"));
    const message two_types = tensor_type(element_type::FLOAT).inner(4, message());
    EXPECT_THAT(refusal(model({.inputs = {value("x", two_types)}})),
            HasSubstr("model.graph.input[0] (x).type.sequence_type: expected one, found a second"));
    EXPECT_THAT(refusal(model({.inputs = {value("x", message().inner(9, message()))}})),
            HasSubstr("model.graph.input[0] (x).type.optional_type.elem_type: no type is given"));
    EXPECT_THAT(refusal(model({.inputs = {value("x", message().inner(5, message()))}})),
            HasSubstr("model.graph.input[0] (x).type.map_type.value_type: no type is given"));
}

TEST(onnx_reader, refuses_what_is_no_protobuf) {
    auto broken = [](const std::string &bytes) { return refusal(message{bytes}); };
    EXPECT_EQ(broken("\x08"), "m.onnx: byte 0: model.ir_version: the data ends in the middle of a "
                              "field");
    EXPECT_EQ(broken("\x08" + std::string(10, '\xff') + "\x01"),
            "m.onnx: byte 0: model.ir_version: an integer has more than 10 bytes");
    EXPECT_EQ(broken("\x12\x05"
                     "ab"),
            "m.onnx: byte 0: model.producer_name: 5 bytes are announced, "
            "but only 2 are left");
    // Modulo 2^32 this length would be 1.
    EXPECT_THAT(broken("\x12\x81\x80\x80\x80\x10"
                       "a"),
            HasSubstr("4294967297 bytes are announced, but only 1 are left"));
    EXPECT_THAT(broken("\xfa\x3f\x05"), HasSubstr("model: 5 bytes are announced"));
    for (const char *no_field : {"\x03", "\x0b", "\x0c", "\x0f", "\xc2\xa3\x09"})
        EXPECT_EQ(broken(no_field), "m.onnx: byte 0: model: no field of protobuf begins here");
}

TEST(onnx_reader, messages_name_files_with_any_bytes) {
    const message file = model(
            {.nodes = {
                     node("Op", {}, {}).text(3, "a\xff" + std::string(99, 'b')).text(5, "\xff")}});
    EXPECT_THAT(refusal(file), HasSubstr("model.graph.node[0] (a\xef\xbf\xbd" + std::string(58, 'b')
                                         + "...).attribute[0]: "));
}

TEST(onnx_reader, bounds_how_deep_messages_are_nested) {
    message type = tensor_type(element_type::FLOAT);
    message body = graph({});
    for (int i = 0; i < 60; ++i) {
        type = sequence_type(type);
        body = graph({.nodes = {node("If", {"c"}, {"y"}, {graph_attribute("then_branch", body)})}});
    }
    const std::string text = "messages are nested deeper than 100 levels";
    EXPECT_THAT(refusal(model({.inputs = {value("x", type)}})), HasSubstr(text));
    EXPECT_THAT(refusal(message().inner(7, body)), HasSubstr(text));
    EXPECT_THAT(refusal(message().inner(7, body)),
            HasSubstr("node[0].attribute[0] (then_branch).g.node[0].attribute[0] (then_branch).g"));

    type = tensor_type(element_type::FLOAT);
    for (int i = 0; i < 45; ++i)
        type = sequence_type(type);
    EXPECT_EQ(refusal(model({.inputs = {value("x", type)}})), "");
}

TEST(onnx_reader, bounds_the_number_of_messages) {
    const std::string bytes = message().inner(1, message()).inner(1, message()).bytes;
    const std::string name = "m.onnx";
    formats::onnx::source file{bytes, name, "", formats::onnx::max_messages - 2};
    formats::onnx::message_reader outer(file, "model");
    ASSERT_TRUE(outer.next());
    formats::onnx::message_reader fits(outer, "graph");
    ASSERT_TRUE(outer.next());
    EXPECT_THROW(formats::onnx::message_reader(outer, "graph"), error);
}

/// Reads bytes as everything that a file may be: each must end in a result or in a tern::error.
void read_as_anything(const std::string &bytes) {
    onnx::value_type sequence;
    sequence.kind = value_kind::sequence;
    onnx::value_type optional;
    optional.kind = value_kind::optional;
    auto attempt = [](const auto &reading) {
        try {
            reading();
        } catch (const error &failure) {
            EXPECT_THAT(failure.message, HasSubstr("f: byte "));
        }
    };
    attempt([&] { onnx::read_model(bytes_of(bytes), "f"); });
    attempt([&] { onnx::read_tensor(bytes_of(bytes), "f"); });
    attempt([&] { onnx::read_value(bytes_of(bytes), sequence, "f"); });
    attempt([&] { onnx::read_value(bytes_of(bytes), optional, "f"); });
}

TEST(onnx_reader, survives_files_cut_anywhere) {
    for (const seed &file : seeds())
        for (std::size_t size = 0; size <= file.content.bytes.size(); ++size)
            // A copy of its own, so that a sanitizer sees a read behind the end.
            read_as_anything(file.content.bytes.substr(0, size));
}

TEST(onnx_reader, survives_files_with_wrong_bytes) {
    std::minstd_rand random(1);
    for (const seed &file : seeds())
        for (int round = 0; round < 300; ++round) {
            std::string bytes = file.content.bytes;
            for (int i = 0; i < 1 + round % 3; ++i)
                bytes[random() % bytes.size()] = static_cast<char>(random() % 256);
            read_as_anything(bytes);
        }
}

TEST(onnx_reader, reads_files) {
    temporary_folder folder;
    EXPECT_EQ(onnx::read_model_file(folder.file("m.onnx", model({}).bytes)).ir_version, 10);
    const std::string missing = (folder.path() / "missing.onnx").string();
    try {
        onnx::read_model_file(missing);
        FAIL() << "read a file that is not there";
    } catch (const error &failure) {
        EXPECT_EQ(failure.message, missing + ": cannot open: No such file or directory");
    }
}

} // namespace
} // namespace tern::onnx_writer
