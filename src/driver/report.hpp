// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_REPORT_HPP
#define TERN_DRIVER_REPORT_HPP

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "driver/result.hpp"
#include "driver/settings.hpp"

namespace tern::driver {

/// Writes a line to standard output at once, so that it comes before what a crash would cut off.
void print_line(std::string_view line);

/// Prints result lines as benchdnn does, and counts.
class report {
public:
    /// Number of the case that runs now.
    std::size_t next_index() const { return tests_; }

    /// `case_text` is the case's own part of the command line.
    void add(const case_result &result, const run_settings &settings, const std::string &case_text);

    /// The block at the end. `settings`: as they stand there.
    void print_summary(const run_settings &settings, double total_seconds) const;

    int exit_code() const { return failed_ == 0 ? 0 : 1; }

private:
    void print_declined() const;
    void print_performance(
            const case_result &result, const run_settings &settings, const std::string &case_text);

    std::size_t tests_ = 0;
    std::size_t passed_ = 0;
    std::size_t skipped_ = 0;
    std::size_t mistrusted_ = 0;
    std::size_t unimplemented_ = 0;
    std::size_t invalid_arguments_ = 0;
    std::size_t failed_ = 0; ///< The two before included.
    std::size_t listed_ = 0;
    std::vector<std::string> failed_cases_;
    phase_seconds phases_;
    double min_ms_ = 0;
    double average_ms_ = 0;
    std::map<std::string, std::size_t> declined_; ///< Cases by the op that is not supported.
    bool header_printed_ = false;
};

} // namespace tern::driver

#endif
