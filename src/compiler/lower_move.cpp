// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <vector>

#include "base/loop_nest.hpp"
#include "base/shape.hpp"
#include "compiler/lowering.hpp"
#include "kernels/select/select.hpp"
#include "kernels/strided_copy.hpp"
#include "kernels/take.hpp"

namespace tern::compiler {
namespace {

const std::uint8_t *bytes(const void *data) {
    return static_cast<const std::uint8_t *>(data);
}
std::uint8_t *bytes(void *data) {
    return static_cast<std::uint8_t *>(data);
}

/// A select whose one condition is always true. No stride is negative.
kernels::select_loops make_copy_loops(
        const dims &shape, const dims &from, const dims &to, data_type type) {
    const dims none(shape.rank(), 0);
    return kernels::make_select_loops(
            shape, {none, from, from, to}, static_cast<int>(bytes_of(type)));
}

void run_copy(const kernels::select_loops &loops, const void *from, void *to) noexcept {
    const std::uint8_t always = 1;
    kernels::run_select(loops, &always, from, from, to);
}

class copy_kernel final : public runtime::kernel {
public:
    copy_kernel(kernels::select_loops loops, std::int64_t first, bool keeps_order)
        : loops_(loops),
          first_(first),
          keeps_order_(keeps_order) {}

    void run(const void *const *in, void *const *out, void *) const noexcept override {
        run_copy(loops_, bytes(in[0]) + first_, out[0]);
    }
    bool works_in_place(std::size_t, std::size_t) const noexcept override { return keeps_order_; }

private:
    kernels::select_loops loops_;
    std::int64_t first_; ///< Bytes to the first element that is copied.
    bool keeps_order_;   ///< Each element goes to its own index.
};

/// Plane by plane, for what a select does not take or would copy twice.
class plane_kernel final : public runtime::kernel {
public:
    plane_kernel(kernels::strided_copy copy, std::int64_t first) : copy_(copy), first_(first) {}

    void run(const void *const *in, void *const *out, void *) const noexcept override {
        kernels::run_parallel(copy_, bytes(in[0]) + first_, bytes(out[0]));
    }
    bool works_in_place(std::size_t, std::size_t) const noexcept override { return false; }

private:
    kernels::strided_copy copy_;
    std::int64_t first_;
};

class concat_kernel final : public runtime::kernel {
public:
    struct part {
        kernels::select_loops loops;
        std::size_t source;
        std::int64_t first; ///< Bytes from dst's first element to its own.
    };
    explicit concat_kernel(std::vector<part> parts) : parts_(std::move(parts)) {}

    void run(const void *const *in, void *const *out, void *) const noexcept override {
        for (const part &p : parts_)
            run_copy(p.loops, in[p.source], bytes(out[0]) + p.first);
    }
    bool works_in_place(std::size_t, std::size_t) const noexcept override { return false; }

private:
    std::vector<part> parts_;
};

class take_kernel final : public runtime::kernel {
public:
    take_kernel(const kernels::take_loops &loops, const work &w)
        : loops_(loops),
          def_(*w.op().op->def),
          attrs_(w.op().op->attrs),
          in_{w.src(0), w.src(1)} {}

