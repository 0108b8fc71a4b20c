// SPDX-License-Identifier: Apache-2.0
// oneDNN's leg, see leg.hpp. Beyond the case:
//   op=select           oneDNN Graph's Select
//   op=compile          the same, compiled; cache=on|off
//   op=binary_select    the primitive with dense f32 operands of one shape
//   op=reorder          the primitive that copies src_0 to dst's layout; cond must be true
//   calls=N             N calls are one sample
#include <string>
#include <unordered_map>
#include <vector>

#include <oneapi/dnnl/dnnl.hpp>
#include <oneapi/dnnl/dnnl_graph.hpp>

namespace api = dnnl::graph;

#include "graph_leg.hpp"

namespace {

std::string version() {
    const dnnl_version_t *v = dnnl_version();
    return std::to_string(v->major) + "." + std::to_string(v->minor) + "."
           + std::to_string(v->patch);
}

leg::prepared prepare_select(const leg::arguments &given, const leg::select_case &c) {
    const leg::graph_select s(c);
    if (given.text("op") == "compile") return leg::prepare_compile(given, c, s, version());

    const api::compiled_partition compiled = s.compile();
    const std::vector<api::tensor> inputs{{s.cond, s.cpu, c.cond.data},
            {s.src_0, s.cpu, c.src_0.data}, {s.src_1, s.cpu, c.src_1.data}};
    const std::vector<api::tensor> outputs{{s.dst, s.cpu, c.dst.data}};
    const int calls = given.number("calls", 1);
    api::stream queue(s.cpu);
    return {version(),
            [=]() mutable {
                for (int i = 0; i < calls; ++i)
                    compiled.execute(queue, inputs, outputs);
                queue.wait();
            },
            [&c] { return c.is_right(); }, calls};
}

/// A primitive alone, without the graph: what Tern's calls cost beside the bare thing.
leg::prepared prepare_primitive(const leg::arguments &given, const leg::select_case &c) {
    using dnnl::memory;
    if (c.dt != "f32") throw leg::unsupported(c.dt);
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    const auto f32 = memory::data_type::f32;
    const auto wrap = [&cpu](const leg::operand &o, memory::data_type type) {
        return memory({o.shape, type, o.strides}, cpu, o.data);
    };
    const memory src_0 = wrap(c.src_0, f32), dst = wrap(c.dst, f32);

    dnnl::primitive primitive;
    std::unordered_map<int, memory> arguments;
    if (given.text("op") == "reorder") {
        primitive = dnnl::reorder(dnnl::reorder::primitive_desc(src_0, dst));
        arguments = {{DNNL_ARG_FROM, src_0}, {DNNL_ARG_TO, dst}};
    } else {
        const memory src_1 = wrap(c.src_1, f32), cond = wrap(c.cond, memory::data_type::s8);
        primitive = dnnl::binary({cpu, dnnl::algorithm::binary_select, src_0.get_desc(),
                src_1.get_desc(), cond.get_desc(), dst.get_desc()});
        arguments = {{DNNL_ARG_SRC_0, src_0}, {DNNL_ARG_SRC_1, src_1}, {DNNL_ARG_SRC_2, cond},
                {DNNL_ARG_DST, dst}};
    }
    const int calls = given.number("calls", 1);
    dnnl::stream queue(cpu);
    return {version(),
            [=]() mutable {
                for (int i = 0; i < calls; ++i)
                    primitive.execute(queue, arguments);
                queue.wait();
            },
            [&c] { return c.is_right(); }, calls};
}

leg::prepared prepare(const leg::arguments &given, const leg::select_case &c) {
    const std::string op = given.text("op");
    return op == "select" || op == "compile" ? prepare_select(given, c)
                                             : prepare_primitive(given, c);
}

} // namespace

int main(int argc, char **argv) {
    return leg::run(argc, argv, prepare);
}
