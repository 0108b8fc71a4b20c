// SPDX-License-Identifier: Apache-2.0
// The limit's leg, see leg.hpp: a hand-written AVX2 kernel that moves a Select's bytes, knows
// nothing of graphs and checks nothing. How far Tern is from it says more than how far it is from a
// peer, since peers improve.
//   threads=N      default: as many as the process may use
//   way=plain      stores go through the caches
//   way=stream     stores go past them
//   way=prefetch   the same, and sources are fetched ahead
// All ways are measured, and the fastest one is the limit: which one it is depends on sizes and
// machine.
#include <immintrin.h>

#include <thread>

#include "leg.hpp"
#include "limit_threads.hpp"

namespace {

using leg::dims;

// ---- one row -----------------------------------------------------------------------------------

/// How a row's condition comes: one for the whole row (src_0 is then the chosen source), a byte per
/// element, or a mask as wide as an element, made before (all ones takes src_1).
enum class cond_form { whole, bytes, masks };

/// All ones in the lanes of Lane's size whose condition byte is 0.
template <typename Lane>
__m256i is_false(const uint8_t *cond) {
    const __m256i zero = _mm256_setzero_si256();
    if constexpr (sizeof(Lane) == 4) {
        const __m128i bytes = _mm_loadl_epi64(reinterpret_cast<const __m128i *>(cond));
        return _mm256_cmpeq_epi32(_mm256_cvtepu8_epi32(bytes), zero);
    } else if constexpr (sizeof(Lane) == 2) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i *>(cond));
        return _mm256_cmpeq_epi16(_mm256_cvtepu8_epi16(bytes), zero);
    } else {
        return _mm256_cmpeq_epi8(_mm256_loadu_si256(reinterpret_cast<const __m256i *>(cond)), zero);
    }
}

template <typename Lane>
__m256i repeat(Lane value) {
    if constexpr (sizeof(Lane) == 4) return _mm256_set1_epi32(static_cast<int>(value));
    if constexpr (sizeof(Lane) == 2) return _mm256_set1_epi16(static_cast<short>(value));
    return _mm256_set1_epi8(static_cast<char>(value));
}

enum class way { plain, stream, prefetch };

/// Precondition of all but way::plain: dst is on a 32-byte boundary.
template <typename Lane, cond_form Form, bool Moves0, bool Moves1, way Way>
void select_row(const void *cond, const void *src_0, const void *src_1, void *dst, int64_t n) {
    constexpr int64_t lanes = 32 / sizeof(Lane);
    const auto *bytes = static_cast<const uint8_t *>(cond);
    const auto *masks = static_cast<const Lane *>(cond);
    const auto *a = static_cast<const Lane *>(src_0), *b = static_cast<const Lane *>(src_1);
    auto *to = static_cast<Lane *>(dst);
    const __m256i fill_0 = repeat(*a), fill_1 = repeat(*b);

    const auto load = [](const Lane *from) {
        return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from));
    };
    const auto vector = [&](int64_t i) {
        const __m256i first = Moves0 ? load(a + i) : fill_0;
        if constexpr (Form == cond_form::whole) return first;
        const __m256i second = Moves1 ? load(b + i) : fill_1;
        const __m256i mask = Form == cond_form::masks ? load(masks + i) : is_false<Lane>(bytes + i);
        return _mm256_blendv_epi8(first, second, mask);
    };
    const auto store = [](Lane *at, __m256i v) {
        if constexpr (Way != way::plain)
            _mm256_stream_si256(reinterpret_cast<__m256i *>(at), v);
        else
            _mm256_storeu_si256(reinterpret_cast<__m256i *>(at), v);
    };
    const auto prefetch = [](const void *from) {
        constexpr int64_t ahead = 1024; // bytes
        _mm_prefetch(static_cast<const char *>(from) + ahead, _MM_HINT_NTA);
    };
    int64_t i = 0;
    for (; i + 4 * lanes <= n; i += 4 * lanes) {
        if constexpr (Way == way::prefetch) {
            if (Moves0) prefetch(a + i), prefetch(a + i + 2 * lanes);
            if (Moves1 && Form != cond_form::whole) prefetch(b + i), prefetch(b + i + 2 * lanes);
            if (Form == cond_form::bytes) prefetch(bytes + i);
        }
        const __m256i v_0 = vector(i), v_1 = vector(i + lanes);
        const __m256i v_2 = vector(i + 2 * lanes), v_3 = vector(i + 3 * lanes);
        store(to + i, v_0), store(to + i + lanes, v_1);
        store(to + i + 2 * lanes, v_2), store(to + i + 3 * lanes, v_3);
    }
    for (; i < n; ++i) {
        const bool second = Form == cond_form::bytes ? bytes[i] == 0
                                                     : Form == cond_form::masks && masks[i] != 0;
        to[i] = second ? b[Moves1 ? i : 0] : a[Moves0 ? i : 0];
    }
}

