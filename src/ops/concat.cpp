// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstring>

#include "base/error.hpp"
#include "ops/operands.hpp"
#include "ops/rules.hpp"

/// dst = the sources one after the other along axis
/// Shapes: dst as the sources, but along axis, where it has the sum of their dims. All other dims
///         are equal. 1 to 128 sources (oneDNN Graph: 64), rank 1..12, zero sizes allowed.
/// Types:  all the same, any of 1, 2, 4, 8 or 16 bytes.
/// Values: bits are copied unchanged.
/// Errors: invalid_graph_op for a bad number of sources; invalid_graph_op or invalid_shape for an
///         axis that the first source does not have; invalid_shape, naming source and axis, where
///         shapes do not fit; none at run time.
/// Source: oneDNN Graph Concat-1 and ONNX Concat-13; the types are ONNX's.
namespace tern::ops {
namespace {

constexpr std::array<ir::port_def, 1> inputs = {{{"src", "T", ir::port_use::repeated}}};
constexpr std::array<ir::port_def, 1> outputs = {{{"dst", "T"}}};
constexpr std::array<ir::type_rule, 1> types = {{{"T", any_fixed_size}}};
constexpr std::array<ir::attr_def, 1> attrs = {{{op_attr::axis, true, {}, {}}}};
constexpr std::size_t most_sources = 128;

void check(const ir::op_label &label, const ir::attr_list &attrs, std::span<const tensor_desc> in,
        std::span<const tensor_desc> /*out*/) {
    if (in.empty() || in.size() > most_sources)
        fail(status::invalid_graph_op, "{}: {} inputs given, expected 1 to {} (src...)",
                ir::to_string(label), in.size(), most_sources);
    if (in[0].rank_known) axis_of(status::invalid_graph_op, label, attrs, "src", in[0]);
}

/// Takes the dims of source `i` into the shape of dst.
void take_in(const ir::op_label &label, std::size_t i, int axis, const dims &source, dims &dst) {
    if (source.rank() != dst.rank())
        fail(status::invalid_shape, "{}: source {} has shape {}, but source 0 has rank {}",
                ir::to_string(label), i, to_string(source), dst.rank());
    for (int at = 0; at < dst.rank(); ++at) {
        const bool is_open = source[at] == unknown_dim || dst[at] == unknown_dim;
        if (at == axis) {
            if (is_open)
                dst[at] = unknown_dim;
            else if (__builtin_add_overflow(dst[at], source[at], &dst[at]))
                fail(status::invalid_shape,
                        "{}: the size of dst along axis {} does not fit 63 bits",
                        ir::to_string(label), axis);
        } else if (dst[at] == unknown_dim) {
            dst[at] = source[at];
        } else if (!is_open && source[at] != dst[at]) {
            fail(status::invalid_shape,
                    "{}: source {} has shape {}: axis {} has {}, but those before it have {}",
                    ir::to_string(label), i, to_string(source), at, source[at], dst[at]);
        }
    }
}

void infer(const ir::op_label &label, const ir::attr_list &attrs, std::span<const tensor_desc> in,
        std::span<tensor_desc> out) {
    for (const tensor_desc &desc : in)
        if (!desc.rank_known) return;
    const int axis = axis_of(status::invalid_shape, label, attrs, "src", in[0]);
    dims shape = in[0].shape;
    for (std::size_t i = 1; i < in.size(); ++i)
        take_in(label, i, axis, in[i].shape, shape);
    settle_shape(label, "dst", shape, out[0]);
}

void copy(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    if (begin >= end) return;
    const ir::mutable_view &dst = args.out[0];
    const int axis =
            resolve_axis(ir::attr_of<std::int64_t>(args.attrs, op_attr::axis), dst.shape.rank());
    const std::size_t bytes = bytes_of(dst.type);
    for (std::int64_t element = begin; element < end; ++element) {
        dims index = index_of(element, dst.shape);
        void *to = at(dst, offset_of(index, dst.strides));
        std::size_t source = 0;
        for (; index[axis] >= args.in[source].shape[axis]; ++source)
            index[axis] -= args.in[source].shape[axis];
        const ir::const_view &src = args.in[source];
        std::memcpy(to, at(src, offset_of(index, src.strides)), bytes);
    }
}

} // namespace

extern const ir::op_def concat;
const ir::op_def concat = {
        .kind = op_kind::Concat,
        .doc = "dst = the sources one after the other along an axis",
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
