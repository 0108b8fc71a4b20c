// SPDX-License-Identifier: Apache-2.0
#include "kernels/lanes/run_lanes.hpp"

#include <alloca.h>

#include <algorithm>

#include <hwy/cache_control.h>

#include "base/arithmetic.hpp"
#include "base/cpu.hpp"
#include "base/loop_nest.hpp"
#include "base/mutation.hpp"
#include "base/parallel.hpp"
#include "kernels/lanes/lane_code.hpp"

namespace tern::kernels {
namespace {

/// Bytes of work that are worth a thread, as for select.
constexpr std::int64_t grain_bytes = std::int64_t{128} << 10;
constexpr std::size_t usual_scratch = std::size_t{32} << 10;
/// Operands that a run holds without looking for more memory.
constexpr std::size_t usual_operands = 24;

bool is_math(lane_op op) {
    switch (op) {
        case lane_op::power:
        case lane_op::elu:
        case lane_op::erf:
        case lane_op::exp:
        case lane_op::gelu_erf:
        case lane_op::gelu_tanh:
        case lane_op::log:
        case lane_op::mish:
        case lane_op::sigmoid:
        case lane_op::soft_plus:
        case lane_op::tanh:
        case lane_op::power_x: return true;
        default: return false;
    }
}

std::int64_t bytes_of_operand(const lane_code &code, std::size_t operand) {
    if (operand >= code.loads.size()) return code.stores[operand - code.loads.size()].bytes;
    return code.loads[operand].is_index ? 0 : code.loads[operand].bytes;
}

/// Of an element: the bytes touched, and as many more as memory moves while it is computed.
std::int64_t cost_of(const lane_loops &loops) {
    const int inner = loops.extents.rank() - 1;
    std::int64_t cost = 1;
    for (std::size_t operand = 0; operand < loops.strides.size(); ++operand) {
        const std::int64_t stride = inner < 0 ? 1 : loops.strides[operand][inner];
        const std::int64_t bytes = bytes_of_operand(*loops.code, operand);
        const bool is_transposed =
                stride > 1 && inner > 0 && loops.strides[operand][inner - 1] == 1;
        if (stride != 0) cost += is_transposed ? 2 * bytes : stride > 1 ? 32 : bytes;
    }
    for (const lane_instruction &instruction : loops.code->program.instructions)
        cost += is_math(instruction.op) ? 40 : 1;
    return cost;
}

void move_axis(lane_loops &loops, int from, int to) {
    const auto turn = [&](dims &d) {
        std::rotate(d.begin() + from, d.begin() + from + 1, d.begin() + to + 1);
    };
    turn(loops.extents);
    for (dims &strides : loops.strides)
        turn(strides);
}

/// The axis along which an operand that jumps within rows lies closest together; -1 when it does
/// not jump, or nowhere less far.
int find_closest_axis(const dims &strides) {
    const int inner = strides.rank() - 1;
    int found = -1;
    for (int axis = inner - 1; axis >= 0 && strides[inner] > 1; --axis)
        if (strides[axis] > 0 && strides[axis] < strides[found < 0 ? inner : found]) found = axis;
    return found;
}

/// Operands that jump within rows should be contiguous from row to row: most bytes of them. The
/// rows that a cache line of one of these has; 0 when there is none.
std::int64_t arrange_rows(lane_loops &loops) {
    std::int64_t votes[max_rank] = {};
    std::int64_t line_rows = 0;
    int chosen = -1;
    for (std::size_t operand = 0; operand < loops.strides.size(); ++operand) {
        const std::int64_t bytes = bytes_of_operand(*loops.code, operand);
        const int axis = find_closest_axis(loops.strides[operand]);
        if (axis < 0 || bytes == 0) continue;
        votes[axis] += bytes;
        line_rows = std::max(line_rows, rows_in_line(bytes));
        if (chosen < 0 || votes[axis] > votes[chosen]) chosen = axis;
    }
    if (chosen >= 0) move_axis(loops, chosen, loops.extents.rank() - 2);
    return line_rows;
}

/// Tiles of a quarter of a grain or more.
void cut(lane_loops &loops, std::int64_t line_rows) {
    const int rank = loops.extents.rank();
    const std::int64_t columns = rank > 0 ? loops.extents[rank - 1] : 1;
    const std::int64_t rows = rank > 1 ? loops.extents[rank - 2] : 1;
    const std::int64_t cost = cost_of(loops);
    // Beginning a tile takes the time of some hundred elements.
    constexpr std::int64_t fewest = 1024;
    const std::int64_t least = std::max(divide_up(grain_bytes / 4, cost), fewest);
    loops.columns = columns;
    loops.keeps_narrow = line_rows > 0;
    if (line_rows > 0) {
        const tile_shape part =
                cut_for_transposition(loops.code->gathered, rows, columns, line_rows);
        loops.rows = part.rows;
        const std::int64_t joined = divide_up(fewest, part.rows * part.columns);
        loops.columns = std::min(columns, part.columns * joined);
    } else {
        constexpr std::int64_t whole = 256; // whole cache lines of any type
        if (columns / 2 >= least)
            loops.columns = std::min(columns, divide_up(least, whole) * whole);
        loops.rows = std::min(rows, std::max<std::int64_t>(least / loops.columns, 1));
    }
    loops.grain = divide_up(grain_bytes, capped_product(loops.rows * loops.columns, cost));
    loops.units = divide_up(columns, loops.columns) * divide_up(rows, loops.rows);
    for (int axis = 0; axis + 2 < rank; ++axis)
        loops.units = capped_product(loops.units, loops.extents[axis]);
}

double all_bytes(const lane_loops &loops) {
    double sum = 0;
    for (std::size_t operand = 0; operand < loops.strides.size(); ++operand) {
        auto bytes = static_cast<double>(bytes_of_operand(*loops.code, operand));
        for (int axis = 0; axis < loops.extents.rank(); ++axis)
            if (loops.strides[operand][axis] != 0)
                bytes *= static_cast<double>(loops.extents[axis]);
        sum += bytes;
    }
    return sum;
}

class lanes_run {
public:
    lanes_run(const lane_loops &loops, const void *const *in, void *const *out)
        : loops_(loops),
          in_(in),
          out_(out),
          rank_(loops.extents.rank()) {
        columns_ = rank_ > 0 ? loops.extents[rank_ - 1] : 1;
        rows_ = rank_ > 1 ? loops.extents[rank_ - 2] : 1;
        // In place, what is written has just been read, and is in the cache.
        level_ = loops.level;
        for (std::size_t i = 0; i < inputs(); ++i)
            for (std::size_t k = 0; k < loops.code->stores.size(); ++k)
                if (in[i] == out[k]) level_ = std::min(level_, memory_level::last_cache);
    }

