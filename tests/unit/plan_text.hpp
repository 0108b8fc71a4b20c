// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_TESTS_UNIT_PLAN_TEXT_HPP
#define TERN_TESTS_UNIT_PLAN_TEXT_HPP

/// \file
/// Plans of graphs that are given as text: their steps as text, and what they compute.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/element.hpp"
#include "base/text.hpp"
#include "compiler/compile.hpp"
#include "compiler/make_plan.hpp"
#include "graph_text.hpp"

namespace tern::compiler {

inline runtime::plan_parts plan_of(const partition &part) {
    return make_plan(part, ports_of(part, true), ports_of(part, false), "");
}

/// "in 0" and "out 1" by port, "at 256" in the arena, "nothing".
inline std::string text_of(const runtime::step_operand &operand) {
    using memory = runtime::step_operand::memory;
    switch (operand.where) {
        case memory::input: return format_text("in {}", operand.at);
        case memory::output: return format_text("out {}", operand.at);
        case memory::scratch: return format_text("at {}", operand.at);
        case memory::none: break;
    }
    return "nothing";
}

/// A line for each step: "MatMul+Add(in 0, in 1, at 0) -> out 0".
inline std::string text_of(const runtime::plan_parts &plan) {
    auto list = [](const std::vector<runtime::step_operand> &operands) {
        std::string text;
        for (const runtime::step_operand &operand : operands)
            text += (text.empty() ? "" : ", ") + text_of(operand);
        return text;
    };
    std::string text;
    for (const runtime::plan_step &step : plan.steps)
        text += format_text("{}({}) -> {}\n", step.ops, list(step.in), list(step.out));
    return text;
}

inline std::vector<ir::port> logical_tensors_of(const partition &part, bool is_input) {
    std::vector<ir::port> ports;
    for (int v : is_input ? part.inputs : part.outputs)
        ports.push_back({part.value(v).id, part.value(v).desc});
    return ports;
}

inline compiled compile_text(std::string_view graph, const std::string &implementation = "") {
    static const runtime::engine_state engine = {
            engine::kind::cpu, 0, runtime::default_allocate, runtime::default_deallocate};
    auto part = read_partition(graph);
    return compile(part, logical_tensors_of(*part, true), logical_tensors_of(*part, false), engine,
            implementation);
}

using memories = std::vector<std::vector<std::uint8_t>>;

/// Memory for each input, all of it filled, gaps too: with what `draw` gives, booleans with 0x5A
/// (true) where that is positive.
template <typename Draw>
memories make_inputs(const compiled &made, const Draw &draw) {
    memories result;
    for (const runtime::plan_port &port : made.plan->parts().inputs) {
        std::vector<std::uint8_t> bytes(static_cast<std::size_t>(port.bytes));
        const data_type type = port.desc.type;
        for (std::size_t at = 0; at < bytes.size(); at += bytes_of(type)) {
            const double value = draw();
            if (type == data_type::boolean)
                bytes[at] = value > 0 ? 0x5A : 0;
            else
                store_f64(type, value, &bytes[at]);
        }
        result.push_back(std::move(bytes));
    }
    return result;
}

/// Runs it; the outputs, with 0xA5 wherever nothing was written.
inline memories run(const compiled &made, const memories &inputs) {
    std::vector<const void *> in;
    std::vector<void *> out;
    memories result;
    for (const std::vector<std::uint8_t> &bytes : inputs)
        in.push_back(bytes.data());
    for (const runtime::plan_port &port : made.plan->parts().outputs)
        result.emplace_back(static_cast<std::size_t>(port.bytes), std::uint8_t{0xA5});
    for (std::vector<std::uint8_t> &bytes : result)
        out.push_back(bytes.data());
    made.execute(in.data(), out.data(), nullptr);
    return result;
}

} // namespace tern::compiler

#endif
