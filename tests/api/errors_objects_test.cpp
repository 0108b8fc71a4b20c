// SPDX-License-Identifier: Apache-2.0
//
// The table "What gives which status" of docs/api.md, first half: logical tensors, engines,
// streams, tensors, ops, graphs.
#include <utility>

#include "select_graph.hpp"

using namespace select_graph;
using tern::graph::graph;

namespace {

constexpr std::int64_t unknown = TERN_GRAPH_UNKNOWN_DIM;
constexpr std::int64_t huge = std::int64_t{1} << 40;

TEST(errors, logical_tensors) {
    dims thirteen(TERN_MAX_NDIMS + 1, 1);
    auto host_scalar = [](data_type type, int rank) {
        logical_tensor(9, type, rank, layout_type::strided, property_type::host_scalar);
    };
    expect_errors({
            {status::invalid_arguments, [&] { dense(9, data_type::f32, thirteen); },
                    {"tensor 9", "13 dims", "12"}},
            {status::invalid_arguments,
                    [&] { logical_tensor(9, data_type::f32, dims{1}, thirteen); },
                    {"tensor 9", "13 strides", "12"}},
            {status::invalid_arguments,
                    [] { logical_tensor(9, data_type::f32, 13, layout_type::any); },
                    {"tensor 9", "rank 13", "12"}},
            {status::invalid_arguments,
                    [] { logical_tensor(9, data_type::f32, -2, layout_type::any); },
                    {"tensor 9", "rank -2", "-1"}},
            {status::invalid_arguments,
                    [] {
                        dense(9, data_type::f32, {2, -3});
                    },
                    {"tensor 9", "axis 1", "-3", "dims"}},
            {status::invalid_arguments,
                    [] {
                        logical_tensor(9, data_type::f32, {2, 3}, {-3, 1});
                    },
                    {"tensor 9", "axis 0", "-3", "strides"}},
            {status::invalid_arguments,
                    [] {
                        logical_tensor(9, data_type::f32, {2, 3}, {1});
                    },
                    {"tensor 9", "2 dims", "1 strides"}},
            {status::invalid_arguments,
                    [] {
                        dense(9, data_type::u8, {2, huge, huge});
                    },
                    {"tensor 9", "strides", "2x1099511627776x1099511627776"}},
            {status::invalid_arguments, [&] { host_scalar(data_type::f32, 1); },
                    {"tensor 9", "host_scalar", "rank 1"}},
            {status::invalid_arguments, [&] { host_scalar(data_type::f16, 0); },
                    {"tensor 9", "host_scalar", "f16", "f32, s32 or s64"}},
            {status::invalid_arguments, [] { logical_tensor(9, data_type::f32).get_dims(); },
                    {"tensor 9", "rank is unknown"}},
            {status::invalid_arguments, [] { logical_tensor(9, data_type::f32).get_strides(); },
                    {"tensor 9", "strided"}},
            {status::invalid_arguments,
                    [] { logical_tensor(9, data_type::f32, {2}, layout_type::any).get_strides(); },
                    {"tensor 9", "strided"}},
            {status::invalid_arguments, [] { dense(9, data_type::f32, {2}).get_layout_id(); },
                    {"tensor 9", "opaque"}},
            {status::invalid_arguments,
                    [] { logical_tensor(9, data_type::f32, {2}, {INT64_MAX}).get_mem_size(); },
                    {"tensor 9", "9223372036854775807", "does not fit"}},
            {status::invalid_arguments,
                    [] { logical_tensor(9, data_type::f64, {INT64_MAX}, {1}).get_mem_size(); },
                    {"tensor 9", "9223372036854775807", "does not fit"}},
    });
}

TEST(errors, engines_and_streams) {
    expect_errors({
            {status::invalid_arguments, [] { engine(engine::kind::cpu, 1); },
                    {"no cpu engine 1", "cpu engine 0"}},
            {status::invalid_arguments, [] { engine(engine::kind::gpu, 0); },
                    {"no gpu engine 0", "cpu engine 0"}},
            {status::invalid_arguments, [] { engine().get_kind(); }, {"engine", "empty"}},
            {status::invalid_arguments, [] { stream s{engine()}; }, {"stream", "engine is empty"}},
            {status::invalid_arguments, [] { stream().wait(); }, {"stream", "handle is empty"}},
    });
}

TEST(errors, tensors) {
    logical_tensor host(9, data_type::f32, 0, layout_type::strided, property_type::host_scalar);
    float value = 1;
    tensor scalar = tensor::make_scalar_tensor(host, &value);
    tern::graph::allocator refusing(
            [](std::size_t, std::size_t) -> void * { return nullptr; }, [](void *) {});
    engine poor = tern::graph::make_engine_with_allocator(engine::kind::cpu, 0, refusing);
    expect_errors({
            {status::invalid_arguments, [&] { tensor(host, cpu(), &value); },
                    {"tensor 9", "make_scalar_tensor"}},
            {status::invalid_arguments,
                    [&] { tensor(dense(9, data_type::f32, {}), engine(), &value); },
                    {"tensor 9", "engine is empty"}},
            {status::invalid_arguments,
                    [] { tensor(logical_tensor(9, data_type::f32, {2}, layout_type::any), cpu()); },
                    {"tensor 9", "strided", "f32:any:undef:2:"}},
            {status::invalid_arguments,
                    [] {
                        tensor(dense(9, data_type::f32, {2, unknown}), cpu());
                    },
                    {"tensor 9", "known", "2x?"}},
            {status::invalid_arguments,
                    [&] { tensor::make_scalar_tensor(dense(9, data_type::f32, {}), &value); },
                    {"tensor 9", "host_scalar"}},
            {status::invalid_arguments, [&] { tensor::make_scalar_tensor(host, nullptr); },
                    {"tensor 9", "null"}},
            {status::invalid_arguments, [&] { scalar.set_data_handle(&value); },
                    {"tensor 9", "no data handle"}},
            {status::invalid_arguments, [&] { tensor().set_data_handle(&value); },
                    {"tensor::set_data_handle", "empty"}},
            {status::invalid_arguments, [] { tensor().get_engine(); },
                    {"tensor::get_engine", "empty"}},
            {status::invalid_arguments, [] { tensor().get_logical_tensor(); },
                    {"tensor::get_logical_tensor", "empty"}},
            {status::out_of_memory, [&] { tensor(dense(9, data_type::f32, {5}), poor); },
                    {"tensor 9", "20 bytes"}},
    });
}

const logical_tensor cond = dense(cond_id, data_type::boolean, {2, 3});
const logical_tensor src_0 = dense(src_0_id, data_type::f32, {2, 3});
const logical_tensor src_1 = dense(src_1_id, data_type::f32, {1});
const logical_tensor dst = dense(dst_id, data_type::f32, {2, 3});

void add(const op &o) {
    graph(engine::kind::cpu).add_op(o);
}

op select_op(const logical_tensors &in, const logical_tensors &out) {
    return op(7, op::kind::Select, in, out);
}

TEST(errors, adding_ops) {
    graph finalized(engine::kind::cpu);
    finalized.finalize();
    graph taken(engine::kind::cpu);
    taken.add_op(op(7, op::kind::Wildcard));
    op legal = select_op({cond, src_0, src_1}, {dst});
    auto with = [&](op::attr attr, auto value) {
        op o = select_op({cond, src_0, src_1}, {dst});
        o.set_attr(attr, value);
        return o;
    };
    expect_errors({
            {status::invalid_arguments, [&] { with(op::attr::auto_broadcast, ""); },
                    {"Select (op 7)", "auto_broadcast", "empty string"}},
            {status::invalid_graph, [&] { finalized.add_op(legal); },
                    {"Select (op 7)", "finalized"}},
            {status::invalid_graph_op, [&] { taken.add_op(legal); },
                    {"Select (op 7)", "taken by Wildcard (op 7)"}},
            {status::invalid_graph_op,
                    [] {
                        add(select_op({cond, src_0}, {dst}));
                    },
                    {"Select (op 7)", "2 inputs", "expected 3", "cond, src_0, src_1"}},
            {status::invalid_graph_op,
                    [] {
                        add(select_op({cond, src_0, src_1}, {dst, dst}));
                    },
                    {"Select (op 7)", "2 outputs", "expected 1", "dst"}},
            {status::invalid_graph_op,
                    [] {
                        add(select_op({src_0, src_0, src_1}, {dst}));
                    },
                    {"Select (op 7)", "cond", "tensor 2", "f32", "allowed: boolean"}},
            {status::invalid_graph_op,
                    [] {
                        add(select_op({cond, logical_tensor(2, data_type::undef), src_1}, {dst}));
                    },
                    {"Select (op 7)", "src_0", "tensor 2", "undef", "allowed: f16"}},
            {status::invalid_graph_op,
                    [] {
                        add(select_op({cond, src_0, dense(3, data_type::f16, {1})}, {dst}));
                    },
                    {"Select (op 7)", "src_1", "tensor 3", "f16", "src_0 has f32"}},
            {status::invalid_graph_op,
                    [] {
                        add(select_op({cond, src_0, src_1}, {dense(4, data_type::u8, {2, 3})}));
                    },
                    {"Select (op 7)", "dst", "tensor 4", "u8", "src_0 has f32"}},
            {status::invalid_graph_op, [&] { add(with(op::attr::axis, std::int64_t{1})); },
                    {"Select (op 7)", "no attribute axis"}},
            {status::invalid_graph_op, [&] { add(with(op::attr::auto_broadcast, 1.0f)); },
                    {"Select (op 7)", "auto_broadcast", "f32", "expected string"}},
            {status::invalid_graph_op, [&] { add(with(op::attr::auto_broadcast, "np")); },
                    {"Select (op 7)", "auto_broadcast", "\"np\"", "\"none\", \"numpy\""}},
    });
}

void finalize(const std::vector<op> &ops) {
    graph g(engine::kind::cpu);
    for (const op &o : ops)
        g.add_op(o);
    g.finalize();
}

void infer(const dims &cond_shape, const dims &src_0_shape, const dims &src_1_shape,
        const logical_tensor &output, const char *rule = "numpy") {
    select_partition({dense(cond_id, data_type::boolean, cond_shape),
                             dense(src_0_id, data_type::f32, src_0_shape),
                             dense(src_1_id, data_type::f32, src_1_shape)},
            output, rule);
}

TEST(errors, graphs) {
    graph finalized(engine::kind::cpu);
    finalized.finalize();
    expect_errors({
            {status::invalid_arguments, [] { graph g(engine::kind::gpu); }, {"gpu", "cpu"}},
            {status::invalid_graph, [&] { finalized.set_fpmath_mode(tern::fpmath_mode::strict); },
                    {"set_fpmath_mode", "finalized"}},
            {status::invalid_graph, [] { graph(engine::kind::cpu).get_partitions(); },
                    {"get_partitions", "not finalized"}},
            {status::invalid_graph,
                    [] {
                        finalize({select_op({cond, src_0, src_1}, {dst}),
                                op(8, op::kind::Wildcard, {dense(4, data_type::f32, {6})}, {})});
                    },
                    {"tensor 4", "two ways", "2x3", ":6:", "Wildcard (op 8)"}},
            {status::invalid_graph,
                    [] {
                        finalize({select_op({cond, src_0, src_1}, {dst}),
                                op(8, op::kind::Wildcard, {}, {dst})});
                    },
                    {"tensor 4", "both Select (op 7) and Wildcard (op 8)"}},
            {status::invalid_graph,
                    [] {
                        finalize({select_op({cond, dst, src_1}, {dst})});
                    },
                    {"cycle", "Select (op 7)"}},
    });
}

TEST(errors, handles_that_were_moved_from) {
    op o = select_op({cond, src_0, src_1}, {dst});
    op taken = std::move(o);
    graph g(engine::kind::cpu);
    graph other = std::move(g);
    auto mode = tern::fpmath_mode::strict;
    bool on_integers = false;
    expect_errors({
            {status::invalid_arguments, [&] { o.add_input(cond); }, {"op::add_input", "empty"}},
            {status::invalid_arguments, [&] { o.add_output(dst); }, {"op::add_output", "empty"}},
            {status::invalid_arguments, [&] { o.set_attr(op::attr::axis, std::int64_t{1}); },
                    {"op::set_attr", "empty"}},
            {status::invalid_arguments, [&] { o.set_attr(op::attr::auto_broadcast, "none"); },
                    {"op::set_attr", "empty"}},
            {status::invalid_arguments, [&] { other.add_op(o); }, {"graph::add_op", "empty"}},
            {status::invalid_arguments, [&] { g.add_op(taken); }, {"graph::add_op", "empty"}},
            {status::invalid_arguments, [&] { g.finalize(); }, {"graph::finalize", "empty"}},
            {status::invalid_arguments, [&] { g.is_finalized(); }, {"is_finalized", "empty"}},
            {status::invalid_arguments, [&] { g.get_partitions(); }, {"graph::", "empty"}},
            {status::invalid_arguments, [&] { g.set_fpmath_mode(mode); }, {"graph::", "empty"}},
            {status::invalid_arguments, [&] { g.get_fpmath_mode(mode, on_integers); },
                    {"get_fpmath_mode", "empty"}},
    });
}

TEST(errors, shapes) {
    logical_tensor open(dst_id, data_type::f32);
    auto given = [](const dims &shape) { return dense(dst_id, data_type::f32, shape); };
    expect_errors({
            // B22
            {status::invalid_shape,
                    [&] {
                        infer({1}, {52, 1, 33, 1}, {2, 52, 33, 1}, open);
                    },
                    {"Select (op 7)", "src_0 52x1x33x1", "src_1 2x52x33x1", "axis 0",
                            "52 against 2"}},
            {status::invalid_shape,
                    [&] {
                        infer({1}, {5}, {2, 4}, open);
                    },
                    {"Select (op 7)", "axis 1", "5 against 4"}},
            {status::invalid_shape,
                    [&] {
                        infer({1, 2, 3}, {2, 3}, {1}, open);
                    },
                    {"Select (op 7)", "cond 1x2x3", "rank 3", "dst", "2x3", "rank 2"}},
            {status::invalid_shape,
                    [&] {
                        infer({2}, {2, 3}, {1}, open);
                    },
                    {"Select (op 7)", "cond 2", "dst 2x3", "axis 1"}},
            {status::invalid_shape,
                    [&] {
                        infer({2, 3}, {2, 3}, {1}, open, "none");
                    },
                    {"Select (op 7)", "auto_broadcast=none", "cond is 2x3", "src_1 is 1"}},
            {status::invalid_shape,
                    [&] {
                        infer({2, 3}, {2, 1}, {2, 3}, open, "none");
                    },
                    {"Select (op 7)", "auto_broadcast=none", "axis 1", "src_0 has 1", "3"}},
            {status::invalid_shape,
                    [&] {
                        infer({1}, {2, 3}, {1}, given({6}));
                    },
                    {"Select (op 7)", "dst is given as 6", "2x3"}},
            {status::invalid_shape,
                    [&] {
                        infer({1}, {2, 3}, {1}, given({2, 4}));
                    },
                    {"Select (op 7)", "dst is given as 2x4", "2x3", "axis 1", "4, expected 3"}},
            // B132
            {status::invalid_shape,
                    [&] {
                        infer({1}, {4294967296, 1}, {1, 4294967296}, open);
                    },
                    {"Select (op 7)", "tensor 4", "4294967296x4294967296", "too large"}},
            {status::invalid_shape,
                    [&] {
                        infer({1}, {INT64_MAX, 1}, {1}, open);
                    },
                    {"tensor 2", "9223372036854775807x1", "f32", "too large"}},
    });
}

} // namespace
