// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_TESTS_API_VALUE_GRAPH_HPP
#define TERN_TESTS_API_VALUE_GRAPH_HPP

/// \file
/// One op on values through the public API.

#include <cstring>

#include "select_graph.hpp"

namespace value_graph {

using namespace select_graph;
using tern::value;
using tern::value_form;
using tern::value_type;
using tern::graph::logical_value;

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
inline op value_op(op::kind kind, const std::vector<value_type> &inputs, value_type output) {
    op made(7, kind);
    std::size_t id = 1;
    for (value_type type : inputs)
        made.add_input(logical_value{id++, type});
    made.add_output(logical_value{100, output});
    return made;
}

/// Compiled for the shapes of these values, by port; where there is none, and a tensor of any shape
/// may come, for two elements.
inline compiled_partition compile_op(const op &only, const std::vector<value> &inputs = {}) {
    partition part = one_op_partition(only);
    EXPECT_TRUE(part.is_supported());
    logical_tensors ports = part.get_input_ports();
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const bool is_given = i < inputs.size() && inputs[i].is_tensor();
        if (ports[i].get_ndims() < 0)
            ports[i] = dense(ports[i].get_id(), ports[i].get_data_type(),
                    is_given ? inputs[i].shape() : dims{2});
    }
    return part.compile(ports, part.get_output_ports(), cpu());
}

inline std::vector<value> execute(
        const compiled_partition &compiled, const std::vector<value> &inputs) {
    std::vector<value> outputs;
    compiled.execute(stream(cpu()), inputs, outputs);
    return outputs;
}

inline value run_op(const op &only, const std::vector<value> &inputs) {
    std::vector<value> outputs = execute(compile_op(only, inputs), inputs);
    EXPECT_EQ(outputs.size(), 1u);
    return outputs.at(0);
}

/// Dense zeros; strings are empty.
inline value zeros(data_type type, const value::dims &shape) {
    void *data = nullptr;
    value made = value::make_tensor(type, shape, data);
    if (data != nullptr) std::memset(data, 0, made.bytes());
    return made;
}

inline value numbers(const value::dims &shape, const std::vector<float> &values) {
    return value::tensor(data_type::f32, shape, values.data());
}

inline value position(std::int64_t at) {
    return value::tensor(data_type::s64, {}, &at);
}

inline int truth_of(const value &v) {
    EXPECT_EQ(v.type(), tensor_of(data_type::boolean));
    EXPECT_TRUE(v.shape().empty());
    return *static_cast<const unsigned char *>(v.data());
}

} // namespace value_graph

#endif
