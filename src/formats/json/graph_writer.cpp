// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "formats/json/graph_file.hpp"
#include "formats/utf8.hpp"

namespace tern::formats {
namespace {

/// Writes JSON as oneDNN's dumps lay it out: every key and every list element on its own line, two
/// spaces per level.
class layout_writer {
public:
    std::string take() { return std::move(text_); }

    void begin(char bracket) {
        text_ += bracket;
        counts_.push_back(0);
    }
    void end(char bracket) {
        bool empty = counts_.back() == 0;
        counts_.pop_back();
        if (!empty) new_line();
        text_ += bracket;
    }
    /// Comes before each element of a list.
    void element() {
        if (counts_.back()++ > 0) text_ += ',';
        new_line();
    }
    /// Comes before each value of an object.
    void key(std::string_view name) {
        element();
        text_ += format_text("\"{}\": ", name);
    }
    template <typename Number>
    void number(Number value) {
        text_ += format_text("{}", value);
    }
    void string(std::string_view value) {
        text_ += '"';
        for (char c : valid_utf8(value))
            character(c);
        text_ += '"';
    }
    template <typename List>
    void numbers(const List &list) {
        begin('[');
        for (auto value : list) {
            element();
            number(value);
        }
        end(']');
    }
    void new_line() {
        text_ += '\n';
        text_.append(counts_.size() * 2, ' ');
    }

private:
    void character(char c) {
        switch (c) {
            case '"': text_ += "\\\""; break;
            case '\\': text_ += "\\\\"; break;
            case '\b': text_ += "\\b"; break;
            case '\f': text_ += "\\f"; break;
            case '\n': text_ += "\\n"; break;
            case '\r': text_ += "\\r"; break;
            case '\t': text_ += "\\t"; break;
            default:
                if (static_cast<unsigned char>(c) < 0x20)
                    text_ += format_text("\\u{:04x}", static_cast<unsigned>(c));
                else
                    text_ += c;
        }
    }

    std::string text_;
    std::vector<std::size_t> counts_;
};

void write_axis_list(layout_writer &out, std::string_view key, const dims &values, bool known) {
    out.key(key);
    // A list of unknown values alone means the same as the short form, except for its rank.
    out.numbers(known ? values : dims{unknown_dim});
}

void write_sample(layout_writer &out, value_form form, const value_sample &sample) {
    if (is_optional(form)) {
        out.key("state");
        out.string(name_of(sample.what));
    }
    if (sample.what != value_sample::state::present) return;
    if (form == value_form::optional_tensor) {
        if (sample.shapes.empty()) return;
        out.key("shape");
        out.numbers(sample.shapes.front());
        return;
    }
    out.key("shapes");
    out.begin('[');
    for (const dims &shape : sample.shapes) {
        out.element();
        out.numbers(shape);
    }
    out.end(']');
}

/// What is no tensor: Tern's own keys.
void write_value(layout_writer &out, const ir::port &port, const value_sample *sample) {
    const value_form form = port.desc.form;
    out.begin('{');
    out.key("id");
    out.number(port.id);
    out.key("dtype");
    out.string(tern::name_of(port.desc.type));
    out.key("kind");
    out.string(is_optional(form) ? "optional" : "sequence");
    if (is_optional(form)) {
        out.key("element");
        out.string(held_form(form) == value_form::sequence ? "sequence" : "tensor");
    }
    if (sample != nullptr) write_sample(out, form, *sample);
    out.end('}');
}

void write_port(layout_writer &out, const ir::port &port, const graph_file &graph) {
    const tensor_desc &desc = port.desc;
    if (!desc.is_tensor()) {
        auto sample = graph.samples.find(port.id);
        write_value(out, port, sample == graph.samples.end() ? nullptr : &sample->second);
        return;
    }
    bool strided = desc.layout == layout_type::strided;
    bool strides_known = strided && desc.rank_known;
    for (std::int64_t stride : desc.strides)
        strides_known = strides_known && stride != unknown_dim;
    out.begin('{');
    out.key("id");
    out.number(port.id);
    out.key("dtype");
    out.string(tern::name_of(desc.type));
    write_axis_list(out, "shape", desc.shape, desc.rank_known);
    write_axis_list(out, "stride", desc.strides, strides_known);
    out.key("layout_type");
    out.string(desc.layout == layout_type::any ? "any" : strided ? "strided" : "undef");
    out.key("property_type");
    out.string(name_of(desc.property));
    out.end('}');
}

void write_ports(layout_writer &out, std::string_view key, const std::vector<ir::port> &ports,
        const graph_file &graph) {
    out.key(key);
    out.begin('[');
    for (const ir::port &port : ports) {
        out.element();
        write_port(out, port, graph);
    }
    out.end(']');
}

struct value_writer {
    layout_writer &out;
    void operator()(std::int64_t value) const { out.number(value); }
    void operator()(float value) const { out.number(value); }
    void operator()(bool value) const { out.number(value ? 1 : 0); }
    void operator()(const std::string &value) const { out.string(value); }
    void operator()(const std::vector<std::int64_t> &value) const { out.numbers(value); }
    void operator()(const std::vector<float> &value) const { out.numbers(value); }
};

void write_attr(layout_writer &out, std::string_view name, const ir::attr_value &value) {
    out.key(name);
    out.begin('{');
    out.key("type");
    out.string(ir::name_of(static_cast<ir::attr_kind>(value.index())));
    out.key("value");
    std::visit(value_writer{out}, value);
    out.end('}');
}

void write_op(layout_writer &out, const ir::op_spec &op, const graph_file &graph) {
    auto at = graph.placements.find(op.id);
    const placement *placed = at == graph.placements.end() ? nullptr : &at->second;
    out.begin('{');
    out.key("id");
    out.number(op.id);
    out.key("name");
    out.string(op.name);
    out.key("kind");
    out.string(ir::name_of(op.kind));
    out.key("attrs");
    out.begin('{');
    for (const auto &[attr, value] : op.attrs)
        write_attr(out, ir::name_of(attr), value);
    if (placed && placed->partition) write_attr(out, "partition_id", *placed->partition);
    if (placed && !placed->backend.empty()) write_attr(out, "backend", placed->backend);
    out.end('}');
    write_ports(out, "inputs", op.inputs, graph);
    write_ports(out, "outputs", op.outputs, graph);
    out.end('}');
}

} // namespace

std::string write_graph(const graph_file &graph) {
    layout_writer out;
    out.begin('{');
    out.key("version");
    out.string(graph.version);
    out.key("engine_kind");
    out.string(graph.engine_kind);
    out.key("fpmath_mode");
    out.string(graph.fpmath ? name_of(*graph.fpmath) : "");
    out.key("fpmath_mode_apply_to_int");
    out.string(graph.fpmath_apply_to_int ? "true" : "false");
    out.key("input_ports");
    out.numbers(graph.input_ports);
    out.key("output_ports");
    out.numbers(graph.output_ports);
    out.key("graph");
    out.begin('[');
    for (const ir::op_spec &op : graph.ops) {
        out.element();
        write_op(out, op, graph);
    }
    out.end(']');
    out.end('}');
    out.new_line();
    return out.take();
}

} // namespace tern::formats
