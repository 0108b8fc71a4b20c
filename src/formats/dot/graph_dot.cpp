// SPDX-License-Identifier: Apache-2.0
#include "formats/dot/graph_dot.hpp"

#include <unordered_map>
#include <unordered_set>

#include "base/text.hpp"
#include "formats/utf8.hpp"
#include "ir/print.hpp"

namespace tern::formats {
namespace {

/// A string of DOT's. A line break of ours is drawn as one; every other special character was made
/// visible before (ir::quoted), and a backslash is drawn as such.
std::string dot_string(std::string_view text) {
    std::string result = "\"";
    for (char c : valid_utf8(text)) {
        if (c == '\n') {
            result += "\\n";
            continue;
        }
        if (c == '"' || c == '\\') result += '\\';
        result += c;
    }
    return result + '"';
}

/// Names are any text: their control characters are shown as escapes, without the quotes.
std::string visible(std::string_view text) {
    std::string escaped = ir::quoted(text);
    return escaped.substr(1, escaped.size() - 2);
}

class dot_writer {
public:
    explicit dot_writer(std::span<const ir::op_spec> ops) : ops_(ops) {
        for (const ir::op_spec &op : ops)
            for (const ir::port &p : op.outputs)
                producer_.try_emplace(p.id, op.id);
    }

    std::string write(std::string_view name, std::span<const dot_cluster> clusters) {
        text_ = format_text("digraph {} {{\n  node [shape=box];\n", dot_string(visible(name)));
        std::unordered_set<std::size_t> placed;
        for (std::size_t i = 0; i < clusters.size(); ++i) {
            text_ += format_text("  subgraph cluster_{} {{\n    label={};\n", i,
                    dot_string(visible(clusters[i].name)));
            std::unordered_set<std::size_t> wanted(clusters[i].ops.begin(), clusters[i].ops.end());
            for (const ir::op_spec &op : ops_)
                if (wanted.contains(op.id) && placed.insert(op.id).second) op_node(op, "    ");
            text_ += "  }\n";
        }
        for (const ir::op_spec &op : ops_)
            if (placed.insert(op.id).second) op_node(op, "  ");
        edges();
        return std::move(text_) + "}\n";
    }

private:
    void op_node(const ir::op_spec &op, std::string_view indent) {
        std::string label = format_text("{}\nop {}", ir::name_of(op.kind), op.id);
        if (ir::has_own_name(op)) label += format_text(" \"{}\"", visible(op.name));
        if (!op.attrs.empty()) label += "\n" + ir::short_text(op.attrs);
        text_ += format_text("{}op_{} [label={}];\n", indent, op.id, dot_string(label));
    }

    void end_node(const ir::port &p) {
        if (ends_.insert(p.id).second)
            text_ += format_text("  tensor_{} [label=\"%{}\", shape=ellipse];\n", p.id, p.id);
    }

    static std::string edge_label(const ir::port &p) {
        return dot_string(format_text("%{}:{}", p.id, ir::short_text(p.desc)));
    }

    void edges() {
        std::unordered_set<std::size_t> read;
        for (const ir::op_spec &op : ops_)
            for (std::size_t i = 0; i < op.inputs.size(); ++i) {
                const ir::port &p = op.inputs[i];
                read.insert(p.id);
                auto producer = producer_.find(p.id);
                if (producer == producer_.end()) end_node(p);
                text_ += format_text("  {} -> op_{} [label={}, headlabel=\"{}\"];\n",
                        producer == producer_.end() ? format_text("tensor_{}", p.id)
                                                    : format_text("op_{}", producer->second),
                        op.id, edge_label(p), i);
            }
        for (const ir::op_spec &op : ops_)
            for (const ir::port &p : op.outputs) {
                if (read.contains(p.id)) continue;
                end_node(p);
                text_ += format_text(
                        "  op_{} -> tensor_{} [label={}];\n", op.id, p.id, edge_label(p));
            }
    }

    std::span<const ir::op_spec> ops_;
    std::unordered_map<std::size_t, std::size_t> producer_; ///< Tensor id to op id.
    std::unordered_set<std::size_t> ends_;                  ///< Tensors that have a node.
    std::string text_;
};

} // namespace

std::string write_dot(std::string_view name, std::span<const ir::op_spec> ops,
        std::span<const dot_cluster> clusters) {
    return dot_writer(ops).write(name, clusters);
}

} // namespace tern::formats
