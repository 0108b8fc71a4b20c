// SPDX-License-Identifier: Apache-2.0
#include "runtime/constant_cache.hpp"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/environment.hpp"

namespace tern::runtime {
namespace {

std::atomic<int> blocks_alive{0};
std::atomic<bool> has_memory{true};

/// Not aligned to more than malloc aligns.
void *allocate(std::size_t size, std::size_t) {
    if (!has_memory) return nullptr;
    ++blocks_alive;
    return std::malloc(size);
}
void deallocate(void *memory) {
    --blocks_alive;
    std::free(memory);
}

const engine_state some_engine = {engine::kind::cpu, 0, allocate, deallocate};

constexpr std::size_t content = 1000;
constexpr std::size_t room = 1200; ///< Of a block with all it needs; two do not fit into 2000.

const int weights[8] = {};

/// Calls as a plan does: gives its content to a block that is new.
struct caller {
    constant_cache &cache;
    constant_entries entries{cache, some_engine, {1}, content};

    struct outcome {
        bool has_block;
        bool is_first;
    };
    outcome call(int constant) {
        const void *in[] = {nullptr, &weights[constant]};
        constant_use use = entries.find(in);
        if (!use.data()) return {false, false};
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(use.data()) % 64, 0U);
        const bool is_first = use.is_first();
        if (is_first) {
            std::memset(use.data(), constant + 1, content);
            use.publish();
        }
        for (std::size_t i = 0; i < content; ++i)
            if (use.data()[i] != static_cast<std::byte>(constant + 1)) {
                ADD_FAILURE() << "the content of another one";
                break;
            }
        return {true, is_first};
    }
    bool hits(int constant) {
        const outcome its = call(constant);
        return its.has_block && !its.is_first;
    }
    bool fills(int constant) { return call(constant).is_first; }
};

class constant_cache_test : public testing::Test {
protected:
    void TearDown() override {
        has_memory = true;
        EXPECT_EQ(blocks_alive, 0);
    }
};

TEST_F(constant_cache_test, first_fills_others_find) {
    constant_cache cache(10 * room);
    caller one{cache};
    EXPECT_TRUE(one.fills(0));
    EXPECT_TRUE(one.hits(0));
    EXPECT_TRUE(one.hits(0));
    EXPECT_EQ(blocks_alive, 1);
    EXPECT_GE(cache.used(), content);
    EXPECT_LE(cache.used(), room);
}

TEST_F(constant_cache_test, other_addresses_are_another_entry) {
    constant_cache cache(10 * room);
    caller one{cache};
    EXPECT_TRUE(one.fills(0));
    EXPECT_TRUE(one.fills(1));
    EXPECT_TRUE(one.hits(0));
    EXPECT_TRUE(one.hits(1));
}

TEST_F(constant_cache_test, owners_share_nothing) {
    constant_cache cache(10 * room);
    caller one{cache};
    {
        caller other{cache};
        EXPECT_TRUE(one.fills(0));
        EXPECT_TRUE(other.fills(0));
        EXPECT_EQ(blocks_alive, 2);
    }
    EXPECT_EQ(blocks_alive, 1);
    EXPECT_LE(cache.used(), room);
    EXPECT_TRUE(one.hits(0));
    caller third{cache};
    EXPECT_TRUE(third.fills(0));
}

TEST_F(constant_cache_test, what_was_not_used_for_longest_goes) {
    constant_cache cache(3 * room);
    caller one{cache};
    caller other{cache};
    EXPECT_TRUE(one.fills(0));
    EXPECT_TRUE(other.fills(0));
    EXPECT_TRUE(one.fills(1));
    EXPECT_TRUE(one.hits(0));
    EXPECT_TRUE(one.fills(2)); // of `other`, 0 goes
    EXPECT_EQ(blocks_alive, 3);
    EXPECT_TRUE(one.hits(0));
    EXPECT_TRUE(one.hits(1));
    EXPECT_TRUE(one.hits(2));
    EXPECT_TRUE(other.fills(0)); // of `one`, 0 goes
    EXPECT_TRUE(one.fills(0));   // of `one`, 1 goes
    EXPECT_TRUE(one.hits(2));
    EXPECT_LE(cache.used(), 3 * room);
}

TEST_F(constant_cache_test, too_large_or_off_is_done_without) {
    for (std::size_t capacity : {std::size_t{0}, content}) {
        constant_cache cache(capacity);
        caller one{cache};
        for (int i = 0; i < 2; ++i)
            EXPECT_FALSE(one.call(0).has_block);
        EXPECT_EQ(cache.used(), 0U);
    }
}

TEST_F(constant_cache_test, a_capacity_lets_everything_go) {
    constant_cache cache(2 * room);
    caller one{cache};
    EXPECT_TRUE(one.fills(0));
    cache.set_capacity(2 * room);
    EXPECT_EQ(blocks_alive, 0);
    EXPECT_EQ(cache.used(), 0U);
    EXPECT_TRUE(one.fills(0));
    cache.set_capacity(0);
    EXPECT_EQ(cache.capacity(), 0U);
    EXPECT_FALSE(one.call(0).has_block);
}

TEST_F(constant_cache_test, what_is_in_use_stays_until_it_is_not) {
    constant_cache cache(room);
    caller one{cache};
    EXPECT_TRUE(one.fills(0));
    const void *in[] = {nullptr, &weights[0]};
    {
        constant_use use = one.entries.find(in);
        ASSERT_NE(use.data(), nullptr);
        EXPECT_FALSE(one.call(1).has_block); // no room can be made
        EXPECT_TRUE(one.hits(0));
        cache.set_capacity(room);
        EXPECT_EQ(use.data()[content - 1], std::byte{1});
        EXPECT_EQ(blocks_alive, 1);
        EXPECT_FALSE(one.call(0).has_block); // gone, but its room is not free yet
    }
    EXPECT_EQ(blocks_alive, 0);
    EXPECT_EQ(cache.used(), 0U);
    EXPECT_TRUE(one.fills(0));
}

TEST_F(constant_cache_test, while_one_fills_others_do_without) {
    constant_cache cache(10 * room);
    caller one{cache};
    const void *in[] = {nullptr, &weights[0]};
    {
        constant_use use = one.entries.find(in);
        EXPECT_TRUE(use.is_first());
        EXPECT_FALSE(one.call(0).has_block);
        EXPECT_TRUE(one.fills(1));
        constant_use moved = std::move(use);
        EXPECT_TRUE(moved.is_first());
        // Given up without content: an execution that failed.
    }
    EXPECT_EQ(blocks_alive, 1);
    EXPECT_TRUE(one.fills(0));
    cache.set_capacity(10 * room);
    {
        constant_use use = one.entries.find(in);
        EXPECT_TRUE(use.is_first());
        cache.set_capacity(10 * room);
        use.publish(); // too late: another execution may not see it
    }
    EXPECT_EQ(blocks_alive, 0);
    EXPECT_TRUE(one.fills(0));
}

TEST_F(constant_cache_test, no_memory_leaves_no_entry) {
    constant_cache cache(10 * room);
    caller one{cache};
    has_memory = false;
    EXPECT_FALSE(one.call(0).has_block);
    EXPECT_EQ(cache.used(), 0U);
    has_memory = true;
    EXPECT_TRUE(one.fills(0));
    EXPECT_TRUE(one.hits(0));
}

TEST_F(constant_cache_test, many_threads) {
    constant_cache cache(3 * room);
    caller one{cache};
    caller other{cache};
    std::atomic<int> hits{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&, t] {
            for (int i = 0; i < 400; ++i) {
                caller &its = (i + t) % 3 == 0 ? other : one;
                if (its.hits((i * 5 + t) % (i < 200 ? 2 : 5))) ++hits;
                if (i % 97 == 96) cache.set_capacity(static_cast<std::size_t>(t % 4 + 1) * room);
                caller passing{cache};
                if (i % 10 == 0) passing.call(t);
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_GT(hits, 0);
    cache.set_capacity(0);
    EXPECT_EQ(cache.used(), 0U);
}

TEST(constant_cache_capacity, from_text) {
    EXPECT_EQ(parse_constant_cache_capacity("cpu:100"), 100U);
    EXPECT_EQ(parse_constant_cache_capacity("cpu:100;gpu:20"), 100U);
    EXPECT_EQ(parse_constant_cache_capacity("gpu:20;cpu:7"), 7U);
    EXPECT_EQ(parse_constant_cache_capacity("cpu:0"), 0U);
    EXPECT_EQ(parse_constant_cache_capacity("cpu:8796093022207"), 8796093022207U);
    for (const char *wrong : {"", "100", "cpu", "cpu:", "cpu:-1", "cpu:1 ", "cpu:x", "tpu:4",
                 "cpu:4;tpu:4", "cpu:4;gpu:x", "cpu:8796093022208", "cpu:99999999999999999999"})
        EXPECT_EQ(parse_constant_cache_capacity(wrong), 0U) << wrong;
}

} // namespace
} // namespace tern::runtime
