// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include "base/element.hpp"
#include "each_target.hpp"
#include "kernels/matmul/matmul.hpp"

namespace tern::kernels {
namespace {

/// The heap block is as large as the elements that strides reach, so that sanitizers see a byte
/// more.
struct operand_data {
    std::unique_ptr<std::uint8_t[]> block;
    std::uint8_t *first = nullptr;
};

std::int64_t reach_of(const matmul_problem &p, const matmul_operand &operand, std::int64_t rows,
        std::int64_t columns) {
    std::int64_t last = (rows - 1) * operand.row_stride + (columns - 1) * operand.column_stride;
    for (int axis = 0; axis < p.batch.rank(); ++axis)
        last += (p.batch[axis] - 1) * operand.batch_strides[axis];
    return rows == 0 || columns == 0 ? 0 : last + 1;
}

/// Small whole numbers: their products and sums are exact in f32.
operand_data make_data(
        data_type type, std::int64_t elements, std::size_t shift, std::mt19937 &random) {
    const std::size_t bytes = bytes_of(type);
    operand_data data;
    data.block =
            std::make_unique<std::uint8_t[]>(static_cast<std::size_t>(elements) * bytes + shift);
    data.first = data.block.get() + shift;
    std::uniform_int_distribution<int> values(type == data_type::u8 ? 0 : -8, 8);
    for (std::int64_t i = 0; i < elements; ++i)
        store_f64(type, values(random), data.first + static_cast<std::size_t>(i) * bytes);
    return data;
}

struct result {
    const matmul_problem *problem;
    std::vector<float> values;
    std::vector<std::atomic<int>> calls;
    std::size_t sink_scratch;

    result(const matmul_problem &of, std::int64_t batches, std::size_t scratch)
        : problem(&of),
          values(static_cast<std::size_t>(batches * of.m * of.n), -77.0F),
          calls(values.size()),
          sink_scratch(scratch) {}
};

void keep_tile(const void *context, const matmul_tile &tile) noexcept {
    auto &to = *static_cast<result *>(const_cast<void *>(context));
    if (to.sink_scratch > 0) {
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tile.scratch) % 64, 0U);
        std::memset(tile.scratch, 0x5A, to.sink_scratch);
    }
    for (std::int64_t r = 0; r < tile.rows; ++r)
        for (std::int64_t c = 0; c < tile.columns; ++c) {
            const auto at = static_cast<std::size_t>(
                    (tile.batch * to.problem->m + tile.row + r) * to.problem->n + tile.column + c);
            ASSERT_LT(at, to.values.size());
            to.values[at] = tile.values[r * tile.stride + c];
            to.calls[at].fetch_add(1, std::memory_order_relaxed);
        }
}

std::int64_t count_of(const dims &batch) {
    std::int64_t n = 1;
    for (std::int64_t extent : batch)
        n *= extent;
    return n;
}

using aligned_memory = std::unique_ptr<void, decltype(&std::free)>;

/// With `ahead` b is packed before, where that is done at all, and not there when it runs.
std::vector<float> run(const matmul_problem &p, const void *a, const void *b, int threads = 1,
        std::size_t sink_scratch = 0, bool ahead = false) {
    const matmul_loops loops = make_matmul_loops(p, sink_scratch);
    const std::size_t bytes = (loops.scratch_bytes + 63) / 64 * 64;
    aligned_memory scratch(std::aligned_alloc(64, std::max<std::size_t>(bytes, 64)), std::free);
    std::memset(scratch.get(), 0xFF, bytes); // Reads as NaN.
    result got(p, count_of(p.batch), sink_scratch);
    const tile_sink sink = {keep_tile, &got};
    tbb::task_arena arena(threads);
    arena.execute([&] {
        const std::size_t packed_bytes = ahead ? packed_b_bytes(loops) : 0;
        if (packed_bytes == 0) return run_matmul(loops, a, b, sink, scratch.get());
        EXPECT_EQ(packed_bytes % 64, 0U);
        aligned_memory packed(std::aligned_alloc(64, packed_bytes), std::free);
        std::memset(packed.get(), 0xFF, packed_bytes);
        pack_b(loops, b, packed.get());
        run_matmul(loops, a, nullptr, sink, scratch.get(), packed.get());
    });
    for (const std::atomic<int> &calls : got.calls)
        if (calls != 1) {
            ADD_FAILURE() << "an element was delivered " << calls << " times";
            break;
        }
    return std::move(got.values);
}

