// SPDX-License-Identifier: Apache-2.0
#include "kernels/lanes/lane_code.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/arithmetic.hpp"
#include "base/cpu.hpp"

namespace tern::kernels {
namespace {

constexpr std::int64_t line = 64; // bytes

lane_table make_table() {
    lane_table table{};
    enter_arithmetic(table);
    enter_math(table);
    enter_memory(table);
    return table;
}

/// Slots of a size that are free, while registers are given theirs.
class slot_list {
public:
    /// The number of a slot; they are counted over all sizes.
    int take(int bytes) {
        std::vector<int> &free = free_[size_index(bytes)];
        if (free.empty()) {
            sizes.push_back(bytes);
            return static_cast<int>(sizes.size()) - 1;
        }
        const int slot = free.back();
        free.pop_back();
        return slot;
    }
    void give_back(int slot) {
        free_[size_index(sizes[static_cast<std::size_t>(slot)])].push_back(slot);
    }

    std::vector<int> sizes; ///< Bytes of an element, by slot.

private:
    static std::size_t size_index(int bytes) {
        return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
    }
    std::array<std::vector<int>, 4> free_;
};

/// Elements of a tile whose registers take `bytes` for each: about half of L1, and no more than a
/// thread's stack should hold. Where none is needed, so many that beginning a tile does not count.
std::int64_t tile_elements(std::int64_t bytes) {
    if (bytes == 0) return std::int64_t{1} << 16;
    const auto half = static_cast<std::int64_t>(cpu_caches().l1_data / 2);
    const std::int64_t budget = std::clamp<std::int64_t>(half, 8 << 10, 24 << 10);
    const std::int64_t most = budget / bytes;
    return most >= 64 ? std::min<std::int64_t>(most / 64 * 64, 4096) : 64;
}

} // namespace

int bytes_of(lane_kind kind) {
    switch (kind) {
        case lane_kind::mask:
        case lane_kind::bits_8: return 1;
        case lane_kind::bits_16: return 2;
        case lane_kind::s64:
        case lane_kind::bits_64: return 8;
        default: return 4;
    }
}

lane_code::lane_code(lane_program given) : program(std::move(given)) {
    const lane_table table = make_table();
    const std::size_t registers = program.inputs.size() + program.instructions.size();
    std::size_t count = registers;
    chain = find_chain();
    for (const lane_instruction &instruction : program.instructions)
        count = std::max(count, static_cast<std::size_t>(instruction.dst) + 1);
    kinds_.assign(count, lane_kind::f32);
    plan_loads(table);
    plan_steps(table);
    find_uses();
    plan_stores(table);
    splats = round_up(static_cast<std::int64_t>(count * sizeof(register_place)), line);
    direct = lay_out(true);
    gathered = lay_out(false);
    scratch_bytes = static_cast<std::size_t>(std::max(direct.bytes, gathered.bytes));
}

void lane_code::find_uses() {
    const int end = static_cast<int>(steps.size());
    last_use_.assign(kinds_.size(), -1);
    std::vector<int> first(kinds_.size(), end);
    for (int i = 0; i < end; ++i) {
        const step_plan &step = steps[static_cast<std::size_t>(i)];
        for (int source : step.sources) {
            const auto reg = static_cast<std::size_t>(source);
            last_use_[reg] = i;
            first[reg] = std::min(first[reg], i);
        }
    }
    for (step_plan &step : steps)
        step.is_only_stored = last_use_[static_cast<std::size_t>(step.dst)] < 0;
    for (const lane_output &output : program.outputs)
        last_use_[static_cast<std::size_t>(output.reg)] = end;
    for (std::size_t i = 0; i < loads.size(); ++i) {
        loads[i].first_use = first[i];
        loads[i].last_use = last_use_[i];
        // An output of several may be written over an input that is an output too.
        loads[i].is_early = last_use_[i] == end && program.outputs.size() > 1;
        if (loads[i].is_early) loads[i].first_use = 0;
        if (loads[i].last_use >= 0 && !loads[i].is_early) load_order.push_back(i);
    }
    std::stable_sort(load_order.begin(), load_order.end(),
            [&](std::size_t a, std::size_t b) { return loads[a].first_use < loads[b].first_use; });
}

std::int64_t lane_code::register_bytes(int reg) const {
    return bytes_of(kinds_[static_cast<std::size_t>(reg)]);
}

/// Bytes of an element in each.
void lane_code::lay_out_staging(bool is_direct, std::int64_t &staging, std::int64_t &middle) const {
    staging = 0;
    middle = 0;
    for (const load_plan &plan : loads) {
        if (!is_direct && !plan.is_plain && !plan.is_index) staging = std::max(staging, plan.bytes);
        if (plan.load != nullptr && plan.convert != nullptr) middle = 4;
    }
    for (const store_plan &plan : stores) {
        // A register that is one value is spread there.
        if (!is_direct && (!plan.is_direct || plan.is_input))
            staging = std::max(staging, plan.bytes);
        if (plan.convert != nullptr) middle = 4;
    }
}

/// Whether rows of the step's result go to where they belong, whatever shares their memory.
bool lane_code::is_written_at_once(const step_plan &step) const {
    return steps.size() == 1 && step.run == nullptr && step.is_only_stored
           && direct_store[static_cast<std::size_t>(step.dst)] >= 0;
}

tile_layout lane_code::lay_out(bool is_direct) const {
    slot_list slots;
    std::vector<int> slot_of(kinds_.size(), -1);
    const auto take = [&](int reg) {
        const auto at = static_cast<std::size_t>(reg);
        slot_of[at] = slots.take(bytes_of(kinds_[at]));
    };
    const auto load = [&](int time) {
        for (std::size_t i = 0; i < loads.size(); ++i) {
            const bool needs = loads[i].is_early || !is_direct || !loads[i].is_plain;
            if (loads[i].first_use == time && loads[i].last_use >= 0 && needs && slot_of[i] < 0)
                take(static_cast<int>(i));
        }
    };
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const int time = static_cast<int>(i);
        load(time);
        std::vector<int> done;
        for (int reg : steps[i].sources) {
            const auto at = static_cast<std::size_t>(reg);
            if (last_use_[at] == time && slot_of[at] >= 0
                    && std::find(done.begin(), done.end(), reg) == done.end()) {
                slots.give_back(slot_of[at]);
                done.push_back(reg);
            }
        }
        if (is_direct && is_written_at_once(steps[i])) continue;
        take(steps[i].dst);
        // A result that nobody reads.
        const auto dst = static_cast<std::size_t>(steps[i].dst);
        if (last_use_[dst] < 0) slots.give_back(slot_of[dst]);
    }
    load(static_cast<int>(steps.size()));

