// SPDX-License-Identifier: Apache-2.0
//
// Sequences, optionals and absent values at the ports of partitions.
#include <cstring>
#include <string_view>

#include "allocation_count.hpp"
#include "select_graph.hpp"

using namespace select_graph;
using tern::string_ref;
using tern::value;
using tern::value_form;
using tern::value_type;
using tern::graph::logical_value;

namespace {

constexpr data_type onnx_types[] = {data_type::bf16, data_type::boolean, data_type::c64,
        data_type::c128, data_type::f64, data_type::f32, data_type::f16, data_type::s8,
        data_type::s16, data_type::s32, data_type::s64, data_type::u8, data_type::u16,
        data_type::u32, data_type::u64, data_type::string};

constexpr value_type tensor_of(data_type type) {
    return {value_form::tensor, type};
}
constexpr value_type sequence_of(data_type type) {
    return {value_form::sequence, type};
}
constexpr value_type optional_of(value_type held) {
    return {tern::optional_form(held.form), held.element};
}

/// Op 7 over values 1, 2, ... of these types; its output is value 100.
op value_op(op::kind kind, const std::vector<value_type> &inputs, value_type output) {
    op made(7, kind);
    std::size_t id = 1;
    for (value_type type : inputs)
        made.add_input(logical_value{id++, type});
    made.add_output(logical_value{100, output});
    return made;
}

compiled_partition compile_op(const op &only) {
    partition part = one_op_partition(only);
    EXPECT_TRUE(part.is_supported());
    return part.compile(part.get_input_ports(), part.get_output_ports(), cpu());
}

std::vector<value> execute(const compiled_partition &compiled, const std::vector<value> &inputs) {
    std::vector<value> outputs;
    compiled.execute(stream(cpu()), inputs, outputs);
    return outputs;
}

value run_op(const op &only, const std::vector<value> &inputs) {
    std::vector<value> outputs = execute(compile_op(only), inputs);
    EXPECT_EQ(outputs.size(), 1u);
    return outputs.at(0);
}

/// Dense zeros; strings are empty.
value zeros(data_type type, const value::dims &shape) {
    void *data = nullptr;
    value made = value::make_tensor(type, shape, data);
    if (data != nullptr) std::memset(data, 0, made.bytes());
    return made;
}

value numbers(const value::dims &shape, const std::vector<float> &values) {
    return value::tensor(data_type::f32, shape, values.data());
}

value position(std::int64_t at) {
    return value::tensor(data_type::s64, {}, &at);
}

int truth_of(const value &v) {
    EXPECT_EQ(v.type(), tensor_of(data_type::boolean));
    EXPECT_TRUE(v.shape().empty());
    return *static_cast<const unsigned char *>(v.data());
}

int has_element(value_type type, const value &input) {
    return truth_of(
            run_op(value_op(op::kind::OptionalHasElement, {type}, tensor_of(data_type::boolean)),
                    {input}));
}

// OptionalHasElement

TEST(values, B83_has_element_for_every_type_and_state) {
    for (data_type type : onnx_types) {
        const value_type tensor_type = tensor_of(type);
        const value_type sequence_type = sequence_of(type);
        for (const value::dims &shape : {value::dims{4}, {0}, {2, 3}, {}, {3, 0, 2}}) {
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

TEST(values, B82_an_empty_sequence_is_something) {
    const value_type strings = sequence_of(data_type::f32);
    EXPECT_EQ(
            has_element(optional_of(strings), value::optional(value::sequence(data_type::f32))), 1);
    EXPECT_EQ(has_element(strings, value::sequence(data_type::f32)), 1);
    EXPECT_EQ(has_element(optional_of(strings), value::empty_optional(strings)), 0);
}

TEST(values, B83_a_tensor_of_one_empty_string_is_something) {
    EXPECT_EQ(has_element(tensor_of(data_type::string), value::strings({1}, {""})), 1);
}

TEST(values, B88_an_input_that_is_not_fed) {
    const value_type held = tensor_of(data_type::f32);
    EXPECT_EQ(has_element(optional_of(held), value()), 0);
    EXPECT_EQ(has_element(optional_of(held), value::empty_optional(held)), 0);
    EXPECT_EQ(has_element(optional_of(held), numbers({2}, {1, 2})), 1);
    expect_errors({{status::invalid_arguments, [&] { has_element(held, value()); },
            {"execute", "input of OptionalHasElement (op 7) (tensor 1)", "absent",
                    "expected tensor(f32)"}}});
}

TEST(values, has_element_allocates_nothing) {
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
TEST(values, B91_has_element_as_a_condition) {
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

TEST(values, a_graph_of_values_and_tensors) {
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

// The other ops

TEST(values, optional) {
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

TEST(values, B85_get_element) {
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

TEST(values, sequences_there_and_back) {
    const value_type sequence = sequence_of(data_type::f32);
    const value_type tensor_type = tensor_of(data_type::f32);
    const value a = numbers({2}, {1, 2});
    const value b = numbers({1, 3}, {3, 4, 5});
    const value s = run_op(
            value_op(op::kind::SequenceConstruct, {tensor_type, tensor_type}, sequence), {a, b});
    EXPECT_EQ(s.type(), sequence);
    ASSERT_EQ(s.size(), 2u);
    EXPECT_EQ(s.at(1).data(), b.data());

    auto length_of = [&](const value &v) {
        const value length = run_op(
                value_op(op::kind::SequenceLength, {sequence}, tensor_of(data_type::s64)), {v});
        EXPECT_TRUE(length.shape().empty());
        return *static_cast<const std::int64_t *>(length.data());
    };
    EXPECT_EQ(length_of(s), 2);
    EXPECT_EQ(length_of(value::sequence(data_type::f32)), 0);

    op at = value_op(op::kind::SequenceAt, {sequence, tensor_of(data_type::s64)}, tensor_type);
    EXPECT_EQ(run_op(at, {s, position(0)}).data(), a.data());
    EXPECT_EQ(run_op(at, {s, position(1)}).data(), b.data());
    EXPECT_EQ(run_op(at, {s, position(-1)}).data(), b.data());
    EXPECT_EQ(run_op(at, {s, position(-2)}).data(), a.data());
    const std::int32_t minus_one = -1;
    EXPECT_EQ(run_op(value_op(op::kind::SequenceAt, {sequence, tensor_of(data_type::s32)},
                             tensor_type),
                      {s, value::tensor(data_type::s32, {}, &minus_one)})
                      .data(),
            b.data());
    expect_errors({
            {status::invalid_arguments,
                    [&] {
                        run_op(at, {s, position(2)});
                    },
                    {"SequenceAt (op 7)", "position is 2", "2 tensors", "expected -2 to 1"}},
            {status::invalid_arguments,
                    [&] {
                        run_op(at, {s, position(-3)});
                    },
                    {"position is -3"}},
            {status::invalid_arguments,
                    [&] {
                        run_op(at, {s, position(INT64_MIN)});
                    },
                    {"position is -9223372036854775808"}},
            {status::invalid_arguments,
                    [&] {
                        run_op(at, {s, zeros(data_type::s64, {1})});
                    },
                    {"SequenceAt (op 7)", "position has 1 dims"}},
            {status::invalid_arguments,
                    [&] {
                        run_op(at, {value::sequence(data_type::f32), position(0)});
                    },
                    {"0 tensors"}},
            {status::invalid_shape,
                    [&] {
                        op wrong(7, op::kind::SequenceAt);
                        wrong.add_input(logical_value{1, sequence});
                        wrong.add_input(dense(2, data_type::s64, {1}));
                        wrong.add_output(logical_tensor(3, data_type::f32));
                        one_op_partition(wrong);
                    },
                    {"SequenceAt (op 7)", "position has shape 1"}},
            {status::invalid_graph_op,
                    [&] { one_op_partition(value_op(op::kind::SequenceConstruct, {}, sequence)); },
                    {"SequenceConstruct (op 7)", "expected 1 or more"}},
            {status::invalid_graph_op,
                    [&] {
                        one_op_partition(value_op(op::kind::SequenceConstruct,
                                {tensor_type, tensor_of(data_type::f16)}, sequence));
                    },
                    {"SequenceConstruct (op 7)", "f16", "f32"}},
    });
}

TEST(values, one_tensor_several_times) {
    op pair(7, op::kind::SequenceConstruct);
    for (std::size_t id : {1, 2, 1})
        pair.add_input(logical_value{id, tensor_of(data_type::f32)});
    pair.add_output(logical_value{100, sequence_of(data_type::f32)});
    const value a = numbers({}, {1});
    const value b = numbers({}, {2});
    const value s = run_op(pair, {a, b});
    ASSERT_EQ(s.size(), 3u);
    EXPECT_EQ(s.at(0).data(), a.data());
    EXPECT_EQ(s.at(1).data(), b.data());
    EXPECT_EQ(s.at(2).data(), a.data());
}

TEST(values, sequence_empty) {
    op plain = value_op(op::kind::SequenceEmpty, {}, sequence_of(data_type::f32));
    EXPECT_EQ(run_op(plain, {}).size(), 0u);
    op strings = value_op(op::kind::SequenceEmpty, {}, sequence_of(data_type::string));
    strings.set_attr(op::attr::dtype, "string");
    EXPECT_EQ(run_op(strings, {}).type(), sequence_of(data_type::string));
    auto with_dtype = [](const char *name) {
        return [=] {
            op made = value_op(op::kind::SequenceEmpty, {}, sequence_of(data_type::f16));
            if (name != nullptr) made.set_attr(op::attr::dtype, name);
            one_op_partition(made);
        };
    };
    expect_errors({
            {status::invalid_graph_op, with_dtype(nullptr),
                    {"SequenceEmpty (op 7)", "dtype is \"f32\", but output is seq(tensor(f16))"}},
            {status::invalid_graph_op, with_dtype("f8_e5m2"), {"attribute dtype is \"f8_e5m2\""}},
    });
}

TEST(values, identity) {
    const value a = numbers({2}, {1, 2});
    const value s = value::sequence(data_type::f32, {a});
    for (const value &v :
            {a, s, value::optional(a), value::optional(s), value::empty_optional(s.type())}) {
        const value same = run_op(value_op(op::kind::Identity, {v.type()}, v.type()), {v});
        EXPECT_EQ(same.type(), v.type());
        EXPECT_EQ(same.has_element(), v.has_element());
        if (v.is_tensor()) EXPECT_EQ(same.data(), v.data());
        if (v.is_sequence()) EXPECT_EQ(same.at(0).data(), a.data());
    }
    expect_errors({{status::invalid_graph_op,
            [&] {
                one_op_partition(value_op(op::kind::Identity, {s.type()}, optional_of(s.type())));
            },
            {"Identity (op 7)", "output is optional(seq(tensor)), but the input gives "
                                "seq(tensor)"}}});
}

TEST(values, identity_of_tensors_in_memory) {
    // Alone a copy, into any layout; between others a view.
    const logical_tensor src = dense(1, data_type::s16, {2, 3});
    op copy(7, op::kind::Identity, {src}, {logical_tensor(2, data_type::s16)});
    const std::int16_t data[] = {1, 2, 3, 4, 5, 6};
    for (const char *name : {"copy", "reference"}) {
        tern::graph::compile_options options;
        options.implementation = name;
        partition part = one_op_partition(copy);
        logical_tensor dst(2, data_type::s16, dims{2, 3}, dims{1, 2});
        auto compiled = part.compile({src}, {dst}, cpu(), options);
        std::int16_t found[6] = {};
        const void *in = data;
        void *out = found;
        compiled.execute(stream(cpu()), &in, &out);
        const std::int16_t expected[] = {1, 4, 2, 5, 3, 6};
        EXPECT_EQ(std::memcmp(found, expected, sizeof expected), 0) << name;
    }
    tern::graph::graph g(engine::kind::cpu);
    g.add_op(op(1, op::kind::Identity, {dense(src_0_id, data_type::f32, {2, 3})},
            {logical_tensor(9, data_type::f32)}));
    g.add_op(op(2, op::kind::Abs, {logical_tensor(9, data_type::f32)},
            {logical_tensor(dst_id, data_type::f32)}));
    g.finalize();
    auto parts = g.get_partitions();
    ASSERT_EQ(parts.size(), 1u);
    auto compiled = parts[0].compile({dense(src_0_id, data_type::f32, {2, 3})},
            {dense(dst_id, data_type::f32, {2, 3})}, cpu());
    EXPECT_EQ(compiled.get_scratchpad_logical_tensor().get_mem_size(), 0u);
    std::vector<float> x = {-1, 2, -3, 4, -5, 6}, found(6);
    const void *in = x.data();
    void *out = found.data();
    compiled.execute(stream(cpu()), &in, &out);
    EXPECT_EQ(found, (std::vector<float>{1, 2, 3, 4, 5, 6}));
}

// Ordinary partitions with values

TEST(values, B47_where_gives_strings_of_its_own) {
    logical_tensors inputs = {dense(cond_id, data_type::boolean, {3}),
            dense(src_0_id, data_type::string, {3}), dense(src_1_id, data_type::string, {3})};
    partition part = where_partition(inputs, logical_tensor(dst_id, data_type::string));
    auto compiled = part.compile(
            inputs, {logical_tensor(dst_id, data_type::string, layout_type::any)}, cpu());
    value result;
    {
        const std::uint8_t condition[] = {1, 0, 1};
        result = execute(compiled,
                {value::tensor(data_type::boolean, {3}, condition),
                        value::strings({3}, {std::string(25, 'a'), "b", ""}),
                        value::strings({3}, {std::string(40, 'y'), std::string(1000, 'z'), "q"})})
                         .at(0);
    }
    const auto *texts = static_cast<const string_ref *>(result.data());
    EXPECT_EQ(std::string_view(texts[0]), std::string(25, 'a'));
    EXPECT_EQ(std::string_view(texts[1]), std::string(1000, 'z'));
    EXPECT_EQ(std::string_view(texts[2]), "");
}

TEST(values, partitions_compiled_for_strides_take_no_values) {
    logical_tensors inputs = {dense(cond_id, data_type::boolean, {2}),
            logical_tensor(src_0_id, data_type::f32, dims{2}, dims{3}),
            dense(src_1_id, data_type::f32, {2})};
    partition part = where_partition(inputs, logical_tensor(dst_id, data_type::f32));
    auto any = logical_tensor(dst_id, data_type::f32, layout_type::any);
    const std::vector<value> in = {
            zeros(data_type::boolean, {2}), zeros(data_type::f32, {2}), zeros(data_type::f32, {2})};
    auto strided_input = part.compile(inputs, {any}, cpu());
    inputs[1] = dense(src_0_id, data_type::f32, {2});
    auto strided_output =
            part.compile(inputs, {logical_tensor(dst_id, data_type::f32, dims{2}, dims{2})}, cpu());
    auto plain = part.compile(inputs, {any}, cpu());
    expect_errors({
            {status::invalid_arguments, [&] { execute(strided_input, in); },
                    {"X of Where (op 7)", "values are dense and row-major"}},
            {status::invalid_arguments, [&] { execute(strided_output, in); },
                    {"output of Where (op 7)", "values are dense and row-major"}},
            {status::invalid_arguments,
                    [&] {
                        execute(plain, {in[0], in[1], zeros(data_type::f32, {3})});
                    },
                    {"Y of Where (op 7)",
                            "tensor(f32) of shape 3, expected tensor(f32) of shape 2"}},
            {status::invalid_arguments,
                    [&] {
                        execute(plain, {in[0], value::sequence(data_type::f32), in[2]});
                    },
                    {"X of Where (op 7)", "seq(tensor(f32)), expected tensor(f32) of shape 2"}},
            {status::invalid_arguments,
                    [&] {
                        execute(plain, {in[0], in[1]});
                    },
                    {"2 inputs given, expected 3"}},
    });
    EXPECT_EQ(execute(plain, in).at(0).shape(), (value::dims{2}));
}

// What is wrong at ports

TEST(values, wrong_values_at_ports) {
    const value_type held = tensor_of(data_type::f32);
    auto has = compile_op(value_op(
            op::kind::OptionalHasElement, {optional_of(held)}, tensor_of(data_type::boolean)));
    auto length = compile_op(value_op(
            op::kind::SequenceLength, {sequence_of(data_type::f32)}, tensor_of(data_type::s64)));
    const value a = numbers({2}, {1, 2});
    std::vector<value> kept = {a};
    expect_errors({
            {status::invalid_arguments, [&] { execute(has, {zeros(data_type::f16, {2})}); },
                    {"execute", "input of OptionalHasElement (op 7)",
                            "tensor(f16) of shape 2, expected optional(tensor(f32))"}},
            {status::invalid_arguments, [&] { execute(has, {value::sequence(data_type::f32)}); },
                    {"seq(tensor(f32)), expected optional(tensor(f32))"}},
            {status::invalid_arguments,
                    [&] { execute(has, {value::empty_optional(sequence_of(data_type::f32))}); },
                    {"optional(seq(tensor(f32))), expected optional(tensor(f32))"}},
            {status::invalid_arguments, [&] { execute(has, {}); }, {"0 inputs given, expected 1"}},
            {status::invalid_arguments,
                    [&] {
                        execute(has, {a, a});
                    },
                    {"2 inputs given"}},
            {status::invalid_arguments, [&] { execute(length, {a}); },
                    {"tensor(f32) of shape 2, expected seq(tensor(f32))"}},
            {status::invalid_arguments, [&] { execute(length, {value()}); }, {"absent"}},
            {status::invalid_arguments,
                    [&] { length.execute(stream(cpu()), {value::optional(a)}, kept); },
                    {"optional(tensor(f32)), expected seq(tensor(f32))"}},
            {status::invalid_arguments, [&] { execute(compiled_partition(), {}); },
                    {"an empty handle"}},
            // Memory in place of values.
            {status::invalid_arguments,
                    [&] {
                        const void *in = nullptr;
                        void *out = nullptr;
                        has.execute(stream(cpu()), &in, &out);
                    },
                    {"OptionalHasElement (op 7) works on values"}},
            {status::invalid_arguments,
                    [&] {
                        stream s(cpu());
                        has.execute(s, {tensor(dense(1, data_type::f32, {2}), cpu())}, {tensor()});
                    },
                    {"OptionalHasElement (op 7) works on values"}},
    });
    EXPECT_EQ(kept.at(0).data(), a.data()); // a call that fails changes nothing
}

TEST(values, wrong_types_at_ports) {
    const value_type truth = tensor_of(data_type::boolean);
    const value_type f32 = tensor_of(data_type::f32);
    auto make = [](op::kind kind, const std::vector<value_type> &inputs, value_type output) {
        return [=] { one_op_partition(value_op(kind, inputs, output)); };
    };
    using k = op::kind;
    expect_errors({
            {status::invalid_graph_op,
                    make(k::OptionalHasElement, {tensor_of(data_type::f8_e4m3)}, truth),
                    {"OptionalHasElement (op 7)", "input (tensor 1) has data type f8_e4m3"}},
            {status::invalid_graph_op,
                    make(k::OptionalHasElement, {tensor_of(data_type::s4)}, truth), {"s4"}},
            {status::invalid_graph_op,
                    make(k::OptionalHasElement, {tensor_of(data_type::undef)}, truth), {"undef"}},
            {status::invalid_graph_op, make(k::OptionalHasElement, {f32}, f32),
                    {"output (tensor 100) has data type f32; allowed: boolean"}},
            {status::invalid_graph_op,
                    make(k::OptionalHasElement, {f32}, sequence_of(data_type::boolean)),
                    {"output (tensor 100) is seq(tensor(boolean)); allowed: tensor"}},
            {status::invalid_graph_op, make(k::OptionalHasElement, {f32, f32}, truth),
                    {"2 inputs given, expected 0 to 1 ([input])"}},
            {status::invalid_graph_op, make(k::SequenceLength, {f32}, tensor_of(data_type::s64)),
                    {"SequenceLength (op 7)", "input_sequence (tensor 1) is tensor(f32); allowed: "
                                              "seq(tensor)"}},
            {status::invalid_graph_op, make(k::SequenceAt, {sequence_of(data_type::f32), f32}, f32),
                    {"position", "f32"}},
            {status::invalid_graph_op,
                    make(k::SequenceAt, {sequence_of(data_type::f32), tensor_of(data_type::s64)},
                            tensor_of(data_type::f16)),
                    {"f16", "f32"}},
            {status::invalid_graph_op, make(k::Abs, {sequence_of(data_type::f32)}, f32),
                    {"Abs (op 7)", "is seq(tensor(f32)); allowed: tensor"}},
            {status::invalid_graph_op, make(k::Where, {truth, optional_of(f32), f32}, f32),
                    {"Where (op 7)", "X (tensor 2) is optional(tensor(f32)); allowed: tensor"}},
            {status::invalid_graph,
                    [&] {
                        tern::graph::graph g(engine::kind::cpu);
                        op a(1, k::Identity);
                        a.add_input(logical_value{1, sequence_of(data_type::f32)});
                        a.add_output(logical_value{2, sequence_of(data_type::f32)});
                        op b(2, k::Identity);
                        b.add_input(logical_value{2, f32});
                        b.add_output(logical_value{3, f32});
                        g.add_op(a);
                        g.add_op(b);
                        g.finalize();
                    },
                    {"tensor 2 is described in two ways", "seq(tensor(f32))"}},
    });
}

TEST(values, a_result_that_is_not_what_the_graph_says) {
    op get(7, op::kind::OptionalGetElement);
    get.add_input(logical_value{1, optional_of(tensor_of(data_type::f32))});
    get.add_output(dense(100, data_type::f32, {2, 3}));
    expect_errors({{status::invalid_arguments,
            [&] {
                run_op(get, {value::optional(numbers({2}, {1, 2}))});
            },
            {"output of OptionalGetElement (op 7)", "tensor(f32) of shape 2",
                    "tensor(f32) of shape 2x3"}}});
    EXPECT_EQ(run_op(get, {value::optional(zeros(data_type::f32, {2, 3}))}).elements(), 6u);
}

TEST(values, implementations) {
    partition part = one_op_partition(value_op(
            op::kind::SequenceLength, {sequence_of(data_type::f32)}, tensor_of(data_type::s64)));
    tern::graph::compile_options options;
    options.implementation = "lanes";
    expect_errors({{status::unimplemented, [&] { part.compile({}, {}, cpu(), options); },
            {"SequenceLength (op 7)", "no implementation lanes"}}});
    options.implementation = "reference";
    auto compiled = part.compile({}, {}, cpu(), options);
    EXPECT_EQ(compiled.get_implementation(), "evaluate");
    EXPECT_TRUE(compiled.get_refusals().empty());
    EXPECT_TRUE(compiled.get_inplace_ports().empty());
    EXPECT_EQ(compiled.get_scratchpad_logical_tensor().get_mem_size(), 0u);
    EXPECT_EQ(compiled.query_logical_tensor(100).get_dims(), dims{});
}

} // namespace
