// SPDX-License-Identifier: Apache-2.0
// Tern's leg for NonZero, see leg.hpp and nonzero_leg.hpp. Its output is provided, as those of the
// others are.
//   threads=N      at most N threads
//   calls=N        N calls are one sample
#include <optional>

#include <oneapi/tbb/global_control.h>

#include <tern/graph.hpp>

#include "nonzero_leg.hpp"

namespace {

namespace api = tern::graph;

leg::prepared prepare(const leg::arguments &given) {
    static std::optional<oneapi::tbb::global_control> limited;
    if (const int threads = given.number("threads", 0))
        limited.emplace(oneapi::tbb::global_control::max_allowed_parallelism, threads);

    using lt = api::logical_tensor;
    const auto *c = new leg::nonzero_case(given); // lives as long as the process
    const lt x(0, given.text("dt") == "f32" ? lt::data_type::f32 : lt::data_type::boolean, c->shape,
            lt::layout_type::strided);
    const lt y(1, lt::data_type::s64, lt::layout_type::any);
    const api::engine cpu(api::engine::kind::cpu, 0);
    const api::partition part(
            api::op(0, api::op::kind::NonZero, {x}, {y}, "nonzero"), api::engine::kind::cpu);
    const api::compiled_partition compiled = part.compile({x}, {y}, cpu);
    const api::stream queue(cpu);
    const int calls = given.number("calls", 1);
    return {TERN_VERSION_STRING,
            [=] {
                const void *inputs[] = {c->x};
                const api::output_provider provider{
                        c->y, [](void *user, std::size_t, const std::int64_t *, std::size_t) {
                            return user;
                        }};
                for (int i = 0; i < calls; ++i)
                    compiled.execute(queue, inputs, nullptr, provider);
            },
            [c] { return c->is_right(); }, calls, ""};
}

} // namespace

int main(int argc, char **argv) {
    return leg::run_bare(argc, argv, prepare);
}
