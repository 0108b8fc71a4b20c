// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_COMPILER_LOWERING_HPP
#define TERN_COMPILER_LOWERING_HPP

/// \file
/// Which implementation serves a group: each candidate answers "yes" with a kernel or "no, because
/// ...".

#include <cstddef>
#include <memory>
#include <optional>
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

/// What a kernel wants made of a constant operand, once for many calls.
struct preparation {
    std::unique_ptr<const runtime::kernel> kernel; ///< Reads that operand, writes `bytes`.
    std::size_t operand = 0; ///< Of the group; who gets the result does not read it.
    std::size_t bytes = 0;
};

struct answer {
    std::unique_ptr<const runtime::kernel> kernel; ///< Null: no.
    std::string detail;            ///< Yes: what runs, such as "avx2"; no: the reason.
    std::size_t scratch_bytes = 0; ///< Of a call.
    /// When it has a kernel, this one takes one input more, after those of the group: its result,
    /// or null where nothing was prepared.
    preparation before{};
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

/// What an op's own check says of the elements of its inputs, which allocates.
std::optional<ir::data_fault> check_data(const ir::op_def &def, const ir::attr_list &attrs,
        std::span<const tensor_desc> in, const void *const *data);

// lower_select.cpp
answer make_select_loops(const work &w);
answer make_select_primitive(const work &w);

// lower_move.cpp
/// Reorder and its like, StaticTranspose, StaticReshape, Expand and Slice: the elements go to other
/// places.
answer make_copy(const work &w);
answer make_concat(const work &w);
answer make_gather(const work &w);
/// Where the elements of the result of an op that only moves them lie in its source.
struct moved_elements {
    dims strides;           ///< By axis of the result; negative where they go backwards.
    std::int64_t first = 0; ///< Offset of the first one, in elements.
};
/// None where a reshape has no such strides.
std::optional<moved_elements> find_moved(const work &w);

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

// lower_primitives.cpp: oneDNN's primitives, which refuse what they would compute otherwise than
// the ops' definitions say.
/// A MatMul, and ops that follow one after the other as post-ops.
answer make_matmul_primitive(const work &w);
/// Elementwise ops, one after the other.
answer make_chain_primitive(const work &w);
answer make_softmax_primitive(const work &w);
answer make_sum_primitive(const work &w);
answer make_reorder_primitive(const work &w);

} // namespace tern::compiler

#endif
