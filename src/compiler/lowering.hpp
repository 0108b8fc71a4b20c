// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_COMPILER_LOWERING_HPP
#define TERN_COMPILER_LOWERING_HPP

/// \file
/// Which implementation serves a group: each candidate answers "yes" with a kernel or "no, because
/// ...".

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "compiler/fusions.hpp"
#include "runtime/kernel.hpp"

namespace tern::compiler {

/// A group with the region it is of.
struct work {
    const region &in;
    const group &ops;

    /// The op of a group that has just one.
    const region_op &op() const { return in.op(ops.ops[0]); }
    const tensor_desc &src(std::size_t port) const { return in.desc(ops.in[port]); }
    const tensor_desc &dst(std::size_t port = 0) const { return in.desc(ops.out[port]); }
};

struct answer {
    std::unique_ptr<const runtime::kernel> kernel; ///< Null: no.
    std::string detail;            ///< Yes: what runs, such as "avx2"; no: the reason.
    std::size_t scratch_bytes = 0; ///< Of a call.
};

struct candidate {
    std::string_view name;
    answer (*make)(const work &w);
};

/// The implementations of a single op in the order of preference. The last one, "reference", serves
/// every op that is executed.
std::span<const candidate> candidates_of(op_kind kind);
/// Those of a group.
std::span<const candidate> candidates_of(const work &w);

// lower_select.cpp
answer make_select_loops(const work &w);
answer make_select_primitive(const work &w);
/// Reorder and its like, StaticTranspose and StaticReshape: the elements go to other places.
answer make_copy(const work &w);

// lower_elementwise.cpp
answer make_lanes(const work &w);
/// DynamicQuantize, DynamicDequantize.
answer make_dynamic_quantization(const work &w);

// lower_matmul.cpp
/// Why a MatMul cannot run tile by tile, and so takes in nothing; empty when it can.
std::string matmul_obstacle(const region &r, int op);
answer make_matmul(const work &w);

// lower_nonzero.cpp
answer make_nonzero(const work &w);

// lower_rows.cpp
answer make_softmax(const work &w);
answer make_reduce(const work &w);

} // namespace tern::compiler

#endif
