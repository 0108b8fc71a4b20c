// SPDX-License-Identifier: Apache-2.0
#include "base/tensor_desc.hpp"

#include "base/shape.hpp"
#include "base/text.hpp"

namespace tern {
namespace {

const char *name_of(layout_type layout) {
    switch (layout) {
        case layout_type::any: return "any";
        case layout_type::strided: return "strided";
        case layout_type::opaque: return "opaque";
        case layout_type::undef: break;
    }
    return "undef";
}

const char *name_of(property_type property) {
    switch (property) {
        case property_type::variable: return "variable";
        case property_type::constant: return "constant";
        case property_type::host_scalar: return "host_scalar";
        case property_type::undef: break;
    }
    return "undef";
}

} // namespace

bool tensor_desc::shape_known() const {
    return rank_known && !has_unknown(shape);
}

bool tensor_desc::fully_known() const {
    return shape_known() && layout == layout_type::strided && !has_unknown(strides);
}

std::string to_string(const tensor_desc &desc) {
    if (!desc.is_tensor()) return to_string(desc.value_type());
    std::string strides;
    for (std::int64_t stride : desc.strides) {
        if (!strides.empty()) strides += 's';
        strides += stride == unknown_dim ? "?" : format_text("{}", stride);
    }
    return format_text("{}:{}:{}:{}:{}", name_of(desc.type), name_of(desc.layout),
            name_of(desc.property), shape_to_string(desc), strides);
}

std::string_view name_of(value_form form) {
    switch (form) {
        case value_form::tensor: return "tensor";
        case value_form::sequence: return "seq(tensor)";
        case value_form::optional_tensor: return "optional(tensor)";
        case value_form::optional_sequence: return "optional(seq(tensor))";
    }
    return "unknown";
}

std::string shape_to_string(const tensor_desc &desc) {
    return desc.rank_known ? to_string(desc.shape) : "unknown rank";
}

} // namespace tern
