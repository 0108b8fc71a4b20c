// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "ops/rules.hpp"

/// Stands for an op that a host runs itself
/// Shapes: any number of inputs and outputs, of any shape.
/// Types:  any, undef included; the ports need not agree.
/// Values: none: it is never executed, and its partition is unsupported.
/// Errors: none.
/// Source: oneDNN Graph Wildcard-1.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 1> inputs = {{{"src", "Any", ir::port_use::repeated, any_form}}};
constexpr std::array<ir::port_def, 1> outputs = {
        {{"dst", "Any", ir::port_use::repeated, any_form}}};
constexpr std::array<ir::type_rule, 1> types = {{{"Any", any_or_undef, true}}};

void infer(const ir::op_label &, const ir::attr_list &, std::span<const tensor_desc>,
        std::span<tensor_desc>) {}

} // namespace

extern const ir::op_def wildcard;
const ir::op_def wildcard = {
        .kind = op_kind::Wildcard,
        .doc = "stands for an op that a host runs itself",
        .inputs = inputs,
        .outputs = outputs,
        .types = types,
        .attrs = {},
        .infer = infer,
        .reference = nullptr,
        .in_place_inputs = {},
};

} // namespace tern::ops
