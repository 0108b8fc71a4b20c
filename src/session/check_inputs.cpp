// SPDX-License-Identifier: Apache-2.0
#include "session/check_inputs.hpp"

#include "base/error.hpp"
#include "base/shape.hpp"

namespace tern::session_parts {
namespace {

using formats::onnx::dimension;
using formats::onnx::value_info;

/// A named dimension where it was met first.
struct named_size {
    const std::string *name;
    const value_info *input;
    std::size_t axis;
    std::int64_t size;
};

void check_size(const value_info &input, std::size_t axis, const dimension &declared,
        std::int64_t size, std::vector<named_size> &named) {
    if (declared.size && *declared.size != size)
        fail(status::invalid_shape, "run: input \"{}\" has {} at axis {}; expected {}", input.name,
                size, axis, *declared.size);
    if (declared.size || declared.name.empty()) return;
    for (const named_size &known : named) {
        if (*known.name != declared.name) continue;
        if (known.size != size)
            fail(status::invalid_shape,
                    "run: input \"{}\" has {} at axis {}, but \"{}\" is {} at axis {} of input "
                    "\"{}\"",
                    input.name, size, axis, declared.name, known.size, known.axis,
                    known.input->name);
        return;
    }
    named.push_back({&declared.name, &input, axis, size});
}

} // namespace

void check_inputs(const formats::onnx::program &program, const frame &inputs) {
    if (inputs.size() != program.inputs.size())
        fail(status::invalid_arguments, "run: {} inputs are given, expected {}", inputs.size(),
                program.inputs.size());
    std::vector<named_size> named;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const value_info &input = *program.inputs[i];
        const value &given = inputs[i];
        const value_type type = formats::onnx::traced::declared(input).desc.value_type();
        if (given.is_absent() && is_optional(type.form)) continue;
        if (given.is_absent())
            fail(status::invalid_arguments, "run: input \"{}\" is required", input.name);
        if (given.type() != type)
            fail(status::invalid_data_type, "run: input \"{}\" is {}, expected {}", input.name,
                    to_string(given.type()), to_string(type));
        if (!given.is_tensor() || !input.type->shape) continue;
        const std::vector<dimension> &declared = *input.type->shape;
        const value::dims &shape = given.shape();
        if (shape.size() != declared.size())
            fail(status::invalid_shape, "run: input \"{}\" has rank {}, expected {}", input.name,
                    shape.size(), declared.size());
        for (std::size_t axis = 0; axis < shape.size(); ++axis)
            check_size(input, axis, declared[axis], shape[axis], named);
    }
}

} // namespace tern::session_parts
