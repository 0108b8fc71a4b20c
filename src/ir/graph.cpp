// SPDX-License-Identifier: Apache-2.0
#include "ir/graph.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/shape.hpp"
#include "base/text.hpp"
#include "base/topological.hpp"

namespace tern::ir {
namespace {

void verify_count(const op_spec &spec, std::string_view what, std::size_t found,
        std::span<const port_def> expected) {
    std::size_t least = 0;
    bool is_bounded = true;
    std::string names;
    for (const port_def &port : expected) {
        if (port.use == port_use::required) ++least;
        if (port.use == port_use::repeated) is_bounded = false;
        names += format_text("{}{}{}{}", names.empty() ? "" : ", ",
                port.use == port_use::optional ? "[" : "", port.name,
                port.use == port_use::optional   ? "]"
                : port.use == port_use::repeated ? "..."
                                                 : "");
    }
    if (found >= least && (found <= expected.size() || !is_bounded)) return;
    std::string wanted = least == expected.size() ? format_text("{}", least)
                                                  : format_text("{} to {}", least, expected.size());
    fail(status::invalid_graph_op, "{}: {} {} given, expected {} ({})", to_string(spec.label()),
            found, what, wanted, names);
}

/// Binds type variables to the first port that uses them; later ports must agree.
class type_binder {
public:
    type_binder(const op_spec &spec, const op_def &def) : spec_(spec), def_(def) {}

    void bind(std::span<const port_def> ports, std::span<const port> given) {
        for (std::size_t i = 0; i < given.size(); ++i)
            bind(ports[std::min(i, ports.size() - 1)], given[i]); // the last one may be repeated
    }

private:
    void bind(const port_def &expected, const port &given) {
        data_type type = given.desc.type;
        if (!expected.forms.contains(given.desc.form))
            fail(status::invalid_graph_op, "{}: {} (tensor {}) is {}; allowed: {}",
                    to_string(spec_.label()), expected.name, given.id,
                    to_string(given.desc.value_type()), names_of(expected.forms));
        const type_rule &rule = rule_of(expected.type_variable);
        if (!rule.types.contains(type))
            fail(status::invalid_graph_op, "{}: {} (tensor {}) has data type {}; allowed: {}",
                    to_string(spec_.label()), expected.name, given.id, tern::name_of(type),
                    names_of(rule.types));
        if (rule.is_free) return;
        for (const auto &[variable, bound, by] : bound_)
            if (variable == rule.variable) {
                if (bound != type)
                    fail(status::invalid_graph_op,
                            "{}: {} (tensor {}) has data type {}, but {} has {}; they must be "
                            "equal",
                            to_string(spec_.label()), expected.name, given.id, tern::name_of(type),
                            by, tern::name_of(bound));
                return;
            }
        bound_.push_back({rule.variable, type, expected.name});
    }

    const type_rule &rule_of(std::string_view variable) const {
        return *std::find_if(def_.types.begin(), def_.types.end(),
                [&](const type_rule &rule) { return rule.variable == variable; });
    }

    static std::string names_of(const type_set &types) {
        std::string names;
        for (int i = 1; i < data_type_count; ++i)
            if (types.contains(static_cast<data_type>(i)))
                names += format_text(
                        "{}{}", names.empty() ? "" : " ", tern::name_of(static_cast<data_type>(i)));
        return names;
    }

    static std::string names_of(const form_set &forms) {
        std::string names;
        for (value_form form : {value_form::tensor, value_form::sequence,
                     value_form::optional_tensor, value_form::optional_sequence})
            if (forms.contains(form))
                names += format_text("{}{}", names.empty() ? "" : " ", name_of(form));
        return names;
    }

