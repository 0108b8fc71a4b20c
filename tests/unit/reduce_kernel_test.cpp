// SPDX-License-Identifier: Apache-2.0
#include "kernels/reduce/reduce_sum.hpp"

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

#include "base/element.hpp"
#include "each_target.hpp"

namespace tern {
namespace {

using namespace kernels;
using tests::for_each_target;

constexpr data_type low_types[] = {data_type::f32, data_type::bf16, data_type::f16};

bool is_float(data_type type) {
    return type != data_type::s32 && type != data_type::s64;
}

dims strides_of(const dims &shape, const std::vector<int> &order, std::int64_t gap = 1) {
    dims strides(shape.rank(), 0);
    std::int64_t stride = gap;
    for (auto axis = order.rbegin(); axis != order.rend(); ++axis) {
        strides[*axis] = stride;
        stride *= std::max<std::int64_t>(shape[*axis], 1);
    }
    return strides;
}

struct reduce_case {
    dims shape;
    unsigned axes = 0; ///< Bit per axis.
    data_type src_type = data_type::f32;
    data_type dst_type = data_type::f32;
    std::vector<int> src_order{}; ///< Axes from the outermost on; empty: as they come.
    std::vector<int> dst_order{};
    std::int64_t src_gap = 1;
    std::int64_t dst_gap = 1;
    std::size_t misalignment = 0;
};

class reduce_run {
public:
    explicit reduce_run(reduce_case tested) : case_(std::move(tested)) {
        const int rank = case_.shape.rank();
        std::vector<int> order;
        for (int axis = 0; axis < rank; ++axis)
            order.push_back(axis);
        src_strides_ = strides_of(
                case_.shape, case_.src_order.empty() ? order : case_.src_order, case_.src_gap);
        dims kept = case_.shape;
        for (int axis = 0; axis < rank; ++axis)
            if (is_reduced(axis)) kept[axis] = 1;
        dst_strides_ =
                strides_of(kept, case_.dst_order.empty() ? order : case_.dst_order, case_.dst_gap);
        for (int axis = 0; axis < rank; ++axis)
            if (is_reduced(axis)) dst_strides_[axis] = 0;
        allocate(src_, span(case_.shape, src_strides_) * bytes_of(case_.src_type));
        allocate(dst_, span(kept, dst_strides_) * bytes_of(case_.dst_type));
        dst_size_ = span(kept, dst_strides_) * bytes_of(case_.dst_type);
        std::memset(dst(), 0x5A, dst_size_);
        fill();
    }

    void run() {
        run_reduce_sum(make_reduce_loops(case_.shape, src_strides_, dst_strides_, case_.src_type,
                               case_.dst_type),
                src(), dst());
    }

    /// Against sums in double, or in wrapping integers. Error: 40 roundings in f32, of the sum of
    /// magnitudes, and the rounding to dst.
    void check() {
        run();
        for (const result &r : results_) {
            const std::uint8_t *at =
                    dst() + static_cast<std::size_t>(r.offset) * bytes_of(case_.dst_type);
            if (!is_float(case_.src_type)) {
                std::int64_t expected = static_cast<std::int64_t>(r.integer);
                if (case_.src_type == data_type::s32)
                    expected = static_cast<std::int32_t>(expected);
                ASSERT_EQ(load_s64(case_.dst_type, at), expected) << r.offset;
                continue;
            }
            const double actual = load_f64(case_.dst_type, at);
            const double unit = case_.dst_type == data_type::bf16  ? 0x1p-8
                                : case_.dst_type == data_type::f16 ? 0x1p-11
                                                                   : 0;
            ASSERT_LE(std::abs(actual - r.sum),
                    r.magnitude * 40 * 0x1p-24 + std::abs(r.sum) * unit * 1.01)
                    << actual << ' ' << r.sum << " at " << r.offset;
        }
    }

    std::vector<std::uint8_t> bytes() { return {dst(), dst() + dst_size_}; }

private:
    struct result {
        std::int64_t offset;
        double sum = 0;
        double magnitude = 0;
        std::uint64_t integer = 0;
    };

