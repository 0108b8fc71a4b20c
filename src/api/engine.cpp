// SPDX-License-Identifier: Apache-2.0
#include "tern/engine.hpp"

#include "base/error.hpp"
#include "runtime/engine_state.hpp"
#include "tern/version.hpp"

namespace tern {

const char *version() noexcept {
    return TERN_VERSION_STRING;
}

allocator::allocator() : allocator(nullptr, nullptr) {}

allocator::allocator(host_allocate_f host_malloc, host_deallocate_f host_free)
    : allocate_(runtime::default_allocate),
      deallocate_(runtime::default_deallocate) {
    // Half a pair would free with one what the other allocated.
    if (!host_malloc || !host_free) return;
    allocate_ = host_malloc;
    deallocate_ = host_free;
}

engine::engine(kind engine_kind, std::size_t index) : engine(engine_kind, index, allocator()) {}

engine::engine(kind engine_kind, std::size_t index, const allocator &alloc) {
    if (index >= get_count(engine_kind))
        fail(status::invalid_arguments, "engine: there is no {} engine {}; there is cpu engine 0",
                engine_kind == kind::gpu ? "gpu" : "cpu", index);
    state_ = runtime::intern_engine({kind::cpu, index, alloc.allocate_, alloc.deallocate_});
}

engine::kind engine::get_kind() const {
    if (!state_) fail(status::invalid_arguments, "engine: the handle is empty");
    return state_->kind;
}

std::size_t engine::get_count(kind engine_kind) {
    return engine_kind == kind::cpu || engine_kind == kind::any ? 1 : 0;
}

stream::stream(const engine &stream_engine, flags) : engine_(stream_engine) {
    if (!engine_) fail(status::invalid_arguments, "stream: the engine is empty");
}

stream &stream::wait() {
    if (!engine_) fail(status::invalid_arguments, "stream: the handle is empty");
    return *this;
}

} // namespace tern
