// SPDX-License-Identifier: Apache-2.0
#include "kernels/nonzero/nonzero.hpp"

#include <algorithm>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include "base/cpu.hpp"
#include "base/shape.hpp"
#include "each_target.hpp"
#include "modes.hpp"
#include "ops/registry.hpp"

namespace tern {
namespace {

using namespace kernels;
using tests::for_each_target;

/// A type as the kernel sees it.
struct lane_type {
    data_type type;
    nonzero_element element;
};

nonzero_element make_element(int bytes, std::initializer_list<int> signs) {
    nonzero_element element{bytes, {}};
    element.mask.fill(0xff);
    for (int at : signs)
        element.mask[static_cast<std::size_t>(at)] = 0x7f;
    return element;
}

const lane_type lane_types[] = {
        {data_type::boolean, make_element(1, {})},
        {data_type::f8_e4m3, make_element(1, {0})},
        {data_type::s16, make_element(2, {})},
        {data_type::bf16, make_element(2, {1})},
        {data_type::s32, make_element(4, {})},
        {data_type::f32, make_element(4, {3})},
        {data_type::u64, make_element(8, {})},
        {data_type::f64, make_element(8, {7})},
        {data_type::c64, make_element(8, {3, 7})},
        {data_type::c128, make_element(16, {7, 15})},
        {data_type::string, {16, {0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255}}},
};

/// Memory of exactly so many bytes, at an address of choice: a sanitizer sees what is beyond.
class exact_bytes {
public:
    exact_bytes(std::size_t bytes, std::size_t misalignment)
        : memory_(new std::uint8_t[bytes + 64 + misalignment]),
          size_(bytes) {
        const auto address = reinterpret_cast<std::uintptr_t>(memory_.get());
        first_ = memory_.get() + (0 - address) % 64 + misalignment;
    }
    std::uint8_t *data() { return first_; }
    std::size_t size() const { return size_; }

private:
    std::unique_ptr<std::uint8_t[]> memory_;
    std::uint8_t *first_;
    std::size_t size_;
};

struct nonzero_case {
    dims shape;
    double density = 0.5;
    lane_type type = lane_types[0];
    dims strides{}; ///< Rank 0: dense.
    std::size_t misalignment = 0;
    std::optional<double> other{}; ///< Density of every other block of 16384 elements.
};

class nonzero_run {
public:
    explicit nonzero_run(const nonzero_case &tested)
        : case_(tested),
          strides_(tested.strides.empty() ? dense_strides(tested.shape).value() : tested.strides),
          x_(static_cast<std::size_t>(byte_span(tested.shape, strides_, bytes()).value()),
                  tested.misalignment) {
        std::mt19937_64 random(tested.shape.rank() + 17 * bytes());
        for (std::size_t i = 0; i < x_.size(); i += bytes()) {
            const bool is_other = tested.other && i / bytes() / 16384 % 2 == 1;
            fill(random, x_.data() + i, is_other ? *tested.other : tested.density);
        }
    }

    /// Shape of y, then y.
    std::vector<std::int64_t> expected() {
        const ir::op_def &def = *ops::find(op_kind::NonZero);
        const ir::const_view in = {x_.data(), case_.type.type, case_.shape, strides_};
        dims shape = {unknown_dim, unknown_dim};
        def.find_shapes({{}, {&in, 1}, {}}, {&shape, 1});
        std::vector<std::int64_t> y(static_cast<std::size_t>(shape[0] * shape[1]));
        const ir::mutable_view out = {y.data(), data_type::s64, shape, {shape[1], 1}};
        def.reference({{}, {&in, 1}, {&out, 1}}, 0, shape[0] * shape[1]);
        y.insert(y.begin(), {shape[0], shape[1]});
        return y;
    }

    std::vector<std::int64_t> found(std::size_t y_misalignment = 0) {
        const nonzero_loops loops = make_nonzero_loops(case_.shape, strides_, case_.type.element);
        std::vector<std::uint64_t> scratch(nonzero_scratch_bytes(loops) / 8, 0xa5a5a5a5a5a5a5a5);
        const std::int64_t count = count_nonzero(loops, x_.data(), scratch.data());
        const std::int64_t rank = case_.shape.rank();
        exact_bytes y(static_cast<std::size_t>(rank * count) * 8, y_misalignment);
        std::memset(y.data(), 0x5a, y.size());
        write_nonzero(loops, scratch.data(), y.data());
        std::vector<std::int64_t> result(static_cast<std::size_t>(rank * count));
        if (!result.empty()) std::memcpy(result.data(), y.data(), y.size());
        result.insert(result.begin(), {rank, count});
        return result;
    }

private:
    std::size_t bytes() const { return static_cast<std::size_t>(case_.type.element.bytes); }

