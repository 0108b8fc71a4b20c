// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/case_text.hpp"
#include "driver/command_line.hpp"
#include "driver/option_values.hpp"

namespace tern::driver {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

run_plan parse(std::vector<std::string> behind_graph, std::vector<std::string> before = {}) {
    before.push_back("--graph");
    before.insert(before.end(), behind_graph.begin(), behind_graph.end());
    return parse_command_line(before);
}

/// The alternatives in force at a --case that follows the options.
case_alternatives alternatives(std::vector<std::string> options) {
    options.push_back("--case=x.json");
    return parse(options).cases.at(0).alternatives;
}

std::vector<std::string> case_texts(const std::vector<std::string> &arguments) {
    std::vector<std::string> texts;
    for (const planned_case &one : parse_command_line(arguments).cases)
        for_each_combination(one.alternatives, [&](const case_options &options) {
            texts.push_back(settings_to_text(one.settings) + case_to_text(options, one.path));
        });
    return texts;
}

struct refusal {
    int exit_code = 0;
    std::string message;
};

refusal refuse(const std::vector<std::string> &arguments) {
    try {
        parse_command_line(arguments);
    } catch (const usage_error &failure) {
        return {failure.exit_code, failure.what()};
    }
    return {};
}

TEST(driver_options, defaults) {
    run_plan plan = parse({"--case=a.json"});
    ASSERT_EQ(plan.cases.size(), 1u);
    EXPECT_EQ(plan.cases[0].path, "a.json");
    EXPECT_EQ(plan.settings.mode, run_mode::correctness);
    EXPECT_EQ(plan.settings.max_ms_per_prb, 3000);
    EXPECT_TRUE(plan.settings.list_failures);
    EXPECT_EQ(case_texts({"--graph", "--case=a.json"}),
            (std::vector<std::string>{"--graph --case=a.json"}));
}

TEST(driver_options, globals) {
    run_settings s = parse({"--case=a"},
            {"--mode=p", "-v3", "--max-ms-per-prb=100.5", "--fix-times-per-prb=7", "--engine=cpu:0",
                    "--summary=no-failures", "--seed=18446744073709551615", "--cond-density=0.25",
                    "--in-place=1"})
                             .settings;
    EXPECT_EQ(s.mode, run_mode::performance);
    EXPECT_EQ(s.verbose, 3);
    EXPECT_EQ(s.max_ms_per_prb, 100.5);
    EXPECT_EQ(s.fix_times_per_prb, 7);
    EXPECT_FALSE(s.list_failures);
    EXPECT_EQ(s.seed, UINT64_MAX);
    EXPECT_EQ(s.cond_density, 0.25);
    EXPECT_TRUE(s.in_place);
    EXPECT_EQ(parse({"--verbose=50"}).settings.verbose, 50);
    EXPECT_EQ(parse({"--max-ms-per-prb=1"}).settings.max_ms_per_prb, 10);
    EXPECT_EQ(parse({"--max-ms-per-prb=1e9"}).settings.max_ms_per_prb, 60000);
    EXPECT_EQ(parse({"--mode=L", "--mode="}).settings.mode, run_mode::correctness);
    EXPECT_EQ(parse({"--mode=i"}).settings.mode, run_mode::initialize);
    EXPECT_EQ(parse({"--mode=R"}).settings.mode, run_mode::run);
}

TEST(driver_options, modes_and_modifiers) {
    EXPECT_EQ(parse({"--mode=F"}).settings.mode, run_mode::fast_performance);
    EXPECT_EQ(parse({"--mode=s"}).settings.mode, run_mode::single_performance);
    EXPECT_EQ(parse({"--mode=B"}).settings.mode, run_mode::bitwise);
    EXPECT_FALSE(parse({"--mode-modifier=P", "--mode-modifier="}).settings.parallel_creation);
    run_settings both = parse({"--mode-modifier=P", "--mode-modifier=M"}).settings;
    EXPECT_TRUE(both.parallel_creation && both.no_host_memory);
    EXPECT_EQ(parse({"--start=12"}).settings.start, 12u);
    // What mode F and S take in the place of these is not shown.
    EXPECT_THAT(case_texts({"--max-ms-per-prb=100", "--mode=F", "--graph", "--case=a"}),
            ElementsAre("--mode=F --graph --case=a"));
    EXPECT_THAT(case_texts({"--fix-times-per-prb=7", "--mode=S", "--graph", "--case=a"}),
            ElementsAre("--mode=S --graph --case=a"));
    EXPECT_THAT(case_texts({"--start=3", "--mode=B", "--graph", "--case=a"}),
            ElementsAre("--mode=B --graph --case=a"));
}

TEST(driver_options, an_option_acts_on_later_cases_only) {
    EXPECT_THAT(case_texts({"--graph", "--case=a", "--mb=2", "--mode=R", "--case=b", "--reset",
                        "--case=c"}),
            ElementsAre("--graph --case=a", "--mode=R --graph --mb=2 --case=b",
                    "--mode=R --graph --case=c"));
}

TEST(driver_options, id_values) {
    case_alternatives all =
            alternatives({"--in-shapes=0:2x3+1:*ba,,4:-", "--op-attrs=7:axis:-1*mode:none",
                    "--op-kind=1:Add+2:undef", "--tensor-property=0:constant"});
    ASSERT_EQ(all.in_shapes.size(), 3u);
    EXPECT_EQ(all.in_shapes[0], (id_values{{0, "2x3"}, {1, "*ba"}}));
    EXPECT_TRUE(all.in_shapes[1].empty());
    EXPECT_EQ(all.in_shapes[2], (id_values{{4, "-"}}));
    EXPECT_EQ(all.op_attrs[0], (id_values{{7, "axis:-1*mode:none"}}));
    EXPECT_EQ(all.op_kind[0], (id_values{{1, "Add"}, {2, "undef"}}));
    EXPECT_EQ(all.tensor_property[0], (id_values{{0, "constant"}}));
    // A comma at either end is one more case without a change.
    EXPECT_EQ(alternatives({"--in-shapes=,0:1"}).in_shapes.size(), 2u);
    EXPECT_EQ(alternatives({"--in-shapes=0:1,"}).in_shapes.size(), 2u);
    // benchdnn looks past an empty value.
    EXPECT_EQ(alternatives({"--in-shapes=0:1", "--in-shapes="}).in_shapes[0].size(), 1u);
    // One of oneDNN's batch files has junk behind an id.
    EXPECT_EQ(alternatives({"--in-shapes=2*abc:3"}).in_shapes[0], (id_values{{2, "3"}}));
}

TEST(driver_options, data_types) {
    EXPECT_THAT(alternatives({"--dt=f32,bf16,,f16"}).dt,
            ElementsAre(data_type::f32, data_type::bf16, data_type::undef, data_type::f16));
    // B111
    EXPECT_EQ(alternatives({"--dt=2:bf16+3:bf16+4:bf16"}).dt_map[0],
            (id_types{{2, data_type::bf16}, {3, data_type::bf16}, {4, data_type::bf16}}));
    refusal both = refuse({"--graph", "--dt=f32", "--dt=1:bf16+2:bf16"});
    EXPECT_EQ(both.exit_code, 1);
    EXPECT_THAT(both.message, HasSubstr("cannot both be in force"));
    EXPECT_EQ(refuse({"--graph", "--dt=1:bf16", "--dt=f32"}).exit_code, 1);
    EXPECT_EQ(refuse({"--graph", "--dt=1:bf16", "--reset", "--dt=f32"}).exit_code, 0);
}

TEST(driver_options, partitions_fpmath_mb) {
    EXPECT_THAT(
            alternatives({"--expected-n-partitions=1,2,0"}).expected_n_partitions, ElementsAre(0u));
    EXPECT_THAT(alternatives({"--mb=0,4"}).mb, ElementsAre(0, 4));
    EXPECT_THAT(alternatives({"--mb=5", "--mb="}).mb, ElementsAre(0));
    case_alternatives all = alternatives({"--attr-fpmath=bf16:true", "--attr-fpmath=strict"});
    ASSERT_EQ(all.fpmath.size(), 2u); // they add up until --reset
    EXPECT_EQ(all.fpmath[0]->mode, fpmath_mode::bf16);
    EXPECT_TRUE(all.fpmath[0]->apply_to_int);
    EXPECT_EQ(all.fpmath[1]->mode, fpmath_mode::strict);
    EXPECT_FALSE(alternatives({"--attr-fpmath=f16", "--reset"}).fpmath[0].has_value());
}

TEST(driver_options, product_has_benchdnn_order) {
    EXPECT_THAT(case_texts({"--graph", "--mb=0,2", "--dt=f32,f16", "--in-shapes=,1:5", "--case=a"}),
            ElementsAre("--graph --dt=f32 --case=a", "--graph --mb=2 --dt=f32 --case=a",
                    "--graph --dt=f16 --case=a", "--graph --mb=2 --dt=f16 --case=a",
                    "--graph --dt=f32 --in-shapes=1:5 --case=a",
                    "--graph --mb=2 --dt=f32 --in-shapes=1:5 --case=a",
                    "--graph --dt=f16 --in-shapes=1:5 --case=a",
                    "--graph --mb=2 --dt=f16 --in-shapes=1:5 --case=a"));
}

TEST(driver_options, repro_line_runs_the_same_case) {
    const std::vector<std::string> arguments = {"--mode=P", "--mode-modifier=m",
            "--max-ms-per-prb=1234.5", "--fix-times-per-prb=3", "--impl=loops", "--seed=9",
            "--cond-density=0.1", "--masked-rows=0.25", "--in-place=true", "--graph", "--mb=3",
            "--dt=1:f16+2:f16", "--op-kind=4:undef", "--tensor-property=0:constant+1:host_scalar",
            "--in-shapes=1:2x3*ba+5:-+6:*3x1", "--op-attrs=0:axis:-1*order:1x0",
            "--attr-fpmath=tf32:true", "--expected-n-partitions=0", "--case=dir/a.json"};
    std::vector<std::string> texts = case_texts(arguments);
    ASSERT_EQ(texts.size(), 1u);
    EXPECT_EQ(texts[0],
            "--mode=P --mode-modifier=M --max-ms-per-prb=1234.5 --fix-times-per-prb=3 --impl=loops "
            "--seed=9 --cond-density=0.1 --masked-rows=0.25 --in-place=true --graph --mb=3 "
            "--dt=1:f16+2:f16 --op-kind=4:undef "
            "--tensor-property=0:constant+1:host_scalar --in-shapes=1:2x3*ba+5:-+6:*3x1 "
            "--op-attrs=0:axis:-1*order:1x0 --attr-fpmath=tf32:true --expected-n-partitions=0 "
            "--case=dir/a.json");
    EXPECT_EQ(case_texts(split(texts[0], ' ')), texts);
}

TEST(driver_options, help_wins) {
    EXPECT_TRUE(parse_command_line({"--help"}).help);
    EXPECT_TRUE(parse({"--case=a", "--help", "--nonsense"}).help);
    EXPECT_THAT(help_text(), HasSubstr("--in-shapes=ID:SHAPE"));
}

struct bad_line {
    std::vector<std::string> arguments;
    int exit_code;
    std::vector<std::string> parts;
};

TEST(driver_options, bad_values_and_unknown_options) {
    const std::vector<bad_line> table = {
            {{}, 1, {"no arguments"}},
            {{"-v1"}, 1, {"--graph is missing"}},
            {{"--matmul"}, 1, {"expected a global option or --graph", "'--matmul'"}},
            {{"--case=a", "--graph"}, 1, {"this option goes behind --graph", "--case"}},
            {{"--dt=f32", "--graph"}, 1, {"this option goes behind --graph"}},
            {{"--graph", "--mode=X"}, 1, {"--mode", "'X'"}},
            {{"--graph", "--mode=CP"}, 1, {"one letter", "'CP'"}},
            {{"--graph", "--mode=F", "--max-ms-per-prb=5"}, 2, {"mode F"}},
            {{"--graph", "--mode=S", "--fix-times-per-prb=5"}, 2, {"mode S"}},
            {{"--graph", "--mode-modifier=PM"}, 1, {"--mode-modifier", "'PM'"}},
            {{"--graph", "--start=-1"}, 1, {"--start", "-1"}},
            {{"--graph", "--masked-rows=2"}, 1, {"--masked-rows", "expected 0 to 1, found 2"}},
            {{"--graph", "--engine=gpu"}, 2, {"no GPU"}},
            {{"--graph", "--engine=cpu:1"}, 1, {"cpu:1"}},
            {{"--graph", "--verbose=x"}, 1, {"--verbose", "expected an integer", "'x'"}},
            {{"--graph", "-v"}, 1, {"--verbose", "''"}},
            {{"--graph", "-v3x"}, 1, {"--verbose", "'3x'"}},
            {{"--graph", "--verbose"}, 1, {"expected --verbose=N"}},
            {{"--graph", "--fix-times-per-prb=-1"}, 1, {"found -1"}},
            {{"--graph", "--max-ms-per-prb=nan"}, 1, {"expected a number", "'nan'"}},
            {{"--graph", "--cond-density=1.5"}, 1, {"expected 0 to 1, found 1.5"}},
            {{"--graph", "--in-place=maybe"}, 1, {"expected true or false"}},
            {{"--graph", "--seed=-1"}, 1, {"'-1'"}},
            {{"--graph", "--summary=impl"}, 2, {"not available"}},
            {{"--graph", "--summary=x"}, 1, {"no-failures"}},
            {{"--graph", "--in-shapes=3"}, 1, {"--in-shapes", "'3'", "colon is missing"}},
            {{"--graph", "--in-shapes=x:3"}, 1, {"expected a number as id, found 'x'"}},
            {{"--graph", "--in-shapes=-1:3"}, 1, {"expected a number as id, found '-1'"}},
            {{"--graph", "--in-shapes=99999999999999999999:3"}, 1, {"expected a number as id"}},
            {{"--graph", "--in-shapes=3:"}, 1, {"value after the colon is missing"}},
            {{"--graph", "--in-shapes=3:1+3:2"}, 1, {"id 3 is given twice, as '1' and as '2'"}},
            {{"--graph", "--op-attrs=a:axis:1"}, 1, {"--op-attrs", "'a'"}},
            {{"--graph", "--op-kind=Add"}, 1, {"expected OPID:KIND, found 'Add'"}},
            {{"--graph", "--tensor-property=0:fixed"}, 1, {"host_scalar for id 0, found 'fixed'"}},
            {{"--graph", "--dt=f33"}, 1, {"expected a data type, found 'f33'"}},
            {{"--graph", "--dt=1:f33"}, 1, {"expected a data type, found 'f33'"}},
            {{"--graph", "--mb=x"}, 1, {"--mb", "'x'"}},
            {{"--graph", "--mb=-2"}, 1, {"--mb", "-2"}},
            {{"--graph", "--expected-n-partitions=-1"}, 1, {"--expected-n-partitions", "-1"}},
            {{"--graph", "--expected-n-partitions=two"}, 1, {"'two'"}},
            {{"--graph", "--attr-fpmath=f64"}, 1, {"tf32", "'f64'"}},
            {{"--graph", "--attr-fpmath=f16:maybe"}, 1, {"'maybe'"}},
            {{"--graph", "--attr-fpmath=f16:true:x"}, 1, {"'f16:true:x'"}},
            {{"--graph", "--case="}, 1, {"--case", "file name"}},
            {{"--graph", "--batch=/no/such/batch"}, 1,
                    {"--batch", "/no/such/batch", "cannot open"}},
            {{"--graph", "--in-shpes=0:1"}, 2,
                    {"unknown option for 'graph' driver: '--in-shpes=0:1'",
                            "The most similar option", "        in-shapes"}},
            {{"--graph", "--zzzzzzzzzzzzzzzzzzzz"}, 2, {"unknown option"}},
            {{"--graph", "--skip-impl=ref"}, 2, {"--skip-impl: benchdnn has it"}},
            {{"--graph", "--attr-scales=x"}, 2, {"--attr-scales: benchdnn has it"}},
            {{"--graph", "--cold-cache=all"}, 2, {"--cold-cache"}},
            {{"--graph", "-case=a"}, 2, {"two dashes", "'-case=a'"}},
            {{"--graph", "a.json"}, 2, {"unexpected argument 'a.json'", "--case=FILE"}},
            {{"--graph", ""}, 2, {"unexpected argument ''"}},
            {{"--graph", "--"}, 2, {"two dashes"}},
            {{"--onnx", "--dt=f32"}, 2, {"--dt: the driver --onnx does not have it"}},
            {{"--onnx", "--cse=a"}, 2, {"unknown option for 'onnx' driver", "        case"}},
            {{"--onnx", "a.onnx"}, 2, {"a model is given as --case=FILE"}},
    };
    for (const bad_line &row : table) {
        refusal found = refuse(row.arguments);
        std::string line = row.arguments.empty() ? "" : row.arguments.back();
        EXPECT_EQ(found.exit_code, row.exit_code) << line << ": " << found.message;
        for (const std::string &part : row.parts)
            EXPECT_THAT(found.message, HasSubstr(part)) << line;
    }
}

TEST(driver_options, long_junk_is_refused_quickly) {
    refusal found = refuse({"--graph", "--" + std::string(1000000, 'x')});
    EXPECT_EQ(found.exit_code, 2);
}

} // namespace
} // namespace tern::driver
