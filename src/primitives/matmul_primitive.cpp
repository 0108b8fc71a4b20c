// SPDX-License-Identifier: Apache-2.0
#include "primitives/primitive.hpp"

#ifdef TERN_HAVE_ONEDNN
#include "base/shape.hpp"
#include "base/text.hpp"
#include "primitives/bound_primitive.hpp"
#endif

namespace tern::primitives {

#ifdef TERN_HAVE_ONEDNN
namespace {

bool has_strided_rows(const tensor_desc &desc) {
    const int rank = desc.shape.rank();
    for (int axis : {rank - 1, rank - 2})
        if (desc.shape[axis] == 1 || desc.strides[axis] == 1) return true;
    return false;
}

std::string matmul_form_obstacle(const matmul_form &form) {
    for (const tensor_desc *desc : {&form.a.desc, &form.b.desc, &form.dst}) {
        if (is_empty(desc->shape)) return "an operand is empty";
        if (!has_strided_rows(*desc)) return "neither rows nor columns of an operand are dense";
        for (int axis = 0; axis < desc->shape.rank(); ++axis)
            if (desc->strides[axis] == 0 && desc->shape[axis] > 1)
                return "an operand repeats its elements";
    }
    if (!form.links.empty() && form.dst.type != data_type::f32)
        return format_text("ops that follow round to {} first", name_of(form.dst.type));
    if (form.bias) {
        if (form.bias->desc.type != data_type::f32)
            return format_text("bias is {}, not f32", name_of(form.bias->desc.type));
        if (!is_dense(form.bias->desc.shape, form.bias->desc.strides)) return "bias is not dense";
    }
    return links_obstacle(form.links, 0);
}

} // namespace

made_primitive make_matmul_primitive(const matmul_form &form) {
    if (std::string obstacle = matmul_form_obstacle(form); !obstacle.empty())
        return {nullptr, obstacle};
    return guarded([&]() -> made_primitive {
        std::vector<argument> args = {{DNNL_ARG_SRC, dnnl_desc(form.a.desc), form.a.position},
                {DNNL_ARG_WEIGHTS, dnnl_desc(form.b.desc), form.b.position},
                {DNNL_ARG_DST, dnnl_desc(form.dst), 0, true}};
        dnnl::post_ops ops;
        // As a post-op, bias may have any shape that broadcasts.
        if (form.bias) append(ops, args, {op_kind::Add, 0, form.bias});
        for (const link &next : form.links)
            append(ops, args, next);
        dnnl::primitive_attr attr = plain_attr();
        attr.set_post_ops(ops);
        dnnl::matmul::primitive_desc desc(
                cpu_engine(), args[0].desc, args[1].desc, args[2].desc, attr);
        return bound(desc, dnnl::matmul(desc), std::move(args));
    });
}

#else

made_primitive make_matmul_primitive(const matmul_form &) {
    return {nullptr, "built without oneDNN"};
}

#endif

} // namespace tern::primitives
