// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_PRIMITIVES_PRIMITIVE_HPP
#define TERN_PRIMITIVES_PRIMITIVE_HPP

/// \file
/// oneDNN's primitives for whole groups of ops: MatMul with what follows it, chains of elementwise
/// ops, SoftMax, ReduceSum, and copies between layouts. Select has select_primitive.hpp.
///
/// Only forms are taken that oneDNN computes as the definitions of the ops say and that run
/// generated code. Built without oneDNN nothing is.

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/tensor_desc.hpp"

namespace tern::primitives {

class primitive {
public:
    virtual ~primitive() = default;
    /// Operands by their position in the group; scratch of scratch_bytes(). Thread-safe; inside the
    /// caller's arena. False when there is no memory for oneDNN's objects: then the outputs hold
    /// anything.
    virtual bool run(const void *const *in, void *const *out, void *scratch) const noexcept = 0;
    /// oneDNN's name of the implementation, such as "jit:avx2".
    virtual const std::string &name() const = 0;
    virtual std::size_t scratch_bytes() const = 0;
};

/// The primitive, or null and why it cannot serve.
struct made_primitive {
    std::shared_ptr<const primitive> ready;
    std::string reason;
};

/// An operand: where the group has it, and what it is.
struct operand {
    std::size_t position;
    tensor_desc desc;
};

/// An elementwise op on the result so far.
struct link {
    op_kind kind;
    float alpha = 0; ///< LeakyReLU's alpha, Pow's beta.
    /// Of a binary op the one that is not the result so far, with the result's rank; 1 where it
    /// broadcasts.
    std::optional<operand> other{};
    bool is_swapped = false; ///< The result so far is the op's second operand.
};

/// Why an op cannot be a link; empty when it can. `alpha` as in a link.
std::string link_obstacle(op_kind kind, float alpha);

/// dst = a x b, then bias, then the links. All have dst's rank, which is 2 or more; before the last
/// two axes a, b and bias have dst's size or 1.
struct matmul_form {
    operand a;
    operand b;
    std::optional<operand> bias;
    std::vector<link> links;
    tensor_desc dst;
};
made_primitive make_matmul_primitive(const matmul_form &form);

/// The links in order, the first one on src, which has dst's shape.
struct chain_form {
    operand src;
    std::vector<link> links; ///< One or more.
    tensor_desc dst;
};
made_primitive make_chain_primitive(const chain_form &form);

struct softmax_form {
    tensor_desc src;
    tensor_desc dst;
    int axis;
    bool inf_as_zero;
    bool has_stats;
};
made_primitive make_softmax_primitive(const softmax_form &form);

/// dst has src's rank, and 1 at each axis that is reduced.
made_primitive make_sum_primitive(const tensor_desc &src, const tensor_desc &dst);

/// Both have one shape and type; bits are copied.
made_primitive make_reorder_primitive(const tensor_desc &src, const tensor_desc &dst);

} // namespace tern::primitives

#endif
