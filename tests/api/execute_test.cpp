// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <new>

#include "allocation_count.hpp"
#include "select_graph.hpp"

using namespace select_graph;

namespace {

const logical_tensors inputs = {dense(cond_id, data_type::boolean, {4}),
        dense(src_0_id, data_type::f32, {4}), dense(src_1_id, data_type::f32, {1})};
const logical_tensor dst = dense(dst_id, data_type::f32, {4});

class execute_test : public testing::Test {
protected:
    std::uint8_t cond[4] = {1, 0, 0, 1};
    float src_0[4] = {1, 2, 3, 4};
    float src_1[1] = {-1};
    float result[4] = {};
    const void *in[3] = {cond, src_0, src_1};
    void *out[1] = {result};
    stream s{cpu()};

    compiled_partition compile() {
        return select_partition(inputs, dst).compile(inputs, {dst}, cpu());
    }
    std::vector<tensor> input_tensors() {
        return {tensor(inputs[0], cpu(), cond), tensor(inputs[1], cpu(), src_0),
                tensor(inputs[2], cpu(), src_1)};
    }
    void expect_result() {
        EXPECT_EQ(std::vector<float>(result, result + 4), (std::vector<float>{1, -1, -1, 4}));
    }
};

TEST_F(execute_test, by_tensors) {
    compile().execute(s, input_tensors(), {tensor(dst, cpu(), result)});
    expect_result();
}

TEST_F(execute_test, by_pointers) {
    compile().execute(s, in, out);
    expect_result();
}

TEST_F(execute_test, with_a_scratchpad) {
    auto compiled = compile();
    tensor scratchpad(compiled.get_scratchpad_logical_tensor(), cpu());
    compiled.execute(s, input_tensors(), {tensor(dst, cpu(), result)}, scratchpad);
    expect_result();
    char larger[16];
    std::fill(result, result + 4, 0.0f);
    compiled.execute(s, in, out, larger);
    expect_result();
}

TEST_F(execute_test, the_ids_of_tensors_do_not_matter) {
    // Port order counts, as in oneDNN Graph.
    compile().execute(s,
            {tensor(dense(50, data_type::boolean, {4}), cpu(), cond),
                    tensor(dense(50, data_type::f32, {4}), cpu(), src_0),
                    tensor(dense(50, data_type::f32, {1}), cpu(), src_1)},
            {tensor(dense(50, data_type::f32, {4}), cpu(), result)});
    expect_result();
}

TEST_F(execute_test, pointers_need_no_alignment) {
    for (const auto &compiled : compile_all(select_partition(inputs, dst), inputs, {dst})) {
        alignas(64) unsigned char memory[64] = {};
        std::memcpy(memory + 1, src_0, sizeof src_0);
        in[1] = memory + 1;
        out[0] = memory + 19;
        compiled.execute(s, in, out);
        std::memcpy(result, memory + 19, sizeof result);
        expect_result();
    }
}

TEST_F(execute_test, nothing_is_allocated) {
    for (const auto &compiled : compile_all(select_partition(inputs, dst), inputs, {dst})) {
        if (compiled.get_implementation().substr(0, 6) == "onednn") continue; // makes its objects
        compiled.execute(s, in, out);
        const std::size_t before = allocation_count();
        compiled.execute(s, in, out);
        const std::size_t after = allocation_count();
        EXPECT_EQ(after, before) << compiled.get_implementation();
        expect_result();
    }
    // The counter does count.
    const std::size_t before = allocation_count();
    ::operator delete(::operator new(8));
    EXPECT_EQ(allocation_count(), before + 1);
}

TEST_F(execute_test, null_handles_of_empty_tensors) {
    logical_tensors empty = {dense(cond_id, data_type::boolean, {0}),
            dense(src_0_id, data_type::f32, {3, 0}), dense(src_1_id, data_type::f32, {1})};
    logical_tensor empty_dst = dense(dst_id, data_type::f32, {3, 0});
    auto compiled = select_partition(empty, empty_dst).compile(empty, {empty_dst}, cpu());
    compiled.execute(s,
            {tensor(empty[0], cpu(), TERN_MEMORY_NONE), tensor(empty[1], cpu(), nullptr),
                    tensor(empty[2], cpu(), src_1)},
            {tensor(empty_dst, cpu(), nullptr)});
    in[0] = in[1] = nullptr;
    out[0] = nullptr;
    compiled.execute(s, in, out);
    EXPECT_EQ(src_1[0], -1);
    // What is not empty is needed all the same.
    in[2] = nullptr;
    EXPECT_EQ(error_of([&] { compiled.execute(s, in, out); }).status, status::invalid_arguments);
}

TEST_F(execute_test, B127_constants_are_read_anew) {
    logical_tensor constant(
            src_1_id, data_type::f32, {2}, layout_type::strided, property_type::constant);
    logical_tensors of_two = {dense(cond_id, data_type::boolean, {1}),
            dense(src_0_id, data_type::f32, {2}), constant};
    auto compiled = select_partition(of_two, dense(dst_id, data_type::f32, {2}))
                            .compile(of_two, {dense(dst_id, data_type::f32, {2})}, cpu());
    const std::uint8_t no = 0;
    for (float value : {1.0f, 2.0f}) {
        const float buffer[] = {value, value};
        const void *with_buffer[] = {&no, src_0, buffer};
        compiled.execute(s, with_buffer, out);
        EXPECT_EQ(result[0], value);
        EXPECT_EQ(result[1], value);
    }
}

/// A fill of -inf as a host scalar, as one element, and of rank 0.
TEST_F(execute_test, B130_three_ways_to_give_a_scalar) {
    float fill = -INFINITY;
    const std::vector<float> expected = {1, fill, fill, 4};
    logical_tensor host(src_1_id, data_type::f32, 0, layout_type::any, property_type::host_scalar);
    for (const logical_tensor &lt :
            {host, dense(src_1_id, data_type::f32, {1}), dense(src_1_id, data_type::f32, {})}) {
        logical_tensors with_fill = {inputs[0], inputs[1], lt};
        for (const auto &compiled :
                compile_all(select_partition(with_fill, dst), with_fill, {dst})) {
            logical_tensor resolved = compiled.query_logical_tensor(src_1_id);
            tensor filling = lt.get_property_type() == property_type::host_scalar
                                     ? tensor::make_scalar_tensor(resolved, &fill)
                                     : tensor(resolved, cpu(), &fill);
            auto with = input_tensors();
            with[2] = filling;
            compiled.execute(s, with, {tensor(dst, cpu(), result)});
            EXPECT_EQ(std::vector<float>(result, result + 4), expected);
            in[2] = &fill; // the pointer form takes the value's address
            std::fill(result, result + 4, 0.0f);
            compiled.execute(s, in, out);
            EXPECT_EQ(std::vector<float>(result, result + 4), expected);
        }
    }
}

TEST_F(execute_test, B130_a_host_scalar_keeps_its_value) {
    logical_tensor lt(
            src_1_id, data_type::s64, 0, layout_type::strided, property_type::host_scalar);
    std::int64_t value = (std::int64_t{1} << 40) + 1;
    tensor scalar = tensor::make_scalar_tensor(lt, &value);
    value = 0; // was copied
    logical_tensors in_64 = {
            dense(cond_id, data_type::boolean, {}), dense(src_0_id, data_type::s64, {1}), lt};
    logical_tensor dst_64 = dense(dst_id, data_type::s64, {1});
    std::uint8_t no = 0;
    std::int64_t other = 5, found = 0;
    select_partition(in_64, dst_64)
            .compile(in_64, {dst_64}, cpu())
            .execute(s, {tensor(in_64[0], cpu(), &no), tensor(in_64[1], cpu(), &other), scalar},
                    {tensor(dst_64, cpu(), &found)});
    EXPECT_EQ(found, (std::int64_t{1} << 40) + 1);
}

} // namespace
