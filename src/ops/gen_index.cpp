// SPDX-License-Identifier: Apache-2.0
#include "ops/elementwise.hpp"
#include "ops/operands.hpp"

/// dst[i] = index of i along axis
/// Shapes: dst as src. Rank 1..12, zero sizes allowed.
/// Types:  src any type of 1, 2, 4, 8 or 16 bytes, its elements are not read; dst s32 or s64.
/// Values: exact. In place: not.
/// Errors: invalid_graph_op or invalid_shape for an axis that src does not have; none at run time.
/// Source: oneDNN Graph GenIndex-1; s64 and the further types of src are Tern's own.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 1> index_inputs = {{{"src", "T1"}}};
constexpr std::array<ir::port_def, 1> index_outputs = {{{"dst", "T2"}}};
constexpr std::array<ir::type_rule, 2> types = {
        {{"T1", any_fixed_size}, {"T2", type_set(data_type::s32, data_type::s64)}}};
constexpr std::array<ir::attr_def, 1> attrs = {{{op_attr::axis, true, {}, {}}}};

void check(const ir::op_label &label, const ir::attr_list &list, std::span<const tensor_desc> in,
        std::span<const tensor_desc> /*out*/) {
    if (in[0].rank_known) axis_of(status::invalid_graph_op, label, list, "src", in[0]);
}

void infer(const ir::op_label &label, const ir::attr_list &list, std::span<const tensor_desc> in,
        std::span<tensor_desc> out) {
    if (in[0].rank_known) axis_of(status::invalid_shape, label, list, "src", in[0]);
    infer_same(label, list, in, out);
}

void reference(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    if (begin >= end) return;
    const ir::mutable_view &dst = args.out[0];
    const int axis =
            resolve_axis(ir::attr_of<std::int64_t>(args.attrs, op_attr::axis), dst.shape.rank());
    const auto bytes = static_cast<std::int64_t>(bytes_of(dst.type));
    element_walk<1> walk(dst.shape, {dst.strides}, begin);
    for (std::int64_t element = begin; element < end; ++element, walk.next())
        store_s64(dst.type, walk.index(axis),
                static_cast<unsigned char *>(dst.data) + walk.at(0) * bytes);
}

} // namespace

extern const ir::op_def gen_index;
const ir::op_def gen_index = {
        .kind = op_kind::GenIndex,
        .doc = "dst = the index along an axis of src",
        .inputs = index_inputs,
        .outputs = index_outputs,
        .types = types,
        .attrs = attrs,
        .check = check,
        .infer = infer,
        .reference = reference,
        .in_place_inputs = {},
};

} // namespace tern::ops
