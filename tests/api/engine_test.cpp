// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>
#include <type_traits>

#include "select_graph.hpp"

using namespace select_graph;

namespace {

/// Counts what it gives and takes; refuses when told to.
struct counting_memory {
    static int given;
    static int taken;
    static std::size_t last_size;
    static std::size_t last_alignment;
    static bool refuses;

    static void *allocate(std::size_t size, std::size_t alignment) {
        if (refuses) return nullptr;
        ++given;
        last_size = size;
        last_alignment = alignment;
        return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    }
    static void deallocate(void *ptr) {
        ++taken;
        std::free(ptr);
    }
    static engine make_engine() {
        given = taken = 0;
        refuses = false;
        return tern::graph::make_engine_with_allocator(
                engine::kind::cpu, 0, tern::graph::allocator(allocate, deallocate));
    }
};
int counting_memory::given;
int counting_memory::taken;
std::size_t counting_memory::last_size;
std::size_t counting_memory::last_alignment;
bool counting_memory::refuses;

bool is_aligned(const void *ptr) {
    return reinterpret_cast<std::uintptr_t>(ptr) % 64 == 0;
}

TEST(engine, handles) {
    engine empty;
    EXPECT_FALSE(empty);
    engine e(engine::kind::cpu, 0);
    EXPECT_TRUE(e);
    EXPECT_EQ(e.get_kind(), engine::kind::cpu);
    EXPECT_EQ(engine(engine::kind::any, 0).get_kind(), engine::kind::cpu);
    EXPECT_EQ(engine::get_count(engine::kind::cpu), 1u);
    EXPECT_EQ(engine::get_count(engine::kind::any), 1u);
    EXPECT_EQ(engine::get_count(engine::kind::gpu), 0u);
    static_assert(std::is_nothrow_copy_constructible<engine>::value, "a small handle");
}

TEST(engine, the_same_arguments_give_the_same_engine) {
    EXPECT_TRUE(cpu() == cpu());
    EXPECT_FALSE(cpu() != cpu());
    EXPECT_TRUE(cpu()
                == tern::graph::make_engine_with_allocator(
                        engine::kind::cpu, 0, tern::graph::allocator()));
    engine counting = counting_memory::make_engine();
    EXPECT_TRUE(counting != cpu());
    EXPECT_TRUE(counting == counting_memory::make_engine());
    EXPECT_TRUE(cpu() != engine());
}

TEST(engine, half_a_pair_of_functions_is_none) {
    using tern::graph::allocator;
    auto with = [](allocator alloc) { return engine(engine::kind::cpu, 0, alloc); };
    EXPECT_TRUE(with(allocator(counting_memory::allocate, nullptr)) == cpu());
    EXPECT_TRUE(with(allocator(nullptr, counting_memory::deallocate)) == cpu());
    EXPECT_TRUE(with(allocator(nullptr, nullptr)) == cpu());
}

TEST(stream, belongs_to_its_engine) {
    stream empty;
    EXPECT_FALSE(empty);
    stream s(cpu());
    EXPECT_TRUE(s);
    EXPECT_TRUE(s.get_engine() == cpu());
    EXPECT_EQ(&s.wait(), &s);
    EXPECT_TRUE(stream(cpu(), stream::flags::out_of_order));
}

TEST(tensor, borrows_memory) {
    float values[6] = {};
    logical_tensor lt = dense(3, data_type::f32, {2, 3});
    tensor t(lt, cpu(), values);
    EXPECT_TRUE(t);
    EXPECT_EQ(t.get_data_handle(), values);
    EXPECT_TRUE(t.get_engine() == cpu());
    EXPECT_TRUE(t.get_logical_tensor().is_equal(lt));

    tensor copy = t; // copies share the handle
    float others[6] = {};
    copy.set_data_handle(others);
    EXPECT_EQ(t.get_data_handle(), others);
    EXPECT_EQ(tensor(lt, cpu(), TERN_MEMORY_NONE).get_data_handle(), nullptr);
    EXPECT_FALSE(tensor());
    EXPECT_EQ(tensor().get_data_handle(), nullptr);
}

TEST(tensor, keeps_every_kind_of_logical_tensor) {
    for (const logical_tensor &lt :
            {logical_tensor(1, data_type::f32), logical_tensor(1, data_type::f32, layout_type::any),
                    logical_tensor(1, data_type::f32, 3, layout_type::strided),
                    logical_tensor(1, data_type::u4, {2, 3}, layout_type::undef),
                    logical_tensor(1, data_type::f32, {2, 3}, {1, 2}, property_type::constant),
                    logical_tensor(1, data_type::f32, dims{2}, std::size_t{4})})
        EXPECT_TRUE(tensor(lt, cpu(), nullptr).get_logical_tensor().is_equal(lt));
}

TEST(tensor, memory_of_the_library) {
    logical_tensor lt = dense(3, data_type::f32, {5});
    tensor t(lt, cpu());
    ASSERT_NE(t.get_data_handle(), nullptr);
    EXPECT_TRUE(is_aligned(t.get_data_handle()));
    std::memset(t.get_data_handle(), 0, 20);
    EXPECT_TRUE(is_aligned(tensor(lt, cpu(), TERN_MEMORY_ALLOCATE).get_data_handle()));
    // nothing is allocated for nothing
    EXPECT_EQ(tensor(dense(3, data_type::f32, {0}), cpu()).get_data_handle(), nullptr);
}

TEST(tensor, memory_of_the_engines_allocator) {
    engine e = counting_memory::make_engine();
    logical_tensor lt(3, data_type::f32, {2, 3}, {10, 2});
    {
        tensor t(lt, e, TERN_MEMORY_ALLOCATE);
        EXPECT_EQ(counting_memory::given, 1);
        EXPECT_EQ(counting_memory::last_size, lt.get_mem_size());
        EXPECT_EQ(counting_memory::last_alignment, 64u);
        tensor copy = t;
        t = tensor();
        EXPECT_EQ(counting_memory::taken, 0); // the copy still has it
        EXPECT_NE(copy.get_data_handle(), nullptr);
    }
    EXPECT_EQ(counting_memory::taken, 1);
    {
        tensor t(lt, e);
        float own[15] = {};
        t.set_data_handle(own);
        EXPECT_EQ(counting_memory::taken, 2); // no longer needed
        EXPECT_EQ(t.get_data_handle(), own);
    }
    EXPECT_EQ(counting_memory::given, 2);
    EXPECT_EQ(counting_memory::taken, 2);
}

TEST(tensor, no_memory) {
    engine e = counting_memory::make_engine();
    counting_memory::refuses = true;
    error found = error_of([&] { tensor(dense(3, data_type::f32, {5}), e); });
    EXPECT_EQ(found.status, status::out_of_memory);
    EXPECT_STREQ(found.message, "tensor 3: 20 bytes cannot be had");
    counting_memory::refuses = false;
    EXPECT_EQ(counting_memory::taken, 0);
}

TEST(tensor, host_scalars_copy_their_value) {
    logical_tensor lt(9, data_type::s64, 0, layout_type::strided, property_type::host_scalar);
    std::int64_t value = 7;
    tensor t = tensor::make_scalar_tensor(lt, &value);
    EXPECT_TRUE(t);
    EXPECT_EQ(t.get_data_handle(), nullptr);
    EXPECT_FALSE(t.get_engine());
    EXPECT_TRUE(t.get_logical_tensor().is_equal(lt));
}

/// Whole graphs, from an engine with an allocator of its own, leave nothing behind.
TEST(engine, execution_with_a_custom_allocator) {
    engine e = counting_memory::make_engine();
    logical_tensors in = {dense(cond_id, data_type::boolean, {2}),
            dense(src_0_id, data_type::s32, {2}), dense(src_1_id, data_type::s32, {2})};
    logical_tensor dst = dense(dst_id, data_type::s32, {2});
    auto compiled = select_partition(in, dst).compile(in, {dst}, e);
    {
        std::vector<tensor> inputs;
        for (const logical_tensor &lt : in) {
            inputs.emplace_back(lt, e);
            std::memset(inputs.back().get_data_handle(), 1, lt.get_mem_size());
        }
        tensor output(dst, e);
        stream s(e);
        compiled.execute(s, inputs, {output});
        EXPECT_EQ(static_cast<std::int32_t *>(output.get_data_handle())[1], 0x01010101);
        EXPECT_GE(counting_memory::given, 4);
    }
    EXPECT_EQ(counting_memory::given, counting_memory::taken);
}

TEST(error, copies_share_the_message) {
    error copy(status::success, "");
    {
        error original(status::invalid_shape, "what is wrong");
        copy = original;
    }
    EXPECT_EQ(copy.status, status::invalid_shape);
    EXPECT_STREQ(copy.message, "what is wrong");
    EXPECT_STREQ(copy.what(), "what is wrong");
    static_assert(std::is_nothrow_copy_constructible<error>::value, "thrown by value");
    static_assert(std::is_base_of<std::exception, error>::value, "caught as std::exception");
}

TEST(version, of_library_and_headers_agree) {
    EXPECT_STREQ(tern::version(), TERN_VERSION_STRING);
    std::string expected = std::to_string(TERN_VERSION_MAJOR) + "."
                           + std::to_string(TERN_VERSION_MINOR) + "."
                           + std::to_string(TERN_VERSION_PATCH);
    EXPECT_EQ(tern::version(), expected);
}

} // namespace
