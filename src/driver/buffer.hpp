// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_BUFFER_HPP
#define TERN_DRIVER_BUFFER_HPP

#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>

#include "base/tensor_desc.hpp"
#include "ir/op_def.hpp"

namespace tern::driver {

/// A tensor and its memory: exactly the bytes from its first element to its last, aligned to a
/// cache line, so that a sanitizer sees any access beside it. Not initialised.
class buffer {
public:
    buffer() = default;
    /// Precondition: bytes_needed(desc) has a value.
    explicit buffer(const tensor_desc &desc);

    const tensor_desc &desc() const { return desc_; }
    std::size_t bytes() const { return bytes_; }
    /// Null when empty.
    std::byte *data() { return memory_.get(); }
    const std::byte *data() const { return memory_.get(); }

    buffer copy() const;

    ir::const_view view() const { return {data(), desc_.type, desc_.shape, desc_.strides}; }
    ir::mutable_view view() { return {data(), desc_.type, desc_.shape, desc_.strides}; }

private:
    struct release {
        void operator()(std::byte *memory) const {
            ::operator delete[](memory, std::align_val_t{alignment});
        }
    };
    static constexpr std::size_t alignment = 64;

    tensor_desc desc_;
    std::size_t bytes_ = 0;
    std::unique_ptr<std::byte, release> memory_;
};

/// Bytes of memory of a fully known tensor; nullopt when that does not fit.
std::optional<std::size_t> bytes_needed(const tensor_desc &desc);

/// A hash of all bytes, gaps included: tells whether anything was written to.
std::uint64_t fingerprint(const buffer &memory);

} // namespace tern::driver

#endif
