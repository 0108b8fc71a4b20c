// SPDX-License-Identifier: Apache-2.0
#include "kernels/lanes/lane_code.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace tern::kernels {
namespace {

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

/// The link for an operation on f32; nullopt: it is no simple one.
link_op leaky_link(float factor) {
    return std::isfinite(factor) && !std::signbit(factor) ? link_op::leak : link_op::leaky_relu;
}

std::optional<link_op> find_link(const lane_instruction &instruction) {
    switch (instruction.op) {
        case lane_op::add: return link_op::add;
        case lane_op::subtract: return link_op::subtract;
        case lane_op::multiply: return link_op::multiply;
        case lane_op::divide: return link_op::divide;
        case lane_op::maximum: return link_op::maximum;
        case lane_op::minimum: return link_op::minimum;
        case lane_op::squared_difference: return link_op::squared_difference;
        case lane_op::select: return link_op::select_value;
        case lane_op::negate: return link_op::negate;
        case lane_op::abs: return link_op::abs;
        case lane_op::square: return link_op::square;
        case lane_op::ceil: return link_op::ceil;
        case lane_op::clamp: return link_op::clamp;
        case lane_op::floor: return link_op::floor;
        case lane_op::hard_sigmoid: return link_op::hard_sigmoid;
        case lane_op::hard_swish: return link_op::hard_swish;
        case lane_op::leaky_relu: return leaky_link(instruction.x);
        case lane_op::reciprocal: return link_op::reciprocal;
        case lane_op::relu: return link_op::relu;
        case lane_op::round: return link_op::round;
        case lane_op::sign: return link_op::sign;
        case lane_op::sqrt: return link_op::sqrt;
        default: return std::nullopt;
    }
}

/// The link when the value so far is the second operand.
link_op swapped(link_op op) {
    switch (op) {
        case link_op::subtract: return link_op::subtract_from;
        case link_op::divide: return link_op::divide_into;
        case link_op::select_value: return link_op::select_operand;
        default: return op;
    }
}

/// Puts a link at the end of a chain.
void append(
        step_plan &chain, const lane_instruction &instruction, link_op op, int operand, int cond) {
    chain.links.push_back({op, operand, cond, instruction.x, instruction.y});
    chain.dst = instruction.dst;
    for (int reg : {operand, cond})
        if (reg >= 0) chain.sources.push_back(reg);
}

} // namespace

/// Extends a chain whose result only this instruction reads, which then moves to the end: nothing
/// else waits for it. Or begins a new one. False when it is no link.
bool lane_code::append_to_chain(const lane_instruction &instruction, const std::vector<int> &uses) {
    const std::optional<link_op> op = find_link(instruction);
    if (!op || instruction.kind != lane_kind::f32) return false;
    const bool selects = instruction.op == lane_op::select;
    const int cond = selects ? instruction.a : -1;
    const int first = selects ? instruction.b : instruction.a;
    const int second = selects                           ? instruction.c
                       : sources_of(instruction.op) == 2 ? instruction.b
                                                         : -1;
    for (int value : {first, second}) {
        if (value < 0 || uses[static_cast<std::size_t>(value)] != 1) continue;
        const auto chain_before = std::find_if(steps.begin(), steps.end(), [&](const auto &step) {
            return step.dst == value && !step.links.empty() && step.links.size() < longest_chain;
        });
        if (chain_before == steps.end()) continue;
        std::rotate(chain_before, chain_before + 1, steps.end());
        const bool is_first = value == first;
        append(steps.back(), instruction, is_first ? *op : swapped(*op), is_first ? second : first,
                cond);
        return true;
    }
    step_plan step;
    step.links.push_back({link_op::start, first, -1, 0, 0});
    step.sources.push_back(first);
    append(step, instruction, *op, second, cond);
    steps.push_back(std::move(step));
    return true;
}

void lane_code::plan_steps(const lane_table &table) {
    std::vector<int> uses(kinds_.size(), 0);
    for (const lane_instruction &instruction : program.instructions) {
        const int sources[] = {instruction.a, instruction.b, instruction.c};
        for (int k = 0; k < sources_of(instruction.op); ++k)
            ++uses[static_cast<std::size_t>(sources[k])];
    }
    for (const lane_output &output : program.outputs)
        uses[static_cast<std::size_t>(output.reg)] += 2;
    for (const lane_instruction &instruction : program.instructions) {
        const lane_kind source = kinds_[static_cast<std::size_t>(instruction.a)];
        kinds_[static_cast<std::size_t>(instruction.dst)] =
                is_comparison(instruction.op) ? lane_kind::mask : instruction.kind;
        if (append_to_chain(instruction, uses)) continue;
        step_plan step;
        const int sources[] = {instruction.a, instruction.b, instruction.c};
        step.sources.assign(sources, sources + sources_of(instruction.op));
        step.dst = instruction.dst;
        step.x = instruction.x;
        step.y = instruction.y;
        step.gives_0_or_1 = gives_0_or_1(instruction);
        step.run = find_step(table, instruction, source);
        steps.push_back(std::move(step));
    }
}

} // namespace tern::kernels
