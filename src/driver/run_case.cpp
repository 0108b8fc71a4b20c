// SPDX-License-Identifier: Apache-2.0
#include "driver/run_case.hpp"

#include <chrono>
#include <new>

#include "base/text.hpp"
#include "driver/correctness.hpp"
#include "driver/measure.hpp"
#include "driver/report.hpp"
#include "driver/rewrite.hpp"
#include "driver/value_case.hpp"

namespace tern::driver {
namespace {

/// The state of a case that the library, or the file reader, refused with this status.
outcome outcome_of(status code) {
    switch (code) {
        case status::unimplemented: return outcome::unimplemented;
        case status::invalid_arguments:
        case status::invalid_graph:
        case status::invalid_graph_op:
        case status::invalid_shape:
        case status::invalid_data_type: return outcome::invalid_arguments;
        default: return outcome::failed;
    }
}

/// Mode L looks at options and file only: what cannot be run can be listed.
void load(formats::graph_file &file, const std::string &path, const case_options &options,
        run_mode mode) {
    file = formats::read_graph_file(path);
    try {
        if (has_values(file))
            settle_values(file, options);
        else
            rewrite(file, options);
    } catch (const verdict &end) {
        bool can_be_listed = end.end == outcome::unimplemented || end.end == outcome::skipped;
        if (mode != run_mode::list || !can_be_listed) throw;
    }
}

/// The phases of a case, up to where its mode ends.
void run_phases(const std::string &path, const case_options &options, const run_settings &settings,
        const std::string &case_text, std::size_t index, case_result &result) {
    if (index < settings.start)
        throw verdict(outcome::skipped, reason::skip_start,
                format_text("case {} comes before --start={}", index, settings.start));
    formats::graph_file file;
    load(file, path, options, settings.mode);
    if (settings.verbose >= 7)
        print_line(format_text("[INFO] Graph dump:\n{}", formats::write_graph(file)));
    if (settings.verbose >= 1) print_line("run: " + case_text);
    if (settings.mode == run_mode::list) {
        result.end = outcome::listed;
        return;
    }
    tensor_dump dump(settings.dump, index);
    if (has_values(file)) {
        run_value_case(file, options, settings, dump, result);
        return;
    }
    prepared_graph prepared = prepare(file, options.expected_n_partitions, settings, result.phases);
    if (settings.mode == run_mode::initialize) {
        result.end = outcome::initialized;
        return;
    }
    check_ram(prepared, settings.mode, settings.verbose);
    try {
        result.end = outcome::executed;
        if (settings.mode == run_mode::correctness)
            run_and_compare(prepared, file, settings, dump, result);
        else if (settings.mode == run_mode::bitwise)
            run_twice(prepared, file, settings, result);
        else if (measures(settings.mode))
            measure(prepared, file, settings, dump, result);
        else
            run_once(prepared, file, settings, dump, result);
    } catch (const error &failure) {
        // The case was compiled, so refusing to execute it is no fault of the case.
        throw verdict(outcome::failed, reason::none, failure.message);
    }
}

void set_end(case_result &result, outcome end, reason why = reason::none) {
    result.end = end;
    result.why = why;
}

} // namespace

case_result run_case(const std::string &path, const case_options &options,
        const run_settings &settings, const std::string &case_text, std::size_t index) noexcept {
    case_result result;
    auto begin = std::chrono::steady_clock::now();
    try {
        run_phases(path, options, settings, case_text, index, result);
    } catch (const verdict &end) {
        set_end(result, end.end, end.why);
        bool is_failure = end.end != outcome::skipped;
        if (is_failure)
            print_line("Error: " + end.message);
        else if (settings.verbose >= 2)
            print_line("[INFO]: " + end.message);
    } catch (const error &failure) {
        outcome end = outcome_of(failure.status);
        set_end(result, end,
                end == outcome::invalid_arguments ? reason::invalid_case : reason::none);
        print_line(format_text("Error: {}", failure.message));
    } catch (const std::bad_alloc &) {
        set_end(result, outcome::skipped, reason::not_enough_ram);
    } catch (const std::exception &failure) {
        set_end(result, outcome::failed);
        print_line(format_text("Error: {}", failure.what()));
    }
    std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - begin;
    result.milliseconds = elapsed.count();
    return result;
}

} // namespace tern::driver