    tile_layout layout;
    std::int64_t bytes = 0;
    for (int size : slots.sizes)
        bytes += size;
    std::int64_t staging = 0;
    std::int64_t middle = 0;
    lay_out_staging(is_direct, staging, middle);
    layout.elements = tile_elements(bytes + staging + middle);
    std::int64_t at = splats + static_cast<std::int64_t>(loads.size() * widest_vector);
    std::vector<std::int64_t> offsets;
    for (int size : slots.sizes) {
        offsets.push_back(at);
        at += size * layout.elements;
    }
    for (int slot : slot_of)
        layout.slots.push_back(slot < 0 ? -1 : offsets[static_cast<std::size_t>(slot)]);
    layout.staging = at;
    layout.middle = at + staging * layout.elements;
    layout.bytes = layout.middle + middle * layout.elements;
    return layout;
}

tile_shape cut_for_transposition(const tile_layout &layout, std::int64_t rows, std::int64_t columns,
        std::int64_t line_rows) {
    constexpr std::int64_t narrow = 16; // columns: a line of the usual type
    constexpr std::int64_t wide = 64;
    tile_shape shape{std::min(rows, line_rows), 0};
    const std::int64_t most = layout.elements / shape.rows;
    shape.columns = std::max(most / (most >= wide ? wide : narrow), std::int64_t{1})
                    * (most >= wide ? wide : narrow);
    shape.columns = std::min(shape.columns, columns);
    shape.rows = layout.elements / shape.columns;
    if (shape.rows > line_rows) shape.rows = shape.rows / line_rows * line_rows;
    shape.rows = std::min(shape.rows, rows);
    return shape;
}

std::shared_ptr<const lane_code> make_lane_code(lane_program program) {
    return std::make_shared<const lane_code>(std::move(program));
}

std::size_t lane_scratch_bytes(const lane_code &code) {
    return code.scratch_bytes;
}

} // namespace tern::kernels
