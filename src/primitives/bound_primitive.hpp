// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_PRIMITIVES_BOUND_PRIMITIVE_HPP
#define TERN_PRIMITIVES_BOUND_PRIMITIVE_HPP

/// \file
/// From oneDNN's primitive descriptors to primitives whose operands have positions. Everything here
/// may throw dnnl::error, but for what says that it does not.

#include <functional>
#include <vector>

#include "primitives/onednn_call.hpp"
#include "primitives/primitive.hpp"

namespace tern::primitives {

/// f32, bf16, f16, s32, s8 and u8; else undef.
dnnl::memory::data_type dnnl_type(data_type type) noexcept;

/// A scalar gets one axis. Strides of axes with one element do not matter.
dnnl::memory::desc dnnl_desc(const tensor_desc &desc);

/// With a scratchpad of the caller's, without anything else.
dnnl::primitive_attr plain_attr();

/// What oneDNN calls an operand, and which one it is.
struct argument {
    int key; ///< DNNL_ARG_...
    dnnl::memory::desc desc;
    std::size_t position;
    bool is_output = false;
};

/// Refuses what does not run generated code. `args` without the scratchpad.
made_primitive bound(const dnnl::primitive_desc_base &desc, const dnnl::primitive &ready,
        std::vector<argument> args);

/// Calls `make`; what oneDNN throws becomes a reason.
made_primitive guarded(const std::function<made_primitive()> &make);

/// Adds a link as a post-op, and its operand to `args`. Precondition: no obstacle, not swapped but
/// where the order does not matter.
void append(dnnl::post_ops &ops, std::vector<argument> &args, const link &next);

/// Of a link without an obstacle.
dnnl::algorithm algorithm_of(const link &next);
struct eltwise_parameters {
    float alpha;
    float beta;
};
eltwise_parameters parameters_of(const link &next);

/// Why links cannot follow one another, those from number `from` on as post-ops; empty when they
/// can.
std::string links_obstacle(const std::vector<link> &links, std::size_t from);

} // namespace tern::primitives

#endif
