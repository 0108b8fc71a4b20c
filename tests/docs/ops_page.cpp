// SPDX-License-Identifier: Apache-2.0
//
// Writes docs/ops.md from the definitions of the ops, or says where it is out of date:
//
//     ops_page [--check] docs/ops.md
#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "base/data_type.hpp"
#include "base/text.hpp"
#include "compiler/lowering.hpp"
#include "ops/registry.hpp"
#include "page.hpp"

namespace {

using tern::format_text;
using tern::op_kind;
namespace ir = tern::ir;

constexpr op_kind every_kind[] = {
#define TERN_OP_IMPLEMENTED(kind, file) op_kind::kind,
#define TERN_OP_NAMED(kind) op_kind::kind,
#include "tern/ops.def"
#undef TERN_OP_IMPLEMENTED
#undef TERN_OP_NAMED
};

/// "a, b, c", of what `text_of` makes out of each item.
template <typename Items, typename TextOf>
std::string joined(const Items &items, const TextOf &text_of) {
    std::string text;
    for (const auto &item : items)
        text += (text.empty() ? "" : ", ") + text_of(item);
    return text.empty() ? "none" : text;
}

std::string code(std::string_view text) {
    return format_text("`{}`", text);
}

/// Inside a table a bar would end the cell.
std::string cell(std::string_view text) {
    std::string result;
    for (char c : text)
        result += c == '|' ? std::string("\\|") : std::string(1, c);
    return result;
}

/// What a port takes; empty: tensors, as most do.
std::string forms_text(const ir::form_set &forms) {
    using tern::value_form;
    std::string text;
    bool only_tensors = true;
    for (value_form form : {value_form::tensor, value_form::sequence, value_form::optional_tensor,
                 value_form::optional_sequence}) {
        if (!forms.contains(form)) continue;
        if (form != value_form::tensor) only_tensors = false;
        text += format_text("{}{}", text.empty() ? "" : " or ", tern::name_of(form));
    }
    return only_tensors ? "" : text;
}

std::string port_text(const ir::port_def &port) {
    std::string text = format_text("{} ({})", code(port.name), port.type_variable);
    if (const std::string forms = forms_text(port.forms); !forms.empty()) text += ", " + forms;
    if (port.use == ir::port_use::optional) text += ", may be left out";
    if (port.use == ir::port_use::repeated) text += ", any number of times";
    return text;
}

std::string ports_line(std::string_view what, std::span<const ir::port_def> ports) {
    std::string text;
    for (const ir::port_def &port : ports)
        text += (text.empty() ? "" : "; ") + port_text(port);
    return format_text("- {}: {}\n", what, text.empty() ? "none" : text);
}

std::string types_line(const ir::type_rule &rule) {
    std::vector<std::string_view> names;
    for (int i = 1; i < tern::data_type_count; ++i)
        if (auto type = static_cast<tern::data_type>(i); rule.types.contains(type))
            names.push_back(tern::name_of(type));
    return format_text(
            "- {}: {}\n", rule.variable, joined(names, [](std::string_view n) { return code(n); }));
}

struct default_text {
    std::string operator()(std::monostate) const { return ""; }
    std::string operator()(std::int64_t value) const { return format_text("{}", value); }
    std::string operator()(float value) const { return format_text("{}", value); }
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(std::string_view value) const { return code(value); }
    std::string operator()(ir::empty_list) const { return "empty list"; }
};

std::string attrs_table(std::span<const ir::attr_def> attrs) {
    if (attrs.empty()) return "";
    std::string text = "\n| attribute | type | when not set | values |\n|---|---|---|---|\n";
    for (const ir::attr_def &attr : attrs) {
        std::string unset = std::visit(default_text{}, attr.when_unset);
        if (attr.required) unset = "must be set";
        std::string values =
                attr.candidates.empty()
                        ? ""
                        : joined(attr.candidates, [](std::string_view c) { return code(c); });
        text += format_text("| {} | {} | {} | {} |\n", code(ir::name_of(attr.attr)),
                ir::name_of(ir::kind_of(attr.attr)), cell(unset), cell(values));
    }
    return text;
}

std::string section(const ir::op_def &def) {
    std::string text = format_text("## {}\n\n{}\n\n", ir::name_of(def.kind), cell(def.doc));
    text += ports_line("inputs", def.inputs);
    text += ports_line("outputs", def.outputs);
    for (const ir::type_rule &rule : def.types)
        text += types_line(rule);
    if (def.outputs.size() > 0 && !def.in_place_inputs.empty())
        text += format_text("- in place: {} may be {}\n", code(def.outputs[0].name),
                joined(def.in_place_inputs, [&](int input) {
                    return code(def.inputs[static_cast<std::size_t>(input)].name);
                }));
    if (def.evaluate != nullptr)
        text += def.reference != nullptr
                        ? "- a partition of its own, `evaluate`, where a port is no tensor\n"
                        : "- a partition of its own: `evaluate`\n";
    if (def.reference != nullptr)
        text += format_text("- implementations: {}\n",
                joined(tern::compiler::candidates_of(def.kind),
                        [](const auto &candidate) { return code(candidate.name); }));
    if (!def.is_executable()) text += "- never executed: its partition is unsupported\n";
    return text + attrs_table(def.attrs) + "\n";
}

std::string page() {
    std::vector<op_kind> kinds(std::begin(every_kind), std::end(every_kind));
    std::sort(kinds.begin(), kinds.end(),
            [](op_kind a, op_kind b) { return ir::name_of(a) < ir::name_of(b); });
    std::vector<op_kind> named;
    std::string sections;
    for (op_kind kind : kinds) {
        const ir::op_def *def = tern::ops::find(kind);
        if (def)
            sections += section(*def);
        else
            named.push_back(kind);
    }
    return "# Ops\n\n"
           "<!-- Written by ops_page (tests/docs), from src/ops and src/compiler. -->\n\n"
           "Every op that Tern has a definition of. A letter after a port stands for its data "
           "type: ports with the\nsame one have the same type, out of those listed for it. "
           "Implementations are listed in the order in which\n`compile` asks them. Shape rules "
           "stand in `src/ops`.\n\n"
           "bf16, f16 and f8 are computed with in f32, and rounded to nearest, ties to even, where "
           "a result is stored.\n"
           "Sums, products, quotients and square roots of f32 are the exact value, rounded once; "
           "Elu, Exp, GELU, HardSwish, Log,\n"
           "Mish, Sigmoid and SoftPlus are at most 2 ulp off it, Tanh and Pow 1 ulp. Integers are "
           "computed with as integers.\n"
           "By request, `onednn` is at most 8 ulp off for Sigmoid, Tanh and Pow.\n\n"
           + sections
           + "## Known by name only\n\n"
             "A graph may hold these kinds; ports and attributes are not checked, and their "
             "partitions are unsupported:\n"
           + joined(named, [](op_kind kind) { return std::string(ir::name_of(kind)); }) + ".\n";
}

} // namespace

int main(int count, char **arguments) {
    return tern::write_or_check_page(count, arguments, "docs/ops.md", page());
}
