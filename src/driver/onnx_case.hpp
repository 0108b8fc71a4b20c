// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_ONNX_CASE_HPP
#define TERN_DRIVER_ONNX_CASE_HPP

#include <cstddef>
#include <string>

#include "driver/result.hpp"
#include "driver/settings.hpp"

namespace tern::driver {

/// Runs one ONNX model as run_case runs a graph. Mode C compares with the stored outputs; without
/// any, or with `dims`, with the reference implementation on inputs that are made up.
case_result run_onnx_case(const std::string &path, const dim_sizes &dims,
        const run_settings &settings, const std::string &case_text, std::size_t index) noexcept;

} // namespace tern::driver

#endif
