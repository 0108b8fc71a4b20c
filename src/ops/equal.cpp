// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string_view>

#include "ops/elementwise.hpp"

/// dst[i] = src_0[i] == src_1[i]
/// Shapes: numpy: src_0 and src_1 broadcast both ways to dst; none: all shapes equal. Rank 0..12,
///         zero sizes allowed.
/// Types:  src_0 and src_1 the same: any floating-point type or integer, boolean or string; dst
///         boolean.
/// Values: 1 or 0, exact for every type; NaN: 0. Strings by their characters. In place: not, but
/// for elements of one byte. Errors: invalid_graph_op for a wrong attribute; invalid_shape at
/// finalize or compile, naming
///         operands and axis; none at run time.
/// Source: ONNX Equal-19.
namespace tern::ops {
namespace {

constexpr std::array<ir::type_rule, 2> types = {{
        {"T", type_set(data_type::f16, data_type::bf16, data_type::f32, data_type::f64,
                      data_type::s8, data_type::s16, data_type::s32, data_type::s64, data_type::u8,
                      data_type::u16, data_type::u32, data_type::u64, data_type::f8_e5m2,
                      data_type::f8_e4m3, data_type::boolean, data_type::string)},
        {"B", type_set(data_type::boolean)},
}};

bool are_same_strings(const void *a, const void *b) {
    string_ref left;
    string_ref right;
    std::memcpy(&left, a, sizeof left);
    std::memcpy(&right, b, sizeof right);
    return std::string_view(left) == std::string_view(right);
}

void reference(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    if (args.in[0].type == data_type::string)
        return for_each_element<2>(args, begin, end, [](void *to, const void *a, const void *b) {
            *static_cast<unsigned char *>(to) = are_same_strings(a, b) ? 1 : 0;
        });
    map_order(args, begin, end, [](std::partial_ordering order) { return std::is_eq(order); });
}

} // namespace

extern const ir::op_def equal;
const ir::op_def equal = {
        .kind = op_kind::Equal,
        .doc = "dst = src_0 == src_1",
        .inputs = binary_inputs,
        .outputs = mask_output,
        .types = types,
        .attrs = broadcast_attrs,
        .infer = infer_binary,
        .reference = reference,
        .in_place_inputs = either_in_place,
};

} // namespace tern::ops
