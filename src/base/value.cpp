// SPDX-License-Identifier: Apache-2.0
#include "tern/value.hpp"

#include <algorithm>
#include <cstring>

#include "base/aligned_memory.hpp"
#include "base/data_type.hpp"
#include "base/dims.hpp"
#include "base/error.hpp"
#include "base/shape.hpp"

namespace tern {

struct TERN_NO_EXPORT value::state {
    value_type type;
    // Tensors:
    value::dims shape = {};
    const void *data = nullptr;
    std::size_t elements = 0;
    std::shared_ptr<const void> keeper = nullptr;
    // Sequences: the tensors; optionals: what it holds, or nothing.
    std::vector<value> items = {};
};

namespace {

void check_element_type(data_type type, const char *what) {
    const int index = static_cast<int>(type);
    if (index < 0 || index >= data_type_count || bytes_of(type) == 0)
        fail(status::invalid_arguments, "{}: data type {} has no elements of whole bytes", what,
                index >= 0 && index < data_type_count ? name_of(type) : "unknown");
}

/// Number of elements of a tensor that can be.
std::size_t count_elements(data_type type, const value::dims &shape, const char *what) {
    check_element_type(type, what);
    if (shape.size() > static_cast<std::size_t>(max_rank))
        fail(status::invalid_arguments, "{}: {} dimensions given; at most {} are allowed", what,
                shape.size(), max_rank);
    tern::dims known;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        if (shape[axis] < 0)
            fail(status::invalid_arguments, "{}: dimension {} is {}; expected 0 or more", what,
                    axis, shape[axis]);
        known.push_back(shape[axis]);
    }
    std::optional<std::int64_t> count = element_count(known);
    if (!count || !bytes_of_many(*count, type))
        fail(status::invalid_arguments, "{}: the size of shape {} and type {} does not fit 63 bits",
                what, to_string(known), name_of(type));
    return static_cast<std::size_t>(*count);
}

void check_data(const void *data, std::size_t elements, const char *what) {
    if (data == nullptr && elements != 0)
        fail(status::invalid_arguments, "{}: there are {} elements, but no data", what, elements);
}

string_ref string_at(const void *data, std::size_t index) {
    string_ref ref;
    std::memcpy(&ref, static_cast<const char *>(data) + index * sizeof ref, sizeof ref);
    return ref;
}

/// References, and behind them the characters that they refer to.
std::shared_ptr<const void> copy_strings(const void *data, std::size_t count) {
    std::size_t bytes = count * sizeof(string_ref);
    for (std::size_t i = 0; i < count; ++i) {
        const string_ref ref = string_at(data, i);
        if (ref.data == nullptr && ref.size != 0)
            fail(status::invalid_arguments,
                    "value::tensor: string {} has {} characters, but no data", i, ref.size);
        if (__builtin_add_overflow(bytes, ref.size, &bytes))
            fail(status::invalid_arguments, "value::tensor: the strings are too long together");
    }
    std::shared_ptr<void> memory = allocate_aligned(bytes, "value");
    if (!memory) return nullptr;
    auto *refs = static_cast<string_ref *>(memory.get());
    auto *characters = reinterpret_cast<char *>(refs + count);
    for (std::size_t i = 0; i < count; ++i) {
        const string_ref ref = string_at(data, i);
        if (ref.size != 0) std::memcpy(characters, ref.data, ref.size);
        new (refs + i) string_ref{characters, ref.size};
        characters += ref.size;
    }
    return memory;
}

} // namespace

value::value() noexcept = default;

value value::tensor(data_type type, const dims &shape, const void *data) {
    const std::size_t count = count_elements(type, shape, "value::tensor");
    check_data(data, count, "value::tensor");
    std::shared_ptr<const void> keeper;
    if (type == data_type::string) {
        keeper = copy_strings(data, count);
    } else if (count != 0) {
        std::shared_ptr<void> memory = allocate_aligned(count * bytes_of(type), "value");
        std::memcpy(memory.get(), data, count * bytes_of(type));
        keeper = std::move(memory);
    }
    const void *own = keeper.get();
    return value(std::make_shared<state>(
            state{{value_form::tensor, type}, shape, own, count, std::move(keeper), {}}));
}

value value::strings(const dims &shape, const std::vector<std::string> &texts) {
    const std::size_t count = count_elements(data_type::string, shape, "value::strings");
    if (count != texts.size())
        fail(status::invalid_arguments, "value::strings: {} texts given for {} elements",
                texts.size(), count);
    std::vector<string_ref> refs;
    refs.reserve(texts.size());
    for (const std::string &text : texts)
        refs.push_back({text.data(), text.size()});
    return tensor(data_type::string, shape, refs.data());
}

