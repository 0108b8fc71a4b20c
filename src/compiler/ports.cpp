// SPDX-License-Identifier: Apache-2.0
#include "compiler/ports.hpp"

#include <algorithm>
#include <optional>

#include "base/error.hpp"
#include "base/overlap.hpp"
#include "base/shape.hpp"

namespace tern::compiler {

std::string to_string(const port_ref &port) {
    int wanted = (port.is_input ? port.part.inputs : port.part.outputs)[port.index];
    for (int index : port.part.ops) {
        const ir::op &op = port.part.op(index);
        const std::vector<int> &values = port.is_input ? op.inputs : op.outputs;
        auto found = std::find(values.begin(), values.end(), wanted);
        if (found == values.end()) continue;
        auto ports = port.is_input ? op.def->inputs : op.def->outputs;
        return format_text("{} of {} (tensor {})",
                ports[static_cast<std::size_t>(found - values.begin())].name,
                ir::to_string(op.label()), port.value().id);
    }
    return format_text("tensor {}", port.value().id);
}

namespace {

/// What the caller gives for a port.
const tensor_desc &find_given(const port_ref &port, std::span<const ir::port> given) {
    const ir::value &wanted = port.value();
    const ir::port *found = nullptr;
    for (const ir::port &candidate : given) {
        if (candidate.id != wanted.id) continue;
        if (found && !(found->desc == candidate.desc))
            fail(status::invalid_arguments,
                    "compile: tensor {} is given twice among the {}s: {} and {}", wanted.id,
                    port.direction(), to_string(found->desc), to_string(candidate.desc));
        found = &candidate;
    }
    if (!found)
        fail(status::invalid_arguments, "compile: {} is missing among the {}s", to_string(port),
                port.direction());
    if (found->desc.type != wanted.desc.type)
        fail(status::invalid_data_type, "compile: {} is given as {}, but the partition has {}",
                to_string(port), tern::name_of(found->desc.type), tern::name_of(wanted.desc.type));
    return found->desc;
}

/// Dims that graph and caller both know must agree.
void check_against_graph(const port_ref &port, const tensor_desc &given) {
    const tensor_desc &known = port.value().desc;
    if (!given.rank_known || !known.rank_known) return;
    if (given.shape.rank() != known.shape.rank())
        fail(status::invalid_shape, "compile: {} is given with shape {}, expected {}",
                to_string(port), shape_to_string(given), shape_to_string(known));
    for (int axis = 0; axis < given.shape.rank(); ++axis) {
        std::int64_t expected = known.shape[axis];
        std::int64_t found = given.shape[axis];
        if (expected != unknown_dim && found != unknown_dim && expected != found)
            fail(status::invalid_shape,
                    "compile: {} is given with shape {}, expected {}: axis {} has {}, expected {}",
                    to_string(port), shape_to_string(given), shape_to_string(known), axis, found,
                    expected);
    }
}

} // namespace

given_list find_all(const partition &part, bool is_input, std::span<const ir::port> given) {
    given_list found;
    for (std::size_t i = 0; i < (is_input ? part.inputs : part.outputs).size(); ++i)
        found.push_back(&find_given({part, is_input, i}, given));
    return found;
}

void make_dense(tensor_desc &desc) {
    desc.layout = layout_type::strided;
    // Strides that do not fit belong to an empty tensor, where they do not matter, or to one that
    // make_plan_port refuses.
    desc.strides = dense_strides(desc.shape).value_or(dims(desc.shape.rank(), 1));
}

tensor_desc resolve_input(const port_ref &port, const tensor_desc &given) {
    tensor_desc desc = given;
    if (!desc.shape_known())
        fail(status::invalid_arguments,
                "compile: {} has shape {}; every dimension of an input must be known",
                to_string(port), shape_to_string(desc));
    check_against_graph(port, desc);
    switch (desc.layout) {
        case layout_type::any: make_dense(desc); break;
        case layout_type::strided:
            if (has_unknown(desc.strides))
                fail(status::invalid_arguments,
                        "compile: {} has unknown strides; those of an input must be known",
                        to_string(port));
            break;
        case layout_type::opaque:
            fail(status::invalid_arguments,
                    "compile: {} has an opaque layout; Tern makes none and takes none",
                    to_string(port));
        case layout_type::undef:
            fail(status::invalid_arguments, "compile: {} has layout undef; expected strided or any",
                    to_string(port));
    }
    return desc;
}

tensor_desc prepare_output(const port_ref &port, const tensor_desc &given) {
    tensor_desc desc = given;
    if (desc.layout == layout_type::opaque)
        fail(status::invalid_arguments, "compile: {} has an opaque layout; expected strided or any",
                to_string(port));
    check_against_graph(port, desc);
    const tensor_desc &known = port.value().desc;
    if (!desc.rank_known && known.rank_known) {
        desc.rank_known = true;
        desc.shape = known.shape;
        if (desc.layout == layout_type::strided)
            desc.strides = dims(desc.shape.rank(), unknown_dim);
    }
    return desc;
}

void settle_output(const port_ref &port, tensor_desc &desc) {
    if (!desc.shape_known())
        fail(status::invalid_shape, "compile: the shape of {} cannot be told: {}", to_string(port),
                shape_to_string(desc));
    if (desc.layout != layout_type::strided || has_unknown(desc.strides)) make_dense(desc);
}

void check_elements_apart(const port_ref &port, const tensor_desc &desc) {
    if (elements_overlap(desc.shape, desc.strides))
        fail(status::invalid_arguments,
                "compile: {} has shape {} with strides {}: different elements would share memory",
                to_string(port), to_string(desc.shape), to_string(desc.strides));
}

runtime::plan_port make_plan_port(const port_ref &port, const tensor_desc &desc) {
    std::optional<std::int64_t> count = element_count(desc.shape);
    std::optional<std::int64_t> bytes = byte_span(desc.shape, desc.strides, bytes_of(desc.type));
    if (!count || !bytes)
        fail(status::invalid_shape,
                "compile: {} {} of shape {}, strides {} and type {} is too large: its size does "
                "not fit 63 bits",
                port.direction(), to_string(port), to_string(desc.shape), to_string(desc.strides),
                tern::name_of(desc.type));
    return {desc, *bytes, *bytes == 0};
}

} // namespace tern::compiler
