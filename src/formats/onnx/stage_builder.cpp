// SPDX-License-Identifier: Apache-2.0
#include "formats/onnx/stage_builder.hpp"

#include <algorithm>

#include "base/error.hpp"
#include "base/shape.hpp"
#include "ops/registry.hpp"

namespace tern::formats::onnx {
namespace {

/// A larger result is left to the graph, whose memory is not held between runs.
constexpr std::int64_t most_folded_bytes = std::int64_t{1} << 24;

void check_type(std::string_view op, const ir::op_def &def, std::span<const ir::port_def> ports,
        std::size_t port, data_type type) {
    const ir::port_def &expected = ports[std::min(port, ports.size() - 1)];
    for (const ir::type_rule &rule : def.types)
        if (rule.variable == expected.type_variable && !rule.types.contains(type))
            throw declined("", format_text("{} of type {} is not supported by Tern's {}",
                                       expected.name, name_of(type), op));
}

/// The definition, when Tern has one that takes these types.
const ir::op_def &find_op(op_kind kind, std::span<const traced> in, data_type result) {
    const ir::op_def *def = ops::find(kind);
    if (!def || !def->is_executable())
        throw declined("", format_text("Tern does not run {}", ir::name_of(kind)));
    for (std::size_t i = 0; i < in.size(); ++i)
        check_type(ir::name_of(kind), *def, def->inputs, i, in[i].desc.type);
    check_type(ir::name_of(kind), *def, def->outputs, 0, result);
    return *def;
}

bool is_foldable(std::span<const traced> in, const tensor_desc &result) {
    if (!result.shape_known()) return false;
    const std::optional<std::int64_t> count = element_count(result.shape);
    const std::optional<std::int64_t> bytes =
            count ? bytes_of_many(*count, result.type) : std::nullopt;
    return bytes && *bytes <= most_folded_bytes
           && std::all_of(in.begin(), in.end(),
                   [](const traced &value) { return value.content != nullptr; });
}

constant_ptr compute(const ir::op_def &def, const ir::attr_list &attrs, std::span<const traced> in,
        const tensor_desc &result) {
    new_constant made = make_constant(result.type, result.shape);
    std::vector<ir::const_view> sources;
    for (const traced &value : in)
        sources.push_back(
                {value.content->data, value.desc.type, value.desc.shape, value.desc.strides});
    const ir::mutable_view dst{
            made.data, result.type, result.shape, dense_desc(result.type, result.shape).strides};
    if (def.check_data)
        if (std::optional<ir::data_fault> fault = def.check_data({attrs, sources, {}}))
            fail(status::invalid_arguments, "input {} {}", fault->input, fault->text);
    if (made.value->count() > 0)
        def.reference({attrs, sources, std::span(&dst, 1)}, 0, made.value->count());
    return made.value;
}

} // namespace

traced stage_builder::of(constant_ptr content) {
    traced value;
    value.is_given = true;
    value.desc = dense_desc(content->type, content->shape);
    value.content = std::move(content);
    return value;
}

ir::port stage_builder::port_of(const traced &value) {
    if (value.content) {
        auto [at, fresh] = constant_ids_.try_emplace(value.content.get(), next_id_);
        if (fresh) constants.emplace(next_id_++, value.content);
        return {at->second, value.desc};
    }
    if (value.slot >= 0) {
        auto [at, fresh] = slot_ids_.try_emplace(value.slot, next_id_);
        if (fresh) slots.emplace(next_id_++, value.slot);
        return {at->second, value.desc};
    }
    return {value.id, value.desc};
}

traced stage_builder::emit(
        op_kind kind, const ir::attr_list &attrs, std::span<const traced> in, data_type result) {
    const ir::op_def &def = find_op(kind, in, result);
    ir::op_spec spec;
    spec.id = next_id_;
    spec.kind = kind;
    spec.attrs = attrs;
    std::vector<tensor_desc> in_descs;
    for (const traced &value : in) {
        spec.inputs.push_back({0, value.desc});
        in_descs.push_back(value.desc);
    }
    tensor_desc out;
    out.type = result;
    out.layout = layout_type::any;
    spec.outputs.push_back({0, out});
    ir::verify_schema(spec, def);
    def.infer(spec.label(), spec.attrs, in_descs, std::span(&out, 1));

    traced value;
    value.is_given = true;
    if (is_foldable(in, out)) return of(compute(def, spec.attrs, in, out));
    value.desc = out.shape_known() ? dense_desc(result, out.shape) : out;
    for (std::size_t i = 0; i < in.size(); ++i)
        spec.inputs[i] = port_of(in[i]);
    spec.id = next_id_;
    spec.name = where;
    value.id = next_id_++;
    spec.outputs[0] = {value.id, value.desc};
    ops.push_back(std::move(spec));
    return value;
}

} // namespace tern::formats::onnx
