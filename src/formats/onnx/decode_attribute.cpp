// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/text.hpp"
#include "formats/onnx/decoders.hpp"

namespace tern::formats::onnx {
namespace {

using enum attribute_kind;

/// The field that holds the value of each kind, in the order of attribute_kind.
constexpr std::array<std::string_view, 15> value_fields = {"", "f", "i", "s", "t", "g", "floats",
        "ints", "strings", "tensors", "graphs", "sparse_tensor", "sparse_tensors", "tp",
        "type_protos"};

std::string_view value_field(attribute_kind kind) {
    return value_fields[static_cast<std::size_t>(kind)];
}

/// A set of kinds.
constexpr std::uint32_t bit(attribute_kind kind) {
    return std::uint32_t{1} << static_cast<std::uint32_t>(kind);
}

/// Reads the fields of one attribute and remembers which of those for values were there.
class attribute_reader {
public:
    explicit attribute_reader(message_reader &in) : in_(in) {}

    attribute read() {
        while (in_.next())
            if (!read_value()) read_other();
        check_kind();
        check_value();
        return std::move(result_);
    }

private:
    std::string_view found(attribute_kind kind) {
        found_ |= bit(kind);
        return value_field(kind);
    }

    template <typename T, typename Read>
    void read_one(attribute_kind kind, std::vector<T> &list, const Read &read) {
        if ((found_ & bit(kind)) != 0)
            in_.fail(value_field(kind), "expected one, found a second one");
        message_reader value(in_, found(kind));
        list.push_back(read(value));
    }

    void read_other() {
        switch (in_.tag()) {
            case 1: result_.name = in_.label("name"); break;
            case 20: result_.kind = static_cast<attribute_kind>(in_.s32("type")); break;
            case 21: result_.reference = in_.text("ref_attr_name"); break;
            default: in_.skip();
        }
    }

    bool read_value() {
        attribute &to = result_;
        switch (in_.tag()) {
            case 2: to.floats = {in_.f32(found(FLOAT))}; return true;
            case 3: to.ints = {in_.s64(found(INT))}; return true;
            case 4: to.strings = {in_.text(found(STRING))}; return true;
            case 5: read_one(TENSOR, to.tensors, decode_tensor); return true;
            case 6: read_one(GRAPH, to.graphs, decode_graph); return true;
            case 7: in_.append(found(FLOATS), to.floats); return true;
            case 8: in_.append(found(INTS), to.ints); return true;
            case 9: to.strings.push_back(in_.text(found(STRINGS))); return true;
            case 10: append_message(in_, found(TENSORS), to.tensors, decode_tensor); return true;
            case 11: append_message(in_, found(GRAPHS), to.graphs, decode_graph); return true;
            case 14: read_one(TYPE_PROTO, to.types, decode_type); return true;
            case 15: append_message(in_, found(TYPE_PROTOS), to.types, decode_type); return true;
            case 22: found(SPARSE_TENSOR); break;
            case 23: found(SPARSE_TENSORS); break;
            default: return false;
        }
        in_.skip();
        return true;
    }

    /// Files of the first IR version give no type: the value tells it.
    void check_kind() {
        attribute_kind &kind = result_.kind;
        if (kind < UNDEFINED || kind > TYPE_PROTOS)
            in_.fail("type", format_text("expected a kind of attribute, found {}",
                                     static_cast<std::int32_t>(kind)));
        if (kind != UNDEFINED || !result_.reference.empty()) return;
        for (std::int32_t other = 1; kind == UNDEFINED && other <= 14; ++other)
            if (found_ == bit(static_cast<attribute_kind>(other)))
                kind = static_cast<attribute_kind>(other);
        if (kind == UNDEFINED) in_.fail("type", "no type is given");
    }

    void check_value() {
        const attribute_kind kind = result_.kind;
        if (!result_.reference.empty()) {
            if (found_ != 0) in_.fail("ref_attr_name", "a value is given, too");
            return;
        }
        for (std::int32_t other = 1; other <= 14; ++other)
            if ((found_ & ~bit(kind) & bit(static_cast<attribute_kind>(other))) != 0)
                in_.fail(value_field(static_cast<attribute_kind>(other)),
                        format_text("the value of type {} is expected in {}, not here",
                                name_of(kind), value_field(kind)));
        if (found_ != 0) return;
        // Some writers leave out a number or string that is 0 or empty, and empty lists have no
        // fields at all.
        if (kind == FLOAT) result_.floats = {0};
        if (kind == INT) result_.ints = {0};
        if (kind == STRING) result_.strings = {""};
        if ((bit(kind) & (bit(TENSOR) | bit(GRAPH) | bit(SPARSE_TENSOR) | bit(TYPE_PROTO))) != 0)
            in_.fail(value_field(kind), "no value is given");
    }

    message_reader &in_;
    attribute result_;
    std::uint32_t found_ = 0;
};

} // namespace

attribute decode_attribute(message_reader &in) {
    return attribute_reader(in).read();
}

} // namespace tern::formats::onnx
