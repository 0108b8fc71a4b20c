// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

#include "base/text.hpp"
#include "formats/onnx/model.hpp"

namespace tern::formats::onnx {

data_type data_type_of(element_type type) {
    static constexpr std::pair<element_type, data_type> types[] = {
#define TERN_ONNX_TYPE(name, number, type) {element_type::name, data_type::type},
#include "formats/onnx/element_types.def"
#undef TERN_ONNX_TYPE
    };
    const auto found = std::find_if(std::begin(types), std::end(types),
            [type](const auto &entry) { return entry.first == type; });
    return found == std::end(types) ? data_type::undef : found->second;
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

std::string_view name_of(attribute_kind kind) {
    constexpr std::array<std::string_view, 15> names = {"UNDEFINED", "FLOAT", "INT", "STRING",
            "TENSOR", "GRAPH", "FLOATS", "INTS", "STRINGS", "TENSORS", "GRAPHS", "SPARSE_TENSOR",
            "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"};
    return names[static_cast<std::size_t>(kind)];
}

std::string_view name_of(value_kind kind) {
    constexpr std::array<std::string_view, 7> names = {
            "undefined", "tensor", "sparse tensor", "sequence", "map", "optional", "opaque"};
    return names[static_cast<std::size_t>(kind)];
}

} // namespace tern::formats::onnx
