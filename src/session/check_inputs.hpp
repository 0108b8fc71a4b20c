// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_SESSION_CHECK_INPUTS_HPP
#define TERN_SESSION_CHECK_INPUTS_HPP

#include "formats/onnx/importer.hpp"
#include "session/frame.hpp"

namespace tern::session_parts {

/// Inputs of a call against what the model declares: number, types, ranks, sizes, and one size
/// for each name of a dimension. Throws invalid_arguments, invalid_data_type, invalid_shape,
/// naming input and axis.
void check_inputs(const formats::onnx::program &program, const frame &inputs);

} // namespace tern::session_parts

#endif
