// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/error.hpp"
#include "base/shape.hpp"
#include "base/text.hpp"
#include "formats/json/document.hpp"
#include "formats/json/graph_checks.hpp"
#include "formats/json/graph_file.hpp"
#include "formats/json/text_file.hpp"

namespace tern::formats {
namespace {

using kind = json_value::kind;

/// The kind of attribute value that a word of the key `type` stands for.
std::optional<ir::attr_kind> attr_kind_from_word(std::string_view word) {
    for (std::size_t i = 0; i < std::variant_size_v<ir::attr_value>; ++i)
        if (ir::name_of(static_cast<ir::attr_kind>(i)) == word)
            return static_cast<ir::attr_kind>(i);
    return std::nullopt;
}

/// Turns the values of a document into a graph. Every complaint goes through `complain`, which puts
/// the position in front; `where_` says which op and port is being read.
class graph_reader {
public:
    graph_reader(std::string_view text, const std::string &name) : text_(text), name_(name) {}

    graph_file read(const json_value &root) {
        if (root.type != kind::object)
            complain(root, format_text("expected an object, found {}", describe(root)));
        graph_file graph;
        if (const json_value *version = root.find("version"))
            graph.version = string(*version, "version");
        if (const json_value *engine = root.find("engine_kind"))
            graph.engine_kind = string(*engine, "engine_kind");
        read_fpmath(root, graph);
        if (const json_value *ports = root.find("input_ports"))
            graph.input_ports = ids(*ports, "input_ports");
        if (const json_value *ports = root.find("output_ports"))
            graph.output_ports = ids(*ports, "output_ports");

        const json_value &ops = need(root, "graph", kind::list);
        if (ops.items.empty()) complain(ops, "key \"graph\": expected at least one op, found none");
        graph.ops.reserve(ops.items.size());
        for (const json_value &item : ops.items)
            graph.ops.push_back(op(item, graph.ops.size()));
        graph.placements = std::move(placements_);
        graph.samples = std::move(samples_);
        return graph;
    }

    /// Where each op and each port stands, for the checks across ops.
    const graph_positions &positions() const { return positions_; }

    [[noreturn]] void complain(const json_value &at, const std::string &what) const {
        fail(status::invalid_arguments, "{}: {}{}", position_in(text_, name_, at.offset), where_,
                what);
    }

private:
    [[noreturn]] void complain_key(
            const json_value &at, std::string_view key, std::string_view expected) const {
        complain(at, format_text("key \"{}\": expected {}, found {}", key, expected, describe(at)));
    }

    static std::string_view name_of(kind type) {
        switch (type) {
            case kind::list: return "a list";
            case kind::object: return "an object";
            case kind::string: return "a string";
            default: return "a number";
        }
    }

    const json_value &need(const json_value &object, std::string_view key) const {
        const json_value *found = object.find(key);
        if (found == nullptr) complain(object, format_text("missing key \"{}\"", key));
        return *found;
    }

    const json_value &need(const json_value &object, std::string_view key, kind type) const {
        const json_value &found = need(object, key);
        if (found.type != type) complain_key(found, key, name_of(type));
        return found;
    }

    const std::string &string(const json_value &value, std::string_view key) const {
        if (value.type != kind::string) complain_key(value, key, "a string");
        return value.text;
    }

    std::int64_t whole(const json_value &value, std::string_view key) const {
        if (value.type != kind::integer) complain_key(value, key, "an integer of 64 bits");
        return value.integer;
    }

    std::size_t id(const json_value &value, std::string_view key) const {
        bool fits = value.type == kind::unsigned_integer
                    || (value.type == kind::integer && value.integer >= 0);
        if (!fits) complain_key(value, key, "an id (an integer from 0 to 2^64 - 1)");
        return static_cast<std::size_t>(value.natural);
    }

    std::vector<std::size_t> ids(const json_value &list, std::string_view key) const {
        if (list.type != kind::list) complain_key(list, key, "a list");
        std::vector<std::size_t> result;
        for (const json_value &item : list.items)
            result.push_back(id(item, key));
        return result;
    }

