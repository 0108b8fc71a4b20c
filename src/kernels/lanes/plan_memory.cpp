// SPDX-License-Identifier: Apache-2.0
#include "kernels/lanes/lane_code.hpp"

#include <algorithm>

namespace tern::kernels {

lane_function find_copy(const lane_table &table, int bytes) {
    return bytes == 4 ? table.copy_32[0] : find_plain_copy(bytes);
}

lane_function find_convert(const lane_table &table, lane_kind from, lane_kind to) {
    if (is_bits(from) || is_bits(to)) return find_copy(table, bytes_of(to));
    if (from == lane_kind::s64 || to == lane_kind::s64) return find_wide_convert(from, to);
    return table.convert[static_cast<std::size_t>(from)][static_cast<std::size_t>(to)];
}

namespace {

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
    if (is_bits(kind)) {
        plan.store[0] = plan.store[1] = find_copy(table, bytes_of(kind));
        if (bytes_of(kind) == 4) plan.store[1] = table.copy_32[1];
    } else if (kind == lane_kind::f32) {
        plan_float_store(table, type, plan);
    } else if (find_lane_kind(type) == lane_kind::f32) {
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

} // namespace

void lane_code::plan_loads(const lane_table &table) {
    for (std::size_t i = 0; i < program.inputs.size(); ++i) {
        const lane_input &input = program.inputs[i];
        load_plan plan;
        plan.kind = input.kind;
        plan.is_index = input.is_index;
        plan.bytes = static_cast<std::int64_t>(bytes_of(input.type));
        const auto own = find_lane_kind(input.type);
        if (!is_bits(input.kind) && own) {
            plan.load = find_load(table, input.type);
            if (*own != input.kind) plan.convert = find_convert(table, *own, input.kind);
        }
        plan.is_plain = plan.load == nullptr && plan.convert == nullptr && !plan.is_index;
        kinds_[i] = input.kind;
        loads.push_back(plan);
    }
}

void lane_code::plan_stores(const lane_table &table) {
    direct_store.assign(kinds_.size(), -1);
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
                    is_exact = kinds_[reg] != lane_kind::mask || steps[i].gives_0_or_1;
                }
        }
        const bool same = is_bits(kinds_[reg]) || find_lane_kind(output.type) == kinds_[reg]
                          || (kinds_[reg] == lane_kind::s32 && output.type == data_type::u32);
        plan.is_direct =
                same && is_exact && plan.bytes == bytes_of(kinds_[reg]) && direct_store[reg] < 0;
        if (plan.is_direct) direct_store[reg] = static_cast<int>(stores.size());
        plan.is_alone = std::count_if(program.outputs.begin(), program.outputs.end(),
                                [&](const lane_output &other) { return other.reg == output.reg; })
                        == 1;
        stores.push_back(plan);
    }
}

} // namespace tern::kernels
