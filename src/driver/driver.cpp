// SPDX-License-Identifier: Apache-2.0
#include "driver/driver.hpp"

#include <chrono>
#include <cstdio>
#include <filesystem>

#include "base/text.hpp"
#include "driver/case_text.hpp"
#include "driver/command_line.hpp"
#include "driver/onnx_case.hpp"
#include "driver/onnx_data.hpp"
#include "driver/option_values.hpp"
#include "driver/report.hpp"
#include "driver/run_case.hpp"

namespace tern::driver {
namespace {

/// Makes the folders of --dump, so that a bad name shows before the first case runs.
void make_dump_folders(const run_plan &plan) {
    for (const planned_case &one : plan.cases) {
        if (one.settings.dump.empty()) continue;
        std::error_code code;
        std::filesystem::create_directories(one.settings.dump, code);
        if (!std::filesystem::is_directory(one.settings.dump))
            fail_usage(1, "option --dump: cannot make folder {}{}{}", one.settings.dump,
                    code ? ": " : "", code ? code.message() : "");
    }
}

void print_measuring_settings(const run_settings &settings) {
    print_line(format_text(
            "[INFO]: performance mode: seed:{} cond-density:{} warm-up runs:1 in-place:{}",
            settings.seed, settings.cond_density, settings.in_place));
}

void run_onnx_cases(const planned_case &one, report &results) {
    for (const std::string &path : find_onnx_cases(one.path))
        for (const dim_sizes &dims : one.alternatives.dims) {
            const std::string text = case_to_text(dims, path);
            results.add(run_onnx_case(path, dims, one.settings, text, results.next_index()),
                    one.settings, text);
        }
}

void run_plan_cases(const run_plan &plan, report &results) {
    bool told_settings = false;
    for (const planned_case &one : plan.cases) {
        const run_settings &settings = one.settings;
        bool tell = measures(settings.mode) && settings.verbose >= 1;
        if (tell && !told_settings) {
            print_measuring_settings(settings);
            told_settings = true;
        }
        if (settings.onnx) {
            run_onnx_cases(one, results);
            continue;
        }
        for_each_combination(one.alternatives, [&](const case_options &options) {
            std::string text = case_to_text(options, one.path);
            results.add(run_case(one.path, options, settings, text, results.next_index()), settings,
                    text);
        });
    }
}

} // namespace

int run_driver(const std::vector<std::string> &arguments) {
    auto begin = std::chrono::steady_clock::now();
    try {
        run_plan plan = parse_command_line(arguments);
        if (plan.help) {
            std::fputs(help_text().c_str(), stdout);
            return 0;
        }
        if (plan.cases.empty()) std::fputs("benchtern: warning: no --case was given\n", stderr);
        make_dump_folders(plan);
        report results;
        run_plan_cases(plan, results);
        std::chrono::duration<double> total = std::chrono::steady_clock::now() - begin;
        results.print_summary(plan.settings, total.count());
        return results.exit_code();
    } catch (const usage_error &failure) {
        std::fprintf(stderr, "benchtern: error: %s\n", failure.what());
        return failure.exit_code;
    }
}

} // namespace tern::driver
