// SPDX-License-Identifier: Apache-2.0
// What the legs in C++ share; leg.py is the same for those in Python. A leg is a process that
// serves one case of one implementation until its standard input ends. It is started as
//
//   leg key=value...
//
// with the case (shapes are joined by x), and answers with one of
//
//   ready VERSION MS     it ran once, in MS, and the result was right; KEY=VALUE words may follow
//   unsupported WHY      and it ends
//
// For every line BUDGET it then runs for BUDGET ms, at least once, and answers with
//
//   MEDIAN MIN RUNS      ms of one run
//
// Nothing of Tern is used here, and Tern uses nothing of this.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <iostream>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace leg {

using dims = std::vector<int64_t>;

/// The case cannot run in this implementation: not an error.
struct unsupported : std::runtime_error {
    using std::runtime_error::runtime_error;
};

class arguments {
public:
    arguments(int argc, char **argv) {
        for (int i = 1; i < argc; ++i) {
            const std::string argument = argv[i];
            const size_t equals = argument.find('=');
            if (equals == std::string::npos)
                throw std::invalid_argument(argument + " is no key=value");
            values_[argument.substr(0, equals)] = argument.substr(equals + 1);
        }
    }

    std::string text(const std::string &key, const std::string &otherwise = "") const {
        const auto found = values_.find(key);
        return found == values_.end() ? otherwise : found->second;
    }
    int number(const std::string &key, int otherwise) const {
        return std::stoi(text(key, std::to_string(otherwise)));
    }
    /// "1x12x128x128"
    dims shape(const std::string &key) const {
        const std::string all = text(key);
        dims out;
        for (size_t at = 0; at < all.size(); at = all.find_first_of('x', at) + 1) {
            out.push_back(std::stoll(all.substr(at)));
            if (all.find('x', at) == std::string::npos) break;
        }
        return out;
    }

private:
    std::map<std::string, std::string> values_;
};

inline int64_t count(const dims &shape) {
    int64_t n = 1;
    for (int64_t d : shape)
        n *= d;
    return n;
}

inline dims dense_strides(const dims &shape) {
    dims strides(shape.size(), 1);
    for (size_t i = shape.size(); i-- > 1;)
        strides[i - 1] = strides[i] * shape[i];
    return strides;
}

/// Memory as all legs get it: fresh pages of the system's usual size, each of them touched.
inline uint8_t *allocate(size_t bytes) {
    void *p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED) throw std::bad_alloc();
    return static_cast<uint8_t *>(std::memset(p, 0xa5, bytes));
}

struct operand {
    dims shape, strides;     // strides in elements
    uint8_t *data = nullptr; // lives as long as the process

    /// Strides over dst's axes; 0 where the operand is broadcast.
    dims over(const dims &dst) const {
        dims out(dst.size(), 0);
        for (size_t i = 0; i < shape.size(); ++i)
            if (shape[i] != 1) out[dst.size() - shape.size() + i] = strides[i];
        return out;
    }
};

inline void read_file(const std::string &name, uint8_t *to, size_t bytes) {
    std::FILE *file = std::fopen(name.c_str(), "rb");
    const size_t got = file ? std::fread(to, 1, bytes, file) : 0;
    if (file) std::fclose(file);
    if (got != bytes) throw std::runtime_error("cannot read " + name);
}

/// dst = cond ? src_0 : src_1
struct select_case {
    operand cond, src_0, src_1, dst;
    std::string dt;
    size_t element_size;

    explicit select_case(const arguments &given) : dt(given.text("dt")), given_(given) {
        const std::map<std::string, size_t> sizes{{"f32", 4}, {"bf16", 2}, {"f16", 2}, {"u8", 1}};
        element_size = sizes.at(dt);
        cond = load("cond", 1);
        src_0 = load("src_0", element_size);
        src_1 = load("src_1", element_size);
        dst.shape = src_0.shape.size() >= src_1.shape.size() ? src_0.shape : src_1.shape;
        const dims &other = src_0.shape.size() >= src_1.shape.size() ? src_1.shape : src_0.shape;
        for (size_t i = 0; i < other.size(); ++i) {
            int64_t &d = dst.shape[dst.shape.size() - other.size() + i];
            d = std::max(d, other[i]);
        }
        dst.strides = dense_strides(dst.shape);
        dst.data = in_place() ? src_0.data : allocate(count(dst.shape) * element_size);
    }

