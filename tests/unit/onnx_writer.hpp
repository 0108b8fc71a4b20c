// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_TESTS_UNIT_ONNX_WRITER_HPP
#define TERN_TESTS_UNIT_ONNX_WRITER_HPP

/// \file
/// Writes ONNX files for tests. Each function gives one message; more fields, right or wrong, can
/// be added to it by number:
///
///     using namespace tern::onnx_writer;
///     std::string file = model({.nodes = {node("Where", {"c", "x", "y"}, {"z"})},
///             .inputs = {value("c", tensor_type(element_type::BOOL, {2, "n"})), ...},
///             .outputs = {value("z", tensor_type(element_type::FLOAT, {2, "n"}))},
///             .initializers = {tensor<float>("x", element_type::FLOAT, {1, 2}, {3, 4})}}).bytes;

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include <protozero/pbf_writer.hpp>

#include "formats/onnx/model.hpp"

namespace tern::onnx_writer {

using formats::onnx::attribute_kind;
using formats::onnx::element_type;

/// A protobuf message.
struct message {
    std::string bytes;

    message &integer(std::uint32_t field, std::int64_t value) {
        protozero::pbf_writer(bytes).add_int64(field, value);
        return *this;
    }
    message &real(std::uint32_t field, float value) {
        protozero::pbf_writer(bytes).add_float(field, value);
        return *this;
    }
    message &real(std::uint32_t field, double value) {
        protozero::pbf_writer(bytes).add_double(field, value);
        return *this;
    }
    message &text(std::uint32_t field, std::string_view value) {
        protozero::pbf_writer(bytes).add_bytes(field, value.data(), value.size());
        return *this;
    }
    message &texts(std::uint32_t field, const std::vector<std::string> &values) {
        for (const std::string &value : values)
            text(field, value);
        return *this;
    }
    message &inner(std::uint32_t field, const message &value) { return text(field, value.bytes); }
    message &inners(std::uint32_t field, const std::vector<message> &values) {
        for (const message &value : values)
            inner(field, value);
        return *this;
    }
    message &packed(std::uint32_t field, const std::vector<std::int64_t> &values) {
        protozero::pbf_writer(bytes).add_packed_int64(field, values.begin(), values.end());
        return *this;
    }
    message &packed(std::uint32_t field, const std::vector<float> &values) {
        protozero::pbf_writer(bytes).add_packed_float(field, values.begin(), values.end());
        return *this;
    }
    message &packed(std::uint32_t field, const std::vector<double> &values) {
        protozero::pbf_writer(bytes).add_packed_double(field, values.begin(), values.end());
        return *this;
    }
};

// --- tensors -------------------------------------------------------------------------------------

/// A TensorProto without elements. Fields for these: 4 float_data, 5 int32_data, 6 string_data,
/// 7 int64_data, 9 raw_data, 10 double_data, 11 uint64_data.
inline message empty_tensor(
        std::string_view name, element_type type, const std::vector<std::int64_t> &dims) {
    message result;
    result.packed(1, dims).integer(2, static_cast<std::int64_t>(type)).text(8, name);
    return result;
}

/// With the elements' bytes as raw_data.
inline message raw_tensor(std::string_view name, element_type type,
        const std::vector<std::int64_t> &dims, std::string_view bytes) {
    return empty_tensor(name, type, dims).text(9, bytes);
}

/// T: whatever has the bytes of an element.
template <typename T>
message tensor(std::string_view name, element_type type, const std::vector<std::int64_t> &dims,
        const std::vector<T> &elements) {
    return raw_tensor(name, type, dims,
            {reinterpret_cast<const char *>(elements.data()), elements.size() * sizeof(T)});
}

inline message string_tensor(std::string_view name, const std::vector<std::int64_t> &dims,
        const std::vector<std::string> &elements) {
    return empty_tensor(name, element_type::STRING, dims).texts(6, elements);
}

/// A SequenceProto of tensors.
inline message sequence_of_tensors(const std::vector<message> &tensors) {
    message result;
    result.integer(2, 1).inners(3, tensors);
    return result;
}

/// An OptionalProto that holds a tensor, one that holds a sequence, an empty one.
inline message optional_of_tensor(const message &tensor) {
    message result;
    result.integer(2, 1).inner(3, tensor);
    return result;
}
inline message optional_of_sequence(const message &sequence) {
    message result;
    result.integer(2, 3).inner(5, sequence);
    return result;
}
inline message empty_optional() {
    message result;
    result.integer(2, 0);
    return result;
}

// --- types ---------------------------------------------------------------------------------------

/// A size, or the name of one; "" for neither.
using dimension = std::variant<int, std::string>;

/// A TypeProto.
inline message tensor_type(element_type type, const std::vector<dimension> &shape) {
    message dims;
    for (const dimension &size : shape) {
        message entry;
        if (const int *number = std::get_if<int>(&size))
            entry.integer(1, *number);
        else if (!std::get<std::string>(size).empty())
            entry.text(2, std::get<std::string>(size));
        dims.inner(1, entry);
    }
    message tensor;
    tensor.integer(1, static_cast<std::int64_t>(type)).inner(2, dims);
    message result;
    result.inner(1, tensor);
    return result;
}
/// A tensor of unknown rank.
inline message tensor_type(element_type type) {
    message tensor;
    tensor.integer(1, static_cast<std::int64_t>(type));
    message result;
    result.inner(1, tensor);
    return result;
}
inline message sequence_type(const message &element) {
    message sequence;
    sequence.inner(1, element);
    message result;
    result.inner(4, sequence);
    return result;
}
inline message optional_type(const message &element) {
    message optional;
    optional.inner(1, element);
    message result;
    result.inner(9, optional);
    return result;
}

/// A ValueInfoProto: an input, an output or a value in between.
inline message value(std::string_view name, const message &type) {
    message result;
    result.text(1, name).inner(2, type);
    return result;
}

// --- nodes and what holds them -------------------------------------------------------------------

/// An AttributeProto without value.
inline message empty_attribute(std::string_view name, attribute_kind kind) {
    message result;
    result.text(1, name).integer(20, static_cast<std::int64_t>(kind));
    return result;
}
inline message attribute(std::string_view name, std::int64_t value) {
    return empty_attribute(name, attribute_kind::INT).integer(3, value);
}
inline message attribute(std::string_view name, int value) {
    return attribute(name, std::int64_t{value});
}
inline message attribute(std::string_view name, float value) {
    return empty_attribute(name, attribute_kind::FLOAT).real(2, value);
}
inline message attribute(std::string_view name, const char *value) {
    return empty_attribute(name, attribute_kind::STRING).text(4, value);
}
inline message attribute(std::string_view name, const std::vector<std::int64_t> &values) {
    return empty_attribute(name, attribute_kind::INTS).packed(8, values);
}
inline message attribute(std::string_view name, const std::vector<float> &values) {
    return empty_attribute(name, attribute_kind::FLOATS).packed(7, values);
}
inline message attribute(std::string_view name, const std::vector<std::string> &values) {
    return empty_attribute(name, attribute_kind::STRINGS).texts(9, values);
}
inline message tensor_attribute(std::string_view name, const message &tensor) {
    return empty_attribute(name, attribute_kind::TENSOR).inner(5, tensor);
}
inline message graph_attribute(std::string_view name, const message &graph) {
    return empty_attribute(name, attribute_kind::GRAPH).inner(6, graph);
}
inline message type_attribute(std::string_view name, const message &type) {
    return empty_attribute(name, attribute_kind::TYPE_PROTO).inner(14, type);
}
/// In a function: stands for an attribute of the call.
inline message reference_attribute(
        std::string_view name, attribute_kind kind, std::string_view of_call) {
    return empty_attribute(name, kind).text(21, of_call);
}

/// A NodeProto. Field 3 is its name, 7 its domain.
inline message node(std::string_view op_type, const std::vector<std::string> &inputs,
        const std::vector<std::string> &outputs, const std::vector<message> &attributes = {}) {
    message result;
    result.texts(1, inputs).texts(2, outputs).text(4, op_type).inners(5, attributes);
    return result;
}

struct graph_parts {
    std::vector<message> nodes = {};
    std::vector<message> inputs = {};
    std::vector<message> outputs = {};
    std::vector<message> initializers = {};
    std::string name = "test";
};

/// A GraphProto.
inline message graph(const graph_parts &parts) {
    message result;
    result.inners(1, parts.nodes).text(2, parts.name).inners(5, parts.initializers);
    result.inners(11, parts.inputs).inners(12, parts.outputs);
    return result;
}

inline message opset_import(std::string_view domain, std::int64_t version) {
    message result;
    result.text(1, domain).integer(2, version);
    return result;
}

/// A ModelProto with one opset of ONNX's own domain. Field 8 is for more of them, 25 for functions.
inline message model(const graph_parts &parts, std::int64_t opset = 21) {
    message result;
    result.integer(1, 10).inner(7, graph(parts)).inner(8, opset_import("", opset));
    return result;
}

struct function_parts {
    std::string domain;
    std::string name;
    std::vector<std::string> inputs = {};
    std::vector<std::string> outputs = {};
    std::vector<std::string> attributes = {};
    std::vector<message> nodes = {};
    std::vector<message> opset_imports = {};
};

/// A FunctionProto.
inline message function(const function_parts &parts) {
    message result;
    result.text(1, parts.name).texts(4, parts.inputs).texts(5, parts.outputs);
    result.texts(6, parts.attributes).inners(7, parts.nodes).inners(9, parts.opset_imports);
    result.text(10, parts.domain);
    return result;
}

} // namespace tern::onnx_writer

#endif