    /// `places` and `scratch` are the thread's.
    void run_units(std::int64_t begin, std::int64_t end, lane_place *places, void *scratch) const {
        const std::int64_t across = divide_up(columns_, loops_.columns);
        const std::int64_t down = divide_up(rows_, loops_.rows);
        // Units that lie beside (or, where they are whole rows, below) one another are one tile.
        // Narrow ones are joined to those below: these are in the same cache lines, or pages.
        const bool goes_down = loops_.keeps_narrow;
        for (std::int64_t unit = begin; unit < end;) {
            const std::int64_t column = goes_down ? unit / down % across : unit % across;
            const std::int64_t row = goes_down ? unit % down : unit / across % down;
            const std::int64_t left = end - unit;
            const std::int64_t wide = goes_down ? 1 : std::min(left, across - column);
            const std::int64_t high = goes_down || across == 1 ? std::min(left, down - row) : 1;
            const std::int64_t first_row = row * loops_.rows;
            const std::int64_t first_column = column * loops_.columns;
            place(unit / across / down, first_row, first_column, places);
            run_lane_tile(*loops_.code, std::min(high * loops_.rows, rows_ - first_row),
                    std::min(wide * loops_.columns, columns_ - first_column), places, scratch,
                    level_);
            unit += wide * high;
        }
        if (level_ == memory_level::main) hwy::FlushStream();
    }

private:
    std::size_t inputs() const { return loops_.code->loads.size(); }

