// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_VALUE_TYPE_HPP
#define TERN_VALUE_TYPE_HPP

/// \file
/// Types of values: tensors, sequences of tensors, and optional ones, as ONNX has them.

#include <cstdint>
#include <string>

#include "tern/types.hpp"

namespace tern {

/// What a value is made of. A sequence holds tensors of one data type and any shapes.
enum class value_form : std::uint8_t { tensor, sequence, optional_tensor, optional_sequence };

constexpr bool is_optional(value_form form) {
    return form == value_form::optional_tensor || form == value_form::optional_sequence;
}
/// The form of what an optional holds; others: the form itself.
constexpr value_form held_form(value_form form) {
    return form == value_form::optional_tensor     ? value_form::tensor
           : form == value_form::optional_sequence ? value_form::sequence
                                                   : form;
}
/// The optional of a tensor or sequence; optionals: the form itself.
constexpr value_form optional_form(value_form form) {
    return form == value_form::tensor     ? value_form::optional_tensor
           : form == value_form::sequence ? value_form::optional_sequence
                                          : form;
}

/// The type of a value. A plain value.
struct value_type {
    value_form form = value_form::tensor;
    data_type element = data_type::undef; ///< Of the tensors at the bottom.

    friend constexpr bool operator==(value_type a, value_type b) {
        return a.form == b.form && a.element == b.element;
    }
    friend constexpr bool operator!=(value_type a, value_type b) { return !(a == b); }
};

/// "optional(seq(tensor(f32)))": ONNX's notation with Tern's names of data types.
TERN_API std::string to_string(value_type type);

} // namespace tern

#endif
