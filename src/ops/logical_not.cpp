// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise.hpp"

/// dst[i] = not src[i]
/// Shapes: dst as src. Rank 0..12, zero sizes allowed.
/// Types:  boolean.
/// Values: any byte but 0 is true; dst is 1 or 0. In place: dst may be src when the layout agrees.
/// Errors: invalid_shape when dst is given another shape; none at run time.
/// Source: ONNX Not-1.
namespace tern::ops {
namespace {

constexpr std::array<ir::type_rule, 1> types = {{{"T", type_set(data_type::boolean)}}};

void reference(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    for_each_element<1>(args, begin, end, [](void *to, const void *from) {
        *static_cast<unsigned char *>(to) = *static_cast<const unsigned char *>(from) == 0;
    });
}

} // namespace

extern const ir::op_def logical_not;
const ir::op_def logical_not = {
        .kind = op_kind::Not,
        .doc = "dst = not src",
        .inputs = unary_inputs,
        .outputs = one_output,
        .types = types,
        .attrs = {},
        .infer = infer_same,
        .reference = reference,
        .in_place_inputs = src_in_place,
};

} // namespace tern::ops
