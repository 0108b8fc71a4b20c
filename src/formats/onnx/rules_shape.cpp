// SPDX-License-Identifier: Apache-2.0
//
// Constants, shapes, and the ops that move nothing.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/element.hpp"
#include "base/error.hpp"
#include "base/shape.hpp"
#include "formats/onnx/op_table.hpp"

namespace tern::formats::onnx {
namespace {

using integer_list = std::vector<std::int64_t>;

/// Until version 12 axes are an attribute, then an input.
std::optional<integer_list> axes_of(node_context &node) {
    if (node.version >= 13) return node.has(1) ? std::optional(node.integers(1)) : std::nullopt;
    if (node.has(1)) node.refuse("input 1 (axes) is not known before version 13");
    return node.integer_list("axes");
}

/// True at the axes that are named; each once.
std::array<bool, max_rank> marked(node_context &node, const integer_list &axes, int rank) {
    std::array<bool, max_rank> result{};
    for (std::int64_t given : axes) {
        bool &at = result[static_cast<std::size_t>(node.axis("axes", given, rank))];
        if (at) node.refuse(format_text("axes has axis {} twice", given));
        at = true;
    }
    return result;
}

void check_rank(node_context &node, std::size_t rank) {
    if (rank > static_cast<std::size_t>(max_rank))
        node.decline(format_text(
                "a result of rank {} is not supported; the largest is {}", rank, max_rank));
}

void set_shape(node_context &node, const integer_list &shape) {
    check_rank(node, shape.size());
    node.set(node.emit(op_kind::StaticReshape,
            {{op_attr::shape, shape}, {op_attr::special_zero, false}}, {node.in(0)}));
}

template <typename T>
void set_list(node_context &node, data_type type, const std::vector<T> &values, bool is_scalar) {
    const dims shape = is_scalar ? dims() : dims{static_cast<std::int64_t>(values.size())};
    new_constant made = make_constant(type, shape);
    if (!values.empty()) std::memcpy(made.data, values.data(), values.size() * sizeof(T));
    node.set(stage_builder::of(made.value));
}

void set_strings(node_context &node, const std::vector<std::string> &texts, bool is_scalar) {
    tensor source;
    source.type = element_type::STRING;
    if (!is_scalar) source.dims = {static_cast<std::int64_t>(texts.size())};
    source.strings = texts;
    node.set(stage_builder::of(constant_of(source)));
}

} // namespace

void import_constant(node_context &node) {
    if (node.source.attributes.size() != 1)
        node.refuse(format_text(
                "{} attributes are given; expected exactly one", node.source.attributes.size()));
    if (const attribute *a = node.find("value", attribute_kind::TENSOR))
        return node.set(stage_builder::of(constant_of(a->tensors[0])));
    if (const attribute *a = node.find("value_int", attribute_kind::INT))
        return set_list(node, data_type::s64, a->ints, true);
    if (const attribute *a = node.find("value_ints", attribute_kind::INTS))
        return set_list(node, data_type::s64, a->ints, false);
    if (const attribute *a = node.find("value_float", attribute_kind::FLOAT))
        return set_list(node, data_type::f32, a->floats, true);
    if (const attribute *a = node.find("value_floats", attribute_kind::FLOATS))
        return set_list(node, data_type::f32, a->floats, false);
    if (const attribute *a = node.find("value_string", attribute_kind::STRING))
        return set_strings(node, a->strings, true);
    if (const attribute *a = node.find("value_strings", attribute_kind::STRINGS))
        return set_strings(node, a->strings, false);
    node.decline(format_text("attribute {} is not supported", node.source.attributes[0].name));
}

void import_identity(node_context &node) {
    node.set(node.any(0));
}

void import_shape(node_context &node) {
    const dims &shape = node.shape(0);
    const std::int64_t rank = shape.rank();
    auto bound = [&](std::string_view name, std::int64_t when_unset) {
        const std::int64_t at = node.version >= 15 ? node.integer(name, when_unset) : when_unset;
        return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank);
    };
    const std::int64_t start = bound("start", 0);
    const std::int64_t end = std::max(start, bound("end", rank));
    node.set(node.list(integer_list(shape.begin() + start, shape.begin() + end)));
}

void import_size(node_context &node) {
    const std::int64_t count = element_count(node.shape(0)).value_or(0);
    set_list<std::int64_t>(node, data_type::s64, {count}, true);
}

void import_reshape(node_context &node) {
    const dims &from = node.shape(0);
    integer_list shape = node.integers(1);
    const bool zero_is_zero = node.version >= 14 && node.integer("allowzero", 0) != 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] != 0 || zero_is_zero) continue;
        if (i >= static_cast<std::size_t>(from.rank()))
            node.refuse(format_text(
                    "input 1 (shape) has 0 at axis {}, but input 0 has rank {}", i, from.rank()));
        shape[i] = from[static_cast<int>(i)];
    }
    set_shape(node, shape);
}