    bool is_reduced(int axis) const { return (case_.axes >> axis & 1U) != 0; }
    static std::size_t span(const dims &shape, const dims &strides) {
        std::int64_t last = 0;
        for (int axis = 0; axis < shape.rank(); ++axis) {
            if (shape[axis] == 0) return 0;
            last += (shape[axis] - 1) * strides[axis];
        }
        return static_cast<std::size_t>(last + 1);
    }
    void allocate(std::unique_ptr<std::uint8_t[]> &memory, std::size_t bytes) const {
        memory.reset(new std::uint8_t[bytes + case_.misalignment]());
    }
    std::uint8_t *src() { return src_.get() + case_.misalignment; }
    std::uint8_t *dst() { return dst_.get() + case_.misalignment; }

    void fill() {
        std::minstd_rand random(5);
        visit_kept(0, 0, 0, random);
    }
    void visit_kept(int axis, std::int64_t src, std::int64_t dst, std::minstd_rand &random) {
        if (axis == case_.shape.rank()) {
            results_.push_back({dst});
            visit_reduced(0, src, random);
            return;
        }
        const std::int64_t extent = is_reduced(axis) ? 1 : case_.shape[axis];
        for (std::int64_t i = 0; i < extent; ++i)
            visit_kept(
                    axis + 1, src + i * src_strides_[axis], dst + i * dst_strides_[axis], random);
    }
    void visit_reduced(int axis, std::int64_t src_at, std::minstd_rand &random) {
        if (axis < case_.shape.rank()) {
            const std::int64_t extent = is_reduced(axis) ? case_.shape[axis] : 1;
            for (std::int64_t i = 0; i < extent; ++i)
                visit_reduced(axis + 1, src_at + i * src_strides_[axis], random);
            return;
        }
        result &r = results_.back();
        std::uint8_t *at = src() + static_cast<std::size_t>(src_at) * bytes_of(case_.src_type);
        if (is_float(case_.src_type)) {
            store_f64(case_.src_type, static_cast<double>(random() % 4096) / 1024 - 1, at);
            const double value = load_f64(case_.src_type, at);
            r.sum += value;
            r.magnitude += std::abs(value);
        } else {
            const std::uint64_t value = random() * 0x9E3779B97F4A7C15ULL;
            store_s64(case_.src_type, static_cast<std::int64_t>(value), at);
            r.integer += static_cast<std::uint64_t>(load_s64(case_.src_type, at));
        }
    }

