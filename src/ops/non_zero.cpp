// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>

#include "ops/operands.hpp"
#include "ops/rules.hpp"

/// Y[:, k] = index of the k-th element of X that is not zero, in row-major order
/// Shapes: X of rank 0..12, zero sizes allowed; Y [rank of X, count]. The count depends on what X
///         holds: it is unknown until the op has run. A scalar gives [0, 1] or [0, 0].
/// Types:  X any type of 1, 2, 4, 8 or 16 bytes: ONNX's list and the two f8 types. Y s64.
///         A string is zero when it has no characters.
/// Values: exact. Elements are looked at as bits: NaN and denormals are not zero whatever the
///         FTZ/DAZ modes say, -0.0 is; a complex number is zero when both its parts are; of boolean
///         only the byte 0 is, of strings the one without characters. In place: not.
/// Errors: none at run time.
/// Source: ONNX NonZero-13.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 1> inputs = {{{"X", "T"}}};
constexpr std::array<ir::port_def, 1> outputs = {{{"Y", "I"}}};
constexpr std::array<ir::type_rule, 2> types = {{
        {"T", any_fixed_size},
        {"I", type_set(data_type::s64)},
}};

void infer(const ir::op_label &label, const ir::attr_list &, std::span<const tensor_desc> in,
        std::span<tensor_desc> out) {
    const std::int64_t rank = in[0].rank_known ? in[0].shape.rank() : unknown_dim;
    settle_shape(label, "Y", dims{rank, unknown_dim}, out[0]);
    // A count that somebody gives may be a bound, or of another run.
    out[0].shape[1] = unknown_dim;
    if (out[0].layout == layout_type::strided) out[0].strides = dims(2, unknown_dim);
}

bool is_zero(data_type type, const unsigned char *element) {
    if (type == data_type::string) {
        string_ref text{};
        std::memcpy(&text, element, sizeof(text));
        return text.size == 0;
    }
    const std::size_t bytes = bytes_of(type);
    const std::optional<float_format> format = format_of(type);
    const std::size_t part = format ? static_cast<std::size_t>(format->bits()) / 8 : bytes;
    for (std::size_t i = 0; i < bytes; ++i) {
        const bool has_sign = format && i % part == part - 1; // it counts for nothing
        if ((element[i] & (has_sign ? 0x7f : 0xff)) != 0) return false;
    }
    return true;
}

/// Calls `visit(indices)` for every element that is not zero, in row-major order.
template <typename Visit>
void for_each_nonzero(const ir::const_view &src, const Visit &visit) {
    std::int64_t count = 1;
    for (std::int64_t dim : src.shape)
        count *= dim;
    if (count == 0) return;
    const auto bytes = static_cast<std::int64_t>(bytes_of(src.type));
    element_walk<1> walk(src.shape, {src.strides}, 0);
    for (std::int64_t element = 0; element < count; ++element, walk.next())
        if (!is_zero(src.type, static_cast<const unsigned char *>(src.data) + walk.at(0) * bytes))
            visit(walk);
}

void find_shapes(const ir::reference_args &args, std::span<dims> shapes) noexcept {
    std::int64_t count = 0;
    for_each_nonzero(args.in[0], [&](const auto &) { ++count; });
    shapes[0] = dims{args.in[0].shape.rank(), count};
}

void reference(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    const ir::mutable_view &dst = args.out[0];
    const std::int64_t count = dst.shape[1];
    std::int64_t k = 0;
    for_each_nonzero(args.in[0], [&](const auto &walk) {
        for (int axis = 0; axis < args.in[0].shape.rank(); ++axis) {
            const std::int64_t element = axis * count + k;
            if (element < begin || element >= end) continue;
            store_s64(dst.type, walk.index(axis),
                    static_cast<unsigned char *>(dst.data)
                            + (axis * dst.strides[0] + k * dst.strides[1])
                                      * static_cast<std::int64_t>(sizeof(std::int64_t)));
        }
        ++k;
    });
}

} // namespace

extern const ir::op_def non_zero;
const ir::op_def non_zero = {
        .kind = op_kind::NonZero,
        .doc = "Y[:, k] = index of the k-th element of X that is not zero",
        .inputs = inputs,
        .outputs = outputs,
        .types = types,
        .attrs = {},
        .infer = infer,
        .reference = reference,
        .find_shapes = find_shapes,
        .in_place_inputs = {},
};

} // namespace tern::ops
