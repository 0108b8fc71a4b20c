// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_BASE_SHAPE_HPP
#define TERN_BASE_SHAPE_HPP

/// \file
/// Shape arithmetic: counts, strides, broadcasting. The only place where these rules are written.

#include <cstddef>
#include <cstdint>
#include <optional>

#include "base/dims.hpp"

namespace tern {

bool has_unknown(const dims &d);
/// True when a dimension is 0 (a rank-0 shape has one element).
bool is_empty(const dims &shape);

/// Product of the dims; nullopt when it does not fit int64. Precondition: no unknown dim.
/// An empty shape counts 0 whatever its other dims are.
std::optional<std::int64_t> element_count(const dims &shape);

/// Row-major strides, a dim of 0 counted as 1; nullopt when one does not fit int64.
std::optional<dims> dense_strides(const dims &shape);

/// Elements between the first and the last one of a strided tensor, both included:
/// 1 + sum of (dim - 1) * stride, 0 when empty; nullopt when it does not fit int64.
/// Precondition: nothing unknown, no negative stride.
std::optional<std::int64_t> element_span(const dims &shape, const dims &strides);
/// The span in bytes; nullopt when it does not fit int64.
std::optional<std::int64_t> byte_span(
        const dims &shape, const dims &strides, std::size_t element_bytes);

/// True when the elements lie one after the other in row-major order (strides of size-1 dims do
/// not matter).
bool is_dense(const dims &shape, const dims &strides);

/// True when both stride lists reach the same elements of one shape: they agree wherever the dim is
/// above 1.
bool same_strides(const dims &shape, const dims &a, const dims &b);

/// Strides with which the elements of a tensor, in row-major order, are those of a tensor of shape
/// `into`; nullopt when no strides do that. Precondition: both shapes have as many elements.
std::optional<dims> reshape_strides(const dims &shape, const dims &strides, const dims &into);

/// Result of a broadcast rule.
struct broadcast_result {
    dims shape;        ///< The broadcast shape, when ok.
    int bad_axis = -1; ///< Axis of the (would-be) result where the operands clash; -1: none.
    bool ok() const { return bad_axis < 0; }
};

/// NumPy's rule for one pair of dims: equal, or one of them 1 (so 0 and 1 give 0); nullopt when
/// they clash. An unknown dim against a known one other than 1 gives the known one, else unknown.
std::optional<std::int64_t> broadcast_dim(std::int64_t a, std::int64_t b);

/// Both operands may widen. Shapes are aligned at the right.
broadcast_result broadcast_two_way(const dims &a, const dims &b);

/// `from` may widen into `into`, never the other way: rank(from) <= rank(into), each dim of `from`
/// equal or 1. When `from` has the higher rank, bad_axis is 0.
broadcast_result broadcast_one_way(const dims &from, const dims &into);

/// Strides that walk `from` (with its own strides) as if it had shape `into`: 0 on axes that are
/// broadcast. Precondition: `from` broadcasts one way into `into`.
dims broadcast_strides(const dims &from, const dims &strides, const dims &into);

/// Which indices of an axis a slice takes: first, first + step, ... (count of them).
struct index_range {
    std::int64_t first = 0;
    std::int64_t step = 1; ///< 1 when count is below 2, so that it may be multiplied by a stride.
    std::int64_t count = 0;
};

/// ONNX's rule for start:end:step on an axis of `dim` indices: negative bounds count from the end;
/// then start is clamped to 0..dim, and end too, going backwards to 0..dim-1, and end to -1..dim-1.
/// (NumPy's is the same but for a backward start before the first index, which gives nothing
/// there.) Any values, but step is not 0 and dim not negative.
index_range slice_range(
        std::int64_t dim, std::int64_t start, std::int64_t end, std::int64_t step) noexcept;

} // namespace tern

#endif
