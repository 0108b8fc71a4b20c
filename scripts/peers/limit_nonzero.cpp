// SPDX-License-Identifier: Apache-2.0
// The limit's leg for NonZero, see leg.hpp and nonzero_leg.hpp: hand-written AVX2 loops that count
// the elements, and then write as many bytes as there are indices, but not what they are.
//   threads=N      default: as many as the process may use
//   way=plain      stores go through the caches
//   way=stream     stores go past them
#include <immintrin.h>

#include <thread>

#include "limit_threads.hpp"
#include "nonzero_leg.hpp"

namespace {

constexpr int64_t line = 64; // bytes

/// Of bytes [begin, end), multiples of 64, or a part of that at the end of x.
template <size_t Size>
int64_t count_set(const uint8_t *x, int64_t begin, int64_t end) {
    const __m256i zero = _mm256_setzero_si256();
    int64_t zeros = 0;
    int64_t at = begin;
    for (; at + 32 <= end; at += 32) {
        const __m256i v = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(x + at));
        if constexpr (Size == 1) {
            zeros += __builtin_popcount(
                    static_cast<unsigned>(_mm256_movemask_epi8(_mm256_cmpeq_epi8(v, zero))));
        } else {
            const __m256i is_zero = _mm256_cmpeq_epi32(_mm256_slli_epi32(v, 1), zero);
            zeros += __builtin_popcount(
                    static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(is_zero))));
        }
    }
    int64_t set = (at - begin) / static_cast<int64_t>(Size) - zeros;
    for (; at < end; at += Size) {
        bool any = false;
        for (size_t byte = 0; byte < Size; ++byte)
            any = any || x[at + static_cast<int64_t>(byte)] != 0;
        set += any;
    }
    return set;
}

void write(uint8_t *y, int64_t begin, int64_t end, bool streams) {
    const __m256i v = _mm256_set1_epi64x(1);
    int64_t at = begin;
    for (; at + 32 <= end; at += 32) {
        auto *to = reinterpret_cast<__m256i *>(y + at);
        if (streams)
            _mm256_stream_si256(to, v);
        else
            _mm256_storeu_si256(to, v);
    }
    const int64_t one = 1;
    for (; at < end; at += 8)
        std::memcpy(y + at, &one, 8);
    _mm_sfence();
}

leg::prepared prepare(const leg::arguments &given) {
    const int threads =
            given.number("threads", static_cast<int>(std::thread::hardware_concurrency()));
    const bool streams = given.text("way") == "stream";
    // All of them live as long as the process.
    const auto *c = new leg::nonzero_case(given);
    const int64_t x_bytes = c->n * static_cast<int64_t>(c->element_size);
    const int64_t y_bytes = c->found * c->rank * 8;
    auto *found = new std::atomic<int64_t>(0);
    auto *to_read = new limit::shares((x_bytes + line - 1) / line, threads);
    auto *to_write = new limit::shares((y_bytes + line - 1) / line, threads);
    auto *y = reinterpret_cast<uint8_t *>(c->y);
    auto *readers = new std::function<void(int)>([=](int i) {
        to_read->work_off(i, [&](int64_t begin, int64_t end) {
            begin = std::min(x_bytes, begin * line);
            end = std::min(x_bytes, end * line);
            found->fetch_add(c->element_size == 1 ? count_set<1>(c->x, begin, end)
                                                  : count_set<4>(c->x, begin, end));
        });
    });
    auto *writers = new std::function<void(int)>([=](int i) {
        to_write->work_off(i, [&](int64_t begin, int64_t end) {
            write(y, std::min(y_bytes, begin * line), std::min(y_bytes, end * line), streams);
        });
    });
    auto *is_reading = new std::atomic<bool>(true);
    auto *all =
            new limit::team(threads, [=](int i) { (is_reading->load() ? *readers : *writers)(i); });
    return {given.text("way"),
            [=] {
                found->store(0);
                to_read->begin();
                is_reading->store(true);
                all->run();
                to_write->begin();
                is_reading->store(false);
                all->run();
            },
            [=] {
                return found->load() == c->found
                       && std::all_of(c->y, c->y + c->found * c->rank,
                               [](int64_t index) { return index == 1; });
            },
            1, ""};
}

} // namespace

int main(int argc, char **argv) {
    return leg::run_bare(argc, argv, prepare);
}
