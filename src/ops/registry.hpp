// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_OPS_REGISTRY_HPP
#define TERN_OPS_REGISTRY_HPP

#include "ir/op_def.hpp"

namespace tern::ops {

/// The definition of an op kind; null for a kind that is known by name only.
const ir::op_def *find(op_kind kind);

} // namespace tern::ops

#endif
