// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "driver/option_values.hpp"
#include "driver/rewrite.hpp"
#include "ops/registry.hpp"

namespace tern::driver {
namespace {

/// Ops that --op-kind may put in each other's place: the same ports mean the same.
enum class exchange_class { none, unary, unary_backward, binary, logical, choice };

exchange_class exchange_of(op_kind kind) {
    using k = op_kind;
    switch (kind) {
        case k::Abs:
        case k::Ceil:
        case k::Clamp:
        case k::Elu:
        case k::Erf:
        case k::Exp:
        case k::Floor:
        case k::GELU:
        case k::HardSigmoid:
        case k::HardSwish:
        case k::LeakyReLU:
        case k::Log:
        case k::Mish:
        case k::Neg:
        case k::Not:
        case k::Pow:
        case k::Reciprocal:
        case k::ReLU:
        case k::Round:
        case k::Sigmoid:
        case k::Sign:
        case k::SoftPlus:
        case k::Sqrt:
        case k::Square:
        case k::Tanh: return exchange_class::unary;
        case k::AbsBackward:
        case k::ClampBackward:
        case k::EluBackward:
        case k::GELUBackward:
        case k::HardSigmoidBackward:
        case k::HardSwishBackward:
        case k::MishBackward:
        case k::ReLUBackward:
        case k::SigmoidBackward:
        case k::SoftPlusBackward:
        case k::SqrtBackward:
        case k::TanhBackward: return exchange_class::unary_backward;
        case k::Add:
        case k::BiasAdd:
        case k::Divide:
        case k::Equal:
        case k::Greater:
        case k::GreaterEqual:
        case k::Less:
        case k::LessEqual:
        case k::Maximum:
        case k::Minimum:
        case k::Multiply:
        case k::NotEqual:
        case k::SquaredDifference:
        case k::Subtract: return exchange_class::binary;
        case k::And:
        case k::Or:
        case k::Xor: return exchange_class::logical;
        case k::Select:
        case k::Where: return exchange_class::choice;
        default: return exchange_class::none;
    }
}

[[noreturn]] void fail_value(
        std::size_t id, std::string_view name, std::string_view expected, std::string_view found) {
    fail_rewrite("option --op-attrs: op {}: attribute {}: expected {}, found '{}'", id, name,
            expected, found);
}

ir::attr_value parse_attr(std::size_t id, op_attr attr, const std::string &text) {
    std::string_view name = ir::name_of(attr);
    switch (ir::kind_of(attr)) {
        case ir::attr_kind::string: return text;
        case ir::attr_kind::boolean:
            if (std::optional<bool> value = to_bool(text)) return *value;
            fail_value(id, name, "true or false", text);
        case ir::attr_kind::s64:
            if (std::optional<std::int64_t> value = to_integer(text)) return *value;
            fail_value(id, name, "an integer", text);
        case ir::attr_kind::f32:
            if (std::optional<double> value = to_real(text)) return static_cast<float>(*value);
            fail_value(id, name, "a number", text);
        case ir::attr_kind::s64s: {
            std::vector<std::int64_t> values;
            for (const std::string &part : split(text, 'x')) {
                std::optional<std::int64_t> value = to_integer(part);
                if (!value) fail_value(id, name, "integers joined by x", text);
                values.push_back(*value);
            }
            return values;
        }
        case ir::attr_kind::f32s: break;
    }
    std::vector<float> values;
    for (const std::string &part : split(text, 'x')) {
        std::optional<double> value = to_real(part);
        if (!value) fail_value(id, name, "numbers joined by x", text);
        values.push_back(static_cast<float>(*value));
    }
    return values;
}

void set_attr(ir::op_spec &op, op_attr attr, ir::attr_value value) {
    for (auto &[name, old] : op.attrs) {
        if (name != attr) continue;
        old = std::move(value);
        return;
    }
    op.attrs.emplace_back(attr, std::move(value));
}

/// Attributes that the op's new kind does not have.
void drop_foreign_attrs(ir::op_spec &op) {
    const ir::op_def *def = ops::find(op.kind);
    if (!def) return;
    std::erase_if(op.attrs, [def](const auto &attr) {
        return std::none_of(def->attrs.begin(), def->attrs.end(),
                [&](const ir::attr_def &known) { return known.attr == attr.first; });
    });
}

std::vector<ir::op_spec>::iterator find_op(working_graph &graph, std::size_t id) {
    return std::find_if(graph.file.ops.begin(), graph.file.ops.end(),
            [id](const ir::op_spec &op) { return op.id == id; });
}

/// The input that takes the place of a removed op's output: the only one, or of two the one that
/// another op writes.
std::size_t surviving_input(const working_graph &graph, const ir::op_spec &op) {
    if (exchange_of(op.kind) == exchange_class::unary && op.inputs.size() == 1)
        return op.inputs[0].id;
    std::vector<std::size_t> written;
    for (const ir::port &port : op.inputs)
        if (!graph.is_input(port.id)) written.push_back(port.id);
    if (written.size() != 1)
        fail_rewrite(
                "option --op-kind: {} cannot be removed: {} of its inputs are written by other "
                "ops, expected one",
                to_string(op.label()), written.size());
    return written[0];
}

void remove_op(working_graph &graph, std::vector<ir::op_spec>::iterator op) {
    exchange_class its_class = exchange_of(op->kind);
    bool removable = its_class == exchange_class::unary || its_class == exchange_class::binary
                     || its_class == exchange_class::logical;
    if (!removable || op->outputs.size() != 1)
        fail_rewrite("option --op-kind: {} cannot be removed: only unary and binary ops with one "
                     "output can",
                to_string(op->label()));
    const std::size_t output = op->outputs[0].id;
    const std::size_t input = surviving_input(graph, *op);
    graph.file.ops.erase(op);
    for (ir::op_spec &other : graph.file.ops)
        for (ir::port &port : other.inputs)
            if (port.id == output) port.id = input;
    for (std::size_t &port : graph.file.output_ports)
        if (port == output) port = input;

    graph.tensors.erase(output);
    graph.written.erase(output);
    graph.read.clear();
    for (const ir::op_spec &other : graph.file.ops)
        for (const ir::port &port : other.inputs)
            graph.read.insert(port.id);
    // An input that only the removed op read is no longer part of the graph.
    for (auto at = graph.tensors.begin(); at != graph.tensors.end();) {
        bool used = graph.read.contains(at->first) || graph.written.contains(at->first);
        at = used ? std::next(at) : graph.tensors.erase(at);
    }
    if (graph.file.ops.empty()) fail_rewrite("option --op-kind: no op is left");
}

} // namespace

void rewrite_attrs(working_graph &graph, const id_values &op_attrs) {
    for (const auto &[id, text] : op_attrs) {
        ir::op_spec &op = *find_op(graph, id);
        for (const std::string &entry : split(text, '*')) {
            std::size_t colon = entry.find(':');
            if (colon == std::string::npos || colon + 1 == entry.size())
                fail_rewrite(
                        "option --op-attrs: op {}: expected NAME:VALUE, found '{}'", id, entry);
            std::string name = entry.substr(0, colon);
            std::optional<op_attr> attr = formats::op_attr_from_name(name);
            if (!attr) fail_rewrite("option --op-attrs: op {}: unknown attribute '{}'", id, name);
            set_attr(op, *attr, parse_attr(id, *attr, entry.substr(colon + 1)));
        }
    }
}

void rewrite_kinds(working_graph &graph, const id_values &op_kinds) {
    for (const auto &[id, text] : op_kinds) {
        auto op = find_op(graph, id);
        if (text == "undef") {
            remove_op(graph, op);
            continue;
        }
        std::optional<op_kind> kind = formats::op_kind_from_name(text);
        if (!kind) fail_rewrite("option --op-kind: op {}: unknown op kind '{}'", id, text);
        exchange_class wanted = exchange_of(*kind);
        if (wanted == exchange_class::none || wanted != exchange_of(op->kind))
            fail_rewrite("option --op-kind: {} cannot become {}: binary ops can take each other's "
                         "place, and so can logical ones, unary ones, and Select and Where",
                    to_string(op->label()), text);
        op->kind = *kind;
        drop_foreign_attrs(*op);
    }
}

} // namespace tern::driver
