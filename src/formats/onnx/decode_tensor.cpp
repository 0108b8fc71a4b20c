// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "base/aligned_memory.hpp"
#include "base/data_type.hpp"
#include "base/shape.hpp"
#include "base/text.hpp"
#include "formats/onnx/decoders.hpp"
#include "formats/onnx/external_data.hpp"

namespace tern::formats::onnx {
namespace {

static_assert(std::endian::native == std::endian::little, "raw data is copied as it is");

/// The fields of a TensorProto that may hold its elements.
struct element_fields {
    std::string_view raw_data;
    std::vector<float> float_data;
    std::vector<std::int32_t> int32_data;
    std::vector<std::string> string_data;
    std::vector<std::int64_t> int64_data;
    std::vector<double> double_data;
    std::vector<std::uint64_t> uint64_data;
    std::vector<metadata_entry> external_data;
    std::int32_t data_location = 0;
    bool has_segment = false;
};

constexpr std::int32_t external = 1; ///< TensorProto.DataLocation

/// Which field, apart from raw_data, holds the elements of a type; "" for types that Tern lacks.
std::string_view typed_field_of(element_type type) {
    switch (type) {
        case element_type::FLOAT:
        case element_type::COMPLEX64: return "float_data";
        case element_type::DOUBLE:
        case element_type::COMPLEX128: return "double_data";
        case element_type::INT64: return "int64_data";
        case element_type::UINT32:
        case element_type::UINT64: return "uint64_data";
        case element_type::STRING: return "string_data";
        default: return data_type_of(type) == data_type::undef ? "" : "int32_data";
    }
}

/// Makes a tensor's elements out of the fields of its message.
class element_reader {
public:
    element_reader(const message_reader &in, element_fields &fields, tensor &result)
        : in_(in),
          fields_(fields),
          result_(result) {}

    void read() {
        const std::int64_t count = checked_count();
        typed_field_ = typed_field_of(result_.type);
        if (result_.type == element_type::UNDEFINED) in_.fail("data_type", "no type is given");
        if (fields_.has_segment) in_.fail("segment", "tensors in segments are not supported");
        if (typed_field_.empty()) {
            result_.unreadable =
                    format_text("elements of {} are not supported", name_of(result_.type));
            return;
        }
        check_fields();
        if (result_.type == element_type::STRING)
            read_strings(count);
        else
            read_numbers(count);
    }

private:
    std::int64_t checked_count() const {
        const std::vector<std::int64_t> &sizes = result_.dims;
        if (sizes.size() > static_cast<std::size_t>(max_rank))
            in_.fail("dims",
                    format_text("expected up to {} dims, found {}", max_rank, sizes.size()));
        for (std::size_t axis = 0; axis < sizes.size(); ++axis)
            if (sizes[axis] < 0)
                in_.fail("dims",
                        format_text("axis {}: expected a size, found {}", axis, sizes[axis]));
        dims shape;
        shape.assign(sizes.begin(), sizes.end());
        std::optional<std::int64_t> count = element_count(shape);
        if (!count) in_.fail("dims", "their product does not fit 64 bits");
        return *count;
    }

    /// Elements must be in one place, and in one that is of the tensor's type.
    void check_fields() {
        struct entry {
            std::string_view name;
            bool is_used;
        };
        const std::array<entry, 8> all = {{
                {"raw_data", !fields_.raw_data.empty()},
                {"float_data", !fields_.float_data.empty()},
                {"int32_data", !fields_.int32_data.empty()},
                {"string_data", !fields_.string_data.empty()},
                {"int64_data", !fields_.int64_data.empty()},
                {"double_data", !fields_.double_data.empty()},
                {"uint64_data", !fields_.uint64_data.empty()},
                {"external_data", fields_.data_location == external},
        }};
        std::string_view used;
        for (const entry &field : all) {
            if (!field.is_used) continue;
            const bool is_any_type = field.name == "raw_data" || field.name == "external_data";
            if (is_any_type ? result_.type == element_type::STRING : field.name != typed_field_)
                in_.fail(field.name, format_text("elements of {} are expected in {}, not here",
                                             name_of(result_.type), typed_field_));
            if (!used.empty())
                in_.fail(field.name, format_text("the elements are in {}, too", used));
            used = field.name;
        }
    }

    void read_strings(std::int64_t count) {
        check_count(static_cast<std::uint64_t>(count), fields_.string_data.size());
        result_.strings = std::move(fields_.string_data);
    }

