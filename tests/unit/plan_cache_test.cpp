// SPDX-License-Identifier: Apache-2.0
#include "runtime/plan_cache.hpp"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace tern::runtime {
namespace {

const engine_state some_engine = {engine::kind::cpu, 0, default_allocate, default_deallocate};

std::shared_ptr<const plan> make_plan() {
    return std::make_shared<plan>(plan_parts(), some_engine);
}

TEST(plan_cache, gives_back_what_it_was_given) {
    plan_cache cache(2);
    auto first = make_plan();
    EXPECT_EQ(cache.find("first"), nullptr);
    EXPECT_EQ(cache.insert("first", first), first);
    EXPECT_EQ(cache.find("first"), first);
    EXPECT_EQ(cache.find("firs"), nullptr);
    EXPECT_EQ(cache.find(std::string_view("first\0", 6)), nullptr);
}

TEST(plan_cache, keeps_the_one_that_is_there) {
    plan_cache cache(2);
    auto first = make_plan();
    cache.insert("key", first);
    EXPECT_EQ(cache.insert("key", make_plan()), first);
}

TEST(plan_cache, drops_what_was_not_used_for_longest) {
    plan_cache cache(2);
    auto a = make_plan();
    cache.insert("a", a);
    cache.insert("b", make_plan());
    EXPECT_NE(cache.find("a"), nullptr);
    cache.insert("c", make_plan());
    EXPECT_EQ(cache.find("b"), nullptr);
    EXPECT_EQ(cache.find("a"), a);
    EXPECT_NE(cache.find("c"), nullptr);
}

TEST(plan_cache, capacity_is_kept_to) {
    plan_cache cache(3);
    std::weak_ptr<const plan> weak[4];
    for (int i = 0; i < 4; ++i)
        weak[i] = cache.insert(std::to_string(i), make_plan());
    EXPECT_TRUE(weak[0].expired());
    EXPECT_FALSE(weak[1].expired());
    cache.set_capacity(1);
    EXPECT_EQ(cache.capacity(), 1u);
    EXPECT_TRUE(weak[2].expired());
    EXPECT_NE(cache.find("3"), nullptr);
    cache.set_capacity(0);
    EXPECT_TRUE(weak[3].expired());
    auto kept_by_nobody = make_plan();
    EXPECT_EQ(cache.insert("5", kept_by_nobody), kept_by_nobody);
    EXPECT_EQ(cache.find("5"), nullptr);
    cache.set_capacity(1);
    cache.insert("6", make_plan());
    EXPECT_NE(cache.find("6"), nullptr);
}

TEST(plan_cache, many_threads) {
    plan_cache cache(5);
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t)
        threads.emplace_back([&cache, t] {
            for (int i = 0; i < 500; ++i) {
                std::string key = std::to_string((i * 7 + t) % 11);
                if (!cache.find(key)) cache.insert(key, make_plan());
                if (i % 100 == 50) cache.set_capacity(static_cast<std::size_t>(t));
            }
        });
    for (std::thread &thread : threads)
        thread.join();
    EXPECT_LT(cache.capacity(), 8u);
}

} // namespace
} // namespace tern::runtime
