// SPDX-License-Identifier: Apache-2.0
#include "compiler/memory_planner.hpp"

#include <algorithm>
#include <numeric>

#include "base/arithmetic.hpp"
#include "base/mutation.hpp"

namespace tern::compiler {
namespace {

constexpr std::size_t alignment = 64;

} // namespace

arena_layout lay_out(const std::vector<arena_block> &blocks) {
    std::vector<std::size_t> order(blocks.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return blocks[a].bytes > blocks[b].bytes; });

    arena_layout layout;
    layout.offsets.resize(blocks.size(), 0);
    std::vector<std::size_t> placed; // by offset
    for (std::size_t index : order) {
        const arena_block &block = blocks[index];
        std::size_t at = 0;
        for (std::size_t other : placed) {
            const arena_block &there = blocks[other];
            bool together =
                    there.first_step <= block.last_step && block.first_step <= there.last_step;
            if (!together || is_mutated(mutation::arena_overlap)) continue;
            if (layout.offsets[other] >= at + round_up(block.bytes, alignment))
                break; // fits before it
            at = std::max(at, layout.offsets[other] + round_up(there.bytes, alignment));
        }
        layout.offsets[index] = at;
        layout.bytes = std::max(layout.bytes, at + round_up(block.bytes, alignment));
        auto after = std::find_if(placed.begin(), placed.end(),
                [&](std::size_t other) { return layout.offsets[other] > at; });
        placed.insert(after, index);
    }
    return layout;
}

} // namespace tern::compiler
