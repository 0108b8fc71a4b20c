// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "ops/rules.hpp"

/// Marks src as an output of the graph
/// Shapes: any.
/// Types:  any, undef and boolean included.
/// Values: none: it has no output, is never executed, and its partition is unsupported.
/// Errors: none.
/// Source: oneDNN Graph End-1, which does not take boolean.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 1> inputs = {{{"src", "Any", ir::port_use::required, any_form}}};
constexpr std::array<ir::type_rule, 1> types = {{{"Any", any_or_undef}}};

void infer(const ir::op_label &, const ir::attr_list &, std::span<const tensor_desc>,
        std::span<tensor_desc>) {}

} // namespace

extern const ir::op_def end;
const ir::op_def end = {
        .kind = op_kind::End,
        .doc = "marks src as an output of the graph",
        .inputs = inputs,
        .outputs = {},
        .types = types,
        .attrs = {},
        .infer = infer,
        .reference = nullptr,
        .in_place_inputs = {},
};

} // namespace tern::ops
