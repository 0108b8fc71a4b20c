// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "allocation_count.hpp"
#include "select_graph.hpp"

using namespace select_graph;
using tern::graph::graph;
using tern::graph::output_provider;
using tern::graph::set_verbose;
using tern::graph::set_verbose_callback;

namespace {

constexpr std::size_t x_id = 5;
constexpr std::size_t y_id = 6;
constexpr std::int64_t unknown = TERN_GRAPH_UNKNOWN_DIM;

/// As a graph compiler describes Y: all that is known is the type.
const logical_tensor y_port(y_id, data_type::s64, layout_type::any);

partition nonzero_partition(const logical_tensor &x) {
    return one_op_partition(op(7, op::kind::NonZero, {x}, {y_port}));
}

compiled_partition compile_nonzero(const logical_tensor &x, const std::string &name = "") {
    tern::graph::compile_options options;
    options.implementation = name;
    return nonzero_partition(x).compile({x}, {y_port}, cpu(), options);
}

logical_tensor y_of(const dims &shape) {
    return dense(y_id, data_type::s64, shape);
}

std::vector<std::int64_t> values_of(const tensor &t) {
    const auto *data = static_cast<const std::int64_t *>(t.get_data_handle());
    const std::size_t bytes = t.get_logical_tensor().get_mem_size();
    return bytes == 0 ? std::vector<std::int64_t>()
                      : std::vector<std::int64_t>(data, data + bytes / sizeof(std::int64_t));
}

/// Gives memory from a vector, and writes down what it was asked.
struct recording_provider {
    struct request {
        std::size_t output;
        dims shape;
        std::thread::id thread;
    };
    std::vector<request> requests;
    std::vector<std::int64_t> memory;
    bool refuses = false;

