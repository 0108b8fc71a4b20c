// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "formats/json/graph_file.hpp"

namespace tern::formats {
namespace {

constexpr std::array<std::string_view, 5> fpmath_names = {"strict", "bf16", "f16", "any", "tf32"};
constexpr std::array<std::string_view, 4> property_names = {
        "undef", "variable", "constant", "host_scalar"};

/// The enumerator whose position in `names` is that of `name`.
template <typename Enum, std::size_t Count>
std::optional<Enum> position_of(
        const std::array<std::string_view, Count> &names, std::string_view name) {
    for (std::size_t i = 0; i < Count; ++i)
        if (names[i] == name) return static_cast<Enum>(i);
    return std::nullopt;
}

} // namespace

std::string_view name_of(fpmath_mode mode) {
    return fpmath_names[static_cast<std::size_t>(mode)];
}

std::optional<fpmath_mode> fpmath_mode_from_name(std::string_view name) {
    return position_of<fpmath_mode>(fpmath_names, name);
}

std::string_view name_of(value_sample::state state) {
    switch (state) {
        case value_sample::state::present: return "present";
        case value_sample::state::empty: return "empty";
        case value_sample::state::absent: break;
    }
    return "absent";
}

std::string_view name_of(property_type property) {
    return property_names[static_cast<std::size_t>(property)];
}

std::optional<property_type> property_from_name(std::string_view name) {
    return position_of<property_type>(property_names, name);
}

std::optional<op_kind> op_kind_from_name(std::string_view name) {
#define TERN_OP_IMPLEMENTED(kind, file)                                                            \
    if (name == #kind) return op_kind::kind;
#define TERN_OP_NAMED(kind)                                                                        \
    if (name == #kind) return op_kind::kind;
#include "tern/ops.def"
#undef TERN_OP_IMPLEMENTED
#undef TERN_OP_NAMED
    return std::nullopt;
}

std::optional<op_attr> op_attr_from_name(std::string_view name) {
#define TERN_ATTR(attr, kind)                                                                      \
    if (name == #attr) return op_attr::attr;
#include "tern/attrs.def"
#undef TERN_ATTR
    return std::nullopt;
}

} // namespace tern::formats
