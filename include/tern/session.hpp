// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_SESSION_HPP
#define TERN_SESSION_HPP

/// \file
/// Runs ONNX models whole: load one, give it inputs, get its outputs. docs/onnx.md lists the ops.
///
/// Threads: a session may be used by any number of threads at once. Errors: everything that can
/// fail throws tern::error; messages about a model name the file, the node and the field.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tern/engine.hpp"
#include "tern/types.hpp"
#include "tern/value.hpp"

namespace tern {

/// One dimension of an input or output as the model declares it: a size, a name that stands for a
/// size (every input with that name must agree), or neither.
struct session_dimension {
    std::int64_t size = -1; ///< -1: any.
    std::string name;
};

/// An input or output of a model.
struct session_port {
    std::string name;
    value_type type;
    bool rank_known = false; ///< Of a tensor.
    std::vector<session_dimension> dims;
};

struct session_options {
    /// Where memory comes from; empty: the CPU engine.
    tern::engine engine;
    /// Name of the only implementation that may serve, such as "reference". Empty: the best ones.
    std::string implementation;
    /// Most sets of input shapes that are kept compiled at a time; those used last stay.
    std::size_t most_shapes = 16;
};

/// Memory of the caller's for an output: dense, row-major. It must not overlap that of an input or
/// of another output.
struct output_tensor {
    data_type type = data_type::undef;
    std::vector<std::int64_t> dims;
    void *data = nullptr;
};

/// A model that is ready to run. A handle; immutable.
///
/// Partitions are compiled when shapes are met for the first time, and kept. What is constant in
/// the model, or depends on nothing but the shapes of the inputs, is computed once, not at every
/// run. Inputs that say what shape something is to have (that of Reshape, the axes of Squeeze)
/// count as shapes: every other content compiles anew.
class TERN_API session {
public:
    /// An empty handle.
    session() = default;
    /// A model from a file; external data must lie in its folder or below.
    /// Errors: invalid_arguments for a file that is no model; invalid_graph for a model that is
    /// none; unimplemented for ops that Tern does not support, naming all of them.
    explicit session(const std::string &path, const session_options &options = {});
    /// A model from memory, which is not needed any more afterwards. `name` stands for the path in
    /// messages; `folder` is where external data lies, none when empty. Errors: as above.
    session(const void *data, std::size_t bytes, const std::string &name,
            const std::string &folder = "", const session_options &options = {});

    /// In the model's order. Inputs that have an initializer are constants and not listed.
    const std::vector<session_port> &inputs() const;
    const std::vector<session_port> &outputs() const;

    /// Inputs by position, outputs by position. An absent value stands for an optional input that
    /// is left empty.
    /// Errors (before anything is computed): invalid_arguments for a wrong number of inputs;
    /// invalid_data_type, invalid_shape naming input and axis. unimplemented, invalid_shape and
    /// invalid_graph_op naming a node that cannot work with these shapes.
    std::vector<value> run(const std::vector<value> &inputs) const;
    /// Inputs by name, in any order; every one of them. Errors: as above; invalid_arguments for a
    /// name that the model does not have, and for one given twice.
    std::vector<value> run(const std::vector<std::pair<std::string, value>> &inputs) const;
    /// Into memory of the caller's, for all outputs, which must be tensors; types and dims must be
    /// the real ones. Errors: as above; invalid_arguments naming the output. Where the shape of an
    /// output depends on data, it is checked before that output is written.
    void run(const std::vector<value> &inputs, const std::vector<output_tensor> &outputs) const;

    explicit operator bool() const noexcept { return state_ != nullptr; }

private:
    struct state;
    const state &checked(const char *what) const;
    std::shared_ptr<const state> state_;
};

} // namespace tern

#endif
