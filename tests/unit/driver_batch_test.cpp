// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/command_line.hpp"
#include "driver/option_values.hpp"
#include "temporary_folder.hpp"

namespace tern::driver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

class driver_batch : public testing::Test {
protected:
    std::string write(const std::string &name, const std::string &text) const {
        fs::path path = folder_ / name;
        fs::create_directories(path.parent_path());
        std::ofstream(path) << text;
        return path.string();
    }
    std::string path(const std::string &name) const { return (folder_ / name).string(); }

    static std::vector<std::string> paths(const std::string &batch) {
        std::vector<std::string> result;
        for (const planned_case &one : parse_command_line({"--graph", "--batch=" + batch}).cases)
            result.push_back(one.path);
        return result;
    }

    static std::string refuse(const std::string &batch) {
        try {
            parse_command_line({"--graph", "--batch=" + batch});
        } catch (const usage_error &failure) {
            EXPECT_EQ(failure.exit_code, 1);
            return failure.what();
        }
        return "";
    }

    temporary_folder files_;
    const fs::path folder_ = files_.path();
};

TEST(driver_batch_tokens, comments_and_glue) {
    EXPECT_THAT(batch_tokens("--a --b\n\t--c\r\n"), ElementsAre("--a", "--b", "--c"));
    EXPECT_THAT(batch_tokens("# all of this\n--a # and this --b\n--c"), ElementsAre("--a", "--c"));
    EXPECT_THAT(batch_tokens("--a=1,\\\n2,\\\n  3 --b"), ElementsAre("--a=1,2,3", "--b"));
    EXPECT_THAT(batch_tokens("--a=1 \\\n ,2"), ElementsAre("--a=1,2"));
    EXPECT_THAT(batch_tokens("--a#b"), ElementsAre("--a#b"));
    EXPECT_THAT(batch_tokens("--a\\"), ElementsAre("--a"));
    EXPECT_THAT(batch_tokens("\\ --a"), ElementsAre("--a"));
    EXPECT_TRUE(batch_tokens("").empty());
    EXPECT_TRUE(batch_tokens("# only").empty());
}

TEST_F(driver_batch, settings_go_on_across_files) {
    write("inner", "--case=one.json --dt=f16 --case=one.json");
    std::string outer =
            write("outer", "--dt=bf16 --batch=inner --case=one.json --reset --case=one.json");
    write("one.json", "{}");
    std::vector<data_type> types;
    for (const planned_case &one : parse_command_line({"--graph", "--batch=" + outer}).cases)
        types.push_back(one.alternatives.dt[0]);
    EXPECT_THAT(
            types, ElementsAre(data_type::bf16, data_type::f16, data_type::f16, data_type::undef));
}

TEST_F(driver_batch, files_are_searched_in_the_folders_of_batches) {
    write("op/inner", "--case=x.json --case=op/y.json --case=missing.json");
    write("op/x.json", "{}");
    write("op/y.json", "{}");
    std::string outer = write("outer", "--batch=op/inner");
    EXPECT_THAT(paths(outer), ElementsAre(path("op/x.json"), path("op/y.json"), "missing.json"));
    EXPECT_THAT(
            paths(path("op/inner")), ElementsAre(path("op/x.json"), "op/y.json", "missing.json"));
}

TEST_F(driver_batch, the_oldest_folder_wins_and_absolute_names_are_taken_as_they_are) {
    std::string x = write("x.json", "{}");
    write("op/x.json", "{}");
    write("op/inner", "--case=x.json --case=" + path("op/x.json") + " --case=/no/x.json");
    EXPECT_THAT(paths(write("outer", "--batch=op/inner")),
            ElementsAre(x, path("op/x.json"), "/no/x.json"));
}

TEST_F(driver_batch, refuses_cycles_and_what_cannot_be_read) {
    write("a", "--batch=b");
    write("b", "--batch=./a");
    EXPECT_THAT(refuse(path("a")), HasSubstr("includes itself"));
    EXPECT_THAT(refuse(folder_.string()), HasSubstr("is a directory"));
    EXPECT_THAT(refuse(write("c", "--batch=nowhere")), HasSubstr("nowhere: cannot open"));
    EXPECT_THAT(refuse(write("d", "--batch=")), HasSubstr("expected a file name"));
    for (int i = 0; i < 40; ++i)
        write("n" + std::to_string(i), "--batch=n" + std::to_string(i + 1));
    EXPECT_THAT(refuse(path("n0")), HasSubstr("nested deeper than 30 files"));
}

TEST_F(driver_batch, files_that_include_others_twice_come_to_an_end) {
    for (int i = 0; i < 25; ++i) {
        std::string next = "--batch=n" + std::to_string(i + 1) + " ";
        write("n" + std::to_string(i), next + next);
    }
    write("n25", "");
    EXPECT_THAT(refuse(path("n0")), HasSubstr("more than"));
}

} // namespace
} // namespace tern::driver
