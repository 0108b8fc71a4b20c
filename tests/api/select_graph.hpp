// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_TESTS_API_SELECT_GRAPH_HPP
#define TERN_TESTS_API_SELECT_GRAPH_HPP

/// \file
/// One Select or Where from operands to result through the public API, by every implementation that
/// takes it.

#include <cstdint>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tern/graph.hpp"

namespace select_graph {

using tern::data_type;
using tern::error;
using tern::layout_type;
using tern::property_type;
using tern::status;
using tern::graph::compiled_partition;
using tern::graph::engine;
using tern::graph::logical_tensor;
using tern::graph::op;
using tern::graph::partition;
using tern::graph::stream;
using tern::graph::tensor;
using dims = logical_tensor::dims;
using logical_tensors = std::vector<logical_tensor>;

/// Ids of the tensors.
enum : std::size_t { cond_id = 1, src_0_id = 2, src_1_id = 3, dst_id = 4 };

inline engine cpu() {
    return engine(engine::kind::cpu, 0);
}

inline logical_tensor dense(std::size_t id, data_type type, const dims &shape) {
    return logical_tensor(id, type, shape, layout_type::strided);
}

/// The one partition of a graph with one op (op 7).
inline partition one_op_partition(const op &only) {
    tern::graph::graph g(engine::kind::cpu);
    g.add_op(only);
    g.finalize();
    return g.get_partitions().at(0);
}

inline partition select_partition(const logical_tensors &inputs, const logical_tensor &dst,
        const std::string &auto_broadcast = "numpy") {
    op select(7, op::kind::Select, inputs, {dst});
    select.set_attr(op::attr::auto_broadcast, auto_broadcast);
    return one_op_partition(select);
}

inline partition where_partition(const logical_tensors &inputs, const logical_tensor &output) {
    return one_op_partition(op(7, op::kind::Where, inputs, {output}));
}

/// Compiled by each implementation that takes it. "loops" and "reference" take everything; "onednn"
/// may say no, which is `unimplemented` and nothing else.
inline std::vector<compiled_partition> compile_all(
        const partition &part, const logical_tensors &inputs, const logical_tensors &outputs) {
    std::vector<compiled_partition> compiled;
    for (const char *name : {"loops", "reference", "onednn"}) {
        tern::graph::compile_options options;
        options.implementation = name;
        try {
            compiled.push_back(part.compile(inputs, outputs, cpu(), options));
        } catch (const error &e) {
            if (std::string(name) != "onednn" || e.status != status::unimplemented) throw;
        }
    }
    return compiled;
}

/// An input: its shape, its memory, and how that is walked (empty: dense row-major).
template <typename T>
struct operand {
    dims shape;
    std::vector<T> memory;
    dims strides = {};
};

template <typename T>
struct select_case {
    data_type type;
    operand<std::uint8_t> cond;
    operand<T> src_0;
    operand<T> src_1;
    std::string auto_broadcast = "numpy"; ///< Select's; Where has none.
    dims dst_strides = {};                ///< Empty: dense row-major.
};

template <typename T>
struct select_result {
    dims shape;
    std::vector<T> memory; ///< From dst's first to its last byte; where no element lies, `filler`.
};

/// Every byte of a result's memory before the execution.
constexpr unsigned char filler_byte = 0xa5;

template <typename T>
T filler() {
    T value;
    std::memset(static_cast<void *>(&value), filler_byte, sizeof value);
    return value;
}

template <typename T>
logical_tensor describe(std::size_t id, data_type type, const operand<T> &input) {
    if (input.strides.empty()) return dense(id, type, input.shape);
    return logical_tensor(id, type, input.shape, input.strides);
}

/// Bits, not values: a NaN equals itself, and -0.0 is not 0.0.
template <typename T>
bool same_bits(const std::vector<T> &a, const std::vector<T> &b) {
    return a.size() == b.size()
           && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

/// Compiles and executes by every implementation, which must all give the same bits.
template <typename T>
select_result<T> run(op::kind kind, const select_case<T> &c) {
    logical_tensor cond = describe(cond_id, data_type::boolean, c.cond);
    logical_tensor src_0 = describe(src_0_id, c.type, c.src_0);
    logical_tensor src_1 = describe(src_1_id, c.type, c.src_1);
    logical_tensor dst(dst_id, c.type);
    partition part = kind == op::kind::Where
                             ? where_partition({cond, src_0, src_1}, dst)
                             : select_partition({cond, src_0, src_1}, dst, c.auto_broadcast);

    logical_tensor wanted(dst_id, c.type, layout_type::any);
    if (!c.dst_strides.empty()) {
        dims unknown(c.dst_strides.size(), TERN_GRAPH_UNKNOWN_DIM);
        wanted = logical_tensor(dst_id, c.type, unknown, c.dst_strides);
    }
    select_result<T> result;
    bool first = true;
    for (const auto &compiled : compile_all(part, {cond, src_0, src_1}, {wanted})) {
        logical_tensor found = compiled.query_logical_tensor(dst_id);
        std::vector<T> memory(found.get_mem_size() / sizeof(T), filler<T>());
        auto input = [](const logical_tensor &lt, const auto &from) {
            return tensor(lt, cpu(), const_cast<void *>(static_cast<const void *>(from.data())));
        };
        stream s(cpu());
        compiled.execute(s,
                {input(cond, c.cond.memory), input(src_0, c.src_0.memory),
                        input(src_1, c.src_1.memory)},
                {tensor(found, cpu(), memory.data())});
        if (first) result = {found.get_dims(), memory};
        EXPECT_EQ(found.get_dims(), result.shape) << compiled.get_implementation();
        EXPECT_TRUE(same_bits(memory, result.memory))
                << compiled.get_implementation() << " differs from loops";
        first = false;
    }
    return result;
}

template <typename T>
select_result<T> run_select(const select_case<T> &c) {
    return run(op::kind::Select, c);
}
template <typename T>
select_result<T> run_where(const select_case<T> &c) {
    return run(op::kind::Where, c);
}

/// Calls `action`, which must throw tern::error, and gives it back.
template <typename Action>
error error_of(const Action &action) {
    try {
        action();
    } catch (const error &e) {
        return e;
    }
    ADD_FAILURE() << "expected an error";
    return error(status::success, "");
}

/// A mistake, the status that docs/api.md gives for it, and what its message must name.
struct mistake {
    status code;
    std::function<void()> make;
    std::vector<std::string> words;
};

inline void expect_errors(const std::vector<mistake> &mistakes) {
    for (const mistake &m : mistakes) {
        error e = error_of(m.make);
        EXPECT_EQ(e.status, m.code) << e.message;
        for (const std::string &word : m.words)
            EXPECT_NE(std::string(e.message).find(word), std::string::npos)
                    << "no \"" << word << "\" in: " << e.message;
    }
}

} // namespace select_graph

#endif
