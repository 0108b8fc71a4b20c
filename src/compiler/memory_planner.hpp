// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_COMPILER_MEMORY_PLANNER_HPP
#define TERN_COMPILER_MEMORY_PLANNER_HPP

#include <cstddef>
#include <vector>

namespace tern::compiler {

/// Something that needs memory from one step to another, both included.
struct arena_block {
    std::size_t bytes = 0;
    int first_step = 0;
    int last_step = 0;
};

struct arena_layout {
    std::vector<std::size_t> offsets; ///< By block; multiples of 64.
    std::size_t bytes = 0;            ///< Of the arena; a multiple of 64.
};

/// Gives each block a place where no other block lies at the same time: the largest come first,
/// each as low as there is room.
arena_layout lay_out(const std::vector<arena_block> &blocks);

} // namespace tern::compiler

#endif
