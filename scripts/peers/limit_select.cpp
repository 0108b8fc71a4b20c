// SPDX-License-Identifier: Apache-2.0
// The limit for one f32 Select: a hand-written AVX2 kernel that moves the same bytes, knows nothing
// of graphs and does no checks. How far Tern is from it says more than how far it is from a peer,
// since peers improve.
//   limit_select --cond=1x1x1x128 --src0=1 --src1=1x12x128x128 [--seconds=3] [--threads=N]
#include <immintrin.h>
#include <sched.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "select_case.hpp"

namespace {

using peers::dims;

/// The case as rows: the innermost axes over which each operand either moves by one element or
/// stays.
struct rows {
    int64_t n = 1;                             // elements of a row
    dims outer;                                // the axes around it
    dims cond, src_0, src_1;                   // element strides over these axes
    bool cond_moves, src_0_moves, src_1_moves; // inside a row
};

rows coalesce(const peers::select_case &c) {
    const dims all[] = {peers::broadcast_strides(c.cond, c.dst),
            peers::broadcast_strides(c.src_0, c.dst), peers::broadcast_strides(c.src_1, c.dst)};
    rows r;
    size_t a = c.dst.size();
    bool moves[3] = {};
    for (; a > 0; --a) {
        const int64_t d = c.dst[a - 1];
        if (d == 1) continue;
        bool fits = true;
        for (int i = 0; i < 3; ++i)
            fits = fits && (r.n == 1 || all[i][a - 1] == (moves[i] ? r.n : 0));
        if (!fits) break;
        for (int i = 0; i < 3; ++i)
            moves[i] = all[i][a - 1] != 0;
        r.n *= d;
    }
    r.outer.assign(c.dst.begin(), c.dst.begin() + a);
    dims *kept[] = {&r.cond, &r.src_0, &r.src_1};
    for (int i = 0; i < 3; ++i)
        kept[i]->assign(all[i].begin(), all[i].begin() + a);
    r.cond_moves = moves[0], r.src_0_moves = moves[1], r.src_1_moves = moves[2];
    return r;
}

/// How a row's condition comes: one for the whole row (src_0 is then the chosen source), a byte per
/// element, or a 32-bit mask per element that was expanded before (all ones takes src_1).
enum class cond_form { whole, bytes, masks };

template <cond_form form, bool src_0_moves, bool src_1_moves, bool stream>
void select_row(const void *cond, const float *src_0, const float *src_1, float *dst, int64_t n) {
    const auto *bytes = static_cast<const uint8_t *>(cond);
    const auto *masks = static_cast<const int32_t *>(cond);
    const __m256 fill_0 = _mm256_set1_ps(*src_0), fill_1 = _mm256_set1_ps(*src_1);
    const auto eight = [&](int64_t i) {
        __m256 v = src_0_moves ? _mm256_loadu_ps(src_0 + i) : fill_0;
        if constexpr (form != cond_form::whole) {
            __m256i mask;
            if constexpr (form == cond_form::masks) {
                mask = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(masks + i));
            } else {
                const __m128i b = _mm_loadl_epi64(reinterpret_cast<const __m128i *>(bytes + i));
                mask = _mm256_cmpeq_epi32(_mm256_cvtepu8_epi32(b), _mm256_setzero_si256());
            }
            const __m256 other = src_1_moves ? _mm256_loadu_ps(src_1 + i) : fill_1;
            v = _mm256_blendv_ps(v, other, _mm256_castsi256_ps(mask));
        }
        if constexpr (stream)
            _mm256_stream_ps(dst + i, v);
        else
            _mm256_storeu_ps(dst + i, v);
    };
    int64_t i = 0;
    for (; i + 32 <= n; i += 32)
        eight(i), eight(i + 8), eight(i + 16), eight(i + 24);
    for (; i + 8 <= n; i += 8)
        eight(i);
    for (; i < n; ++i) {
        const bool second = form == cond_form::bytes ? bytes[i] == 0
                                                     : form == cond_form::masks && masks[i] != 0;
        dst[i] = second ? src_1[src_1_moves ? i : 0] : src_0[src_0_moves ? i : 0];
    }
}

