// SPDX-License-Identifier: Apache-2.0
#include "ir/graph.hpp"

#include <array>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ops/registry.hpp"

namespace tern::ir {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using dt = data_type;

port make_port(std::size_t id, dt type, const dims &shape) {
    port p;
    p.id = id;
    p.desc.type = type;
    p.desc.layout = layout_type::any;
    p.desc.rank_known = true;
    p.desc.shape = shape;
    return p;
}

port of_unknown_rank(std::size_t id, dt type) {
    port p = make_port(id, type, {});
    p.desc.rank_known = false;
    return p;
}

/// A legal Select over tensors 1 (cond), 2 and 3, writing 4.
op_spec select_spec(std::size_t id = 7) {
    op_spec spec;
    spec.id = id;
    spec.kind = op_kind::Select;
    spec.inputs = {make_port(1, dt::boolean, {2, 3}), make_port(2, dt::f32, {2, 3}),
            make_port(3, dt::f32, {1})};
    spec.outputs = {make_port(4, dt::f32, {2, 3})};
    return spec;
}

/// An op of a kind that is known by name only: no schema, any ports.
op_spec named_spec(
        std::size_t id, const std::vector<std::size_t> &in, const std::vector<std::size_t> &out) {
    op_spec spec;
    spec.id = id;
    spec.kind = op_kind::Wildcard;
    for (std::size_t tensor : in)
        spec.inputs.push_back(make_port(tensor, dt::f32, {4}));
    for (std::size_t tensor : out)
        spec.outputs.push_back(make_port(tensor, dt::f32, {4}));
    return spec;
}

template <typename Action, typename Matcher>
void expect_error(status code, const Action &action, const Matcher &message) {
    try {
        action();
        FAIL() << "expected an error";
    } catch (const error &e) {
        EXPECT_EQ(e.status, code) << e.message;
        EXPECT_THAT(std::string(e.message), message);
    }
}

const value &value_with(const graph &g, std::size_t id) {
    for (const value &v : g.values())
        if (v.id == id) return v;
    throw std::out_of_range("no such value");
}

void verify_select(op_spec spec) {
    verify_schema(spec, *ops::find(op_kind::Select));
}

TEST(verify_schema, legal_ops_get_their_defaults) {
    op_spec spec = select_spec();
    verify_schema(spec, *ops::find(op_kind::Select));
    ASSERT_EQ(spec.attrs.size(), 1u);
    EXPECT_EQ(spec.attrs[0].first, op_attr::auto_broadcast);
    EXPECT_EQ(std::get<std::string>(spec.attrs[0].second), "numpy");

    op_spec none = select_spec();
    none.attrs = {{op_attr::auto_broadcast, std::string("none")}};
    verify_schema(none, *ops::find(op_kind::Select));
    ASSERT_EQ(none.attrs.size(), 1u);
    EXPECT_EQ(std::get<std::string>(none.attrs[0].second), "none");
}

TEST(verify_schema, errors_name_op_and_port) {
    struct bad_op {
        std::function<void(op_spec &)> spoil;
        std::vector<std::string> words;
    };
    const std::vector<bad_op> cases = {
            {[](op_spec &s) { s.inputs.pop_back(); },
                    {"Select (op 7)", "2 inputs", "expected 3", "cond, src_0, src_1"}},
            {[](op_spec &s) { s.inputs.push_back(make_port(9, dt::f32, {1})); },
                    {"Select (op 7)", "4 inputs", "expected 3"}},
            {[](op_spec &s) { s.outputs.clear(); },
                    {"Select (op 7)", "0 outputs", "expected 1", "dst"}},
            {[](op_spec &s) { s.inputs[0].desc.type = dt::u8; },
                    {"Select (op 7)", "cond", "tensor 1", "u8", "boolean"}},
            {[](op_spec &s) { s.inputs[1].desc.type = dt::undef; },
                    {"Select (op 7)", "src_0", "tensor 2", "undef", "f32"}},
            {[](op_spec &s) { s.inputs[1].desc.type = dt::s4; },
                    {"Select (op 7)", "src_0", "tensor 2", "s4"}},
            {[](op_spec &s) { s.inputs[2].desc.type = dt::f16; },
                    {"Select (op 7)", "src_1", "tensor 3", "f16", "src_0 has f32"}},
            {[](op_spec &s) { s.outputs[0].desc.type = dt::s32; },
                    {"Select (op 7)", "dst", "tensor 4", "s32", "src_0 has f32"}},
            {[](op_spec &s) {
                 s.attrs = {{op_attr::axis, std::int64_t{1}}};
             },
                    {"Select (op 7)", "no attribute axis"}},
            {[](op_spec &s) {
                 s.attrs = {{op_attr::auto_broadcast, true}};
             },
                    {"Select (op 7)", "auto_broadcast", "bool", "expected string"}},
            {[](op_spec &s) {
                 s.attrs = {{op_attr::auto_broadcast, std::string("numpi")}};
             },
                    {"Select (op 7)", "auto_broadcast", "\"numpi\"", "\"none\", \"numpy\""}},
    };
    for (const bad_op &bad : cases) {
        op_spec spec = select_spec();
        bad.spoil(spec);
        for (const std::string &word : bad.words)
            expect_error(
                    status::invalid_graph_op, [&] { verify_select(spec); }, HasSubstr(word));
    }
}

TEST(verify_schema, a_required_attribute_is_missing) {
    static constexpr std::array<attr_def, 1> attrs = {{{op_attr::axis, true, {}, {}}}};
    op_def def{};
    def.kind = op_kind::GenIndex;
    def.attrs = attrs;
    op_spec spec;
    spec.id = 3;
    spec.kind = op_kind::GenIndex;
    expect_error(
            status::invalid_graph_op, [&] { verify_schema(spec, def); },
            AllOf(HasSubstr("GenIndex (op 3)"), HasSubstr("axis"), HasSubstr("required")));
    spec.attrs = {{op_attr::axis, 1.0f}};
    expect_error(
            status::invalid_graph_op, [&] { verify_schema(spec, def); },
            AllOf(HasSubstr("axis has type f32"), HasSubstr("expected s64")));
    spec.attrs = {{op_attr::axis, std::int64_t{1}}};
    EXPECT_NO_THROW(verify_schema(spec, def));
}

TEST(ir_graph, an_id_is_taken_once) {
    graph g(ops::find);
    g.add_op(select_spec());
    expect_error(
            status::invalid_graph_op, [&] { g.add_op(named_spec(7, {}, {})); },
            AllOf(HasSubstr("Wildcard (op 7)"), HasSubstr("taken by Select (op 7)")));
    g.finalize();
    EXPECT_EQ(g.ops().size(), 1u);
}

TEST(ir_graph, a_refused_op_leaves_no_trace) {
    graph g(ops::find);
    op_spec bad = select_spec();
    bad.inputs.pop_back();
    EXPECT_THROW(g.add_op(bad), error);
    g.add_op(select_spec()); // the id is free
    g.finalize();
    EXPECT_EQ(g.ops().size(), 1u);
    EXPECT_EQ(g.values().size(), 4u);
}

TEST(ir_graph, nothing_is_added_after_finalize) {
    graph g(ops::find);
    g.add_op(select_spec());
    EXPECT_FALSE(g.finalized());
    g.finalize();
    EXPECT_TRUE(g.finalized());
    g.finalize(); // a second time nothing happens
    EXPECT_EQ(g.ops().size(), 1u);
    expect_error(
            status::invalid_graph, [&] { g.add_op(select_spec(8)); },
            AllOf(HasSubstr("Select (op 8)"), HasSubstr("finalized")));
}

TEST(ir_graph, an_empty_graph_is_legal) {
    graph g(ops::find);
    g.finalize();
    EXPECT_TRUE(g.finalized());
    EXPECT_TRUE(g.ops().empty());
}

TEST(ir_graph, values_are_joined_by_id) {
    graph g(ops::find);
    g.add_op(named_spec(1, {10, 11, 10}, {12}));
    g.add_op(named_spec(2, {12}, {13}));
    g.finalize();
    ASSERT_EQ(g.values().size(), 4u);
    EXPECT_EQ(g.ops()[0].inputs, (std::vector<int>{0, 1, 0}));
    EXPECT_EQ(g.ops()[0].outputs, (std::vector<int>{2}));
    EXPECT_EQ(g.ops()[1].inputs, (std::vector<int>{2}));
    EXPECT_EQ(g.values()[0].producer, -1);
    EXPECT_EQ(g.values()[2].producer, 0);
    EXPECT_EQ(g.values()[3].producer, 1);
}

TEST(ir_graph, finalize_errors_leave_it_open) {
    auto with = [](std::vector<op_spec> specs) {
        graph g(ops::find);
        for (op_spec &spec : specs)
            g.add_op(std::move(spec));
        return g;
    };
    op_spec other_shape = named_spec(2, {12}, {13});
    other_shape.inputs[0].desc.shape = {5};
    op_spec other_property = named_spec(1, {10, 10}, {12});
    other_property.inputs[1].desc.property = property_type::constant;
    op_spec no_broadcast = select_spec();
    no_broadcast.inputs[2].desc.shape = {2};

    struct bad_graph {
        graph made;
        status code;
        std::vector<std::string> words;
    };
    std::vector<bad_graph> cases = {
            {with({named_spec(1, {10}, {12}), other_shape}), status::invalid_graph,
                    {"tensor 12", "two ways", "undef:4:", "undef:5:", "Wildcard (op 2)"}},
            {with({other_property}), status::invalid_graph,
                    {"tensor 10", "two ways", "constant", "Wildcard (op 1)"}},
            {with({named_spec(1, {10}, {12}), named_spec(2, {11}, {12})}), status::invalid_graph,
                    {"tensor 12", "output of both", "Wildcard (op 1)", "Wildcard (op 2)"}},
            {with({named_spec(1, {10}, {12, 12})}), status::invalid_graph,
                    {"tensor 12", "output of both", "Wildcard (op 1)"}},
            {with({named_spec(1, {11}, {12}), named_spec(2, {12}, {11})}), status::invalid_graph,
                    {"cycle", "Wildcard (op "}},
            {with({named_spec(1, {10}, {10})}), status::invalid_graph,
                    {"cycle", "Wildcard (op 1)"}},
            {with({no_broadcast}), status::invalid_shape,
                    {"Select (op 7)", "src_0 2x3", "src_1 2", "axis 1", "3 against 2"}},
    };
    for (bad_graph &bad : cases)
        for (const std::string &word : bad.words) { // each time anew: the error repeats itself
            expect_error(
                    bad.code, [&] { bad.made.finalize(); }, HasSubstr(word));
            EXPECT_FALSE(bad.made.finalized());
        }
}

TEST(ir_graph, an_open_graph_can_be_completed_after_an_error) {
    graph g(ops::find);
    g.add_op(named_spec(1, {10}, {12}));
    op_spec clash = named_spec(2, {11}, {12});
    g.add_op(clash);
    EXPECT_THROW(g.finalize(), error);
    g.add_op(named_spec(3, {13}, {14}));
    EXPECT_FALSE(g.finalized());
}

TEST(ir_graph, the_cycle_is_named_not_what_hangs_on_it) {
    graph g(ops::find);
    g.add_op(named_spec(1, {22}, {30})); // reads what the cycle makes
    g.add_op(named_spec(2, {30, 10}, {31}));
    g.add_op(named_spec(3, {10, 21}, {22}));
    g.add_op(named_spec(4, {22, 10}, {21}));
    expect_error(
            status::invalid_graph, [&] { g.finalize(); },
            testing::AnyOf(HasSubstr("Wildcard (op 3)"), HasSubstr("Wildcard (op 4)")));
}

TEST(ir_graph, B132_sizes_that_do_not_fit) {
    auto finalize = [](op_spec spec) {
        graph g(ops::find);
        g.add_op(std::move(spec));
        g.finalize();
    };
    op_spec count = select_spec();
    count.inputs[0].desc.shape = {1};
    count.inputs[1].desc.shape = {4294967296, 1};
    count.inputs[2].desc.shape = {1, 4294967296};
    count.outputs[0] = of_unknown_rank(4, dt::f32);
    expect_error(
            status::invalid_shape, [&] { finalize(count); },
            AllOf(HasSubstr("Select (op 7)"), HasSubstr("tensor 4"),
                    HasSubstr("4294967296x4294967296"), HasSubstr("too large")));

    op_spec bytes = count;
    for (port *p : {&bytes.inputs[1], &bytes.inputs[2], &bytes.outputs[0]})
        p->desc.type = dt::f64;
    bytes.inputs[1].desc.shape = {2147483648, 1};
    bytes.inputs[2].desc.shape = {1, 2147483648};
    expect_error(
            status::invalid_shape, [&] { finalize(bytes); },
            AllOf(HasSubstr("tensor 4"), HasSubstr("2147483648x2147483648"), HasSubstr("f64")));

    op_spec input = select_spec();
    input.inputs[0].desc.shape = {1};
    input.inputs[1].desc.shape = {INT64_MAX, 2};
    input.inputs[2].desc.shape = {1};
    input.outputs[0] = of_unknown_rank(4, dt::f32);
    expect_error(
            status::invalid_shape, [&] { finalize(input); },
            AllOf(HasSubstr("input of the graph"), HasSubstr("tensor 2"),
                    HasSubstr("9223372036854775807x2")));
}

TEST(ir_graph, topological_order) {
    graph g(ops::find);
    g.add_op(named_spec(1, {4}, {5}));
    g.add_op(named_spec(2, {1}, {2}));
    g.add_op(named_spec(3, {2, 3}, {4}));
    g.add_op(named_spec(4, {1, 1}, {3}));
    g.add_op(named_spec(5, {}, {9}));
    g.finalize();
    std::vector<std::size_t> order;
    for (const op &o : g.ops())
        order.push_back(o.id);
    EXPECT_EQ(order, (std::vector<std::size_t>{2, 4, 3, 1, 5}));
    EXPECT_EQ(value_with(g, 5).producer, 3);
}

TEST(ir_graph, B129_unknown_shapes_are_inferred_where_possible) {
    graph g(ops::find);
    op_spec first = select_spec(1);
    first.outputs[0] = of_unknown_rank(4, dt::f32);
    op_spec second = select_spec(2);
    second.inputs = {make_port(1, dt::boolean, {2, 3}), of_unknown_rank(4, dt::f32),
            make_port(5, dt::f32, {unknown_dim, 1, 1})};
    second.outputs[0] = of_unknown_rank(6, dt::f32);
    op_spec third = select_spec(3);
    third.inputs = {make_port(1, dt::boolean, {2, 3}), of_unknown_rank(7, dt::f32),
            make_port(5, dt::f32, {unknown_dim, 1, 1})};
    third.outputs[0] = of_unknown_rank(8, dt::f32);
    third.outputs[0].desc.layout = layout_type::strided;
    for (const op_spec &spec : {first, second, third})
        g.add_op(spec);
    g.finalize();
    EXPECT_EQ(value_with(g, 4).desc.shape, (dims{2, 3}));
    EXPECT_EQ(value_with(g, 6).desc.shape, (dims{unknown_dim, 2, 3}));
    EXPECT_FALSE(value_with(g, 8).desc.rank_known);
}

TEST(ir_graph, inferred_strided_outputs_have_unknown_strides) {
    graph g(ops::find);
    op_spec spec = select_spec();
    spec.outputs[0] = of_unknown_rank(4, dt::f32);
    spec.outputs[0].desc.layout = layout_type::strided;
    g.add_op(spec);
    g.finalize();
    EXPECT_EQ(value_with(g, 4).desc.strides, (dims{unknown_dim, unknown_dim}));
}

TEST(op_def, names) {
    EXPECT_EQ(name_of(op_kind::Abs), "Abs");
    EXPECT_EQ(name_of(op_kind::Where), "Where");
    EXPECT_EQ(name_of(static_cast<op_kind>(-1)), "unknown");
    EXPECT_EQ(name_of(op_attr::alpha), "alpha");
    EXPECT_EQ(name_of(op_attr::accumulation_mode), "accumulation_mode");
    EXPECT_EQ(name_of(static_cast<op_attr>(1000)), "unknown");
    EXPECT_EQ(kind_of(op_attr::axes), attr_kind::s64s);
    EXPECT_EQ(kind_of(op_attr::scales), attr_kind::f32s);
    EXPECT_EQ(name_of(attr_kind::s64s), "s64[]");
    EXPECT_EQ(name_of(attr_kind::f32s), "f32[]");
}

/// name_of(attr_kind) and verify_schema go by the order of the variant's alternatives.
TEST(op_def, attribute_kinds_follow_the_variant) {
    auto kind = [](attr_value value) { return static_cast<attr_kind>(value.index()); };
    EXPECT_EQ(kind(std::int64_t{1}), attr_kind::s64);
    EXPECT_EQ(kind(1.0f), attr_kind::f32);
    EXPECT_EQ(kind(true), attr_kind::boolean);
    EXPECT_EQ(kind(std::string("x")), attr_kind::string);
    EXPECT_EQ(kind(std::vector<std::int64_t>{}), attr_kind::s64s);
    EXPECT_EQ(kind(std::vector<float>{}), attr_kind::f32s);
}

TEST(registry, only_implemented_kinds_have_a_definition) {
    ASSERT_NE(ops::find(op_kind::Select), nullptr);
    EXPECT_EQ(ops::find(op_kind::Select)->kind, op_kind::Select);
    EXPECT_EQ(ops::find(op_kind::Convolution), nullptr);
    EXPECT_EQ(ops::find(op_kind::LayerNorm), nullptr);
}

} // namespace
} // namespace tern::ir
