// SPDX-License-Identifier: Apache-2.0
#include "ir/op_def.hpp"

#include <array>

#include "base/text.hpp"

namespace tern::ir {

std::string_view name_of(op_kind kind) {
    static constexpr std::string_view names[] = {
#define TERN_OP_IMPLEMENTED(kind, file) #kind,
#define TERN_OP_NAMED(kind) #kind,
#include "tern/ops.def"
#undef TERN_OP_IMPLEMENTED
#undef TERN_OP_NAMED
    };
    auto index = static_cast<std::size_t>(kind);
    return index < std::size(names) ? names[index] : "unknown";
}

namespace {

struct attr_entry {
    std::string_view name;
    attr_kind kind;
};

constexpr attr_entry attr_table[] = {
#define TERN_ATTR(name, kind) {#name, attr_kind::kind},
#include "tern/attrs.def"
#undef TERN_ATTR
};

} // namespace

std::string_view name_of(op_attr attr) {
    auto index = static_cast<std::size_t>(attr);
    return index < std::size(attr_table) ? attr_table[index].name : "unknown";
}

attr_kind kind_of(op_attr attr) {
    return attr_table[static_cast<std::size_t>(attr)].kind;
}

std::string_view name_of(attr_kind kind) {
    static constexpr std::array<std::string_view, 6> names = {
            "s64", "f32", "bool", "string", "s64[]", "f32[]"};
    return names[static_cast<std::size_t>(kind)];
}

const attr_value *find(const attr_list &attrs, op_attr attr) noexcept {
    for (const auto &[name, value] : attrs)
        if (name == attr) return &value;
    return nullptr;
}

std::string to_string(const op_label &label) {
    return format_text("{} (op {})", name_of(label.kind), label.id);
}

} // namespace tern::ir
