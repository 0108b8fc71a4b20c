// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_FORMATS_ONNX_TRACED_HPP
#define TERN_FORMATS_ONNX_TRACED_HPP

/// \file
/// What the importer knows of a value of the model, and the errors it answers with.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/tensor_desc.hpp"
#include "formats/onnx/model.hpp"

namespace tern::formats::onnx {

/// A tensor whose content is known when the model is imported: dense, row-major.
struct constant {
    data_type type = data_type::undef;
    dims shape;
    const void *data = nullptr;
    std::shared_ptr<const void> owner; ///< Keeps `data` alive.

    std::int64_t count() const;
    std::size_t bytes() const;
};
using constant_ptr = std::shared_ptr<const constant>;

/// Memory for a constant, to be filled in.
struct new_constant {
    std::shared_ptr<constant> value;
    void *data;
};
/// Throws out_of_memory; invalid_shape where the size does not fit.
new_constant make_constant(data_type type, const dims &shape);
constant_ptr make_constant(const dims &shape, const std::vector<std::int64_t> &values);
/// The content of a tensor of the model. Throws declined, naming no op, where Tern lacks the type
/// or the rank is too large.
constant_ptr constant_of(const tensor &source);

/// What is known of a value of the model while it is imported.
struct traced {
    bool is_given = false; ///< False: a node's input that is left out.
    /// Shapes of tensors are known but for what an earlier stage has yet to compute; the layout is
    /// dense.
    tensor_desc desc;
    constant_ptr content; ///< Tensors; null: known at run time only.
    std::size_t id = 0;   ///< Tensor id in the graph of a stage. 0: none yet.
    int slot = -1;        ///< Where a run keeps it between stages; -1: it stays within its stage.

    /// As a model declares it; shapes are left open. Throws declined, naming no op, for a type that
    /// Tern lacks; invalid_graph where nothing is declared.
    static traced declared(const value_info &info);

    bool is_tensor() const { return is_given && desc.is_tensor(); }
};

/// A dense tensor of known shape.
tensor_desc dense_desc(data_type type, const dims &shape);

/// What the importer does not serve; the status is unimplemented.
class declined final : public error {
public:
    declined(std::string what, const std::string &text)
        : error(tern::status::unimplemented, text),
          op(std::move(what)) {}

    std::string op; ///< The op's name, with its domain unless that is ONNX's own.
};

} // namespace tern::formats::onnx

#endif
