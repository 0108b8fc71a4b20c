// SPDX-License-Identifier: Apache-2.0
#include "base/topological.hpp"

#include <gtest/gtest.h>

namespace tern {
namespace {

using numbers = std::vector<int>;

TEST(topological, none_comes_before_what_it_needs) {
    EXPECT_EQ(topological_order({}), numbers{});
    EXPECT_EQ(topological_order({{}, {}, {}}), (numbers{0, 1, 2}));
    EXPECT_EQ(topological_order({{2}, {0}, {}}), (numbers{2, 0, 1}));
    // One that is needed twice.
    EXPECT_EQ(topological_order({{1, 1}, {}}), (numbers{1, 0}));
}

TEST(topological, ranks_decide_among_those_that_are_ready) {
    EXPECT_EQ(topological_order({{}, {}, {}}, numbers{5, 1, 3}), (numbers{1, 2, 0}));
    EXPECT_EQ(topological_order({{2}, {}, {}}, numbers{0, 1, 2}), (numbers{1, 2, 0}));
}

TEST(topological, a_cycle_is_left_out_and_found) {
    // 3 waits for the cycle of 1 and 2; 0 is free.
    const std::vector<numbers> needs = {{}, {2}, {1}, {2}};
    const numbers order = topological_order(needs);
    EXPECT_EQ(order, numbers{0});
    const int at = find_on_cycle(needs, order);
    EXPECT_TRUE(at == 1 || at == 2) << at;
    EXPECT_EQ(find_on_cycle({{0}}, {}), 0);
}

} // namespace
} // namespace tern
