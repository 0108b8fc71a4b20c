// SPDX-License-Identifier: Apache-2.0
#include "driver/number.hpp"

#include "base/text.hpp"

namespace tern::driver {

std::string bits_to_text(data_type type, const void *element) {
    std::string text = "0x";
    const auto *bytes = static_cast<const unsigned char *>(element);
    for (std::size_t i = bytes_of(type); i-- > 0;)
        text += format_text("{:02x}", bytes[i]);
    return text;
}

} // namespace tern::driver