    void read_numbers(std::int64_t count) {
        std::optional<std::int64_t> size = bytes_of_many(count, data_type_of(result_.type));
        if (!size) in_.fail("dims", "the elements' size does not fit 64 bits");
        const auto bytes = static_cast<std::size_t>(*size);
        if (fields_.data_location == external) {
            result_.data = read_external_data(in_, fields_.external_data, bytes);
        } else if (!fields_.raw_data.empty()) {
            if (fields_.raw_data.size() != bytes)
                in_.fail(
                        "raw_data", format_text("expected {} bytes, as type and dims say, found {}",
                                            bytes, fields_.raw_data.size()));
            std::shared_ptr<std::byte> data = allocate_aligned(bytes, "a tensor's elements");
            std::memcpy(data.get(), fields_.raw_data.data(), bytes);
            result_.data = std::move(data);
        } else {
            result_.data = typed_elements(static_cast<std::uint64_t>(count));
        }
        result_.bytes = bytes;
    }

    std::shared_ptr<const std::byte> typed_elements(std::uint64_t count) const {
        switch (result_.type) {
            case element_type::FLOAT: return convert<float>(fields_.float_data, count);
            // Real and imaginary parts are entries of their own; the product has fit 16 * count.
            case element_type::COMPLEX64: return convert<float>(fields_.float_data, 2 * count);
            case element_type::DOUBLE: return convert<double>(fields_.double_data, count);
            case element_type::COMPLEX128: return convert<double>(fields_.double_data, 2 * count);
            case element_type::INT64: return convert<std::int64_t>(fields_.int64_data, count);
            case element_type::UINT64: return convert<std::uint64_t>(fields_.uint64_data, count);
            case element_type::UINT32: return convert<std::uint32_t>(fields_.uint64_data, count);
            case element_type::INT32: return convert<std::int32_t>(fields_.int32_data, count);
            case element_type::INT16: return convert<std::int16_t>(fields_.int32_data, count);
            case element_type::INT8: return convert<std::int8_t>(fields_.int32_data, count);
            case element_type::BOOL: return convert<std::uint8_t>(fields_.int32_data, count, 1);
            default: break;
        }
        // Unsigned numbers, or the bits of floating-point ones.
        if (bytes_of(data_type_of(result_.type)) == 2)
            return convert<std::uint16_t>(fields_.int32_data, count);
        return convert<std::uint8_t>(fields_.int32_data, count);
    }

    template <typename To, typename From>
    std::shared_ptr<const std::byte> convert(const std::vector<From> &values, std::uint64_t count,
            To most = std::numeric_limits<To>::max()) const {
        check_count(count, values.size());
        std::shared_ptr<std::byte> data =
                allocate_aligned(values.size() * sizeof(To), "a tensor's elements");
        std::byte *at = data.get();
        for (std::size_t i = 0; i < values.size(); ++i, at += sizeof(To)) {
            if constexpr (!std::is_same_v<To, From>)
                if (!(std::in_range<To>(values[i]) && static_cast<To>(values[i]) <= most))
                    in_.fail(typed_field_, format_text("element {}: {} is no value of {}", i,
                                                   values[i], name_of(result_.type)));
            const auto value = static_cast<To>(values[i]);
            std::memcpy(at, &value, sizeof value);
        }
        return data;
    }

    void check_count(std::uint64_t expected, std::size_t found) const {
        if (expected != found)
            in_.fail(
                    typed_field_, format_text("expected {} entries, as type and dims say, found {}",
                                          expected, found));
    }

    const message_reader &in_;
    element_fields &fields_;
    tensor &result_;
    std::string_view typed_field_;
};

} // namespace

tensor decode_tensor(message_reader &in) {
    tensor result;
    element_fields fields;
    while (in.next())
        switch (in.tag()) {
            case 1: in.append("dims", result.dims); break;
            case 2: result.type = static_cast<element_type>(in.s32("data_type")); break;
            case 3:
                fields.has_segment = true;
                in.skip();
                break;
            case 4: in.append("float_data", fields.float_data); break;
            case 5: in.append("int32_data", fields.int32_data); break;
            case 6: fields.string_data.push_back(in.text("string_data")); break;
            case 7: in.append("int64_data", fields.int64_data); break;
            case 8: result.name = in.label("name"); break;
            case 9: fields.raw_data = in.view("raw_data"); break;
            case 10: in.append("double_data", fields.double_data); break;
            case 11: in.append("uint64_data", fields.uint64_data); break;
            case 13:
                append_message(in, "external_data", fields.external_data, decode_metadata);
                break;
            case 14: fields.data_location = in.s32("data_location"); break;
            default: in.skip();
        }
    result.where = in.path();
    element_reader(in, fields, result).read();
    return result;
}

} // namespace tern::formats::onnx
