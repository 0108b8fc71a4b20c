// SPDX-License-Identifier: Apache-2.0
#include "primitives/primitive.hpp"

#ifdef TERN_HAVE_ONEDNN
#include <utility>

#include "base/shape.hpp"
#include "base/text.hpp"
#include "primitives/bound_primitive.hpp"
#endif

namespace tern::primitives {

#ifdef TERN_HAVE_ONEDNN
namespace {

std::string chain_form_obstacle(const chain_form &form) {
    for (const tensor_desc *desc : {&form.src.desc, &form.dst}) {
        if (desc->type != data_type::f32)
            return format_text("data type {}: oneDNN computes in f32", name_of(desc->type));
        if (is_empty(desc->shape)) return "there are no elements";
        if (!is_dense(desc->shape, desc->strides)) return "an operand is not dense";
    }
    if (!(form.src.desc.shape == form.dst.shape)) return "the first operand is broadcast";
    if (!form.links[0].other && form.links.size() > 1)
        return "oneDNN's eltwise primitive takes no post-ops in generated code";
    return links_obstacle(form.links, 1);
}

} // namespace

made_primitive make_chain_primitive(const chain_form &form) {
    if (std::string obstacle = chain_form_obstacle(form); !obstacle.empty())
        return {nullptr, obstacle};
    return guarded([&]() -> made_primitive {
        const link &first = form.links[0];
        std::vector<argument> args = {{DNNL_ARG_SRC_0, dnnl_desc(form.src.desc), form.src.position},
                {DNNL_ARG_DST, dnnl_desc(form.dst), 0, true}};
        dnnl::post_ops ops;
        for (std::size_t i = 1; i < form.links.size(); ++i)
            append(ops, args, form.links[i]);
        dnnl::primitive_attr attr = plain_attr();
        attr.set_post_ops(ops);
        if (!first.other) {
            const eltwise_parameters given = parameters_of(first);
            dnnl::eltwise_forward::primitive_desc desc(cpu_engine(),
                    dnnl::prop_kind::forward_inference, algorithm_of(first), args[0].desc,
                    args[1].desc, given.alpha, given.beta, attr);
            return bound(desc, dnnl::eltwise_forward(desc), std::move(args));
        }
        args.push_back({DNNL_ARG_SRC_1, dnnl_desc(first.other->desc), first.other->position});
        if (first.is_swapped) std::swap(args.front().key, args.back().key);
        const dnnl::memory::desc other = args.back().desc;
        const bool swaps = first.is_swapped;
        dnnl::binary::primitive_desc desc(cpu_engine(), algorithm_of(first),
                swaps ? other : args[0].desc, swaps ? args[0].desc : other, args[1].desc, attr);
        return bound(desc, dnnl::binary(desc), std::move(args));
    });
}

#else

made_primitive make_chain_primitive(const chain_form &) {
    return {nullptr, "built without oneDNN"};
}

#endif

} // namespace tern::primitives
