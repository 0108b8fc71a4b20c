// SPDX-License-Identifier: Apache-2.0
#include "runtime/verbose.hpp"

#include <atomic>
#include <cstdio>
#include <mutex>

#include "base/parallel.hpp"
#include "base/text.hpp"
#include "kernels/select/select.hpp"
#include "tern/version.hpp"

namespace tern::runtime {
namespace {

constexpr unsigned bit_exec = 1;
constexpr unsigned bit_create = 2;
constexpr unsigned bit_dispatch = 4;
constexpr unsigned bit_set = 8; // the API has spoken

std::atomic<unsigned> api_level{0};

struct sink {
    std::mutex mutex;
    void (*callback)(void *, const char *) = nullptr;
    void *user = nullptr;
    bool header_written = false;
};

sink &the_sink() {
    static auto *instance = new sink; // never destroyed: executions may outlive static destructors
    return *instance;
}

void emit(sink &to, const std::string &text) {
    std::string line = "tern_verbose,v1," + text;
    if (to.callback) {
        to.callback(to.user, line.c_str());
        return;
    }
    line += '\n';
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fflush(stdout);
}

} // namespace

verbose_level verbose() {
    unsigned bits = api_level.load(std::memory_order_relaxed);
    if (!(bits & bit_set)) return environment_verbose();
    return {(bits & bit_exec) != 0, (bits & bit_create) != 0, (bits & bit_dispatch) != 0};
}

void set_verbose(verbose_level level) {
    unsigned bits = bit_set;
    if (level.exec) bits |= bit_exec;
    if (level.create) bits |= bit_create;
    if (level.dispatch) bits |= bit_dispatch;
    api_level.store(bits, std::memory_order_relaxed);
}

void set_verbose_callback(void (*callback)(void *user, const char *line), void *user) {
    sink &to = the_sink();
    std::lock_guard lock(to.mutex);
    to.callback = callback;
    to.user = user;
    to.header_written = false;
}

void write_verbose_line(const std::string &text) noexcept try {
    sink &to = the_sink();
    std::lock_guard lock(to.mutex);
    if (!to.header_written) {
        to.header_written = true;
        emit(to, format_text("info,tern v{}", version()));
        emit(to, format_text("info,cpu,isa:{},threads:{}", kernels::select_target(),
                         max_concurrency()));
        emit(to, "info,graph,backend,0:tern_backend");
        emit(to, "info,graph,template:operation,engine,partition_id,partition_kind,op_names,"
                 "data_formats,logical_tensors,fpmath_mode,scratchpad,implementation,backend,exec_"
                 "time");
    }
    emit(to, text);
} catch (...) {
    // As in write_verbose.
}

} // namespace tern::runtime
