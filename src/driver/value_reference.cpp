// SPDX-License-Identifier: Apache-2.0
#include "driver/value_reference.hpp"

#include <cstring>
#include <stdexcept>

#include "base/element.hpp"
#include "base/shape.hpp"
#include "base/text.hpp"
#include "driver/report.hpp"

namespace tern::driver {
namespace {

bool is_empty_optional(const value &v) {
    if (!v.is_optional()) return false;
    try {
        v.element();
        return false;
    } catch (const error &) {
        return true;
    }
}

/// Optional's attribute type, which the library has accepted: "tensor(f32)", "seq(tensor(f32))".
value_type type_of(const std::string &text) {
    const std::size_t from = text.rfind('(') + 1;
    const std::string name = text.substr(from, text.find(')') - from);
    return {text.front() == 's' ? value_form::sequence : value_form::tensor,
            data_type_from_name(name).value()};
}

std::string describe(const value &v) {
    if (v.is_absent()) return "absent";
    std::string text = to_string(v.type());
    if (v.is_tensor())
        for (std::int64_t dim : v.shape())
            text += format_text(" {}", dim);
    if (v.is_sequence()) text += format_text(" of {}", v.size());
    if (is_empty_optional(v)) text += ", empty";
    return text;
}

bool look_alike(const value &a, const value &b) {
    if (a.is_absent() || b.is_absent()) return a.is_absent() && b.is_absent();
    if (a.type() != b.type()) return false;
    if (a.is_tensor()) return a.shape() == b.shape();
    if (a.is_sequence()) return a.size() == b.size();
    return is_empty_optional(a) == is_empty_optional(b);
}

comparison compare_strings(const value &expected, const value &found, std::string_view label) {
    comparison result;
    const auto *wanted = static_cast<const string_ref *>(expected.data());
    const auto *got = static_cast<const string_ref *>(found.data());
    for (std::size_t i = 0; i < expected.elements(); ++i, ++result.total) {
        if (std::string_view(wanted[i]) == std::string_view(got[i])) continue;
        ++result.errors;
        print_line(format_text("[{:4}][{}] exp:\"{}\" got:\"{}\"", i, label,
                std::string_view(wanted[i]), std::string_view(got[i])));
    }
    return result;
}

} // namespace

value reference_value(const ir::op_spec &op, const std::vector<value> &in) {
    switch (op.kind) {
        case op_kind::OptionalHasElement: {
            const bool truth = !in.empty() && !in[0].is_absent() && !is_empty_optional(in[0]);
            return value::tensor(data_type::boolean, {}, &truth);
        }
        case op_kind::Optional:
            return in.empty() ? value::empty_optional(
                           type_of(ir::attr_or(op.attrs, op_attr::type, std::string())))
                              : value::optional(in[0]);
        case op_kind::OptionalGetElement: return in.at(0).is_optional() ? in[0].element() : in[0];
        case op_kind::Identity: return in.at(0);
        case op_kind::SequenceConstruct: return value::sequence(op.inputs.at(0).desc.type, in);
        case op_kind::SequenceEmpty: {
            const std::string dtype = ir::attr_or(op.attrs, op_attr::dtype, std::string());
            return value::sequence(
                    dtype.empty() ? data_type::f32 : data_type_from_name(dtype).value());
        }
        case op_kind::SequenceLength: {
            const auto length = static_cast<std::int64_t>(in.at(0).size());
            return value::tensor(data_type::s64, {}, &length);
        }
        case op_kind::SequenceAt: {
            std::int64_t at = load_s64(in.at(1).type().element, in[1].data());
            if (at < 0) at += static_cast<std::int64_t>(in[0].size());
            return in[0].at(static_cast<std::size_t>(at));
        }
        default: break;
    }
    throw std::runtime_error(
            format_text("{}: the driver has no reference for values", to_string(op.label())));
}

comparison compare_values(const value &expected, const value &found, const acceptance &accepted,
        std::string_view label, int verbose) {
    comparison result;
    if (!look_alike(expected, found)) {
        print_line(format_text(
                "Error: {}: expected {}, found {}", label, describe(expected), describe(found)));
        result.errors = result.total = 1;
        return result;
    }
    if (expected.is_tensor() && expected.type().element == data_type::string)
        return compare_strings(expected, found, label);
    if (expected.is_tensor())
        return compare(to_buffer(expected), to_buffer(found), accepted, label, verbose);
    result.total = 1; // that it is there, or not
    auto add = [&](const value &want, const value &got) {
        const comparison part = compare_values(want, got, accepted, label, verbose);
        result.errors += part.errors;
        result.total += part.total;
    };
    if (expected.is_sequence())
        for (std::size_t i = 0; i < expected.size(); ++i)
            add(expected.at(i), found.at(i));
    else if (expected.is_optional() && !is_empty_optional(expected))
        add(expected.element(), found.element());
    return result;
}

buffer to_buffer(const value &tensor) {
    tensor_desc desc;
    desc.type = tensor.type().element;
    desc.layout = layout_type::strided;
    desc.rank_known = true;
    desc.shape.assign(tensor.shape().begin(), tensor.shape().end());
    desc.strides = *dense_strides(desc.shape);
    buffer memory(desc);
    if (memory.bytes() != 0) std::memcpy(memory.data(), tensor.data(), memory.bytes());
    return memory;
}

value to_value(const buffer &memory) {
    const dims &shape = memory.desc().shape;
    return value::tensor(memory.desc().type, {shape.begin(), shape.end()}, memory.data());
}

} // namespace tern::driver