using row_function = void (*)(const void *, const void *, const void *, void *, int64_t);

template <typename Lane, cond_form Form, way Way>
row_function choose_row(bool moves_0, bool moves_1) {
    if (moves_0)
        return moves_1 ? select_row<Lane, Form, true, true, Way>
                       : select_row<Lane, Form, true, false, Way>;
    return moves_1 ? select_row<Lane, Form, false, true, Way>
                   : select_row<Lane, Form, false, false, Way>;
}

template <typename Lane, cond_form Form>
row_function choose_row(bool moves_0, bool moves_1, way how) {
    switch (how) {
        case way::plain: return choose_row<Lane, Form, way::plain>(moves_0, moves_1);
        case way::stream: return choose_row<Lane, Form, way::stream>(moves_0, moves_1);
        default: return choose_row<Lane, Form, way::prefetch>(moves_0, moves_1);
    }
}

// ---- all rows ----------------------------------------------------------------------------------

enum { cond, src_0, src_1, operands };

/// The case as rows: the innermost axes over which each operand either moves by one element or
/// stays.
struct rows {
    int64_t n = 1;          // elements of a row
    dims outer;             // the axes around it
    dims strides[operands]; // in elements, over these axes
    bool moves[operands] = {};

    explicit rows(const leg::select_case &c) {
        const dims &shape = c.dst.shape;
        const dims all[] = {c.cond.over(shape), c.src_0.over(shape), c.src_1.over(shape)};
        size_t inner = shape.size();
        for (; inner > 0; --inner) {
            const int64_t d = shape[inner - 1];
            if (d == 1) continue;
            bool fits = true;
            for (int i = 0; i < operands; ++i)
                fits = fits && (n == 1 || all[i][inner - 1] == (moves[i] ? n : 0));
            if (!fits) break;
            for (int i = 0; i < operands; ++i)
                moves[i] = all[i][inner - 1] != 0;
            n *= d;
        }
        outer.assign(shape.begin(), shape.begin() + inner);
        for (int i = 0; i < operands; ++i)
            strides[i].assign(all[i].begin(), all[i].begin() + inner);
    }
};

template <typename Lane>
class kernel {
public:
    kernel(const leg::select_case &c, way how)
        : rows_(c),
          from_{c.cond.data, c.src_0.data, c.src_1.data},
          dst_(c.dst.data),
          masks_fit_(rows_.moves[cond] && rows_.n <= most_masks && !rows_.outer.empty()
                     && rows_.strides[cond].back() == 0) {
        // Rows of whole vectors: all of them start on a boundary that a streaming store takes.
        if (rows_.n * sizeof(Lane) % 32 != 0) how = way::plain;
        const bool a = rows_.moves[src_0], b = rows_.moves[src_1];
        mixed_ = masks_fit_ ? choose_row<Lane, cond_form::masks>(a, b, how)
                            : choose_row<Lane, cond_form::bytes>(a, b, how);
        for (const bool moves : {false, true})
            whole_[moves] = choose_row<Lane, cond_form::whole>(moves, false, how);
    }

