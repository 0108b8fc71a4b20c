// SPDX-License-Identifier: Apache-2.0
//
// Activations: most have an op of the graph with another default, some are made of several.
#include "base/error.hpp"
#include "formats/onnx/op_table.hpp"

namespace tern::formats::onnx {
namespace {

traced elu(node_context &node, const traced &value, float alpha) {
    return node.emit(op_kind::Elu, {{op_attr::alpha, alpha}}, {value});
}

traced zero_like(node_context &node, const traced &value) {
    return node.scalar(value.desc.type, 0);
}

traced choose(node_context &node, const traced &cond, const traced &x, const traced &y) {
    return node.build.emit(op_kind::Where, {}, {cond, x, y}, x.desc.type);
}

} // namespace

void import_elu(node_context &node) {
    node.set(elu(node, node.in(0), node.number("alpha", 1)));
}

/// gamma * (x > 0 ? x : alpha * (exp(x) - 1))
void import_selu(node_context &node) {
    const traced &x = node.in(0);
    const traced gamma = node.scalar(x.desc.type, double{node.number("gamma", 1.05070102F)});
    const traced inner = elu(node, x, node.number("alpha", 1.67326319F));
    node.set(node.emit(op_kind::Multiply, {}, {inner, gamma}));
}

/// max(0, x) + min(0, alpha * (exp(x / alpha) - 1)), which is alpha * elu(x / alpha)
void import_celu(node_context &node) {
    const traced &x = node.in(0);
    const traced alpha = node.scalar(x.desc.type, double{node.number("alpha", 1)});
    const traced inner = elu(node, node.emit(op_kind::Divide, {}, {x, alpha}), 1);
    node.set(node.emit(op_kind::Multiply, {}, {inner, alpha}));
}

void import_leaky_relu(node_context &node) {
    node.set(node.emit(
            op_kind::LeakyReLU, {{op_attr::alpha, node.number("alpha", 0.01F)}}, {node.in(0)}));
}

/// x < 0 ? slope * x : x; the slope broadcasts into x, never the other way.
void import_prelu(node_context &node) {
    const traced &x = node.in(0);
    const traced scaled = node.emit(op_kind::Multiply, {}, {x, node.in(1)});
    if (!(scaled.desc.shape == x.desc.shape))
        node.refuse(format_text("input 1 {} does not broadcast to input 0 {}",
                shape_to_string(node.in(1).desc), shape_to_string(x.desc)));
    const traced is_negative =
            node.build.emit(op_kind::Less, {}, {x, zero_like(node, x)}, data_type::boolean);
    node.set(choose(node, is_negative, scaled, x));
}

/// x > alpha ? x : 0
void import_thresholded_relu(node_context &node) {
    const traced &x = node.in(0);
    const traced alpha = node.scalar(x.desc.type, double{node.number("alpha", 1)});
    const traced is_kept = node.build.emit(op_kind::Greater, {}, {x, alpha}, data_type::boolean);
    node.set(choose(node, is_kept, x, zero_like(node, x)));
}

void import_hard_sigmoid(node_context &node) {
    node.set(node.emit(op_kind::HardSigmoid,
            {{op_attr::alpha, node.number("alpha", 0.2F)},
                    {op_attr::beta, node.number("beta", 0.5F)}},
            {node.in(0)}));
}

void import_gelu(node_context &node) {
    const std::string how = node.text("approximate", "none");
    if (how != "none" && how != "tanh")
        node.refuse(format_text("attribute approximate is \"{}\"; expected none or tanh", how));
    node.set(node.emit(op_kind::GELU,
            {{op_attr::mode, std::string(how == "tanh" ? "gelu_tanh" : "gelu_erf")}},
            {node.in(0)}));
}

void import_softplus(node_context &node) {
    node.set(node.emit(op_kind::SoftPlus, {{op_attr::beta, 1.0F}}, {node.in(0)}));
}

/// x / (1 + |x|)
void import_softsign(node_context &node) {
    const traced &x = node.in(0);
    const traced size = node.emit(op_kind::Abs, {}, {x});
    const traced below = node.emit(op_kind::Add, {}, {size, node.scalar(x.desc.type, 1)});
    node.set(node.emit(op_kind::Divide, {}, {x, below}));
}

} // namespace tern::formats::onnx
