// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_FORMATS_JSON_GRAPH_FILE_HPP
#define TERN_FORMATS_JSON_GRAPH_FILE_HPP

/// \file
/// benchdnn's graph files: the JSON that oneDNN's graph dumps and its test driver use.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.hpp"

namespace tern::formats {

/// Where the partitioner put an op: the attributes partition_id and backend, which only dumps have
/// that were written after partitioning.
struct placement {
    std::optional<std::int64_t> partition;
    std::string backend;
};

/// What the driver feeds where a graph's input is no tensor: Tern's own keys of the format.
struct value_sample {
    enum class state { present, empty, absent };
    state what = state::present; ///< Of optionals; the others are present.
    std::vector<dims> shapes;    ///< Of the tensors of a sequence; one for an optional tensor.

    friend bool operator==(const value_sample &, const value_sample &) = default;
};
std::string_view name_of(value_sample::state state);

/// What a graph file says. Descriptions of one tensor id agree: in data type and property always,
/// in shape and layout unless an op of the graph writes the tensor (its shape follows from the
/// inputs, whatever the file says).
struct graph_file {
    std::string version;     ///< Of the library that wrote it; informational.
    std::string engine_kind; ///< As written; the driver's --engine decides.
    std::optional<fpmath_mode> fpmath;
    bool fpmath_apply_to_int = false;
    std::vector<std::size_t> input_ports;
    std::vector<std::size_t> output_ports;
    std::vector<ir::op_spec> ops;                ///< In file order; ids are unique.
    std::map<std::size_t, placement> placements; ///< By op id; nothing runs by them.
    std::map<std::size_t, value_sample> samples; ///< By id of what is no tensor, where given.
};

/// Reads a file. Throws tern::error (invalid_arguments) whose message begins with path, line and
/// column and names op (id, kind, name), port, key, what was expected and what was found.
graph_file read_graph_file(const std::string &path);

/// The same from memory; `name` stands for the path in messages.
graph_file parse_graph(std::string_view text, const std::string &name);

/// The graph in the same format, as oneDNN lays it out. Reading the result and writing it again
/// gives the same bytes.
std::string write_graph(const graph_file &graph);

/// "strict", "bf16", ...: the names of --attr-fpmath and of the key fpmath_mode.
std::string_view name_of(fpmath_mode mode);
std::optional<fpmath_mode> fpmath_mode_from_name(std::string_view name);
std::string_view name_of(property_type property);
std::optional<property_type> property_from_name(std::string_view name);
std::optional<op_kind> op_kind_from_name(std::string_view name);
std::optional<op_attr> op_attr_from_name(std::string_view name);

} // namespace tern::formats

#endif
