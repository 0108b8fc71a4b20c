// SPDX-License-Identifier: Apache-2.0
#include "base/text.hpp"
#include "runtime/verbose.hpp"

#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tern::runtime {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

/// Collects the lines while it lives.
class line_collector {
public:
    line_collector() { set_verbose_callback(&line_collector::take, this); }
    ~line_collector() { set_verbose_callback(nullptr, nullptr); }
    line_collector(const line_collector &) = delete;
    line_collector &operator=(const line_collector &) = delete;

    std::vector<std::string> lines;

private:
    static void take(void *self, const char *line) {
        static_cast<line_collector *>(self)->lines.emplace_back(line);
    }
};

std::string levels_of(const std::string &text) {
    verbose_level level = parse_verbose(text);
    EXPECT_EQ(level.any(), level.exec || level.create || level.dispatch);
    return std::string(level.exec ? "e" : "") + (level.create ? "c" : "")
           + (level.dispatch ? "d" : "");
}

TEST(verbose, words_of_the_variable) {
    EXPECT_EQ(levels_of(""), "");
    EXPECT_EQ(levels_of("0"), "");
    EXPECT_EQ(levels_of("1"), "e");
    EXPECT_EQ(levels_of("2"), "ecd");
    EXPECT_EQ(levels_of("none"), "");
    EXPECT_EQ(levels_of("profile_exec"), "e");
    EXPECT_EQ(levels_of("profile_create"), "c");
    EXPECT_EQ(levels_of("profile"), "ec");
    EXPECT_EQ(levels_of("dispatch"), "d");
    EXPECT_EQ(levels_of("all"), "ecd");
    EXPECT_EQ(levels_of("profile_exec,dispatch"), "ed");
    EXPECT_EQ(levels_of(",dispatch,,profile_create,"), "cd");
    EXPECT_EQ(levels_of("all,none"), "");
    EXPECT_EQ(levels_of("none,dispatch"), "d");
    // What means nothing here changes nothing.
    EXPECT_EQ(levels_of("3"), "");
    EXPECT_EQ(levels_of("Dispatch"), "");
    EXPECT_EQ(levels_of("error,check,profile_exec,debuginfo=2"), "e");
}

TEST(verbose, the_level_that_was_set_is_in_force) {
    set_verbose({false, true, false});
    EXPECT_FALSE(verbose().exec);
    EXPECT_TRUE(verbose().create);
    EXPECT_FALSE(verbose().dispatch);
    set_verbose({true, false, true});
    EXPECT_TRUE(verbose().exec);
    EXPECT_FALSE(verbose().create);
    EXPECT_TRUE(verbose().dispatch);
    set_verbose({});
    EXPECT_FALSE(verbose().any());
}

TEST(verbose, a_header_comes_before_the_first_line) {
    for (int round = 0; round < 2; ++round) { // each callback gets one
        line_collector collector;
        write_verbose("graph,exec,{}", 1);
        write_verbose("graph,exec,{}", 2);
        EXPECT_THAT(collector.lines,
                ElementsAre(StartsWith("tern_verbose,v1,info,tern v"),
                        AllOf(StartsWith("tern_verbose,v1,info,cpu,isa:"), HasSubstr(",threads:")),
                        "tern_verbose,v1,info,graph,backend,0:tern_backend",
                        "tern_verbose,v1,info,graph,template:operation,engine,partition_id,"
                        "partition_kind,op_names,data_formats,logical_tensors,fpmath_mode,"
                        "scratchpad,implementation,backend,exec_time",
                        "tern_verbose,v1,graph,exec,1", "tern_verbose,v1,graph,exec,2"));
    }
}

TEST(verbose, without_a_callback_lines_go_to_standard_output) {
    set_verbose_callback(nullptr, nullptr);
    testing::internal::CaptureStdout();
    write_verbose_line("graph,exec,3");
    write_verbose_line("graph,exec,4");
    std::string text = testing::internal::GetCapturedStdout();
    EXPECT_THAT(text, StartsWith("tern_verbose,v1,info,tern v"));
    EXPECT_THAT(text, HasSubstr("\ntern_verbose,v1,graph,exec,3\ntern_verbose,v1,graph,exec,4\n"));
}

TEST(verbose, lines_of_many_threads_stay_whole) {
    constexpr int threads = 4;
    constexpr int lines_each = 200;
    line_collector collector;
    std::vector<std::thread> writers;
    for (int t = 0; t < threads; ++t)
        writers.emplace_back([t] {
            for (int i = 0; i < lines_each; ++i)
                write_verbose("thread {}", t);
        });
    for (std::thread &writer : writers)
        writer.join();
    constexpr std::size_t header_lines = 4;
    ASSERT_EQ(collector.lines.size(), header_lines + threads * lines_each);
    std::vector<int> count(threads, 0);
    for (std::size_t i = header_lines; i < collector.lines.size(); ++i)
        for (int t = 0; t < threads; ++t)
            count[static_cast<std::size_t>(t)] +=
                    collector.lines[i] == format_text("tern_verbose,v1,thread {}", t);
    EXPECT_THAT(count, testing::Each(lines_each));
}

} // namespace
} // namespace tern::runtime
