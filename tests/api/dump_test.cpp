// SPDX-License-Identifier: Apache-2.0
//
// What is written when, and under which name. tests/unit/dump_files_test.cpp reads it back.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <unistd.h>

#include "select_graph.hpp"

using namespace select_graph;
using tern::graph::graph_dump_mode;
namespace fs = std::filesystem;

namespace {

const logical_tensors inputs = {dense(cond_id, data_type::boolean, {2}),
        dense(src_0_id, data_type::s32, {2}), dense(src_1_id, data_type::s32, {2})};
const logical_tensor dst(dst_id, data_type::s32);

using names = std::vector<std::string>;

/// Names of the files, sorted, with "#" for every number: "graph-#.json".
names files_in(const fs::path &folder) {
    names found;
    for (const auto &entry : fs::directory_iterator(folder)) {
        std::string name;
        for (char c : entry.path().filename().string())
            if (c < '0' || c > '9')
                name += c;
            else if (name.empty() || name.back() != '#')
                name += '#';
        found.push_back(name);
    }
    std::sort(found.begin(), found.end());
    return found;
}

/// Each test in an empty folder of its own, with nothing dumped at first.
class dump_test : public testing::Test {
protected:
    void SetUp() override {
        before_ = fs::current_path();
        std::string name = testing::TempDir() + "/tern_dump_XXXXXX";
        folder_ = mkdtemp(name.data());
        fs::current_path(folder_);
        tern::graph::set_dump_mode(graph_dump_mode::none);
    }
    void TearDown() override {
        tern::graph::set_dump_mode(graph_dump_mode::none);
        fs::current_path(before_);
        fs::remove_all(folder_);
    }

    static std::string content(const std::string &part_of_name) {
        for (const auto &entry : fs::directory_iterator("."))
            if (entry.path().string().find(part_of_name) != std::string::npos) {
                std::ostringstream text;
                text << std::ifstream(entry.path()).rdbuf();
                return text.str();
            }
        return "";
    }

private:
    fs::path before_;
    fs::path folder_;
};

void compile_one() {
    select_partition(inputs, dst).compile(inputs, {dst}, cpu());
}

TEST_F(dump_test, nothing_unless_asked) {
    compile_one();
    EXPECT_EQ(files_in("."), names{});
}

TEST_F(dump_test, graph_is_written_around_partitioning) {
    tern::graph::set_dump_mode(graph_dump_mode::graph);
    compile_one();
    EXPECT_EQ(files_in("."), (names{"graph-#-partitioning.json", "graph-#.json"}));
    std::string placed = content("-partitioning.json");
    EXPECT_NE(placed.find("\"partition_id\""), std::string::npos);
    EXPECT_NE(placed.find("\"tern_backend\""), std::string::npos);
}

TEST_F(dump_test, an_unsupported_partition_is_told_apart) {
    tern::graph::set_dump_mode(graph_dump_mode::graph);
    one_op_partition(op(7, op::kind::Wildcard, inputs, {dst}));
    EXPECT_NE(content("-partitioning.json").find("\"unsupported\""), std::string::npos);
}

TEST_F(dump_test, subgraph_is_written_at_compile) {
    partition part = select_partition(inputs, dst);
    tern::graph::set_dump_mode(graph_dump_mode::subgraph);
    part.compile(inputs, {dst}, cpu());
    EXPECT_EQ(files_in("."), names{"graph-#-#.json"});
    std::string name = "graph-" + std::to_string(part.get_id()) + "-";
    EXPECT_NE(content(name), "");
    // The same again, out of the cache or not, is the same file; other shapes are another.
    part.compile(inputs, {dst}, cpu());
    EXPECT_EQ(files_in(".").size(), 1u);
    tern::graph::set_dump_mode(graph_dump_mode::none);
    logical_tensors open = {logical_tensor(cond_id, data_type::boolean, 1, layout_type::any),
            logical_tensor(src_0_id, data_type::s32, 1, layout_type::any),
            logical_tensor(src_1_id, data_type::s32, 1, layout_type::any)};
    partition shapeless = select_partition(open, dst);
    tern::graph::set_dump_mode(graph_dump_mode::subgraph);
    for (std::int64_t size : {2, 3})
        shapeless.compile({dense(cond_id, data_type::boolean, {size}),
                                  dense(src_0_id, data_type::s32, {size}),
                                  dense(src_1_id, data_type::s32, {size})},
                {dst}, cpu());
    EXPECT_EQ(files_in(".").size(), 3u);
}

TEST_F(dump_test, both_and_a_compile_that_fails) {
    tern::graph::set_dump_mode(graph_dump_mode::graph | graph_dump_mode::subgraph);
    EXPECT_EQ(graph_dump_mode::graph & graph_dump_mode::subgraph, graph_dump_mode::none);
    compile_one();
    EXPECT_EQ(
            files_in("."), (names{"graph-#-#.json", "graph-#-partitioning.json", "graph-#.json"}));
    partition part = one_op_partition(op(7, op::kind::Wildcard, inputs, {dst}));
    error_of([&] { part.compile(inputs, {dst}, cpu()); });
    EXPECT_EQ(files_in(".").size(), 5u); // two more, none of a compiled partition
}

TEST_F(dump_test, an_unknown_bit_is_an_error) {
    tern::graph::set_dump_mode(graph_dump_mode::subgraph);
    for (unsigned bits : {4u, 5u, 8u, 0x80000000u})
        expect_errors({{status::invalid_arguments,
                [=] { tern::graph::set_dump_mode(static_cast<graph_dump_mode>(bits)); },
                {"set_dump_mode", "none, subgraph, graph"}}});
    compile_one(); // nothing changed
    EXPECT_EQ(files_in("."), names{"graph-#-#.json"});
}

std::vector<std::string> &lines() {
    static std::vector<std::string> all;
    return all;
}

TEST_F(dump_test, what_cannot_be_written_breaks_nothing) {
    tern::graph::set_dump_mode(graph_dump_mode::graph);
    fs::create_directory("gone");
    fs::current_path("gone");
    fs::remove(fs::current_path());
    lines().clear();
    auto take = [](void *, const char *line) { lines().emplace_back(line); };
    tern::graph::set_verbose_callback(take, nullptr);
    compile_one();
    EXPECT_TRUE(lines().empty());
    tern::graph::set_verbose(1);
    compile_one();
    tern::graph::set_verbose(0);
    tern::graph::set_verbose_callback(nullptr, nullptr);
    std::size_t failures = 0;
    for (const std::string &line : lines())
        if (line.find("tern_verbose,v1,graph,dump:failed,cpu,graph-") == 0) {
            ++failures;
            EXPECT_NE(line.find(".json: No such file or directory"), std::string::npos) << line;
        }
    EXPECT_EQ(failures, 2u); // before and after partitioning
}

/// Environment variables are read once: each value needs a fresh process, which runs this test from
/// its beginning up to where its parent waits for it. The folder is the parent's.
class dump_environment_test : public testing::Test {
protected:
    void SetUp() override {
        testing::FLAGS_gtest_death_test_style = "threadsafe";
        if (const char *inherited = std::getenv(variable)) {
            folder_ = inherited;
            return;
        }
        std::string name = testing::TempDir() + "/tern_dump_XXXXXX";
        folder_ = mkdtemp(name.data());
        setenv(variable, folder_.c_str(), 1);
    }
    void TearDown() override {
        for (const char *name : {variable, "TERN_GRAPH_DUMP", "TERN_GRAPH_DUMP_DIR"})
            unsetenv(name);
        fs::remove_all(folder_);
    }