    void run(const void *const *in, void *const *out, void *) const noexcept override {
        kernels::run_take(loops_, bytes(in[0]), bytes(in[1]), bytes(out[0]));
    }
    std::optional<ir::data_fault> check_data(const void *const *in) const override {
        if (kernels::are_in_range(loops_, bytes(in[1]))) return std::nullopt;
        return compiler::check_data(def_, attrs_, in_, in); // finds words for it
    }
    bool works_in_place(std::size_t, std::size_t) const noexcept override { return false; }

private:
    kernels::take_loops loops_;
    const ir::op_def &def_;
    ir::attr_list attrs_;
    std::array<tensor_desc, 2> in_;
};

const std::vector<std::int64_t> &list_of(const ir::op &op, op_attr name) {
    return ir::attr_of<std::vector<std::int64_t>>(op.attrs, name);
}

int axis_of(const ir::op &op, int rank) {
    const auto axis = ir::attr_of<std::int64_t>(op.attrs, op_attr::axis);
    return static_cast<int>(axis < 0 ? axis + rank : axis);
}

/// Turns src's strides into those of the slice; returns the offset of its first element.
std::int64_t cut(const ir::op &op, const dims &shape, dims &strides) {
    const std::vector<std::int64_t> &axes = list_of(op, op_attr::axes);
    const std::vector<std::int64_t> &steps = list_of(op, op_attr::steps);
    std::int64_t first = 0;
    for (std::size_t i = 0; i < list_of(op, op_attr::starts).size(); ++i) {
        std::int64_t given = axes.empty() ? static_cast<std::int64_t>(i) : axes[i];
        const int axis = static_cast<int>(given < 0 ? given + shape.rank() : given);
        const index_range range = slice_range(shape[axis], list_of(op, op_attr::starts)[i],
                list_of(op, op_attr::ends)[i], steps.empty() ? 1 : steps[i]);
        first += range.first * strides[axis];
        strides[axis] *= range.step;
    }
    return first;
}

/// Whether columns of dst are rows of the source, and one of the two sorts of rows is short. Then a
/// plane is transposed from memory to memory. Large ones are better off with a select's tiles.
bool transposes_short_rows(const tensor_desc &dst, const dims &src_strides) {
    constexpr std::int64_t short_row = 256; // bytes
    const auto bytes = static_cast<std::int64_t>(bytes_of(dst.type));
    dims extents;
    std::array<dims, 2> strides; // of dst and src, the largest of dst's outermost
    coalesce(dst.shape, std::array<dims, 2>{dst.strides, src_strides}, 0, extents, strides);
    const int inner = extents.rank() - 1;
    if (inner < 1 || strides[0][inner] != 1 || strides[1][inner] <= 1) return false;
    std::int64_t rows = 0; // of the plane; the source's are along them
    for (int axis = 0; axis < inner; ++axis) {
        if (strides[1][axis] == 0) return false; // one row of the source for many of dst
        if (strides[1][axis] == 1) rows = extents[axis];
    }
    return rows > 1 && std::min(rows, extents[inner]) * bytes <= short_row;
}

} // namespace

std::optional<moved_elements> find_moved(const work &w) {
    const tensor_desc &src = w.src(0);
    const dims &shape = w.dst().shape;
    switch (w.op().kind()) {
        case op_kind::StaticReshape: {
            std::optional<dims> strides = reshape_strides(src.shape, src.strides, shape);
            if (!strides) return std::nullopt;
            return moved_elements{*strides};
        }
        case op_kind::StaticTranspose:
            return moved_elements{transposed_strides(w.op(), src.strides)};
        case op_kind::Expand:
            return moved_elements{broadcast_strides(src.shape, src.strides, shape)};
        case op_kind::Slice: {
            moved_elements moved = {src.strides};
            moved.first = cut(*w.op().op, src.shape, moved.strides);
            return moved;
        }
        default: return moved_elements{src.strides}; // Reorder and its like
    }
}

answer make_copy(const work &w) {
    const tensor_desc &dst = w.dst();
    const op_kind kind = w.op().kind();
    const std::optional<moved_elements> moved = find_moved(w);
    if (!moved) return {nullptr, "the source's strides do not fit the new shape"};
    const auto element_bytes = static_cast<int>(bytes_of(dst.type));
    const std::int64_t first = moved->first * element_bytes;
    const bool is_backward = std::any_of(moved->strides.begin(), moved->strides.end(),
            [](std::int64_t stride) { return stride < 0; });
    if (is_backward || transposes_short_rows(dst, moved->strides))
        return {std::make_unique<plane_kernel>(kernels::make_strided_copy(dst.shape, moved->strides,
                                                       dst.strides, element_bytes),
                        first),
                "planes"};
    const bool keeps_order = kind == op_kind::Reorder || kind == op_kind::Identity
                             || kind == op_kind::OptionalGetElement;
    return {std::make_unique<copy_kernel>(
                    make_copy_loops(dst.shape, moved->strides, dst.strides, dst.type), first,
                    keeps_order),
            std::string(kernels::select_target())};
}

answer make_concat(const work &w) {
    const tensor_desc &dst = w.dst();
    const int axis = axis_of(*w.op().op, dst.shape.rank());
    const std::int64_t step = dst.strides[axis] * static_cast<std::int64_t>(bytes_of(dst.type));
    std::vector<concat_kernel::part> parts;
    std::int64_t first = 0;
    for (std::size_t i = 0; i < w.ops.in.size(); ++i) {
        const tensor_desc &src = w.src(i);
        if (is_empty(src.shape)) continue;
        parts.push_back(
                {make_copy_loops(src.shape, src.strides, dst.strides, dst.type), i, first * step});
        first += src.shape[axis];
    }
    return {std::make_unique<concat_kernel>(std::move(parts)),
            std::string(kernels::select_target())};
}

answer make_gather(const work &w) {
    const tensor_desc &data = w.src(0);
    const tensor_desc &indices = w.src(1);
    const tensor_desc &dst = w.dst();
    const int axis = axis_of(*w.op().op, data.shape.rank());
    const int behind = indices.shape.rank(); // axes of dst in the place of one of data
    kernels::take_problem problem{};
    for (int i = 0; i < data.shape.rank(); ++i) {
        if (i == axis) continue;
        const bool is_outer = i < axis;
        (is_outer ? problem.outer : problem.inner).push_back(data.shape[i]);
        (is_outer ? problem.outer_src : problem.inner_src).push_back(data.strides[i]);
        (is_outer ? problem.outer_dst : problem.inner_dst)
                .push_back(dst.strides[is_outer ? i : i - 1 + behind]);
    }
    problem.indices = indices.shape;
    problem.index_strides = indices.strides;
    for (int i = 0; i < behind; ++i)
        problem.index_dst.push_back(dst.strides[axis + i]);
    problem.axis_size = data.shape[axis];
    problem.axis_stride = data.strides[axis];
    problem.element_bytes = static_cast<int>(bytes_of(data.type));
    problem.index_bytes = static_cast<int>(bytes_of(indices.type));
    return {std::make_unique<take_kernel>(kernels::make_take_loops(problem), w), ""};
}

} // namespace tern::compiler
