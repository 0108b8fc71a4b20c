// SPDX-License-Identifier: Apache-2.0
//
// Compiled partitions that share a plan. Whether they do shows in the verbose lines of compile.
#include <atomic>
#include <thread>

#include "select_graph.hpp"

using namespace select_graph;
using tern::graph::get_compiled_partition_cache_capacity;
using tern::graph::set_compiled_partition_cache_capacity;

namespace {

/// An empty cache of a given capacity, and counts of hits and misses, while it lives.
class counted_cache {
public:
    explicit counted_cache(int capacity = 100) : before_(get_compiled_partition_cache_capacity()) {
        set_compiled_partition_cache_capacity(0);
        set_compiled_partition_cache_capacity(capacity);
        tern::graph::set_verbose(2);
        tern::graph::set_verbose_callback(&counted_cache::take, this);
    }
    ~counted_cache() {
        tern::graph::set_verbose_callback(nullptr, nullptr);
        tern::graph::set_verbose(0);
        set_compiled_partition_cache_capacity(before_);
    }
    counted_cache(const counted_cache &) = delete;
    counted_cache &operator=(const counted_cache &) = delete;

    int hits = 0;
    int misses = 0;

private:
    static void take(void *user, const char *line) {
        auto *self = static_cast<counted_cache *>(user);
        std::string text = line;
        self->hits += text.find("graph,compile:cache_hit,") != std::string::npos;
        self->misses += text.find("graph,compile:cache_miss,") != std::string::npos;
    }

    int before_;
};

/// A Select of which every part can be changed.
struct recipe {
    std::size_t op_id = 7;
    std::size_t first_id = 1; ///< cond, src_0, src_1, dst count on from it.
    op::kind kind = op::kind::Select;
    data_type type = data_type::f32;
    dims shape = {4, 6};
    dims src_0_strides = {6, 1};
    property_type property = property_type::variable;
    layout_type dst_layout = layout_type::strided;
    std::string auto_broadcast = "numpy";
    std::string implementation;
    bool same_sources = false;
    layout_type src_1_layout = layout_type::strided;
    /// What the graph knows of src_1, when that is not all.
    std::vector<std::int64_t> known_shape = {};
    tern::fpmath_mode fpmath = tern::fpmath_mode::strict;
    bool fpmath_on_integers = false;

