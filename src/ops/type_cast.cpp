// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "ops/elementwise.hpp"

/// dst[i] = src[i] in the type of dst
/// Shapes: dst as src. Rank 0..12, zero sizes allowed.
/// Types:  src and dst each any floating-point type, integer or boolean.
/// Values: between floating-point types and from integers rounded once, to nearest even; to
///         integers towards zero, saturating, NaN becomes 0; integers among themselves keep the low
///         bits; to boolean 1 unless 0. Equal types: the bits. In place: dst may be src when type
///         size and layout agree.
/// Errors: invalid_shape when dst is given another shape; none at run time.
/// Source: oneDNN Graph TypeCast-1; the further types are Tern's own, after ONNX Cast.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 1> cast_inputs = {{{"src", "T1"}}};
constexpr std::array<ir::port_def, 1> cast_outputs = {{{"dst", "T2"}}};
constexpr std::array<ir::type_rule, 2> types = {{{"T1", real_or_boolean}, {"T2", real_or_boolean}}};

void reference(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    const data_type from_type = args.in[0].type;
    const data_type to_type = args.out[0].type;
    const std::size_t bytes = bytes_of(to_type);
    for_each_element<1>(args, begin, end, [=](void *to, const void *from) {
        if (from_type == to_type) // memmove: in place, both are the same element
            std::memmove(to, from, bytes);
        else if (format_of(from_type))
            store_f64(to_type, load_f64(from_type, from), to);
        else
            store_integer(to_type, load_s64(from_type, from), from_type == data_type::u64, to);
    });
}

} // namespace

extern const ir::op_def type_cast;
const ir::op_def type_cast = {
        .kind = op_kind::TypeCast,
        .doc = "dst = src in another type",
        .inputs = cast_inputs,
        .outputs = cast_outputs,
        .types = types,
        .attrs = {},
        .infer = infer_same,
        .reference = reference,
        .in_place_inputs = src_in_place,
};

} // namespace tern::ops
