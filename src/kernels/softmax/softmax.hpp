// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_KERNELS_SOFTMAX_SOFTMAX_HPP
#define TERN_KERNELS_SOFTMAX_SOFTMAX_HPP

/// \file
/// SoftMax along one axis, in f32.

#include <cstdint>
#include <string_view>

#include "base/data_type.hpp"
#include "base/dims.hpp"

namespace tern::kernels {

struct softmax_operand {
    data_type type = data_type::f32; ///< f32, bf16 or f16.
    dims strides;                    ///< Elements, by axis of the shape.
};

struct softmax_problem {
    dims shape;
    int axis = 0;
    bool inf_as_zero = false; ///< A row of nothing but -inf gives zeros; else NaN.
    softmax_operand src;
    softmax_operand dst;
    bool has_stats = false;
    softmax_operand stats; ///< f32: max + log(sum of exp(src - max)); its axis has one element.
};

struct softmax_loops {
    softmax_problem problem;
    int vector_axis = -1; ///< Axis that SIMD lanes lie along; `axis` itself when contiguous.
    std::int64_t units = 1;
    std::int64_t grain = 1;
};

/// The shape has at least one element.
softmax_loops make_softmax_loops(const softmax_problem &problem);

/// In the caller's TBB arena when it is large enough to split. dst may be the very same view as
/// src when the types agree. `stats` may be null without stats. Same bits for any number of
/// threads.
void run_softmax(const softmax_loops &loops, const void *src, void *dst, void *stats) noexcept;

std::string_view softmax_target();

} // namespace tern::kernels

#endif
