// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_NPY_HPP
#define TERN_DRIVER_NPY_HPP

#include <string>

#include "driver/buffer.hpp"

namespace tern::driver {

/// Writes a tensor as NumPy's .npy, format 1.0: dense, C order. Types that NumPy lacks are written
/// as unsigned integers of their size: bf16 as u2, the f8 types as u1, and boolean as u1, because
/// its bytes may be others than 0 and 1.
/// Throws std::runtime_error naming the file when it cannot be written.
void write_npy(const std::string &path, const buffer &memory);

/// The part of the file in front of the data.
std::string npy_header(const tensor_desc &desc);

} // namespace tern::driver

#endif