    /// An element is zero (of either sign), or has few bits or one.
    void fill(std::mt19937_64 &random, std::uint8_t *element, double density) {
        std::memset(element, 0, bytes());
        const std::uint64_t bits = random();
        for (std::size_t i = 0; i < bytes(); ++i)
            if ((bits >> i & 1) != 0)
                element[i] = static_cast<std::uint8_t>(~case_.type.element.mask[i]);
        if (std::uniform_real_distribution<>(0, 1)(random) >= density) return;
        std::size_t at = random() % bytes();
        if (case_.type.element.mask[at] == 0) at += 8; // a string's pointer does not count
        element[at] = static_cast<std::uint8_t>(element[at] | (std::uint8_t{1} << (random() % 7)));
    }

    nonzero_case case_;
    dims strides_;
    exact_bytes x_;
};

void expect_as_reference(const nonzero_case &tested, std::size_t y_misalignment = 0) {
    nonzero_run run(tested);
    ASSERT_EQ(run.found(y_misalignment), run.expected())
            << to_string(tested.shape) << " strides " << to_string(tested.strides) << " density "
            << tested.density << " bytes " << tested.type.element.bytes;
}

constexpr double densities[] = {0, 0.01, 0.05, 0.5, 1};

TEST(nonzero_kernel, every_length_and_type) {
    for_each_target([] {
        for (const lane_type &type : lane_types)
            for (std::int64_t n = 0; n <= 130; ++n)
                for (double density : {0.05, 0.5, 1.0})
                    expect_as_reference({{n}, density, type});
    });
}

TEST(nonzero_kernel, every_density_and_rank) {
    const dims shapes[] = {{}, {1}, {20000}, {3, 9001}, {300, 70}, {4100, 5}, {70, 256}, {2, 3, 4},
            {33, 17, 5}, {5, 1, 1000}, {40, 1, 40, 1}, {7, 5, 3, 2, 9}, {4, 4, 4, 4, 4, 4},
            {2, 1, 70, 1, 2, 1, 2}, {2, 2, 2, 2, 2, 2, 2, 2}, {3, 2, 1, 2, 1, 2, 1, 2, 1, 300},
            {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}, {0}, {3, 0},
            {0, 5, 2}, {4, 0, 6}};
    for_each_target([&] {
        for (const dims &shape : shapes)
            for (double density : densities) {
                expect_as_reference({shape, density, lane_types[0]});
                expect_as_reference({shape, density, lane_types[5]});
            }
    });
}

// Blocks of few elements pass lists between the passes, others bits. On 16384 elements 5.6 % are
// few in chunks of 512, 5.8 % in chunks of 4096.
TEST(nonzero_kernel, blocks_of_few_and_of_many_elements) {
    const nonzero_case cases[] = {
            {{70000}},
            {{16384}},
            {{16385}},
            {{20, 4096}},
            {{5, 40, 512}},
            {{9, 5000}},
            {{1100, 64}},
            {{70, 8, 128}},
            {{64, 1024}, 0, {}, {1, 64}},
            {{30, 1024}, 0, {}, {0, 1}},
    };
    for_each_target([&] {
        for (nonzero_case tested : cases)
            for (const lane_type &type : {lane_types[0], lane_types[9]})
                for (double density : {0.0, 0.01, 0.055, 0.06})
                    for (std::optional<double> other : {std::optional<double>(), {0.5}}) {
                        tested.type = type;
                        tested.density = density;
                        tested.other = other;
                        expect_as_reference(tested);
                    }
    });
}

TEST(nonzero_kernel, strides) {
    const nonzero_case cases[] = {
            {{33, 17, 5}, 0.5, {}, {1, 33, 561}},
            {{6, 20, 70}, 0.5, {}, {3000, 100, 1}},
            {{6, 20, 70}, 0.5, {}, {1, 500, 7}},
            {{6, 300}, 0.5, {}, {0, 1}},
            {{300, 6}, 0.5, {}, {1, 0}},
            {{5, 1, 400}, 0.05, {}, {400, 7, 1}},
            {{200, 300}, 0.01, {}, {1, 200}},
            {{1000}, 0.5, {}, {3}},
            {{50, 50}, 1, {}, {0, 0}},
            {{1, 1}, 1, {}, {9, 9}},
    };
    for_each_target([&] {
        for (nonzero_case tested : cases)
            for (const lane_type &type : lane_types) {
                tested.type = type;
                expect_as_reference(tested);
            }
    });
}

TEST(nonzero_kernel, no_alignment) {
    for_each_target([] {
        for (const lane_type &type : lane_types)
            for (std::size_t misalignment : {1, 3, 8}) {
                expect_as_reference({{40, 333}, 0.5, type, {}, misalignment}, misalignment);
                expect_as_reference({{700, 19}, 0.05, type, {}, misalignment}, 2 * misalignment);
            }
    });
}

/// Beyond the caches stores go past them; where lines begin, and 8 bytes are not aligned.
TEST(nonzero_kernel, large_outputs) {
    const auto rows = static_cast<std::int64_t>(cpu_caches().last_level / 1024 / 8 + 10);
    if (rows > 100000) GTEST_SKIP() << "a cache of " << cpu_caches().last_level << " bytes";
    for (std::size_t y_misalignment : {0, 8, 24, 5}) {
        expect_as_reference({{rows, 1031}, 0.5}, y_misalignment);
        expect_as_reference({{rows, 103, 10}, 0.5}, y_misalignment);
    }
}

TEST(nonzero_kernel, B67_same_bits_for_any_number_of_threads) {
    const nonzero_case cases[] = {{{64, 257}}, {{300, 1000}}, {{3, 200000}, 0.05}, {{100000, 3}},
            {{40, 40, 40}, 0.5, lane_types[9]}, {{500, 700}, 0.5, lane_types[5], {1, 500}}};
    for (const nonzero_case &tested : cases) {
        nonzero_run run(tested);
        const std::vector<std::int64_t> expected = run.expected();
        for (int threads : {1, 2, 3, 5, 7, 8, 16}) {
            oneapi::tbb::global_control allow(oneapi::tbb::global_control::max_allowed_parallelism,
                    static_cast<std::size_t>(threads));
            oneapi::tbb::task_arena arena(threads);
            arena.execute([&] { EXPECT_EQ(run.found(), expected) << threads << " threads"; });
        }
    }
    for (int threads : {1, 64}) { // more threads than elements
        oneapi::tbb::task_arena arena(threads);
        arena.execute([] { expect_as_reference({{3}, 0.5}); });
    }
}

TEST(nonzero_kernel, B78_denormals_count_where_they_are_flushed) {
    for_each_target([] {
        const flush_denormals flushing;
        for (const lane_type &type : lane_types)
            expect_as_reference({{3, 77}, 0.5, type});
    });
}

TEST(nonzero_kernel, masks_decide) {
    // Any mask: here only the last 8 of 16 bytes count.
    nonzero_element element{16, {}};
    std::fill(element.mask.begin() + 8, element.mask.end(), std::uint8_t{0xff});
    for_each_target([&] {
        std::vector<std::uint64_t> x(2 * 70, 0);
        for (std::size_t i = 0; i < 70; ++i) {
            x[2 * i] = i;
            x[2 * i + 1] = i % 3 == 0 ? std::uint64_t{1} << i % 64 : 0;
        }
        const nonzero_loops loops = make_nonzero_loops({70}, {1}, element);
        std::vector<std::uint64_t> scratch(nonzero_scratch_bytes(loops) / 8);
        ASSERT_EQ(count_nonzero(loops, x.data(), scratch.data()), 24);
        std::vector<std::int64_t> y(24);
        write_nonzero(loops, scratch.data(), y.data());
        for (std::size_t k = 0; k < y.size(); ++k)
            EXPECT_EQ(y[k], static_cast<std::int64_t>(3 * k));
    });
}

TEST(nonzero_kernel, B74_scratch_is_a_bit_for_each_element) {
    for (const dims &shape : {dims{1024, 2048}, dims{64, 512, 512}, dims{1}, dims{1, 100000000}}) {
        const nonzero_loops loops =
                make_nonzero_loops(shape, dense_strides(shape).value(), lane_types[0].element);
        const auto n = static_cast<std::size_t>(*element_count(shape));
        EXPECT_LE(nonzero_scratch_bytes(loops), n / 8 + 8 * 1024 + 32) << to_string(shape);
    }
}

} // namespace
} // namespace tern
