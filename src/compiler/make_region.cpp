// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <unordered_map>

#include "base/error.hpp"
#include "base/shape.hpp"
#include "compiler/make_region.hpp"

namespace tern::compiler {
namespace {

class region_maker {
public:
    region_maker(const partition &part, runtime::plan_parts &parts) : part_(part), parts_(parts) {}

    region make(const given_list &inputs, const given_list &outputs) {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            port_ref port{part_, true, i};
            parts_.inputs.push_back(make_plan_port(port, resolve_input(port, *inputs[i])));
            region_value &v = value(part_.inputs[i]);
            v.desc = parts_.inputs.back().desc;
            v.where = place::input;
            v.port = static_cast<int>(i);
        }
        for (std::size_t o = 0; o < outputs.size(); ++o) {
            region_value &v = value(part_.outputs[o]);
            v.desc = prepare_output({part_, false, o}, *outputs[o]);
            v.where = place::output;
            v.port = static_cast<int>(o);
        }
        for (int index : part_.ops)
            add_op(part_.op(index));
        for (std::size_t o = 0; o < outputs.size(); ++o) {
            port_ref port{part_, false, o};
            const tensor_desc &desc = value(part_.outputs[o]).desc;
            if (!desc.shape_known()) { // of an op with open shapes
                parts_.outputs.push_back({desc, 0, false, true});
                continue;
            }
            parts_.outputs.push_back(make_plan_port(port, desc));
            check_elements_apart(port, desc); // after the sizes, which it relies on
        }
        return std::move(result_);
    }

private:
    /// The region's number of a value of the graph.
    int number(int graph_value) {
        auto [at, is_new] =
                number_.try_emplace(graph_value, static_cast<int>(result_.values.size()));
        if (is_new) {
            region_value v;
            v.desc = part_.value(graph_value).desc;
            v.where = place::arena;
            v.home = at->second;
            result_.values.push_back(std::move(v));
        }
        return at->second;
    }
    region_value &value(int graph_value) { return result_.value(number(graph_value)); }

    void add_op(const ir::op &op) {
        const auto index = static_cast<int>(result_.ops.size());
        region_op added;
        added.op = &op;
        for (int v : op.inputs)
            added.in.push_back(number(v));
        for (int v : op.outputs)
            added.out.push_back(number(v));
        std::vector<tensor_desc> in;
        std::vector<tensor_desc> out;
        for (int v : added.in)
            in.push_back(result_.desc(v));
        for (int v : added.out)
            out.push_back(result_.desc(v));
        op.def->infer(op.label(), op.attrs, in, out);
        for (std::size_t i = 0; i < out.size(); ++i) {
            region_value &v = result_.value(added.out[i]);
            v.desc = out[i];
            v.producer = index;
            settle(op.outputs[i], v, op);
        }
        for (int v : added.in) {
            std::vector<int> &readers = result_.value(v).readers;
            if (readers.empty() || readers.back() != index) readers.push_back(index);
        }
        result_.ops.push_back(std::move(added));
    }

    void settle(int graph_value, region_value &v, const ir::op &op) {
        if (op.def->has_open_shapes()) {
            v.desc.layout = layout_type::strided;
            v.desc.strides = dims(v.desc.shape.rank(), unknown_dim);
            return;
        }
        if (v.where == place::output)
            return settle_output({part_, false, static_cast<std::size_t>(v.port)}, v.desc);
        if (!v.desc.shape_known())
            fail(status::invalid_shape, "compile: {}: the shape of tensor {} cannot be told: {}",
                    ir::to_string(op.label()), part_.value(graph_value).id,
                    shape_to_string(v.desc));
        make_dense(v.desc);
        if (!element_count(v.desc.shape)
                || !byte_span(v.desc.shape, v.desc.strides, bytes_of(v.desc.type)))
            fail(status::invalid_shape,
                    "compile: {}: tensor {} of shape {} and type {} is too large: its size does "
                    "not fit 63 bits",
                    ir::to_string(op.label()), part_.value(graph_value).id, to_string(v.desc.shape),
                    tern::name_of(v.desc.type));
    }

    const partition &part_;
    runtime::plan_parts &parts_;
    region result_;
    std::unordered_map<int, int> number_;
};

} // namespace

region make_region(const partition &part, const given_list &inputs, const given_list &outputs,
        runtime::plan_parts &parts) {
    return region_maker(part, parts).make(inputs, outputs);
}

} // namespace tern::compiler
