// SPDX-License-Identifier: Apache-2.0
// A whole graph through the graph API, whose names are the same in Tern and in oneDNN Graph: a leg
// names its library `api`, and the fpmath enumeration `api_fpmath`, before it includes this.
//   graph=FILE      in benchdnn's format
//   op=execute      all partitions in order; results and what lies between them have their memory
//   op=compile      all partitions are compiled, from no cache; the first run in a process counts
//   policy=fusion   or debug: each op is a partition of its own
//   outputs=FILE    see agrees()
#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "graph_file.hpp"

namespace leg {

class whole_graph {
public:
    using lt = api::logical_tensor;

    whole_graph(const graph_file &file, api::partition::policy policy) : file_(file) {
        api::graph g(api::engine::kind::cpu);
        if (!file.fpmath.empty() && file.fpmath != "strict")
            g.set_fpmath_mode(fpmath_of(file.fpmath), file.fpmath_for_integers);
        for (const node &n : file.nodes)
            add(g, n);
        g.finalize();
        parts_ = g.get_partitions(policy);
        for (const api::partition &part : parts_)
            if (!part.is_supported()) throw unsupported(kinds_of(part));
        for (const port &p : file.inputs)
            at_ends_.emplace(p.id, describe(p, lt::layout_type::strided));
        for (const port &p : file.outputs)
            at_ends_.emplace(p.id, describe(p, lt::layout_type::strided));
    }

    size_t partitions() const { return parts_.size(); }

    struct step {
        api::compiled_partition compiled;
        std::vector<lt> inputs, outputs; // as compiled
    };

    /// Between partitions each one chooses the layout of what it makes.
    std::vector<step> compile() const {
        std::vector<step> steps;
        std::map<size_t, lt> known = at_ends_;
        for (const api::partition &part : parts_) {
            step s;
            for (const lt &in : part.get_input_ports())
                s.inputs.push_back(known.at(in.get_id()));
            for (const lt &out : part.get_output_ports()) {
                const auto end = at_ends_.find(out.get_id());
                s.outputs.push_back(end == at_ends_.end() ? between(out.get_id()) : end->second);
            }
            s.compiled = part.compile(s.inputs, s.outputs, cpu);
            for (lt &out : s.outputs) {
                out = s.compiled.query_logical_tensor(out.get_id());
                known.erase(out.get_id());
                known.emplace(out.get_id(), out);
            }
            steps.push_back(std::move(s));
        }
        return steps;
    }

    api::engine cpu{api::engine::kind::cpu, 0};

private:
    static api_fpmath fpmath_of(const std::string &name) {
        const std::map<std::string, api_fpmath> modes{{"bf16", api_fpmath::bf16},
                {"f16", api_fpmath::f16}, {"any", api_fpmath::any}, {"tf32", api_fpmath::tf32}};
        return modes.at(name);
    }

    static lt::data_type type(const std::string &dtype) {
        using type = lt::data_type;
        const std::map<std::string, type> types{{"f32", type::f32}, {"bf16", type::bf16},
                {"f16", type::f16}, {"s32", type::s32}, {"s8", type::s8}, {"u8", type::u8},
                {"boolean", type::boolean}, {"f8_e5m2", type::f8_e5m2}, {"f8_e4m3", type::f8_e4m3},
                {"s4", type::s4}, {"u4", type::u4}};
        const auto found = types.find(dtype);
        if (found == types.end()) throw unsupported(dtype);
        return found->second;
    }

    static lt describe(const port &p, lt::layout_type layout) {
        using property = lt::property_type;
        const std::map<std::string, property> properties{{"constant", property::constant},
                {"variable", property::variable}, {"host_scalar", property::host_scalar}};
        const auto found = properties.find(p.property);
        const property of = found == properties.end() ? property::undef : found->second;
        const lt::data_type dt = type(p.dtype);
        if (!p.is_known()) {
            if (p.shape.size() == 1) return lt(p.id, dt, -1, layout, of); // rank unknown
            return lt(p.id, dt, p.shape, layout, of);
        }
        if (layout == lt::layout_type::any || p.shape.empty())
            return lt(p.id, dt, p.shape, layout, of);
        return lt(p.id, dt, p.shape, p.strides, of);
    }

    lt between(size_t id) const {
        for (const node &n : file_.nodes)
            for (const port &p : n.outputs)
                if (p.id == id) return describe(p, lt::layout_type::any);
        throw std::runtime_error("nothing makes value " + std::to_string(id));
    }

    static void add(api::graph &g, const node &n) {
        const std::map<std::string, api::op::kind> kinds{
#define LEG_KIND(name) {#name, api::op::kind::name},
#include "graph_names.def"
        };
        const auto kind = kinds.find(n.kind);
        if (kind == kinds.end()) throw unsupported(n.kind);
        api::op op(n.id, kind->second, n.name);
        for (const port &p : n.inputs)
            op.add_input(describe(p, lt::layout_type::strided));
        for (const port &p : n.outputs)
            op.add_output(describe(p, lt::layout_type::strided));
        for (const auto &[name, attr] : n.attrs.items())
            set(op, name, attr.at("type"), attr.at("value"));
        const bool throws = false; // a type that the op does not take gives a status
        if (g.add_op(op, throws) != api::status::success) throw unsupported(n.kind + " as given");
    }