    reduce_case case_;
    dims src_strides_;
    dims dst_strides_;
    std::unique_ptr<std::uint8_t[]> src_;
    std::unique_ptr<std::uint8_t[]> dst_;
    std::size_t dst_size_ = 0;
    std::vector<result> results_;
};

void check(const reduce_case &tested) {
    reduce_run(tested).check();
}

template <typename Check>
void for_each_pair(const Check &check) {
    for (data_type src : low_types)
        for (data_type dst : low_types)
            check(src, dst);
    check(data_type::s32, data_type::s32);
    check(data_type::s64, data_type::s64);
}

TEST(reduce_kernel, rows_and_columns_of_all_lengths) {
    for_each_target([] {
        for_each_pair([](data_type src, data_type dst) {
            for (std::int64_t n = 1; n <= 70; ++n)
                for (std::int64_t other : {1, 3, 9, 18})
                    for (unsigned axes : {1U, 2U}) {
                        SCOPED_TRACE(n);
                        reduce_case tested{{n, other}, axes, src, dst};
                        tested.misalignment = static_cast<std::size_t>(n % 4);
                        ASSERT_NO_FATAL_FAILURE(check(tested));
                        tested.shape = {other, n};
                        ASSERT_NO_FATAL_FAILURE(check(tested));
                    }
        });
    });
}

TEST(reduce_kernel, any_axes_in_any_layout) {
    const std::vector<std::vector<int>> orders = {{}, {3, 2, 1, 0}, {0, 2, 3, 1}, {2, 0, 1, 3}};
    for (const dims &shape : {dims{3, 5, 4, 17}, dims{20, 3, 1, 9}})
        for (unsigned axes = 0; axes < 16; ++axes)
            for (const auto &src_order : orders)
                for (const auto &dst_order : orders)
                    for (std::int64_t gap : {1, 2}) {
                        reduce_case tested{shape, axes};
                        tested.src_order = src_order;
                        tested.dst_order = dst_order;
                        tested.src_gap = gap;
                        tested.dst_gap = 3 - gap;
                        ASSERT_NO_FATAL_FAILURE(check(tested));
                        tested.src_type = tested.dst_type = data_type::s64;
                        ASSERT_NO_FATAL_FAILURE(check(tested));
                        tested.src_type = data_type::bf16;
                        tested.dst_type = data_type::f16;
                        ASSERT_NO_FATAL_FAILURE(check(tested));
                    }
}

TEST(reduce_kernel, long_sums) {
    for_each_target([] {
        for (data_type type : {data_type::f32, data_type::s32, data_type::s64})
            for (const auto &[shape, axes] :
                    std::vector<std::pair<dims, unsigned>>{{{1000003}, 1}, {{300001, 3}, 1},
                            {{3, 300001}, 2}, {{40001, 20}, 1}, {{70, 9, 500}, 5}, {{33000, 9}, 3}})
                ASSERT_NO_FATAL_FAILURE(check({shape, axes, type, type}));
        reduce_case gaps{{300001}, 1};
        gaps.src_gap = 2;
        ASSERT_NO_FATAL_FAILURE(check(gaps));
    });
}

// A plain loop in f32 would stop growing at 2^24.
TEST(reduce_kernel, many_ones) {
    const std::int64_t n = (1 << 24) + (1 << 20);
    const std::vector<float> ones(static_cast<std::size_t>(n), 1.0F);
    for (const dims &shape : {dims{n}, dims{n / 16, 16}}) {
        const bool is_column = shape.rank() == 2;
        std::vector<float> sums(16, 5.0F);
        run_reduce_sum(make_reduce_loops(shape, is_column ? dims{16, 1} : dims{1},
                               is_column ? dims{0, 1} : dims{0}, data_type::f32, data_type::f32),
                ones.data(), sums.data());
        EXPECT_EQ(sums[0], static_cast<float>(is_column ? n / 16 : n));
        EXPECT_EQ(sums[15], is_column ? sums[0] : 5.0F);
    }
}

TEST(reduce_kernel, the_sum_of_nothing_is_0) {
    for (unsigned axes : {1U, 4U, 5U}) {
        reduce_case tested{{3, 20, 3}, axes};
        for (int axis : {0, 2})
            if ((axes >> axis & 1U) != 0) tested.shape[axis] = 0;
        ASSERT_NO_FATAL_FAILURE(check(tested));
        tested.src_type = tested.dst_type = data_type::s32;
        ASSERT_NO_FATAL_FAILURE(check(tested));
    }
}

TEST(reduce_kernel, nan_and_infinity_reach_their_sums) {
    const float inf = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> src = {1, inf, 2, -inf, inf, 3, nan, 4, 5, 1, 2, 3};
    std::vector<float> dst(4);
    run_reduce_sum(make_reduce_loops({4, 3}, {3, 1}, {1, 0}, data_type::f32, data_type::f32),
            src.data(), dst.data());
    EXPECT_EQ(dst[0], inf);
    EXPECT_TRUE(std::isnan(dst[1]));
    EXPECT_TRUE(std::isnan(dst[2]));
    EXPECT_EQ(dst[3], 6.0F);
}

TEST(reduce_kernel, any_number_of_threads_gives_the_same_bits) {
    const tbb::global_control most(tbb::global_control::max_allowed_parallelism, 8);
    for (const auto &[shape, axes] :
            std::vector<std::pair<dims, unsigned>>{{{600011}, 1}, {{60001, 9}, 1}, {{9, 60001}, 2},
                    {{70, 9, 900}, 5}, {{30, 20000}, 1}, {{3000, 300}, 2}, {{200000, 3}, 1}}) {
        reduce_run one({shape, axes});
        tbb::task_arena(1).execute([&] { one.run(); });
        for (int threads = 2; threads <= 8; ++threads) {
            reduce_run many({shape, axes});
            tbb::task_arena(threads).execute([&] { many.run(); });
            EXPECT_EQ(one.bytes(), many.bytes());
        }
    }
}

} // namespace
} // namespace tern
