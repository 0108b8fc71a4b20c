// SPDX-License-Identifier: Apache-2.0
// What the Select peers share, so that they run the same bytes under the same clock: the command
// line, the buffers, the measuring loop and a plain loop that checks the result. Peers include it;
// Tern does not.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

namespace peers {

using dims = std::vector<int64_t>;

/// "1x12x128x128", or "-" for rank 0.
inline dims parse_dims(const std::string &text) {
    dims out;
    if (text == "-") return out;
    for (size_t at = 0; at <= text.size();) {
        const size_t end = std::min(text.find('x', at), text.size());
        out.push_back(std::stoll(text.substr(at, end - at)));
        at = end + 1;
    }
    return out;
}

inline int64_t count(const dims &shape) {
    int64_t n = 1;
    for (int64_t d : shape)
        n *= d;
    return n;
}

struct select_case {
    dims cond, src_0, src_1, dst;
    std::string dt = "f32";
    double seconds = 3;
    int threads = 0; // 0: as many as the machine has; only the limit kernel asks

    size_t element_size() const { return dt == "f32" ? 4 : 2; }
};

/// Size of `shape`'s axis that lies `from_end` axes before the last one.
inline int64_t axis(const dims &shape, size_t from_end) {
    return from_end < shape.size() ? shape[shape.size() - 1 - from_end] : 1;
}

inline select_case parse_case(int argc, char **argv) {
    select_case c;
    for (int i = 1; i < argc; ++i) {
        const std::string arg = argv[i];
        const size_t equals = arg.find('=');
        const std::string key = arg.substr(0, equals);
        const std::string value = equals == std::string::npos ? "" : arg.substr(equals + 1);
        if (key == "--cond")
            c.cond = parse_dims(value);
        else if (key == "--src0")
            c.src_0 = parse_dims(value);
        else if (key == "--src1")
            c.src_1 = parse_dims(value);
        else if (key == "--dt")
            c.dt = value;
        else if (key == "--seconds")
            c.seconds = std::stod(value);
        else if (key == "--threads")
            c.threads = std::stoi(value);
        else
            throw std::invalid_argument("unknown option " + arg);
    }
    if (c.dt != "f32" && c.dt != "bf16" && c.dt != "f16")
        throw std::invalid_argument("--dt is f32, bf16 or f16");

    c.dst.resize(std::max(c.src_0.size(), c.src_1.size()));
    if (c.dst.size() > 12) throw std::invalid_argument("the rank is above 12");
    if (c.cond.size() > c.dst.size())
        throw std::invalid_argument("cond has a higher rank than dst");
    for (size_t i = 0; i < c.dst.size(); ++i) {
        const int64_t a = axis(c.src_0, i), b = axis(c.src_1, i), m = axis(c.cond, i);
        const int64_t d = a == 1 ? b : a;
        if ((b != 1 && b != d) || (m != 1 && m != d))
            throw std::invalid_argument("the shapes do not broadcast");
        c.dst[c.dst.size() - 1 - i] = d;
    }
    return c;
}

/// Element strides of an operand over dst's axes; 0 where the operand is broadcast.
inline dims broadcast_strides(const dims &shape, const dims &dst) {
    dims strides(dst.size());
    int64_t stride = 1;
    for (size_t i = 0; i < dst.size(); ++i) {
        const int64_t d = axis(shape, i);
        strides[dst.size() - 1 - i] = d == 1 ? 0 : stride;
        stride *= d;
    }
    return strides;
}

struct free_buffer {
    void operator()(void *p) const { std::free(p); }
};

/// Cache-line aligned, with slack so that a vector load may run past the end.
inline std::unique_ptr<void, free_buffer> allocate(size_t bytes) {
    void *p = std::aligned_alloc(64, (bytes + 127) / 64 * 64);
    if (!p) throw std::bad_alloc();
    std::memset(p, 0, bytes); // touches every page, outside the measured loop
    return std::unique_ptr<void, free_buffer>(p);
}

/// The four buffers of a case: cond bytes 0 or 1, each half the time; values in [-1, 1); the seeds
/// are fixed.
struct buffers {
    std::unique_ptr<void, free_buffer> cond, src_0, src_1, dst;

