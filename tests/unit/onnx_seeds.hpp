// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_TESTS_UNIT_ONNX_SEEDS_HPP
#define TERN_TESTS_UNIT_ONNX_SEEDS_HPP

/// \file
/// ONNX files that together have every field of every message that the reader knows: what the
/// tests damage, and the corpus of the fuzz target.

#include <string>
#include <vector>

#include "onnx_writer.hpp"

namespace tern::onnx_writer {

struct seed {
    std::string name;
    message content;
};

/// One tensor of each type in each of the forms that it may have.
inline std::vector<message> seed_tensors() {
    std::vector<message> all;
    auto add = [&](element_type type, std::int64_t count) -> message & {
        return all.emplace_back(empty_tensor("t" + std::to_string(all.size()), type, {count}));
    };
    add(element_type::FLOAT, 2).packed(4, std::vector<float>{1, -2});
    add(element_type::FLOAT, 2).real(4, 1.0F).real(4, -2.0F);
    add(element_type::COMPLEX64, 1).packed(4, std::vector<float>{1, -2});
    add(element_type::DOUBLE, 2).packed(10, std::vector<double>{1, -2});
    add(element_type::DOUBLE, 1).real(10, 1.5);
    add(element_type::COMPLEX128, 1).packed(10, std::vector<double>{1, -2});
    for (element_type type : {element_type::INT32, element_type::INT16, element_type::INT8})
        add(type, 2).packed(5, std::vector<std::int64_t>{-1, 5});
    for (element_type type : {element_type::UINT16, element_type::UINT8, element_type::FLOAT16,
                 element_type::BFLOAT16, element_type::FLOAT8E4M3FN, element_type::FLOAT8E5M2,
                 element_type::BOOL})
        add(type, 2).integer(5, 1).integer(5, 0);
    add(element_type::INT64, 2).packed(7, std::vector<std::int64_t>{-1, 1});
    add(element_type::INT64, 1).integer(7, -1);
    for (element_type type : {element_type::UINT32, element_type::UINT64}) {
        add(type, 2).packed(11, std::vector<std::int64_t>{0, 7});
        add(type, 1).integer(11, 7);
    }
    add(element_type::STRING, 2).texts(6, {"", "ab"});
    add(element_type::INT16, 2).text(9, "abcd");
    add(element_type::INT4, 3).text(9, "ab");
    add(element_type::FLOAT, 0).text(12, "doc");
    return all;
}

inline message seed_external_tensor() {
    return empty_tensor("outside", element_type::INT8, {4})
            .inners(13, {message().text(1, "location").text(2, "weights"),
                                message().text(1, "offset").text(2, "2"),
                                message().text(1, "length").text(2, "4"),
                                message().text(1, "checksum").text(2, "0")})
            .integer(14, 1);
}

/// Types of every kind with fields that the reader skips.
inline std::vector<message> seed_types() {
    const message dim = message().integer(1, 2).text(3, "denotation");
    const message shape = message().inner(1, dim).text(1000, "unknown");
    const message element = message().integer(1, 1).inner(2, shape).text(1000, "unknown");
    const message type = message().inner(1, element).text(6, "denotation");
    return {type, message().inner(4, message().inner(1, type).integer(1000, 1)),
            message().inner(5, message().integer(1, 7).inner(2, type).real(1000, 1.0F)),
            message().inner(7, message().text(1, "domain").text(2, "name")),
            message().inner(8, element), message().inner(9, message().inner(1, type))};
}

inline message seed_graph() {
    const message tensor = seed_tensors()[0];
    const message type = tensor_type(element_type::FLOAT, {2, "n", ""});
    const message sparse = message()
                                   .inner(1, tensor)
                                   .inner(2, seed_tensors()[16])
                                   .packed(3, std::vector<std::int64_t>{2});
    const message inner =
            graph({.nodes = {node("Neg", {"x"}, {"y"})}, .outputs = {value("y", type)}});
    const std::vector<message> attributes = {
            attribute("f", 1.5F).text(13, "doc"),
            attribute("i", 3),
            attribute("s", "text"),
            attribute("floats", std::vector<float>{1, 2}),
            attribute("ints", std::vector<std::int64_t>{1, -2}),
            attribute("strings", std::vector<std::string>{"a", ""}),
            tensor_attribute("t", tensor),
            graph_attribute("g", inner),
            type_attribute("tp", optional_type(sequence_type(type))),
            empty_attribute("tensors", attribute_kind::TENSORS).inners(10, {tensor, tensor}),
            empty_attribute("graphs", attribute_kind::GRAPHS).inners(11, {inner, inner}),
            empty_attribute("types", attribute_kind::TYPE_PROTOS).inners(15, {type, type}),
            empty_attribute("sparse", attribute_kind::SPARSE_TENSOR).inner(22, sparse),
            empty_attribute("sparses", attribute_kind::SPARSE_TENSORS).inner(23, sparse),
    };
    std::vector<message> inputs = {value("x", type).text(3, "doc")};
    for (const message &input : seed_types())
        inputs.push_back(value("i" + std::to_string(inputs.size()), input));
    message result = graph({
            .nodes = {node("Op", {"x", "", "w"}, {"y", ""}, attributes)
                              .text(3, "first")
                              .text(6, "doc")
                              .text(7, "domain")
                              .text(8, "overload"),
                    node("Neg", {"y"}, {"z"})},
            .inputs = inputs,
            .outputs = {value("z", optional_type(tensor_type(element_type::FLOAT)))},
            .initializers = seed_tensors(),
    });
    result.text(10, "doc").inner(13, value("y", type).text(6, "denotation")).inner(15, sparse);
    return result.inner(14, message().text(1, "x")).inner(16, message().text(1, "key"));
}

inline message seed_model() {
    const message call = function({.domain = "local",
            .name = "twice",
            .inputs = {"a"},
            .outputs = {"b"},
            .attributes = {"needed"},
            .nodes = {node("Mul", {"a", "a"}, {"b"},
                    {reference_attribute("axis", attribute_kind::INT, "needed")})},
            .opset_imports = {opset_import("", 21)}});
    message result;
    result.integer(1, 10).text(2, "producer").text(3, "1.0").text(4, "domain").integer(5, 7);
    result.text(6, "doc").inner(7, seed_graph()).inner(8, opset_import("", 21));
    result.inner(8, opset_import("local", 1)).inner(14, message().text(1, "key").text(2, "value"));
    message extended = call;
    extended.text(8, "doc").inner(11, attribute("optional", 2)).text(13, "overload");
    extended.inner(12, value("a", tensor_type(element_type::FLOAT)));
    return result.inner(25, extended).inner(20, message()).inner(26, message());
}

inline std::vector<seed> seeds() {
    std::vector<seed> all = {{"model", seed_model()},
            {"model_with_external_data",
                    model({.nodes = {}, .initializers = {seed_external_tensor()}})}};
    for (const message &tensor : seed_tensors())
        all.push_back({"tensor_" + std::to_string(all.size()), tensor});
    const message tensor = seed_tensors()[0];
    const message sequence = sequence_of_tensors({tensor, tensor}).text(1, "name");
    all.push_back({"sequence", sequence});
    all.push_back(
            {"sequence_of_sequences", message().integer(2, 3).inners(5, {sequence, sequence})});
    all.push_back({"sequence_of_optionals",
            message().integer(2, 5).inners(7, {optional_of_tensor(tensor), empty_optional()})});
    all.push_back({"sequence_of_sparse_tensors", message().integer(2, 2).inner(4, message())});
    all.push_back({"sequence_of_maps", message().integer(2, 4).inner(6, message())});
    all.push_back({"optional_of_tensor", optional_of_tensor(tensor).text(1, "name")});
    all.push_back({"optional_of_sequence", optional_of_sequence(sequence)});
    all.push_back({"optional_of_optional", message().integer(2, 5).inner(7, empty_optional())});
    all.push_back({"empty_optional", empty_optional()});
    return all;
}

} // namespace tern::onnx_writer

#endif