    float f32(const json_value &value, std::string_view key) const {
        if (!value.is_number()) complain_key(value, key, "a number");
        if (std::abs(value.real) > std::numeric_limits<float>::max())
            complain_key(value, key, "a number that fits f32");
        return static_cast<float>(value.real);
    }

    void read_fpmath(const json_value &root, graph_file &graph) const {
        if (const json_value *mode = root.find("fpmath_mode"); mode != nullptr) {
            const std::string &word = string(*mode, "fpmath_mode");
            graph.fpmath = fpmath_mode_from_name(word);
            if (!graph.fpmath && !word.empty())
                complain_key(*mode, "fpmath_mode", "strict, bf16, f16, any or tf32");
        }
        constexpr std::string_view key = "fpmath_mode_apply_to_int";
        const json_value *apply = root.find(key);
        if (apply == nullptr) return;
        if (apply->type == kind::boolean) {
            graph.fpmath_apply_to_int = apply->truth;
            return;
        }
        const std::string &word = string(*apply, key);
        if (word != "true" && word != "false" && !word.empty())
            complain_key(*apply, key, "\"true\" or \"false\"");
        graph.fpmath_apply_to_int = word == "true";
    }

    /// A shape or a stride list. nullopt: unknown, written as a list of one INT64_MIN.
    std::optional<dims> axis_list(const json_value &lt, std::string_view key) const {
        return axes(need(lt, key, kind::list), key);
    }

    std::optional<dims> axes(const json_value &list, std::string_view key) const {
        if (list.type != kind::list) complain_key(list, key, "a list");
        if (list.items.size() > static_cast<std::size_t>(max_rank))
            complain(list, format_text("key \"{}\": expected at most {} entries, found {}", key,
                                   max_rank, list.items.size()));
        dims result;
        for (const json_value &item : list.items) {
            std::int64_t value = whole(item, key);
            if (value < 0 && value != unknown_dim)
                complain_key(item, key, "no negative number (INT64_MIN means unknown)");
            result.push_back(value);
        }
        if (result.rank() == 1 && result[0] == unknown_dim) return std::nullopt;
        return result;
    }

    void read_layout(const json_value &lt, tensor_desc &desc) const {
        const json_value &word = need(lt, "layout_type", kind::string);
        constexpr std::array<std::string_view, 4> words = {"any", "strided", "undef", "opaque"};
        if (std::find(words.begin(), words.end(), word.text) == words.end())
            complain_key(word, "layout_type", "any, strided, undef or opaque");
        std::optional<dims> shape = axis_list(lt, "shape");
        desc.rank_known = shape.has_value();
        if (shape) desc.shape = *shape;
        if (word.text == "any") {
            desc.layout = layout_type::any;
            return;
        }
        // Dumps say undef or opaque of tensors whose strides they give all the same.
        desc.layout = layout_type::strided;
        std::optional<dims> strides = axis_list(lt, "stride");
        const json_value &stride_list = need(lt, "stride");
        if (strides && !shape)
            complain_key(stride_list, "stride", "[INT64_MIN] (unknown, as the shape is)");
        if (strides && strides->rank() != shape->rank())
            complain(stride_list, format_text("key \"stride\": expected as many entries as key "
                                              "\"shape\" has ({}), found {}",
                                          shape->rank(), strides->rank()));
        desc.strides = strides ? *strides : dims(desc.shape.rank(), unknown_dim);
    }

    dims known_shape(const json_value &list, std::string_view key) const {
        std::optional<dims> shape = axes(list, key);
        if (!shape || has_unknown(*shape)) complain_key(list, key, "a shape without unknown sizes");
        return *shape;
    }

