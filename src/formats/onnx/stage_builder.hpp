// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_FORMATS_ONNX_STAGE_BUILDER_HPP
#define TERN_FORMATS_ONNX_STAGE_BUILDER_HPP

/// \file
/// Collects the ops of one stage's graph. What can be computed at once is computed at once.

#include <initializer_list>
#include <map>
#include <span>
#include <vector>

#include "formats/onnx/traced.hpp"
#include "ir/graph.hpp"

namespace tern::formats::onnx {

class stage_builder {
public:
    /// `next_id`: the first tensor id that is free; it goes on from there.
    explicit stage_builder(std::size_t &next_id) : next_id_(next_id) {}

    /// The first result of an op. With constant operands it is computed at once by the op's
    /// reference loop, unless it is very large; else the op joins the graph. Throws declined
    /// (naming no op) for a type that the op does not take, and the op's own errors.
    traced emit(
            op_kind kind, const ir::attr_list &attrs, std::span<const traced> in, data_type result);
    traced emit(op_kind kind, const ir::attr_list &attrs, std::initializer_list<traced> in,
            data_type result) {
        return emit(kind, attrs, std::span(in.begin(), in.size()), result);
    }

    static traced of(constant_ptr content);
    std::size_t new_id() { return next_id_++; }

    std::string where; ///< The node that ops are of: their name, for messages.
    std::vector<ir::op_spec> ops;
    /// Graph inputs whose content is known, by tensor id.
    std::map<std::size_t, constant_ptr> constants;
    /// Graph inputs that earlier stages, or the caller, left in slots, by tensor id.
    std::map<std::size_t, int> slots;

private:
    ir::port port_of(const traced &value);

    std::size_t &next_id_;
    std::map<const constant *, std::size_t> constant_ids_;
    std::map<int, std::size_t> slot_ids_;
};

} // namespace tern::formats::onnx

#endif
