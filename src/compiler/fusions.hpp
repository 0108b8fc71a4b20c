// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_COMPILER_FUSIONS_HPP
#define TERN_COMPILER_FUSIONS_HPP

/// \file
/// Which ops of a region run as one step.

#include <string>
#include <vector>

#include "compiler/region.hpp"

namespace tern::compiler {

enum class group_kind {
    single, ///< One op, by an implementation of its own.
    lanes,  ///< Elementwise ops over one shape, as one lane program.
    matmul, ///< A MatMul and elementwise ops on its result, tile by tile.
};

/// Ops that become one step of the plan.
struct group {
    group_kind kind = group_kind::single;
    std::vector<int> ops; ///< Topologically sorted. Of matmul the MatMul is one of them.
    std::vector<int> in;  ///< Values it reads from memory, each once; of single: by port of the op.
    std::vector<int> out; ///< Values that others read or that are the partition's outputs.
    int matmul = -1;      ///< The MatMul.
};

/// An op that was not taken into a group, and why.
struct fusion_refusal {
    int op;
    std::string reason;
};

struct grouping {
    std::vector<group> groups; ///< Topologically sorted; views belong to none.
    std::vector<fusion_refusal> refusals;
};

/// The fusions in their order: MatMul with what follows it elementwise, then elementwise regions;
/// what none claims is a group of one. Without `fuse` everything is.
/// Each group is convex, and so are all of them together: no two wait for each other.
grouping find_groups(const region &r, bool fuse);

} // namespace tern::compiler

#endif