value value::borrow(
        data_type type, const dims &shape, const void *data, std::shared_ptr<const void> keeper) {
    const std::size_t count = count_elements(type, shape, "value::borrow");
    check_data(data, count, "value::borrow");
    return value(std::make_shared<state>(state{{value_form::tensor, type}, shape,
            count == 0 ? nullptr : data, count, std::move(keeper), {}}));
}

value value::make_tensor(data_type type, const dims &shape, void *&data) {
    const std::size_t count = count_elements(type, shape, "value::make_tensor");
    std::shared_ptr<void> memory = allocate_aligned(count * bytes_of(type), "value");
    data = memory.get();
    if (type == data_type::string)
        std::uninitialized_value_construct_n(static_cast<string_ref *>(data), count);
    return value(std::make_shared<state>(
            state{{value_form::tensor, type}, shape, data, count, std::move(memory), {}}));
}

value value::sequence(data_type element, std::vector<value> items) {
    check_element_type(element, "value::sequence");
    const value_type wanted{value_form::tensor, element};
    for (std::size_t i = 0; i < items.size(); ++i)
        if (items[i].is_absent() || items[i].type() != wanted)
            fail(status::invalid_arguments, "value::sequence: item {} is {}, expected {}", i,
                    items[i].is_absent() ? "absent" : to_string(items[i].type()),
                    to_string(wanted));
    return value(std::make_shared<state>(
            state{{value_form::sequence, element}, {}, nullptr, 0, nullptr, std::move(items)}));
}

value value::optional(value held) {
    if (!held.is_tensor() && !held.is_sequence())
        fail(status::invalid_arguments,
                "value::optional: {} given, expected a tensor or a sequence",
                held.is_absent() ? "an absent value" : to_string(held.type()));
    const value_type type{optional_form(held.type().form), held.type().element};
    std::vector<value> items;
    items.push_back(std::move(held));
    return value(std::make_shared<state>(state{type, {}, nullptr, 0, nullptr, std::move(items)}));
}

value value::empty_optional(value_type held) {
    check_element_type(held.element, "value::empty_optional");
    if (held.form != value_form::tensor && held.form != value_form::sequence)
        fail(status::invalid_arguments,
                "value::empty_optional: {} given, expected the type of a tensor or a sequence",
                to_string(held));
    return value(std::make_shared<state>(
            state{{optional_form(held.form), held.element}, {}, nullptr, 0, nullptr, {}}));
}

bool value::has(value_form form) const noexcept {
    return state_ && state_->type.form == form;
}

bool value::has_element() const noexcept {
    return state_ && (!tern::is_optional(state_->type.form) || !state_->items.empty());
}

const value::state &value::checked(const char *what) const {
    if (!state_) fail(status::invalid_arguments, "{}: the value is absent", what);
    return *state_;
}

const value::state &value::checked(const char *what, value_form form) const {
    const state &found = checked(what);
    if (found.type.form != form)
        fail(status::invalid_arguments, "{}: the value is {}", what, to_string(found.type));
    return found;
}

value_type value::type() const {
    return checked("value::type").type;
}

const value::dims &value::shape() const {
    return checked("value::shape", value_form::tensor).shape;
}

const void *value::data() const {
    return checked("value::data", value_form::tensor).data;
}

std::size_t value::elements() const {
    return checked("value::elements", value_form::tensor).elements;
}

std::size_t value::bytes() const {
    const state &found = checked("value::bytes", value_form::tensor);
    return found.elements * bytes_of(found.type.element);
}

std::size_t value::size() const {
    return checked("value::size", value_form::sequence).items.size();
}

const value &value::at(std::size_t index) const {
    const state &found = checked("value::at", value_form::sequence);
    if (index >= found.items.size())
        fail(status::invalid_arguments, "value::at: position {} of a sequence of {}", index,
                found.items.size());
    return found.items[index];
}

const value &value::element() const {
    const state &found = checked("value::element");
    if (!tern::is_optional(found.type.form))
        fail(status::invalid_arguments, "value::element: the value is {}", to_string(found.type));
    if (found.items.empty())
        fail(status::invalid_arguments, "value::element: the {} is empty", to_string(found.type));
    return found.items.front();
}

std::string to_string(value_type type) {
    std::string tensor = format_text("tensor({})", name_of(type.element));
    switch (type.form) {
        case value_form::tensor: return tensor;
        case value_form::sequence: return format_text("seq({})", tensor);
        case value_form::optional_tensor: return format_text("optional({})", tensor);
        case value_form::optional_sequence: return format_text("optional(seq({}))", tensor);
    }
    return "unknown";
}

} // namespace tern
