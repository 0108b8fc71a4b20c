// SPDX-License-Identifier: Apache-2.0
#include "formats/utf8.hpp"

#include <cstddef>

namespace tern::formats {
namespace {

/// What may follow a lead byte: number of continuation bytes, and the range of the first of them,
/// which is narrower where a longer form, a surrogate or a code above U+10FFFF would begin.
struct lead {
    std::size_t following;
    unsigned char low = 0x80;
    unsigned char high = 0xbf;
};

constexpr std::size_t never = static_cast<std::size_t>(-1);

lead lead_of(unsigned char byte) {
    if (byte < 0x80) return {0};
    if (byte < 0xc2) return {never};
    if (byte < 0xe0) return {1};
    if (byte < 0xf0) {
        if (byte == 0xe0) return {2, 0xa0, 0xbf};
        if (byte == 0xed) return {2, 0x80, 0x9f};
        return {2};
    }
    if (byte == 0xf0) return {3, 0x90, 0xbf};
    if (byte == 0xf4) return {3, 0x80, 0x8f};
    return {byte < 0xf4 ? std::size_t{3} : never};
}

} // namespace

std::string valid_utf8(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t begin = at;
        lead expected = lead_of(static_cast<unsigned char>(text[at++]));
        bool is_good = expected.following != never;
        for (std::size_t i = 0; is_good && i < expected.following; ++i) {
            unsigned char byte = at < text.size() ? static_cast<unsigned char>(text[at]) : 0;
            is_good = byte >= (i == 0 ? expected.low : 0x80)
                      && byte <= (i == 0 ? expected.high : 0xbf);
            if (is_good) ++at;
        }
        result += is_good ? text.substr(begin, at - begin) : std::string_view("\xef\xbf\xbd");
    }
    return result;
}

} // namespace tern::formats
