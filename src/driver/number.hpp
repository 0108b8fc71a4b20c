// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_NUMBER_HPP
#define TERN_DRIVER_NUMBER_HPP

/// \file
/// Elements in messages.

#include <string>

#include "base/element.hpp"

namespace tern::driver {

/// "0x3f800000": the bytes of an element as one number, highest first.
std::string bits_to_text(data_type type, const void *element);

} // namespace tern::driver

#endif
