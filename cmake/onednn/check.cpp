// SPDX-License-Identifier: Apache-2.0
// Run once after the build: does what was kept link and compute? An f32 matmul and a binary_select,
// on a serial thread pool.
#include <cstdint>
#include <cstdio>
#include <functional>
#include <unordered_map>
#include <vector>

#include "oneapi/dnnl/dnnl.hpp"
#include "oneapi/dnnl/dnnl_threadpool.hpp"

namespace {

struct serial_pool : dnnl::threadpool_interop::threadpool_iface {
    int get_num_threads() const override { return 2; }
    bool get_in_parallel() const override { return false; }
    uint64_t get_flags() const override { return 0; }
    void parallel_for(int n, const std::function<void(int, int)> &body) override {
        for (int i = 0; i < n; ++i)
            body(i, n);
    }
};

using dims = dnnl::memory::dims;
using type = dnnl::memory::data_type;
using arguments = std::unordered_map<int, dnnl::memory>;

dnnl::memory::desc dense(const dims &shape, type data_type) {
    dims strides(shape.size(), 1);
    for (size_t i = shape.size() - 1; i > 0; --i)
        strides[i - 1] = strides[i] * shape[i];
    return {shape, data_type, strides};
}

bool matmul_is_right(const dnnl::engine &engine, dnnl::stream &stream) {
    const int64_t m = 37, k = 65, n = 130;
    std::vector<float> a(m * k), b(k * n), c(m * n, -1.f);
    for (int64_t i = 0; i < m * k; ++i)
        a[i] = float(i % 7 - 3);
    for (int64_t i = 0; i < k * n; ++i)
        b[i] = float(i % 5 - 2);
    const auto a_md = dense({m, k}, type::f32), b_md = dense({k, n}, type::f32),
               c_md = dense({m, n}, type::f32);
    const dnnl::matmul::primitive_desc pd(engine, a_md, b_md, c_md);
    dnnl::matmul(pd).execute(stream, arguments{{DNNL_ARG_SRC, {a_md, engine, a.data()}},
                                             {DNNL_ARG_WEIGHTS, {b_md, engine, b.data()}},
                                             {DNNL_ARG_DST, {c_md, engine, c.data()}}});
    stream.wait();
    std::printf("matmul: %s\n", pd.impl_info_str());
    for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j) {
            float sum = 0; // small integers: exact in any order
            for (int64_t l = 0; l < k; ++l)
                sum += a[i * k + l] * b[l * n + j];
            if (c[i * n + j] != sum) return false;
        }
    return true;
}

bool select_is_right(const dnnl::engine &engine, dnnl::stream &stream) {
    const int64_t n = 8 * 133;
    std::vector<float> x(n), y(n), z(n, -1.f);
    std::vector<int8_t> cond(n);
    for (int64_t i = 0; i < n; ++i) {
        x[i] = float(i);
        y[i] = float(-i - 1);
        cond[i] = i % 3 == 0;
    }
    const auto md = dense({8, 133}, type::f32), cond_md = dense({8, 133}, type::s8);
    const dnnl::binary::primitive_desc pd(
            engine, dnnl::algorithm::binary_select, md, md, cond_md, md);
    dnnl::binary(pd).execute(stream, arguments{{DNNL_ARG_SRC_0, {md, engine, x.data()}},
                                             {DNNL_ARG_SRC_1, {md, engine, y.data()}},
                                             {DNNL_ARG_SRC_2, {cond_md, engine, cond.data()}},
                                             {DNNL_ARG_DST, {md, engine, z.data()}}});
    stream.wait();
    std::printf("binary_select: %s\n", pd.impl_info_str());
    for (int64_t i = 0; i < n; ++i)
        if (z[i] != (cond[i] ? x[i] : y[i])) return false;
    return true;
}

} // namespace

int main() {
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    serial_pool pool;
    dnnl::stream stream = dnnl::threadpool_interop::make_stream(engine, &pool);
    return matmul_is_right(engine, stream) && select_is_right(engine, stream) ? 0 : 1;
}
