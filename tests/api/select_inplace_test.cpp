// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "select_graph.hpp"

using namespace select_graph;

namespace {

using port_pairs = std::vector<std::pair<std::size_t, std::size_t>>;

struct inplace_ports_case {
    logical_tensor cond;
    logical_tensor src_0;
    logical_tensor src_1;
    logical_tensor dst;
};

port_pairs inplace_ports(const inplace_ports_case &c) {
    partition part = select_partition({c.cond, c.src_0, c.src_1}, c.dst);
    return part.compile({c.cond, c.src_0, c.src_1}, {c.dst}, cpu()).get_inplace_ports();
}

logical_tensor f32(std::size_t id, const dims &shape) {
    return dense(id, data_type::f32, shape);
}

TEST(select_inplace, B62_ports) {
    logical_tensor cond = dense(cond_id, data_type::boolean, {2, 3});
    logical_tensor any(dst_id, data_type::f32, layout_type::any);
    logical_tensor full_0 = f32(src_0_id, {2, 3});
    logical_tensor full_1 = f32(src_1_id, {2, 3});
    // src_0 before src_1, one pair at most
    EXPECT_EQ(inplace_ports({cond, full_0, full_1, any}), (port_pairs{{src_0_id, dst_id}}));
    EXPECT_EQ(inplace_ports({cond, f32(src_0_id, {1}), full_1, any}),
            (port_pairs{{src_1_id, dst_id}}));
    EXPECT_EQ(inplace_ports({cond, full_0, f32(src_1_id, {3}), any}),
            (port_pairs{{src_0_id, dst_id}}));
    // both are expanded
    EXPECT_EQ(inplace_ports({cond, f32(src_0_id, {2, 1}), f32(src_1_id, {3}), any}), port_pairs{});
    // a missing axis is expanded, too
    EXPECT_EQ(inplace_ports({cond, f32(src_0_id, {3}), f32(src_1_id, {2, 1}), any}), port_pairs{});
    // the layouts differ
    logical_tensor columns(dst_id, data_type::f32, {2, 3}, {1, 2});
    EXPECT_EQ(inplace_ports({cond, full_0, full_1, columns}), port_pairs{});
    EXPECT_EQ(inplace_ports({cond, full_0, logical_tensor(src_1_id, data_type::f32, {2, 3}, {1, 2}),
                      columns}),
            (port_pairs{{src_1_id, dst_id}}));
    // a constant must not be overwritten
    logical_tensor constant(
            src_0_id, data_type::f32, {2, 3}, layout_type::strided, property_type::constant);
    EXPECT_EQ(inplace_ports({cond, constant, full_1, any}), (port_pairs{{src_1_id, dst_id}}));
    // strides of size-1 dims do not matter
    logical_tensor odd(src_0_id, data_type::f32, {1, 3}, {77, 1});
    EXPECT_EQ(
            inplace_ports({dense(cond_id, data_type::boolean, {1}), odd, f32(src_1_id, {1}), any}),
            (port_pairs{{src_0_id, dst_id}}));
}

TEST(select_inplace, a_host_scalar_is_no_port_to_overwrite) {
    logical_tensor scalar(
            src_0_id, data_type::f32, 0, layout_type::strided, property_type::host_scalar);
    EXPECT_EQ(inplace_ports({dense(cond_id, data_type::boolean, {}), scalar, f32(src_1_id, {}),
                      f32(dst_id, {})}),
            (port_pairs{{src_1_id, dst_id}}));
}

/// dst is src_0, then src_1, and must hold what it holds out of place.
template <typename T>
void expect_in_place(data_type type, std::size_t n) {
    auto size = static_cast<std::int64_t>(n);
    select_case<T> c{type, {{size}, {}}, {{size}, {}}, {{size}, {}}};
    for (std::size_t i = 0; i < n; ++i) {
        c.cond.memory.push_back(i % 7 < 3 ? 0 : static_cast<std::uint8_t>(i % 7));
        c.src_0.memory.push_back(static_cast<T>(i));
        c.src_1.memory.push_back(static_cast<T>(~i));
    }
    const std::vector<T> expected = run_select(c).memory;

    logical_tensors inputs = {describe(cond_id, data_type::boolean, c.cond),
            describe(src_0_id, type, c.src_0), describe(src_1_id, type, c.src_1)};
    logical_tensor dst = dense(dst_id, type, {size});
    partition part = select_partition(inputs, dst);
    for (const auto &compiled : compile_all(part, inputs, {dst})) {
        std::vector<T> src_0 = c.src_0.memory;
        std::vector<T> src_1 = c.src_1.memory;
        const void *in[] = {c.cond.memory.data(), src_0.data(), src_1.data()};
        void *out = src_0.data();
        compiled.execute(stream(cpu()), in, &out);
        EXPECT_TRUE(same_bits(src_0, expected)) << "src_0, " << compiled.get_implementation();
        EXPECT_TRUE(same_bits(src_1, c.src_1.memory));

        src_0 = c.src_0.memory;
        out = src_1.data();
        compiled.execute(stream(cpu()), in, &out);
        EXPECT_TRUE(same_bits(src_1, expected)) << "src_1, " << compiled.get_implementation();
        EXPECT_TRUE(same_bits(src_0, c.src_0.memory));
    }
}

TEST(select_inplace, B61_either_source) {
    for (std::size_t n : {1, 63, 100003}) {
        expect_in_place<std::int8_t>(data_type::s8, n);
        expect_in_place<std::uint16_t>(data_type::bf16, n);
        expect_in_place<std::uint32_t>(data_type::f32, n);
        expect_in_place<std::uint64_t>(data_type::f64, n);
    }
}

TEST(select_inplace, B61_next_to_an_expanded_source) {
    // dst is src_1 while src_0 is one element, one row, one column
    for (const dims &shape : {dims{}, dims{100}, dims{30, 1}}) {
        std::size_t count = 1;
        for (std::int64_t dim : shape)
            count *= static_cast<std::size_t>(dim);
        select_case<std::int32_t> c{data_type::s32, {{30, 100}, {}},
                {shape, std::vector<std::int32_t>(count, -5)}, {{30, 100}, {}}};
        for (int i = 0; i < 3000; ++i) {
            c.cond.memory.push_back(i % 11 == 0);
            c.src_1.memory.push_back(i);
        }
        const auto expected = run_select(c).memory;
        logical_tensors inputs = {describe(cond_id, data_type::boolean, c.cond),
                describe(src_0_id, c.type, c.src_0), describe(src_1_id, c.type, c.src_1)};
        logical_tensor dst = dense(dst_id, c.type, {30, 100});
        for (const auto &compiled : compile_all(select_partition(inputs, dst), inputs, {dst})) {
            std::vector<std::int32_t> memory = c.src_1.memory;
            const void *in[] = {c.cond.memory.data(), c.src_0.memory.data(), memory.data()};
            void *out = memory.data();
            compiled.execute(stream(cpu()), in, &out);
            EXPECT_EQ(memory, expected) << compiled.get_implementation();
        }
    }
}

TEST(select_inplace, over_cond_itself) {
    logical_tensors inputs = {dense(cond_id, data_type::boolean, {100}),
            dense(src_0_id, data_type::u8, {100}), dense(src_1_id, data_type::u8, {})};
    logical_tensor dst = dense(dst_id, data_type::u8, {100});
    for (const auto &compiled : compile_all(select_partition(inputs, dst), inputs, {dst})) {
        std::vector<std::uint8_t> cond(100), src_0(100), expected(100);
        const std::uint8_t src_1 = 200;
        for (std::size_t i = 0; i < 100; ++i) {
            cond[i] = static_cast<std::uint8_t>(i % 3);
            src_0[i] = static_cast<std::uint8_t>(i);
            expected[i] = i % 3 ? src_0[i] : src_1;
        }
        const void *in[] = {cond.data(), src_0.data(), &src_1};
        void *out = cond.data();
        compiled.execute(stream(cpu()), in, &out);
        EXPECT_EQ(cond, expected) << compiled.get_implementation();
    }
}

TEST(select_inplace, one_tensor_is_both_sources) {
    logical_tensor cond = dense(cond_id, data_type::boolean, {3});
    logical_tensor src = dense(src_0_id, data_type::s32, {3});
    logical_tensor dst = dense(dst_id, data_type::s32, {3});
    partition part = select_partition({cond, src, src}, dst);
    ASSERT_EQ(part.get_input_ports().size(), 2u);
    EXPECT_EQ(part.get_input_ports()[0].get_id(), cond_id);
    EXPECT_EQ(part.get_input_ports()[1].get_id(), src_0_id);
    for (const auto &compiled : compile_all(part, {cond, src}, {dst})) {
        EXPECT_EQ(compiled.get_inplace_ports(), (port_pairs{{src_0_id, dst_id}}));
        std::uint8_t mask[] = {1, 0, 1};
        std::int32_t values[] = {1, 2, 3};
        std::int32_t result[] = {0, 0, 0};
        const void *in[] = {mask, values};
        void *out = result;
        compiled.execute(stream(cpu()), in, &out);
        EXPECT_TRUE(std::equal(values, values + 3, result)) << compiled.get_implementation();
        out = values; // in place it changes nothing
        compiled.execute(stream(cpu()), in, &out);
        EXPECT_TRUE(std::equal(values, values + 3, result)) << compiled.get_implementation();
    }
}

/// Compiles for the given shapes and strides, places all operands in one buffer of floats,
/// executes.
struct shared_buffer_case {
    logical_tensor src_0;
    std::size_t src_0_at;
    logical_tensor src_1;
    std::size_t src_1_at;
    logical_tensor dst;
    std::size_t dst_at;
};

void execute_in(std::vector<float> &buffer, const shared_buffer_case &c) {
    logical_tensor cond = dense(cond_id, data_type::boolean, {});
    logical_tensors inputs = {cond, c.src_0, c.src_1};
    auto compiled = select_partition(inputs, c.dst).compile(inputs, {c.dst}, cpu());
    const std::uint8_t yes = 1;
    const void *in[] = {&yes, buffer.data() + c.src_0_at, buffer.data() + c.src_1_at};
    void *out = buffer.data() + c.dst_at;
    compiled.execute(stream(cpu()), in, &out);
}

void expect_overlap_refused(const shared_buffer_case &c, std::size_t size, const char *who) {
    std::vector<float> buffer(size);
    for (std::size_t i = 0; i < size; ++i)
        buffer[i] = static_cast<float>(i);
    const std::vector<float> before = buffer;
    error e = error_of([&] { execute_in(buffer, c); });
    EXPECT_EQ(e.status, status::invalid_arguments);
    EXPECT_NE(std::string(e.message).find("overlaps"), std::string::npos) << e.message;
    EXPECT_NE(std::string(e.message).find(who), std::string::npos) << e.message;
    EXPECT_EQ(buffer, before) << "a byte was written before the error";
}

TEST(select_inplace, B55_an_expanded_source_is_no_dst) {
    expect_overlap_refused(
            {f32(src_0_id, {2}), 0, f32(src_1_id, {2, 2}), 4, f32(dst_id, {2, 2}), 0}, 8,
            "src_0 of Select (op 7)");
}

TEST(select_inplace, B56_a_slice_of_dst_is_no_source) {
    for (std::int64_t rows : {2, 50})
        for (std::int64_t columns : {2, 101}) {
            logical_tensor slice(src_0_id, data_type::f32, {rows, 1}, {columns, 1});
            expect_overlap_refused(
                    {slice, 1, f32(src_1_id, {rows, columns}), 0, f32(dst_id, {rows, columns}), 0},
                    static_cast<std::size_t>(rows * columns), "src_0 of Select (op 7)");
        }
}

TEST(select_inplace, B58_shifted_by_one) {
    expect_overlap_refused({f32(src_0_id, {3}), 0, f32(src_1_id, {1}), 5, f32(dst_id, {3}), 1}, 6,
            "src_0 of Select (op 7)");
    expect_overlap_refused({f32(src_0_id, {1}), 5, f32(src_1_id, {3}), 1, f32(dst_id, {3}), 0}, 6,
            "src_1 of Select (op 7)");
}

TEST(select_inplace, same_start_but_other_strides) {
    logical_tensor columns(src_0_id, data_type::f32, {2, 2}, {1, 2});
    expect_overlap_refused({columns, 0, f32(src_1_id, {1}), 4, f32(dst_id, {2, 2}), 0}, 5,
            "src_0 of Select (op 7)");
}

TEST(select_inplace, B59_elements_of_dst_are_distinct) {
    logical_tensor cond = dense(cond_id, data_type::boolean, {10});
    logical_tensors inputs = {cond, f32(src_0_id, {10}), f32(src_1_id, {1})};
    partition part = select_partition(inputs, logical_tensor(dst_id, data_type::f32));
    logical_tensor repeated(dst_id, data_type::f32, {10}, {0});
    error e = error_of([&] { part.compile(inputs, {repeated}, cpu()); });
    EXPECT_EQ(e.status, status::invalid_arguments);
    // as a source it is legal
    logical_tensor source(src_0_id, data_type::f32, {10}, {0});
    auto compiled = part.compile({cond, source, f32(src_1_id, {1})},
            {logical_tensor(dst_id, data_type::f32, layout_type::any)}, cpu());
    EXPECT_EQ(compiled.query_logical_tensor(dst_id).get_dims(), dims{10});
}

TEST(select_inplace, interleaved_views_are_separate) {
    std::vector<float> buffer = {1, -1, 2, -1, 3, -1, 9};
    logical_tensor even(src_0_id, data_type::f32, {3}, {2});
    logical_tensor odd(dst_id, data_type::f32, {3}, {2});
    execute_in(buffer, {even, 0, f32(src_1_id, {1}), 6, odd, 1});
    EXPECT_EQ(buffer, (std::vector<float>{1, 1, 2, 2, 3, 3, 9}));
}

TEST(select_inplace, columns_of_one_matrix_are_separate) {
    std::vector<float> buffer = {1, 2, 0, 0, 3, 4, 0, 0, 9};
    logical_tensor left(src_0_id, data_type::f32, {2, 2}, {4, 1});
    logical_tensor right(dst_id, data_type::f32, {2, 2}, {4, 1});
    execute_in(buffer, {left, 0, f32(src_1_id, {1}), 8, right, 2});
    EXPECT_EQ(buffer, (std::vector<float>{1, 2, 1, 2, 3, 4, 3, 4, 9}));
}

/// Sources may share memory in any way, also with cond: nobody writes there.
TEST(select_inplace, inputs_may_overlap) {
    std::vector<float> buffer = {1, 2, 3, 4, 0, 0, 0};
    execute_in(buffer, {f32(src_0_id, {3}), 1, f32(src_1_id, {3}), 0, f32(dst_id, {3}), 4});
    EXPECT_EQ(buffer, (std::vector<float>{1, 2, 3, 4, 2, 3, 4}));
}

} // namespace
