// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include "each_target.hpp"
#include "kernels/copy_plane.hpp"
#include "kernels/lanes/run_lanes.hpp"
#include "lane_reference.hpp"

namespace tern::kernels {
namespace {

using tests::exact_memory;
using order_of_axes = std::array<int, 4>; ///< The outermost axis in memory first.

constexpr order_of_axes row_major = {0, 1, 2, 3};
constexpr order_of_axes channels_last = {0, 2, 3, 1};

/// Small whole numbers, which every type holds: results are exact.
class operand {
public:
    operand(data_type type, const dims &shape, const order_of_axes &order, unsigned broadcast = 0)
        : type_(type),
          strides_(4, 0) {
        std::int64_t next = 1;
        for (std::size_t i = 4; i-- > 0;) {
            const int axis = order[i];
            if ((broadcast >> axis & 1) != 0) continue;
            strides_[axis] = next;
            next *= shape[axis];
        }
        memory_ = exact_memory(static_cast<std::size_t>(next) * bytes_of(type), 0);
        for (std::int64_t i = 0; i < next; ++i)
            store_f64(type, static_cast<double>(i * 7 % 31 - 15), at(i));
    }
    double value(const dims &index) const { return load_f64(type_, at(offset(index))); }
    data_type type() const { return type_; }
    const dims &strides() const { return strides_; }
    std::uint8_t *data() { return memory_.data(); }
    bool operator==(const operand &other) const {
        return memory_.size() == other.memory_.size()
               && std::memcmp(memory_.data(), other.memory_.data(), memory_.size()) == 0;
    }

private:
    std::int64_t offset(const dims &index) const {
        std::int64_t sum = 0;
        for (int axis = 0; axis < 4; ++axis)
            sum += index[axis] * strides_[axis];
        return sum;
    }
    std::uint8_t *at(std::int64_t i) {
        return memory_.data() + static_cast<std::size_t>(i) * bytes_of(type_);
    }
    const std::uint8_t *at(std::int64_t i) const {
        return memory_.data() + static_cast<std::size_t>(i) * bytes_of(type_);
    }

