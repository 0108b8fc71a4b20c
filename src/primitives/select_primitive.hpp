// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_PRIMITIVES_SELECT_PRIMITIVE_HPP
#define TERN_PRIMITIVES_SELECT_PRIMITIVE_HPP

/// \file
/// Select as oneDNN's binary primitive with the algorithm binary_select.

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/tensor_desc.hpp"

namespace tern::primitives {

class select_primitive {
public:
    virtual ~select_primitive() = default;
    /// Thread-safe; inside the caller's arena.
    virtual void run(const std::uint8_t *cond, const void *src_0, const void *src_1,
            void *dst) const noexcept = 0;
    /// oneDNN's name of the implementation, such as "jit:uni".
    virtual const std::string &name() const = 0;
};

/// An operand, and what its op calls it.
struct named_operand {
    std::string_view name;
    const tensor_desc &desc;
};
struct select_operands {
    named_operand cond;
    named_operand src_0;
    named_operand src_1;
    named_operand dst;
};

/// The primitive, or null and in `reason` why it cannot serve: only forms that are legal and run
/// generated code are taken. Built without oneDNN the answer is always null.
std::shared_ptr<const select_primitive> make_select_primitive(
        const select_operands &operands, std::string &reason);

} // namespace tern::primitives

#endif
