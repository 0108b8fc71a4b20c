// SPDX-License-Identifier: Apache-2.0
#include "primitives/primitive.hpp"

#ifdef TERN_HAVE_ONEDNN
#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "base/shape.hpp"
#include "base/text.hpp"
#include "primitives/bound_primitive.hpp"
#endif

namespace tern::primitives {

#ifdef TERN_HAVE_ONEDNN
namespace {

/// oneDNN's result of a row with NaN or +inf is NaN there and 0 elsewhere. The op's is NaN
/// throughout.
class spreading_softmax final : public primitive {
public:
    spreading_softmax(std::shared_ptr<const primitive> inner, const dims &shape, int axis)
        : inner_(std::move(inner)),
          length_(shape[axis]) {
        for (int i = 0; i < shape.rank(); ++i)
            (i < axis ? outer_ : i > axis ? stride_ : rest_) *= shape[i];
    }

    bool run(const void *const *in, void *const *out, void *scratch) const noexcept override {
        if (!inner_->run(in, out, scratch)) return false;
        auto *dst = static_cast<float *>(out[0]);
        const std::int64_t grain = 1 + elements_of_a_block / (length_ * stride_);
        parallel_for(outer_, grain, [&](std::int64_t begin, std::int64_t end) noexcept {
            for (std::int64_t i = begin; i < end; ++i)
                spread(dst + i * length_ * stride_);
        });
        return true;
    }
    const std::string &name() const override { return inner_->name(); }
    std::size_t scratch_bytes() const override { return inner_->scratch_bytes(); }

private:
    static constexpr std::int64_t elements_of_a_block = 1 << 15; // about 10 us

    /// Rows that begin in `stride_` elements one after the other.
    void spread(float *rows) const noexcept {
        float sum = 0; // of numbers from 0 to 1: NaN when one of them is
        for (std::int64_t i = 0; i < length_ * stride_; ++i)
            sum += rows[i];
        if (!std::isnan(sum)) return;
        for (std::int64_t row = 0; row < stride_; ++row) {
            bool has_nan = false;
            for (std::int64_t i = 0; i < length_; ++i)
                has_nan = has_nan || std::isnan(rows[i * stride_ + row]);
            for (std::int64_t i = 0; has_nan && i < length_; ++i)
                rows[i * stride_ + row] = std::numeric_limits<float>::quiet_NaN();
        }
    }

    std::shared_ptr<const primitive> inner_;
    std::int64_t length_;
    std::int64_t outer_ = 1;
    std::int64_t stride_ = 1;
    std::int64_t rest_ = 1; ///< The axis itself.
};

/// What the op of f32 has in common for all primitives here.
std::string dense_f32_obstacle(const tensor_desc &src, const tensor_desc &dst) {
    for (const tensor_desc *desc : {&src, &dst}) {
        if (desc->type != data_type::f32)
            return format_text("data type {}: oneDNN computes in f32", name_of(desc->type));
        if (is_empty(desc->shape)) return "there are no elements";
        if (!is_dense(desc->shape, desc->strides)) return "an operand is not dense";
    }
    return {};
}

} // namespace

made_primitive make_softmax_primitive(const softmax_form &form) {
    if (form.has_stats) return {nullptr, "oneDNN 3.7 gives no stats"};
    if (form.inf_as_zero) return {nullptr, "oneDNN 3.7 has no mode inf_as_zero"};
    if (std::string obstacle = dense_f32_obstacle(form.src, form.dst); !obstacle.empty())
        return {nullptr, obstacle};
    made_primitive made = guarded([&]() -> made_primitive {
        std::vector<argument> args = {{DNNL_ARG_SRC, dnnl_desc(form.src), 0},
                {DNNL_ARG_DST, dnnl_desc(form.dst), 0, true}};
        dnnl::softmax_forward::primitive_desc desc(cpu_engine(), dnnl::prop_kind::forward_inference,
                dnnl::algorithm::softmax_accurate, args[0].desc, args[1].desc, form.axis,
                plain_attr());
        return bound(desc, dnnl::softmax_forward(desc), std::move(args));
    });
    if (made.ready)
        made.ready = std::make_shared<spreading_softmax>(
                std::move(made.ready), form.dst.shape, form.axis);
    return made;
}

made_primitive make_sum_primitive(const tensor_desc &src, const tensor_desc &dst) {
    if (std::string obstacle = dense_f32_obstacle(src, dst); !obstacle.empty())
        return {nullptr, obstacle};
    if (src.shape == dst.shape) return {nullptr, "nothing is reduced"};
    return guarded([&]() -> made_primitive {
        std::vector<argument> args = {
                {DNNL_ARG_SRC, dnnl_desc(src), 0}, {DNNL_ARG_DST, dnnl_desc(dst), 0, true}};
        dnnl::reduction::primitive_desc desc(cpu_engine(), dnnl::algorithm::reduction_sum,
                args[0].desc, args[1].desc, 0.0F, 0.0F, plain_attr());
        return bound(desc, dnnl::reduction(desc), std::move(args));
    });
}

#else

made_primitive make_softmax_primitive(const softmax_form &) {
    return {nullptr, "built without oneDNN"};
}

made_primitive make_sum_primitive(const tensor_desc &, const tensor_desc &) {
    return {nullptr, "built without oneDNN"};
}

#endif

} // namespace tern::primitives
