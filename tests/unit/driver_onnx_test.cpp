// SPDX-License-Identifier: Apache-2.0
//
// benchtern --onnx, from arguments to printed lines.
#include <filesystem>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/driver.hpp"
#include "onnx_writer.hpp"
#include "temporary_folder.hpp"

namespace tern::driver {
namespace {

using namespace onnx_writer;
using testing::ContainsRegex;
using testing::HasSubstr;
namespace fs = std::filesystem;

class driver_onnx : public testing::Test {
protected:
    std::string benchtern(std::vector<std::string> arguments, int expected) {
        testing::internal::CaptureStdout();
        const int exit_code = run_driver(arguments);
        std::string out = testing::internal::GetCapturedStdout();
        EXPECT_EQ(exit_code, expected) << out;
        return out;
    }

    std::string path(const std::string &name) const { return (folder_.path() / name).string(); }

    /// A case in ONNX's layout: z = op(c, x, y).
    void write_case(const std::string &name, const std::string &op, float last = 20) const {
        fs::create_directories(folder_.path() / name / "test_data_set_0");
        const std::string set = name + "/test_data_set_0/";
        const message floats = tensor_type(element_type::FLOAT, {2});
        folder_.file(name + "/model.onnx",
                model({.nodes = {node(op, {"c", "x", "y"}, {"z"})},
                              .inputs = {value("c", tensor_type(element_type::BOOL, {2})),
                                      value("x", floats), value("y", floats)},
                              .outputs = {value("z", floats)}})
                        .bytes);
        folder_.file(set + "input_0.pb",
                tensor<unsigned char>("c", element_type::BOOL, {2}, {1, 0}).bytes);
        folder_.file(
                set + "input_1.pb", tensor<float>("x", element_type::FLOAT, {2}, {1, 2}).bytes);
        folder_.file(
                set + "input_2.pb", tensor<float>("y", element_type::FLOAT, {2}, {10, 20}).bytes);
        folder_.file(
                set + "output_0.pb", tensor<float>("z", element_type::FLOAT, {2}, {1, last}).bytes);
    }