    /// Where a process with this value of TERN_GRAPH_DUMP writes.
    fs::path use(const std::string &value) {
        fs::path folder = folder_ / std::to_string(++count_);
        fs::create_directory(folder);
        setenv("TERN_GRAPH_DUMP", value.c_str(), 1);
        setenv("TERN_GRAPH_DUMP_DIR", folder.c_str(), 1);
        return folder;
    }

private:
    static constexpr const char *variable = "TERN_TESTS_DUMP_FOLDER";
    fs::path folder_;
    int count_ = 0;
};

[[noreturn]] void compile_and_exit(bool switch_off) {
    if (switch_off) tern::graph::set_dump_mode(graph_dump_mode::none);
    compile_one();
    std::_Exit(0);
}

TEST_F(dump_environment_test, TERN_GRAPH_DUMP) {
    const std::vector<std::pair<std::string, names>> cases = {
            {"graph", {"graph-#-partitioning.json", "graph-#.json"}},
            {"subgraph", {"graph-#-#.json"}},
            {"graph,subgraph", {"graph-#-#.json", "graph-#-partitioning.json", "graph-#.json"}},
            {"subgraph,dot", {"graph-#-#.dot", "graph-#-#.json"}},
            {"text,graph", {"graph-#-partitioning.json", "graph-#-partitioning.txt", "graph-#.json",
                                   "graph-#.txt"}},
            {"dot", {"graph-#-#.dot", "graph-#-#.json", "graph-#-partitioning.dot",
                            "graph-#-partitioning.json", "graph-#.dot", "graph-#.json"}},
            {"", {}}, {"pattern", {}}, {"graph,subgraph,all", {}},
            {"graph, subgraph", {}}, // a blank belongs to the word
    };
    std::vector<fs::path> folders;
    for (const auto &[value, expected] : cases) {
        folders.push_back(use(value));
        EXPECT_EXIT(compile_and_exit(false), testing::ExitedWithCode(0), "^$");
    }
    for (std::size_t i = 0; i < cases.size(); ++i)
        EXPECT_EQ(files_in(folders[i]), cases[i].second) << cases[i].first;
}

TEST_F(dump_environment_test, set_dump_mode_wins) {
    fs::path folder = use("graph,subgraph");
    EXPECT_EXIT(compile_and_exit(true), testing::ExitedWithCode(0), "^$");
    EXPECT_EQ(files_in(folder), names{});
}

TEST_F(dump_environment_test, a_folder_that_does_not_exist) {
    fs::path folder = use("graph");
    setenv("TERN_GRAPH_DUMP_DIR", (folder / "missing").c_str(), 1);
    EXPECT_EXIT(compile_and_exit(false), testing::ExitedWithCode(0), "^$");
    EXPECT_EQ(files_in(folder), names{});
}

} // namespace
