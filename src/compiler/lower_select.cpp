// SPDX-License-Identifier: Apache-2.0
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
        kernels::run_select(loops_, bytes(in[0]), in[1], in[2], out[0]);
    }

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

private:
    std::shared_ptr<const primitives::select_primitive> primitive_;
};

} // namespace

answer make_select_loops(const resolved_op &op) {
    const tensor_desc &dst = op.out[0];
    std::array<dims, 4> strides;
    for (std::size_t i = 0; i < 3; ++i)
        strides[i] = broadcast_strides(op.in[i].shape, op.in[i].strides, dst.shape);
    strides[kernels::select_dst] = dst.strides;
    auto loops =
            kernels::make_select_loops(dst.shape, strides, static_cast<int>(bytes_of(dst.type)));
    return {std::make_unique<select_loops_kernel>(loops), std::string(kernels::select_target())};
}

answer make_select_primitive(const resolved_op &op) {
    std::string reason;
    const auto &inputs = op.op.def->inputs;
    auto primitive = primitives::make_select_primitive(
            {{inputs[0].name, op.in[0]}, {inputs[1].name, op.in[1]}, {inputs[2].name, op.in[2]},
                    {op.op.def->outputs[0].name, op.out[0]}},
            reason);
    if (!primitive) return {nullptr, reason};
    std::string name = primitive->name();
    return {std::make_unique<select_primitive_kernel>(std::move(primitive)), name};
}

} // namespace tern::compiler
