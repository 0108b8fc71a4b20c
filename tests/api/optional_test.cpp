// SPDX-License-Identifier: Apache-2.0
//
// OptionalHasElement, Optional and OptionalGetElement.
#include "allocation_count.hpp"
#include "value_graph.hpp"

using namespace value_graph;

namespace {

int has_element(value_type type, const value &input) {
    return truth_of(
            run_op(value_op(op::kind::OptionalHasElement, {type}, tensor_of(data_type::boolean)),
                    {input}));
}

TEST(optional, B83_has_element_for_every_type_and_state) {
    for (data_type type : onnx_types) {
        const value_type tensor_type = tensor_of(type);
        const value_type sequence_type = sequence_of(type);
        for (const value::dims &shape : std::vector<value::dims>{{4}, {0}, {2, 3}, {}, {3, 0, 2}}) {
            const value tensor_value = zeros(type, shape);
            EXPECT_EQ(has_element(tensor_type, tensor_value), 1);
            EXPECT_EQ(has_element(optional_of(tensor_type), value::optional(tensor_value)), 1);
            EXPECT_EQ(has_element(optional_of(tensor_type), tensor_value), 1);
        }
        for (const value &s : {value::sequence(type), value::sequence(type, {zeros(type, {2})}),
                     value::sequence(type, {zeros(type, {0}), zeros(type, {2, 1})})}) {
            EXPECT_EQ(has_element(sequence_type, s), 1);
            EXPECT_EQ(has_element(optional_of(sequence_type), value::optional(s)), 1);
            EXPECT_EQ(has_element(optional_of(sequence_type), s), 1);
        }
        for (value_type held : {tensor_type, sequence_type}) {
            EXPECT_EQ(has_element(optional_of(held), value::empty_optional(held)), 0);
            EXPECT_EQ(has_element(optional_of(held), value()), 0);
        }
    }
    EXPECT_EQ(
            truth_of(run_op(
                    value_op(op::kind::OptionalHasElement, {}, tensor_of(data_type::boolean)), {})),
            0);
}

TEST(optional, B82_an_empty_sequence_is_something) {
    const value_type sequence = sequence_of(data_type::f32);
    EXPECT_EQ(has_element(optional_of(sequence), value::optional(value::sequence(data_type::f32))),
            1);
    EXPECT_EQ(has_element(sequence, value::sequence(data_type::f32)), 1);
    EXPECT_EQ(has_element(optional_of(sequence), value::empty_optional(sequence)), 0);
}

TEST(optional, B83_a_tensor_of_one_empty_string_is_something) {
    EXPECT_EQ(has_element(tensor_of(data_type::string), value::strings({1}, {""})), 1);
}

TEST(optional, B88_an_input_that_is_not_fed) {
    const value_type held = tensor_of(data_type::f32);
    EXPECT_EQ(has_element(optional_of(held), value()), 0);
    EXPECT_EQ(has_element(optional_of(held), value::empty_optional(held)), 0);
    EXPECT_EQ(has_element(optional_of(held), numbers({2}, {1, 2})), 1);
    expect_errors({{status::invalid_arguments, [&] { has_element(held, value()); },
            {"execute", "input of OptionalHasElement (op 7) (tensor 1)", "absent",
                    "expected tensor(f32)"}}});
}

TEST(optional, has_element_allocates_nothing) {
    const value_type held = optional_of(sequence_of(data_type::f32));
    auto compiled = compile_op(
            value_op(op::kind::OptionalHasElement, {held}, tensor_of(data_type::boolean)));
    const std::vector<value> in = {value::optional(value::sequence(data_type::f32))};
    const stream s(cpu());
    std::vector<value> out(1);
    compiled.execute(s, in, out);
    const std::size_t before = allocation_count();
    for (int i = 0; i < 100; ++i)
        compiled.execute(s, in, out);
    EXPECT_EQ(allocation_count(), before);
    EXPECT_EQ(truth_of(out[0]), 1);
}

// Tensors, and no input at all, work in memory, too, and in graphs with other ops.
TEST(optional, B91_has_element_as_a_condition) {
    for (bool has_input : {true, false}) {
        tern::graph::graph g(engine::kind::cpu);
        op has(1, op::kind::OptionalHasElement);
        if (has_input) has.add_input(dense(src_0_id, data_type::f32, {2}));
        has.add_output(dense(cond_id, data_type::boolean, {}));
        g.add_op(has);
        g.add_op(op(2, op::kind::Where,
                {dense(cond_id, data_type::boolean, {}), dense(src_0_id, data_type::f32, {2}),
                        dense(src_1_id, data_type::f32, {2})},
                {dense(dst_id, data_type::f32, {2})}));
        g.finalize();
        auto parts = g.get_partitions();
        ASSERT_EQ(parts.size(), 1u);
        auto inputs = parts[0].get_input_ports();
        auto compiled = parts[0].compile(inputs, parts[0].get_output_ports(), cpu());
        std::vector<float> x = {1, 2}, y = {3, 4}, found(2);
        std::vector<const void *> from;
        for (const auto &input : inputs)
            from.push_back(input.get_id() == src_0_id ? x.data() : y.data());
        void *to = found.data();
        compiled.execute(stream(cpu()), from.data(), &to);
        EXPECT_EQ(found, has_input ? x : y);
    }
    // Of an optional: its own partition, whose result is Where's condition.
    tern::graph::graph g(engine::kind::cpu);
    op has(1, op::kind::OptionalHasElement);
    has.add_input(logical_value{50, optional_of(tensor_of(data_type::s64))});
    has.add_output(logical_tensor(cond_id, data_type::boolean));
    g.add_op(has);
    g.add_op(op(2, op::kind::Where,
            {logical_tensor(cond_id, data_type::boolean), dense(src_0_id, data_type::f32, {2}),
                    dense(src_1_id, data_type::f32, {2})},
            {dense(dst_id, data_type::f32, {2})}));
    g.finalize();
    auto parts = g.get_partitions();
    ASSERT_EQ(parts.size(), 2u);
    EXPECT_EQ(parts[0].get_output_ports().at(0).get_dims(), dims{});
    EXPECT_EQ(parts[1].get_input_ports().at(0).get_dims(), dims{});
}

TEST(optional, a_graph_of_values_and_tensors) {
    // Where(HasElement(o), GetElement(o), 0)
    const logical_value optional{50, optional_of(tensor_of(data_type::f32))};
    const logical_tensor condition = dense(cond_id, data_type::boolean, {});
    const logical_tensor element = dense(src_0_id, data_type::f32, {2});
    tern::graph::graph g(engine::kind::cpu);
    op has(1, op::kind::OptionalHasElement);
    has.add_input(optional);
    has.add_output(condition);
    g.add_op(has);
    op get(2, op::kind::OptionalGetElement);
    get.add_input(optional);
    get.add_output(element);
    g.add_op(get);
    g.add_op(op(3, op::kind::Where, {condition, element, dense(src_1_id, data_type::f32, {})},
            {dense(dst_id, data_type::f32, {2})}));
    g.finalize();
    auto parts = g.get_partitions();
    ASSERT_EQ(parts.size(), 3u);
    for (const partition &part : parts)
        EXPECT_EQ(part.get_ops_num(), 1u);
    EXPECT_EQ(parts[0].get_input_types(), (std::vector<value_type>{optional.type}));
    EXPECT_EQ(
            parts[0].get_output_types(), (std::vector<value_type>{tensor_of(data_type::boolean)}));
    EXPECT_EQ(parts[0].get_input_ports().at(0).get_id(), 50u);
    EXPECT_EQ(parts[0].get_input_ports().at(0).get_ndims(), TERN_GRAPH_UNKNOWN_NDIMS);
    const value held = value::optional(numbers({2}, {5, 6}));
    auto compile = [](const partition &part) {
        return part.compile(part.get_input_ports(), part.get_output_ports(), cpu());
    };
    const value truth = execute(compile(parts[0]), {held}).at(0);
    const value x = execute(compile(parts[1]), {held}).at(0);
    EXPECT_EQ(x.data(), held.element().data());
    const value y = numbers({}, {9});
    std::vector<value> in;
    for (const auto &port : parts[2].get_input_ports())
        in.push_back(port.get_id() == cond_id ? truth : port.get_id() == src_0_id ? x : y);
    const value result = execute(compile(parts[2]), in).at(0);
    EXPECT_EQ(result.shape(), (value::dims{2}));
    EXPECT_EQ(static_cast<const float *>(result.data())[1], 6);
}

TEST(optional, optional) {
    const value_type held = tensor_of(data_type::f32);
    const value a = numbers({2}, {1, 2});
    const value some = run_op(value_op(op::kind::Optional, {held}, optional_of(held)), {a});
    EXPECT_EQ(some.type(), optional_of(held));
    EXPECT_EQ(some.element().data(), a.data());
    const value_type sequence = sequence_of(data_type::string);
    const value s = value::sequence(data_type::string);
    EXPECT_EQ(run_op(value_op(op::kind::Optional, {sequence}, optional_of(sequence)), {s}).type(),
            optional_of(sequence));
    for (value_type type : {held, sequence}) {
        op none = value_op(op::kind::Optional, {}, optional_of(type));
        none.set_attr(op::attr::type, to_string(type));
        const value empty = run_op(none, {});
        EXPECT_EQ(empty.type(), optional_of(type));
        EXPECT_FALSE(empty.has_element());
        op both = value_op(op::kind::Optional, {type}, optional_of(type));
        both.set_attr(op::attr::type, to_string(type));
        EXPECT_TRUE(run_op(both, {type == held ? a : s}).has_element());
    }
    auto with_type = [&](const std::vector<value_type> &inputs, const char *text) {
        return [=] {
            op made = value_op(op::kind::Optional, inputs, optional_of(held));
            if (text != nullptr) made.set_attr(op::attr::type, text);
            one_op_partition(made);
        };
    };
    expect_errors({
            {status::invalid_graph_op, with_type({}, nullptr),
                    {"Optional (op 7)", "attribute type is required"}},
            {status::invalid_graph_op, with_type({}, "tensor(float)"),
                    {"Optional (op 7)", "attribute type is \"tensor(float)\"", "tensor(T)"}},
            {status::invalid_graph_op, with_type({}, "seq(tensor(f32))"),
                    {"attribute type is \"seq(tensor(f32))\", but output is "
                     "optional(tensor(f32))"}},
            {status::invalid_graph_op, with_type({held}, "tensor(f16)"), {"tensor(f16)"}},
            {status::invalid_graph_op, with_type({sequence_of(data_type::f32)}, nullptr),
                    {"output is optional(tensor), but the input gives optional(seq(tensor))"}},
            {status::invalid_graph_op, with_type({optional_of(held)}, nullptr),
                    {"Optional (op 7)", "input (tensor 1) is optional(tensor(f32))",
                            "allowed: tensor seq(tensor)"}},
    });
}

TEST(optional, B85_get_element) {
    const value_type held = tensor_of(data_type::f32);
    const value a = numbers({4}, {1, 2, 3, 4});
    op get = value_op(op::kind::OptionalGetElement, {optional_of(held)}, held);
    EXPECT_EQ(run_op(get, {value::optional(a)}).data(), a.data());
    EXPECT_EQ(run_op(get, {a}).data(), a.data());
    expect_errors({
            {status::invalid_arguments, [&] { run_op(get, {value::empty_optional(held)}); },
                    {"OptionalGetElement (op 7)", "input is an empty optional(tensor(f32))"}},
            {status::invalid_arguments, [&] { run_op(get, {value()}); },
                    {"OptionalGetElement (op 7)", "empty optional(tensor(f32))"}},
    });
    const value_type sequence = sequence_of(data_type::s8);
    const value s = value::sequence(data_type::s8, {zeros(data_type::s8, {2})});
    EXPECT_EQ(run_op(value_op(op::kind::OptionalGetElement, {sequence}, sequence), {s}).size(), 1u);
    EXPECT_EQ(run_op(value_op(op::kind::OptionalGetElement, {optional_of(sequence)}, sequence),
                      {value::optional(s)})
                      .size(),
            1u);
    expect_errors({{status::invalid_graph_op,
            [&] {
                one_op_partition(value_op(op::kind::OptionalGetElement, {optional_of(sequence)},
                        optional_of(sequence)));
            },
            {"OptionalGetElement (op 7)", "output (tensor 100)", "allowed: tensor seq(tensor)"}}});
    // Of a tensor, in memory, before a Where.
    tern::graph::graph g(engine::kind::cpu);
    const logical_tensor x = dense(src_0_id, data_type::f32, {4});
    const logical_tensor same(9, data_type::f32);
    g.add_op(op(1, op::kind::OptionalGetElement, {x}, {same}));
    g.add_op(op(2, op::kind::Where,
            {dense(cond_id, data_type::boolean, {4}), same, dense(src_1_id, data_type::f32, {})},
            {logical_tensor(dst_id, data_type::f32)}));
    g.finalize();
    auto parts = g.get_partitions();
    ASSERT_EQ(parts.size(), 1u);
    EXPECT_EQ(parts[0].get_output_ports().at(0).get_dims(), (dims{4}));
}

} // namespace
