// SPDX-License-Identifier: Apache-2.0
#include "ir/print.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "base/shape.hpp"
#include "base/text.hpp"

namespace tern::ir {
namespace {

std::string_view word_of(property_type property) {
    switch (property) {
        case property_type::variable: return " variable";
        case property_type::constant: return " constant";
        case property_type::host_scalar: return " host_scalar";
        case property_type::undef: break;
    }
    return "";
}

/// With its colon; empty for what is dense, and for strides that cannot be known because the shape
/// is not.
std::string layout_text(const tensor_desc &desc) {
    switch (desc.layout) {
        case layout_type::any: return ":any";
        case layout_type::undef: return ":undef";
        case layout_type::opaque: return format_text(":opaque {}", desc.layout_id);
        case layout_type::strided: break;
    }
    bool all_unknown = std::all_of(desc.strides.begin(), desc.strides.end(),
            [](std::int64_t stride) { return stride == unknown_dim; });
    if (all_unknown) return desc.shape_known() && !desc.strides.empty() ? ":?" : "";
    if (desc.shape_known()) {
        std::optional<dims> dense = dense_strides(desc.shape);
        if (dense && same_strides(desc.shape, desc.strides, *dense)) return "";
    }
    std::string text;
    for (std::int64_t stride : desc.strides) {
        text += text.empty() ? ':' : 's';
        text += stride == unknown_dim ? "?" : format_text("{}", stride);
    }
    return text;
}

struct value_text {
    std::string operator()(std::int64_t value) const { return format_text("{}", value); }
    std::string operator()(float value) const { return format_text("{}", value); }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(const std::string &value) const {
        constexpr std::string_view plain =
                "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
        bool is_word = !value.empty() && value.find_first_not_of(plain) == std::string::npos;
        return is_word ? value : quoted(value);
    }
    template <typename Number>
    std::string operator()(const std::vector<Number> &values) const {
        std::string text;
        for (Number value : values)
            text += format_text("{}{}", text.empty() ? "" : ", ", value);
        return "[" + text + "]";
    }
};

std::string op_line(const op_spec &op) {
    std::string line;
    for (const port &p : op.outputs)
        line += format_text("{}%{}:{}", line.empty() ? "" : ", ", p.id, short_text(p.desc));
    if (!line.empty()) line += " = ";
    line += format_text("{}(", name_of(op.kind));
    for (std::size_t i = 0; i < op.inputs.size(); ++i)
        line += format_text("{}%{}", i == 0 ? "" : ", ", op.inputs[i].id);
    line += ')';
    if (!op.attrs.empty()) line += format_text(" {{{}}}", short_text(op.attrs));
    line += format_text("  # op {}", op.id);
    if (has_own_name(op)) line += " " + quoted(op.name);
    return line + "\n";
}

} // namespace

std::vector<op_spec> specs_of(const graph &g, std::span<const int> ops) {
    std::vector<op_spec> specs;
    specs.reserve(ops.size());
    for (int index : ops) {
        const op &from = g.ops()[static_cast<std::size_t>(index)];
        op_spec spec{from.id, from.kind, from.name, from.attrs, {}, {}};
        auto add = [&](std::vector<port> &ports, const std::vector<int> &values) {
            for (int v : values) {
                const value &known = g.values()[static_cast<std::size_t>(v)];
                ports.push_back({known.id, known.desc});
            }
        };
        add(spec.inputs, from.inputs);
        add(spec.outputs, from.outputs);
        specs.push_back(std::move(spec));
    }
    return specs;
}

std::vector<op_spec> specs_of(const graph &g) {
    std::vector<int> all(g.ops().size());
    std::iota(all.begin(), all.end(), 0);
    return specs_of(g, all);
}

std::string short_text(const tensor_desc &desc) {
    if (!desc.is_tensor()) return to_string(desc.value_type());
    std::string shape;
    for (std::int64_t dim : desc.shape) {
        if (!shape.empty()) shape += 'x';
        shape += dim == unknown_dim ? "?" : format_text("{}", dim);
    }
    return format_text("{}[{}{}]{}", name_of(desc.type), desc.rank_known ? shape : "...",
            layout_text(desc), word_of(desc.property));
}

std::string short_text(const attr_list &attrs) {
    std::string text;
    for (const auto &[attr, value] : attrs)
        text += format_text("{}{}={}", text.empty() ? "" : ", ", name_of(attr),
                std::visit(value_text{}, value));
    return text;
}

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (char c : text) {
        auto code = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            result += {'\\', c};
        else if (c == '\n')
            result += "\\n";
        else if (c == '\t')
            result += "\\t";
        else if (code < 0x20 || code == 0x7f)
            result += format_text("\\x{:02x}", code);
        else
            result += c;
    }
    return result + '"';
}

bool has_own_name(const op_spec &op) {
    return !op.name.empty() && op.name != format_text("{}_{}", name_of(op.kind), op.id);
}

std::string print(std::span<const op_spec> ops) {
    std::unordered_set<std::size_t> known;
    for (const op_spec &op : ops)
        for (const port &p : op.outputs)
            known.insert(p.id);
    std::string text;
    for (const op_spec &op : ops)
        for (const port &p : op.inputs)
            if (known.insert(p.id).second)
                text += format_text("%{}:{} = input\n", p.id, short_text(p.desc));
    for (const op_spec &op : ops)
        text += op_line(op);
    return text;
}

std::string print(const graph &g) {
    return print(specs_of(g));
}

std::string print(const graph &g, std::span<const int> ops) {
    return print(specs_of(g, ops));
}

} // namespace tern::ir