    /// Elements [begin, end) of dst in memory order; begin is a multiple of a cache line.
    void run(int64_t begin, int64_t end) const {
        const size_t rank = rows_.outer.size();
        int64_t index[12], offset[operands] = {}, in_row = begin % rows_.n;
        int64_t left = begin / rows_.n;
        for (size_t axis = rank; axis-- > 0; left /= rows_.outer[axis]) {
            index[axis] = left % rows_.outer[axis];
            for (int i = 0; i < operands; ++i)
                offset[i] += index[axis] * rows_.strides[i][axis];
        }
        alignas(32) Lane masks[most_masks];
        int64_t masks_of = -1; // the offset of the cond row that they were made from
        for (int64_t at = begin; at < end; in_row = 0) {
            const int64_t n = std::min(rows_.n - in_row, end - at);
            const uint8_t *conds = from_[cond] + offset[cond];
            const void *first = source(src_0, offset[src_0], in_row);
            const void *second = source(src_1, offset[src_1], in_row);
            void *to = dst_ + at * sizeof(Lane);
            if (!rows_.moves[cond]) {
                const int chosen = *conds ? src_0 : src_1;
                const void *from = *conds ? first : second;
                whole_[rows_.moves[chosen]](nullptr, from, from, to, n);
            } else if (!masks_fit_) {
                mixed_(conds + in_row, first, second, to, n);
            } else {
                if (masks_of != offset[cond]) make_masks(conds, masks);
                masks_of = offset[cond];
                mixed_(masks + in_row, first, second, to, n);
            }
            at += n;
            for (size_t axis = rank; axis-- > 0;) {
                for (int i = 0; i < operands; ++i)
                    offset[i] += rows_.strides[i][axis];
                if (++index[axis] < rows_.outer[axis]) break;
                for (int i = 0; i < operands; ++i)
                    offset[i] -= rows_.strides[i][axis] * index[axis];
                index[axis] = 0;
            }
        }
        _mm_sfence();
    }

private:
    static constexpr int64_t most_masks = 16384 / sizeof(Lane); // half of L1

    const void *source(int i, int64_t offset, int64_t in_row) const {
        return from_[i] + (offset + (rows_.moves[i] ? in_row : 0)) * sizeof(Lane);
    }

    void make_masks(const uint8_t *conds, Lane *masks) const {
        constexpr int64_t lanes = 32 / sizeof(Lane);
        int64_t i = 0;
        for (; i + lanes <= rows_.n; i += lanes)
            _mm256_store_si256(reinterpret_cast<__m256i *>(masks + i), is_false<Lane>(conds + i));
        for (; i < rows_.n; ++i)
            masks[i] = conds[i] ? Lane(0) : Lane(-1);
    }

    rows rows_;
    const uint8_t *from_[operands];
    uint8_t *dst_;
    bool masks_fit_; // cond rows are read again by the next rows: expanding them pays
    row_function mixed_;
    row_function whole_[2]; // [the chosen source moves]
};

// ---- the leg -----------------------------------------------------------------------------------

template <typename Lane>
leg::prepared prepare_lanes(const leg::arguments &given, const leg::select_case &c) {
    const int64_t n = leg::count(c.dst.shape);
    constexpr int64_t line = 64 / sizeof(Lane); // blocks are cut on cache lines of dst
    const int threads =
            given.number("threads", static_cast<int>(std::thread::hardware_concurrency()));
    const std::string name = given.text("way");
    const way how = name == "plain" ? way::plain : name == "stream" ? way::stream : way::prefetch;
    // All three live as long as the process.
    const auto *k = new kernel<Lane>(c, how);
    auto *blocks = new limit::shares((n + line - 1) / line, threads);
    auto *all = new limit::team(threads, [k, n, blocks](int i) {
        blocks->work_off(i, [&](int64_t begin, int64_t end) {
            k->run(std::min(n, begin * line), std::min(n, end * line));
        });
    });
    return {name,
            [all, blocks] {
                blocks->begin();
                all->run();
            },
            [&c] { return c.is_right(); }};
}

leg::prepared prepare(const leg::arguments &given, const leg::select_case &c) {
    if (!__builtin_cpu_supports("avx2")) throw leg::unsupported("no AVX2");
    switch (c.element_size) {
        case 1: return prepare_lanes<uint8_t>(given, c);
        case 2: return prepare_lanes<uint16_t>(given, c);
        default: return prepare_lanes<uint32_t>(given, c);
    }
}

} // namespace

int main(int argc, char **argv) {
    return leg::run(argc, argv, prepare);
}
