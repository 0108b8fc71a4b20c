// SPDX-License-Identifier: Apache-2.0
#include "kernels/softmax/softmax.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <vector>

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include "base/arithmetic.hpp"
#include "base/cpu.hpp"
#include "base/element.hpp"
#include "each_target.hpp"

namespace tern {
namespace {

using namespace kernels;
using tests::for_each_target;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr data_type types[] = {data_type::f32, data_type::bf16, data_type::f16};

dims dense(const dims &shape, int innermost = -1) {
    dims strides(shape.rank(), 1);
    std::int64_t stride = 1;
    if (innermost >= 0) stride = shape[innermost];
    for (int axis = shape.rank() - 1; axis >= 0; --axis) {
        if (axis == innermost) continue;
        strides[axis] = stride;
        stride *= shape[axis];
    }
    return strides;
}

/// Elements from the first to the last one.
std::int64_t span_of(const dims &shape, const dims &strides) {
    std::int64_t last = 0;
    for (int axis = 0; axis < shape.rank(); ++axis)
        last += (shape[axis] - 1) * strides[axis];
    return last + 1;
}

constexpr std::align_val_t line{64};

struct freeing {
    void operator()(std::uint8_t *bytes) const { ::operator delete[](bytes, line); }
};

/// Memory of exactly its size, off by `offset` from where a cache line begins.
class buffer {
public:
    buffer(std::int64_t elements, data_type type, std::size_t offset)
        : size_(static_cast<std::size_t>(elements) * bytes_of(type)),
          bytes_(static_cast<std::uint8_t *>(::operator new[](size_ + offset, line))),
          offset_(offset) {
        std::memset(bytes_.get(), 0x5A, size_ + offset);
    }
    std::uint8_t *data() { return bytes_.get() + offset_; }
    bool operator==(const buffer &other) const {
        return std::memcmp(bytes_.get() + offset_, other.bytes_.get() + other.offset_, size_) == 0;
    }

private:
    std::size_t size_;
    std::unique_ptr<std::uint8_t[], freeing> bytes_;
    std::size_t offset_;
};

/// All offsets of a shape's elements (or of those with index 0 along `skipped`), by strides.
std::vector<std::int64_t> offsets_of(const dims &shape, const dims &strides, int skipped = -1) {
    std::vector<std::int64_t> offsets{0};
    for (int axis = 0; axis < shape.rank(); ++axis) {
        if (axis == skipped) continue;
        std::vector<std::int64_t> next;
        for (std::int64_t offset : offsets)
            for (std::int64_t i = 0; i < shape[axis]; ++i)
                next.push_back(offset + i * strides[axis]);
        offsets = std::move(next);
    }
    return offsets;
}

struct softmax_case {
    softmax_problem problem;
    std::size_t src_offset = 0;
    std::size_t dst_offset = 0;
    bool in_place = false;
    double low = -12;
    double high = 12;
    double special = 0;      ///< Put into every seventh element or so, unless 0.
    bool has_masked = false; ///< Every third row is -infinity.
    bool is_far = false;     ///< As if dst were larger than the caches; f32 only.
};

softmax_problem make_problem(const dims &shape, int axis, data_type src = data_type::f32,
        data_type dst = data_type::f32, bool zero = false) {
    softmax_problem p;
    p.shape = shape;
    p.axis = axis;
    p.inf_as_zero = zero;
    p.src = {src, dense(shape)};
    p.dst = {dst, dense(shape)};
    p.has_stats = true;
    dims reduced = shape;
    if (shape.rank() > 0) reduced[axis] = 1;
    p.stats = {data_type::f32, dense(reduced)};
    return p;
}

double eps_of(data_type type) {
    return type == data_type::f32 ? 0x1p-24 : type == data_type::bf16 ? 0x1p-8 : 0x1p-11;
}
double tiny_of(data_type type) {
    return type == data_type::f32 ? 0x1p-149 : type == data_type::bf16 ? 0x1p-133 : 0x1p-25;
}

void expect_near(double actual, double expected, double error, const char *what) {
    if (std::isnan(expected) || std::isinf(expected)) {
        ASSERT_EQ(std::isnan(actual), std::isnan(expected)) << what;
        if (!std::isnan(expected)) {
            ASSERT_EQ(actual, expected) << what;
        }
    } else {
        ASSERT_LE(std::abs(actual - expected), error) << what << ' ' << actual << ' ' << expected;
    }
}

class softmax_run {
public:
    explicit softmax_run(const softmax_case &tested)
        : case_(tested),
          src_(span_of(p_.shape, p_.src.strides), p_.src.type, tested.src_offset),
          dst_(span_of(p_.shape, p_.dst.strides), p_.dst.type, tested.dst_offset),
          stats_(stats_span(), data_type::f32, 0) {
        fill();
    }

