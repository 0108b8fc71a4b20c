// SPDX-License-Identifier: Apache-2.0
#include "driver/report.hpp"

#include <algorithm>
#include <cstdio>

#include "base/text.hpp"
#include "driver/case_text.hpp"

namespace tern::driver {
namespace {

std::string_view name_of(outcome end) {
    switch (end) {
        case outcome::untested: return "UNTESTED_FAILED";
        case outcome::passed: return "PASSED";
        case outcome::skipped: return "SKIPPED";
        case outcome::unimplemented: return "UNIMPLEMENTED";
        case outcome::invalid_arguments: return "INVALID_ARGUMENTS";
        case outcome::mistrusted: return "MISTRUSTED";
        case outcome::failed: return "FAILED";
        case outcome::listed: return "LISTED";
        case outcome::initialized: return "INITIALIZED";
        case outcome::executed: return "EXECUTED";
    }
    return "";
}

std::string_view name_of(reason why) {
    switch (why) {
        case reason::none: return "";
        case reason::rewriter_failed: return " (Rewriter failed)";
        case reason::invalid_case: return " (Invalid case)";
        case reason::not_enough_ram: return " (Not enough RAM)";
        case reason::skip_start: return " (Skip-start option hit)";
        case reason::data_type: return " (Data type not supported)";
    }
    return "";
}

bool is_failure(outcome end) {
    return end == outcome::untested || end == outcome::unimplemented
           || end == outcome::invalid_arguments || end == outcome::failed;
}

void add(phase_seconds &sum, const phase_seconds &more) {
    sum.create_pd += more.create_pd;
    sum.create_prim += more.create_prim;
    sum.fill += more.fill;
    sum.execute += more.execute;
    sum.compute_ref += more.compute_ref;
    sum.compare += more.compare;
}

} // namespace

void print_line(std::string_view line) {
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fputc('\n', stdout);
    std::fflush(stdout);
}

void report::add(
        const case_result &result, const run_settings &settings, const std::string &case_text) {
    std::string line = format_text("{}:{}{}", tests_, name_of(result.end), name_of(result.why));
    if (result.errors > 0)
        line += format_text(" (errors:{} total:{})", result.errors, result.total);
    line += format_text(" ({} ms) __REPRO: {}{}", static_cast<long long>(result.milliseconds),
            settings_to_text(settings), case_text);

    ++tests_;
    switch (result.end) {
        case outcome::passed:
        case outcome::initialized:
        case outcome::executed: ++passed_; break;
        case outcome::skipped: ++skipped_; break;
        case outcome::listed: ++listed_; break;
        case outcome::mistrusted: ++mistrusted_; break;
        case outcome::unimplemented: ++unimplemented_; break;
        case outcome::invalid_arguments: ++invalid_arguments_; break;
        case outcome::untested:
        case outcome::failed: break;
    }
    if (is_failure(result.end)) {
        ++failed_;
        failed_cases_.push_back(line);
    }
    if (!result.declined.empty()) ++declined_[result.declined];
    driver::add(phases_, result.phases);

    // A measured case is told by its performance line instead.
    bool measured = measures(settings.mode) && result.end == outcome::executed;
    if (measured)
        print_performance(result, settings, case_text);
    else
        print_line(line);
}

void report::print_performance(
        const case_result &result, const run_settings &settings, const std::string &case_text) {
    if (!header_printed_) {
        print_line("Template entries: perf,%engine%,%prb%,%-time%,%0time%");
        print_line("perf,engine,prb,min_time,avg_time");
        header_printed_ = true;
    }
    min_ms_ += result.measured.min;
    average_ms_ += result.measured.average;
    print_line(format_text("perf,cpu,{}{},{:g},{:g}", settings_to_text(settings), case_text,
            result.measured.min, result.measured.average));
}

/// The ops that are not supported, those of the most cases first.
void report::print_declined() const {
    std::vector<std::pair<std::size_t, std::string>> ops;
    for (const auto &[op, cases] : declined_)
        ops.emplace_back(cases, op);
    std::stable_sort(
            ops.begin(), ops.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
    std::string text;
    for (const auto &[cases, op] : ops)
        text += format_text(" {}:{}", op, cases);
    if (!text.empty()) print_line("declined by op:" + text);
}

void report::print_summary(const run_settings &settings, double total_seconds) const {
    bool performance = measures(settings.mode);
    if (!performance && settings.list_failures && !failed_cases_.empty()) {
        constexpr std::size_t most = 10;
        print_line("===========================================================");
        print_line("= Failed cases summary (--summary=no-failures to disable) =");
        print_line("===========================================================");
        for (std::size_t i = 0; i < failed_cases_.size() && i < most; ++i)
            print_line(failed_cases_[i]);
        if (failed_cases_.size() > most)
            print_line(format_text("(... {} more cases ...)", failed_cases_.size() - most));
        print_line("============================");
    }
    print_line(format_text("tests:{} passed:{} skipped:{} mistrusted:{} unimplemented:{} "
                           "invalid_arguments:{} failed:{} listed:{}",
            tests_, passed_, skipped_, mistrusted_, unimplemented_, invalid_arguments_, failed_,
            listed_));
    if (performance && tests_ > 0)
        print_line(format_text("total perf: min(ms):{:g} avg(ms):{:g}", min_ms_, average_ms_));

    print_declined();

    std::string total = format_text("total: {:.2f}s;", total_seconds);
    auto phase = [&](bool shown, std::string_view name, double seconds) {
        if (shown && tests_ > 0)
            total += format_text(" {}: {:.2f}s ({:.0f}%);", name, seconds,
                    total_seconds > 0 ? 100 * seconds / total_seconds : 0);
    };
    bool initializes = settings.mode != run_mode::list;
    bool executes = initializes && settings.mode != run_mode::initialize;
    bool refers = settings.mode == run_mode::correctness;
    bool compares = refers || settings.mode == run_mode::bitwise;
    phase(initializes, "create_pd", phases_.create_pd);
    phase(initializes, "create_prim", phases_.create_prim);
    phase(executes, "fill", phases_.fill);
    phase(executes, "execute", phases_.execute);
    phase(refers, "compute_ref", phases_.compute_ref);
    phase(compares, "compare", phases_.compare);
    print_line(total);
}

} // namespace tern::driver
