// SPDX-License-Identifier: Apache-2.0
//
// Mode B: two executions, compared bit by bit.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "driver/correctness.hpp"
#include "graph_text.hpp"

namespace tern::driver {
namespace {

struct twice {
    formats::graph_file file;
    run_settings settings;
    prepared_graph prepared;
    case_result result;

    explicit twice(std::string_view graph) {
        file.ops = compiler::graph_text(graph).read();
        settings.mode = run_mode::bitwise;
        prepared = prepare(file, 0, settings, result.phases);
    }
    void run() { run_twice(prepared, file, settings, result); }
};

class counted_executions {
public:
    counted_executions() {
        graph::set_verbose_callback(
                [](void *user, const char *line) {
                    const bool is_execution = std::string(line).find(",exec,") != std::string::npos;
                    static_cast<counted_executions *>(user)->count += is_execution;
                },
                this);
        graph::set_verbose(1);
    }
    ~counted_executions() {
        graph::set_verbose(0);
        graph::set_verbose_callback(nullptr, nullptr);
    }
    int count = 0;
};

TEST(driver_twice, every_partition_runs_twice) {
    twice all("%0:f32[3x5], %1:boolean[5] = input\n"
              "%2:f32[3x5] = Exp(%0)\n"
              "%3:f32[3x5] = Select(%1, %2, %0)\n"
              "%4:boolean[3x5] = Less(%2, %3)\n"
              "%5:f32[7] = input\n"
              "%6:f32[7] = Neg(%5)\n");
    ASSERT_EQ(all.prepared.steps.size(), 2u);
    counted_executions executions;
    all.run();
    EXPECT_EQ(executions.count, 4);
    EXPECT_EQ(all.result.end, outcome::passed);
    EXPECT_EQ(all.result.errors, 0);
    EXPECT_EQ(all.result.total, 15 + 7);
}

/// The input lies where the first execution writes, so that the second one reads something else.
TEST(driver_twice, a_second_result_that_differs_fails) {
    for (const char *type : {"f32", "bf16"}) {
        const std::string of(type);
        twice all("%0:" + of + "[9] = input\n%1:" + of + "[9] = Neg(%0)\n");
        all.prepared.steps[0].inputs[0].id = 1;
        all.run();
        EXPECT_EQ(all.result.end, outcome::failed);
        EXPECT_EQ(all.result.errors, 9);
        EXPECT_EQ(all.result.total, 9);
    }
}

} // namespace
} // namespace tern::driver
