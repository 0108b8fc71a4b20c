// SPDX-License-Identifier: Apache-2.0
//
// More than 2^31 output elements. Left out only where memory is short.
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>
#include <utility>

#include "select_graph.hpp"

using namespace select_graph;

namespace {

/// GiB that the machine can give without swapping, as far as it says.
double available_gib() {
    std::ifstream info("/proc/meminfo");
    std::string name;
    double kib = 0;
    while (info >> name >> kib) {
        if (name == "MemAvailable:") return kib / (1 << 20);
        info.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
    }
    return 0;
}

TEST(select_huge, B31_more_than_2_to_the_31_elements) {
    if (available_gib() < 3) GTEST_SKIP() << "it takes 3 GiB of memory";
    constexpr std::int64_t rows = 65536, columns = 32769;
    logical_tensors inputs = {dense(cond_id, data_type::boolean, {1}),
            dense(src_0_id, data_type::u8, {rows, 1}),
            dense(src_1_id, data_type::u8, {1, columns})};
    logical_tensor dst = dense(dst_id, data_type::u8, {rows, columns});
    ASSERT_EQ(dst.get_mem_size(), 2147549184u);
    std::vector<std::uint8_t> src_0, src_1(columns, 255);
    for (std::int64_t row = 0; row < rows; ++row)
        src_0.push_back(static_cast<std::uint8_t>(row % 251));

    auto compiled = select_partition(inputs, dst).compile(inputs, {dst}, cpu());
    tensor output(dst, cpu());
    const auto *result = static_cast<const std::uint8_t *>(output.get_data_handle());
    for (std::uint8_t cond : {1, 0}) {
        const void *in[] = {&cond, src_0.data(), src_1.data()};
        void *out = output.get_data_handle();
        compiled.execute(stream(cpu()), in, &out);
        for (std::int64_t row = 0; row < rows; ++row) {
            std::vector<std::uint8_t> expected(
                    columns, cond ? src_0[static_cast<std::size_t>(row)] : std::uint8_t{255});
            ASSERT_EQ(std::memcmp(result + row * columns, expected.data(), columns), 0) << row;
        }
    }
}

TEST(select_huge, B31_views_beyond_2_to_the_31) {
    // Two rows that lie 2^32 elements apart; the pages in between are never touched.
    constexpr std::int64_t apart = std::int64_t{1} << 32;
    logical_tensors inputs = {dense(cond_id, data_type::boolean, {2, 1}),
            dense(src_0_id, data_type::u8, {1, 3}), dense(src_1_id, data_type::u8, {2, 1})};
    logical_tensor dst(dst_id, data_type::u8, {2, 3}, {apart, 1});
    tensor output;
    try {
        output = tensor(dst, cpu());
    } catch (const error &) {
        GTEST_SKIP() << "it takes 4 GiB of address space";
    }
    for (const auto &compiled : compile_all(select_partition(inputs, dst), inputs, {dst})) {
        std::uint8_t cond[] = {0, 7}, src_0[] = {1, 2, 3}, src_1[] = {9, 9};
        const void *in[] = {cond, src_0, src_1};
        void *out = output.get_data_handle();
        auto *result = static_cast<std::uint8_t *>(out);
        std::memset(result, 0, 3);
        std::memset(result + apart, 0, 3);
        compiled.execute(stream(cpu()), in, &out);
        for (std::int64_t column = 0; column < 3; ++column) {
            EXPECT_EQ(result[column], 9);
            EXPECT_EQ(result[apart + column], column + 1);
        }
    }
}

// Described, not allocated: everything about them fits 63 bits, but not what is computed on the
// way.
TEST(select_huge, compiles_what_no_memory_holds) {
    for (int bits : {52, 58, 60, 61, 62}) {
        std::int64_t n = std::int64_t{1} << bits;
        std::int64_t rows = 2048, columns = n / rows;
        const logical_tensors sources = {dense(src_0_id, data_type::u8, {n}),
                logical_tensor(src_0_id, data_type::u8, {rows, columns}, {1, rows}),
                logical_tensor(src_0_id, data_type::u8, {rows, columns}, {0, 0}),
                logical_tensor(src_0_id, data_type::u8, {n / 2}, dims{2})};
        for (const logical_tensor &src_0 : sources) {
            dims shape = src_0.get_dims();
            logical_tensors inputs = {dense(cond_id, data_type::boolean, {1}), src_0,
                    dense(src_1_id, data_type::u8, shape)};
            logical_tensor dst = dense(dst_id, data_type::u8, shape);
            for (const auto &compiled : compile_all(select_partition(inputs, dst), inputs, {dst}))
                EXPECT_EQ(compiled.query_logical_tensor(dst_id).get_dims(), shape);
        }
    }
}

TEST(nonzero_huge, B73_more_than_2_to_the_31_elements) {
    // Pages that are only read are all the same one.
    constexpr std::int64_t n = 2147483653;
    std::unique_ptr<void, void (*)(void *)> memory(
            std::calloc(static_cast<std::size_t>(n), 1), std::free);
    if (!memory) GTEST_SKIP() << "it takes 2 GiB of address space";
    static_cast<std::uint8_t *>(memory.get())[n - 1] = 1;
    const void *in[] = {memory.get()};
    const logical_tensor y(dst_id, data_type::s64, layout_type::any);
    const std::vector<std::pair<dims, dims>> expected = {
            {{n}, {n - 1}}, {{1, n}, {0, n - 1}}, {{n, 1}, {n - 1, 0}}};
    for (const auto &[shape, index] : expected) {
        const logical_tensor x = dense(cond_id, data_type::u8, shape);
        auto compiled =
                one_op_partition(op(7, op::kind::NonZero, {x}, {y})).compile({x}, {y}, cpu());
        std::int64_t found[2] = {-1, -1};
        const tern::graph::output_provider provider{found,
                [](void *user, std::size_t, const std::int64_t *, std::size_t) { return user; }};
        compiled.execute(stream(cpu()), in, nullptr, provider);
        EXPECT_EQ(dims(found, found + index.size()), index);
    }
}

} // namespace
