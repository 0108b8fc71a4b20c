// SPDX-License-Identifier: Apache-2.0
#include <utility>

#include "formats/onnx/decoders.hpp"

namespace tern::formats::onnx {
namespace {

dimension decode_dimension(message_reader &in) {
    dimension result;
    while (in.next())
        switch (in.tag()) {
            case 1: result = {in.s64("dim_value"), {}}; break;
            case 2: result = {std::nullopt, in.text("dim_param")}; break;
            default: in.skip();
        }
    return result;
}

std::vector<dimension> decode_shape(message_reader &in) {
    std::vector<dimension> result;
    while (in.next())
        if (in.tag() == 1)
            append_message(in, "dim", result, decode_dimension);
        else
            in.skip();
    return result;
}

/// TypeProto.Tensor and TypeProto.SparseTensor.
value_type decode_tensor_type(message_reader &in) {
    value_type result;
    while (in.next())
        switch (in.tag()) {
            case 1: result.element = static_cast<element_type>(in.s32("elem_type")); break;
            case 2: read_once(in, "shape", result.shape, decode_shape); break;
            default: in.skip();
        }
    return result;
}

/// TypeProto.Sequence and TypeProto.Optional.
value_type decode_container_type(message_reader &in) {
    std::optional<value_type> inner;
    while (in.next())
        if (in.tag() == 1)
            read_once(in, "elem_type", inner, decode_type);
        else
            in.skip();
    if (!inner) in.fail("elem_type", "no type is given");
    value_type result;
    result.inner = std::make_shared<value_type>(std::move(*inner));
    return result;
}

value_type decode_map_type(message_reader &in) {
    value_type result;
    std::optional<value_type> inner;
    while (in.next())
        switch (in.tag()) {
            case 1: result.element = static_cast<element_type>(in.s32("key_type")); break;
            case 2: read_once(in, "value_type", inner, decode_type); break;
            default: in.skip();
        }
    if (!inner) in.fail("value_type", "no type is given");
    result.inner = std::make_shared<value_type>(std::move(*inner));
    return result;
}

value_type decode_opaque_type(message_reader &in) {
    while (in.next())
        in.skip();
    return {};
}

} // namespace

value_type decode_type(message_reader &in) {
    std::optional<value_type> result;
    value_kind kind = value_kind::undefined;
    auto read = [&](value_kind which, std::string_view field, const auto &read_inner) {
        read_once(in, field, result, read_inner);
        kind = which;
    };
    while (in.next())
        switch (in.tag()) {
            case 1: read(value_kind::tensor, "tensor_type", decode_tensor_type); break;
            case 4: read(value_kind::sequence, "sequence_type", decode_container_type); break;
            case 5: read(value_kind::map, "map_type", decode_map_type); break;
            case 7: read(value_kind::opaque, "opaque_type", decode_opaque_type); break;
            case 8:
                read(value_kind::sparse_tensor, "sparse_tensor_type", decode_tensor_type);
                break;
            case 9: read(value_kind::optional, "optional_type", decode_container_type); break;
            default: in.skip();
        }
    if (!result) return {};
    result->kind = kind;
    return std::move(*result);
}

} // namespace tern::formats::onnx
