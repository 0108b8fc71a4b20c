// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "api/states.hpp"
#include "runtime/engine_state.hpp"

namespace tern::graph {

tensor::state::~state() {
    if (owns_data) where.state()->deallocate(data);
}

tensor::tensor() = default;

tensor::tensor(const logical_tensor &lt, const engine &aengine, void *handle)
    : state_(std::make_shared<state>()) {
    std::size_t id = lt.get_id();
    if (lt.get_property_type() == logical_tensor::property_type::host_scalar)
        fail(status::invalid_arguments,
                "tensor {}: a host_scalar is made with tensor::make_scalar_tensor", id);
    if (!aengine) fail(status::invalid_arguments, "tensor {}: the engine is empty", id);
    state_->port = to_port(lt);
    state_->where = aengine;
    if (handle != TERN_MEMORY_ALLOCATE) {
        state_->data = handle;
        return;
    }
    std::size_t bytes = lt.get_mem_size();
    if (bytes == static_cast<std::size_t>(-1))
        fail(status::invalid_arguments,
                "tensor {}: memory can only be allocated for a strided tensor of known shape; "
                "found {}",
                id, to_string(state_->port.desc));
    if (bytes == 0) return;
    state_->data = aengine.state()->allocate(bytes, 64);
    if (!state_->data) fail(status::out_of_memory, "tensor {}: {} bytes cannot be had", id, bytes);
    state_->owns_data = true;
}

tensor::tensor(const logical_tensor &lt, const engine &aengine)
    : tensor(lt, aengine, TERN_MEMORY_ALLOCATE) {}

tensor tensor::make_scalar_tensor(const logical_tensor &lt, const void *scalar) {
    std::size_t id = lt.get_id();
    if (lt.get_property_type() != logical_tensor::property_type::host_scalar)
        fail(status::invalid_arguments,
                "tensor {}: make_scalar_tensor takes a logical tensor with property host_scalar",
                id);
    if (!scalar)
        fail(status::invalid_arguments, "tensor {}: the pointer to the scalar is null", id);
    tensor result;
    result.state_ = std::make_shared<state>();
    result.state_->port = to_port(lt);
    std::memcpy(&result.state_->scalar, scalar, bytes_of(lt.get_data_type()));
    return result;
}

tensor tensor::make_library_allocated(const logical_tensor &lt, const engine &aengine) {
    tensor result(lt, aengine, TERN_MEMORY_NONE);
    result.state_->is_library_allocated = true;
    return result;
}

void *tensor::get_data_handle() const noexcept {
    return state_ ? state_->data : nullptr;
}

void tensor::set_data_handle(void *handle) {
    state &self = checked(state_, "tensor::set_data_handle");
    if (self.is_scalar())
        fail(status::invalid_arguments, "tensor {}: a host_scalar has no data handle",
                self.port.id);
    if (self.owns_data) self.where.state()->deallocate(self.data);
    self.owns_data = false;
    self.data = handle;
    if (!self.is_library_allocated) return;
    self.is_library_allocated = false;
    self.made.reset(); // what it is now is what it was filled with
}

engine tensor::get_engine() const {
    return checked(state_, "tensor::get_engine").where;
}

logical_tensor tensor::get_logical_tensor() const {
    return to_logical_tensor(checked(state_, "tensor::get_logical_tensor").port);
}

} // namespace tern::graph
