// SPDX-License-Identifier: Apache-2.0
#include "ops/registry.hpp"

namespace tern::ops {

#define TERN_OP_IMPLEMENTED(kind, file) extern const ir::op_def file;
#define TERN_OP_NAMED(kind)
#include "tern/ops.def"
#undef TERN_OP_IMPLEMENTED
#undef TERN_OP_NAMED

const ir::op_def *find(op_kind kind) {
    switch (kind) {
#define TERN_OP_IMPLEMENTED(kind, file)                                                            \
    case op_kind::kind:                                                                            \
        return &file;
#define TERN_OP_NAMED(kind)
#include "tern/ops.def"
#undef TERN_OP_IMPLEMENTED
#undef TERN_OP_NAMED
        default: return nullptr;
    }
}

} // namespace tern::ops
