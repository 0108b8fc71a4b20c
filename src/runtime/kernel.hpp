// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_RUNTIME_KERNEL_HPP
#define TERN_RUNTIME_KERNEL_HPP

namespace tern::runtime {

/// One op (or fusion group) made ready for fixed shapes: what a plan runs. Immutable; any number of
/// threads may run it at once, and it may outlive the graph it was made for.
class kernel {
public:
    virtual ~kernel() = default;
    /// Pointers by port of the op. All are checked: not null unless empty, no forbidden overlap.
    virtual void run(const void *const *in, void *const *out, void *scratch) const noexcept = 0;
};

} // namespace tern::runtime

#endif