    void place(
            std::int64_t outer, std::int64_t row, std::int64_t column, lane_place *places) const {
        std::int64_t index[max_rank] = {};
        for (int axis = rank_ - 3; axis >= 0; --axis) {
            index[axis] = outer % loops_.extents[axis];
            outer /= loops_.extents[axis];
        }
        for (std::size_t operand = 0; operand < loops_.strides.size(); ++operand) {
            const dims &strides = loops_.strides[operand];
            lane_place &to = places[operand];
            to.column_stride = rank_ > 0 ? strides[rank_ - 1] : 1;
            to.row_stride = rank_ > 1 ? strides[rank_ - 2] : 0;
            std::int64_t offset = row * to.row_stride + column * to.column_stride;
            for (int axis = 0; axis + 2 < rank_; ++axis)
                offset += index[axis] * strides[axis];
            to.index = offset;
            const bool is_input = operand < inputs();
            if (is_input && loops_.code->loads[operand].is_index) continue;
            // Inputs are only read.
            void *data = is_input ? const_cast<void *>(in_[operand]) : out_[operand - inputs()];
            to.data = static_cast<std::uint8_t *>(data)
                      + offset * bytes_of_operand(*loops_.code, operand);
        }
    }

    const lane_loops &loops_;
    const void *const *in_;
    void *const *out_;
    int rank_;
    std::int64_t columns_ = 1;
    std::int64_t rows_ = 1;
    memory_level level_;
};

/// Long programs only: their working memory is larger than what every thread sets aside.
[[gnu::noinline]] void run_large(const lanes_run &run, const lane_loops &loops, std::int64_t begin,
        std::int64_t end) noexcept {
    const std::size_t places_bytes = round_up(loops.strides.size() * sizeof(lane_place), 64);
    void *memory = alloca(places_bytes + loops.thread_scratch + 64);
    const auto skip = (0 - reinterpret_cast<std::uintptr_t>(memory)) % 64;
    auto *aligned = static_cast<std::uint8_t *>(memory) + skip;
    auto *places = reinterpret_cast<lane_place *>(aligned);
    std::uninitialized_fill_n(places, loops.strides.size(), lane_place{});
    run.run_units(begin, end, places, aligned + places_bytes);
}

[[gnu::noinline]] void run_usual(
        const lanes_run &run, std::int64_t begin, std::int64_t end) noexcept {
    alignas(64) std::uint8_t scratch[usual_scratch];
    lane_place places[usual_operands];
    run.run_units(begin, end, places, scratch);
}

} // namespace

lane_loops make_lane_loops(
        std::shared_ptr<const lane_code> code, const dims &shape, std::span<const dims> strides) {
    lane_loops loops;
    loops.code = std::move(code);
    loops.strides.resize(strides.size());
    coalesce(shape, strides, loops.code->loads.size(), loops.extents, loops.strides);
    cut(loops, arrange_rows(loops));
    loops.thread_scratch = loops.code->scratch_bytes;
    loops.level = level_with_room(all_bytes(loops)); // as for select: see there for figures
    return loops;
}

void run_lanes(const lane_loops &loops, const void *const *in, void *const *out) noexcept {
    const lanes_run run(loops, in, out);
    const bool is_large =
            loops.thread_scratch > usual_scratch || loops.strides.size() > usual_operands;
    std::int64_t units = loops.units;
    if (is_mutated(mutation::last_unit_lost) && units > 1) --units;
    parallel_for(units, loops.grain, [&](std::int64_t begin, std::int64_t end) noexcept {
        if (is_large)
            run_large(run, loops, begin, end);
        else
            run_usual(run, begin, end);
    });
    if (is_mutated(mutation::flip_lane))
        static_cast<std::uint8_t *>(out[0])[loops.code->stores[0].bytes - 1] ^= std::uint8_t{0x40};
}

std::string_view lanes_target() {
    return find_lanes_target();
}

} // namespace tern::kernels