void import_flatten(node_context &node) {
    const dims &from = node.shape(0);
    const std::int64_t given = node.integer("axis", 1);
    const int rank = from.rank();
    const int axis = given == rank ? rank : node.axis("attribute axis", given, rank);
    integer_list shape{1, 1};
    for (int i = 0; i < rank; ++i)
        shape[i < axis ? 0 : 1] *= from[i];
    set_shape(node, shape);
}

void import_squeeze(node_context &node) {
    const dims &from = node.shape(0);
    const std::optional<integer_list> axes = axes_of(node);
    std::array<bool, max_rank> gone = marked(node, axes.value_or(integer_list()), from.rank());
    integer_list shape;
    for (int i = 0; i < from.rank(); ++i) {
        bool &is_gone = gone[static_cast<std::size_t>(i)];
        if (!axes) is_gone = from[i] == 1;
        if (is_gone && from[i] != 1)
            node.refuse(
                    format_text("axes has axis {}, where input 0 has {}; expected 1", i, from[i]));
        if (!is_gone) shape.push_back(from[i]);
    }
    set_shape(node, shape);
}

void import_unsqueeze(node_context &node) {
    const dims &from = node.shape(0);
    const std::optional<integer_list> axes = axes_of(node);
    if (!axes) node.refuse("axes are required");
    const std::size_t rank = static_cast<std::size_t>(from.rank()) + axes->size();
    check_rank(node, rank);
    const std::array<bool, max_rank> is_new = marked(node, *axes, static_cast<int>(rank));
    integer_list shape;
    const std::int64_t *next = from.begin();
    for (std::size_t i = 0; i < rank; ++i)
        shape.push_back(is_new[i] ? 1 : *next++);
    set_shape(node, shape);
}

void import_transpose(node_context &node) {
    const integer_list order = node.integer_list("perm").value_or(integer_list());
    if (node.has_attr("perm") && order.size() != static_cast<std::size_t>(node.rank(0)))
        node.refuse(format_text(
                "attribute perm has {} axes, but input 0 has rank {}", order.size(), node.rank(0)));
    node.set(node.emit(op_kind::StaticTranspose, {{op_attr::order, order}}, {node.in(0)}));
}

void import_constant_of_shape(node_context &node) {
    const integer_list shape = node.integers(0);
    check_rank(node, shape.size());
    for (std::int64_t dim : shape)
        if (dim < 0) node.refuse(format_text("input 0 has dimension {}", dim));
    traced value = node.scalar(data_type::f32, 0);
    if (const attribute *a = node.find("value", attribute_kind::TENSOR))
        value = stage_builder::of(constant_of(a->tensors[0]));
    if (value.content->count() != 1)
        node.refuse(format_text(
                "attribute value has {} elements; expected one", value.content->count()));
    constant scalar = *value.content;
    scalar.shape = dims();
    value = stage_builder::of(std::make_shared<const constant>(std::move(scalar)));
    node.set(node.emit(op_kind::Expand, {{op_attr::shape, shape}}, {value}));
}

/// start, start + delta, ... up to limit, which is left out.
void import_range(node_context &node) {
    const data_type type = node.in(0).desc.type;
    for (std::size_t port : {0U, 1U, 2U})
        if (node.content(port).count() != 1 || node.content(port).type != type)
            node.refuse(format_text("input {} is {}; expected one {}", port,
                    shape_to_string(node.in(port).desc), name_of(type)));
    constexpr double most = 1U << 26U;
    const bool is_float = is_floating(type);
    auto number = [&](std::size_t port) { return load_f64(type, node.content(port).data); };
    auto exact = [&](std::size_t port) { return load_s64(type, node.content(port).data); };
    if (!is_float && !is_integer(type)) node.decline("only numbers are supported");
    const double count = std::ceil((number(1) - number(0)) / number(2));
    if (number(2) == 0 || std::isnan(count)) node.refuse("input 2 (delta) is 0 or not a number");
    if (count > most) node.decline(format_text("a range of {} elements is too long", count));
    new_constant made = make_constant(type, dims{static_cast<std::int64_t>(std::max(count, 0.0))});
    for (std::int64_t i = 0; i < made.value->count(); ++i) {
        void *at =
                static_cast<std::byte *>(made.data) + static_cast<std::size_t>(i) * bytes_of(type);
        if (is_float)
            store_f64(type, number(0) + static_cast<double>(i) * number(2), at);
        else
            store_s64(type,
                    static_cast<std::int64_t>(
                            static_cast<std::uint64_t>(exact(0))
                            + static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(exact(2))),
                    at);
    }
    node.set(stage_builder::of(made.value));
}

} // namespace tern::formats::onnx
