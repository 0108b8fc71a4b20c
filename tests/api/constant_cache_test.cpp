// SPDX-License-Identifier: Apache-2.0
//
// What executions keep of constants. That it is used shows when the memory of a constant is changed
// against the rules: the results stay what they were.
#include <atomic>
#include <memory>
#include <thread>

#include "allocation_count.hpp"
#include "select_graph.hpp"

using namespace select_graph;
using tern::graph::get_constant_tensor_cache_capacity;
using tern::graph::set_constant_tensor_cache_capacity;

namespace {

constexpr std::int64_t m = 8;
constexpr std::size_t most = static_cast<std::size_t>(INT64_MAX) >> 20; ///< MB

/// An empty cache of a given capacity while it lives.
class some_cache {
public:
    explicit some_cache(std::size_t megabytes) {
        set_constant_tensor_cache_capacity(engine::kind::cpu, megabytes);
    }
    ~some_cache() { set_constant_tensor_cache_capacity(engine::kind::cpu, 0); }
    some_cache(const some_cache &) = delete;
    some_cache &operator=(const some_cache &) = delete;
};

/// src [8, n] times the transposed weights [n, n]; src is ones, and so results are sums of rows.
struct product {
    std::int64_t n;
    compiled_partition compiled;
    std::vector<float> src;
    std::unique_ptr<std::vector<float>> weights; ///< Memory that stays where it is.

    explicit product(std::int64_t size = 64, float weight = 1,
            property_type property = property_type::constant, const engine &e = cpu())
        : n(size),
          src(static_cast<std::size_t>(m * n), 1.0f),
          weights(std::make_unique<std::vector<float>>(static_cast<std::size_t>(n * n), weight)) {
        logical_tensor src_lt = dense(0, data_type::f32, {m, n});
        logical_tensor weights_lt(1, data_type::f32, {n, n}, layout_type::strided, property);
        logical_tensor dst_lt = dense(2, data_type::f32, {m, n});
        op only(0, op::kind::MatMul, {src_lt, weights_lt}, {dst_lt});
        only.set_attr(op::attr::transpose_b, true);
        compiled = one_op_partition(only).compile({src_lt, weights_lt}, {dst_lt}, e);
    }

    void set_weights(float weight) { std::fill(weights->begin(), weights->end(), weight); }

