// SPDX-License-Identifier: Apache-2.0
//
// The whole driver, from arguments to printed lines.
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/driver.hpp"
#include "driver/option_values.hpp"
#include "temporary_folder.hpp"

namespace tern::driver {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
namespace fs = std::filesystem;

struct run {
    int exit_code;
    std::string out;
    std::string err;
};

run benchtern(const std::vector<std::string> &arguments) {
    testing::internal::CaptureStdout();
    testing::internal::CaptureStderr();
    int exit_code = run_driver(arguments);
    std::string out = testing::internal::GetCapturedStdout();
    return {exit_code, out, testing::internal::GetCapturedStderr()};
}

std::string port(std::size_t id, const std::string &type, const std::string &shape,
        const std::string &stride) {
    return "{\"id\": " + std::to_string(id) + ", \"dtype\": \"" + type + "\", \"shape\": " + shape
           + ", \"stride\": " + stride
           + ", \"layout_type\": \"strided\", \"property_type\": \"undef\"}";
}

std::string op(std::size_t id, const std::string &kind, const std::string &inputs,
        const std::string &outputs) {
    return "{\"id\": " + std::to_string(id) + ", \"name\": \"\", \"kind\": \"" + kind
           + "\", \"attrs\": {}, \"inputs\": [" + inputs + "], \"outputs\": [" + outputs + "]}";
}

const std::string usual_op = op(0, "Select",
        port(1, "boolean", "[1, 1, 1, 8]", "[8, 8, 8, 1]") + "," + port(2, "f32", "[1]", "[1]")
                + "," + port(3, "f32", "[1, 3, 4, 8]", "[96, 32, 8, 1]"),
        port(4, "f32", "[1, 3, 4, 8]", "[96, 32, 8, 1]"));

class driver_run : public testing::Test {
protected:
    std::string write(const std::string &name, const std::string &text) const {
        return files_.file(name, text);
    }
    std::string graph(const std::string &name, const std::string &ops) const {
        return write(name, "{\"graph\": [" + ops + "]}");
    }