    static void set(api::op &op, const std::string &name, const std::string &type,
            const nlohmann::json &value) {
        const std::map<std::string, api::op::attr> attrs{
#define LEG_ATTR(name) {#name, api::op::attr::name},
#include "graph_names.def"
        };
        const auto found = attrs.find(name);
        if (found == attrs.end()) throw unsupported("attribute " + name);
        if (type == "bool")
            op.set_attr<bool>(found->second, value.get<int>() != 0);
        else if (type == "string")
            op.set_attr<std::string>(found->second, value.get<std::string>());
        else if (type == "s64")
            op.set_attr<int64_t>(found->second, value.get<int64_t>());
        else if (type == "s64[]")
            op.set_attr<std::vector<int64_t>>(found->second, value.get<std::vector<int64_t>>());
        else if (type == "f32")
            op.set_attr<float>(found->second, value.get<float>());
        else
            op.set_attr<std::vector<float>>(found->second, value.get<std::vector<float>>());
    }

    std::string kinds_of(const api::partition &part) const {
        std::string kinds;
        for (const size_t id : part.get_ops())
            for (const node &n : file_.nodes)
                if (n.id == id)
                    kinds += (kinds.empty() ? "" : ", ") + n.kind + " of " + n.inputs.at(0).dtype;
        return kinds;
    }

    const graph_file &file_;
    std::vector<api::partition> parts_;
    std::map<size_t, lt> at_ends_; // what the caller's memory looks like
};

/// Tensors of all steps over memory of the leg's own.
class bound_steps {
public:
    bound_steps(const graph_file &file, const whole_graph &graph)
        : queue_(graph.cpu),
          steps_(graph.compile()) {
        std::map<size_t, uint8_t *> memory;
        for (size_t i = 0; i < file.inputs.size(); ++i)
            memory[file.inputs[i].id] = fill(file, i);
        for (const whole_graph::step &s : steps_)
            for (const auto &out : s.outputs)
                memory[out.get_id()] = allocate(std::max<size_t>(1, out.get_mem_size()));
        for (const whole_graph::step &s : steps_) {
            inputs_.push_back(tensors(graph.cpu, s.inputs, memory));
            outputs_.push_back(tensors(graph.cpu, s.outputs, memory));
            scratch_.push_back(scratch(s.compiled, graph.cpu, 0));
        }
        for (const port &p : file.outputs)
            results.push_back(memory.at(p.id));
    }

    void run() {
        for (size_t i = 0; i < steps_.size(); ++i)
            execute(steps_[i].compiled, i, 0);
        queue_.wait();
    }

    std::vector<uint8_t *> results; // of the graph's outputs

private:
    static std::vector<api::tensor> tensors(const api::engine &cpu,
            const std::vector<api::logical_tensor> &lts,
            const std::map<size_t, uint8_t *> &memory) {
        std::vector<api::tensor> made;
        for (const auto &lt : lts) {
            uint8_t *data = memory.at(lt.get_id());
            const bool on_host =
                    lt.get_property_type() == api::logical_tensor::property_type::host_scalar;
            made.push_back(on_host ? api::tensor::make_scalar_tensor(lt, data)
                                   : api::tensor(lt, cpu, data));
        }
        return made;
    }

    // Scratch memory is the caller's where the API has it; oneDNN 3.12 keeps its own.
    template <typename Compiled>
    static auto scratch(const Compiled &c, const api::engine &cpu, int)
            -> decltype(c.get_scratchpad_logical_tensor(), api::tensor()) {
        const auto lt = c.get_scratchpad_logical_tensor();
        const size_t bytes = lt.get_mem_size();
        return bytes == 0 ? api::tensor() : api::tensor(lt, cpu, allocate(bytes));
    }
    template <typename Compiled>
    static api::tensor scratch(const Compiled &, const api::engine &, long) {
        return api::tensor();
    }
    template <typename Compiled>
    auto execute(const Compiled &c, size_t i, int)
            -> decltype(c.get_scratchpad_logical_tensor(), void()) {
        c.execute(queue_, inputs_[i], outputs_[i], scratch_[i]);
    }
    template <typename Compiled>
    void execute(const Compiled &c, size_t i, long) {
        c.execute(queue_, inputs_[i], outputs_[i]);
    }

    api::stream queue_;
    std::vector<whole_graph::step> steps_;
    std::vector<std::vector<api::tensor>> inputs_, outputs_;
    std::vector<api::tensor> scratch_;
};

/// What main() hands to run_bare(). `Error` is what the library throws: it cannot, then.
template <typename Error>
prepared prepare_graph(const arguments &given, const std::string &version) {
    // They live as long as the process.
    const auto *file = new graph_file(given.text("graph"));
    try {
        api::set_compiled_partition_cache_capacity(0);
        using policy = api::partition::policy;
        const auto *graph = new whole_graph(
                *file, given.text("policy") == "debug" ? policy::debug : policy::fusion);
        const std::string found = "partitions=" + std::to_string(graph->partitions());
        if (given.text("op") == "compile")
            return {version, [graph] { graph->compile(); }, [] { return true; }, 1, found};
        auto *steps = new bound_steps(*file, *graph);
        const std::string name = given.text("outputs");
        return {version, [steps] { steps->run(); },
                [=] { return agrees(*file, steps->results, name); }, 1, found};
    } catch (const Error &e) {
        throw unsupported(e.what());
    }
}

} // namespace leg
