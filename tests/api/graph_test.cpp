// SPDX-License-Identifier: Apache-2.0
#include "select_graph.hpp"

using namespace select_graph;
using tern::fpmath_mode;
using tern::graph::graph;

namespace {

std::vector<std::size_t> ids_of(const logical_tensors &lts) {
    std::vector<std::size_t> ids;
    for (const logical_tensor &lt : lts)
        ids.push_back(lt.get_id());
    return ids;
}

const logical_tensor cond = dense(cond_id, data_type::boolean, {2});
const logical_tensor src_0 = dense(src_0_id, data_type::f32, {2});
const logical_tensor src_1 = dense(src_1_id, data_type::f32, {2});
const logical_tensor dst = dense(dst_id, data_type::f32, {2});

op select_op(std::size_t id) {
    return op(id, op::kind::Select, {cond, src_0, src_1}, {dst});
}

TEST(op, built_in_one_go_or_piece_by_piece) {
    op whole(1, op::kind::Select, {cond, src_0, src_1}, {dst}, "mask");
    op pieces(1, op::kind::Select, "mask");
    pieces.add_input(cond);
    pieces.add_inputs({src_0, src_1});
    pieces.add_output(dst);
    op lists(1, op::kind::Select);
    lists.add_inputs({cond, src_0, src_1});
    lists.add_outputs({dst});
    for (const op &o : {whole, pieces, lists}) {
        partition part(o, engine::kind::cpu);
        EXPECT_EQ(ids_of(part.get_input_ports()), (std::vector<std::size_t>{1, 2, 3}));
        EXPECT_EQ(ids_of(part.get_output_ports()), (std::vector<std::size_t>{4}));
    }
}

TEST(op, attributes_of_every_kind) {
    // A kind without a schema takes anything.
    op o(1, op::kind::Convolution);
    o.set_attr<std::int64_t>(op::attr::axis, -1)
            .set_attr<float>(op::attr::epsilon, 0.5f)
            .set_attr<bool>(op::attr::keep_dims, true)
            .set_attr<std::string>(op::attr::mode, "none")
            .set_attr<std::vector<std::int64_t>>(op::attr::axes, {0, 1})
            .set_attr<std::vector<float>>(op::attr::scales, {1.0f})
            .set_attr(op::attr::qtype, "per_tensor");
    graph g(engine::kind::cpu);
    EXPECT_EQ(g.add_op(o), status::success);
}

TEST(op, setting_an_attribute_twice_replaces_it) {
    op o(1, op::kind::Select, {cond, src_0, dense(src_1_id, data_type::f32, {1})}, {dst});
    o.set_attr<std::string>(op::attr::auto_broadcast, "none");
    EXPECT_EQ(error_of([&] { partition(o, engine::kind::cpu); }).status, status::invalid_shape);
    o.set_attr<std::string>(op::attr::auto_broadcast, "numpy");
    EXPECT_TRUE(partition(o, engine::kind::cpu).is_supported());
}

TEST(op, names_of_kinds) {
    EXPECT_EQ(op::kind2str(op::kind::Select), "Select");
    EXPECT_EQ(op::kind2str(op::kind::GreaterEqual), "GreaterEqual");
    EXPECT_EQ(op::kind2str(op::kind::Abs), "Abs");
    EXPECT_EQ(op::kind2str(op::kind::Where), "Where");
}

TEST(graph, life_of_a_graph) {
    graph g(engine::kind::cpu);
    EXPECT_FALSE(g.is_finalized());
    EXPECT_EQ(g.add_op(select_op(7)), status::success);
    g.finalize();
    EXPECT_TRUE(g.is_finalized());
    g.finalize(); // once more does nothing
    auto partitions = g.get_partitions();
    ASSERT_EQ(partitions.size(), 1u);
    const partition &part = partitions[0];
    EXPECT_TRUE(part);
    EXPECT_TRUE(part.is_supported());
    EXPECT_EQ(part.get_ops_num(), 1u);
    EXPECT_EQ(part.get_ops(), std::vector<std::size_t>{7});
    EXPECT_EQ(part.get_engine_kind(), engine::kind::cpu);
    EXPECT_TRUE(part.get_input_ports()[1].is_equal(src_0));
    EXPECT_TRUE(part.get_output_ports()[0].is_equal(dst));

    // The partitions of an earlier call stay good; ids are unique in the process.
    auto again = g.get_partitions(partition::policy::debug);
    EXPECT_NE(again[0].get_id(), part.get_id());
    EXPECT_EQ(part.get_ops(), again[0].get_ops());
}

TEST(graph, handles_share_the_graph) {
    graph g(engine::kind::any);
    graph copy = g;
    copy.add_op(select_op(7));
    copy.finalize();
    EXPECT_TRUE(g.is_finalized());
    EXPECT_EQ(g.get_partitions().size(), 1u);
    EXPECT_EQ(g.get_partitions()[0].get_engine_kind(), engine::kind::cpu);
}

TEST(graph, partitions_outlive_their_graph) {
    std::vector<partition> partitions;
    {
        graph g(engine::kind::cpu);
        g.add_op(select_op(7));
        g.finalize();
        partitions = g.get_partitions();
    }
    auto compiled = partitions[0].compile({cond, src_0, src_1}, {dst}, cpu());
    partitions.clear();
    EXPECT_TRUE(compiled.query_logical_tensor(dst_id).is_equal(dst));
}

TEST(graph, an_op_is_copied_when_it_is_added) {
    op o = select_op(7);
    graph g(engine::kind::cpu);
    g.add_op(o);
    o.add_input(src_0); // too late to spoil the graph
    g.finalize();
    EXPECT_EQ(g.get_partitions()[0].get_input_ports().size(), 3u);
}

TEST(graph, without_exceptions_add_op_returns_the_status) {
    graph g(engine::kind::cpu);
    op bad(1, op::kind::Select, {cond}, {dst});
    EXPECT_EQ(g.add_op(bad, false), status::invalid_graph_op);
    EXPECT_EQ(g.add_op(select_op(1), false), status::success); // nothing of it was kept
    EXPECT_EQ(g.add_op(select_op(1), false), status::invalid_graph_op);
    g.finalize();
    EXPECT_EQ(g.add_op(select_op(2), false), status::invalid_graph);
}

TEST(graph, an_error_in_finalize_leaves_it_open) {
    graph g(engine::kind::cpu);
    g.add_op(select_op(7));
    g.add_op(select_op(8)); // writes the same tensor
    EXPECT_EQ(error_of([&] { g.finalize(); }).status, status::invalid_graph);
    EXPECT_FALSE(g.is_finalized());
    EXPECT_EQ(error_of([&] { g.get_partitions(); }).status, status::invalid_graph);
}

TEST(graph, an_empty_graph_has_no_partitions) {
    graph g(engine::kind::cpu);
    g.finalize();
    EXPECT_TRUE(g.get_partitions().empty());
}

TEST(graph, fpmath_mode) {
    graph g(engine::kind::cpu);
    auto mode = fpmath_mode::any;
    bool on_integers = true;
    g.get_fpmath_mode(mode, on_integers);
    EXPECT_EQ(mode, fpmath_mode::strict);
    EXPECT_FALSE(on_integers);
    g.set_fpmath_mode(fpmath_mode::bf16, true);
    g.get_fpmath_mode(mode, on_integers);
    EXPECT_EQ(mode, fpmath_mode::bf16);
    EXPECT_TRUE(on_integers);
    g.finalize();
    g.get_fpmath_mode(mode, on_integers); // reading stays possible
    EXPECT_EQ(mode, fpmath_mode::bf16);
    EXPECT_EQ(error_of([&] { g.set_fpmath_mode(fpmath_mode::strict); }).status,
            status::invalid_graph);

    graph other(engine::kind::cpu, fpmath_mode::tf32);
    other.get_fpmath_mode(mode, on_integers);
    EXPECT_EQ(mode, fpmath_mode::tf32);
}

/// dst = c ? (c ? a : b) : b, added in the wrong order.
TEST(graph, two_selects_in_a_row) {
    logical_tensor middle = dense(5, data_type::f32, {2});
    graph g(engine::kind::cpu);
    g.add_op(op(2, op::kind::Select, {cond, src_1, middle}, {dst}));
    g.add_op(op(1, op::kind::Select, {cond, src_0, src_1}, {middle}));
    g.finalize();
    auto whole = g.get_partitions();
    ASSERT_EQ(whole.size(), 1u);
    EXPECT_EQ(whole[0].get_ops(), (std::vector<std::size_t>{1, 2}));
    EXPECT_EQ(ids_of(whole[0].get_output_ports()), std::vector<std::size_t>{dst_id});

    auto partitions = g.get_partitions(partition::policy::debug);
    ASSERT_EQ(partitions.size(), 2u);
    EXPECT_EQ(partitions[0].get_ops(), std::vector<std::size_t>{1});
    EXPECT_EQ(partitions[1].get_ops(), std::vector<std::size_t>{2});
    EXPECT_EQ(ids_of(partitions[1].get_input_ports()), (std::vector<std::size_t>{1, 3, 5}));

    std::uint8_t mask[] = {1, 0};
    float a[] = {1, 2}, b[] = {10, 20}, between[] = {0, 0}, result[] = {0, 0};
    auto memory_of = [&](std::size_t id) -> void * {
        switch (id) {
            case cond_id: return mask;
            case src_0_id: return a;
            case src_1_id: return b;
            case dst_id: return result;
            default: return between;
        }
    };
    stream s(cpu());
    for (const partition &part : partitions) {
        auto compiled = part.compile(part.get_input_ports(), part.get_output_ports(), cpu());
        std::vector<tensor> in, out;
        for (const logical_tensor &lt : part.get_input_ports())
            in.emplace_back(lt, cpu(), memory_of(lt.get_id()));
        for (const logical_tensor &lt : part.get_output_ports())
            out.emplace_back(lt, cpu(), memory_of(lt.get_id()));
        compiled.execute(s, in, out);
    }
    EXPECT_EQ(between[0], 1);
    EXPECT_EQ(between[1], 20);
    EXPECT_EQ(result[0], 10);
    EXPECT_EQ(result[1], 20);
}

TEST(partition, B123_one_op_without_a_graph) {
    partition part(select_op(7), engine::kind::cpu);
    EXPECT_TRUE(part.is_supported());
    EXPECT_EQ(part.get_ops(), std::vector<std::size_t>{7});
    auto compiled = part.compile({cond, src_0, src_1}, {dst}, cpu());
    EXPECT_TRUE(compiled);
    EXPECT_FALSE(partition());
    EXPECT_FALSE(compiled_partition());
}

TEST(partition, B123_kinds_known_by_name_are_not_supported) {
    logical_tensor unknown(10, data_type::f32);
    for (auto kind : {op::kind::Convolution, op::kind::LayerNorm, op::kind::LogSoftmax}) {
        graph g(engine::kind::cpu);
        g.add_op(op(1, kind, {src_0, unknown}, {src_1}));
        g.add_op(select_op(7));
        g.finalize();
        auto partitions = g.get_partitions();
        ASSERT_EQ(partitions.size(), 2u);
        EXPECT_EQ(partitions[0].get_ops(), std::vector<std::size_t>{1});
        EXPECT_FALSE(partitions[0].is_supported());
        EXPECT_TRUE(partitions[1].is_supported());
        error e = error_of([&] { partitions[0].compile({src_0, unknown}, {src_1}, cpu()); });
        EXPECT_EQ(e.status, status::unimplemented);
        std::string expected = op::kind2str(kind) + " (op 1) is known to Tern by name only";
        EXPECT_EQ(e.message, "compile: " + expected);
    }
}

TEST(partition, a_wildcard_is_never_executed) {
    graph g(engine::kind::cpu);
    g.add_op(op(1, op::kind::Wildcard, {src_0}, {src_1}));
    g.finalize();
    auto partitions = g.get_partitions();
    ASSERT_EQ(partitions.size(), 1u);
    EXPECT_FALSE(partitions[0].is_supported());
    error e = error_of([&] { partitions[0].compile({src_0}, {src_1}, cpu()); });
    EXPECT_EQ(e.status, status::unimplemented);
    EXPECT_EQ(std::string(e.message), "compile: Wildcard (op 1) is never executed");
}

TEST(partition, inputs_of_a_partition_are_ports_once) {
    logical_tensor flag = dense(1, data_type::boolean, {2});
    logical_tensor out = dense(2, data_type::boolean, {2});
    partition part(op(1, op::kind::Select, {flag, flag, flag}, {out}), engine::kind::cpu);
    ASSERT_EQ(ids_of(part.get_input_ports()), std::vector<std::size_t>{1});
    for (const auto &compiled : compile_all(part, {flag}, {out})) {
        std::uint8_t values[] = {0, 3}, result[] = {9, 9};
        const void *in[] = {values};
        void *to[] = {result};
        compiled.execute(stream(cpu()), in, to);
        EXPECT_EQ(result[0], 0);
        EXPECT_EQ(result[1], 3);
    }
}

} // namespace
