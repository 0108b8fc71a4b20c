// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_COMPILER_PORTS_HPP
#define TERN_COMPILER_PORTS_HPP

/// \file
/// The caller's logical tensors against the ports of a partition.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/partitioner.hpp"
#include "runtime/plan.hpp"

namespace tern::compiler {

/// A port of the partition that is compiled.
struct port_ref {
    const partition &part;
    bool is_input;
    std::size_t index;

    const ir::value &value() const {
        return part.value((is_input ? part.inputs : part.outputs)[index]);
    }
    std::string_view direction() const { return is_input ? "input" : "output"; }
};

/// What messages call it: its name in the first op that has it, the op, and the tensor.
std::string to_string(const port_ref &port);

/// What the caller gives, by port.
using given_list = std::vector<const tensor_desc *>;
/// Looks all ports up by id. Throws invalid_arguments, invalid_data_type.
given_list find_all(const partition &part, bool is_input, std::span<const ir::port> given);

/// An input with its layout settled. Throws invalid_arguments, invalid_shape.
tensor_desc resolve_input(const port_ref &port, const tensor_desc &given);
/// Before shape inference: what the caller knows of an output, completed by what the graph knows.
tensor_desc prepare_output(const port_ref &port, const tensor_desc &given);
/// After shape inference: settles the layout.
void settle_output(const port_ref &port, tensor_desc &desc);
void check_elements_apart(const port_ref &port, const tensor_desc &desc);
runtime::plan_port make_plan_port(const port_ref &port, const tensor_desc &desc);

/// Dense row-major strides.
void make_dense(tensor_desc &desc);

} // namespace tern::compiler

#endif