    struct binding {
        std::string_view variable;
        data_type type;
        std::string_view by;
    };
    const op_spec &spec_;
    const op_def &def_;
    std::vector<binding> bound_;
};

void verify_attr(const op_spec &spec, const op_def &def, op_attr attr, const attr_value &value) {
    auto rule = std::find_if(def.attrs.begin(), def.attrs.end(),
            [&](const attr_def &candidate) { return candidate.attr == attr; });
    if (rule == def.attrs.end())
        fail(status::invalid_graph_op, "{}: the op has no attribute {}", to_string(spec.label()),
                name_of(attr));
    auto found = static_cast<attr_kind>(value.index());
    if (found != kind_of(attr))
        fail(status::invalid_graph_op, "{}: attribute {} has type {}, expected {}",
                to_string(spec.label()), name_of(attr), name_of(found), name_of(kind_of(attr)));
    if (rule->candidates.empty()) return;
    const auto &text = std::get<std::string>(value);
    if (std::find(rule->candidates.begin(), rule->candidates.end(), text) != rule->candidates.end())
        return;
    std::string allowed;
    for (std::string_view candidate : rule->candidates)
        allowed += format_text("{}\"{}\"", allowed.empty() ? "" : ", ", candidate);
    fail(status::invalid_graph_op, "{}: attribute {} is \"{}\"; allowed: {}",
            to_string(spec.label()), name_of(attr), text, allowed);
}

std::optional<attr_value> default_of(const attr_def &rule) {
    switch (rule.when_unset.index()) {
        case 1: return std::get<std::int64_t>(rule.when_unset);
        case 2: return std::get<float>(rule.when_unset);
        case 3: return std::get<bool>(rule.when_unset);
        case 4: return std::string(std::get<std::string_view>(rule.when_unset));
        case 5:
            if (kind_of(rule.attr) == attr_kind::f32s) return std::vector<float>();
            return std::vector<std::int64_t>();
        default: return std::nullopt;
    }
}

/// Values and ops under construction: what finalize commits when nothing failed.
struct builder {
    std::vector<op> ops;
    std::vector<value> values;
    std::unordered_map<std::size_t, int> value_by_id;

    int value_of(const op_spec &spec, const port &p) {
        auto [slot, fresh] = value_by_id.try_emplace(p.id, static_cast<int>(values.size()));
        if (fresh) {
            values.push_back({p.id, p.desc, -1});
        } else {
            const tensor_desc &known = values[static_cast<std::size_t>(slot->second)].desc;
            if (!(known == p.desc))
                fail(status::invalid_graph,
                        "tensor {} is described in two ways: {} before, {} at {}", p.id,
                        to_string(known), to_string(p.desc), to_string(spec.label()));
        }
        return slot->second;
    }

    void add(const op_spec &spec, const op_def *def) {
        op result{spec.id, spec.kind, spec.name, spec.attrs, {}, {}, def};
        for (const port &p : spec.inputs)
            result.inputs.push_back(value_of(spec, p));
        for (const port &p : spec.outputs) {
            int index = value_of(spec, p);
            value &v = values[static_cast<std::size_t>(index)];
            if (v.producer >= 0)
                fail(status::invalid_graph, "tensor {} is an output of both {} and {}", p.id,
                        to_string(v.producer < static_cast<int>(ops.size())
                                          ? ops[static_cast<std::size_t>(v.producer)].label()
                                          : spec.label()),
                        to_string(spec.label()));
            v.producer = static_cast<int>(ops.size());
            result.outputs.push_back(index);
        }
        ops.push_back(std::move(result));
    }

    /// Among the ops that are ready the one added first comes first.
    void sort() {
        std::vector<std::vector<int>> needs(ops.size());
        for (std::size_t i = 0; i < ops.size(); ++i)
            for (int v : ops[i].inputs)
                if (int producer = values[static_cast<std::size_t>(v)].producer; producer >= 0)
                    needs[i].push_back(producer);
        const std::vector<int> order = topological_order(needs);
        if (order.size() < ops.size()) {
            int at = find_on_cycle(needs, order);
            fail(status::invalid_graph, "the graph has a cycle through {}",
                    to_string(ops[static_cast<std::size_t>(at)].label()));
        }
        std::vector<op> sorted;
        std::vector<int> new_index(ops.size());
        for (int old : order) {
            new_index[static_cast<std::size_t>(old)] = static_cast<int>(sorted.size());
            sorted.push_back(std::move(ops[static_cast<std::size_t>(old)]));
        }
        for (value &v : values)
            if (v.producer >= 0) v.producer = new_index[static_cast<std::size_t>(v.producer)];
        ops = std::move(sorted);
    }