using row_function = void (*)(const void *, const float *, const float *, float *, int64_t);

template <cond_form form, bool stream>
row_function choose(bool src_0_moves, bool src_1_moves) {
    if (src_0_moves)
        return src_1_moves ? select_row<form, true, true, stream>
                           : select_row<form, true, false, stream>;
    return src_1_moves ? select_row<form, false, true, stream>
                       : select_row<form, false, false, stream>;
}

template <cond_form form>
row_function choose(bool src_0_moves, bool src_1_moves, bool stream) {
    return stream ? choose<form, true>(src_0_moves, src_1_moves)
                  : choose<form, false>(src_0_moves, src_1_moves);
}

struct kernel {
    static constexpr int64_t widest_mask = 4096; // elements: 16 KiB, half of L1

    rows r;
    bool expand;
    row_function mixed[2];    // [dst on a 32-byte boundary, which streaming needs]
    row_function whole[2][2]; // [the same][the chosen source moves]
    const uint8_t *cond;
    const float *src_0, *src_1;
    float *dst;

    kernel(const peers::select_case &c, const peers::buffers &b)
        : r(coalesce(c)),
          // Expanding a cond row pays when the next rows read it again.
          expand(r.cond_moves && r.n <= widest_mask && !r.outer.empty() && r.cond.back() == 0),
          cond(static_cast<const uint8_t *>(b.cond.get())),
          src_0(static_cast<const float *>(b.src_0.get())),
          src_1(static_cast<const float *>(b.src_1.get())),
          dst(static_cast<float *>(b.dst.get())) {
        for (const bool aligned : {false, true}) {
            const bool stream = aligned && peers::count(c.dst) * 4 > stream_above();
            mixed[aligned] =
                    expand ? choose<cond_form::masks>(r.src_0_moves, r.src_1_moves, stream)
                           : choose<cond_form::bytes>(r.src_0_moves, r.src_1_moves, stream);
            for (const bool moves : {false, true})
                whole[aligned][moves] = choose<cond_form::whole>(moves, false, stream);
        }
    }

    /// A store that bypasses the caches saves reading dst's lines first, and loses where dst would
    /// have stayed in them. dst's share of the last level: half, the sources need the rest.
    static int64_t stream_above() {
        const long last_level = sysconf(_SC_LEVEL3_CACHE_SIZE); // bytes; 0 or -1 where unknown
        return last_level > 0 ? last_level / 2 : 16 << 20;
    }

    /// Elements [begin, end) of dst in memory order.
    void run(int64_t begin, int64_t end) const {
        if (begin == end) return;
        const size_t rank = r.outer.size();
        int64_t index[16], ic = 0, i0 = 0, i1 = 0, in_row = begin % r.n;
        for (int64_t left = begin / r.n, a = static_cast<int64_t>(rank) - 1; a >= 0; --a) {
            index[a] = left % r.outer[a];
            left /= r.outer[a];
            ic += index[a] * r.cond[a], i0 += index[a] * r.src_0[a], i1 += index[a] * r.src_1[a];
        }

        alignas(32) int32_t masks[widest_mask];
        int64_t expanded = -1;
        for (int64_t at = begin; at < end; in_row = 0) {
            const int64_t n = std::min(r.n - in_row, end - at);
            const bool aligned = reinterpret_cast<uintptr_t>(dst + at) % 32 == 0;
            const float *a = src_0 + i0 + (r.src_0_moves ? in_row : 0);
            const float *b = src_1 + i1 + (r.src_1_moves ? in_row : 0);
            if (!r.cond_moves) {
                const bool first = cond[ic] != 0;
                const float *chosen = first ? a : b;
                whole[aligned][first ? r.src_0_moves : r.src_1_moves](
                        nullptr, chosen, chosen, dst + at, n);
            } else if (!expand) {
                mixed[aligned](cond + ic + in_row, a, b, dst + at, n);
            } else {
                if (expanded != ic)
                    for (int64_t i = 0; i < r.n; ++i)
                        masks[i] = cond[ic + i] ? 0 : -1;
                expanded = ic;
                mixed[aligned](masks + in_row, a, b, dst + at, n);
            }
            at += n;
            for (size_t axis = rank; axis-- > 0;) {
                ic += r.cond[axis], i0 += r.src_0[axis], i1 += r.src_1[axis];
                if (++index[axis] < r.outer[axis]) break;
                ic -= r.cond[axis] * index[axis], i0 -= r.src_0[axis] * index[axis],
                        i1 -= r.src_1[axis] * index[axis];
                index[axis] = 0;
            }
        }
        _mm_sfence();
    }
};