    temporary_folder files_;
    const fs::path folder_ = files_.path();
    const std::string usual_ = write("select.json", "{\"graph\": [" + usual_op + "]}");
};

TEST_F(driver_run, passed) {
    run r = benchtern({"--graph", "--case=" + usual_});
    EXPECT_EQ(r.exit_code, 0);
    EXPECT_EQ(r.err, "");
    EXPECT_THAT(r.out,
            ContainsRegex("^0:PASSED \\([0-9]+ ms\\) __REPRO: --graph --case=" + usual_ + "\n"));
    EXPECT_THAT(r.out, HasSubstr("\ntests:1 passed:1 skipped:0 mistrusted:0 unimplemented:0 "
                                 "invalid_arguments:0 failed:0 listed:0\ntotal: "));
    for (const char *phase :
            {"create_pd", "create_prim", "fill", "execute", "compute_ref", "compare"})
        EXPECT_THAT(r.out, ContainsRegex(std::string(" ") + phase + ": [0-9.]+s \\([0-9]+%\\);"));
}

/// One op from tensor 0 to tensor 1, of 64 elements.
std::string elementwise(const std::string &kind, const std::string &attrs) {
    auto port = [](const char *id) {
        return std::string("[{\"id\":") + id
               + R"(,"dtype":"f32","shape":[64],"stride":[1],"layout_type":"strided",)"
               + R"("property_type":"variable"}])";
    };
    return R"({"id":0,"name":"op","kind":")" + kind + R"(","attrs":{)" + attrs + R"(},"inputs":)"
           + port("0") + R"(,"outputs":)" + port("1") + "}";
}

TEST_F(driver_run, results_that_attributes_make_all_the_same_are_trusted) {
    const std::string zero = R"({"type":"f32","value":0})";
    for (const std::string &op : {elementwise("Clamp", R"("min":)" + zero + R"(,"max":)" + zero),
                 elementwise("HardSigmoid", R"("alpha":)" + zero + R"(,"beta":)" + zero)})
        EXPECT_THAT(benchtern({"--graph", "--case=" + graph("one_value.json", op)}).out,
                HasSubstr("passed:1 skipped:0 mistrusted:0"));
    const std::string clamp = elementwise(
            "Clamp", R"("min":{"type":"f32","value":100},"max":{"type":"f32","value":200})");
    EXPECT_THAT(benchtern({"--graph", "--case=" + graph("far.json", clamp)}).out,
            HasSubstr("mistrusted:1"));
}

TEST_F(driver_run, modes) {
    run listed = benchtern({"--mode=L", "--graph", "--case=" + usual_});
    EXPECT_THAT(listed.out, HasSubstr("0:LISTED ("));
    EXPECT_THAT(listed.out, HasSubstr("__REPRO: --mode=L --graph --case="));
    EXPECT_THAT(listed.out, HasSubstr("listed:1"));
    EXPECT_THAT(listed.out, Not(HasSubstr("create_pd")));
    run initialized = benchtern({"--mode=I", "--graph", "--case=" + usual_});
    EXPECT_THAT(initialized.out, HasSubstr("0:INITIALIZED ("));
    EXPECT_THAT(initialized.out, HasSubstr("passed:1"));
    EXPECT_THAT(initialized.out, Not(HasSubstr("execute:")));
    run executed = benchtern({"--mode=R", "--graph", "--case=" + usual_});
    EXPECT_THAT(executed.out, HasSubstr("0:EXECUTED ("));
    EXPECT_THAT(executed.out, Not(HasSubstr("compute_ref")));
}

TEST_F(driver_run, performance_lines) {
    run r = benchtern({"--mode=P", "--fix-times-per-prb=3", "-v1", "--graph", "--case=" + usual_,
            "--dt=bf16", "--case=" + usual_});
    EXPECT_EQ(r.exit_code, 0);
    EXPECT_THAT(r.out, HasSubstr("seed:0 cond-density:0.5 warm-up runs:1"));
    EXPECT_THAT(r.out, HasSubstr("Template entries: perf,%engine%,%prb%,%-time%,%0time%\n"
                                 "perf,engine,prb,min_time,avg_time\nperf,cpu,"));
    EXPECT_THAT(r.out,
            ContainsRegex("\nperf,cpu,--mode=P --fix-times-per-prb=3 --graph --dt=bf16 --case="
                          + usual_ + ",[-+.e0-9]+,[-+.e0-9]+\n"));
    EXPECT_THAT(
            r.out, ContainsRegex("\ntotal perf: min\\(ms\\):[-+.e0-9]+ avg\\(ms\\):[-+.e0-9]+\n"));
    EXPECT_THAT(r.out, HasSubstr("tests:2 passed:2"));
    EXPECT_THAT(r.out, Not(HasSubstr("EXECUTED")));
}

TEST_F(driver_run, bad_cases_are_lines_and_the_run_goes_on) {
    std::string malformed = write("bad.json", "{\"graph\": [}");
    std::string clash = graph("clash.json",
            op(3, "Select",
                    port(0, "boolean", "[2]", "[1]") + "," + port(1, "f32", "[3]", "[1]") + ","
                            + port(2, "f32", "[2]", "[1]"),
                    port(4, "f32", "[2]", "[1]")));
    std::string unknown = graph("convolution.json",
            op(5, "Convolution",
                    port(0, "f32", "[2, 2]", "[2, 1]") + "," + port(1, "f32", "[2, 2]", "[2, 1]"),
                    port(2, "f32", "[2, 2]", "[2, 1]")));
    run r = benchtern({"--graph", "--case=" + (folder_ / "missing.json").string(),
            "--case=" + malformed, "--case=" + folder_.string(), "--case=" + clash,
            "--case=" + unknown, "--in-shapes=99:2", "--case=" + usual_, "--reset",
            "--dt=2:u4+3:u4+4:u4", "--case=" + usual_, "--reset", "--case=" + usual_});
    EXPECT_EQ(r.exit_code, 1);
    EXPECT_THAT(r.out, HasSubstr("missing.json: cannot open: No such file or "
                                 "directory\n0:INVALID_ARGUMENTS (Invalid case) ("));
    EXPECT_THAT(r.out,
            ContainsRegex("Error: .*bad.json:1:12: malformed JSON: [^\n]*\n1:INVALID_ARGUMENTS"));
    EXPECT_THAT(r.out, ContainsRegex("is a directory[^\n]*\n2:INVALID_ARGUMENTS"));
    EXPECT_THAT(r.out,
            ContainsRegex(
                    "Error: Select \\(op 3\\)[^\n]*\n3:INVALID_ARGUMENTS \\(Invalid case\\)"));
    EXPECT_THAT(
            r.out, HasSubstr("Error: Convolution (op 5) is not implemented\n4:UNIMPLEMENTED ("));
    EXPECT_THAT(
            r.out, ContainsRegex("Error: [^\n]*99\n5:UNTESTED_FAILED \\(Rewriter failed\\) \\("));
    EXPECT_THAT(r.out, HasSubstr("\n6:SKIPPED (Data type not supported) ("));
    EXPECT_THAT(r.out, HasSubstr("\n7:PASSED ("));
    EXPECT_THAT(r.out, HasSubstr("\ntests:8 passed:1 skipped:1 mistrusted:0 unimplemented:1 "
                                 "invalid_arguments:4 failed:6 listed:0\n"));
    EXPECT_THAT(r.out, HasSubstr("= Failed cases summary (--summary=no-failures to disable) =\n"));
}

TEST_F(driver_run, end_is_passed_over) {
    const std::string end = op(9, "End", port(4, "f32", "[1, 3, 4, 8]", "[96, 32, 8, 1]"), "");
    const std::string marked = graph("marked.json", usual_op + "," + end);
    const std::string nothing = graph("end.json", end);
    run r = benchtern({"--graph", "--case=" + marked, "--mode=P", "--fix-times-per-prb=1",
            "--case=" + marked, "--mode=C", "--expected-n-partitions=0", "--case=" + nothing});
    EXPECT_THAT(r.out, HasSubstr("\ntests:3 passed:3 ")) << r.out;
}

TEST_F(driver_run, failed_cases_are_listed_ten_at_most) {
    std::vector<std::string> arguments = {"--graph"};
    for (int i = 0; i < 12; ++i)
        arguments.push_back("--case=/no/such/" + std::to_string(i));
    run r = benchtern(arguments);
    std::string summary = r.out.substr(r.out.find("= Failed cases"));
    EXPECT_THAT(summary,
            HasSubstr(
                    "/no/such/9\n(... 2 more cases ...)\n============================\ntests:12"));
    arguments.insert(arguments.begin(), "--summary=no-failures");
    EXPECT_THAT(benchtern(arguments).out, Not(HasSubstr("Failed cases summary")));
}

TEST_F(driver_run, number_of_partitions) {
    run r = benchtern({"--graph", "--expected-n-partitions=2", "--case=" + usual_,
            "--expected-n-partitions=0", "--case=" + usual_});
    EXPECT_EQ(r.exit_code, 1);
    EXPECT_THAT(r.out,
            HasSubstr(
                    "Error: the graph has 1 partitions, but 2 were expected\n0:UNTESTED_FAILED ("));
    EXPECT_THAT(r.out, HasSubstr("__REPRO: --graph --expected-n-partitions=2 --case="));
    EXPECT_THAT(r.out, HasSubstr("\n1:PASSED ("));
}

// B110, B111, B114, B122
TEST_F(driver_run, rows_of_public_bug_reports) {
    for (const char *option : {"--op-kind=1234:Add", "--op-attrs=1234:axis:1",
                 "--in-shapes=1234:2x3", "--dt=1234:f16"}) {
        run r = benchtern({"--graph", option, "--case=" + usual_});
        EXPECT_EQ(r.exit_code, 1) << option;
        EXPECT_THAT(r.out, ContainsRegex("Error: [^\n]*1234\n")) << option;
    }
    EXPECT_EQ(
            benchtern({"--graph", "--dt=f32", "--dt=1:bf16+2:bf16", "--case=" + usual_}).exit_code,
            1);
    EXPECT_EQ(benchtern({"--graph", "--dt=2:bf16+3:bf16+4:bf16", "--case=" + usual_}).exit_code, 0);
    EXPECT_EQ(benchtern({"--graph", "--dt=2:f8_e4m3+3:f8_e4m3+4:f8_e4m3", "--case=" + usual_})
                      .exit_code,
            0);
    std::string strided =
            graph("strided.json", op(0, "Select",
                                          port(1, "boolean", "[2, 3]", "[3, 1]") + ","
                                                  + port(2, "f32", "[2, 3]", "[1, 2]") + ","
                                                  + port(3, "f32", "[2, 3]", "[3, 1]"),
                                          port(4, "f32", "[2, 3]", "[7, 2]")));
    run r = benchtern(
            {"-v8", "--graph", "--case=" + strided, "--in-shapes=1:2x3*ba", "--case=" + strided});
    EXPECT_EQ(r.exit_code, 0);
    EXPECT_THAT(r.out, HasSubstr("tensor 2: f32:strided:undef:2x3:1s2"));
    EXPECT_THAT(r.out, HasSubstr("tensor 4: f32:strided:undef:2x3:7s2"));
    EXPECT_THAT(r.out, HasSubstr("tensor 1: boolean:strided:undef:2x3:1s2"));
    run named = benchtern({"-v2", "--graph", "--dt=2:s4+3:s4+4:s4", "--case=" + usual_});
    EXPECT_THAT(named.out, HasSubstr("data type s4"));
}

// B132: sizes that overflow, and sizes that no machine has.
TEST_F(driver_run, huge_shapes) {
    auto huge = [&](const std::string &name, const std::string &type, const std::string &a,
                        const std::string &b) {
        return "--case="
               + graph(name,
                       op(0, "Select",
                               port(1, "boolean", "[]", "[]") + "," + port(2, type, a, "[1, 1]")
                                       + "," + port(3, type, b, "[1, 1]"),
                               port(4, type, "[-9223372036854775808]", "[-9223372036854775808]")));
    };
    run r = benchtern(
            {"-v2", "--graph", huge("a.json", "f32", "[4294967296, 1]", "[1, 4294967296]"),
                    huge("b.json", "f64", "[2147483648, 1]", "[1, 2147483648]"),
                    huge("c.json", "u8", "[1048576, 1]", "[1, 1048576]")});
    EXPECT_EQ(r.exit_code, 1);
    EXPECT_THAT(r.out, HasSubstr("\n0:INVALID_ARGUMENTS (Invalid case)"));
    EXPECT_THAT(r.out, HasSubstr("\n1:INVALID_ARGUMENTS (Invalid case)"));
    EXPECT_THAT(r.out, HasSubstr("\n2:SKIPPED (Not enough RAM)"));
}

TEST_F(driver_run, verbose_levels) {
    run one = benchtern({"-v1", "--graph", "--case=" + usual_});
    EXPECT_THAT(one.out, HasSubstr("run: --case=" + usual_ + "\n0:PASSED"));
    EXPECT_THAT(one.out, Not(HasSubstr("n_partitions")));
    run three = benchtern({"--verbose=3", "--graph", "--case=" + usual_});
    EXPECT_THAT(three.out, HasSubstr("[INFO]: n_partitions:1; ops_in_partitions: {1}\n"));
    EXPECT_THAT(three.out, HasSubstr("[INFO]: partition #0: implementation "));
    run seven = benchtern({"-v7", "--graph", "--case=" + usual_});
    EXPECT_THAT(seven.out, HasSubstr("[INFO] Graph dump:\n{\n  \"version\": \"\",\n"));
}

TEST_F(driver_run, host_scalar_and_other_properties) {
    run r = benchtern({"--graph", "--in-shapes=2:-", "--tensor-property=2:host_scalar+3:constant",
            "--case=" + usual_});
    EXPECT_EQ(r.exit_code, 0) << r.out;
    run wrong = benchtern({"--graph", "--tensor-property=3:host_scalar", "--case=" + usual_});
    EXPECT_EQ(wrong.exit_code, 1);
    EXPECT_THAT(wrong.out, HasSubstr("0:INVALID_ARGUMENTS (Invalid case)"));
}

TEST_F(driver_run, dump_writes_npy_files) {
    fs::path dump = folder_ / "dump";
    run r = benchtern({"--dump=" + dump.string(), "--graph", "--case=" + usual_, "--mode=R",
            "--case=" + usual_});
    EXPECT_EQ(r.exit_code, 0);
    for (const char *name : {"0_in_1", "0_in_2", "0_in_3", "0_out_4", "1_in_1", "1_out_4"})
        EXPECT_TRUE(fs::exists(dump / (std::string(name) + ".npy"))) << name;
    EXPECT_EQ(fs::file_size(dump / "0_out_4.npy"), 128 + 96 * 4u);
    run bad = benchtern({"--dump=" + usual_, "--graph", "--case=" + usual_});
    EXPECT_EQ(bad.exit_code, 1);
    EXPECT_THAT(bad.err, HasSubstr("cannot make folder"));
}

TEST_F(driver_run, repro_line_pasted_back_runs_the_same_case) {
    fs::create_directories(folder_ / "inner");
    write("inner/again.json", "{\"graph\": [" + usual_op + "]}");
    std::string batch =
            write("batch", "--dt=f16 --in-shapes=3:2x3x4x8*acbd+1:2x1x1x8 --case=inner/again.json");
    auto tail = [](const std::string &out) {
        std::string line = out.substr(out.find("__REPRO: ") + 9);
        return line.substr(0, line.find('\n'));
    };
    run first = benchtern({"--seed=5", "--graph", "--batch=" + batch});
    EXPECT_EQ(first.exit_code, 0) << first.out;
    run second = benchtern(split(tail(first.out), ' '));
    EXPECT_EQ(second.exit_code, 0);
    EXPECT_EQ(tail(second.out), tail(first.out));
}

TEST_F(driver_run, no_case_is_no_failure) {
    run r = benchtern({"--graph"});
    EXPECT_EQ(r.exit_code, 0);
    EXPECT_THAT(r.err, HasSubstr("no --case was given"));
    EXPECT_THAT(r.out, HasSubstr("tests:0 passed:0"));
}

TEST(driver_command, help_and_errors) {
    run help = benchtern({"--help"});
    EXPECT_EQ(help.exit_code, 0);
    EXPECT_THAT(help.out, HasSubstr("Usage: benchtern"));
    run unknown = benchtern({"--graph", "--caes=x"});
    EXPECT_EQ(unknown.exit_code, 2);
    EXPECT_THAT(unknown.err, HasSubstr("        case\n"));
    EXPECT_EQ(unknown.out, "");
}

} // namespace
} // namespace tern::driver