    compiled_partition compile() const {
        logical_tensor cond = dense(first_id, data_type::boolean, shape);
        logical_tensor src_0(first_id + 1, type, shape, src_0_strides, property);
        logical_tensor src_1 =
                same_sources ? src_0 : logical_tensor(first_id + 2, type, shape, src_1_layout);
        logical_tensor known = src_1;
        if (!known_shape.empty()) known = dense(first_id + 2, type, known_shape);
        logical_tensor dst(first_id + 3, type, shape, dst_layout);
        op only(op_id, kind, {cond, src_0, known},
                {logical_tensor(first_id + 3, type, layout_type::any)});
        if (kind == op::kind::Select) only.set_attr(op::attr::auto_broadcast, auto_broadcast);
        tern::graph::compile_options options;
        options.implementation = implementation;
        tern::graph::graph g(engine::kind::cpu);
        g.set_fpmath_mode(fpmath, fpmath_on_integers);
        g.add_op(only);
        g.finalize();
        return g.get_partitions().at(0).compile({cond, src_0, src_1}, {dst}, cpu(), options);
    }
};

TEST(cache, capacity) {
    counted_cache cache(3);
    EXPECT_EQ(get_compiled_partition_cache_capacity(), 3);
    expect_errors({{status::invalid_arguments, [] { set_compiled_partition_cache_capacity(-1); },
            {"set_compiled_partition_cache_capacity", "-1", "0 or more"}}});
    EXPECT_EQ(get_compiled_partition_cache_capacity(), 3);
}

TEST(cache, alike_at_every_position_is_the_same) {
    counted_cache cache;
    recipe().compile();
    recipe().compile();
    EXPECT_EQ(cache.misses, 1);
    EXPECT_EQ(cache.hits, 1);
    recipe other;
    other.op_id = 8;
    other.first_id = 50;
    other.compile();
    EXPECT_EQ(cache.misses, 1);
    EXPECT_EQ(cache.hits, 2);
}

TEST(cache, every_difference_counts) {
    std::vector<recipe> others(16);
    others[0].kind = op::kind::Where;
    others[1].type = data_type::s32; // the same lanes, but another type to report
    others[2].shape = {6, 4};
    others[2].src_0_strides = {4, 1};
    others[3].src_0_strides = {1, 4};
    others[4].property = property_type::constant; // in place is not offered
    others[5].dst_layout = layout_type::any;
    others[6].auto_broadcast = "none";
    others[7].implementation = "loops";
    others[8].implementation = "reference";
    others[9].same_sources = true; // one port less
    others[10].shape = {24};
    others[10].src_0_strides = {1};
    others[11].shape = {4, 6, 1};
    others[11].src_0_strides = {6, 1, 1};
    others[12].src_1_layout = layout_type::any; // becomes the same strides
    others[13].known_shape = {TERN_GRAPH_UNKNOWN_DIM, 6};
    others[14].fpmath = tern::fpmath_mode::bf16;
    others[15].fpmath = tern::fpmath_mode::bf16;
    others[15].fpmath_on_integers = true;
    counted_cache cache;
    recipe().compile();
    for (const recipe &other : others)
        other.compile();
    EXPECT_EQ(cache.hits, 0);
    EXPECT_EQ(cache.misses, static_cast<int>(others.size()) + 1);
    for (const recipe &other : others)
        other.compile();
    EXPECT_EQ(cache.hits, static_cast<int>(others.size()));
}

// A plan that is there does not excuse from what the graph demands.
TEST(cache, the_graph_is_asked_on_a_hit_too) {
    counted_cache cache;
    recipe().compile();
    recipe wrong;
    wrong.known_shape = {1, 6};
    EXPECT_EQ(error_of([&] { wrong.compile(); }).status, status::invalid_shape);
    EXPECT_EQ(cache.hits, 0);
}

TEST(cache, engines_are_apart) {
    counted_cache cache;
    auto allocate = [](std::size_t, std::size_t) -> void * { return nullptr; };
    engine other = tern::graph::make_engine_with_allocator(
            engine::kind::cpu, 0, tern::graph::allocator(allocate, [](void *) {}));
    logical_tensors inputs = {dense(cond_id, data_type::boolean, {2}),
            dense(src_0_id, data_type::f32, {2}), dense(src_1_id, data_type::f32, {2})};
    partition part = select_partition(inputs, dense(dst_id, data_type::f32, {2}));
    part.compile(inputs, {dense(dst_id, data_type::f32, {2})}, cpu());
    part.compile(inputs, {dense(dst_id, data_type::f32, {2})}, other);
    EXPECT_EQ(cache.misses, 2);
}

TEST(cache, ids_are_those_of_the_partition) {
    counted_cache cache;
    auto first = recipe().compile();
    recipe second_recipe;
    second_recipe.op_id = 8;
    second_recipe.first_id = 50;
    auto second = second_recipe.compile();
    ASSERT_EQ(cache.hits, 1);
    using pairs = std::vector<std::pair<std::size_t, std::size_t>>;
    EXPECT_EQ(first.get_inplace_ports(), (pairs{{2, 4}}));
    EXPECT_EQ(second.get_inplace_ports(), (pairs{{51, 53}}));
    EXPECT_EQ(second.query_logical_tensor(53).get_id(), 53u);
    EXPECT_EQ(second.query_logical_tensor(51).get_dims(), (dims{4, 6}));
    expect_errors({
            {status::invalid_arguments, [&] { second.query_logical_tensor(4); }, {"tensor 4"}},
            {status::invalid_arguments,
                    [&] {
                        const void *in[3] = {};
                        void *out[1] = {};
                        second.execute(stream(cpu()), in, out);
                    },
                    {"cond of Select (op 8) (tensor 50)", "no memory"}},
    });
}

TEST(cache, keeps_no_more_than_its_capacity) {
    counted_cache cache(2);
    auto compile = [](std::int64_t n) {
        recipe r;
        r.shape = {n};
        r.src_0_strides = {1};
        return r.compile();
    };
    auto one = compile(1);
    compile(2);
    compile(3); // 1 goes
    compile(1); // 2 goes
    EXPECT_EQ(cache.hits, 0);
    compile(3);
    EXPECT_EQ(cache.hits, 1);
    set_compiled_partition_cache_capacity(0);
    compile(3);
    compile(3);
    EXPECT_EQ(cache.hits, 1);
    // What was compiled stays good.
    std::uint8_t cond = 1;
    float src_0 = 2, src_1 = 3, result = 0;
    const void *in[] = {&cond, &src_0, &src_1};
    void *out = &result;
    one.execute(stream(cpu()), in, &out);
    EXPECT_EQ(result, 2);
}

TEST(cache, an_error_is_not_kept) {
    counted_cache cache;
    recipe wrong;
    wrong.implementation = "fastest";
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(error_of([&] { wrong.compile(); }).status, status::unimplemented);
    EXPECT_EQ(cache.hits + cache.misses, 0);
}

TEST(cache, many_threads) {
    counted_cache cache(4);
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 50; ++i) {
                recipe r;
                r.first_id = static_cast<std::size_t>(100 * t + 1);
                r.shape = {1 + (i + t) % 6};
                r.src_0_strides = {1};
                auto compiled = r.compile();
                if (compiled.query_logical_tensor(r.first_id + 3).get_dims() != r.shape) ++wrong;
                if (i == 25) set_compiled_partition_cache_capacity(t);
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(cache.hits + cache.misses, 8 * 50);
}

} // namespace
