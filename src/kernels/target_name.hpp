// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_TARGET_NAME_HPP
#define TERN_KERNELS_TARGET_NAME_HPP

#include <array>
#include <cstddef>

namespace tern::kernels {

/// "avx2" of the text "N_AVX2": how implementations' names call the SIMD target whose namespace
/// that is, HWY_STR(HWY_NAMESPACE).
constexpr std::array<char, 24> make_target_name(const char *target_namespace) {
    std::array<char, 24> name{};
    const char *from = target_namespace + 2;
    for (std::size_t i = 0; from[i] != 0; ++i)
        name[i] = static_cast<char>(
                from[i] >= 'A' && from[i] <= 'Z' ? from[i] + ('a' - 'A') : from[i]);
    return name;
}

} // namespace tern::kernels

#endif
