// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_RESULT_HPP
#define TERN_DRIVER_RESULT_HPP

#include <chrono>
#include <cstdint>
#include <exception>
#include <string>
#include <utility>

namespace tern::driver {

/// How a case ended; the names that result lines show are benchdnn's.
enum class outcome {
    untested, ///< The case could not be made: a rewrite failed, or another number of partitions.
    passed,
    skipped,
    unimplemented,
    invalid_arguments,
    mistrusted, ///< Nothing is wrong, but the results are too uniform to show anything.
    failed,
    listed,
    initialized,
    executed,
};

enum class reason { none, rewriter_failed, invalid_case, not_enough_ram, data_type, skip_start };

/// Ends a case early. The message is printed in front of the result line; empty: nothing is.
class verdict : public std::exception {
public:
    verdict(outcome end, reason why, std::string message)
        : end(end),
          why(why),
          message(std::move(message)) {}
    const char *what() const noexcept override { return message.c_str(); }

    outcome end;
    reason why;
    std::string message;
};

/// Seconds spent in each phase, under benchdnn's names: create_pd is building the graph and cutting
/// it into partitions, create_prim compiling them.
struct phase_seconds {
    double create_pd = 0;
    double create_prim = 0;
    double fill = 0;
    double execute = 0;
    double compute_ref = 0;
    double compare = 0;
};

/// Adds the time from its construction to its end to a phase.
class phase_timer {
public:
    explicit phase_timer(double &seconds) : seconds_(seconds) {}
    ~phase_timer() {
        seconds_ +=
                std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }
    phase_timer(const phase_timer &) = delete;
    phase_timer &operator=(const phase_timer &) = delete;

private:
    double &seconds_;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// Milliseconds over the measured executions.
struct measured_ms {
    int times = 0;
    double min = 0;
    double average = 0;
};

struct case_result {
    outcome end = outcome::untested;
    reason why = reason::none;
    std::int64_t errors = 0; ///< Elements that are wrong...
    std::int64_t total = 0;  ///< ...of so many that were compared.
    double milliseconds = 0; ///< The whole case.
    phase_seconds phases;
    measured_ms measured; ///< Performance mode only.
    std::string declined; ///< Of an ONNX model: the op that is not supported.
};

} // namespace tern::driver

#endif