    explicit buffers(const select_case &c)
        : cond(allocate(count(c.cond))),
          src_0(allocate(count(c.src_0) * c.element_size())),
          src_1(allocate(count(c.src_1) * c.element_size())),
          dst(allocate(count(c.dst) * c.element_size())) {
        std::minstd_rand random(1);
        auto *bytes = static_cast<uint8_t *>(cond.get());
        for (int64_t i = 0; i < count(c.cond); ++i)
            bytes[i] = random() >> 15 & 1;
        fill(src_0.get(), count(c.src_0), c, 2);
        fill(src_1.get(), count(c.src_1), c, 3);
    }

private:
    static void fill(void *p, int64_t n, const select_case &c, unsigned seed) {
        std::minstd_rand random(seed);
        for (int64_t i = 0; i < n; ++i) {
            const float value = static_cast<float>(random()) / 1073741824.0f - 1.0f;
            uint32_t bits;
            std::memcpy(&bits, &value, 4);
            if (c.dt == "f32") static_cast<uint32_t *>(p)[i] = bits;
            // 16-bit data: the sign and exponent bits of an ordinary number are all that matters to
            // a select.
            else
                static_cast<uint16_t *>(p)[i] =
                        c.dt == "bf16" ? bits >> 16 : (bits >> 16 & 0x83ff) | 0x3800;
        }
    }
};

/// Whether dst holds cond ? src_0 : src_1, element by element. A peer that computes something else
/// is no peer.
inline bool is_right(const select_case &c, const buffers &b) {
    const dims sc = broadcast_strides(c.cond, c.dst);
    const dims s0 = broadcast_strides(c.src_0, c.dst);
    const dims s1 = broadcast_strides(c.src_1, c.dst);
    const size_t size = c.element_size(), rank = c.dst.size();
    dims index(rank);
    int64_t ic = 0, i0 = 0, i1 = 0;
    const auto *cond = static_cast<const uint8_t *>(b.cond.get());
    const auto *src_0 = static_cast<const char *>(b.src_0.get());
    const auto *src_1 = static_cast<const char *>(b.src_1.get());
    const auto *dst = static_cast<const char *>(b.dst.get());
    for (int64_t i = 0, n = count(c.dst); i < n; ++i) {
        const char *expected = cond[ic] ? src_0 + i0 * size : src_1 + i1 * size;
        if (std::memcmp(dst + i * size, expected, size) != 0) return false;
        for (size_t a = rank; a-- > 0;) {
            ic += sc[a], i0 += s0[a], i1 += s1[a];
            if (++index[a] < c.dst[a]) break;
            ic -= sc[a] * index[a], i0 -= s0[a] * index[a], i1 -= s1[a] * index[a];
            index[a] = 0;
        }
    }
    return true;
}

using steady = std::chrono::steady_clock;

inline double ms_since(steady::time_point start) {
    return std::chrono::duration<double, std::milli>(steady::now() - start).count();
}

struct timing {
    double min_ms, median_ms;
    size_t runs;
};

/// Runs until the time budget is used up, at least five times, one sample per run, as benchdnn
/// does. Unlike benchdnn it warms up first: at least one run, about 50 ms of them where they are
/// short.
template <typename Run>
timing measure(double seconds, Run run) {
    for (const auto start = steady::now(); run(), ms_since(start) < 50;) {
    }
    std::vector<double> samples;
    samples.reserve(1 << 16);
    for (double total = 0; total < seconds * 1000 || samples.size() < 5;) {
        const auto start = steady::now();
        run();
        samples.push_back(ms_since(start));
        total += samples.back();
    }
    std::sort(samples.begin(), samples.end());
    return {samples.front(), samples[samples.size() / 2], samples.size()};
}

} // namespace peers