    /// The keys of what is no tensor; nothing to do for a tensor.
    void read_form(const json_value &lt, tensor_desc &desc) const {
        const json_value *word = lt.find("kind");
        if (word == nullptr) return;
        const std::string &text = string(*word, "kind");
        if (text != "tensor" && text != "sequence" && text != "optional")
            complain_key(*word, "kind", "tensor, sequence or optional");
        if (text == "sequence") desc.form = value_form::sequence;
        const json_value *element = lt.find("element");
        if (text != "optional") {
            if (element != nullptr) complain(*element, "key \"element\": only an optional has one");
            return;
        }
        desc.form = value_form::optional_tensor;
        if (element == nullptr) return;
        const std::string &held = string(*element, "element");
        if (held != "tensor" && held != "sequence")
            complain_key(*element, "element", "tensor or sequence");
        if (held == "sequence") desc.form = value_form::optional_sequence;
    }

    value_sample::state state(const json_value &word) const {
        const std::string &text = string(word, "state");
        for (auto known : {value_sample::state::present, value_sample::state::empty,
                     value_sample::state::absent})
            if (formats::name_of(known) == text) return known;
        complain_key(word, "state", "present, empty or absent");
    }

    void read_sample(const json_value &lt, const ir::port &port) {
        const value_form form = port.desc.form;
        const json_value *word = lt.find("state");
        const bool has_one = form == value_form::optional_tensor;
        const std::string_view key = has_one ? "shape" : "shapes";
        const json_value *shapes = lt.find(key);
        if (word == nullptr && shapes == nullptr) return;
        value_sample sample;
        if (word != nullptr) {
            if (!is_optional(form)) complain(*word, "key \"state\": only an optional has one");
            sample.what = state(*word);
        }
        if (shapes != nullptr) {
            if (sample.what != value_sample::state::present)
                complain(*shapes, format_text("key \"{}\": an optional that is {} has no shapes",
                                          key, formats::name_of(sample.what)));
            if (shapes->type != kind::list) complain_key(*shapes, key, "a list");
            if (has_one) sample.shapes.push_back(known_shape(*shapes, key));
            for (const json_value &shape : shapes->items)
                if (!has_one) sample.shapes.push_back(known_shape(shape, key));
        }
        auto [at, fresh] = samples_.emplace(port.id, sample);
        if (!fresh && !(at->second == sample))
            complain(lt, "state and shapes are not those that an earlier op gives for this id");
    }

    ir::port port(const json_value &lt) {
        if (lt.type != kind::object)
            complain(lt, format_text("expected an object, found {}", describe(lt)));
        ir::port result;
        result.id = id(need(lt, "id"), "id");
        where_ += format_text("(id {}): ", result.id);
        const json_value &type = need(lt, "dtype", kind::string);
        std::optional<data_type> found = data_type_from_name(type.text);
        if (!found || *found == data_type::undef) complain_key(type, "dtype", "a data type");
        result.desc.type = *found;
        read_form(lt, result.desc);
        if (!result.desc.is_tensor()) {
            read_sample(lt, result);
            return result;
        }
        read_layout(lt, result.desc);
        if (const json_value *word = lt.find("property_type")) {
            std::optional<property_type> property =
                    property_from_name(string(*word, "property_type"));
            if (!property)
                complain_key(*word, "property_type", "undef, variable, constant or host_scalar");
            result.desc.property = *property;
        }
        return result;
    }

    std::vector<ir::port> ports(const json_value &op, std::string_view key, std::string_view side) {
        const json_value &list = need(op, key, kind::list);
        std::vector<ir::port> result;
        const std::string before = where_;
        for (const json_value &item : list.items) {
            where_ = format_text("{}{} {} ", before, side, result.size());
            result.push_back(port(item));
            positions_.ports.push_back(item.offset);
            where_ = before;
        }
        return result;
    }