    softmax_run(const softmax_run &) = delete;
    softmax_run &operator=(const softmax_run &) = delete;

    void run() {
        softmax_loops loops = make_softmax_loops(p_);
        loops.is_far = case_.is_far;
        std::uint8_t *dst = case_.in_place ? src_.data() : dst_.data();
        run_softmax(loops, src_.data(), dst, stats_.data());
    }

    /// Within 5 ulp of f32, what src - max is rounded by, and the rounding to dst.
    void check() {
        run();
        buffer &dst = case_.in_place ? src_ : dst_;
        const std::int64_t n = p_.shape.empty() ? 1 : p_.shape[p_.axis];
        const auto stats = offsets_of(p_.shape, p_.stats.strides, p_.axis);
        const auto rows = offsets_of(p_.shape, p_.dst.strides, p_.axis);
        for (std::size_t row = 0; row < rows.size(); ++row) {
            const std::vector<double> &x = values_[row];
            double max = -infinity;
            for (double v : x)
                max = std::isnan(v) ? v : std::max(max, v);
            const bool zero = p_.inf_as_zero && max == -infinity;
            double sum = 0;
            for (double v : x)
                sum += zero ? 0 : std::exp(v - max);
            const auto bytes = static_cast<std::int64_t>(bytes_of(p_.dst.type));
            for (std::int64_t i = 0; i < n; ++i) {
                const double v = x[static_cast<std::size_t>(i)];
                const double expected = zero ? 0 : std::exp(v - max) / sum;
                const std::int64_t at =
                        rows[row] + (p_.shape.empty() ? 0 : i * p_.dst.strides[p_.axis]);
                const double actual = load_f64(p_.dst.type, dst.data() + at * bytes);
                const double relative = 0x1p-24 * (10 + (std::isinf(v) ? 0 : max - v))
                                        + (p_.dst.type == data_type::f32 ? 0 : eps_of(p_.dst.type));
                ASSERT_NO_FATAL_FAILURE(expect_near(
                        actual, expected, expected * relative + tiny_of(p_.dst.type), "softmax"))
                        << "row " << row << " element " << i;
            }
            if (!p_.has_stats) continue;
            const double expected = zero ? 0 : max + std::log(sum);
            float actual = 0;
            std::memcpy(&actual, stats_.data() + 4 * stats[row], sizeof actual);
            ASSERT_NO_FATAL_FAILURE(expect_near(static_cast<double>(actual), expected,
                    0x1p-22 * std::max(1.0, std::abs(expected)), "stats"));
        }
    }

    const buffer &dst() const { return dst_; }
    const buffer &stats() const { return stats_; }

private:
    std::int64_t stats_span() const {
        dims shape = p_.shape;
        if (shape.rank() > 0) shape[p_.axis] = 1;
        return p_.has_stats ? span_of(shape, p_.stats.strides) : 1;
    }

    void fill() {
        std::minstd_rand random(7);
        std::uniform_real_distribution<double> value(case_.low, case_.high);
        const auto rows = offsets_of(p_.shape, p_.src.strides, p_.axis);
        const std::int64_t n = p_.shape.empty() ? 1 : p_.shape[p_.axis];
        const auto bytes = static_cast<std::int64_t>(bytes_of(p_.src.type));
        for (std::size_t row = 0; row < rows.size(); ++row) {
            values_.emplace_back();
            for (std::int64_t i = 0; i < n; ++i) {
                double v = value(random);
                if (case_.special != 0 && random() % 7 == 0) v = case_.special;
                if (case_.has_masked && row % 3 == 0) v = -infinity;
                std::uint8_t *at =
                        src_.data()
                        + bytes
                                  * (rows[row]
                                          + (p_.shape.empty() ? 0 : i * p_.src.strides[p_.axis]));
                store_f64(p_.src.type, v, at);
                values_.back().push_back(load_f64(p_.src.type, at));
            }
        }
    }

