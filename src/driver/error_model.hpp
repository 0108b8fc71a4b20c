// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_ERROR_MODEL_HPP
#define TERN_DRIVER_ERROR_MODEL_HPP

#include <cstddef>
#include <map>
#include <span>

#include "driver/compare.hpp"
#include "ir/graph.hpp"

namespace tern::driver {

/// How far results may be from the reference's, for the tensors of one partition. Its inputs are
/// exact; every op adds what rounding in another order can add, and hands on what came in.
///
/// The unit is one: noise 1e-6 means a millionth of an element and of its row's size. A sum of
/// numbers so few and short that f32 adds them up exactly in any order adds nothing.
class error_model {
public:
    /// Takes in the next op, in topological order. The reference has computed `out` from `in`.
    void add(const ir::op_spec &op, std::span<const ir::const_view> in,
            std::span<const ir::mutable_view> out);

    /// For a tensor that an op taken in writes.
    acceptance of(std::size_t id) const;

private:
    struct tensor_errors {
        data_type type = data_type::undef;
        bool moved = true;        ///< Its elements are inputs' elements, or answers, bit by bit.
        double noise = 0;         ///< What later ops carry on.
        double rounding = 0;      ///< One rounding of an exact value, not carried on.
        double steps = 0;         ///< Integers only: how far off rounding noise may bring them.
        double floor = 0;         ///< Absolute.
        bool after_steps = false; ///< Some integer before it may be off.
    };

    tensor_errors of_input(std::size_t id) const;
    tensor_errors joined(const ir::op_spec &op) const;
    tensor_errors after(const ir::op_spec &op, std::span<const ir::const_view> in,
            const ir::mutable_view &out) const;

    std::map<std::size_t, tensor_errors> tensors_;
};

/// True when f32 adds up the products of two tensors' elements, `terms` of them each time, exactly
/// in any order.
bool sums_are_exact(const ir::const_view &a, const ir::const_view *b, double terms);

/// The number of products that each element of a MatMul adds up.
std::int64_t terms_of_matmul(const ir::op_spec &op, const dims &src);

} // namespace tern::driver

#endif
