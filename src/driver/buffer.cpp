// SPDX-License-Identifier: Apache-2.0
#include "driver/buffer.hpp"

#include <cstring>

#include "base/shape.hpp"

namespace tern::driver {

buffer::buffer(const tensor_desc &desc) : desc_(desc), bytes_(bytes_needed(desc).value()) {
    if (bytes_ != 0)
        memory_.reset(
                static_cast<std::byte *>(::operator new[](bytes_, std::align_val_t{alignment})));
}

buffer buffer::copy() const {
    buffer other(desc_);
    if (bytes_ != 0) std::memcpy(other.data(), data(), bytes_);
    return other;
}

std::optional<std::size_t> bytes_needed(const tensor_desc &desc) {
    std::optional<std::int64_t> bytes = byte_span(desc.shape, desc.strides, bytes_of(desc.type));
    if (!bytes) return std::nullopt;
    return static_cast<std::size_t>(*bytes);
}

std::uint64_t fingerprint(const buffer &memory) {
    constexpr std::uint64_t odd = 0x9e3779b97f4a7c15;
    std::uint64_t hash = odd;
    std::size_t at = 0;
    auto take = [&](std::size_t bytes) {
        std::uint64_t word = 0;
        std::memcpy(&word, memory.data() + at, bytes);
        hash = (hash ^ word) * odd;
        hash ^= hash >> 29;
        at += bytes;
    };
    while (memory.bytes() - at >= sizeof(std::uint64_t))
        take(sizeof(std::uint64_t));
    if (memory.bytes() != at) take(memory.bytes() - at);
    return hash;
}

} // namespace tern::driver