double element_at(const matmul_problem &p, const matmul_operand &operand, const std::uint8_t *data,
        std::int64_t batch, std::int64_t row, std::int64_t column) {
    std::int64_t at = row * operand.row_stride + column * operand.column_stride;
    for (int axis = p.batch.rank() - 1; axis >= 0; --axis) {
        at += batch % p.batch[axis] * operand.batch_strides[axis];
        batch /= p.batch[axis];
    }
    return load_f64(operand.type, data + static_cast<std::size_t>(at) * bytes_of(operand.type));
}

std::vector<double> expect(const matmul_problem &p, const std::uint8_t *a, const std::uint8_t *b) {
    std::vector<double> sums;
    for (std::int64_t batch = 0; batch < count_of(p.batch); ++batch)
        for (std::int64_t m = 0; m < p.m; ++m)
            for (std::int64_t n = 0; n < p.n; ++n) {
                double sum = 0;
                for (std::int64_t k = 0; k < p.k; ++k)
                    sum += element_at(p, p.a, a, batch, m, k) * element_at(p, p.b, b, batch, k, n);
                sums.push_back(sum);
            }
    return sums;
}

std::string describe(const matmul_problem &p) {
    const auto operand = [](const matmul_operand &o) {
        return std::string(name_of(o.type)) + " " + std::to_string(o.row_stride) + ":"
               + std::to_string(o.column_stride) + " batch " + to_string(o.batch_strides);
    };
    return to_string(p.batch) + " m" + std::to_string(p.m) + " n" + std::to_string(p.n) + " k"
           + std::to_string(p.k) + " a " + operand(p.a) + ", b " + operand(p.b);
}

/// On every target. Whole numbers: the result is exact, whatever the order of sums.
void check_exact(const matmul_problem &p, std::size_t shift = 0) {
    SCOPED_TRACE(describe(p));
    std::mt19937 random(static_cast<unsigned>(p.m * 31 + p.n * 7 + p.k));
    const operand_data a = make_data(p.a.type, reach_of(p, p.a, p.m, p.k), shift, random);
    const operand_data b = make_data(p.b.type, reach_of(p, p.b, p.k, p.n), shift, random);
    const std::vector<double> want = expect(p, a.first, b.first);
    tests::for_each_target([&] {
        for (bool ahead : {false, true}) {
            const std::vector<float> got = run(p, a.first, b.first, 1, 100, ahead);
            ASSERT_EQ(got.size(), want.size());
            for (std::size_t i = 0; i < want.size(); ++i)
                if (static_cast<double>(got[i]) != want[i])
                    FAIL() << "element " << i << " is " << got[i] << ", not " << want[i]
                           << (ahead ? ", packed ahead" : "");
        }
    });
}

/// One batch axis of `batch`. Layouts: r rows contiguous, c columns contiguous, o neither; capital
/// letters with gaps; B the same for every batch.
matmul_problem make_problem(std::int64_t batch, std::int64_t m, std::int64_t n, std::int64_t k,
        const std::string &a = "r", const std::string &b = "r", data_type a_type = data_type::f32,
        data_type b_type = data_type::f32) {
    const auto lay_out = [](matmul_operand &o, const std::string &how, std::int64_t rows,
                                 std::int64_t columns) {
        const bool gap = how[0] == 'R' || how[0] == 'C';
        const std::int64_t inner = how[0] == 'o' ? 3 : 1;
        if (how[0] == 'c' || how[0] == 'C') {
            o.row_stride = 1;
            o.column_stride = rows + (gap ? 5 : 0);
        } else {
            o.column_stride = inner;
            o.row_stride = columns * inner + (gap ? 5 : 0);
        }
        const std::int64_t all =
                std::max(rows * o.row_stride, std::max<std::int64_t>(columns * o.column_stride, 1));
        o.batch_strides = {how.size() > 1 ? 0 : all};
    };
    matmul_problem p;
    p.batch = {batch};
    p.m = m;
    p.n = n;
    p.k = k;
    p.a.type = a_type;
    p.b.type = b_type;
    lay_out(p.a, a, m, k);
    lay_out(p.b, b, k, n);
    return p;
}

TEST(matmul_kernel, literal_values) {
    const float a[] = {1, 2, 3, 4, 5, 6};
    const float b[] = {7, 8, 9, 10, 11, 12};
    EXPECT_EQ(run(make_problem(1, 2, 2, 3), a, b), (std::vector<float>{58, 64, 139, 154}));
    EXPECT_EQ(
            run(make_problem(1, 2, 2, 3, "r", "c"), a, b), (std::vector<float>{50, 68, 122, 167}));
    EXPECT_EQ(
            run(make_problem(1, 2, 2, 3, "c", "r"), a, b), (std::vector<float>{89, 98, 116, 128}));
    EXPECT_EQ(run(make_problem(1, 1, 1, 6), a, b), (std::vector<float>{217}));
}

