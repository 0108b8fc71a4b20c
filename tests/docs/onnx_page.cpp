// SPDX-License-Identifier: Apache-2.0
//
// Writes docs/onnx_ops.md from the importer's table, or says where it is out of date:
//
//     onnx_page [--check] docs/onnx_ops.md
#include <string>

#include "base/text.hpp"
#include "formats/onnx/op_table.hpp"
#include "page.hpp"

namespace {

using tern::format_text;
namespace onnx = tern::formats::onnx;

std::string versions(const onnx::op_rule &rule) {
    return rule.until == onnx::newest_version ? format_text("{} and later", rule.since)
                                              : format_text("{} to {}", rule.since, rule.until);
}

std::string page() {
    std::string rows;
    for (const onnx::op_rule &rule : onnx::op_rules())
        rows += format_text("| {} | {} | {} |\n", rule.name, versions(rule),
                rule.kind == tern::op_kind::Wildcard
                        ? std::string("nothing, or what its inputs make of it")
                        : format_text("{}", tern::ir::name_of(rule.kind)));
    return format_text(
            "# ONNX ops\n\n"
            "<!-- Written by onnx_page (tests/docs), from src/formats/onnx/op_table.cpp. -->\n\n"
            "What the importer knows, of ONNX's own domain, up to version {} of the operator set. "
            "Which data types an op takes\nis what the op it becomes takes: [ops.md](ops.md). "
            "Ops that are made of several are listed with the main one.\n"
            "[onnx.md](onnx.md) tells how models run.\n\n"
            "| ONNX op | operator set | becomes |\n|---|---|---|\n{}",
            onnx::newest_version, rows);
}

} // namespace

int main(int count, char **arguments) {
    return tern::write_or_check_page(count, arguments, "docs/onnx_ops.md", page());
}
