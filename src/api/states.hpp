// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_API_STATES_HPP
#define TERN_API_STATES_HPP

/// \file
/// What the public handles point to.

#include <memory>
#include <optional>

#include "base/error.hpp"
#include "compiler/compile.hpp"
#include "ir/graph.hpp"
#include "tern/graph.hpp"

namespace tern::graph {

/// Between the caller's form and the inside's.
ir::port to_port(const logical_tensor &lt);
ir::port to_port(const logical_value &v);
std::vector<ir::port> to_ports(const std::vector<logical_tensor> &lts);
logical_tensor to_logical_tensor(const ir::port &port);

// Part of an exported class, and so exported as well if nothing were said.
struct TERN_NO_EXPORT tensor::state {
    ir::port port;
    engine where;
    void *data = nullptr;
    bool owns_data = false;
    /// Execution allocates. Then `owned_bytes` are there already, from the execution before.
    bool is_library_allocated = false;
    std::size_t owned_bytes = 0;
    /// As it was made, where `port` has been given the shape of what an execution wrote.
    std::optional<tensor_desc> made;
    std::int64_t scalar = 0; ///< Bytes of a host scalar.

    bool is_scalar() const { return port.desc.property == property_type::host_scalar; }
    const void *input() const { return is_scalar() ? &scalar : data; }
    /// What it is as an output.
    const tensor_desc &as_output() const { return made ? *made : port.desc; }

    state() = default;
    state(const state &) = delete;
    state &operator=(const state &) = delete;
    ~state();
};

struct op::state {
    ir::op_spec spec;
};

struct graph::state {
    std::shared_ptr<ir::graph> graph;
    engine::kind kind;
    fpmath_mode fpmath;
    bool fpmath_on_integers = false;
    std::size_t id = 0; ///< Unique in the process; only dumps tell it.
};

struct partition::state {
    std::shared_ptr<const compiler::partition> partition;
    engine::kind kind;
};

struct compiled_partition::state {
    compiler::compiled compiled;
};

/// Throws on an empty handle.
template <typename State>
State &checked(const std::shared_ptr<State> &state, const char *what) {
    if (!state) fail(status::invalid_arguments, "{}: the handle is empty", what);
    return *state;
}

} // namespace tern::graph

#endif
