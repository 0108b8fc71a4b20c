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

/// The tensor in units that generated code copies: of 4 bytes, or of one. An element of several
/// units has one more axis, the last one.
tensor_desc in_units(const tensor_desc &desc, std::int64_t unit, std::int64_t units) {
    tensor_desc result = desc;
    result.type = unit == 4 ? data_type::f32 : data_type::s8;
    if (units == 1) return result;
    for (std::int64_t &stride : result.strides)
        stride *= units;
    result.shape.push_back(units);
    result.strides.push_back(1);
    return result;
}

} // namespace

made_primitive make_reorder_primitive(const tensor_desc &src, const tensor_desc &dst) {
    if (is_empty(dst.shape)) return {nullptr, "there are no elements"};
    const auto bytes = static_cast<std::int64_t>(bytes_of(dst.type));
    const std::int64_t unit = bytes % 4 == 0 ? 4 : 1;
    if (bytes != unit && dst.shape.rank() == max_rank)
        return {nullptr, "more axes than are possible"};
    for (int axis = 0; axis < src.shape.rank(); ++axis)
        if (src.strides[axis] == 0 && src.shape[axis] > 1)
            return {nullptr, "src repeats its elements"};
    return guarded([&]() -> made_primitive {
        std::vector<argument> args = {
                {DNNL_ARG_FROM, dnnl_desc(in_units(src, unit, bytes / unit)), 0},
                {DNNL_ARG_TO, dnnl_desc(in_units(dst, unit, bytes / unit)), 0, true}};
        dnnl::reorder::primitive_desc desc(
                cpu_engine(), args[0].desc, cpu_engine(), args[1].desc, plain_attr());
        return bound(desc, dnnl::reorder(desc), std::move(args));
    });
}

#else

made_primitive make_reorder_primitive(const tensor_desc &, const tensor_desc &) {
    return {nullptr, "built without oneDNN"};
}

#endif

} // namespace tern::primitives