    temporary_folder folder_;
};

TEST_F(driver_onnx, a_tree_of_cases_runs_to_its_end) {
    write_case("tree/a_right", "Where");
    write_case("tree/b_wrong", "Where", 21);
    write_case("tree/c_unknown", "Einsum");
    write_case("tree/deeper/d_right", "Where");
    folder_.file("tree/deeper/e_broken.onnx", "no model");
    const std::string out = benchtern({"--onnx", "--case=" + path("tree")}, 1);
    EXPECT_THAT(out, ContainsRegex("0:PASSED \\([0-9]+ ms\\) __REPRO: --onnx --case=.*a_right\n"));
    EXPECT_THAT(out, ContainsRegex("1:FAILED \\(errors:1 total:2\\)"));
    EXPECT_THAT(
            out, HasSubstr("[DST z][1] exp_f32:          21 exp:          21 got:          20"));
    EXPECT_THAT(out, HasSubstr("not supported in operator set 21: Einsum (node 0 (Einsum))"));
    EXPECT_THAT(out, HasSubstr("2:UNIMPLEMENTED"));
    EXPECT_THAT(out, HasSubstr("3:PASSED"));
    EXPECT_THAT(out, HasSubstr("4:INVALID_ARGUMENTS (Invalid case)"));
    EXPECT_THAT(out, HasSubstr("tests:5 passed:2 skipped:0 mistrusted:0 unimplemented:1 "
                               "invalid_arguments:1 failed:3 listed:0"));
    EXPECT_THAT(out, HasSubstr("declined by op: Einsum:1\n"));
}

TEST_F(driver_onnx, every_mode) {
    write_case("one", "Where");
    const std::string name = "--case=" + path("one");
    EXPECT_THAT(benchtern({"--mode=L", "--onnx", name}, 0), HasSubstr("0:LISTED"));
    EXPECT_THAT(benchtern({"--mode=I", "--onnx", name}, 0), HasSubstr("0:INITIALIZED"));
    EXPECT_THAT(benchtern({"--mode=R", "--onnx", name}, 0), HasSubstr("0:EXECUTED"));
    EXPECT_THAT(benchtern({"--mode=B", "--onnx", name}, 0), HasSubstr("0:PASSED"));
    EXPECT_THAT(benchtern({"--mode=P", "--fix-times-per-prb=3", "--onnx", name}, 0),
            ContainsRegex(
                    "perf,cpu,--mode=P --fix-times-per-prb=3 --onnx --case=[^,]*,[0-9.e-]+,"));
}

TEST_F(driver_onnx, a_bare_model_is_held_against_the_reference) {
    folder_.file("bare.onnx",
            model({.nodes = {node("Where", {"c", "x", "y"}, {"w"}), node("Exp", {"w"}, {"z"})},
                          .inputs = {value("c", tensor_type(element_type::BOOL, {"n", 8})),
                                  value("x", tensor_type(element_type::FLOAT, {"n", 8})),
                                  value("y", tensor_type(element_type::FLOAT, {8}))},
                          .outputs = {value("z", tensor_type(element_type::FLOAT))}})
                    .bytes);
    const std::string name = "--case=" + path("bare.onnx");
    EXPECT_THAT(benchtern({"--onnx", name}, 0), HasSubstr("0:PASSED"));
    EXPECT_THAT(benchtern({"--impl=reference", "--onnx", name}, 0), HasSubstr("0:PASSED"));
}

TEST_F(driver_onnx, named_dimensions_take_sizes) {
    folder_.file("named.onnx",
            model({.nodes = {node("Where", {"c", "x", "y"}, {"z"})},
                          .inputs = {value("c", tensor_type(element_type::BOOL, {"n", 1})),
                                  value("x", tensor_type(element_type::FLOAT, {"n", "m"})),
                                  value("y", tensor_type(element_type::FLOAT, {"m"}))},
                          .outputs = {value("z", tensor_type(element_type::FLOAT))}})
                    .bytes);
    const std::string name = "--case=" + path("named.onnx");
    const std::string out =
            benchtern({"-v1", "--onnx", "--dims=n:3+m:5,m:0", name, "--reset", name}, 0);
    EXPECT_THAT(out,
            ContainsRegex("0:PASSED \\([0-9]+ ms\\) __REPRO: --onnx --dims=m:5\\+n:3 --case="));
    EXPECT_THAT(out, ContainsRegex("1:PASSED \\([0-9]+ ms\\) __REPRO: --onnx --dims=m:0 --case="));
    EXPECT_THAT(out, ContainsRegex("2:PASSED \\([0-9]+ ms\\) __REPRO: --onnx --case="));
    EXPECT_THAT(benchtern({"--onnx", "--dims=past+1:3+n:2", name}, 1),
            HasSubstr("dimension named 'past+1'"));
    const std::string wrong = benchtern({"--onnx", "--dims=k:3", name}, 1);
    EXPECT_THAT(wrong, HasSubstr("option --dims: no input of the model has a dimension named 'k'"));
    EXPECT_THAT(wrong, HasSubstr("0:INVALID_ARGUMENTS"));
    EXPECT_THAT(benchtern({"--onnx", "--dims=n:100000000000", name}, 0),
            HasSubstr("0:SKIPPED (Not enough RAM)"));
    EXPECT_THAT(benchtern({"--onnx", "--dims=n:8+m:4000000000000000000", name}, 1),
            HasSubstr("does not fit 63 bits"));
    write_case("one", "Where"); // its data set does not count, and it names nothing
    EXPECT_THAT(benchtern({"--onnx", "--dims=n:3", "--case=" + path("one")}, 1),
            HasSubstr("dimension named 'n'"));
}

TEST_F(driver_onnx, bad_sizes_end_the_run) {
    const std::string name = "--case=" + path("one");
    for (const char *option : {"--dims=n", "--dims=:3", "--dims=n:x", "--dims=n:-1",
                 "--dims=n:1+n:2", "--dims=n:1+m"})
        benchtern({"--onnx", option, name}, 1);
    benchtern({"--graph", "--dims=n:3", name}, 2);
    benchtern({"--onnx", "--in-shapes=0:2", name}, 2);
}

TEST_F(driver_onnx, no_model_is_an_error) {
    EXPECT_THAT(
            benchtern({"--onnx", "--case=" + path("none")}, 1), HasSubstr("0:INVALID_ARGUMENTS"));
    fs::create_directories(folder_.path() / "empty");
    EXPECT_THAT(
            benchtern({"--onnx", "--case=" + path("empty")}, 1), HasSubstr("0:INVALID_ARGUMENTS"));
}

} // namespace
} // namespace tern::driver
