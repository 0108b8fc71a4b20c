// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_TESTS_UNIT_MODES_HPP
#define TERN_TESTS_UNIT_MODES_HPP

#ifdef __SSE2__
#include <xmmintrin.h>
#endif

namespace tern {

/// While it lives, this thread takes denormals for zero and gives none (FTZ, DAZ), where the CPU
/// can.
class flush_denormals {
public:
#ifdef __SSE2__
    flush_denormals() : before_(_mm_getcsr()) {
        _mm_setcsr(before_ | 0x8040U);
    }
    ~flush_denormals() {
        _mm_setcsr(before_);
    }
#else
    flush_denormals() {}
    ~flush_denormals() {}
#endif
    flush_denormals(const flush_denormals &) = delete;
    flush_denormals &operator=(const flush_denormals &) = delete;

private:
    unsigned before_ = 0;
};

} // namespace tern

#endif