    data_type type_;
    dims strides_;
    exact_memory memory_;
};

/// out = a - b
lane_loops make_difference(
        const dims &shape, const operand &a, const operand &b, const operand &out) {
    lane_program program;
    program.inputs = {{a.type(), lane_kind::f32}, {b.type(), lane_kind::f32}};
    program.instructions = {{lane_op::subtract, lane_kind::f32, 2, 0, 1}};
    program.outputs = {{2, out.type()}};
    const dims strides[] = {a.strides(), b.strides(), out.strides()};
    return make_lane_loops(make_lane_code(program), shape, strides);
}

void run(const lane_loops &loops, operand &a, operand &b, operand &out) {
    const void *in[] = {a.data(), b.data()};
    void *to[] = {out.data()};
    run_lanes(loops, in, to);
}

void expect_difference(const dims &shape, const operand &a, const operand &b, const operand &out) {
    dims index(4, 0);
    for (index[0] = 0; index[0] < shape[0]; ++index[0])
        for (index[1] = 0; index[1] < shape[1]; ++index[1])
            for (index[2] = 0; index[2] < shape[2]; ++index[2])
                for (index[3] = 0; index[3] < shape[3]; ++index[3])
                    ASSERT_EQ(out.value(index), a.value(index) - b.value(index))
                            << index[0] << ' ' << index[1] << ' ' << index[2] << ' ' << index[3];
}

template <typename Check>
void for_each_order(const Check &check) {
    order_of_axes order = row_major;
    do {
        SCOPED_TRACE(testing::PrintToString(order));
        check(order);
    } while (std::next_permutation(order.begin(), order.end()));
}

void check_case(const dims &shape, operand a, operand b, operand out) {
    for (const memory_level level :
            {memory_level::l2, memory_level::last_cache, memory_level::main}) {
        lane_loops loops = make_difference(shape, a, b, out);
        loops.level = level;
        run(loops, a, b, out);
        expect_difference(shape, a, b, out);
    }
}

TEST(lanes_permuted, any_order_of_axes_into_rows) {
    tests::for_each_target([] {
        for (const dims &shape : {dims{2, 3, 5, 7}, dims{2, 19, 9, 13}, dims{1, 70, 3, 67}})
            for (data_type type : {data_type::f32, data_type::bf16, data_type::f16, data_type::s8})
                for_each_order([&](const order_of_axes &order) {
                    check_case(shape, operand(type, shape, order),
                            operand(data_type::f32, shape, channels_last),
                            operand(type, shape, row_major));
                });
    });
}

TEST(lanes_permuted, any_order_of_axes_from_rows) {
    const dims shape = {2, 19, 9, 13};
    for (data_type type : {data_type::f32, data_type::bf16, data_type::u8})
        for_each_order([&](const order_of_axes &order) {
            check_case(shape, operand(type, shape, row_major),
                    operand(type, shape, row_major, 0b1101), // one value for each of axis 1
                    operand(data_type::f16, shape, order));
        });
}

TEST(lanes_permuted, axes_that_are_broadcast) {
    const dims shape = {3, 18, 5, 21};
    for (unsigned broadcast = 0; broadcast < 16; ++broadcast)
        for (const order_of_axes &order : {channels_last, order_of_axes{3, 2, 1, 0}})
            check_case(shape, operand(data_type::f32, shape, order, broadcast),
                    operand(data_type::bf16, shape, order, 15 - broadcast),
                    operand(data_type::f32, shape, row_major));
}

TEST(lanes_permuted, in_place) {
    const dims shape = {2, 40, 9, 13};
    for_each_order([&](const order_of_axes &order) {
        operand a(data_type::f32, shape, order);
        const operand before = a;
        operand b(data_type::f32, shape, channels_last);
        const lane_loops loops = make_difference(shape, a, b, a);
        run(loops, a, b, a);
        expect_difference(shape, before, b, a);
    });
}

TEST(lanes_permuted, two_outputs_of_one_register) {
    const dims shape = {2, 33, 9, 17};
    operand a(data_type::f32, shape, channels_last);
    operand rows(data_type::f32, shape, row_major);
    operand narrow(data_type::bf16, shape, row_major);
    operand turned(data_type::f32, shape, {3, 1, 0, 2});
    lane_program program;
    program.inputs = {{data_type::f32, lane_kind::f32}};
    program.instructions = {{lane_op::add, lane_kind::f32, 1, 0, 0}};
    program.outputs = {{1, data_type::f32}, {1, data_type::bf16}, {1, data_type::f32}};
    const dims strides[] = {a.strides(), rows.strides(), narrow.strides(), turned.strides()};
    const lane_loops loops = make_lane_loops(make_lane_code(program), shape, strides);
    const void *in[] = {a.data()};
    void *out[] = {rows.data(), narrow.data(), turned.data()};
    run_lanes(loops, in, out);
    dims index(4, 0);
    for (index[0] = 0; index[0] < shape[0]; ++index[0])
        for (index[1] = 0; index[1] < shape[1]; ++index[1])
            for (index[2] = 0; index[2] < shape[2]; ++index[2])
                for (index[3] = 0; index[3] < shape[3]; ++index[3])
                    for (const operand *o : {&rows, &narrow, &turned})
                        ASSERT_EQ(o->value(index), 2 * a.value(index));
}

TEST(lanes_permuted, threads_change_no_bit) {
    const dims shape = {5, 70, 30, 31};
    operand a(data_type::bf16, shape, channels_last);
    operand b(data_type::f32, shape, {2, 0, 3, 1});
    operand once(data_type::bf16, shape, row_major);
    const lane_loops loops = make_difference(shape, a, b, once);
    tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 8);
    tbb::task_arena(1).execute([&] { run(loops, a, b, once); });
    expect_difference(shape, a, b, once);
    for (int count : {2, 3, 4, 8}) {
        operand out(data_type::bf16, shape, row_major);
        tbb::task_arena(count).execute([&] { run(loops, a, b, out); });
        EXPECT_EQ(out, once) << count;
    }
}

TEST(copy_plane, all_steps_and_sizes) {
    for (std::int64_t bytes : {1, 2, 4, 8, 16})
        for (std::int64_t rows : {1, 3, 16, 37})
            for (std::int64_t columns : {1, 2, 19, 66})
                for (int way = 0; way < 5; ++way) {
                    // Rows, columns, one value for each row, for each column, with gaps.
                    const std::int64_t steps[5][2] = {{columns * bytes, bytes},
                            {bytes, rows * bytes}, {bytes, 0}, {0, bytes},
                            {columns * bytes * 3, bytes * 2}};
                    const auto [row_step, column_step] = steps[way];
                    const auto last = (rows - 1) * row_step + (columns - 1) * column_step;
                    exact_memory from(static_cast<std::size_t>(last + bytes), 0);
                    for (std::size_t i = 0; i < from.size(); ++i)
                        from.data()[i] = static_cast<std::uint8_t>(i * 37 + i / 251);
                    exact_memory to(static_cast<std::size_t>(rows * columns * bytes), 0);
                    copy_plane({from.data(), row_step, column_step},
                            {to.data(), columns * bytes, bytes}, rows, columns, bytes);
                    for (std::int64_t r = 0; r < rows; ++r)
                        for (std::int64_t c = 0; c < columns; ++c)
                            ASSERT_EQ(std::memcmp(to.data() + (r * columns + c) * bytes,
                                              from.data() + r * row_step + c * column_step,
                                              static_cast<std::size_t>(bytes)),
                                    0)
                                    << bytes << ' ' << rows << ' ' << columns << ' ' << way;
                }
}

} // namespace
} // namespace tern::kernels
