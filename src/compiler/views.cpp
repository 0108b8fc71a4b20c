// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <optional>

#include "base/mutation.hpp"
#include "base/shape.hpp"
#include "compiler/region.hpp"

namespace tern::compiler {
namespace {

/// Element by element the source.
bool hands_on(op_kind kind) {
    return kind == op_kind::Reorder || kind == op_kind::Identity
           || kind == op_kind::OptionalGetElement;
}

bool is_move(op_kind kind) {
    return kind == op_kind::StaticTranspose || kind == op_kind::StaticReshape || hands_on(kind);
}

/// Axis of the source that each axis of the result is; from the attribute's normal form.
dims source_axes(const region_op &o, int rank) {
    const auto &order = std::get<std::vector<std::int64_t>>(*ir::find(o.op->attrs, op_attr::order));
    dims axes;
    for (std::int64_t axis : order)
        axes.push_back(axis < 0 ? axis + rank : axis);
    if (order.empty())
        for (int axis = rank - 1; axis >= 0; --axis)
            axes.push_back(axis);
    if (is_mutated(mutation::permutation_inverted)) {
        const dims order_given = axes;
        for (int axis = 0; axis < rank; ++axis)
            axes[static_cast<int>(order_given[axis])] = axis;
    }
    return axes;
}

/// Strides that reach the result's elements in the source's memory.
std::optional<dims> result_strides(const region_op &o, const tensor_desc &src, const dims &shape) {
    if (hands_on(o.kind())) return src.strides;
    if (o.kind() == op_kind::StaticReshape) return reshape_strides(src.shape, src.strides, shape);
    return transposed_strides(o, src.strides);
}

/// Strides that reach the source's elements in the result's memory.
std::optional<dims> source_strides(const region_op &o, const tensor_desc &dst, const dims &shape) {
    if (hands_on(o.kind())) return dst.strides;
    if (o.kind() == op_kind::StaticReshape) return reshape_strides(dst.shape, dst.strides, shape);
    dims axes = source_axes(o, shape.rank());
    dims strides(shape.rank(), 0);
    for (int axis = 0; axis < axes.rank(); ++axis)
        strides[static_cast<int>(axes[axis])] = dst.strides[axis];
    return strides;
}

void move_in(region &r, int guest, int host, const dims &strides) {
    region_value &v = r.value(guest);
    v.home = r.value(host).home;
    v.where = r.value(host).where;
    v.port = r.value(host).port;
    v.desc.strides = strides;
}

/// Not yet bound to memory that others have a say in.
bool is_free(const region &r, int v) {
    return r.value(v).where == place::arena && r.value(v).home == v
           && std::none_of(r.values.begin(), r.values.end(), [&](const region_value &other) {
                  return other.home == v && &other != &r.value(v);
              });
}

} // namespace

dims transposed_strides(const region_op &o, const dims &src_strides) {
    dims strides;
    for (std::int64_t axis : source_axes(o, src_strides.rank()))
        strides.push_back(src_strides[static_cast<int>(axis)]);
    return strides;
}

void make_views(region &r) {
    // Backwards: what is moved to an output is written there in the first place.
    for (auto o = r.ops.rbegin(); o != r.ops.rend(); ++o) {
        if (!is_move(o->kind())) continue;
        const int src = o->in[0];
        const int dst = o->out[0];
        if (r.value(dst).where != place::output || !is_free(r, src)) continue;
        std::optional<dims> strides = source_strides(*o, r.desc(dst), r.desc(src).shape);
        if (!strides) continue;
        move_in(r, src, dst, *strides);
        o->is_view = true;
    }
    // Forwards: what only the plan sees is read where the source lies.
    for (region_op &o : r.ops) {
        if (!is_move(o.kind()) || o.is_view || !is_free(r, o.out[0])) continue;
        std::optional<dims> strides = result_strides(o, r.desc(o.in[0]), r.desc(o.out[0]).shape);
        if (!strides) continue;
        move_in(r, o.out[0], o.in[0], *strides);
        o.is_view = true;
    }
}

} // namespace tern::compiler
