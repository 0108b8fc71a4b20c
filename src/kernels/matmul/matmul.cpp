// SPDX-License-Identifier: Apache-2.0
#include "kernels/matmul/matmul.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/cpu.hpp"
#include "base/parallel.hpp"
#include "kernels/matmul/tile.hpp"

namespace tern::kernels {
namespace {

constexpr std::int64_t most_threads = 128;
/// Multiplications and additions that are worth a thread, a few microseconds.
constexpr double flops_of_grain = 400e3;
constexpr double bytes_of_grain = 64e3;

/// Parts of n as equal as multiples of `step` can be, none longer than `most`.
std::int64_t even_part(std::int64_t n, std::int64_t most, std::int64_t step) {
    most = std::max(most / step * step, step);
    return round_up(divide_up(n, divide_up(n, most)), step);
}

/// How many threads there is scratch for. Not what the arena of now has alone: another one may run
/// it.
std::int64_t thread_count() {
    const auto machine = static_cast<std::int64_t>(std::thread::hardware_concurrency());
    return std::clamp<std::int64_t>(
            std::max<std::int64_t>(machine, max_concurrency()), 1, most_threads);
}

bool is_float(data_type type) {
    return type == data_type::f32 || type == data_type::bf16 || type == data_type::f16;
}

matmul_path path_of(const matmul_problem &problem, std::int64_t thin_rows) {
    if (problem.m > thin_rows || !is_float(problem.b.type)) return matmul_path::panels;
    // A stride along an axis of one element says nothing.
    if (problem.b.column_stride == 1 && problem.n > 1) return matmul_path::stream;
    return problem.b.row_stride == 1 ? matmul_path::dots : matmul_path::panels;
}

std::int64_t count_units(const matmul_loops &loops) {
    return loops.batches * divide_up(loops.problem.m, loops.tile_rows)
           * divide_up(loops.problem.n, loops.tile_columns);
}

double flops_of_tile(const matmul_loops &loops) {
    const matmul_problem &problem = loops.problem;
    return 2.0 * static_cast<double>(std::min(loops.tile_rows, problem.m))
           * static_cast<double>(std::min(loops.tile_columns, problem.n))
           * static_cast<double>(problem.k);
}

/// Lines of b that a register block goes through must not be in a few sets of L1.
bool spread_in_l1(std::int64_t row_bytes, std::int64_t rows) {
    constexpr std::int64_t line = 64;
    constexpr std::int64_t ways = 8; // at least, on CPUs of today
    const auto sets = static_cast<std::int64_t>(cpu_caches().l1_data) / line / ways;
    std::int64_t apart = 1; // sets that rows start in are this far apart, a power of two
    while (apart < sets && row_bytes % (apart * 2 * line) == 0)
        apart *= 2;
    return rows <= sets / apart * ways / 2;
}

void plan_panels(matmul_loops &loops, std::int64_t threads) {
    const matmul_problem &problem = loops.problem;
    const std::int64_t micro_rows = loops.code->micro_rows;
    const std::int64_t micro_columns = loops.code->micro_columns;
    const auto cache = static_cast<std::int64_t>(cpu_caches().l2 / sizeof(float));

    // A panel of b, block_k by micro_columns, stays in L1 while a goes by.
    const std::int64_t k = std::max<std::int64_t>(problem.k, 1);
    loops.block_k = k <= 512 ? k : even_part(k, 384, 8);
    loops.tile_columns = problem.n <= 512 ? round_up(problem.n, micro_columns)
                                          : even_part(problem.n, 384, micro_columns);
    // The tile and packed a share L2 with the panels of b that pass; the sink finds the tile there.
    const std::int64_t room = std::min(
            cache * 3 / 4 / (loops.tile_columns + loops.block_k), cache / 4 / loops.tile_columns);
    loops.tile_rows =
            even_part(problem.m, std::clamp<std::int64_t>(room, 4 * micro_rows, 256), micro_rows);

    loops.direct_b = problem.b.type == data_type::f32 && problem.b.column_stride == 1
                     && spread_in_l1(problem.b.row_stride * 4, loops.block_k)
                     && divide_up(loops.tile_rows, micro_rows) <= 64;
    // Enough tiles for all threads, as long as a tile is worth one. Where b is packed, each thread
    // packs the columns it reads: better ones of its own.
    while (threads > 1 && count_units(loops) < 2 * threads
            && flops_of_tile(loops) > 2 * flops_of_grain) {
        const bool is_high = loops.tile_rows > 4 * micro_rows;
        const bool is_wide = loops.tile_columns > 4 * micro_columns;
        if (is_wide && (!is_high || !loops.direct_b))
            loops.tile_columns =
                    even_part(problem.n, loops.tile_columns - micro_columns, micro_columns);
        else if (is_high)
            loops.tile_rows = even_part(problem.m, loops.tile_rows - micro_rows, micro_rows);
        else
            break;
    }
    loops.direct_a = problem.a.type == data_type::f32 && problem.a.column_stride == 1;
}

void plan_thin(matmul_loops &loops, std::int64_t threads) {
    const matmul_problem &problem = loops.problem;
    loops.tile_rows = problem.m;
    loops.block_k = std::clamp<std::int64_t>(problem.k, 1, 2048);
    const std::int64_t shared = divide_up(problem.n * loops.batches, 2 * threads);
    loops.tile_columns = even_part(
            problem.n, std::clamp<std::int64_t>(shared, 256, 2048), loops.code->micro_columns);
}

std::size_t bytes_of_floats(std::int64_t n) {
    return static_cast<std::size_t>(round_up(n, 16)) * sizeof(float);
}

void plan_scratch(matmul_loops &loops) {
    const std::int64_t rows = round_up(loops.tile_rows, loops.code->micro_rows);
    const std::int64_t panels = divide_up(loops.tile_columns, loops.code->micro_columns);
    loops.tile_stride = panels * loops.code->micro_columns + packed_pad;
    loops.packed_a = bytes_of_floats(rows * packed_row(loops.block_k));
    loops.packed_b = loops.path == matmul_path::panels ? bytes_of_floats(
                             panels * packed_panel(loops.block_k, loops.code->micro_columns))
                                                       : 0;
    loops.tile_bytes = bytes_of_floats(loops.tile_rows * loops.tile_stride);
    loops.thread_scratch =
            loops.packed_a + loops.packed_b + loops.tile_bytes + round_up(loops.sink_scratch, 64);
    loops.scratch_bytes = loops.thread_scratch * static_cast<std::size_t>(loops.slabs);
}

} // namespace

matmul_loops make_matmul_loops(const matmul_problem &problem, std::size_t sink_scratch) {
    matmul_loops loops;
    loops.problem = problem;
    loops.code = &find_matmul_code();
    loops.sink_scratch = sink_scratch;
    for (std::int64_t extent : problem.batch)
        loops.batches *= extent;
    matmul_problem &own = loops.problem;
    if (own.n == 1 && own.m > 1) {
        loops.transposed = true;
        std::swap(own.m, own.n);
        std::swap(own.a, own.b);
        std::swap(own.a.row_stride, own.a.column_stride);
        std::swap(own.b.row_stride, own.b.column_stride);
    }
    const std::int64_t threads = thread_count();
    loops.path = path_of(own, loops.code->thin_rows);
    if (loops.path == matmul_path::panels)
        plan_panels(loops, threads);
    else
        plan_thin(loops, threads);
    loops.units = count_units(loops);
    const double bytes = static_cast<double>(bytes_of(own.b.type)) * static_cast<double>(own.k)
                         * static_cast<double>(std::min(loops.tile_columns, own.n));
    const double grains = std::max(flops_of_tile(loops) / flops_of_grain,
            loops.path == matmul_path::panels ? 0.0 : bytes / bytes_of_grain);
    loops.grain = grains >= 1 ? 1
                  : grains * static_cast<double>(loops.units) < 1
                          ? loops.units
                          : static_cast<std::int64_t>(1 / grains);
    loops.slabs = std::clamp<std::int64_t>(loops.units / loops.grain, 1, threads);
    plan_scratch(loops);
    return loops;
}

std::string_view matmul_target() {
    return find_matmul_code().target;
}

} // namespace tern::kernels
