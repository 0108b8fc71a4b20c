// SPDX-License-Identifier: Apache-2.0
#include "driver/guard.hpp"

#include <chrono>
#include <new>

#include "base/text.hpp"
#include "driver/report.hpp"

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

void set_end(case_result &result, outcome end, reason why = reason::none) {
    result.end = end;
    result.why = why;
}

} // namespace

void check_start(std::size_t index, const run_settings &settings) {
    if (index < settings.start)
        throw verdict(outcome::skipped, reason::skip_start,
                format_text("case {} comes before --start={}", index, settings.start));
}

case_result guard(const std::function<void(case_result &)> &run, int verbose) noexcept {
    case_result result;
    auto begin = std::chrono::steady_clock::now();
    try {
        run(result);
    } catch (const verdict &end) {
        set_end(result, end.end, end.why);
        bool is_failure = end.end != outcome::skipped;
        if (is_failure)
            print_line("Error: " + end.message);
        else if (verbose >= 2)
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
