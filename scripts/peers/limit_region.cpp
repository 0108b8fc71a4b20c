// SPDX-License-Identifier: Apache-2.0
// The limit's leg for a region of elementwise ops, see leg.hpp: a hand-fused loop over
//   select(cond, min(max((a * scale + b) - shift, low), high), fill)
// with a, b and cond full and everything else one value: benchdnn_cases/pattern/region_select.json.
//   graph=FILE      of that form; shapes and values are taken from it
//   threads=N       default: as many as the process may use
//   way=plain       stores go through the caches
//   way=stream      stores go past them
//   way=prefetch    the same, and sources are fetched ahead
//   outputs=FILE    see graph_file.hpp
#include <immintrin.h>

#include <thread>

#include "graph_file.hpp"
#include "limit_threads.hpp"

namespace {

struct region {
    const float *a, *b;
    const uint8_t *cond;
    float *dst;
    float scale, shift, low, high, fill;
};

enum class way { plain, stream, prefetch };

float one(const region &r, int64_t i) {
    const float v = std::max(r.a[i] * r.scale + r.b[i] - r.shift, r.low);
    return r.cond[i] ? std::min(v, r.high) : r.fill;
}

/// begin is on a 32-byte boundary of dst.
template <way Way>
void run(const region &r, int64_t begin, int64_t end) {
    const __m256 scale = _mm256_set1_ps(r.scale), shift = _mm256_set1_ps(r.shift);
    const __m256 low = _mm256_set1_ps(r.low), high = _mm256_set1_ps(r.high);
    const __m256 fill = _mm256_set1_ps(r.fill);
    const auto vector = [&](int64_t i) {
        __m256 v = _mm256_add_ps(
                _mm256_mul_ps(_mm256_loadu_ps(r.a + i), scale), _mm256_loadu_ps(r.b + i));
        v = _mm256_min_ps(_mm256_max_ps(_mm256_sub_ps(v, shift), low), high);
        const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i *>(r.cond + i));
        const __m256i is_false =
                _mm256_cmpeq_epi32(_mm256_cvtepu8_epi32(bytes), _mm256_setzero_si256());
        return _mm256_blendv_ps(v, fill, _mm256_castsi256_ps(is_false));
    };
    constexpr int64_t ahead = 256, lanes = 8; // ahead: elements
    int64_t i = begin;
    for (; i + 2 * lanes <= end; i += 2 * lanes) {
        if constexpr (Way == way::prefetch) {
            _mm_prefetch(reinterpret_cast<const char *>(r.a + i + ahead), _MM_HINT_NTA);
            _mm_prefetch(reinterpret_cast<const char *>(r.b + i + ahead), _MM_HINT_NTA);
            _mm_prefetch(reinterpret_cast<const char *>(r.cond + i + 4 * ahead), _MM_HINT_NTA);
        }
        const __m256 v_0 = vector(i), v_1 = vector(i + lanes);
        if constexpr (Way == way::plain) {
            _mm256_storeu_ps(r.dst + i, v_0);
            _mm256_storeu_ps(r.dst + i + lanes, v_1);
        } else {
            _mm256_stream_ps(r.dst + i, v_0);
            _mm256_stream_ps(r.dst + i + lanes, v_1);
        }
    }
    for (; i < end; ++i)
        r.dst[i] = one(r, i);
    if constexpr (Way != way::plain) _mm_sfence();
}

/// The graph's inputs by what they are for; throws where it is another graph.
region bind(const leg::graph_file &g) {
    const std::vector<std::string> kinds{
            "Multiply", "Add", "Subtract", "Maximum", "Minimum", "Select"};
    for (size_t i = 0; i < kinds.size(); ++i)
        if (g.nodes.size() != kinds.size() || g.nodes[i].kind != kinds[i])
            throw std::invalid_argument("not the region that this kernel knows");
    const auto memory = [&](size_t op, size_t position) {
        for (size_t i = 0; i < g.inputs.size(); ++i)
            if (g.inputs[i].id == g.nodes[op].inputs.at(position).id) return leg::fill(g, i);
        throw std::invalid_argument("not the region that this kernel knows");
    };
    const auto full = [&](size_t op, size_t position) {
        const leg::port &p = g.nodes[op].inputs.at(position);
        if (leg::count(p.shape) != leg::count(g.outputs.at(0).shape))
            throw std::invalid_argument("an operand is not full");
        return memory(op, position);
    };
    const auto value = [&](size_t op, size_t position) {
        float v;
        std::memcpy(&v, memory(op, position), sizeof v);
        return v;
    };
    const size_t n = static_cast<size_t>(leg::count(g.outputs.at(0).shape));
    return {reinterpret_cast<const float *>(full(0, 0)),
            reinterpret_cast<const float *>(full(1, 1)), full(5, 0),
            reinterpret_cast<float *>(leg::allocate(n * sizeof(float))), value(0, 1), value(2, 1),
            value(3, 1), value(4, 1), value(5, 2)};
}

leg::prepared prepare(const leg::arguments &given) {
    if (!__builtin_cpu_supports("avx2")) throw leg::unsupported("no AVX2");
    // All of these live as long as the process.
    const auto *g = new leg::graph_file(given.text("graph"));
    const region r = bind(*g);
    const int64_t n = leg::count(g->outputs[0].shape);
    constexpr int64_t line = 16; // elements of a cache line
    const int threads =
            given.number("threads", static_cast<int>(std::thread::hardware_concurrency()));
    const std::string name = given.text("way", "plain"), outputs = given.text("outputs");
    const auto kernel = name == "plain"    ? run<way::plain>
                        : name == "stream" ? run<way::stream>
                                           : run<way::prefetch>;
    auto *blocks = new limit::shares((n + line - 1) / line, threads);
    auto *all = new limit::team(threads, [=](int i) {
        blocks->work_off(i, [&](int64_t begin, int64_t end) {
            kernel(r, begin * line, std::min(n, end * line));
        });
    });
    return {name,
            [=] {
                blocks->begin();
                all->run();
            },
            [=] { return leg::agrees(*g, {reinterpret_cast<uint8_t *>(r.dst)}, outputs); }, 1, ""};
}

} // namespace

int main(int argc, char **argv) {
    return leg::run_bare(argc, argv, prepare);
}
