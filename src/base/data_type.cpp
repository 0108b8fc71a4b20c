// SPDX-License-Identifier: Apache-2.0
#include "base/data_type.hpp"

#include <array>

namespace tern {
namespace {

struct entry {
    std::string_view name;
    int bits;
};

constexpr std::array<entry, data_type_count> table = {{
        {"undef", 0},
#define TERN_DATA_TYPE(name, bits) {#name, bits},
#include "tern/data_types.def"
#undef TERN_DATA_TYPE
}};

} // namespace

std::string_view name_of(data_type type) {
    return table[static_cast<std::size_t>(type)].name;
}

int bits_of(data_type type) {
    return table[static_cast<std::size_t>(type)].bits;
}

std::optional<std::int64_t> bytes_of_many(std::int64_t n, data_type type) {
    int bits = bits_of(type);
    if (bits == 4) return n / 2 + n % 2;
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(n, bits / 8, &bytes)) return std::nullopt;
    return bytes;
}

std::optional<data_type> data_type_from_name(std::string_view name) {
    for (std::size_t i = 0; i < table.size(); ++i)
        if (table[i].name == name) return static_cast<data_type>(i);
    return std::nullopt;
}

} // namespace tern