    /// The value of all results; -1 when they are not all the same.
    float execute(const std::vector<float> &of) const {
        std::vector<float> result(static_cast<std::size_t>(m * n));
        const void *in[] = {src.data(), of.data()};
        void *out = result.data();
        compiled.execute(stream(cpu()), in, &out);
        for (float value : result)
            if (value != result[0]) return -1;
        return result[0];
    }
    float execute() const { return execute(*weights); }
};

TEST(constant_cache, capacity) {
    EXPECT_EQ(get_constant_tensor_cache_capacity(engine::kind::cpu), 0u);
    {
        some_cache cache(7);
        EXPECT_EQ(get_constant_tensor_cache_capacity(engine::kind::cpu), 7u);
        EXPECT_EQ(get_constant_tensor_cache_capacity(engine::kind::any), 7u);
        set_constant_tensor_cache_capacity(engine::kind::any, most);
        EXPECT_EQ(get_constant_tensor_cache_capacity(engine::kind::cpu), most);
        expect_errors({
                {status::invalid_arguments,
                        [] { set_constant_tensor_cache_capacity(engine::kind::gpu, 1); },
                        {"set_constant_tensor_cache_capacity", "gpu"}},
                {status::invalid_arguments,
                        [] { get_constant_tensor_cache_capacity(engine::kind::gpu); },
                        {"get_constant_tensor_cache_capacity", "gpu"}},
                {status::invalid_arguments,
                        [] {
                            set_constant_tensor_cache_capacity(
                                    engine::kind::cpu, static_cast<std::size_t>(-1));
                        },
                        {"set_constant_tensor_cache_capacity", "expected 0 to 8796093022207"}},
                {status::invalid_arguments,
                        [] { set_constant_tensor_cache_capacity(engine::kind::cpu, most + 1); },
                        {"set_constant_tensor_cache_capacity", "8796093022208"}},
        });
        EXPECT_EQ(get_constant_tensor_cache_capacity(engine::kind::cpu), most);
    }
    EXPECT_EQ(get_constant_tensor_cache_capacity(engine::kind::cpu), 0u);
}

#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#endif
TEST(constant_cache, the_older_functions) {
    some_cache cache(0);
    EXPECT_EQ(tern::graph::get_constant_tensor_cache(), 0);
    tern::graph::set_constant_tensor_cache(1);
    EXPECT_EQ(tern::graph::get_constant_tensor_cache(), 1);
    product p;
    EXPECT_EQ(p.execute(), 64);
    p.set_weights(2);
    EXPECT_EQ(p.execute(), 64);
    expect_errors({{status::invalid_arguments, [] { tern::graph::set_constant_tensor_cache(-1); },
            {"set_constant_tensor_cache", "-1", "expected 0 or 1"}}});
    EXPECT_EQ(tern::graph::get_constant_tensor_cache(), 1);
    tern::graph::set_constant_tensor_cache(0);
    EXPECT_EQ(tern::graph::get_constant_tensor_cache(), 0);
    EXPECT_EQ(p.execute(), 128);
}
#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

TEST(constant_cache, constants_are_read_once) {
    some_cache cache(10);
    product p;
    product variable(64, 1, property_type::variable);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(p.execute(), 64);
        EXPECT_EQ(variable.execute(), 64);
    }
    p.set_weights(2);
    variable.set_weights(2);
    EXPECT_EQ(p.execute(), 64);
    EXPECT_EQ(variable.execute(), 128);
}

TEST(constant_cache, off_they_are_read_each_time) {
    product p;
    EXPECT_EQ(p.execute(), 64);
    p.set_weights(2);
    EXPECT_EQ(p.execute(), 128);
}

TEST(constant_cache, other_memory_is_another_constant) {
    some_cache cache(10);
    product p;
    std::vector<float> others(p.weights->size(), 3.0f);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(p.execute(), 64);
        EXPECT_EQ(p.execute(others), 192);
    }
}

TEST(constant_cache, partitions_that_share_a_plan_share_no_constants) {
    some_cache cache(10);
    auto first = std::make_unique<product>();
    product second;
    EXPECT_EQ(first->execute(), 64);
    // The memory of the first one's weights is given other ones.
    std::vector<float> &memory = *first->weights;
    std::fill(memory.begin(), memory.end(), 2.0f);
    EXPECT_EQ(second.execute(memory), 128);
    EXPECT_EQ(first->execute(), 64);
    // What follows a partition that is gone starts anew.
    auto kept = std::move(first->weights);
    first.reset();
    first = std::make_unique<product>();
    EXPECT_EQ(first->execute(*kept), 128);
}

TEST(constant_cache, a_capacity_lets_everything_go) {
    some_cache cache(10);
    product p;
    EXPECT_EQ(p.execute(), 64);
    p.set_weights(2);
    set_constant_tensor_cache_capacity(engine::kind::cpu, 10);
    EXPECT_EQ(p.execute(), 128);
    p.set_weights(1);
    EXPECT_EQ(p.execute(), 128);
}

TEST(constant_cache, keeps_no_more_than_its_capacity) {
    some_cache cache(1);
    product one(400), other(400), large(600); // 0.6, 0.6 and 1.4 MB
    auto is_kept = [](product &p) {
        const float now = p.execute();
        p.set_weights(p.weights->front() + 1);
        return p.execute() == now;
    };
    EXPECT_TRUE(is_kept(one));
    EXPECT_TRUE(is_kept(other));
    EXPECT_EQ(one.execute(), 400 * 2) << "made room for the other one";
    EXPECT_FALSE(is_kept(large));
    EXPECT_TRUE(is_kept(one));
}

