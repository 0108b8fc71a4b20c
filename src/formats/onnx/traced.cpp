// SPDX-License-Identifier: Apache-2.0
#include "formats/onnx/traced.hpp"

#include <algorithm>
#include <cstring>

#include "base/aligned_memory.hpp"
#include "base/error.hpp"
#include "base/shape.hpp"

namespace tern::formats::onnx {

namespace {

void check_rank(std::size_t rank, const std::string &where) {
    if (rank > static_cast<std::size_t>(max_rank))
        throw declined("", format_text("{}: rank {} is not supported; the largest is {}", where,
                                   rank, max_rank));
}

struct string_elements {
    explicit string_elements(const std::vector<std::string> &source) : texts(source) {
        for (const std::string &text : texts)
            refs.push_back({text.data(), text.size()});
    }
    std::vector<std::string> texts;
    std::vector<string_ref> refs;
};

} // namespace

std::int64_t constant::count() const {
    return element_count(shape).value_or(0);
}

std::size_t constant::bytes() const {
    return static_cast<std::size_t>(count()) * bytes_of(type);
}

new_constant make_constant(data_type type, const dims &shape) {
    const std::optional<std::int64_t> count = element_count(shape);
    const std::optional<std::int64_t> bytes = count ? bytes_of_many(*count, type) : std::nullopt;
    if (!bytes)
        fail(status::invalid_shape, "the size of a {} tensor of shape {} does not fit",
                name_of(type), to_string(shape));
    std::shared_ptr<std::byte> owner = allocate_aligned(
            std::max<std::size_t>(static_cast<std::size_t>(*bytes), 1), "a constant");
    void *data = owner.get();
    auto value = std::make_shared<constant>(constant{type, shape, data, std::move(owner)});
    return {std::move(value), data};
}

constant_ptr make_constant(const dims &shape, const std::vector<std::int64_t> &values) {
    new_constant made = make_constant(data_type::s64, shape);
    if (!values.empty())
        std::memcpy(made.data, values.data(), values.size() * sizeof(std::int64_t));
    return made.value;
}

constant_ptr constant_of(const tensor &source) {
    const data_type type = data_type_of(source.type);
    if (!source.unreadable.empty() || type == data_type::undef)
        throw declined("",
                format_text("{}: {}", source.where,
                        source.unreadable.empty()
                                ? "elements of type " + name_of(source.type) + " are not supported"
                                : source.unreadable));
    check_rank(source.dims.size(), source.where);
    constant made;
    made.type = type;
    made.shape.assign(source.dims.begin(), source.dims.end());
    made.data = source.data.get();
    made.owner = source.data;
    if (type == data_type::string) {
        auto held = std::make_shared<const string_elements>(source.strings);
        made.data = held->refs.data();
        made.owner = std::move(held);
    }
    return std::make_shared<const constant>(std::move(made));
}

traced traced::declared(const value_info &info) {
    const formats::onnx::value_type *type = info.type ? &*info.type : nullptr;
    traced value;
    value.is_given = true;
    const bool may_be_empty = type && type->kind == value_kind::optional;
    if (may_be_empty) type = type->inner.get();
    if (type && type->kind == value_kind::sequence) {
        value.desc.form = value_form::sequence;
        type = type->inner.get();
    }
    if (may_be_empty) value.desc.form = optional_form(value.desc.form);
    if (!type || type->kind == value_kind::undefined)
        fail(status::invalid_graph, "value \"{}\" has no type", info.name);
    value.desc.type = data_type_of(type->element);
    if (type->kind != value_kind::tensor || value.desc.type == data_type::undef)
        throw declined(
                "type of a value", format_text("value \"{}\": {} of type {} is not supported",
                                           info.name, name_of(type->kind), name_of(type->element)));
    if (type->shape) check_rank(type->shape->size(), info.name);
    return value;
}

tensor_desc dense_desc(data_type type, const dims &shape) {
    tensor_desc desc;
    desc.type = type;
    desc.rank_known = true;
    desc.shape = shape;
    desc.layout = layout_type::strided;
    desc.strides = dense_strides(shape).value_or(dims(shape.rank(), 0));
    return desc;
}

} // namespace tern::formats::onnx
