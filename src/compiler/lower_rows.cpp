// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/shape.hpp"
#include "base/text.hpp"
#include "compiler/lowering.hpp"
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

bool is_low_or_f32(data_type type) {
    return type == data_type::f32 || type == data_type::bf16 || type == data_type::f16;
}

} // namespace

answer make_softmax(const work &w) {
    for (const tensor_desc *desc : {&w.src(0), &w.dst()})
        if (!is_low_or_f32(desc->type))
            return {nullptr, format_text("data type {}", name_of(desc->type))};
    const ir::op &op = *w.op().op;
    std::int64_t axis = std::get<std::int64_t>(*ir::find(op.attrs, op_attr::axis));
    kernels::softmax_problem problem;
    problem.shape = w.dst().shape;
    problem.axis = static_cast<int>(axis < 0 ? axis + problem.shape.rank() : axis);
    problem.inf_as_zero =
            std::get<std::string>(*ir::find(op.attrs, op_attr::mode)) == "inf_as_zero";
    problem.src = {w.src(0).type, w.src(0).strides};
    problem.dst = {w.dst().type, w.dst().strides};
    problem.has_stats = w.ops.out.size() > 1;
    if (problem.has_stats) problem.stats = {w.dst(1).type, w.dst(1).strides};
    bool in_place = w.src(0).type == w.dst().type;
    return {std::make_unique<softmax_kernel>(kernels::make_softmax_loops(problem), in_place),
            std::string(kernels::softmax_target())};
}

} // namespace tern::compiler
