// SPDX-License-Identifier: Apache-2.0
// One Select through oneDNN Graph: compile time, and minimum and median time of execute().
//   onednn_select --cond=1x1x1x128 --src0=1 --src1=1x12x128x128 [--dt=f32|bf16|f16] [--seconds=3]
// Shapes are joined by x; - is rank 0. Exit status 3: this oneDNN does not support the case on this
// CPU.
#include <oneapi/dnnl/dnnl.h> // dnnl_version
#include <oneapi/dnnl/dnnl_graph.hpp>

#include "select_case.hpp"

namespace {

using namespace dnnl::graph;
using lt = logical_tensor;

int run(const peers::select_case &c) {
    const lt::data_type dt = c.dt == "f32"    ? lt::data_type::f32
                             : c.dt == "bf16" ? lt::data_type::bf16
                                              : lt::data_type::f16;
    const auto strided = lt::layout_type::strided;
    const lt cond(0, lt::data_type::boolean, c.cond, strided);
    const lt src_0(1, dt, c.src_0, strided);
    const lt src_1(2, dt, c.src_1, strided);
    const lt dst(3, dt, c.dst, strided);

    graph g(engine::kind::cpu);
    g.add_op(op(0, op::kind::Select, {cond, src_0, src_1}, {dst}, "select"));
    g.finalize();
    const std::vector<partition> partitions = g.get_partitions();
    if (partitions.size() != 1 || !partitions[0].is_supported()) {
        std::puts("unsupported");
        return 3;
    }

    const engine cpu(engine::kind::cpu, 0);
    stream s(cpu);
    const auto start = peers::steady::now();
    const compiled_partition compiled = partitions[0].compile({cond, src_0, src_1}, {dst}, cpu);
    const double compile_ms = peers::ms_since(start);

    const peers::buffers b(c);
    const std::vector<tensor> inputs{
            {cond, cpu, b.cond.get()}, {src_0, cpu, b.src_0.get()}, {src_1, cpu, b.src_1.get()}};
    const std::vector<tensor> outputs{{dst, cpu, b.dst.get()}};
    const peers::timing t = peers::measure(c.seconds, [&] {
        compiled.execute(s, inputs, outputs);
        s.wait();
    });
    if (!peers::is_right(c, b)) {
        std::puts("wrong result");
        return 1;
    }
    const dnnl_version_t *v = dnnl_version();
    std::printf("onednn_select,%d.%d.%d,min_ms=%g,median_ms=%g,runs=%zu,compile_ms=%g\n", v->major,
            v->minor, v->patch, t.min_ms, t.median_ms, t.runs, compile_ms);
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    try {
        return run(peers::parse_case(argc, argv));
    } catch (const std::exception &e) {
        std::fprintf(stderr, "onednn_select: %s\n", e.what());
        return 1;
    }
}