TEST(constant_cache, no_memory) {
    static std::atomic<bool> has_memory{false};
    auto allocate = [](std::size_t size, std::size_t) -> void * {
        // Scratch memory of an execution is had; what is kept is larger.
        return has_memory || size < 400000 ? std::malloc(size) : nullptr;
    };
    engine e = tern::graph::make_engine_with_allocator(
            engine::kind::cpu, 0, tern::graph::allocator(allocate, [](void *p) { std::free(p); }));
    some_cache cache(10);
    product p(350, 1, property_type::constant, e);
    std::vector<char> scratch(p.compiled.get_scratchpad_logical_tensor().get_mem_size());
    std::vector<float> result(static_cast<std::size_t>(m * p.n));
    const void *in[] = {p.src.data(), p.weights->data()};
    void *out = result.data();
    auto execute = [&] {
        p.compiled.execute(stream(cpu()), in, &out, scratch.data());
        return result[0];
    };
    EXPECT_EQ(execute(), 350);
    p.set_weights(2);
    EXPECT_EQ(execute(), 700);
    has_memory = true;
    EXPECT_EQ(execute(), 700);
    p.set_weights(3);
    EXPECT_EQ(execute(), 700);
}

TEST(constant_cache, an_entry_that_is_there_costs_no_allocation) {
    some_cache cache(10);
    product p;
    std::vector<char> scratch(p.compiled.get_scratchpad_logical_tensor().get_mem_size());
    std::vector<float> result(static_cast<std::size_t>(m * p.n));
    const void *in[] = {p.src.data(), p.weights->data()};
    void *out = result.data();
    stream s(cpu());
    p.compiled.execute(s, in, &out, scratch.data());
    const std::size_t before = allocation_count();
    p.compiled.execute(s, in, &out, scratch.data());
    EXPECT_EQ(allocation_count(), before);
    set_constant_tensor_cache_capacity(engine::kind::cpu, 0);
    const std::size_t before_without = allocation_count();
    p.compiled.execute(s, in, &out, scratch.data());
    EXPECT_EQ(allocation_count(), before_without);
}

TEST(constant_cache, many_threads) {
    some_cache cache(10);
    for (int round = 0; round < 10; ++round) {
        product p, other(128, 2);
        std::vector<float> more(p.weights->size(), 3.0f);
        std::atomic<int> wrong{0};
        std::atomic<int> waiting{8};
        std::vector<std::thread> threads;
        for (int t = 0; t < 8; ++t)
            threads.emplace_back([&, t] {
                for (--waiting; waiting > 0;)
                    std::this_thread::yield(); // all begin at once
                for (int i = 0; i < 20; ++i) {
                    if (p.execute() != 64) ++wrong;
                    if (other.execute() != 256) ++wrong;
                    if (p.execute(more) != 192) ++wrong;
                    if (i == 10 && t < 3)
                        set_constant_tensor_cache_capacity(
                                engine::kind::cpu, static_cast<std::size_t>(t));
                }
            });
        for (std::thread &thread : threads)
            thread.join();
        EXPECT_EQ(wrong, 0);
        set_constant_tensor_cache_capacity(engine::kind::cpu, 10);
    }
}

TEST(constant_cache, verbose_lines_say_what_runs_once) {
    std::string lines;
    tern::graph::set_verbose(2);
    tern::graph::set_verbose_callback(
            [](void *user, const char *line) {
                *static_cast<std::string *>(user) += std::string(line) + "\n";
            },
            &lines);
    product p;
    tern::graph::set_verbose_callback(nullptr, nullptr);
    tern::graph::set_verbose(0);
    EXPECT_NE(lines.find(",0,MatMul,pack,bytes:"), std::string::npos) << lines;
    EXPECT_NE(lines.find(",arena:0,scratch:0,constant\n"), std::string::npos) << lines;
    EXPECT_NE(lines.find(",1,MatMul,matmul:"), std::string::npos) << lines;
}

} // namespace
