// SPDX-License-Identifier: Apache-2.0
#include "driver/measure.hpp"

#include <algorithm>
#include <chrono>

namespace tern::driver {
namespace {

constexpr int least_times = 5;
constexpr double fast_ms = 10;

/// A step with everything that its execution takes.
struct ready_step {
    const compiled_step *step;
    step_pointers pointers;
    buffer scratch;
};

tensor_desc byte_array(std::size_t bytes) {
    tensor_desc desc;
    desc.type = data_type::u8;
    desc.layout = layout_type::strided;
    desc.rank_known = true;
    desc.shape = dims{static_cast<std::int64_t>(bytes)};
    desc.strides = dims{1};
    return desc;
}

std::vector<ready_step> make_ready(
        const prepared_graph &prepared, const run_settings &settings, memory_map &memory) {
    std::vector<ready_step> steps;
    for (const compiled_step &step : prepared.steps) {
        make_outputs(step, memory);
        ready_step ready{&step, pointers_of(step, memory), buffer(byte_array(step.scratch_bytes))};
        if (settings.in_place)
            for (const auto &[input, output] : step.compiled.get_inplace_ports())
                for (std::size_t i = 0; i < step.outputs.size(); ++i)
                    if (step.outputs[i].id == output)
                        ready.pointers.outputs[i] = memory.at(input).data();
        steps.push_back(std::move(ready));
    }
    return steps;
}

} // namespace

void measure_calls(
        const run_settings &settings, case_result &result, const std::function<void()> &run_all) {
    using clock = std::chrono::steady_clock;
    const double most_ms =
            settings.mode == run_mode::fast_performance ? fast_ms : settings.max_ms_per_prb;
    const int fixed_times =
            settings.mode == run_mode::single_performance ? 1 : settings.fix_times_per_prb;
    phase_timer timer(result.phases.execute);
    run_all();
    measured_ms &measured = result.measured;
    double total = 0;
    for (;;) {
        clock::time_point begin = clock::now();
        run_all();
        double ms = std::chrono::duration<double, std::milli>(clock::now() - begin).count();
        measured.min = measured.times == 0 ? ms : std::min(measured.min, ms);
        total += ms;
        ++measured.times;
        if (fixed_times > 0) {
            if (measured.times >= fixed_times) break;
        } else if (total >= most_ms && measured.times >= least_times) {
            break;
        }
    }
    measured.average = total / measured.times;
}

void measure(const prepared_graph &prepared, const formats::graph_file &file,
        const run_settings &settings, const tensor_dump &dump, case_result &result) {
    memory_map memory = make_inputs(prepared, file, settings, result.phases);
    dump.write_inputs(memory);
    std::vector<ready_step> steps = make_ready(prepared, settings, memory);

    measure_calls(settings, result, [&] {
        for (ready_step &ready : steps)
            execute_pointers(prepared, *ready.step, ready.pointers, ready.scratch.data());
    });
    for (const compiled_step &step : prepared.steps)
        for (const compiled_port &port : step.outputs)
            if (!settings.in_place) dump.write("out", port.id, memory.at(port.id));
}

} // namespace tern::driver
