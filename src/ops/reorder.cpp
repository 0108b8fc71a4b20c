// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "ops/operands.hpp"
#include "ops/rules.hpp"

/// dst[i] = src[i], in dst's layout
/// Shapes: dst as src. Rank 0..12, zero sizes allowed.
/// Types:  src and dst the same type, any of 1, 2, 4, 8 or 16 bytes.
/// Values: bits are copied unchanged. In place: dst may be src when shape and layout agree.
/// Errors: invalid_shape at finalize or compile where a given dst differs; none at run time.
/// Source: oneDNN Graph Reorder-1.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 1> inputs = {{{"src", "T"}}};
constexpr std::array<ir::port_def, 1> outputs = {{{"dst", "T"}}};
constexpr std::array<ir::type_rule, 1> types = {{{"T", any_fixed_size}}};
constexpr std::array<int, 1> in_place_inputs = {0};

void copy(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    const ir::const_view &src = args.in[0];
    copy_elements(src, src.shape, src.strides, args.out[0], begin, end);
}

} // namespace

extern const ir::op_def reorder;
const ir::op_def reorder = {
        .kind = op_kind::Reorder,
        .doc = "dst = src, in another layout",
        .inputs = inputs,
        .outputs = outputs,
        .types = types,
        .attrs = {},
        .infer = infer_same,
        .reference = copy,
        .in_place_inputs = in_place_inputs,
};

} // namespace tern::ops
