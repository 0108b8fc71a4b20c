// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_TESTS_UNIT_ONEDNN_HERE_HPP
#define TERN_TESTS_UNIT_ONEDNN_HERE_HPP

/// \file
/// What tests of oneDNN's primitives skip: builds without it, and what it has no code for.

#include <cstdlib>
#include <string_view>

#include <gtest/gtest.h>

#include "kernels/select/select.hpp"
#include "primitives/primitive.hpp"

namespace tern {

inline bool has_onednn() {
    return primitives::link_obstacle(op_kind::Abs, 0).empty();
}

/// Whether oneDNN may use AVX2: the CPU has it, and the variable that limits oneDNN's instruction
/// sets does not stop short of it.
inline bool has_onednn_with_avx2() {
    const char *limit = std::getenv("ONEDNN_MAX_CPU_ISA");
    const std::string_view most = limit == nullptr ? "" : limit;
    return kernels::select_target().starts_with("avx") && most != "SSE41" && most != "AVX";
}

} // namespace tern

#define SKIP_WITHOUT_ONEDNN()                                                                      \
    if (!has_onednn()) GTEST_SKIP() << "built without oneDNN"

/// Select, and post-ops of every broadcast: Tern takes generated code only.
#define SKIP_WITHOUT_ONEDNN_AND_AVX2()                                                             \
    SKIP_WITHOUT_ONEDNN();                                                                         \
    if (!has_onednn_with_avx2())                                                                   \
    GTEST_SKIP() << "needs a oneDNN that may use AVX2; on this CPU, or by ONEDNN_MAX_CPU_ISA, it " \
                    "may not"

#endif
