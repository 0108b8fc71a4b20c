// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_COMPILER_LOWERING_HPP
#define TERN_COMPILER_LOWERING_HPP

/// \file
/// Which implementation serves an op: each candidate answers "yes" with a kernel or "no, because
/// ...".

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "ir/graph.hpp"
#include "runtime/kernel.hpp"

namespace tern::compiler {

/// An op with everything known of its operands.
struct resolved_op {
    const ir::op &op;
    std::span<const tensor_desc> in;
    std::span<const tensor_desc> out;
};

struct answer {
    std::unique_ptr<const runtime::kernel> kernel; ///< Null: no.
    std::string detail; ///< Yes: what runs, such as "avx2"; no: the reason.
};

struct candidate {
    std::string_view name;
    answer (*make)(const resolved_op &op);
};

/// The implementations of an op kind in the order of preference. The last one, "reference", serves
/// every op that has a definition.
std::span<const candidate> candidates_of(op_kind kind);

/// lower_select.cpp
answer make_select_loops(const resolved_op &op);
answer make_select_primitive(const resolved_op &op);

} // namespace tern::compiler

#endif
