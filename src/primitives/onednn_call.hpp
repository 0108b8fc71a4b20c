// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_PRIMITIVES_ONEDNN_CALL_HPP
#define TERN_PRIMITIVES_ONEDNN_CALL_HPP

/// \file
/// Running oneDNN primitives on the threads of the caller's arena.

#include <oneapi/dnnl/dnnl.hpp>

namespace tern::primitives {

/// The CPU engine that all primitives are made for. Throws dnnl::error the first time, if at all.
const dnnl::engine &cpu_engine();

/// Executes a primitive on the calling thread and, at top level, those of its arena; inside a block
/// of parallel_for on the calling thread alone. Any number of threads may call at once.
/// Throws dnnl::error.
void execute(const dnnl::primitive &primitive, const std::unordered_map<int, dnnl::memory> &args);

} // namespace tern::primitives

#endif
