// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <mutex>
#include <thread>

#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include "select_graph.hpp"

using namespace select_graph;

namespace {

/// Two sources and a condition of one shape, large enough to be split, with a pattern of bits.
struct full_operands {
    static constexpr std::int64_t rows = 301;
    static constexpr std::int64_t columns = 1003;

    std::vector<std::uint8_t> cond;
    std::vector<std::uint32_t> src_0;
    std::vector<std::uint32_t> src_1;
    std::vector<std::uint32_t> expected;

    full_operands() {
        for (std::uint32_t i = 0; i < rows * columns; ++i) {
            cond.push_back(static_cast<std::uint8_t>(i * 2654435761u >> 30));
            src_0.push_back(i * 2654435761u);
            src_1.push_back(~i);
            expected.push_back(cond.back() ? src_0.back() : src_1.back());
        }
    }

    static logical_tensors inputs() {
        return {dense(cond_id, data_type::boolean, {rows, columns}),
                dense(src_0_id, data_type::f32, {rows, columns}),
                dense(src_1_id, data_type::f32, {rows, columns})};
    }
    static logical_tensor dst() { return dense(dst_id, data_type::f32, {rows, columns}); }

    std::vector<std::uint32_t> execute(const compiled_partition &compiled) const {
        std::vector<std::uint32_t> result(expected.size());
        const void *in[] = {cond.data(), src_0.data(), src_1.data()};
        void *out = result.data();
        compiled.execute(stream(cpu()), in, &out);
        return result;
    }
};

/// Calls run(number of the thread) on eight threads at once; each has to say that all was right.
template <typename Run>
void expect_right_on_eight_threads(const std::string &what, const Run &run) {
    std::vector<char> right(8, 0);
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&, t] { right[static_cast<std::size_t>(t)] = run(t); });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQ(right, std::vector<char>(8, 1)) << what;
}

TEST(threads, same_bits_for_any_number) {
    // More threads than the machine has are made for the time of the test.
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 8);
    full_operands operands;
    logical_tensors inputs = full_operands::inputs();
    logical_tensor dst = full_operands::dst();
    for (const auto &compiled : compile_all(select_partition(inputs, dst), inputs, {dst}))
        for (int count = 1; count <= 8; ++count) {
            tbb::task_arena arena(count);
            std::vector<std::uint32_t> result;
            arena.execute([&] { result = operands.execute(compiled); });
            EXPECT_TRUE(same_bits(result, operands.expected))
                    << compiled.get_implementation() << " on " << count << " threads";
        }
}

TEST(threads, same_bits_for_any_number_when_expanded) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 8);
    full_operands operands;
    constexpr std::int64_t rows = full_operands::rows, columns = full_operands::columns;
    logical_tensors inputs = {dense(cond_id, data_type::boolean, {rows, 1}),
            dense(src_0_id, data_type::f32, {columns}), full_operands::inputs()[2]};
    logical_tensor dst = full_operands::dst();
    std::vector<std::uint32_t> expected;
    for (std::size_t i = 0; i < operands.src_1.size(); ++i)
        expected.push_back(
                operands.cond[i / columns] ? operands.src_0[i % columns] : operands.src_1[i]);
    for (const auto &compiled : compile_all(select_partition(inputs, dst), inputs, {dst}))
        for (int count = 1; count <= 8; ++count) {
            tbb::task_arena arena(count);
            std::vector<std::uint32_t> result;
            arena.execute([&] { result = operands.execute(compiled); });
            EXPECT_TRUE(same_bits(result, expected))
                    << compiled.get_implementation() << " on " << count << " threads";
        }
}

TEST(threads, B148_compiled_and_executed_with_different_numbers) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 8);
    full_operands operands;
    logical_tensors inputs = full_operands::inputs();
    partition part = select_partition(inputs, full_operands::dst());
    for (int compile_with : {1, 8}) {
        std::vector<compiled_partition> all;
        tbb::task_arena(compile_with).execute([&] {
            all = compile_all(part, inputs, {full_operands::dst()});
        });
        for (const auto &compiled : all) {
            std::vector<std::uint32_t> result;
            tbb::task_arena(9 - compile_with).execute([&] { result = operands.execute(compiled); });
            EXPECT_TRUE(same_bits(result, operands.expected)) << compiled.get_implementation();
        }
    }
}

TEST(threads, B145_many_execute_one_compiled_partition) {
    full_operands operands;
    logical_tensors inputs = full_operands::inputs();
    logical_tensor dst = full_operands::dst();
    for (const auto &compiled : compile_all(select_partition(inputs, dst), inputs, {dst}))
        expect_right_on_eight_threads(compiled.get_implementation(), [&](int) {
            bool all = true;
            for (int call = 0; call < 5; ++call)
                all = same_bits(operands.execute(compiled), operands.expected) && all;
            return all;
        });
}

