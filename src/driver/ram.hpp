// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_RAM_HPP
#define TERN_DRIVER_RAM_HPP

#include <cstddef>
#include <cstdint>

namespace tern::driver {

/// Bytes of memory that this process may use at all: physical memory, or the limit of its control
/// group where that is lower.
std::uint64_t usable_ram();

/// Adds up what a case will allocate. A sum that does not fit counts as more than there is.
class ram_estimate {
public:
    void add(std::uint64_t bytes);
    std::uint64_t bytes() const { return bytes_; }
    /// False above 75 % of usable memory, benchdnn's bound.
    bool fits() const;

private:
    std::uint64_t bytes_ = 0;
};

} // namespace tern::driver

#endif
