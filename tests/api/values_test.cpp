// SPDX-License-Identifier: Apache-2.0
//
// Sequences at the ports of partitions, partitions of tensors with values, and what is wrong with
// them.
#include <string_view>

#include "value_graph.hpp"

using namespace value_graph;
using tern::string_ref;

namespace {

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
        if (v.is_tensor()) {
            EXPECT_EQ(same.data(), v.data());
        } else if (v.is_sequence()) {
            EXPECT_EQ(same.at(0).data(), a.data());
        }
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
