// SPDX-License-Identifier: Apache-2.0
// Tern's leg, see leg.hpp. Beyond the case:
//   op=select|compile   calls=N      N calls are one sample
//   threads=N           at most N threads
//   implementation=...  the only one that may serve
//   in_place=src_0      dst is src_0's memory
//   cache=on|off        of compiled partitions, for op=compile
//   openmp=alternating|separate   as many loops of the caller's under OpenMP: one after each call,
//   or
//                       all of them after all calls
#include <optional>

#include <oneapi/tbb/global_control.h>

#include <tern/graph.hpp>

namespace api = tern::graph;

#include "graph_leg.hpp"

namespace {

/// Work of a host that has OpenMP for its own loops.
void run_openmp_loop() {
    static std::vector<float> values(1 << 20, 1.0f);
    const auto n = static_cast<int64_t>(values.size());
#pragma omp parallel for
    for (int64_t i = 0; i < n; ++i)
        values[i] = values[i] * 0.5f + 0.5f;
}

leg::prepared prepare(const leg::arguments &given, const leg::select_case &c) {
    static std::optional<oneapi::tbb::global_control> limited;
    if (const int threads = given.number("threads", 0))
        limited.emplace(oneapi::tbb::global_control::max_allowed_parallelism, threads);

    const leg::graph_select s(c);
    if (given.text("op") == "compile")
        return leg::prepare_compile(given, c, s, TERN_VERSION_STRING);

    api::compile_options options;
    options.implementation = given.text("implementation");
    const api::compiled_partition compiled =
            s.part.compile({s.cond, s.src_0, s.src_1}, {s.dst}, s.cpu, options);
    const int calls = given.number("calls", 1);
    const api::stream queue(s.cpu);
    const std::string openmp = given.text("openmp");
    return {TERN_VERSION_STRING,
            [=, &c] {
                const void *inputs[] = {c.cond.data, c.src_0.data, c.src_1.data};
                void *outputs[] = {c.dst.data};
                for (int i = 0; i < calls; ++i) {
                    compiled.execute(queue, inputs, outputs);
                    if (openmp == "alternating") run_openmp_loop();
                }
                for (int i = 0; openmp == "separate" && i < calls; ++i)
                    run_openmp_loop();
            },
            [&c] { return c.is_right(); }, calls};
}

} // namespace

int main(int argc, char **argv) {
    return leg::run(argc, argv, prepare);
}
