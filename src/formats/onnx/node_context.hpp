// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_FORMATS_ONNX_NODE_CONTEXT_HPP
#define TERN_FORMATS_ONNX_NODE_CONTEXT_HPP

/// \file
/// One node of a model while it is imported: what the rules of the op table work with.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "formats/onnx/model.hpp"
#include "formats/onnx/stage_builder.hpp"

namespace tern::formats::onnx {

struct op_rule;

/// Thrown by a rule that cannot go on before the content of an input is known.
struct content_needed {
    std::string value;
};
/// Thrown by a rule whose operands are not there before the stage has run.
struct not_yet {};

/// A step that works on values instead of tensor memory.
struct value_step {
    std::string where; ///< File and node, for messages.
    ir::op_label label;
    ir::attr_list attrs;
    std::vector<traced> in; ///< With a slot or content.
    traced out;             ///< With a slot.
};

class node_context {
public:
    node_context(const node &source, const op_rule &rule, int version, stage_builder &build,
            std::vector<traced> in)
        : source(source),
          rule(rule),
          version(version),
          build(build),
          in_(std::move(in)) {}

    const node &source;
    const op_rule &rule;
    int version; ///< Of the operator set.
    stage_builder &build;

    // Inputs.
    std::size_t input_count() const { return in_.size(); }
    bool has(std::size_t port) const { return port < in_.size() && in_[port].is_given; }
    /// Any value, or an absent one.
    const traced &any(std::size_t port) const;
    /// A tensor. Throws invalid_graph_op where it is left out or something else.
    const traced &in(std::size_t port) const;
    const dims &shape(std::size_t port) const { return in(port).desc.shape; }
    int rank(std::size_t port) const { return shape(port).rank(); }
    /// The content of a tensor; throws content_needed where it is not known yet.
    const constant &content(std::size_t port) const;
    /// The content of a rank 0 or 1 tensor of integers.
    std::vector<std::int64_t> integers(std::size_t port) const;

    // Attributes. Each throws invalid_graph_op when it is there with another kind.
    bool has_attr(std::string_view name) const { return find(name) != nullptr; }
    std::int64_t integer(std::string_view name, std::int64_t when_unset) const;
    float number(std::string_view name, float when_unset) const;
    std::string text(std::string_view name, std::string_view when_unset) const;
    std::optional<std::vector<std::int64_t>> integer_list(std::string_view name) const;
    const attribute *find(std::string_view name) const;
    const attribute *find(std::string_view name, attribute_kind kind) const;

    /// `given` counted from the front. Throws invalid_graph_op naming `field`.
    int axis(std::string_view field, std::int64_t given, int rank) const;

    // Results.
    traced emit(op_kind kind, const ir::attr_list &attrs, std::initializer_list<traced> in) {
        return build.emit(kind, attrs, in, in.begin()->desc.type);
    }
    /// Integers as a constant of rank 1.
    traced list(const std::vector<std::int64_t> &values) const;
    /// A constant of rank 0 with the value in the given type.
    traced scalar(data_type type, double value) const;
    void set(traced value) { out.push_back(std::move(value)); }
    /// The result of an op of the rule's kind on whole values, all inputs of the node. Throws
    /// not_yet where one of them is made by the graph of this stage.
    void set_step(const ir::attr_list &attrs, traced result);
    std::vector<traced> out; ///< By output port.
    std::vector<value_step> steps;

    /// Throws with the status; the caller puts the node's name in front.
    [[noreturn]] void refuse(const std::string &text) const;
    /// Throws declined.
    [[noreturn]] void decline(const std::string &text) const;

private:
    std::vector<traced> in_;
};

/// What messages call a node: `node 3 "name" (Add)`.
std::string label_of(const node &source, std::size_t index);

} // namespace tern::formats::onnx

#endif