    void infer() {
        for (const value &v : values)
            if (v.producer < 0) verify_size(v, "an input of the graph");
        for (const op &o : ops) {
            if (o.def) {
                std::vector<tensor_desc> in;
                std::vector<tensor_desc> out;
                for (int v : o.inputs)
                    in.push_back(values[static_cast<std::size_t>(v)].desc);
                for (int v : o.outputs)
                    out.push_back(values[static_cast<std::size_t>(v)].desc);
                o.def->infer(o.label(), o.attrs, in, out);
                for (std::size_t i = 0; i < out.size(); ++i)
                    values[static_cast<std::size_t>(o.outputs[i])].desc = out[i];
            }
            for (int v : o.outputs)
                verify_size(values[static_cast<std::size_t>(v)], to_string(o.label()));
        }
    }

    static void verify_size(const value &v, const std::string &where) {
        if (!v.desc.shape_known()) return;
        std::optional<std::int64_t> count = element_count(v.desc.shape);
        if (!count || !bytes_of_many(*count, v.desc.type))
            fail(status::invalid_shape,
                    "{}: tensor {} of shape {} and type {} is too large: its size does not fit 63 "
                    "bits",
                    where, v.id, to_string(v.desc.shape), tern::name_of(v.desc.type));
    }
};

} // namespace

void verify_schema(op_spec &spec, const op_def &def) {
    verify_count(spec, "inputs", spec.inputs.size(), def.inputs);
    verify_count(spec, "outputs", spec.outputs.size(), def.outputs);
    type_binder binder(spec, def);
    binder.bind(def.inputs, spec.inputs);
    binder.bind(def.outputs, spec.outputs);
    for (const auto &[attr, value] : spec.attrs)
        verify_attr(spec, def, attr, value);
    for (const attr_def &rule : def.attrs) {
        if (find(spec.attrs, rule.attr)) continue;
        if (rule.required)
            fail(status::invalid_graph_op, "{}: attribute {} is required", to_string(spec.label()),
                    name_of(rule.attr));
        if (std::optional<attr_value> value = default_of(rule))
            spec.attrs.emplace_back(rule.attr, *std::move(value));
    }
    if (!def.check) return;
    std::vector<tensor_desc> in;
    std::vector<tensor_desc> out;
    for (const port &p : spec.inputs)
        in.push_back(p.desc);
    for (const port &p : spec.outputs)
        out.push_back(p.desc);
    def.check(spec.label(), spec.attrs, in, out);
}

void graph::add_op(op_spec spec) {
    if (finalized_)
        fail(status::invalid_graph, "{}: the graph is finalized and takes no more ops",
                to_string(spec.label()));
    auto taken = spec_by_id_.find(spec.id);
    if (taken != spec_by_id_.end())
        fail(status::invalid_graph_op, "{}: the id is taken by {}", to_string(spec.label()),
                to_string(specs_[taken->second].label()));
    if (const op_def *def = find_def_(spec.kind)) verify_schema(spec, *def);
    spec_by_id_.emplace(spec.id, specs_.size());
    specs_.push_back(std::move(spec));
}

void graph::finalize() {
    if (finalized_) return;
    builder build;
    for (const op_spec &spec : specs_)
        build.add(spec, find_def_(spec.kind));
    build.sort();
    build.infer();
    ops_ = std::move(build.ops);
    values_ = std::move(build.values);
    finalized_ = true;
}

} // namespace tern::ir
