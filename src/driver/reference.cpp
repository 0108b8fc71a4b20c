// SPDX-License-Identifier: Apache-2.0
#include "driver/reference.hpp"

#include "base/shape.hpp"
#include "driver/ranges.hpp"
#include "ops/registry.hpp"

namespace tern::driver {

void run_reference(const ir::op_spec &op, std::span<const ir::const_view> inputs,
        std::span<const ir::mutable_view> outputs) {
    const ir::op_def &def = *ops::find(op.kind);
    ir::op_spec complete = op;
    ir::verify_schema(complete, def); // fills in attribute defaults
    ir::reference_args args{complete.attrs, inputs, outputs};
    in_ranges(*element_count(outputs[0].shape),
            [&](std::int64_t begin, std::int64_t end) { def.reference(args, begin, end); });
}

} // namespace tern::driver