    ir::attr_value attr_value(const json_value &value, ir::attr_kind type) const {
        constexpr std::string_view key = "value";
        switch (type) {
            case ir::attr_kind::s64: return whole(value, key);
            case ir::attr_kind::f32: return f32(value, key);
            case ir::attr_kind::string: return string(value, key);
            case ir::attr_kind::boolean:
                if (value.type == kind::boolean) return value.truth;
                if (value.type != kind::integer || (value.integer != 0 && value.integer != 1))
                    complain_key(value, key, "0 or 1");
                return value.integer == 1;
            default: break;
        }
        if (value.type != kind::list) complain_key(value, key, "a list");
        if (type == ir::attr_kind::s64s) {
            std::vector<std::int64_t> numbers;
            for (const json_value &item : value.items)
                numbers.push_back(whole(item, key));
            return numbers;
        }
        std::vector<float> numbers;
        for (const json_value &item : value.items)
            numbers.push_back(f32(item, key));
        return numbers;
    }

    /// An attribute's value, which must be of the given kind.
    ir::attr_value typed_value(const json_value &value, ir::attr_kind expected) const {
        if (value.type != kind::object)
            complain(value, format_text("expected an object, found {}", describe(value)));
        const json_value &word = need(value, "type", kind::string);
        std::optional<ir::attr_kind> type = attr_kind_from_word(word.text);
        if (!type) complain_key(word, "type", "s64, f32, bool, string, s64[] or f32[]");
        if (*type != expected) complain_key(word, "type", ir::name_of(expected));
        return attr_value(need(value, "value"), *type);
    }

    void read_attr(const std::string &name, const json_value &value, ir::op_spec &spec) {
        const bool is_partition = name == "partition_id";
        const bool is_backend = name == "backend";
        std::optional<op_attr> attr = op_attr_from_name(name);
        if (!attr && !is_partition && !is_backend)
            complain(value, format_text("key \"attrs\": unknown attribute \"{}\"", name));
        const std::string before = where_;
        where_ += format_text("attribute {}: ", name);
        if (is_partition)
            placements_[spec.id].partition =
                    std::get<std::int64_t>(typed_value(value, ir::attr_kind::s64));
        else if (is_backend)
            placements_[spec.id].backend =
                    std::get<std::string>(typed_value(value, ir::attr_kind::string));
        else
            spec.attrs.emplace_back(*attr, typed_value(value, ir::kind_of(*attr)));
        where_ = before;
    }

    ir::op_spec op(const json_value &value, std::size_t index) {
        where_ = format_text("op at index {}: ", index);
        if (value.type != kind::object)
            complain(value, format_text("expected an object, found {}", describe(value)));
        ir::op_spec spec;
        spec.id = id(need(value, "id"), "id");
        if (const json_value *name = value.find("name")) spec.name = string(*name, "name");
        where_ = format_text("op {}: ", spec.id);
        const json_value &word = need(value, "kind", kind::string);
        std::optional<op_kind> known = op_kind_from_name(word.text);
        if (!known) complain_key(word, "kind", "an op kind");
        spec.kind = *known;
        where_ = format_text("op {} ({}{}): ", spec.id, word.text,
                spec.name.empty() ? "" : format_text(" \"{}\"", spec.name));
        if (const json_value *attrs = value.find("attrs")) {
            if (attrs->type != kind::object) complain_key(*attrs, "attrs", "an object");
            for (std::size_t i = 0; i < attrs->keys.size(); ++i)
                read_attr(attrs->keys[i], attrs->items[i], spec);
        }
        positions_.ops.push_back(value.offset);
        spec.inputs = ports(value, "inputs", "input");
        spec.outputs = ports(value, "outputs", "output");
        where_.clear();
        return spec;
    }

    std::string_view text_;
    const std::string &name_;
    std::string where_;
    graph_positions positions_;
    std::map<std::size_t, placement> placements_;
    std::map<std::size_t, value_sample> samples_;
};

} // namespace

graph_file parse_graph(std::string_view text, const std::string &name) {
    json_value root = parse_json(text, name);
    graph_reader reader(text, name);
    graph_file graph = reader.read(root);
    check_consistency(graph, reader.positions(), text, name);
    return graph;
}

graph_file read_graph_file(const std::string &path) {
    return parse_graph(read_text_file(path), path);
}

} // namespace tern::formats
