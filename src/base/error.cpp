// SPDX-License-Identifier: Apache-2.0
#include "tern/types.hpp"

namespace tern {

error::error(tern::status code, const std::string &text)
    : status(code),
      text_(std::make_shared<const std::string>(text)) {
    message = text_->c_str();
}
error::error(const error &) noexcept = default;
error &error::operator=(const error &) noexcept = default;
error::~error() = default;
const char *error::what() const noexcept {
    return message;
}

} // namespace tern
