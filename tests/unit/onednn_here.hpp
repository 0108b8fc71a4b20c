// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_TESTS_UNIT_ONEDNN_HERE_HPP
#define TERN_TESTS_UNIT_ONEDNN_HERE_HPP

/// \file
/// What tests of oneDNN's primitives skip: builds without it, and what it has no code for.

#include <cstdlib>

#include <gtest/gtest.h>

#include "kernels/select/select.hpp"
#include "primitives/primitive.hpp"

namespace tern {

inline bool has_onednn() {
    return primitives::link_obstacle(op_kind::Abs, 0).empty();
}

/// Whether oneDNN may use AVX2: the CPU has it, and no variable keeps oneDNN from it.
inline bool has_onednn_with_avx2() {
    return kernels::select_target().starts_with("avx")
           && std::getenv("ONEDNN_MAX_CPU_ISA") == nullptr
           && std::getenv("DNNL_MAX_CPU_ISA") == nullptr;
}

} // namespace tern

#define SKIP_WITHOUT_ONEDNN()                                                                      \
    if (!has_onednn()) GTEST_SKIP() << "built without oneDNN"

/// Select, and post-ops of every broadcast: Tern takes generated code only.
#define SKIP_WITHOUT_ONEDNN_AND_AVX2()                                                             \
    SKIP_WITHOUT_ONEDNN();                                                                         \
    if (!has_onednn_with_avx2()) GTEST_SKIP() << "oneDNN generates this code for AVX2 and more"

#endif
