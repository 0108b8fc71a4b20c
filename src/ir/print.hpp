// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_IR_PRINT_HPP
#define TERN_IR_PRINT_HPP

/// \file
/// Graphs as text, for people and for tests that compare a graph before and after a change.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ir/graph.hpp"

namespace tern::ir {

/// Some ops of a finalized graph (indices into ops()), as add_op would take them: attributes with
/// their defaults, shapes as inferred.
std::vector<op_spec> specs_of(const graph &g, std::span<const int> ops);
std::vector<op_spec> specs_of(const graph &g);

/// "f32[2x3]": type and shape. Unknown dims are "?", an unknown rank is "...", a scalar has
/// nothing. After a colon, where it is not dense: strides ("f32[2x3:1s2]", unknown ones "?"), or
/// the layout ("f32[2x3:any]"). Then the property where one is set: "f32[] host_scalar". Of what is
/// no tensor the type: "seq(tensor(f32))".
std::string short_text(const tensor_desc &desc);

/// Attributes in the order of setting: "auto_broadcast=numpy, axes=[0, 1]"; a text that is not a
/// plain word is quoted.
std::string short_text(const attr_list &attrs);

/// In double quotes; quotes, backslashes and control characters escaped with a backslash.
std::string quoted(std::string_view text);

/// Is the name one that somebody gave, not the "<kind>_<id>" that ops get by themselves?
bool has_own_name(const op_spec &op);

/// A line for each tensor that comes from outside, in the order of use, then a line for each op:
///     %1:boolean[2x3] = input
///     %5:f32[2x3] = Select(%1, %2, %3) {auto_broadcast=numpy}  # op 7 "mask"
/// Numbers after % are tensor ids. A tensor that ops describe in several ways is printed as the
/// first of them says.
std::string print(std::span<const op_spec> ops);
/// Of a finalized graph: all of it, or some of its ops.
std::string print(const graph &g);
std::string print(const graph &g, std::span<const int> ops);

} // namespace tern::ir

#endif
