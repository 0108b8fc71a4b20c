// SPDX-License-Identifier: Apache-2.0
//
// Groups as oneDNN primitives with post-ops.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/loop_nest.hpp"
#include "base/shape.hpp"
#include "base/text.hpp"
#include "compiler/lowering.hpp"
#include "primitives/primitive.hpp"

namespace tern::compiler {
namespace {

using primitives::link;
using primitives::made_primitive;

class primitive_kernel final : public runtime::kernel {
public:
    primitive_kernel(std::shared_ptr<const primitives::primitive> ready,
            std::unique_ptr<const runtime::kernel> fallback, bool works_in_place)
        : ready_(std::move(ready)),
          fallback_(std::move(fallback)),
          works_in_place_(works_in_place) {}

    void run(const void *const *in, void *const *out, void *scratch) const noexcept override {
        // Without memory for oneDNN's objects there are Tern's own loops, which need none.
        if (!ready_->run(in, out, scratch)) fallback_->run(in, out, scratch);
    }
    bool works_in_place(std::size_t, std::size_t out) const noexcept override {
        return works_in_place_ && out == 0;
    }

private:
    std::shared_ptr<const primitives::primitive> ready_;
    std::unique_ptr<const runtime::kernel> fallback_;
    bool works_in_place_;
};

/// In place is what reads each element before it writes it, in one parallel loop: it lacks memory
/// before it has written anything, so that the fallback finds its operands as they were.
answer with_fallback(const work &w, made_primitive made, answer (*make)(const work &),
        bool works_in_place = false) {
    if (!made.ready) return {nullptr, std::move(made.reason)};
    answer own = make(w);
    if (!own.kernel) return {nullptr, format_text("no loops to fall back to: {}", own.detail)};
    std::string name = made.ready->name();
    const std::size_t scratch = std::max(made.ready->scratch_bytes(), own.scratch_bytes);
    return {std::make_unique<primitive_kernel>(
                    std::move(made.ready), std::move(own.kernel), works_in_place),
            std::move(name), scratch};
}

float alpha_of(const ir::op &op) {
    const op_attr name = op.kind == op_kind::Pow ? op_attr::beta : op_attr::alpha;
    return ir::attr_or(op.attrs, name, 0.0F);
}

std::size_t position_of(const group &g, int value) {
    return static_cast<std::size_t>(std::find(g.in.begin(), g.in.end(), value) - g.in.begin());
}

/// With 1 before the axes it has, so that its rank is that of `into`.
tensor_desc widened(const tensor_desc &desc, int rank) {
    tensor_desc result = desc;
    const int more = rank - desc.shape.rank();
    result.shape = dims(more, 1);
    result.strides = dims(more, 0);
    for (int axis = 0; axis < desc.shape.rank(); ++axis) {
        result.shape.push_back(desc.shape[axis]);
        result.strides.push_back(desc.strides[axis]);
    }
    return result;
}

/// Ops that each take the result of the one before.
struct chain {
    int result; ///< The value so far; -1: the first op is still to come.
    std::vector<link> links{};
    std::string obstacle{};
};

/// Which operand of an op is the result so far; -1: none, or not only one.
int find_result(const region &r, const region_op &o, int result) {
    if (result < 0) { // the first operand that has the shape of the chain
        const dims &shape = r.desc(o.out[0]).shape;
        for (std::size_t i = 0; i < o.in.size(); ++i)
            if (r.desc(o.in[i]).shape == shape) return static_cast<int>(i);
        return 0;
    }
    if (std::count(o.in.begin(), o.in.end(), result) != 1) return -1;
    return static_cast<int>(std::find(o.in.begin(), o.in.end(), result) - o.in.begin());
}

/// Lengthens the chain by an op of the group.
void add_link(const work &w, int op, chain &so_far) {
    const region_op &o = w.in.op(op);
    link next{o.kind(), alpha_of(*o.op)};
    so_far.obstacle = primitives::link_obstacle(next.kind, next.alpha);
    if (!so_far.obstacle.empty()) return;
    const int at = find_result(w.in, o, so_far.result);
    if (at < 0) {
        so_far.obstacle = "the ops are no chain";
        return;
    }
    if (so_far.result >= 0 && w.in.desc(so_far.result).type != data_type::f32)
        so_far.obstacle = "what stays inside is not f32";
    if (o.in.size() > 1) {
        const int other = o.in[at == 0 ? 1 : 0];
        const std::size_t position = position_of(w.ops, other);
        if (position == w.ops.in.size()) so_far.obstacle = "the ops are no chain";
        next.other = {position, widened(w.in.desc(other), w.in.desc(o.out[0]).shape.rank())};
        next.is_swapped = at == 1;
    }
    so_far.links.push_back(next);
    so_far.result = o.out[0];
}

/// Nothing but the end of the chain is seen from outside.
void check_end(const work &w, chain &all) {
    if (all.obstacle.empty() && (w.ops.out.size() != 1 || w.ops.out[0] != all.result))
        all.obstacle = "a result inside is read outside";
}

/// A factor as a stack of matrices of a rank.
tensor_desc as_matrices(const tensor_desc &desc, bool transposed, bool is_left, int rank) {
    tensor_desc result = desc;
    if (desc.shape.rank() == 1) {
        const std::int64_t n = desc.shape[0];
        const std::int64_t stride = desc.strides[0];
        result.shape = is_left ? dims{1, n} : dims{n, 1};
        result.strides = is_left ? dims{n * stride, stride} : dims{stride, 1};
    } else if (transposed) {
        const int last = desc.shape.rank() - 1;
        std::swap(result.shape[last - 1], result.shape[last]);
        std::swap(result.strides[last - 1], result.strides[last]);
    }
    return widened(result, rank);
}

/// A tensor over the result of a MatMul, with the axes that vectors leave out.
tensor_desc with_axes(const tensor_desc &desc, int rank, bool has_row, bool has_column) {
    const tensor_desc from = widened(desc, rank);
    tensor_desc result = from;
    const int batch = rank - has_row - has_column;
    result.shape.assign(from.shape.begin(), from.shape.begin() + batch);
    result.strides.assign(from.strides.begin(), from.strides.begin() + batch);
    int next = batch;
    for (bool has : {has_row, has_column}) {
        result.shape.push_back(has ? from.shape[next] : 1);
        result.strides.push_back(has ? from.strides[next] : 1);
        next += has;
    }
    return result;
}

} // namespace

answer make_matmul_primitive(const work &w) {
    const int matmul = w.ops.matmul >= 0 ? w.ops.matmul : w.ops.ops[0];
    const region_op &product = w.in.op(matmul);
    if (std::string obstacle = matmul_obstacle(w.in, matmul); !obstacle.empty())
        return {nullptr, obstacle};
    chain all{product.out[0]};
    for (int op : w.ops.ops)
        if (op != matmul && all.obstacle.empty()) add_link(w, op, all);
    check_end(w, all);
    if (!all.obstacle.empty()) return {nullptr, all.obstacle};

    const tensor_desc &a = w.in.desc(product.in[0]);
    const tensor_desc &b = w.in.desc(product.in[1]);
    const bool has_row = a.shape.rank() > 1;
    const bool has_column = b.shape.rank() > 1;
    const int sums_rank = w.in.desc(product.out[0]).shape.rank();
    const int rank = sums_rank + !has_row + !has_column;
    if (rank > max_rank) return {nullptr, "more axes than are possible"};
    auto over_result = [&](const tensor_desc &desc) {
        return with_axes(desc, sums_rank, has_row, has_column);
    };
    primitives::matmul_form form{
            {position_of(w.ops, product.in[0]),
                    as_matrices(a, ir::attr_or(product.op->attrs, op_attr::transpose_a, false),
                            true, rank)},
            {position_of(w.ops, product.in[1]),
                    as_matrices(b, ir::attr_or(product.op->attrs, op_attr::transpose_b, false),
                            false, rank)},
            {}, std::move(all.links), over_result(w.dst())};
    if (product.in.size() > 2)
        form.bias = {position_of(w.ops, product.in[2]), over_result(w.in.desc(product.in[2]))};
    for (link &next : form.links)
        if (next.other) next.other->desc = over_result(next.other->desc);
    return with_fallback(w, primitives::make_matmul_primitive(form), make_matmul);
}

answer make_chain_primitive(const work &w) {
    chain all{-1};
    for (int op : w.ops.ops)
        if (all.obstacle.empty()) add_link(w, op, all);
    check_end(w, all);
    if (!all.obstacle.empty()) return {nullptr, all.obstacle};
    const link &first = all.links[0];
    const int src = w.in.op(w.ops.ops[0]).in[first.is_swapped ? 1 : 0];
    return with_fallback(w,
            primitives::make_chain_primitive(
                    {{position_of(w.ops, src), w.in.desc(src)}, std::move(all.links), w.dst()}),
            make_lanes, true);
}

answer make_softmax_primitive(const work &w) {
    const ir::op &op = *w.op().op;
    const std::int64_t axis = ir::attr_of<std::int64_t>(op.attrs, op_attr::axis);
    const bool inf_as_zero = ir::attr_of<std::string>(op.attrs, op_attr::mode) == "inf_as_zero";
    const int rank = w.dst().shape.rank();
    return with_fallback(w,
            primitives::make_softmax_primitive(
                    {w.src(0), w.dst(), static_cast<int>(axis < 0 ? axis + rank : axis),
                            inf_as_zero, w.ops.out.size() > 1}),
            make_softmax, true);
}

answer make_sum_primitive(const work &w) {
    const tensor_desc &src = w.src(0);
    const int rank = src.shape.rank();
    std::vector<char> is_reduced(static_cast<std::size_t>(rank), 0);
    for (std::int64_t axis :
            ir::attr_of<std::vector<std::int64_t>>(w.op().op->attrs, op_attr::axes))
        is_reduced[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = 1;
    tensor_desc dst = w.dst(); // with the axes that keep_dims left out
    const bool keeps_rank = dst.shape.rank() == rank;
    dst.shape = dims();
    dst.strides = dims();
    int next = 0;
    for (int axis = 0; axis < rank; ++axis) {
        const bool is_kept = is_reduced[static_cast<std::size_t>(axis)] == 0;
        dst.shape.push_back(is_kept ? src.shape[axis] : 1);
        dst.strides.push_back(is_kept ? w.dst().strides[next] : 1);
        if (is_kept || keeps_rank) ++next;
    }
    return with_fallback(w, primitives::make_sum_primitive(src, dst), make_reduce);
}

namespace {

bool is_from_the_front(const moved_elements &moved) {
    return moved.first == 0
           && std::all_of(moved.strides.begin(), moved.strides.end(),
                   [](std::int64_t stride) { return stride >= 0; });
}

} // namespace

answer make_reorder_primitive(const work &w) {
    const std::optional<moved_elements> moved = find_moved(w);
    if (!moved) return {nullptr, "the source's strides do not fit the new shape"};
    if (!is_from_the_front(*moved))
        return {nullptr, "it begins inside of the source, or goes backwards"};
    tensor_desc src = w.dst();
    src.strides = moved->strides;
    return with_fallback(w, primitives::make_reorder_primitive(src, w.dst()), make_copy,
            w.op().kind() == op_kind::Reorder);
}

} // namespace tern::compiler
