// SPDX-License-Identifier: Apache-2.0
#include "session/frame.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tern::session_parts {

std::shared_ptr<void> allocate(const runtime::engine_state &engine, std::size_t bytes) {
    void *data = engine.allocate(std::max<std::size_t>(bytes, 1), 64);
    if (!data) fail(status::out_of_memory, "run: {} bytes cannot be had", bytes);
    return {data, [release = engine.deallocate](void *ptr) { release(ptr); }};
}

value allocate_tensor(
        const runtime::engine_state &engine, data_type type, const dims &shape, std::size_t bytes) {
    std::shared_ptr<void> memory = allocate(engine, bytes);
    const void *data = memory.get();
    return value::borrow(type, {shape.begin(), shape.end()}, data, std::move(memory));
}

value to_value(const formats::onnx::constant &content) {
    return value::borrow(content.type, {content.shape.begin(), content.shape.end()}, content.data,
            content.owner);
}

dims dims_of(const value &tensor) {
    dims result;
    result.assign(tensor.shape().begin(), tensor.shape().end());
    return result;
}

} // namespace tern::session_parts
