// SPDX-License-Identifier: Apache-2.0
//
// Ops that put elements elsewhere. What ONNX gives as inputs are attributes of the graph's ops, so
// their content has to be known.
#include <algorithm>

#include "base/error.hpp"
#include "formats/onnx/op_table.hpp"

namespace tern::formats::onnx {
namespace {

using integer_list = std::vector<std::int64_t>;

void check_length(
        node_context &node, std::string_view name, const integer_list &list, std::size_t expected) {
    if (list.size() != expected)
        node.refuse(
                format_text("{} has {} entries, but starts has {}", name, list.size(), expected));
}

void set_slice(node_context &node, const integer_list &starts, const integer_list &ends,
        const integer_list &axes, const integer_list &steps) {
    check_length(node, "ends", ends, starts.size());
    if (!axes.empty()) check_length(node, "axes", axes, starts.size());
    if (!steps.empty()) check_length(node, "steps", steps, starts.size());
    node.set(node.emit(op_kind::Slice,
            {{op_attr::starts, starts}, {op_attr::ends, ends}, {op_attr::axes, axes},
                    {op_attr::steps, steps}},
            {node.in(0)}));
}

} // namespace

void import_concat(node_context &node) {
    std::vector<traced> parts;
    for (std::size_t port = 0; port < node.input_count(); ++port)
        parts.push_back(node.in(port));
    if (!node.has_attr("axis")) node.refuse("attribute axis is required");
    node.set(node.build.emit(op_kind::Concat, {{op_attr::axis, node.integer("axis", 0)}}, parts,
            parts[0].desc.type));
}

void import_expand(node_context &node) {
    node.set(node.emit(op_kind::Expand, {{op_attr::shape, node.integers(1)}}, {node.in(0)}));
}

void import_gather(node_context &node) {
    node.set(node.emit(
            op_kind::Gather, {{op_attr::axis, node.integer("axis", 0)}}, {node.in(0), node.in(1)}));
}

void import_slice(node_context &node) {
    const integer_list none;
    set_slice(node, node.integers(1), node.integers(2), node.has(3) ? node.integers(3) : none,
            node.has(4) ? node.integers(4) : none);
}

void import_slice_by_attributes(node_context &node) {
    const std::optional<integer_list> starts = node.integer_list("starts");
    const std::optional<integer_list> ends = node.integer_list("ends");
    if (!starts || !ends) node.refuse("attributes starts and ends are required");
    set_slice(node, *starts, *ends, node.integer_list("axes").value_or(integer_list()), {});
}

/// Parts of given sizes (an attribute before 13, then an input), or of equal ones, the last of
/// which may be smaller.
void import_split(node_context &node) {
    const int axis = node.axis("attribute axis", node.integer("axis", 0), node.rank(0));
    const std::int64_t whole = node.shape(0)[axis];
    integer_list sizes;
    if (node.version < 13)
        sizes = node.integer_list("split").value_or(integer_list());
    else if (node.has(1))
        sizes = node.integers(1);
    const auto parts = static_cast<std::int64_t>(node.source.outputs.size());
    if (sizes.empty()) {
        const std::int64_t wanted = node.integer("num_outputs", parts);
        if (wanted != parts)
            node.refuse(format_text(
                    "attribute num_outputs is {}, but there are {} outputs", wanted, parts));
        const std::int64_t size = (whole + parts - 1) / parts;
        for (std::int64_t i = 0; i < parts; ++i)
            sizes.push_back(std::clamp<std::int64_t>(whole - i * size, 0, size));
    }
    std::int64_t begin = 0;
    for (std::int64_t size : sizes) {
        if (size < 0 || size > whole - begin)
            node.refuse(format_text(
                    "the sizes of the parts do not fit axis {}, which has {}", axis, whole));
        node.set(node.emit(op_kind::Slice,
                {{op_attr::starts, integer_list{begin}},
                        {op_attr::ends, integer_list{begin + size}},
                        {op_attr::axes, integer_list{axis}}},
                {node.in(0)}));
        begin += size;
    }
    if (begin != whole || static_cast<std::int64_t>(sizes.size()) != parts)
        node.refuse(format_text("{} parts of {} elements in all, but {} outputs and {} elements",
                sizes.size(), begin, parts, whole));
}

void import_mod(node_context &node) {
    node.set(node.emit(op_kind::Mod, {{op_attr::fmod, node.integer("fmod", 0) != 0}},
            {node.in(0), node.in(1)}));
}

void import_is_nan(node_context &node) {
    node.set(node.build.emit(op_kind::IsNaN, {}, {node.in(0)}, data_type::boolean));
}

void import_is_inf(node_context &node) {
    node.set(node.build.emit(op_kind::IsInf,
            {{op_attr::detect_negative, node.integer("detect_negative", 1) != 0},
                    {op_attr::detect_positive, node.integer("detect_positive", 1) != 0}},
            {node.in(0)}, data_type::boolean));
}

} // namespace tern::formats::onnx
