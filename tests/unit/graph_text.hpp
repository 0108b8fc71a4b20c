// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_TESTS_UNIT_GRAPH_TEXT_HPP
#define TERN_TESTS_UNIT_GRAPH_TEXT_HPP

/// \file
/// Graphs from text, in the form that ir/print.hpp writes, so that a test shows the graph it is
/// about. Beyond that form: several tensors may share an "= input" line, and what the printed form
/// repeats may be left out (attributes that have defaults, "# op 3": ops are numbered as they
/// come).
///     %0:boolean[2x3], %1:f32[2x3:1s2], %2:f32[] = input
///     %3:f32[2x3] = Select(%0, %1, %2)

#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/shape.hpp"
#include "compiler/fusions.hpp"
#include "compiler/make_region.hpp"
#include "formats/json/graph_file.hpp"
#include "ir/print.hpp"
#include "ops/registry.hpp"

namespace tern::compiler {

/// Lines without what indents them and without empty ones.
inline std::string trimmed(std::string_view text) {
    std::string result;
    while (!text.empty()) {
        std::size_t end = std::min(text.find('\n'), text.size());
        std::size_t begin = std::min(text.find_first_not_of(' '), end);
        if (begin < end) result += std::string(text.substr(begin, end - begin)) + "\n";
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return result;
}

class graph_text {
public:
    explicit graph_text(std::string_view text) : rest_(text) {}

    std::vector<ir::op_spec> read() {
        for (skip(); !rest_.empty(); skip())
            read_line();
        return std::move(ops_);
    }

private:
    [[noreturn]] void fail_at() const {
        throw std::runtime_error(
                "the graph's text is wrong at: " + std::string(rest_.substr(0, 40)));
    }
    void skip() {
        std::size_t next = rest_.find_first_not_of(" \n");
        rest_.remove_prefix(std::min(next, rest_.size()));
    }
    bool take(std::string_view word) {
        skip();
        if (rest_.substr(0, word.size()) != word) return false;
        rest_.remove_prefix(word.size());
        return true;
    }
    void need(std::string_view word) {
        if (!take(word)) fail_at();
    }
    std::string take_until(std::string_view ends) {
        std::size_t end = rest_.find_first_of(ends);
        if (end == std::string_view::npos) fail_at();
        std::string taken(rest_.substr(0, end));
        rest_.remove_prefix(end);
        return taken;
    }
    /// What std::optional holds; else the text is wrong.
    template <typename Optional>
    auto held(const Optional &found) const {
        if (!found) fail_at();
        return *found;
    }

    void read_line() {
        std::vector<ir::port> outputs;
        while (take("%")) {
            outputs.push_back(read_tensor());
            tensors_[outputs.back().id] = outputs.back();
            if (!take(",")) break;
        }
        if (!outputs.empty()) need("=");
        if (take("input")) return;
        ir::op_spec op;
        op.id = ops_.size();
        op.outputs = std::move(outputs);
        skip();
        op.kind = held(formats::op_kind_from_name(take_until("(")));
        need("(");
        while (take("%")) {
            op.inputs.push_back(tensors_.at(std::stoul(take_until(",)"))));
            take(",");
        }
        need(")");
        if (take("{")) read_attrs(op.attrs);
        ops_.push_back(std::move(op));
    }

    ir::port read_tensor() {
        ir::port p;
        p.id = std::stoul(take_until(":"));
        need(":");
        p.desc.type = held(data_type_from_name(take_until("[")));
        p.desc.layout = layout_type::strided;
        p.desc.rank_known = true;
        need("[");
        p.desc.shape = read_dims(":]", 'x');
        p.desc.strides = dense_strides(p.desc.shape).value();
        if (take(":any")) {
            p.desc.layout = layout_type::any;
            p.desc.strides = {};
        } else if (take(":")) {
            p.desc.strides = read_dims("]", 's');
        }
        need("]");
        if (take("constant")) p.desc.property = property_type::constant;
        if (take("host_scalar")) p.desc.property = property_type::host_scalar;
        return p;
    }

    dims read_dims(std::string_view ends, char between) {
        dims result;
        std::string list = take_until(ends);
        for (std::size_t at = 0; at < list.size();) {
            std::size_t end = std::min(list.find(between, at), list.size());
            result.push_back(std::stoll(list.substr(at, end - at)));
            at = end + 1;
        }
        return result;
    }

    void read_attrs(ir::attr_list &attrs) {
        while (!take("}")) {
            skip();
            op_attr attr = held(formats::op_attr_from_name(take_until("=")));
            need("=");
            attrs.emplace_back(attr, read_value(ir::kind_of(attr)));
            take(",");
        }
    }

    ir::attr_value read_value(ir::attr_kind kind) {
        if (!take("[")) {
            std::string word = take_until(",}");
            if (kind == ir::attr_kind::s64) return std::int64_t{std::stoll(word)};
            if (kind == ir::attr_kind::f32) return std::stof(word);
            if (kind == ir::attr_kind::boolean) return word == "true";
            return word;
        }
        std::vector<std::int64_t> whole;
        std::vector<float> real;
        while (!take("]")) {
            skip();
            std::string word = take_until(",]");
            whole.push_back(static_cast<std::int64_t>(std::stod(word)));
            real.push_back(std::stof(word));
            take(",");
        }
        if (kind == ir::attr_kind::f32s) return real;
        return whole;
    }

    std::string_view rest_;
    std::map<std::size_t, ir::port> tensors_;
    std::vector<ir::op_spec> ops_;
};

inline std::shared_ptr<const ir::graph> read_graph(std::string_view text) {
    auto graph = std::make_shared<ir::graph>(ops::find);
    for (ir::op_spec &op : graph_text(text).read())
        graph->add_op(std::move(op));
    graph->finalize();
    return graph;
}

/// The first partition that Tern runs. Ops of another kind (End, Wildcard) stand for readers
/// outside of it.
inline std::shared_ptr<const partition> read_partition(std::string_view text) {
    for (auto &part :
            make_partitions(read_graph(text), partition_policy::fusion, fpmath_mode::strict, false))
        if (part->is_supported) return part;
    throw std::runtime_error("no partition that Tern runs");
}

/// Logical tensors as the graph has them.
inline given_list ports_of(const partition &part, bool is_input) {
    given_list ports;
    for (int v : is_input ? part.inputs : part.outputs)
        ports.push_back(&part.value(v).desc);
    return ports;
}

/// A partition's region. The ops stay with the partition, which has to live as long.
inline region region_of(const partition &part) {
    runtime::plan_parts parts;
    return make_region(part, ports_of(part, true), ports_of(part, false), parts);
}

/// Regions and groups as text: tensors by the ids that the graph has.
class group_text {
public:
    group_text(const region &r, const partition &part) : r_(r) {
        ids_.resize(r.values.size());
        for (const region_op &o : r.ops) {
            for (std::size_t i = 0; i < o.in.size(); ++i)
                ids_[index(o.in[i])] = part.value(o.op->inputs[i]).id;
            for (std::size_t i = 0; i < o.out.size(); ++i)
                ids_[index(o.out[i])] = part.value(o.op->outputs[i]).id;
        }
    }

    /// "matmul(%0, %1, %2) -> %4: MatMul+Add"
    std::string operator()(const group &g) const {
        static constexpr std::string_view kinds[] = {"single", "lanes", "matmul"};
        std::string kind(kinds[static_cast<std::size_t>(g.kind)]);
        std::string names;
        for (int op : g.ops)
            names += (names.empty() ? "" : "+") + std::string(ir::name_of(r_.op(op).kind()));
        return kind + "(" + list(g.in) + ") -> " + list(g.out) + ": " + names + "\n";
    }
    /// "view(%3) -> %4: StaticReshape"
    std::string view(const region_op &o) const {
        return "view(" + list(o.in) + ") -> " + list(o.out) + ": "
               + std::string(ir::name_of(o.kind())) + "\n";
    }
    std::size_t id(int value) const { return ids_[index(value)]; }

private:
    static std::size_t index(int i) { return static_cast<std::size_t>(i); }
    std::string list(const std::vector<int> &values) const {
        std::string text;
        for (int v : values)
            text += (text.empty() ? "%" : ", %") + std::to_string(id(v));
        return text;
    }

    const region &r_;
    std::vector<std::size_t> ids_; ///< By value.
};

} // namespace tern::compiler

#endif
