// SPDX-License-Identifier: Apache-2.0
#ifdef TERN_HAVE_ONEDNN

#include "primitives/onednn_call.hpp"

#include "base/parallel.hpp"

#if DNNL_CPU_RUNTIME == DNNL_RUNTIME_THREADPOOL
#include <oneapi/dnnl/dnnl_threadpool.hpp>
#elif DNNL_CPU_RUNTIME == DNNL_RUNTIME_OMP
// The two functions that are needed, so that compilers without an OpenMP of their own will do.
extern "C" int omp_get_max_threads();
extern "C" void omp_set_num_threads(int threads);
#endif

namespace tern::primitives {
namespace {

#if DNNL_CPU_RUNTIME == DNNL_RUNTIME_THREADPOOL

/// oneDNN's view of the arena that the calling thread is in.
class arena_pool final : public dnnl::threadpool_interop::threadpool_iface {
public:
    int get_num_threads() const override { return max_concurrency(); }
    bool get_in_parallel() const override { return in_parallel_work(); }
    std::uint64_t get_flags() const override { return 0; }
    void parallel_for(int n, const std::function<void(int, int)> &fn) override {
        tern::parallel_for(n, 1, [&](std::int64_t begin, std::int64_t end) noexcept {
            for (std::int64_t i = begin; i < end; ++i)
                fn(static_cast<int>(i), n);
        });
    }
};

dnnl::stream make_stream() {
    static arena_pool pool; // Without state: one serves every thread and arena.
    return dnnl::threadpool_interop::make_stream(cpu_engine(), &pool);
}

class thread_count {};

#else

dnnl::stream make_stream() {
    return dnnl::stream(cpu_engine());
}

#if DNNL_CPU_RUNTIME == DNNL_RUNTIME_OMP

/// OpenMP has threads of its own. It gets as many as the arena has; within parallel work one, since
/// the others are busy.
class thread_count {
public:
    thread_count() : before_(omp_get_max_threads()) {
        omp_set_num_threads(in_parallel_work() ? 1 : max_concurrency());
    }
    thread_count(const thread_count &) = delete;
    thread_count &operator=(const thread_count &) = delete;
    ~thread_count() { omp_set_num_threads(before_); }

private:
    int before_;
};

#else

class thread_count {};

#endif
#endif

} // namespace

const dnnl::engine &cpu_engine() {
    static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    return engine;
}

void execute(const dnnl::primitive &primitive, const std::unordered_map<int, dnnl::memory> &args) {
    [[maybe_unused]] thread_count count;
    dnnl::stream stream = make_stream();
    primitive.execute(stream, args);
    stream.wait();
}

} // namespace tern::primitives

#endif
