// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_BASE_DATA_TYPE_HPP
#define TERN_BASE_DATA_TYPE_HPP

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "tern/types.hpp"

namespace tern {

/// Number of enumerators of data_type, `undef` included.
inline constexpr int data_type_count = 1
#define TERN_DATA_TYPE(name, bits) +1
#include "tern/data_types.def"
#undef TERN_DATA_TYPE
        ;

/// "f32"; "undef" for undef.
std::string_view name_of(data_type type);
std::optional<data_type> data_type_from_name(std::string_view name);

/// Bits of one element; 0 for undef.
int bits_of(data_type type);
/// Bytes of one element; 0 for undef and for types smaller than a byte.
inline std::size_t bytes_of(data_type type) {
    return static_cast<std::size_t>(bits_of(type)) / 8;
}

/// Bytes of `n` elements that lie one after the other (two of s4 or u4 share a byte); nullopt when
/// that does not fit int64.
std::optional<std::int64_t> bytes_of_many(std::int64_t n, data_type type);

/// A set of data types, as a bit mask.
class type_set {
public:
    constexpr type_set() = default;
    template <typename... Types>
    explicit constexpr type_set(Types... types) : bits_((bit(types) | ...)) {}

    /// Every type, undef included.
    static constexpr type_set all() {
        type_set result;
        result.bits_ = ~std::uint32_t{0};
        return result;
    }

    constexpr bool contains(data_type type) const { return (bits_ & bit(type)) != 0; }

private:
    static constexpr std::uint32_t bit(data_type type) {
        return std::uint32_t{1} << static_cast<int>(type);
    }
    std::uint32_t bits_ = 0;
};

} // namespace tern

#endif
