// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_RUNTIME_KERNEL_HPP
#define TERN_RUNTIME_KERNEL_HPP

#include <cstddef>
#include <optional>

#include "ir/op_def.hpp"

#include "base/dims.hpp"

namespace tern::runtime {

/// A group of ops made ready for fixed shapes: what a step of a plan runs. Immutable; any number of
/// threads may run it at once, and it may outlive the graph it was made for.
class kernel {
public:
    virtual ~kernel() = default;
    /// First pass of a kernel whose output shapes depend on what its inputs hold: completes
    /// `shapes`, one for each output. `run` comes after it, once, and with the same scratch memory,
    /// where this may leave what it has found out. All other kernels do nothing.
    virtual void find_shapes(
            const void *const * /*in*/, dims * /*shapes*/, void * /*scratch*/) const noexcept {}
    /// Pointers by operand of the group. All are checked: not null unless empty, no forbidden
    /// overlap.
    virtual void run(const void *const *in, void *const *out, void *scratch) const noexcept = 0;
    /// What is wrong with the elements of an input, if anything is: asked before `run`, of steps
    /// that check them.
    virtual std::optional<ir::data_fault> check_data(const void *const * /*in*/) const {
        return std::nullopt;
    }
    /// May output `out` be the very same view as input `in`, of elements of its size?
    virtual bool works_in_place(std::size_t in, std::size_t out) const noexcept = 0;
};

} // namespace tern::runtime

#endif
