// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cstddef>

#include "base/text.hpp"
#include "formats/onnx/model.hpp"

namespace tern::formats::onnx {

data_type data_type_of(element_type type) {
    switch (type) {
#define TERN_ONNX_TYPE(name, number, type)                                                         \
    case element_type::name:                                                                       \
        return data_type::type;
#include "formats/onnx/element_types.def"
#undef TERN_ONNX_TYPE
    }
    return data_type::undef;
}

std::string name_of(element_type type) {
    switch (type) {
#define TERN_ONNX_TYPE(name, number, type)                                                         \
    case element_type::name:                                                                       \
        return #name;
#include "formats/onnx/element_types.def"
#undef TERN_ONNX_TYPE
    }
    return format_text("type {}", static_cast<std::int32_t>(type));
}

std::string name_of(attribute_kind kind) {
    constexpr std::array names = {"UNDEFINED", "FLOAT", "INT", "STRING", "TENSOR", "GRAPH",
            "FLOATS", "INTS", "STRINGS", "TENSORS", "GRAPHS", "SPARSE_TENSOR", "SPARSE_TENSORS",
            "TYPE_PROTO", "TYPE_PROTOS"};
    auto number = static_cast<std::int32_t>(kind);
    if (number >= 0 && static_cast<std::size_t>(number) < names.size())
        return names[static_cast<std::size_t>(number)];
    return format_text("kind {}", number);
}

const char *name_of(value_kind kind) {
    switch (kind) {
        case value_kind::undefined: return "undefined";
        case value_kind::tensor: return "tensor";
        case value_kind::sparse_tensor: return "sparse tensor";
        case value_kind::sequence: return "sequence";
        case value_kind::map: return "map";
        case value_kind::optional: return "optional";
        case value_kind::opaque: return "opaque";
    }
    return "";
}

} // namespace tern::formats::onnx
