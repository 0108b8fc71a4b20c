// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_IR_GRAPH_HPP
#define TERN_IR_GRAPH_HPP

/// \file
/// The graph: values and ops that refer to each other by index.

#include <cstddef>
#include <string>
#include <unordered_map>
#include <vector>

#include "ir/op_def.hpp"

namespace tern::ir {

/// A logical tensor or a logical value as the inside sees it.
struct port {
    std::size_t id = 0;
    tensor_desc desc;
};

/// An op as a caller or a file describes it.
struct op_spec {
    std::size_t id = 0;
    op_kind kind = op_kind::Wildcard;
    std::string name;
    attr_list attrs;
    std::vector<port> inputs;
    std::vector<port> outputs;

    op_label label() const { return {kind, id}; }
};

struct value {
    std::size_t id;
    tensor_desc desc;
    int producer = -1; ///< Index of the op that writes it; -1: an input of the graph.
};

struct op {
    std::size_t id;
    op_kind kind;
    std::string name;
    attr_list attrs;         ///< Defaults filled in.
    std::vector<int> inputs; ///< Indices of values, by port.
    std::vector<int> outputs;
    const op_def *def; ///< Null for a kind that is known by name only.

    op_label label() const { return {kind, id}; }
};

/// Looks up the definition of a kind. Given from outside, because the definitions stand above the
/// IR.
using find_def = const op_def *(*)(op_kind kind);

/// Checks an op against its definition: number of ports, data types, attributes. Fills in the
/// defaults of its attributes. Throws tern::error (invalid_graph_op).
void verify_schema(op_spec &spec, const op_def &def);

class graph {
public:
    explicit graph(find_def find) : find_def_(find) {}

    /// Takes in one op; on an error nothing has changed. Throws as tern::graph::graph::add_op says.
    void add_op(op_spec spec);
    /// Joins values by id, sorts the ops topologically, infers shapes, freezes. On an error the
    /// graph stays open.
    void finalize();
    bool finalized() const { return finalized_; }

    /// After finalize only: topologically sorted; ops that are free to move keep the order of
    /// adding.
    const std::vector<op> &ops() const { return ops_; }
    const std::vector<value> &values() const { return values_; }

private:
    find_def find_def_;
    bool finalized_ = false;
    std::vector<op_spec> specs_;
    std::unordered_map<std::size_t, std::size_t> spec_by_id_;
    std::vector<op> ops_;
    std::vector<value> values_;
};

} // namespace tern::ir

#endif