    softmax_case case_;
    softmax_problem p_;
    buffer src_;
    buffer dst_;
    buffer stats_;
    std::vector<std::vector<double>> values_; ///< By row.
};

#define CHECK_CASE(...) ASSERT_NO_FATAL_FAILURE(softmax_run(softmax_case(__VA_ARGS__)).check())

TEST(softmax_kernel, rows_of_all_lengths_and_types) {
    for_each_target([] {
        for (data_type src : types)
            for (data_type dst : types)
                for (std::int64_t n = 1; n <= 70; ++n)
                    for (std::int64_t rows : {1, 3, 9}) {
                        SCOPED_TRACE(n);
                        CHECK_CASE({make_problem({rows, n}, 1, src, dst), 1, 3});
                    }
    });
}

TEST(softmax_kernel, columns_of_all_lengths_and_types) {
    for_each_target([] {
        for (data_type src : types)
            for (data_type dst : types)
                for (std::int64_t n = 1; n <= 70; ++n)
                    for (std::int64_t rows : {1, 3, 18}) {
                        SCOPED_TRACE(n);
                        CHECK_CASE({make_problem({2, rows, n}, 1, src, dst), 3, 1});
                    }
    });
}

TEST(softmax_kernel, long_rows) {
    for_each_target([] {
        for (std::int64_t n : {4095, 4097, 32767, 32768, 32769, 40001}) {
            SCOPED_TRACE(n);
            CHECK_CASE({make_problem({2, n}, 1)});
            CHECK_CASE({make_problem({n, 2}, 0)});
            CHECK_CASE({make_problem({n, 5}, 0, data_type::bf16, data_type::f16)});
        }
        for (std::int64_t n : {520, 2048, 2049}) {
            CHECK_CASE({make_problem({n, 300}, 0)});
            CHECK_CASE({make_problem({n, 300}, 0, data_type::bf16, data_type::f16)});
        }
    });
}

TEST(softmax_kernel, past_the_caches) {
    for_each_target([] {
        for (std::size_t offset : {0, 4, 12, 3})
            for (std::int64_t n = 1; n <= 70; ++n)
                for (bool has_columns : {false, true}) {
                    SCOPED_TRACE(n);
                    softmax_case tested{make_problem({2, 5, n}, has_columns ? 1 : 2)};
                    tested.dst_offset = offset;
                    tested.is_far = true;
                    CHECK_CASE(tested);
                }
        softmax_case rows{make_problem({3, 1000}, 1, data_type::f16)};
        rows.is_far = true;
        CHECK_CASE(rows);
        softmax_case long_rows{make_problem({2, 40001}, 1)};
        long_rows.is_far = true;
        CHECK_CASE(long_rows);
        softmax_case in_place{make_problem({4, 300}, 0)};
        in_place.is_far = in_place.in_place = true;
        CHECK_CASE(in_place);
        softmax_case strided{make_problem({6, 40}, 1)};
        strided.problem.dst.strides = {1, 6};
        strided.is_far = true;
        CHECK_CASE(strided);
    });
}

TEST(softmax_kernel, what_is_large_goes_past_the_caches) {
    const auto cached = static_cast<std::int64_t>(cpu_caches().last_level);
    const auto goes_past = [](const softmax_problem &problem) {
        return make_softmax_loops(problem).is_far;
    };
    EXPECT_FALSE(goes_past(make_problem({1000, cached / 8192}, 0)));
    const std::int64_t wide = round_up(cached / 8192 + 8192, 16);
    EXPECT_TRUE(goes_past(make_problem({1024, wide}, 0)));
    EXPECT_TRUE(goes_past(make_problem({8, 128, wide}, 1)));
    EXPECT_FALSE(goes_past(make_problem({1024, wide + 4}, 0))); // parts of lines
    EXPECT_FALSE(goes_past(make_problem({2048, wide}, 0)));     // a line of each row at a time
    EXPECT_FALSE(goes_past(make_problem({2049, wide}, 0)));     // rows in pieces
    softmax_problem spread = make_problem({1024, wide}, 0);
    spread.dst.strides = {2 * wide, 2};
    EXPECT_FALSE(goes_past(spread));
    EXPECT_FALSE(goes_past(make_problem({1024, wide}, 0, data_type::f32, data_type::bf16)));
    EXPECT_FALSE(goes_past(make_problem({cached, 1024}, 1)));
    EXPECT_FALSE(goes_past(make_problem({cached, 64, 28}, 1))); // pieces of rows that are too short
}

TEST(softmax_kernel, every_axis_and_stride) {
    std::minstd_rand random(3);
    for (const dims &shape :
            {dims{2, 3, 4, 5}, dims{7, 1, 19, 3}, dims{1, 33, 2, 17}, dims{40, 21}})
        for (int axis = 0; axis < shape.rank(); ++axis)
            for (int src = -1; src < shape.rank(); ++src)
                for (int dst = -1; dst < shape.rank(); ++dst)
                    for (bool gaps : {false, true}) {
                        softmax_problem p =
                                make_problem(shape, axis, types[random() % 3], types[random() % 3]);
                        p.src.strides = dense(shape, src);
                        p.dst.strides = dense(shape, dst);
                        if (gaps)
                            for (int i = 0; i < shape.rank(); ++i) {
                                p.src.strides[i] *= 2;
                                p.dst.strides[i] *= 3;
                            }
                        CHECK_CASE({p});
                    }
}

TEST(softmax_kernel, in_place) {
    for (data_type type : types)
        for (int axis : {0, 1, 2})
            for (std::int64_t n : {5, 17, 50}) {
                softmax_case tested{make_problem({3, n, 21}, axis, type, type)};
                tested.in_place = true;
                CHECK_CASE(tested);
            }
    softmax_case tested{make_problem({2, 40001}, 1)};
    tested.in_place = true;
    CHECK_CASE(tested);
    softmax_case columns{make_problem({3001, 17}, 0)};
    columns.in_place = true;
    CHECK_CASE(columns);
}

TEST(softmax_kernel, a_scalar_is_one) {
    for (bool zero : {false, true})
        CHECK_CASE({make_problem({}, 0, data_type::f32, data_type::f32, zero)});
}

// B93, B96: rows of nothing but -infinity.
TEST(softmax_kernel, masked_rows) {
    for_each_target([] {
        for (bool zero : {false, true})
            for (data_type type : types)
                for (std::int64_t n : {1, 3, 20, 64, 40000})
                    for (int axis : {0, 1}) {
                        softmax_case tested{make_problem(
                                axis == 0 ? dims{n, 9} : dims{9, n}, axis, type, type, zero)};
                        tested.special = -infinity;
                        tested.has_masked = true;
                        CHECK_CASE(tested);
                    }
    });
}

TEST(softmax_kernel, literal_masked_rows) {
    const float inf = std::numeric_limits<float>::infinity();
    const std::vector<float> src = {1, 0, -inf, -inf};
    for (bool zero : {false, true}) {
        std::vector<float> dst(4, 5.0F);
        std::vector<float> stats(2, 5.0F);
        run_softmax(
                make_softmax_loops(make_problem({2, 2}, 1, data_type::f32, data_type::f32, zero)),
                src.data(), dst.data(), stats.data());
        EXPECT_FLOAT_EQ(dst[0], 0.73105858F);
        EXPECT_FLOAT_EQ(dst[1], 0.26894142F);
        EXPECT_FLOAT_EQ(stats[0], 1.3132617F);
        for (float v : {dst[2], dst[3]}) {
            if (zero)
                EXPECT_EQ(v, 0.0F);
            else
                EXPECT_TRUE(std::isnan(v));
        }
        if (zero)
            EXPECT_EQ(stats[1], 0.0F);
        else
            EXPECT_TRUE(std::isnan(stats[1]));
    }
}

// B99, B100: the lowest number is a number like others; B108: an axis of one element.
TEST(softmax_kernel, rows_of_the_lowest_number) {
    for_each_target([] {
        for (bool zero : {false, true})
            for (std::int64_t n : {1, 2, 4, 32, 64, 4096})
                for (int axis : {0, 1}) {
                    const std::vector<float> src(static_cast<std::size_t>(8 * n), -3.4028235e38F);
                    std::vector<float> dst(src.size());
                    softmax_problem p = make_problem(axis == 0 ? dims{n, 8} : dims{8, n}, axis,
                            data_type::f32, data_type::f32, zero);
                    p.has_stats = false;
                    run_softmax(make_softmax_loops(p), src.data(), dst.data(), nullptr);
                    for (float v : dst)
                        ASSERT_EQ(v, 1.0F / static_cast<float>(n));
                }
    });
}

TEST(softmax_kernel, nan_and_infinity_fill_their_rows) {
    for_each_target([] {
        for (double special : {infinity, std::nan("")})
            for (bool zero : {false, true})
                for (std::int64_t n : {3, 17, 64})
                    for (int axis : {0, 1}) {
                        softmax_case tested{make_problem(axis == 0 ? dims{n, 33} : dims{33, n},
                                axis, data_type::f32, data_type::f32, zero)};
                        tested.special = special;
                        tested.has_masked = true;
                        CHECK_CASE(tested);
                    }
    });
}

TEST(softmax_kernel, small_results_are_denormal_or_zero) {
    for_each_target([] {
        softmax_case tested{make_problem({5, 333}, 1)};
        tested.low = -110;
        tested.high = 0;
        CHECK_CASE(tested);
        tested.low = -3.4e38;
        tested.high = 3.4e38;
        CHECK_CASE(tested);
    });
}

TEST(softmax_kernel, any_number_of_threads_gives_the_same_bits) {
    for (const auto &[shape, axis] : {std::pair{dims{90, 1100}, 1}, {dims{9, 130, 90}, 1},
                 {dims{30, 50, 7}, 2}, {dims{20000, 40}, 0}}) {
        softmax_run one(softmax_case{make_problem(shape, axis)});
        tbb::task_arena(1).execute([&] { one.run(); });
        const tbb::global_control most(tbb::global_control::max_allowed_parallelism, 8);
        for (int threads = 2; threads <= 8; ++threads) {
            softmax_run many(softmax_case{make_problem(shape, axis)});
            tbb::task_arena(threads).execute([&] { many.run(); });
            EXPECT_EQ(one.dst(), many.dst());
            EXPECT_EQ(one.stats(), many.stats());
        }
    }
}

} // namespace
} // namespace tern