    output_provider provider() {
        return {this,
                [](void *user, std::size_t output, const std::int64_t *shape,
                        std::size_t rank) -> void * {
                    auto &self = *static_cast<recording_provider *>(user);
                    self.requests.push_back(
                            {output, dims(shape, shape + rank), std::this_thread::get_id()});
                    std::size_t n = 1;
                    for (std::size_t i = 0; i < rank; ++i)
                        n *= static_cast<std::size_t>(shape[i]);
                    self.memory.assign(n, -1);
                    return self.refuses ? nullptr : self.memory.data();
                }};
    }
};

template <typename Call>
error error_of(const Call &call) {
    try {
        call();
    } catch (const error &e) {
        return e;
    }
    ADD_FAILURE() << "expected an error";
    return error(status::success, "");
}

using s64s = std::vector<std::int64_t>;

class nonzero_test : public testing::Test {
protected:
    const logical_tensor x = dense(x_id, data_type::boolean, {2, 2});
    std::uint8_t memory[4] = {1, 0, 1, 1};
    tensor x_tensor{x, cpu(), memory};
    compiled_partition compiled = compile_nonzero(x);
    stream s{cpu()};
    const void *in[1] = {memory};
    void *no_memory[1] = {nullptr};
    const s64s expected = {0, 1, 1, 0, 0, 1};
};

TEST_F(nonzero_test, ports_leave_the_count_open) {
    const logical_tensor y = compiled.query_logical_tensor(y_id);
    EXPECT_EQ(y.get_dims(), dims({2, unknown}));
    EXPECT_EQ(y.get_data_type(), data_type::s64);
    EXPECT_EQ(y.get_mem_size(), static_cast<std::size_t>(-1));
    EXPECT_TRUE(compiled.get_inplace_ports().empty());
    EXPECT_EQ(nonzero_partition(x).get_output_ports()[0].get_dims(), dims({2, unknown}));
}

TEST_F(nonzero_test, by_pointers_with_a_provider) {
    recording_provider outputs;
    compiled.execute(s, in, no_memory, outputs.provider());
    ASSERT_EQ(outputs.requests.size(), 1u);
    EXPECT_EQ(outputs.requests[0].output, 0u);
    EXPECT_EQ(outputs.requests[0].shape, dims({2, 3}));
    EXPECT_EQ(outputs.requests[0].thread, std::this_thread::get_id());
    EXPECT_EQ(outputs.memory, expected);
    compiled.execute(s, in, nullptr, outputs.provider());
    EXPECT_EQ(outputs.requests.size(), 2u);
    EXPECT_EQ(outputs.memory, expected);
}

TEST_F(nonzero_test, by_tensors_with_a_provider) {
    recording_provider outputs;
    for (const tensor &y : {tensor(), tensor(y_of({2, unknown}), cpu(), nullptr),
                 tensor(y_of({2, 1}), cpu(), nullptr)}) {
        outputs.memory.clear();
        compiled.execute(s, {x_tensor}, {y}, outputs.provider());
        EXPECT_EQ(outputs.memory, expected);
    }
    EXPECT_EQ(outputs.requests.size(), 3u);
}

TEST_F(nonzero_test, by_every_implementation) {
    for (const char *name : {"nonzero", "reference"}) {
        recording_provider outputs;
        auto chosen = compile_nonzero(x, name);
        EXPECT_EQ(chosen.get_implementation().find(name), 0u) << chosen.get_implementation();
        chosen.execute(s, in, no_memory, outputs.provider());
        EXPECT_EQ(outputs.memory, expected);
        std::vector<char> scratch(chosen.get_scratchpad_logical_tensor().get_mem_size());
        EXPECT_FALSE(scratch.empty());
        chosen.execute(s, in, no_memory, outputs.provider(), scratch.data());
        EXPECT_EQ(outputs.memory, expected);
    }
}

TEST_F(nonzero_test, library_allocated) {
    for (const auto &lt : {y_of({2, unknown}), y_port}) {
        tensor y = tensor::make_library_allocated(lt, cpu());
        EXPECT_EQ(y.get_data_handle(), nullptr);
        compiled.execute(s, {x_tensor}, {y});
        EXPECT_EQ(y.get_logical_tensor().get_dims(), dims({2, 3}));
        EXPECT_EQ(y.get_logical_tensor().get_strides(), dims({3, 1}));
        EXPECT_EQ(values_of(y), expected);
        // Others later: fewer in the same memory, then more.
        void *before = y.get_data_handle();
        std::fill_n(memory, 4, std::uint8_t{0});
        memory[2] = 9;
        compiled.execute(s, {x_tensor}, {y});
        EXPECT_EQ(y.get_data_handle(), before);
        EXPECT_EQ(y.get_logical_tensor().get_dims(), dims({2, 1}));
        EXPECT_EQ(values_of(y), s64s({1, 0}));
        std::fill_n(memory, 4, std::uint8_t{1});
        compiled.execute(s, {x_tensor}, {y});
        EXPECT_EQ(y.get_logical_tensor().get_dims(), dims({2, 4}));
        EXPECT_EQ(values_of(y), s64s({0, 0, 1, 1, 0, 1, 0, 1}));
        memory[1] = 0;
    }
}

TEST_F(nonzero_test, library_allocated_goes_with_its_last_copy) {
    static std::atomic<int> held{0};
    const tern::allocator counting(
            [](std::size_t size, std::size_t alignment) -> void * {
                ++held;
                return std::aligned_alloc(
                        alignment, (size + alignment - 1) / alignment * alignment);
            },
            [](void *ptr) {
                if (ptr) --held;
                std::free(ptr);
            });
    engine own = tern::graph::make_engine_with_allocator(engine::kind::cpu, 0, counting);
    stream own_stream(own);
    tensor kept;
    {
        tensor y = tensor::make_library_allocated(y_port, own);
        nonzero_partition(x).compile({x}, {y_port}, own).execute(own_stream, {x_tensor}, {y});
        EXPECT_EQ(held, 1);
        kept = y;
    }
    EXPECT_EQ(values_of(kept), expected);
    std::int64_t mine[8];
    kept.set_data_handle(mine); // from now on memory of the caller's
    EXPECT_EQ(held, 0);
    EXPECT_EQ(kept.get_logical_tensor().get_dims(), dims({2, 3}));
    compiled.execute(s, {x_tensor}, {kept});
    EXPECT_EQ(s64s(mine, mine + 6), expected);
}

TEST_F(nonzero_test, memory_for_the_upper_bound) {
    std::vector<std::int64_t> room(8, -1);
    tensor y(y_of({2, 4}), cpu(), room.data());
    compiled.execute(s, {x_tensor}, {y});
    EXPECT_EQ(y.get_logical_tensor().get_dims(), dims({2, 3}));
    EXPECT_EQ(y.get_logical_tensor().get_strides(), dims({3, 1}));
    EXPECT_EQ(room, s64s({0, 1, 1, 0, 0, 1, -1, -1}));
    // All of the room is there for the next execution.
    memory[1] = 1;
    compiled.execute(s, {x_tensor}, {y});
    EXPECT_EQ(y.get_logical_tensor().get_dims(), dims({2, 4}));
    EXPECT_EQ(room, s64s({0, 0, 1, 1, 0, 1, 0, 1}));
    // Compiled with the bound.
    auto bounded = nonzero_partition(x).compile({x}, {y_of({2, 4})}, cpu());
    EXPECT_EQ(bounded.query_logical_tensor(y_id).get_dims(), dims({2, unknown}));
    memory[3] = 0;
    bounded.execute(s, {x_tensor}, {y});
    EXPECT_EQ(values_of(y), s64s({0, 0, 1, 0, 1, 0}));
}

TEST_F(nonzero_test, too_little_memory_is_an_error_before_anything_is_written) {
    std::vector<std::int64_t> room(8, -1);
    tensor y(y_of({2, 2}), cpu(), room.data());
    error e = error_of([&] { compiled.execute(s, {x_tensor}, {y}); });
    EXPECT_EQ(e.status, status::invalid_arguments);
    EXPECT_EQ(
            e.message, std::string("execute: Y of NonZero (op 7) (tensor 6) needs 2x3 (48 bytes), "
                                   "but is given memory for 2x2 (32 bytes)"));
    EXPECT_EQ(room, s64s(8, -1));
    EXPECT_EQ(y.get_logical_tensor().get_dims(), dims({2, 2}));
    // No memory at all for a bound of nothing: right when nothing is found.
    tensor nothing(y_of({2, 0}), cpu(), nullptr);
    e = error_of([&] { compiled.execute(s, {x_tensor}, {nothing}); });
    EXPECT_EQ(e.status, status::invalid_arguments);
    EXPECT_NE(std::string(e.message).find("needs 2x3 (48 bytes)"), std::string::npos) << e.message;
    std::fill_n(memory, 4, std::uint8_t{0});
    compiled.execute(s, {x_tensor}, {nothing});
    EXPECT_EQ(nothing.get_logical_tensor().get_dims(), dims({2, 0}));
}

TEST_F(nonzero_test, errors) {
    auto expect = [&](const char *words, auto call, status code = status::invalid_arguments) {
        error e = error_of(call);
        EXPECT_EQ(e.status, code) << e.message;
        EXPECT_NE(std::string(e.message).find("Y of NonZero (op 7) (tensor 6)"), std::string::npos)
                << e.message;
        EXPECT_NE(std::string(e.message).find(words), std::string::npos) << e.message;
    };
    std::vector<std::int64_t> room(8, -1);
    void *out[1] = {room.data()};
    recording_provider outputs;
    expect("no memory; expected memory, a library-allocated tensor, or an output provider",
            [&] { compiled.execute(s, in, no_memory); });
    expect("memory of unknown size; expected a tensor of known size",
            [&] { compiled.execute(s, in, out); });
    expect("memory of unknown size", [&] { compiled.execute(s, in, out, outputs.provider()); });
    expect("no memory", [&] { compiled.execute(s, in, no_memory, output_provider{}); });
    expect("no memory", [&] { compiled.execute(s, {x_tensor}, {tensor()}, output_provider{}); });
    expect("has no memory; 64 bytes expected", [&] {
        compiled.execute(s, {x_tensor}, {tensor(y_of({2, 4}), cpu(), nullptr)});
    });
    expect("expected a dense tensor of known size", [&] {
        compiled.execute(s, {x_tensor}, {tensor(y_of({2, unknown}), cpu(), room.data())});
    });
    expect("expected a dense tensor of known size", [&] {
        const logical_tensor gaps(y_id, data_type::s64, dims{2, 2}, dims{4, 1});
        compiled.execute(s, {x_tensor}, {tensor(gaps, cpu(), room.data())});
    });
    expect("is given as s32:strided:undef:2x4:4s1, compiled as s64:strided:undef:2x?:?s?", [&] {
        compiled.execute(
                s, {x_tensor}, {tensor(dense(y_id, data_type::s32, {2, 4}), cpu(), room.data())});
    });
    expect("is given as s64:strided:undef:3x4:4s1", [&] {
        compiled.execute(s, {x_tensor}, {tensor(y_of({3, 4}), cpu(), room.data())});
    });
    expect("is given as s64:strided:undef:8:1",
            [&] { compiled.execute(s, {x_tensor}, {tensor(y_of({8}), cpu(), room.data())}); });
    EXPECT_TRUE(outputs.requests.empty());
    outputs.refuses = true;
    expect(
            "no memory is provided",
            [&] { compiled.execute(s, in, no_memory, outputs.provider()); }, status::out_of_memory);
    EXPECT_EQ(room, s64s(8, -1));
    EXPECT_EQ(error_of([&] { tensor::make_library_allocated(y_port, engine()); }).status,
            status::invalid_arguments);
}

TEST_F(nonzero_test, memory_must_be_apart) {
    const logical_tensor numbers = dense(x_id, data_type::s64, {4});
    auto of_numbers = compile_nonzero(numbers);
    std::vector<std::int64_t> shared = {1, 0, 1, 1, 0, 0, 0, 0};
    const s64s before = shared;
    tensor x_in(numbers, cpu(), shared.data());
    for (std::int64_t *at : {shared.data(), shared.data() + 3}) {
        error e = error_of([&] {
            of_numbers.execute(s, {x_in}, {tensor(y_of({1, 4}), cpu(), at)});
        });
        EXPECT_EQ(e.status, status::invalid_arguments);
        EXPECT_NE(std::string(e.message).find("overlaps that of X of NonZero"), std::string::npos)
                << e.message;
        const output_provider same{at,
                [](void *user, std::size_t, const std::int64_t *, std::size_t) { return user; }};
        const void *numbers_in[1] = {shared.data()};
        e = error_of([&] { of_numbers.execute(s, numbers_in, nullptr, same); });
        EXPECT_EQ(e.status, status::invalid_arguments);
        EXPECT_EQ(shared, before);
    }
    of_numbers.execute(s, {x_in}, {tensor(y_of({1, 4}), cpu(), shared.data() + 4)});
    EXPECT_EQ(shared, s64s({1, 0, 1, 1, 0, 2, 3, 0}));
}

TEST_F(nonzero_test, B64_B71_nothing_to_write) {
    auto shape_of = [&](data_type type, const dims &shape, const void *data) {
        const logical_tensor lt = dense(x_id, type, shape);
        recording_provider outputs;
        const void *its_in[1] = {data};
        compile_nonzero(lt).execute(s, its_in, nullptr, outputs.provider());
        EXPECT_EQ(outputs.requests.size(), 1u);
        tensor y = tensor::make_library_allocated(y_port, cpu());
        compile_nonzero(lt, "reference")
                .execute(s, {tensor(lt, cpu(), const_cast<void *>(data))}, {y});
        EXPECT_EQ(y.get_logical_tensor().get_dims(), outputs.requests[0].shape);
        outputs.refuses = true; // null is fine for what is empty
        compile_nonzero(lt).execute(s, its_in, nullptr, outputs.provider());
        return outputs.requests[0].shape;
    };
    const std::int32_t zero = 0;
    const std::int32_t five = 5;
    EXPECT_EQ(shape_of(data_type::s32, {}, &zero), dims({0, 0}));
    EXPECT_EQ(shape_of(data_type::s32, {}, &five), dims({0, 1}));
    EXPECT_EQ(shape_of(data_type::f32, {0, 3}, nullptr), dims({2, 0}));
    EXPECT_EQ(shape_of(data_type::f32, {3, 0, 2}, nullptr), dims({3, 0}));
    EXPECT_EQ(shape_of(data_type::f32, {1}, &zero), dims({1, 0}));
}

TEST_F(nonzero_test, B77_strings) {
    const logical_tensor strings = dense(x_id, data_type::string, {2, 3});
    const tern::string_ref texts[6] = {
            {"", 0}, {" ", 1}, {"0", 1}, {"\t", 1}, {"\0", 1}, {"false", 5}};
    const void *strings_in[1] = {texts};
    for (const char *name : {"nonzero", "reference"}) {
        recording_provider outputs;
        compile_nonzero(strings, name).execute(s, strings_in, nullptr, outputs.provider());
        EXPECT_EQ(outputs.memory, s64s({0, 0, 1, 1, 1, 1, 2, 0, 1, 2}));
    }
}

TEST_F(nonzero_test, by_values) {
    using tern::graph::value;
    const value given = value::tensor(data_type::boolean, {2, 2}, memory);
    std::vector<value> results;
    compiled.execute(s, {given}, results);
    ASSERT_EQ(results.size(), 1u);
    EXPECT_EQ(results[0].shape(), dims({2, 3}));
    const auto *data = static_cast<const std::int64_t *>(results[0].data());
    EXPECT_EQ(s64s(data, data + 6), expected);
}

TEST_F(nonzero_test, B71_an_empty_result_is_a_good_input) {
    std::fill_n(memory, 4, std::uint8_t{0});
    tensor y = tensor::make_library_allocated(y_port, cpu());
    compiled.execute(s, {x_tensor}, {y});
    const logical_tensor found = y.get_logical_tensor();
    const logical_tensor turned = dense(9, data_type::s64, {0, 2});
    op transpose(8, op::kind::StaticTranspose, {found}, {turned});
    transpose.set_attr(op::attr::order, std::vector<std::int64_t>{1, 0});
    one_op_partition(transpose)
            .compile({found}, {turned}, cpu())
            .execute(s, {y}, {tensor(turned, cpu(), nullptr)});
}

TEST_F(nonzero_test, B81_stands_alone_and_runs_again_as_it_is) {
    graph g(engine::kind::cpu);
    const logical_tensor negated(4, data_type::boolean, {2, 2}, layout_type::strided);
    const logical_tensor turned(9, data_type::s64, layout_type::any);
    op transpose(8, op::kind::StaticTranspose, {y_port}, {turned});
    transpose.set_attr(op::attr::order, std::vector<std::int64_t>{1, 0});
    g.add_op(op(1, op::kind::Not, {negated}, {x}));
    g.add_op(op(7, op::kind::NonZero, {x}, {y_port}));
    g.add_op(transpose);
    g.finalize();
    const std::vector<partition> parts = g.get_partitions();
    ASSERT_EQ(parts.size(), 3u);
    EXPECT_EQ(parts[1].get_ops(), std::vector<std::size_t>{7});
    EXPECT_TRUE(parts[1].is_supported());
    EXPECT_EQ(parts[2].get_input_ports()[0].get_dims(), dims({2, unknown}));
    auto once = parts[1].compile({x}, {y_port}, cpu());
    for (std::size_t count : {2, 4}) {
        std::fill_n(memory, 4, std::uint8_t{0});
        std::fill_n(memory, count, std::uint8_t{1});
        tensor y = tensor::make_library_allocated(y_port, cpu());
        once.execute(s, {x_tensor}, {y});
        const logical_tensor found = y.get_logical_tensor();
        EXPECT_EQ(found.get_dims()[1], static_cast<std::int64_t>(count));
        // What comes after is compiled for the shape that was found.
        tensor result = tensor::make_library_allocated(turned, cpu());
        parts[2].compile({found}, {turned}, cpu()).execute(s, {y}, {result});
        const s64s values = values_of(result);
        EXPECT_EQ(result.get_logical_tensor().get_dims(),
                dims({static_cast<std::int64_t>(count), 2}));
        EXPECT_EQ(values[values.size() - 1], 1);
        EXPECT_EQ(values[values.size() - 2], count == 2 ? 0 : 1);
    }
    EXPECT_EQ(error_of([&] { parts[2].compile({y_port}, {turned}, cpu()); }).status,
            status::invalid_arguments);
}

TEST_F(nonzero_test, outputs_of_known_shape_can_be_provided_too) {
    const logical_tensors inputs = {dense(cond_id, data_type::boolean, {4}),
            dense(src_0_id, data_type::s64, {4}), dense(src_1_id, data_type::s64, {4})};
    const logical_tensor dst = dense(dst_id, data_type::s64, {4});
    auto select = select_partition(inputs, dst).compile(inputs, {dst}, cpu());
    const std::int64_t ones[4] = {1, 2, 3, 4};
    const std::int64_t others[4] = {-1, -2, -3, -4};
    const void *select_in[3] = {memory, ones, others};
    recording_provider outputs;
    select.execute(s, select_in, no_memory, outputs.provider());
    ASSERT_EQ(outputs.requests.size(), 1u);
    EXPECT_EQ(outputs.requests[0].shape, dims({4}));
    EXPECT_EQ(outputs.memory, s64s({1, -2, 3, 4}));
    std::vector<std::int64_t> given(4);
    void *out[1] = {given.data()};
    select.execute(s, select_in, out, outputs.provider()); // nothing is left to ask for
    EXPECT_EQ(outputs.requests.size(), 1u);
    EXPECT_EQ(given, outputs.memory);
    tensor filled = tensor::make_library_allocated(dst, cpu());
    std::vector<tensor> tensors;
    for (std::size_t i = 0; i < 3; ++i)
        tensors.emplace_back(inputs[i], cpu(), const_cast<void *>(select_in[i]));
    select.execute(s, tensors, {filled});
    EXPECT_EQ(values_of(filled), outputs.memory);
    EXPECT_EQ(error_of([&] { select.execute(s, tensors, {tensor()}); }).status,
            status::invalid_arguments);
}

TEST_F(nonzero_test, execution_allocates_nothing_but_memory_from_the_engine) {
    std::int64_t room[8];
    const output_provider fixed{
            room, [](void *user, std::size_t, const std::int64_t *, std::size_t) { return user; }};
    std::vector<char> scratch(compiled.get_scratchpad_logical_tensor().get_mem_size());
    std::vector<tensor> inputs = {x_tensor};
    std::vector<tensor> outputs = {tensor(y_of({2, 4}), cpu(), room)};
    std::vector<tensor> filled = {tensor::make_library_allocated(y_port, cpu())};
    const std::size_t before = allocation_count();
    compiled.execute(s, in, no_memory, fixed, scratch.data());
    compiled.execute(s, in, nullptr, fixed);
    compiled.execute(s, inputs, outputs);
    compiled.execute(s, inputs, filled);
    EXPECT_EQ(allocation_count(), before);
}

TEST_F(nonzero_test, B74_extra_memory_is_a_bit_for_each_element) {
    const logical_tensor large = dense(x_id, data_type::boolean, {1024, 2048});
    static std::atomic<std::size_t> most{0};
    static std::atomic<std::size_t> sum{0};
    const tern::allocator counting(
            [](std::size_t size, std::size_t alignment) -> void * {
                sum += size;
                most = std::max<std::size_t>(most, size);
                return std::aligned_alloc(
                        alignment, (size + alignment - 1) / alignment * alignment);
            },
            [](void *ptr) { std::free(ptr); });
    engine own = tern::graph::make_engine_with_allocator(engine::kind::cpu, 0, counting);
    stream own_stream(own);
    std::vector<std::uint8_t> bytes(1024 * 2048);
    bytes[5] = bytes[2048 * 3] = bytes[bytes.size() - 1] = 1;
    tensor y = tensor::make_library_allocated(y_port, own);
    const std::size_t before = allocation_count();
    nonzero_partition(large)
            .compile({large}, {y_port}, own)
            .execute(own_stream, {tensor(large, own, bytes.data())}, {y});
    EXPECT_LT(allocation_count() - before, 1000u); // compiling; nothing by element
    EXPECT_EQ(values_of(y), s64s({0, 3, 1023, 5, 0, 2047}));
    EXPECT_LT(sum, std::size_t{1} << 19);
}

TEST_F(nonzero_test, many_threads_at_once) {
    const logical_tensor large = dense(x_id, data_type::u8, {300, 257});
    auto shared = compile_nonzero(large);
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (unsigned t = 0; t < 8; ++t)
        threads.emplace_back([&, t] {
            std::vector<std::uint8_t> bytes(300 * 257);
            s64s wanted_rows;
            s64s wanted_columns;
            for (std::size_t i = 0; i < bytes.size(); ++i) {
                bytes[i] = (i * (t + 3) / 5) % 3 == 0 ? 0 : 7;
                if (bytes[i] == 0) continue;
                wanted_rows.push_back(static_cast<std::int64_t>(i / 257));
                wanted_columns.push_back(static_cast<std::int64_t>(i % 257));
            }
            wanted_rows.insert(wanted_rows.end(), wanted_columns.begin(), wanted_columns.end());
            stream queue(cpu());
            for (int round = 0; round < 20; ++round) {
                tensor y = tensor::make_library_allocated(y_port, cpu());
                shared.execute(queue, {tensor(large, cpu(), bytes.data())}, {y});
                if (values_of(y) != wanted_rows) ++wrong;
                recording_provider outputs;
                const void *pointers[1] = {bytes.data()};
                shared.execute(queue, pointers, nullptr, outputs.provider());
                if (outputs.memory != wanted_rows) ++wrong;
            }
        });
    for (std::thread &t : threads)
        t.join();
    EXPECT_EQ(wrong, 0);
}

TEST_F(nonzero_test, verbose_lines_tell_the_shape_that_was_found) {
    static std::string lines;
    lines.clear();
    recording_provider outputs;
    set_verbose_callback([](void *, const char *line) { lines += line; }, nullptr);
    set_verbose(1);
    compiled.execute(s, in, no_memory, outputs.provider());
    set_verbose(0);
    set_verbose_callback(nullptr, nullptr);
    EXPECT_NE(lines.find("out0_s64:6:strided:undef:2x3:3s1"), std::string::npos) << lines;
}

TEST_F(nonzero_test, what_a_provider_throws_comes_through) {
    const output_provider throwing{nullptr,
            [](void *, std::size_t, const std::int64_t *, std::size_t) -> void * { throw 5; }};
    EXPECT_THROW(compiled.execute(s, in, no_memory, throwing), int);
}

} // namespace
