// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_TESTS_UNIT_EACH_TARGET_HPP
#define TERN_TESTS_UNIT_EACH_TARGET_HPP

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include "kernels/select/select.hpp"

namespace tern::tests {

/// Calls `check` once for every SIMD target that this CPU can run.
template <typename Check>
void for_each_target(const Check &check) {
    const std::int64_t supported = hwy::SupportedTargets();
    std::set<std::string_view> seen;
    for (int bit = 0; bit < 63; ++bit) {
        const std::int64_t target = std::int64_t{1} << bit;
        if ((supported & target) == 0) continue;
        hwy::SetSupportedTargetsForTest(target);
        hwy::GetChosenTarget().Update(target);
        if (!seen.insert(kernels::select_target()).second) continue;
        SCOPED_TRACE(std::string(kernels::select_target()));
        check();
    }
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().DeInit();
    EXPECT_FALSE(seen.empty());
}

} // namespace tern::tests

#endif