    bool in_place() const { return given_.text("in_place") == "src_0"; }

    /// Element by element, in a plain loop: what computes something else is no peer.
    bool is_right() const {
        const operand first = in_place() ? load("src_0", element_size) : src_0;
        const dims sc = cond.over(dst.shape), s0 = first.over(dst.shape),
                   s1 = src_1.over(dst.shape);
        const size_t rank = dst.shape.size();
        dims index(rank);
        int64_t ic = 0, i0 = 0, i1 = 0;
        for (int64_t i = 0, n = count(dst.shape); i < n; ++i) {
            const uint8_t *expected =
                    cond.data[ic] ? first.data + i0 * element_size : src_1.data + i1 * element_size;
            if (std::memcmp(dst.data + i * element_size, expected, element_size) != 0) return false;
            for (size_t a = rank; a-- > 0;) {
                ic += sc[a], i0 += s0[a], i1 += s1[a];
                if (++index[a] < dst.shape[a]) break;
                ic -= sc[a] * index[a], i0 -= s0[a] * index[a], i1 -= s1[a] * index[a];
                index[a] = 0;
            }
        }
        if (in_place()) munmap(first.data, count(first.shape) * element_size);
        return true;
    }

private:
    operand load(const std::string &key, size_t size) const {
        operand o{given_.shape(key), given_.shape(key + "_strides")};
        if (o.strides.empty()) o.strides = dense_strides(o.shape);
        const size_t bytes = count(o.shape) * size;
        o.data = allocate(bytes);
        read_file(given_.text(key + "_file"), o.data, bytes);
        return o;
    }

    const arguments &given_;
};

using steady = std::chrono::steady_clock;

inline double ms_since(steady::time_point start) {
    return std::chrono::duration<double, std::milli>(steady::now() - start).count();
}

/// What main() gets from a leg: `run` makes `calls` calls, whose mean is one sample.
struct prepared {
    std::string version;
    std::function<void()> run;
    std::function<bool()> is_right;
    int calls = 1;
    std::string found; // KEY=VALUE words about the case
};

inline void serve(const prepared &p) {
    const auto timed = [&] {
        const auto start = steady::now();
        p.run();
        return ms_since(start);
    };
    double last = timed();
    if (!p.is_right()) throw std::runtime_error("wrong result");
    std::cout << "ready " << p.version << ' ' << last << ' ' << p.found << std::endl;

    std::vector<double> samples;
    for (double budget; std::cin >> budget;) {
        // Others ran in the meantime: a fifth of the budget goes into warming up, unless one run is
        // more than all.
        if (last < budget)
            for (double total = 0; total < budget / 5;)
                total += timed();
        samples.clear();
        for (double total = 0; samples.empty() || total < budget; total += last)
            samples.push_back(last = timed());
        std::sort(samples.begin(), samples.end());
        std::cout << samples[samples.size() / 2] / p.calls << ' ' << samples[0] / p.calls << ' '
                  << samples.size() * p.calls << std::endl;
    }
}

/// For legs whose case is not a Select's operands.
template <typename Prepare>
int run_bare(int argc, char **argv, Prepare prepare) {
    try {
        serve(prepare(arguments(argc, argv)));
        return 0;
    } catch (const unsupported &e) {
        std::cout << "unsupported " << e.what() << std::endl;
        return 0;
    } catch (const std::exception &e) {
        std::cerr << argv[0] << ": " << e.what() << std::endl;
        return 1;
    }
}

template <typename Prepare>
int run(int argc, char **argv, Prepare prepare) {
    return run_bare(argc, argv, [&](const arguments &given) {
        const auto *c = new select_case(given); // what is prepared refers to it
        return prepare(*new arguments(given), *c);
    });
}

} // namespace leg