TEST(threads, B145_many_execute_from_arenas_of_different_sizes) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 8);
    full_operands operands;
    logical_tensors inputs = full_operands::inputs();
    logical_tensor dst = full_operands::dst();
    for (const auto &compiled : compile_all(select_partition(inputs, dst), inputs, {dst}))
        expect_right_on_eight_threads(compiled.get_implementation(), [&](int thread) {
            tbb::task_arena arena(thread + 1);
            bool all = true;
            for (int call = 0; call < 5; ++call) {
                std::vector<std::uint32_t> result;
                arena.execute([&] { result = operands.execute(compiled); });
                all = same_bits(result, operands.expected) && all;
            }
            return all;
        });
}

TEST(threads, inside_a_parallel_loop_of_the_caller) {
    tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 8);
    full_operands operands;
    logical_tensors inputs = full_operands::inputs();
    logical_tensor dst = full_operands::dst();
    for (const auto &compiled : compile_all(select_partition(inputs, dst), inputs, {dst})) {
        constexpr int rounds = 24;
        int right = 0;
        std::mutex mutex; // which the thread sanitizer sees, unlike what TBB does
        tbb::task_arena(3).execute([&] {
            tbb::parallel_for(0, rounds, [&](int) {
                bool same = same_bits(operands.execute(compiled), operands.expected);
                std::lock_guard lock(mutex);
                right += same;
            });
        });
        std::lock_guard lock(mutex);
        EXPECT_EQ(right, rounds) << compiled.get_implementation();
    }
}

TEST(threads, B145_many_small_calls_by_tensors) {
    logical_tensors inputs = {dense(cond_id, data_type::boolean, {2}),
            dense(src_0_id, data_type::s32, {2}), dense(src_1_id, data_type::s32, {})};
    logical_tensor dst = dense(dst_id, data_type::s32, {2});
    auto compiled = select_partition(inputs, dst).compile(inputs, {dst}, cpu());
    constexpr int callers = 8;
    std::vector<int> wrong(callers, 0);
    std::vector<std::thread> threads;
    for (int t = 0; t < callers; ++t)
        threads.emplace_back([&, t] {
            std::uint8_t cond[] = {1, 0};
            std::int32_t src_0[] = {t, t}, src_1 = -t - 1, result[2];
            stream s(cpu());
            for (int call = 0; call < 200; ++call) {
                std::fill(result, result + 2, 0);
                compiled.execute(s,
                        {tensor(inputs[0], cpu(), cond), tensor(inputs[1], cpu(), src_0),
                                tensor(inputs[2], cpu(), &src_1)},
                        {tensor(dst, cpu(), result)});
                wrong[static_cast<std::size_t>(t)] += result[0] != t || result[1] != -t - 1;
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQ(wrong, std::vector<int>(callers, 0));
}

TEST(threads, many_compile_one_partition) {
    logical_tensors inputs = full_operands::inputs();
    partition part = select_partition(inputs, full_operands::dst());
    full_operands operands;
    expect_right_on_eight_threads("compiled on each", [&](int) {
        auto compiled = part.compile(inputs, {full_operands::dst()}, cpu());
        return same_bits(operands.execute(compiled), operands.expected);
    });
}

TEST(threads, B146_made_used_and_destroyed_on_different_threads) {
    logical_tensors inputs = {dense(cond_id, data_type::boolean, {2}),
            dense(src_0_id, data_type::s32, {2}), dense(src_1_id, data_type::s32, {2})};
    logical_tensor dst = dense(dst_id, data_type::s32, {2});
    for (int round = 0; round < 100; ++round) {
        std::unique_ptr<compiled_partition> compiled;
        std::thread([&] {
            partition part = select_partition(inputs, dst);
            compiled = std::make_unique<compiled_partition>(part.compile(inputs, {dst}, cpu()));
        }).join();
        std::int32_t result[2] = {};
        std::thread([&] {
            std::uint8_t cond[] = {0, 1};
            std::int32_t src_0[] = {1, 2}, src_1[] = {round, 4};
            const void *in[] = {cond, src_0, src_1};
            void *out = result;
            compiled->execute(stream(cpu()), in, &out);
        }).join();
        std::thread([&] { compiled.reset(); }).join();
        ASSERT_EQ(result[0], round);
        ASSERT_EQ(result[1], 2);
    }
}

} // namespace
