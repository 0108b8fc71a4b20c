// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_FORMATS_ONNX_IMPORTER_HPP
#define TERN_FORMATS_ONNX_IMPORTER_HPP

/// \file
/// From a model to graphs. A model is imported in stages: each stage goes as far as shapes are
/// known, and what depends on data only (the shape of a NonZero, a Reshape to a computed shape)
/// waits for the next one. The stage at load time knows no shapes at all: it computes what is
/// constant.

#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "formats/onnx/model.hpp"
#include "formats/onnx/node_context.hpp"

namespace tern::formats::onnx {

/// Values by name.
using environment = std::unordered_map<std::string, traced>;

/// A node with everything that is found out of it once.
struct program_node {
    const node *source;
    const op_rule *rule;
    std::size_t index; ///< In the model, for messages.
};

/// A model that was checked: every op is known, every value has one producer, nodes are in
/// topological order, and those whose results nobody needs are left out.
struct program {
    std::shared_ptr<const model> source;
    std::string file; ///< What messages call the model.
    int version = 0;  ///< Of ONNX's own operator set.
    std::vector<program_node> nodes;
    std::vector<const value_info *> inputs; ///< Those without an initializer.
    std::vector<const value_info *> outputs;
    environment constants; ///< The initializers.
};

/// Throws invalid_graph, naming file and node; declined, naming every op that is not supported.
program make_program(std::shared_ptr<const model> source, const std::string &file);

struct imported_stage {
    std::string file;                    ///< What messages call the model.
    std::vector<value_step> value_steps; ///< Come before the graph.
    std::vector<ir::op_spec> ops;
    std::vector<std::pair<std::size_t, constant_ptr>> constants; ///< Graph inputs by tensor id.
    /// What the graph reads from slots and leaves there: tensor id and slot.
    std::vector<std::pair<std::size_t, int>> inputs;
    std::vector<std::pair<std::size_t, int>> outputs;
    std::vector<std::size_t> deferred; ///< Of the program's nodes: the next stage's.
    environment after;                 ///< What the next stage, or the caller of the model, needs.
    /// Slots whose content the next stage must know. Where the previous stage left them already,
    /// importing this stage again with their content goes further.
    std::vector<int> demanded;
    std::size_t next_id = 1;
    int slots = 0; ///< Number of slots in use up to this stage.
};

/// Before any shape is known: slot i is input i. Throws as import_next.
imported_stage import_constants(const program &source);

/// The stage behind `before`, whose `after` has been completed in `known`: the shapes of all
/// tensors in slots, and the contents asked for. Throws the errors of a node's op with file and
/// node in front; declined.
imported_stage import_next(
        const program &source, const imported_stage &before, const environment &known);

} // namespace tern::formats::onnx

#endif
