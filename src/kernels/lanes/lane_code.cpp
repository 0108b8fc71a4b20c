// SPDX-License-Identifier: Apache-2.0
#include "kernels/lanes/lane_code.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "base/cpu.hpp"

namespace tern::kernels {
namespace {

constexpr std::int64_t line = 64; // bytes

std::int64_t round_up(std::int64_t n, std::int64_t to) {
    return (n + to - 1) / to * to;
}

const lane_table make_table() {
    lane_table table{};
    enter_arithmetic(table);
    enter_math(table);
    enter_memory(table);
    return table;
}

std::size_t index_of(lane_kind kind) {
    return static_cast<std::size_t>(kind);
}

bool is_bits(lane_kind kind) {
    return kind >= lane_kind::bits_8;
}

bool is_comparison(lane_op op) {
    return op >= lane_op::equal && op <= lane_op::less_equal;
}

/// Mask bytes that no op made may be any value.
bool gives_0_or_1(const lane_instruction &instruction) {
    return is_comparison(instruction.op)
           || (instruction.op >= lane_op::logical_and && instruction.op <= lane_op::logical_not);
}

int sources_of(lane_op op) {
    switch (op) {
        case lane_op::add:
        case lane_op::subtract:
        case lane_op::multiply:
        case lane_op::maximum:
        case lane_op::minimum:
        case lane_op::divide:
        case lane_op::squared_difference:
        case lane_op::power:
        case lane_op::logical_and:
        case lane_op::logical_or:
        case lane_op::logical_xor: return 2;
        case lane_op::select: return 3;
        default: return is_comparison(op) ? 2 : 1;
    }
}

/// A loop that copies elements of that many bytes.
lane_function find_copy(const lane_table &table, int bytes) {
    return bytes == 4 ? table.copy_32[0] : find_plain_copy(bytes);
}

lane_function find_convert(const lane_table &table, lane_kind from, lane_kind to) {
    if (is_bits(from) || is_bits(to)) return find_copy(table, bytes_of(to));
    if (from == lane_kind::s64 || to == lane_kind::s64) return find_wide_convert(from, to);
    return table.convert[index_of(from)][index_of(to)];
}

lane_function find_load(const lane_table &table, data_type type) {
    switch (type) {
        case data_type::bf16: return table.load_bf16;
        case data_type::f16: return table.load_f16;
        case data_type::s8: return table.load_s8;
        case data_type::u8: return table.load_u8;
        case data_type::s16: return table.load_s16;
        case data_type::u16: return table.load_u16;
        default: return find_plain_load(type);
    }
}

lane_function find_step(
        const lane_table &table, const lane_instruction &instruction, lane_kind source) {
    const lane_kind kind = instruction.kind;
    switch (instruction.op) {
        case lane_op::select: {
            const int bytes = bytes_of(kind);
            return table.select[bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3];
        }
        case lane_op::convert: return find_convert(table, source, kind);
        case lane_op::round_to:
            if (instruction.type == data_type::bf16) return table.round_to_bf16;
            if (instruction.type == data_type::f16) return table.round_to_f16;
            return find_narrowing(instruction.op, kind, instruction.type);
        case lane_op::wrap_to: return find_narrowing(instruction.op, kind, instruction.type);
        default: break;
    }
    if (source == lane_kind::s64) return find_wide_op(instruction.op);
    return table.op[static_cast<std::size_t>(instruction.op)][source == lane_kind::s32 ? 1 : 0];
}

/// From a register of f32.
void plan_float_store(const lane_table &table, data_type type, store_plan &plan) {
    const auto saturated = [&](std::size_t index) {
        plan.store[0] = plan.store[1] = table.store_saturated[index];
    };
    switch (type) {
        case data_type::f32: std::copy_n(table.copy_32, 2, plan.store); return;
        case data_type::bf16: std::copy_n(table.store_bf16, 2, plan.store); return;
        case data_type::f16: std::copy_n(table.store_f16, 2, plan.store); return;
        case data_type::s8: return saturated(0);
        case data_type::u8: return saturated(1);
        case data_type::s16: return saturated(2);
        case data_type::u16: return saturated(3);
        case data_type::s32: return saturated(4);
        case data_type::boolean:
            plan.store[0] = plan.store[1] = find_convert(table, lane_kind::f32, lane_kind::mask);
            return;
        default: plan.store[0] = plan.store[1] = find_plain_store(lane_kind::f32, type); return;
    }
}

void plan_integer_store(const lane_table &table, lane_kind kind, data_type type, store_plan &plan) {
    lane_function store = nullptr;
    const int bytes = static_cast<int>(bytes_of(type));
    if (type == data_type::boolean)
        store = find_convert(table, kind, lane_kind::mask);
    else if (bytes == bytes_of(kind))
        store = find_copy(table, bytes);
    else if (bytes == 8)
        store = find_wide_convert(kind, lane_kind::s64);
    else if (kind == lane_kind::s64)
        store = find_plain_store(kind, type);
    else
        store = table.store_low[bytes - 1];
    plan.store[0] = plan.store[1] = store;
}

void plan_store(const lane_table &table, lane_kind kind, data_type type, store_plan &plan) {
    lane_kind own{};
    const bool has_kind = find_lane_kind(type, own);
    if (is_bits(kind)) {
        plan.store[0] = plan.store[1] = find_copy(table, bytes_of(kind));
        if (bytes_of(kind) == 4) plan.store[1] = table.copy_32[1];
    } else if (kind == lane_kind::f32) {
        plan_float_store(table, type, plan);
    } else if (has_kind && own == lane_kind::f32) {
        plan.convert = find_convert(table, kind, lane_kind::f32);
        plan_float_store(table, type, plan);
    } else if (kind == lane_kind::mask && bytes_of(type) == 1) {
        plan.store[0] = plan.store[1] = table.normalize_mask;
    } else if (kind == lane_kind::mask && bytes_of(type) == 8) {
        plan.store[0] = plan.store[1] = find_wide_convert(kind, lane_kind::s64);
    } else if (kind == lane_kind::mask) {
        plan.convert = find_convert(table, kind, lane_kind::s32);
        plan_integer_store(table, lane_kind::s32, type, plan);
    } else {
        plan_integer_store(table, kind, type, plan);
    }
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
/// thread's stack should hold. Measured: beyond 2048 elements calls of loops cost nothing more.
std::int64_t tile_elements(std::int64_t bytes) {
    const auto half = static_cast<std::int64_t>(cpu_caches().l1_data / 2);
    const std::int64_t budget = std::clamp<std::int64_t>(half, 8 << 10, 24 << 10);
    const std::int64_t most = budget / std::max<std::int64_t>(bytes, 1);
    return most >= 64 ? std::min<std::int64_t>(most / 64 * 64, 2048) : 64;
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
    for (const lane_instruction &instruction : program.instructions)
        count = std::max(count, static_cast<std::size_t>(instruction.dst) + 1);
    kinds_.assign(count, lane_kind::f32);
    plan_loads(table);
    plan_steps(table);
    find_uses();
    plan_stores(table);
    struct place_of_register {
        const void *at;
        std::int64_t moves;
    };
    splats = round_up(static_cast<std::int64_t>(count * sizeof(place_of_register)), line);
    direct = lay_out(true);
    gathered = lay_out(false);
    scratch_bytes = static_cast<std::size_t>(std::max(direct.bytes, gathered.bytes));
}

void lane_code::plan_loads(const lane_table &table) {
    for (std::size_t i = 0; i < program.inputs.size(); ++i) {
        const lane_input &input = program.inputs[i];
        load_plan plan;
        plan.kind = input.kind;
        plan.is_index = input.is_index;
        plan.bytes = static_cast<std::int64_t>(bytes_of(input.type));
        lane_kind own = input.kind;
        if (!is_bits(input.kind) && find_lane_kind(input.type, own)) {
            plan.load = find_load(table, input.type);
            if (own != input.kind) plan.convert = find_convert(table, own, input.kind);
        }
        plan.is_plain = plan.load == nullptr && plan.convert == nullptr && !plan.is_index;
        kinds_[i] = input.kind;
        loads.push_back(plan);
    }
}

void lane_code::plan_steps(const lane_table &table) {
    for (const lane_instruction &instruction : program.instructions) {
        step_plan plan;
        const auto a = static_cast<std::size_t>(instruction.a);
        plan.sources = sources_of(instruction.op);
        plan.source[0] = instruction.a;
        plan.source[1] = instruction.b;
        plan.source[2] = instruction.c;
        plan.dst = instruction.dst;
        plan.x = instruction.x;
        plan.y = instruction.y;
        plan.run = find_step(table, instruction, kinds_[a]);
        kinds_[static_cast<std::size_t>(instruction.dst)] =
                is_comparison(instruction.op) ? lane_kind::mask : instruction.kind;
        steps.push_back(plan);
    }
}

void lane_code::find_uses() {
    const int end = static_cast<int>(steps.size());
    last_use_.assign(kinds_.size(), -1);
    std::vector<int> first(kinds_.size(), end);
    for (int i = 0; i < end; ++i) {
        const step_plan &step = steps[static_cast<std::size_t>(i)];
        for (int k = 0; k < step.sources; ++k) {
            const auto reg = static_cast<std::size_t>(step.source[k]);
            last_use_[reg] = i;
            first[reg] = std::min(first[reg], i);
        }
    }
    for (const lane_output &output : program.outputs)
        last_use_[static_cast<std::size_t>(output.reg)] = end;
    for (std::size_t i = 0; i < loads.size(); ++i) {
        loads[i].first_use = first[i];
        loads[i].last_use = last_use_[i];
        // An output of several may be written over an input that is an output too.
        loads[i].is_early = last_use_[i] == end && program.outputs.size() > 1;
        if (loads[i].is_early) loads[i].first_use = 0;
    }
}

void lane_code::plan_stores(const lane_table &table) {
    std::vector<int> seen;
    for (const lane_output &output : program.outputs) {
        store_plan plan;
        const auto reg = static_cast<std::size_t>(output.reg);
        plan.reg = output.reg;
        plan.bytes = static_cast<std::int64_t>(bytes_of(output.type));
        plan_store(table, kinds_[reg], output.type, plan);
        bool is_exact = true;
        plan.is_input = reg < loads.size();
        if (plan.is_input) {
            plan.made = loads[reg].first_use;
            is_exact = kinds_[reg] != lane_kind::mask;
        } else {
            for (std::size_t i = 0; i < steps.size(); ++i)
                if (steps[i].dst == output.reg) {
                    plan.made = static_cast<int>(i);
                    is_exact =
                            kinds_[reg] != lane_kind::mask || gives_0_or_1(program.instructions[i]);
                }
        }
        lane_kind own{};
        const bool same = is_bits(kinds_[reg])
                          || (find_lane_kind(output.type, own) && own == kinds_[reg])
                          || (kinds_[reg] == lane_kind::s32 && output.type == data_type::u32);
        plan.is_direct = same && is_exact && plan.bytes == bytes_of(kinds_[reg])
                         && std::find(seen.begin(), seen.end(), output.reg) == seen.end();
        seen.push_back(output.reg);
        stores.push_back(plan);
    }
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
        for (int k = 0; k < steps[i].sources; ++k) {
            const int reg = steps[i].source[k];
            const auto at = static_cast<std::size_t>(reg);
            if (last_use_[at] == time && slot_of[at] >= 0
                    && std::find(done.begin(), done.end(), reg) == done.end()) {
                slots.give_back(slot_of[at]);
                done.push_back(reg);
            }
        }
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
    const bool has_staging =
            !is_direct
            || std::any_of(loads.begin(), loads.end(),
                    [](const load_plan &plan) { return plan.load && plan.convert; })
            || std::any_of(stores.begin(), stores.end(),
                    [](const store_plan &plan) { return plan.convert != nullptr; });
    layout.elements = tile_elements(bytes + (has_staging ? 8 : 0));
    std::int64_t at = splats + static_cast<std::int64_t>(loads.size() * widest_vector);
    std::vector<std::int64_t> offsets;
    for (int size : slots.sizes) {
        offsets.push_back(at);
        at += size * layout.elements;
    }
    for (int slot : slot_of)
        layout.slots.push_back(slot < 0 ? -1 : offsets[static_cast<std::size_t>(slot)]);
    layout.staging = at;
    layout.bytes = at + (has_staging ? 8 * layout.elements : 0);
    return layout;
}

std::shared_ptr<const lane_code> make_lane_code(lane_program program) {
    return std::make_shared<const lane_code>(std::move(program));
}

std::size_t lane_scratch_bytes(const lane_code &code) {
    return code.scratch_bytes;
}

} // namespace tern::kernels
