// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/mutation.hpp"
#include "base/shape.hpp"
#include "compiler/lowering.hpp"
#include "kernels/select/select.hpp"
#include "primitives/select_primitive.hpp"

namespace tern::compiler {
namespace {

const std::uint8_t *bytes(const void *cond) {
    return static_cast<const std::uint8_t *>(cond);
}

class select_loops_kernel final : public runtime::kernel {
public:
    explicit select_loops_kernel(kernels::select_loops loops) : loops_(loops) {}

    void run(const void *const *in, void *const *out, void *) const noexcept override {
        const bool swaps = is_mutated(mutation::select_operands_swapped);
        kernels::run_select(loops_, bytes(in[0]), in[swaps ? 2 : 1], in[swaps ? 1 : 2], out[0]);
    }
    bool works_in_place(std::size_t, std::size_t) const noexcept override { return true; }

private:
    kernels::select_loops loops_;
};

class select_primitive_kernel final : public runtime::kernel {
public:
    explicit select_primitive_kernel(std::shared_ptr<const primitives::select_primitive> primitive)
        : primitive_(std::move(primitive)) {}

    void run(const void *const *in, void *const *out, void *) const noexcept override {
        primitive_->run(bytes(in[0]), in[1], in[2], out[0]);
    }
    bool works_in_place(std::size_t, std::size_t) const noexcept override { return true; }

private:
    std::shared_ptr<const primitives::select_primitive> primitive_;
};

/// A select whose one condition is always true.
class copy_kernel final : public runtime::kernel {
public:
    copy_kernel(kernels::select_loops loops, bool keeps_order)
        : loops_(loops),
          keeps_order_(keeps_order) {}

    void run(const void *const *in, void *const *out, void *) const noexcept override {
        const std::uint8_t always = 1;
        kernels::run_select(loops_, &always, in[0], in[0], out[0]);
    }
    bool works_in_place(std::size_t, std::size_t) const noexcept override { return keeps_order_; }

private:
    kernels::select_loops loops_;
    bool keeps_order_; ///< Each element goes to its own index.
};

} // namespace

answer make_select_loops(const work &w) {
    const tensor_desc &dst = w.dst();
    std::array<dims, 4> strides;
    for (std::size_t i = 0; i < 3; ++i)
        strides[i] = broadcast_strides(w.src(i).shape, w.src(i).strides, dst.shape);
    strides[kernels::select_dst] = dst.strides;
    if (is_mutated(mutation::select_operands_swapped)) std::swap(strides[1], strides[2]);
    if (is_mutated(mutation::mask_of_first_batch) && dst.shape.rank() > 0) strides[0][0] = 0;
    auto loops =
            kernels::make_select_loops(dst.shape, strides, static_cast<int>(bytes_of(dst.type)));
    return {std::make_unique<select_loops_kernel>(loops), std::string(kernels::select_target())};
}

answer make_select_primitive(const work &w) {
    std::string reason;
    const auto &inputs = w.op().op->def->inputs;
    auto primitive = primitives::make_select_primitive(
            {{inputs[0].name, w.src(0)}, {inputs[1].name, w.src(1)}, {inputs[2].name, w.src(2)},
                    {w.op().op->def->outputs[0].name, w.dst()}},
            reason);
    if (!primitive) return {nullptr, reason};
    std::string name = primitive->name();
    return {std::make_unique<select_primitive_kernel>(std::move(primitive)), name};
}

answer make_copy(const work &w) {
    const tensor_desc &src = w.src(0);
    const tensor_desc &dst = w.dst();
    dims strides = src.strides;
    if (w.op().kind() == op_kind::StaticReshape) {
        std::optional<dims> reshaped = reshape_strides(src.shape, src.strides, dst.shape);
        if (!reshaped) return {nullptr, "the source's strides do not fit the new shape"};
        strides = *reshaped;
    } else if (w.op().kind() == op_kind::StaticTranspose) {
        strides = transposed_strides(w.op(), src.strides);
    }
    const dims none(dst.shape.rank(), 0);
    auto loops = kernels::make_select_loops(
            dst.shape, {none, strides, strides, dst.strides}, static_cast<int>(bytes_of(dst.type)));
    const bool keeps_order =
            w.op().kind() != op_kind::StaticReshape && w.op().kind() != op_kind::StaticTranspose;
    return {std::make_unique<copy_kernel>(loops, keeps_order),
            std::string(kernels::select_target())};
}

} // namespace tern::compiler
