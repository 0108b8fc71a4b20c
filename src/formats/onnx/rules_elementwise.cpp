// SPDX-License-Identifier: Apache-2.0
//
// Ops that compute each element from one element of each input. ONNX broadcasts them as NumPy does,
// and so do the graph's ops.
#include "base/element.hpp"
#include "base/error.hpp"
#include "base/shape.hpp"
#include "formats/onnx/op_table.hpp"

namespace tern::formats::onnx {
namespace {

/// The largest number of an 8-bit floating-point type.
std::optional<float> largest_of(data_type type) {
    if (type == data_type::f8_e4m3) return 448.0F;
    if (type == data_type::f8_e5m2) return 57344.0F;
    return std::nullopt;
}

/// With saturate, the default, what is too large for an 8-bit type becomes its largest number,
/// infinities included. TypeCast makes it infinity or, where there is none, NaN.
traced cast(node_context &node, traced value, data_type to) {
    if (value.desc.type == to) return value;
    const std::optional<float> most = largest_of(to);
    if (most && is_floating(value.desc.type) && node.integer("saturate", 1) != 0)
        value = node.emit(op_kind::Clamp, {{op_attr::min, -*most}, {op_attr::max, *most}}, {value});
    return node.build.emit(op_kind::TypeCast, {}, {value}, to);
}

traced limit(node_context &node, traced value, std::size_t port, op_kind kind) {
    if (!node.has(port)) return value;
    if (node.rank(port) != 0)
        node.refuse(format_text("input {} has rank {}; expected a scalar", port, node.rank(port)));
    return node.emit(kind, {}, {value, node.in(port)});
}

} // namespace

void import_unary(node_context &node) {
    node.set(node.emit(node.rule.kind, {}, {node.in(0)}));
}

void import_binary(node_context &node) {
    node.set(node.emit(node.rule.kind, {}, {node.in(0), node.in(1)}));
}

void import_comparison(node_context &node) {
    node.set(node.build.emit(node.rule.kind, {}, {node.in(0), node.in(1)}, data_type::boolean));
}

/// Any number of operands, two at a time from the left.
void import_chain(node_context &node) {
    traced value = node.in(0);
    for (std::size_t port = 1; port < node.input_count(); ++port)
        value = node.emit(node.rule.kind, {}, {value, node.in(port)});
    node.set(value);
}

void import_cast(node_context &node) {
    if (!node.has_attr("to")) node.refuse("attribute to is required");
    const auto to = static_cast<element_type>(node.integer("to", 0));
    const data_type type = data_type_of(to);
    if (type == data_type::undef)
        node.decline(format_text("a cast to {} is not supported", name_of(to)));
    node.set(cast(node, node.in(0), type));
}

void import_cast_like(node_context &node) {
    node.set(cast(node, node.in(0), node.in(1).desc.type));
}

void import_clip(node_context &node) {
    traced value = limit(node, node.in(0), 1, op_kind::Maximum);
    node.set(limit(node, value, 2, op_kind::Minimum));
}

void import_clip_by_attributes(node_context &node) {
    traced value = node.in(0);
    for (auto [name, kind] : {std::pair("min", op_kind::Maximum), {"max", op_kind::Minimum}})
        if (node.has_attr(name))
            value = node.emit(
                    kind, {}, {value, node.scalar(value.desc.type, double{node.number(name, 0)})});
    node.set(value);
}

/// The result has the type of the base whatever that of the exponent is, which has to be one
/// number.
/// The exponent as an attribute: that form runs faster, and in groups.
std::optional<float> constant_exponent(const traced &base, const traced &exponent) {
    const bool is_one = exponent.content && exponent.content->count() == 1
                        && exponent.desc.shape.rank() <= base.desc.shape.rank();
    if (!is_one || !is_floating(base.desc.type)) return std::nullopt;
    const double beta = load_f64(exponent.desc.type, exponent.content->data);
    if (static_cast<double>(static_cast<float>(beta)) != beta) return std::nullopt;
    return static_cast<float>(beta);
}

void import_pow(node_context &node) {
    const traced &base = node.in(0);
    const traced &exponent = node.in(1);
    if (const std::optional<float> beta = constant_exponent(base, exponent))
        node.set(node.emit(op_kind::Pow, {{op_attr::beta, *beta}}, {base}));
    else
        node.set(node.emit(op_kind::Pow, {}, {base, exponent}));
}

void import_where(node_context &node) {
    node.set(node.build.emit(
            op_kind::Where, {}, {node.in(0), node.in(1), node.in(2)}, node.in(1).desc.type));
}

} // namespace tern::formats::onnx