TEST(matmul_kernel, no_k_gives_zero) {
    for (std::int64_t m : {1, 3, 40})
        for (std::int64_t n : {1, 5, 70})
            EXPECT_EQ(run(make_problem(2, m, n, 0), nullptr, nullptr),
                    std::vector<float>(static_cast<std::size_t>(2 * m * n), 0.0F));
}

TEST(matmul_kernel, small_sizes) {
    const std::int64_t sizes[] = {1, 2, 3, 5, 7, 12, 17, 33};
    for (std::int64_t m : sizes)
        for (std::int64_t n : sizes)
            for (std::int64_t k : sizes)
                for (const char *layout : {"rr", "rc", "cr", "cc"}) {
                    check_exact(make_problem(
                            2, m, n, k, std::string(1, layout[0]), std::string(1, layout[1])));
                    if (testing::Test::HasFailure()) return;
                }
}

TEST(matmul_kernel, middle_sizes) {
    for (const char *a : {"r", "c", "R"})
        for (const char *b : {"r", "c", "R"}) {
            check_exact(make_problem(1, 64, 64, 64, a, b));
            check_exact(make_problem(1, 100, 130, 70, a, b));
            check_exact(make_problem(2, 130, 100, 33, a, b));
            check_exact(make_problem(1, 5, 700, 17, a, b));
            check_exact(make_problem(1, 300, 9, 530, a, b)); // Two blocks of k.
            check_exact(make_problem(1, 2, 40, 2100, a, b)); // Two of few rows.
            check_exact(make_problem(1, 2, 2300, 3, a, b));
            check_exact(make_problem(1, 2300, 1, 21, a, b));
            if (testing::Test::HasFailure()) return;
        }
}

TEST(matmul_kernel, types_and_layouts) {
    const data_type types[] = {
            data_type::f32, data_type::bf16, data_type::f16, data_type::s8, data_type::u8};
    for (data_type a_type : types)
        for (data_type b_type : types)
            for (const char *a : {"r", "c", "R", "C", "o", "rB"})
                for (const char *b : {"r", "c", "R", "C", "o", "cB"}) {
                    check_exact(make_problem(2, 1, 37, 19, a, b, a_type, b_type), 1);
                    check_exact(make_problem(2, 3, 18, 11, a, b, a_type, b_type));
                    check_exact(make_problem(2, 15, 37, 19, a, b, a_type, b_type), 3);
                    check_exact(make_problem(1, 19, 1, 35, a, b, a_type, b_type));
                    if (testing::Test::HasFailure()) return;
                }
}

TEST(matmul_kernel, batch_axes_broadcast) {
    for (std::int64_t m : {1, 4, 25}) {
        matmul_problem p = make_problem(1, m, 20, 9);
        p.batch = {3, 2, 4};
        p.a.batch_strides = {4 * m * 9, 0, m * 9};
        p.b.batch_strides = {0, 9 * 20, 0};
        check_exact(p);
        p.b.batch_strides = {0, 0, 0};
        check_exact(p);
        p.batch = {};
        p.a.batch_strides = {};
        p.b.batch_strides = {};
        check_exact(p);
    }
}

TEST(matmul_kernel, strides_of_zero) {
    for (std::int64_t m : {1, 2, 30})
        for (std::int64_t n : {1, 17, 600}) {
            matmul_problem p = make_problem(1, m, n, 21);
            p.a.row_stride = 0;
            check_exact(p);
            p = make_problem(1, m, n, 21);
            p.a.column_stride = 0;
            p.a.row_stride = 1;
            p.b.row_stride = 0;
            check_exact(p);
            p.a.row_stride = 0;
            p.b.column_stride = 0;
            check_exact(p);
            p.b.row_stride = 1;
            check_exact(p);
        }
}

