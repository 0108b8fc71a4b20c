// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_SESSION_FRAME_HPP
#define TERN_SESSION_FRAME_HPP

/// \file
/// What one run of a session holds: a value for each slot.

#include <memory>
#include <vector>

#include "base/dims.hpp"
#include "formats/onnx/traced.hpp"
#include "runtime/engine_state.hpp"
#include "tern/value.hpp"

namespace tern::session_parts {

/// By slot; absent where there is nothing yet.
using frame = std::vector<value>;

/// Memory from the engine's allocator. Throws out_of_memory.
std::shared_ptr<void> allocate(const runtime::engine_state &engine, std::size_t bytes);

/// A tensor in such memory, which is its own.
value allocate_tensor(
        const runtime::engine_state &engine, data_type type, const dims &shape, std::size_t bytes);

dims dims_of(const value &tensor);
/// Shares the content.
value to_value(const formats::onnx::constant &content);

} // namespace tern::session_parts

#endif