/// Keeps the calling thread on the i-th of the allowed cores: left to the scheduler, two threads
/// that spin and yield can end up sharing a core for as long as the program runs.
void pin(const cpu_set_t &allowed, int i) {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu)
        if (CPU_ISSET(cpu, &allowed) && i-- == 0) CPU_SET(cpu, &one);
    if (CPU_COUNT(&one) == 1) sched_setaffinity(0, sizeof one, &one); // 0: this thread
}

/// Threads that spin between calls: a call costs two cache line transfers, not two wake-ups.
class team {
public:
    explicit team(int size) : size_(size) {
        cpu_set_t allowed;
        CPU_ZERO(&allowed); // pins nothing, should the next line fail
        sched_getaffinity(0, sizeof allowed, &allowed);
        pin(allowed, 0);
        for (int i = 1; i < size; ++i)
            others_.emplace_back([this, allowed, i] {
                pin(allowed, i);
                serve(i);
            });
    }

    ~team() {
        work_ = nullptr;
        round_.fetch_add(1, std::memory_order_release);
        for (std::thread &t : others_)
            t.join();
    }

    void run(const kernel &k, int64_t n) {
        work_ = &k, n_ = n;
        left_.store(size_ - 1, std::memory_order_relaxed);
        round_.fetch_add(1, std::memory_order_release);
        part(0);
        spin_until([this] { return left_.load(std::memory_order_acquire) == 0; });
    }

private:
    /// Gives the core away after a while, so that a team on a busy machine does not stand in its
    /// own way.
    template <typename Done>
    static void spin_until(Done done) {
        for (int spins = 0; !done(); ++spins) {
            if (spins < 4096)
                _mm_pause();
            else
                std::this_thread::yield();
        }
    }

    void part(int i) const {
        const int64_t lines = (n_ + 15) / 16; // cut on cache lines of dst
        work_->run(
                std::min(n_, lines * i / size_ * 16), std::min(n_, lines * (i + 1) / size_ * 16));
    }

    void serve(int i) {
        for (unsigned seen = 0;;) {
            spin_until([&] { return round_.load(std::memory_order_acquire) != seen; });
            ++seen;
            if (!work_) return;
            part(i);
            left_.fetch_sub(1, std::memory_order_release);
        }
    }

    const int size_;
    const kernel *work_ = nullptr;
    int64_t n_ = 0;
    alignas(64) std::atomic<unsigned> round_{0};
    alignas(64) std::atomic<int> left_{0};
    std::vector<std::thread> others_;
};

int run(peers::select_case c) {
    if (c.dt != "f32") {
        std::puts("unsupported");
        return 3;
    }
    const int64_t n = peers::count(c.dst);
    if (c.threads == 0) c.threads = static_cast<int>(std::thread::hardware_concurrency());
    if (n * 4 < 1 << 15) c.threads = 1; // below this a second thread costs more than it brings

    const peers::buffers b(c);
    const kernel k(c, b);
    team t(c.threads);
    const peers::timing time = peers::measure(c.seconds, [&] { t.run(k, n); });
    if (!peers::is_right(c, b)) {
        std::puts("wrong result");
        return 1;
    }
    std::printf("limit_select,threads=%d,min_ms=%g,median_ms=%g,runs=%zu\n", c.threads, time.min_ms,
            time.median_ms, time.runs);
    return 0;
}

} // namespace

int main(int argc, char **argv) {
    try {
        return run(peers::parse_case(argc, argv));
    } catch (const std::exception &e) {
        std::fprintf(stderr, "limit_select: %s\n", e.what());
        return 1;
    }
}
