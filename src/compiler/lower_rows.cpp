// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <vector>

#include "base/mutation.hpp"
#include "base/shape.hpp"
#include "base/text.hpp"
#include "compiler/lowering.hpp"
#include "kernels/reduce/reduce_sum.hpp"
#include "kernels/softmax/softmax.hpp"

namespace tern::compiler {
namespace {

class softmax_kernel final : public runtime::kernel {
public:
    softmax_kernel(kernels::softmax_loops loops, bool works_in_place)
        : loops_(loops),
          works_in_place_(works_in_place) {}

    void run(const void *const *in, void *const *out, void *) const noexcept override {
        kernels::run_softmax(loops_, in[0], out[0], loops_.has_stats ? out[1] : nullptr);
    }
    bool works_in_place(std::size_t, std::size_t out) const noexcept override {
        return works_in_place_ && out == 0;
    }

private:
    kernels::softmax_loops loops_;
    bool works_in_place_;
};

class reduce_kernel final : public runtime::kernel {
public:
    explicit reduce_kernel(kernels::reduce_loops loops) : loops_(loops) {}

    void run(const void *const *in, void *const *out, void *) const noexcept override {
        kernels::run_reduce_sum(loops_, in[0], out[0]);
    }
    bool works_in_place(std::size_t, std::size_t) const noexcept override { return false; }

private:
    kernels::reduce_loops loops_;
};

bool is_low_or_f32(data_type type) {
    return type == data_type::f32 || type == data_type::bf16 || type == data_type::f16;
}

} // namespace

answer make_softmax(const work &w) {
    for (const tensor_desc *desc : {&w.src(0), &w.dst()})
        if (!is_low_or_f32(desc->type))
            return {nullptr, format_text("data type {}", name_of(desc->type))};
    const ir::op &op = *w.op().op;
    std::int64_t axis = ir::attr_of<std::int64_t>(op.attrs, op_attr::axis);
    kernels::softmax_problem problem;
    problem.shape = w.dst().shape;
    problem.axis = static_cast<int>(axis < 0 ? axis + problem.shape.rank() : axis);
    if (is_mutated(mutation::softmax_of_wrong_axis) && problem.shape.rank() > 1)
        problem.axis = problem.axis > 0 ? problem.axis - 1 : 1;
    problem.inf_as_zero = ir::attr_of<std::string>(op.attrs, op_attr::mode) == "inf_as_zero";
    if (is_mutated(mutation::masked_rows_nan)) problem.inf_as_zero = false;
    problem.src = {w.src(0).type, w.src(0).strides};
    problem.dst = {w.dst().type, w.dst().strides};
    problem.has_stats = w.ops.out.size() > 1;
    if (problem.has_stats) problem.stats = {w.dst(1).type, w.dst(1).strides};
    bool in_place = w.src(0).type == w.dst().type;
    return {std::make_unique<softmax_kernel>(kernels::make_softmax_loops(problem), in_place),
            std::string(kernels::softmax_target())};
}

answer make_reduce(const work &w) {
    const tensor_desc &src = w.src(0);
    const tensor_desc &dst = w.dst();
    const bool is_exact = src.type == data_type::s32 || src.type == data_type::s64;
    if (!is_exact && !is_low_or_f32(src.type))
        return {nullptr, format_text("data type {}", name_of(src.type))};
    const int rank = src.shape.rank();
    std::array<bool, max_rank> is_reduced{};
    for (std::int64_t axis :
            ir::attr_of<std::vector<std::int64_t>>(w.op().op->attrs, op_attr::axes))
        is_reduced[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)] = true;
    dims shape = src.shape;
    dims dst_strides; // by axis of src; what keep_dims leaves behind has one element
    const bool keeps_rank = dst.shape.rank() == rank;
    int next = 0;
    for (int axis = 0; axis < rank; ++axis) {
        const bool is_kept = !is_reduced[static_cast<std::size_t>(axis)];
        dst_strides.push_back(is_kept ? dst.strides[next] : 0);
        if (is_kept || keeps_rank) ++next;
        if (is_mutated(mutation::sum_term_lost) && !is_kept && shape[axis] > 1) --shape[axis];
    }
    return {std::make_unique<reduce_kernel>(kernels::make_reduce_loops(
                    shape, src.strides, dst_strides, src.type, dst.type)),
            std::string(kernels::reduce_target())};
}

} // namespace tern::compiler
