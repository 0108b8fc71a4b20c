// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <vector>

#include "base/error.hpp"
#include "base/shape.hpp"
#include "ops/operands.hpp"
#include "ops/rules.hpp"

/// output = input, repeated along axes of size 1 and along new ones before the first
/// Shapes: output has the shape that input's and the attribute shape broadcast to, both ways: where
///         the attribute has 1, input's dim stays. Rank 0..12, zero sizes allowed.
/// Types:  input and output the same type, any of 1, 2, 4, 8 or 16 bytes.
/// Values: bits are copied unchanged.
/// Errors: invalid_graph_op for a bad entry; invalid_shape at finalize or compile, naming the axis;
///         none at run time.
/// Source: ONNX Expand-13, with an attribute for what is an input there.
namespace tern::ops {
namespace {

using s64s = std::vector<std::int64_t>;

constexpr std::array<ir::port_def, 1> inputs = {{{"input", "T"}}};
constexpr std::array<ir::port_def, 1> outputs = {{{"output", "T"}}};
constexpr std::array<ir::type_rule, 1> types = {{{"T", any_fixed_size}}};
constexpr std::array<ir::attr_def, 1> attrs = {{{op_attr::shape, true, {}, {}}}};

void check(const ir::op_label &label, const ir::attr_list &attrs, std::span<const tensor_desc>,
        std::span<const tensor_desc>) {
    const s64s &shape = ir::attr_of<s64s>(attrs, op_attr::shape);
    if (shape.size() > static_cast<std::size_t>(max_rank))
        fail(status::invalid_graph_op, "{}: attribute shape has {} values; at most {} are allowed",
                ir::to_string(label), shape.size(), max_rank);
    for (std::size_t i = 0; i < shape.size(); ++i)
        if (shape[i] < 0)
            fail(status::invalid_graph_op,
                    "{}: attribute shape has {} at axis {}; expected 0 or more",
                    ir::to_string(label), shape[i], i);
}

void infer(const ir::op_label &label, const ir::attr_list &attrs, std::span<const tensor_desc> in,
        std::span<tensor_desc> out) {
    if (!in[0].rank_known) return;
    const s64s &given = ir::attr_of<s64s>(attrs, op_attr::shape);
    dims shape;
    shape.assign(given.begin(), given.end());
    settle_shape(label, "output",
            broadcast(label, "input", in[0].shape, "the attribute shape", shape), out[0]);
}

void copy(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    const ir::const_view &input = args.in[0];
    const ir::mutable_view &output = args.out[0];
    copy_elements(input, output.shape, broadcast_strides(input.shape, input.strides, output.shape),
            output, begin, end);
}

} // namespace

extern const ir::op_def expand;
const ir::op_def expand = {
        .kind = op_kind::Expand,
        .doc = "output = input, broadcast to a shape",
        .inputs = inputs,
        .outputs = outputs,
        .types = types,
        .attrs = attrs,
        .check = check,
        .infer = infer,
        .reference = copy,
        .in_place_inputs = {},
};

} // namespace tern::ops
