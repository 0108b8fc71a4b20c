// SPDX-License-Identifier: Apache-2.0
//
// Environment variables are read once, so that each case needs a fresh process: the death tests of
// the "threadsafe" style start the program again.
#include <cstdio>
#include <cstdlib>

#include <unistd.h>

#include "select_graph.hpp"

using namespace select_graph;

namespace {

class environment_test : public testing::Test {
protected:
    void SetUp() override { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
    void TearDown() override {
        unsetenv("TERN_IMPL");
        unsetenv("TERN_VERBOSE");
        unsetenv("TERN_GRAPH_COMPILED_PARTITION_CACHE_CAPACITY");
        unsetenv("TERN_GRAPH_CONSTANT_TENSOR_CACHE_CAPACITY");
    }
};

compiled_partition compile(const std::string &implementation = "") {
    logical_tensors inputs = {dense(cond_id, data_type::boolean, {2}),
            dense(src_0_id, data_type::s32, {2}), dense(src_1_id, data_type::s32, {2})};
    logical_tensor dst = dense(dst_id, data_type::s32, {2});
    tern::graph::compile_options options;
    options.implementation = implementation;
    return select_partition(inputs, dst).compile(inputs, {dst}, cpu(), options);
}

void execute(const compiled_partition &compiled) {
    std::uint8_t cond[2] = {};
    std::int32_t src_0[2] = {}, src_1[2] = {}, result[2];
    const void *in[] = {cond, src_0, src_1};
    void *out = result;
    compiled.execute(stream(cpu()), in, &out);
}

/// Ends the process: with 0, the implementation on standard error, or with 1 and the error's text.
[[noreturn]] void report_implementation(const std::string &forced) {
    int code = 0;
    try {
        std::fprintf(stderr, "runs %s.\n", compile(forced).get_implementation().c_str());
    } catch (const error &e) {
        code = 1;
        std::fprintf(stderr, "status %d: %s\n", static_cast<int>(e.status), e.message);
    }
    std::_Exit(code);
}

TEST_F(environment_test, TERN_IMPL_forces_an_implementation) {
    setenv("TERN_IMPL", "reference", 1);
    EXPECT_EXIT(report_implementation(""), testing::ExitedWithCode(0), "runs reference\\.");
    // What the program says wins.
    EXPECT_EXIT(report_implementation("loops"), testing::ExitedWithCode(0), "runs loops:");
    setenv("TERN_IMPL", "", 1);
    EXPECT_EXIT(report_implementation(""), testing::ExitedWithCode(0), "runs loops:");
}

TEST_F(environment_test, TERN_IMPL_that_does_not_exist) {
    setenv("TERN_IMPL", "fastest", 1);
    EXPECT_EXIT(report_implementation(""), testing::ExitedWithCode(1),
            "status 3: compile: Select \\(op 7\\) has no implementation \"fastest\"");
}

/// Runs one Select, with standard output sent where a death test looks.
[[noreturn]] void report_lines(int api_level) {
    std::fflush(stdout);
    dup2(STDERR_FILENO, STDOUT_FILENO);
    if (api_level >= 0) tern::graph::set_verbose(api_level);
    execute(compile("reference"));
    std::fprintf(stderr, "end\n");
    std::_Exit(0);
}

TEST_F(environment_test, TERN_VERBOSE) {
    setenv("TERN_VERBOSE", "1", 1);
    EXPECT_EXIT(report_lines(-1), testing::ExitedWithCode(0),
            "^tern_verbose,v1,info,tern v.*\ntern_verbose,v1,graph,exec,cpu,.*\nend\n$");
    setenv("TERN_VERBOSE", "dispatch", 1);
    EXPECT_EXIT(report_lines(-1), testing::ExitedWithCode(0),
            "tern_verbose,v1,graph,create:dispatch,cpu,.*,onednn,reference was asked for\nend\n$");
    setenv("TERN_VERBOSE", "profile_create", 1);
    EXPECT_EXIT(report_lines(-1), testing::ExitedWithCode(0),
            "tern_verbose,v1,graph,compile:cache_miss,cpu,.*\nend\n$");
}

TEST_F(environment_test, silent_unless_asked) {
    EXPECT_EXIT(report_lines(-1), testing::ExitedWithCode(0), "^end\n$");
    setenv("TERN_VERBOSE", "2", 1);
    EXPECT_EXIT(report_lines(0), testing::ExitedWithCode(0), "^end\n$");
}

[[noreturn]] void report_cache_capacity() {
    std::fprintf(stderr, "keeps %d.\n", tern::graph::get_compiled_partition_cache_capacity());
    std::_Exit(0);
}

TEST_F(environment_test, TERN_GRAPH_COMPILED_PARTITION_CACHE_CAPACITY) {
    const char *name = "TERN_GRAPH_COMPILED_PARTITION_CACHE_CAPACITY";
    EXPECT_EXIT(report_cache_capacity(), testing::ExitedWithCode(0), "keeps 1024\\.");
    for (const char *number : {"0", "7", "2147483647"}) {
        setenv(name, number, 1);
        EXPECT_EXIT(report_cache_capacity(), testing::ExitedWithCode(0),
                "keeps " + std::string(number) + "\\.");
    }
    for (const char *other : {"", "-1", "many", "7 plans", "2147483648", "99999999999999999999"}) {
        setenv(name, other, 1);
        EXPECT_EXIT(report_cache_capacity(), testing::ExitedWithCode(0), "keeps 1024\\.") << other;
    }
}

[[noreturn]] void report_constant_cache_capacity() {
    std::fprintf(stderr, "keeps %zu.\n",
            tern::graph::get_constant_tensor_cache_capacity(engine::kind::cpu));
    std::_Exit(0);
}

TEST_F(environment_test, TERN_GRAPH_CONSTANT_TENSOR_CACHE_CAPACITY) {
    const char *name = "TERN_GRAPH_CONSTANT_TENSOR_CACHE_CAPACITY";
    EXPECT_EXIT(report_constant_cache_capacity(), testing::ExitedWithCode(0), "keeps 0\\.");
    setenv(name, "cpu:12;gpu:3", 1);
    EXPECT_EXIT(report_constant_cache_capacity(), testing::ExitedWithCode(0), "keeps 12\\.");
    setenv(name, "12", 1);
    EXPECT_EXIT(report_constant_cache_capacity(), testing::ExitedWithCode(0), "keeps 0\\.");
}

} // namespace
