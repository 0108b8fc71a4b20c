// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_BASE_TENSOR_DESC_HPP
#define TERN_BASE_TENSOR_DESC_HPP

#include <string>
#include <string_view>

#include "base/data_type.hpp"
#include "base/dims.hpp"
#include "tern/value_type.hpp"

namespace tern {

/// What is known of a tensor, apart from its id: the inside's form of a logical tensor. Or of a
/// sequence or optional (a logical value): then `type` is that of its tensors, and neither rank nor
/// layout are known.
struct tensor_desc {
    data_type type = data_type::undef;
    layout_type layout = layout_type::undef;
    property_type property = property_type::undef;
    bool rank_known = false;
    dims shape;   ///< May hold unknown_dim. Empty when the rank is unknown.
    dims strides; ///< Elements; same rank as shape when strided, else empty. May hold unknown_dim.
    std::size_t layout_id = 0; ///< Opaque layouts only.
    value_form form = value_form::tensor;

    friend bool operator==(const tensor_desc &, const tensor_desc &) = default;

    bool is_tensor() const { return form == value_form::tensor; }
    tern::value_type value_type() const { return {form, type}; }
    /// Rank and every dim known.
    bool shape_known() const;
    /// Strided with nothing unknown.
    bool fully_known() const;
};

/// "f32:strided:undef:2x3:3s1", oneDNN's notation in verbose lines;
/// "seq(tensor(f32))" of what is no tensor.
std::string to_string(const tensor_desc &desc);

/// "tensor", "seq(tensor)", "optional(tensor)", "optional(seq(tensor))".
std::string_view name_of(value_form form);

/// The shape alone: "2x3", "scalar", or "unknown rank".
std::string shape_to_string(const tensor_desc &desc);

} // namespace tern

#endif