/// Numbers with a fraction: off by what f32 sums may be, and the same on any number of threads.
TEST(matmul_kernel, fractions_with_any_number_of_threads) {
    tbb::global_control more_threads(tbb::global_control::max_allowed_parallelism, 8);
    std::mt19937 random(7);
    std::uniform_real_distribution<float> values(-1.0F, 1.0F);
    const matmul_problem problems[] = {make_problem(1, 333, 1100, 700),
            make_problem(40, 1, 300, 64), make_problem(7, 65, 64, 200, "r", "c"),
            make_problem(5, 300, 90, 600, "c", "rB"), make_problem(1, 1, 5000, 300, "r", "c")};
    for (const matmul_problem &p : problems) {
        SCOPED_TRACE(describe(p));
        std::vector<float> a(static_cast<std::size_t>(reach_of(p, p.a, p.m, p.k)));
        std::vector<float> b(static_cast<std::size_t>(reach_of(p, p.b, p.k, p.n)));
        std::generate(a.begin(), a.end(), [&] { return values(random); });
        std::generate(b.begin(), b.end(), [&] { return values(random); });
        const std::vector<float> one = run(p, a.data(), b.data());
        // A sample: all elements would take long.
        for (std::size_t i = 0; i < one.size(); i += 1 + one.size() / 500) {
            const auto at = static_cast<std::int64_t>(i);
            double sum = 0;
            for (std::int64_t k = 0; k < p.k; ++k)
                sum += element_at(p, p.a, reinterpret_cast<const std::uint8_t *>(a.data()),
                               at / (p.m * p.n), at / p.n % p.m, k)
                       * element_at(p, p.b, reinterpret_cast<const std::uint8_t *>(b.data()),
                               at / (p.m * p.n), k, at % p.n);
            ASSERT_NEAR(one[i], sum, 1e-6 * static_cast<double>(p.k)) << "element " << i;
        }
        for (int threads = 2; threads <= 8; ++threads) {
            const std::vector<float> more = run(p, a.data(), b.data(), threads, 64);
            ASSERT_EQ(std::memcmp(one.data(), more.data(), one.size() * sizeof(float)), 0)
                    << threads << " threads";
            const std::vector<float> ahead = run(p, a.data(), b.data(), threads, 64, true);
            ASSERT_EQ(std::memcmp(one.data(), ahead.data(), one.size() * sizeof(float)), 0)
                    << threads << " threads, packed ahead";
        }
    }
}

TEST(matmul_kernel, what_is_packed_ahead) {
    // Few rows read b once as it lies; of rows a power of two apart it is packed, and always when
    // it is not f32 or not contiguous along n.
    EXPECT_EQ(packed_b_bytes(make_matmul_loops(make_problem(1, 1, 256, 256), 0)), 0U);
    EXPECT_EQ(packed_b_bytes(make_matmul_loops(make_problem(1, 16, 256, 0), 0)), 0U);
    EXPECT_EQ(packed_b_bytes(make_matmul_loops(make_problem(1, 256, 1, 256), 0)), 0U);
    for (const matmul_problem &p :
            {make_problem(1, 16, 1024, 1024), make_problem(1, 16, 256, 256, "r", "c"),
                    make_problem(1, 16, 256, 256, "r", "r", data_type::f32, data_type::bf16)})
        EXPECT_GE(packed_b_bytes(make_matmul_loops(p, 0)),
                static_cast<std::size_t>(p.n * p.k) * sizeof(float))
                << describe(p);
    // Elements that share memory are more than fit anywhere.
    matmul_problem huge = make_problem(1, 16, 1, 1, "r", "r", data_type::f32, data_type::bf16);
    huge.n = huge.k = std::int64_t{1} << 31;
    huge.b.row_stride = huge.b.column_stride = 0;
    EXPECT_EQ(packed_b_bytes(make_matmul_loops(huge, 0)), 0U);
    // Batches that share b share what is packed.
    EXPECT_EQ(packed_b_bytes(make_matmul_loops(make_problem(3, 16, 256, 256, "r", "cB"), 0)) * 3,
            packed_b_bytes(make_matmul_loops(make_problem(3, 16, 256, 256, "r", "c"), 0)));
}

/// What fills tails up must not meet infinities of the operands: 0 * inf is NaN.
TEST(matmul_kernel, infinities_stay_in_their_row_and_column) {
    tests::for_each_target([] {
        for (std::int64_t m : {1, 3, 9})
            for (std::int64_t n : {2, 9, 33})
                for (const char *layout : {"r", "c"}) {
                    const matmul_problem p = make_problem(1, m, n, 5, "r", layout);
                    std::vector<float> a(static_cast<std::size_t>(m * 5), 1.0F);
                    std::vector<float> b(static_cast<std::size_t>(n * 5), 1.0F);
                    const float infinity = std::numeric_limits<float>::infinity();
                    a.back() = infinity;
                    b.front() = infinity;
                    const std::vector<float> got = run(p, a.data(), b.data());
                    for (std::int64_t i = 0; i < m; ++i)
                        for (std::int64_t j = 0; j < n; ++j)
                            ASSERT_EQ(got[static_cast<std::size_t>(i * n + j)],
                                    i == m - 1 || j == 0 ? infinity : 5.0F);
                }
    });
}

} // namespace
} // namespace tern::kernels
