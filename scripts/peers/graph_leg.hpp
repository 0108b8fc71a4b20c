// SPDX-License-Identifier: Apache-2.0
// Select through the graph API, whose names are the same in Tern and in oneDNN Graph: a leg names
// its library `api` before it includes this.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "leg.hpp"

namespace leg {

struct graph_select {
    using lt = api::logical_tensor;

    lt cond, src_0, src_1, dst;
    api::engine cpu{api::engine::kind::cpu, 0};
    api::partition part;

    explicit graph_select(const select_case &c)
        : cond(0, lt::data_type::boolean, c.cond.shape, c.cond.strides),
          src_0(1, type(c.dt), c.src_0.shape, c.src_0.strides),
          src_1(2, type(c.dt), c.src_1.shape, c.src_1.strides),
          dst(3, type(c.dt), c.dst.shape, c.dst.strides) {
        api::graph g(api::engine::kind::cpu);
        const bool throws = false; // a type that the op does not take gives a status
        const auto status = g.add_op(
                api::op(0, api::op::kind::Select, {cond, src_0, src_1}, {dst}, "select"), throws);
        if (status != api::status::success) throw unsupported(c.dt);
        g.finalize();
        part = g.get_partitions().at(0);
        if (!part.is_supported()) throw unsupported(c.dt);
    }

    api::compiled_partition compile() const {
        return part.compile({cond, src_0, src_1}, {dst}, cpu);
    }

    static lt::data_type type(const std::string &dt) {
        const std::map<std::string, lt::data_type> types{{"f32", lt::data_type::f32},
                {"bf16", lt::data_type::bf16}, {"f16", lt::data_type::f16},
                {"u8", lt::data_type::u8}};
        return types.at(dt);
    }
};

/// op=compile: what is timed is the compilation, from the cache or with the cache switched off.
inline prepared prepare_compile(const arguments &given, const select_case &c, const graph_select &s,
        const std::string &version) {
    const int calls = given.number("calls", 1);
    api::set_compiled_partition_cache_capacity(given.text("cache") == "on" ? 1024 : 0);
    return {version,
            [s, calls] {
                for (int i = 0; i < calls; ++i)
                    s.compile();
            },
            [&c, s] {
                api::stream queue(s.cpu);
                s.compile().execute(queue,
                        {{s.cond, s.cpu, c.cond.data}, {s.src_0, s.cpu, c.src_0.data},
                                {s.src_1, s.cpu, c.src_1.data}},
                        {{s.dst, s.cpu, c.dst.data}});
                queue.wait();
                return c.is_right();
            },
            calls};
}

} // namespace leg
