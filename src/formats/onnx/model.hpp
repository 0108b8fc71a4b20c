// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_FORMATS_ONNX_MODEL_HPP
#define TERN_FORMATS_ONNX_MODEL_HPP

/// \file
/// What an ONNX file says, as plain data: the messages of onnx.proto that Tern reads, under its
/// names. A model may name values that do not exist and ops that nobody knows; what the reader
/// promises is that the data of tensors fits their types and dims.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tern/types.hpp"

namespace tern::formats::onnx {

/// TensorProto.DataType. A file may hold any other number, too.
enum class element_type : std::int32_t {
#define TERN_ONNX_TYPE(name, number, type) name = number,
#include "formats/onnx/element_types.def"
#undef TERN_ONNX_TYPE
};

/// The same type of Tern's; undef where Tern has none.
data_type data_type_of(element_type type);
/// "FLOAT"; "type 99" for a number that ONNX does not define.
std::string name_of(element_type type);

/// TensorProto. Copies share the data.
struct tensor {
    std::string name;
    element_type type = element_type::UNDEFINED;
    std::vector<std::int64_t> dims; ///< None is negative; their product fits int64.

    /// Dense, row-major, little-endian elements of data_type_of(type), 64-byte aligned; a boolean
    /// is the byte that the file has. Null for strings, for no elements, and when not readable.
    std::shared_ptr<const std::byte> data;
    std::size_t bytes = 0;
    std::vector<std::string> strings; ///< The elements of type STRING; any bytes.

    /// Why the elements could not be read, where Tern lacks the type: whoever needs them says so.
    std::string unreadable;
    std::string where; ///< "model.graph.initializer[3] (bias)", for messages.
};

/// TensorShapeProto.Dimension: a size, a name that stands for one, or neither.
struct dimension {
    std::optional<std::int64_t> size;
    std::string name;
};

enum class value_kind { undefined, tensor, sparse_tensor, sequence, map, optional, opaque };

/// "tensor", "sequence", ...
std::string_view name_of(value_kind kind);

/// TypeProto.
struct value_type {
    value_kind kind = value_kind::undefined;
    element_type element = element_type::UNDEFINED;    ///< tensor, sparse_tensor; map: of the keys
    std::optional<std::vector<dimension>> shape;       ///< tensor, sparse_tensor: none if unknown
    std::shared_ptr<const value_type> inner = nullptr; ///< sequence, optional, map; else null
};

/// ValueInfoProto.
struct value_info {
    std::string name;
    std::optional<value_type> type;
};

struct graph;

/// AttributeProto.AttributeType.
enum class attribute_kind : std::int32_t {
    UNDEFINED,
    FLOAT,
    INT,
    STRING,
    TENSOR,
    GRAPH,
    FLOATS,
    INTS,
    STRINGS,
    TENSORS,
    GRAPHS,
    SPARSE_TENSOR,
    SPARSE_TENSORS,
    TYPE_PROTO,
    TYPE_PROTOS,
};

/// "FLOAT". What is read has no other kinds than these.
std::string_view name_of(attribute_kind kind);

/// AttributeProto. Values are lists, also those of the kinds for one value, whose list then has
/// exactly one entry. Sparse tensors are not kept.
struct attribute {
    std::string name;
    attribute_kind kind = attribute_kind::UNDEFINED;
    std::string reference; ///< In a function: the attribute of the call that this stands for.
    std::vector<float> floats;
    std::vector<std::int64_t> ints;
    std::vector<std::string> strings;
    std::vector<tensor> tensors;
    std::vector<graph> graphs;
    std::vector<value_type> types;
};

/// NodeProto. An empty name of an input or output is one that is left out.
struct node {
    std::string name;
    std::string op_type;
    std::string domain;
    std::string overload;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    std::vector<attribute> attributes;
};

/// GraphProto.
struct graph {
    std::string name;
    std::string doc;
    std::vector<node> nodes;
    std::vector<tensor> initializers;
    std::vector<std::string> sparse_initializers; ///< Their names only.
    std::vector<value_info> inputs;
    std::vector<value_info> outputs;
    std::vector<value_info> value_infos;
};

/// OperatorSetIdProto.
struct opset_import {
    std::string domain;
    std::int64_t version = 0;
};

/// FunctionProto.
struct function {
    std::string name;
    std::string domain;
    std::string overload;
    std::vector<std::string> inputs;
    std::vector<std::string> outputs;
    std::vector<std::string> attributes;       ///< Names of those a call must give.
    std::vector<attribute> default_attributes; ///< Those a call may leave out.
    std::vector<node> nodes;
    std::vector<value_info> value_infos;
    std::vector<opset_import> opset_imports;
};

/// StringStringEntryProto.
struct metadata_entry {
    std::string key;
    std::string value;
};

/// ModelProto.
struct model {
    std::int64_t ir_version = 0;
    std::string producer_name;
    std::string producer_version;
    std::string domain;
    std::int64_t model_version = 0;
    std::string doc;
    graph main_graph;
    std::vector<opset_import> opset_imports;
    std::vector<function> functions;
    std::vector<metadata_entry> metadata;
};

/// TensorProto, SequenceProto or OptionalProto as the files of test data hold them.
struct stored_value {
    value_kind kind = value_kind::undefined; ///< tensor, sequence or optional
    tensor content;                          ///< tensor
    /// What a sequence or optional says that it holds; undefined for an empty optional without
    /// type.
    value_kind element_kind = value_kind::undefined;
    std::vector<stored_value> elements; ///< Of a sequence; of an optional none or one.
};

} // namespace tern::formats::onnx

#endif
