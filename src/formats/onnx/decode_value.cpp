// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.hpp"
#include "formats/onnx/decoders.hpp"

namespace tern::formats::onnx {
namespace {

/// Fields 3 to 7 of SequenceProto and of OptionalProto hold values of the same kinds; the number
/// is that of the kind, plus 2.
struct element_field {
    std::string_view of_sequence;
    std::string_view of_optional;
};
constexpr std::array<element_field, 5> element_fields = {{
        {"tensor_values", "tensor_value"},
        {"sparse_tensor_values", "sparse_tensor_value"},
        {"sequence_values", "sequence_value"},
        {"map_values", "map_value"},
        {"optional_values", "optional_value"},
}};
constexpr std::uint32_t first_element_field = 3;
constexpr std::uint32_t last_element_field = 7;

void decode_element(message_reader &in, const value_type &inner, stored_value &result) {
    const bool is_sequence = result.kind == value_kind::sequence;
    const element_field &names = element_fields[in.tag() - first_element_field];
    const std::string_view field = is_sequence ? names.of_sequence : names.of_optional;
    value_type type;
    type.kind = static_cast<value_kind>(in.tag() - 2);
    if (inner.kind != value_kind::undefined) {
        if (inner.kind != type.kind)
            in.fail(field, format_text("expected a {}, the declared element, found a {}",
                                   name_of(inner.kind), name_of(type.kind)));
        type = inner;
    }
    if (!is_sequence && !result.elements.empty())
        in.fail(field, "expected one, found a second one");
    message_reader element(
            in, field, is_sequence ? std::optional(result.elements.size()) : std::nullopt);
    result.elements.push_back(decode_stored_value(element, type));
}

/// A SequenceProto or an OptionalProto.
stored_value decode_container(message_reader &in, const value_type &declared) {
    stored_value result;
    result.kind = declared.kind;
    const value_type inner = declared.inner ? *declared.inner : value_type();
    std::int32_t element = 0;
    while (in.next())
        if (in.tag() == 1)
            in.label("name");
        else if (in.tag() == 2)
            element = in.s32("elem_type");
        else if (in.tag() >= first_element_field && in.tag() <= last_element_field)
            decode_element(in, inner, result);
        else
            in.skip();

    if (element < 0 || element > static_cast<std::int32_t>(value_kind::optional))
        in.fail("elem_type", format_text("expected a kind of value, found {}", element));
    result.element_kind = static_cast<value_kind>(element);
    auto check = [&](value_kind expected, const char *source) {
        if (result.element_kind != expected)
            in.fail("elem_type", format_text("expected {}, {}, found {}", name_of(expected), source,
                                         name_of(result.element_kind)));
    };
    for (const stored_value &value : result.elements)
        check(value.kind, "the kind of an element");
    if (result.element_kind != value_kind::undefined && inner.kind != value_kind::undefined)
        check(inner.kind, "the declared kind");
    return result;
}

} // namespace

stored_value decode_stored_value(message_reader &in, const value_type &declared) {
    stored_value result;
    result.kind = declared.kind;
    switch (declared.kind) {
        case value_kind::tensor:
            result.content = decode_tensor(in);
            if (declared.element != element_type::UNDEFINED
                    && declared.element != result.content.type)
                in.fail("data_type",
                        format_text("expected {}, the declared type, found {}",
                                name_of(declared.element), name_of(result.content.type)));
            return result;
        case value_kind::sequence:
        case value_kind::optional: return decode_container(in, declared);
        default: break;
    }
    in.fail("", format_text("values of kind {} are not supported", name_of(declared.kind)),
            status::unimplemented);
}

} // namespace tern::formats::onnx
