// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_TESTS_API_ALLOCATION_COUNT_HPP
#define TERN_TESTS_API_ALLOCATION_COUNT_HPP

#include <cstddef>

/// Calls of operator new so far, in the whole process: the test program's replacement of it counts
/// those of the library, too.
std::size_t allocation_count() noexcept;

#endif
