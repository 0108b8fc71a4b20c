// SPDX-License-Identifier: Apache-2.0
//
// Operands that lie column by column.
#include <vector>

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include "each_target.hpp"
#include "kernels/transpose.hpp"
#include "select_case.hpp"

namespace tern {
namespace {

using namespace kernels;
using namespace tests;

std::uint8_t at_row_and_column(std::int64_t row, std::int64_t column, int byte) {
    return static_cast<std::uint8_t>(row * 31 + column * 7 + byte);
}

void expect_transposed(int lane_bytes, std::int64_t rows, std::int64_t columns,
        std::size_t misalignment, placement::kind where) {
    std::int64_t from_step = columns * lane_bytes + (where == placement::anywhere ? 3 : 0);
    std::int64_t to_step = rows * lane_bytes + (where == placement::anywhere ? 5 : 0);
    auto bytes = [&](std::int64_t step, std::int64_t n, std::int64_t last) {
        return static_cast<std::size_t>((n - 1) * step + last * lane_bytes);
    };
    region from(bytes(from_step, rows, columns), {where, misalignment});
    region to(bytes(to_step, columns, rows), {where, misalignment});
    std::fill_n(to.first(), to.bytes(), std::uint8_t{0});
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < columns; ++column)
            for (int byte = 0; byte < lane_bytes; ++byte)
                from.first()[row * from_step + column * lane_bytes + byte] =
                        at_row_and_column(row, column, byte);
    transpose(from.first(), from_step, to.first(), to_step, rows, columns, lane_bytes);
    std::vector<std::uint8_t> wanted(to.bytes(), 0);
    for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t column = 0; column < columns; ++column)
            for (int byte = 0; byte < lane_bytes; ++byte)
                wanted[static_cast<std::size_t>(column * to_step + row * lane_bytes + byte)] =
                        at_row_and_column(row, column, byte);
    ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), to.first()))
            << rows << "x" << columns << " lanes of " << lane_bytes;
}

TEST(transpose, all_sizes_around_a_block) {
    for_each_target([] {
        for (int lane_bytes : all_lane_bytes)
            for (std::int64_t rows : {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 33})
                for (std::int64_t columns : {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 33})
                    for (auto where : {placement::anywhere, placement::ends_at_guard,
                                 placement::begins_at_guard})
                        ASSERT_NO_FATAL_FAILURE(
                                expect_transposed(lane_bytes, rows, columns, 1, where));
    });
}

struct layout_case {
    const char *what;
    dims shape;
    std::array<dims, 4> strides;
};

/// cond, src_0, src_1, dst.
const std::vector<layout_case> column_layouts = {
        {"source", {70, 300}, {{{300, 1}, {1, 70}, {0, 0}, {300, 1}}}},
        {"source and condition row", {70, 300}, {{{0, 1}, {1, 70}, {0, 0}, {300, 1}}}},
        {"both sources", {129, 65}, {{{65, 1}, {1, 129}, {1, 129}, {65, 1}}}},
        {"condition", {129, 600}, {{{1, 129}, {600, 1}, {600, 1}, {600, 1}}}},
        {"everything but dst", {33, 1100}, {{{1, 33}, {1, 33}, {1, 33}, {1100, 1}}}},
        {"source with gaps", {70, 300}, {{{300, 1}, {2, 160}, {0, 1}, {300, 1}}}},
        {"dst with gaps", {70, 300}, {{{300, 1}, {1, 70}, {1, 0}, {611, 2}}}},
        {"three axes", {3, 40, 50}, {{{2000, 50, 1}, {1, 150, 3}, {0, 0, 1}, {2000, 50, 1}}}},
        {"swapped axes", {6, 40, 50}, {{{2000, 50, 1}, {50, 300, 1}, {1, 6, 240}, {2000, 50, 1}}}},
        {"channels to the end", {2, 500, 3},
                {{{1500, 3, 1}, {1500, 1, 500}, {0, 0, 1}, {1500, 3, 1}}}},
        {"one long row pair", {2, 9001}, {{{9001, 1}, {1, 2}, {0, 0}, {9001, 1}}}},
        {"page-sized columns", {64, 1024}, {{{0, 1}, {1, 1024}, {0, 0}, {1024, 1}}}},
};

TEST(select_tiles, columns_of_any_operand) {
    for_each_target([] {
        for (int lane_bytes : all_lane_bytes)
            for (const layout_case &c : column_layouts)
                for (bool is_far : {false, true}) {
                    SCOPED_TRACE(c.what);
                    select_case tested({c.shape, c.strides, lane_bytes});
                    tested.place({placement::ends_at_guard});
                    select_loops loops = tested.loops();
                    loops.is_far = is_far;
                    ASSERT_NO_FATAL_FAILURE(tested.expect_reference_result(loops));
                }
    });
}

TEST(select_tiles, are_what_columns_get) {
    for (const layout_case &c : column_layouts) {
        select_case tested({c.shape, c.strides, 4});
        EXPECT_EQ(tested.loops().path, select_path::tiled) << c.what;
    }
}

TEST(select_tiles, split_into_strips_and_parts) {
    tbb::global_control more(tbb::global_control::max_allowed_parallelism, 8);
    for (int lane_bytes : all_lane_bytes) {
        // Wide and low, and narrow and high.
        for (auto [rows, n] : {std::pair{90, 7003}, {1300, 500}}) {
            select_form form = {{rows, n}, {{{n, 1}, {1, rows}, {0, 0}, {n, 1}}}, lane_bytes};
            select_case tested(form);
            tested.place();
            auto wanted = tested.expected();
            select_loops loops = tested.loops();
            EXPECT_GT(loops.units, 4);
            EXPECT_GT(loops.strip_rows, 1);
            for (std::int64_t grain : {std::int64_t{1}, loops.grain})
                for (int threads : {1, 3, 8}) {
                    loops.grain = grain;
                    std::fill_n(tested.at(select_dst), tested.home(select_dst)->bytes(),
                            std::uint8_t{0x5a});
                    tbb::task_arena(threads).execute([&] { tested.run(loops); });
                    EXPECT_TRUE(tested.contents() == wanted) << lane_bytes;
                }
        }
    }
}

} // namespace
} // namespace tern
