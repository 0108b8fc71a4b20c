// SPDX-License-Identifier: Apache-2.0
//
// Cases with sequences and optionals: the format's own keys, and the driver on them.
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/driver.hpp"
#include "driver/value_reference.hpp"
#include "formats/json/graph_file.hpp"
#include "temporary_folder.hpp"

namespace tern::driver {
namespace {

using formats::graph_file;
using formats::value_sample;
using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

/// A graph with OptionalHasElement over input 0.
std::string has_element(const std::string &input) {
    return R"({"graph": [{"id": 3, "kind": "OptionalHasElement", "inputs": [{"id": 0, )" + input
           + R"(}], "outputs": [{"id": 1, "dtype": "boolean", "shape": [], "stride": [],)"
           + R"( "layout_type": "strided"}]}]})";
}

graph_file parse(const std::string &input) {
    return formats::parse_graph(has_element(input), "case.json");
}

void expect_refused(const std::string &input, const std::string &words) {
    try {
        parse(input);
        FAIL() << "expected an error: " << words;
    } catch (const error &e) {
        EXPECT_EQ(e.status, status::invalid_arguments);
        EXPECT_THAT(e.message, HasSubstr(words));
        EXPECT_THAT(e.message, HasSubstr("case.json:1:"));
        EXPECT_THAT(e.message, HasSubstr("op 3 (OptionalHasElement): input 0 (id 0)"));
    }
}

TEST(json_values, forms_and_samples) {
    graph_file file = parse(R"("dtype": "f32", "kind": "sequence", "shapes": [[2, 3], [], [0]])");
    EXPECT_EQ(file.ops[0].inputs[0].desc.form, value_form::sequence);
    EXPECT_EQ(file.ops[0].inputs[0].desc.type, data_type::f32);
    EXPECT_THAT(file.samples.at(0).shapes, ElementsAre(dims{2, 3}, dims{}, dims{0}));
    file = parse(R"("dtype": "f32", "kind": "optional", "shape": [4])");
    EXPECT_EQ(file.ops[0].inputs[0].desc.form, value_form::optional_tensor);
    EXPECT_THAT(file.samples.at(0).shapes, ElementsAre(dims{4}));
    file = parse(R"("dtype": "s8", "kind": "optional", "element": "sequence", "state": "empty")");
    EXPECT_EQ(file.ops[0].inputs[0].desc.form, value_form::optional_sequence);
    EXPECT_EQ(file.samples.at(0).what, value_sample::state::empty);
    file = parse(R"("dtype": "s8", "kind": "optional", "element": "tensor", "state": "absent")");
    EXPECT_EQ(file.samples.at(0).what, value_sample::state::absent);
    file = parse(R"("dtype": "s8", "kind": "optional")");
    EXPECT_TRUE(file.samples.empty());
    file = parse(R"("dtype": "s8", "kind": "tensor", "shape": [2], "stride": [1],)"
                 R"( "layout_type": "strided")");
    EXPECT_EQ(file.ops[0].inputs[0].desc.form, value_form::tensor);
}

TEST(json_values, there_and_back) {
    for (const char *input : {R"("dtype": "f32", "kind": "sequence", "shapes": [[2, 3], [], [0]])",
                 R"("dtype": "f32", "kind": "sequence")",
                 R"("dtype": "string", "kind": "optional", "shape": [4, 0])",
                 R"("dtype": "string", "kind": "optional", "state": "present")",
                 R"("dtype": "s8", "kind": "optional", "element": "sequence", "state": "empty")",
                 R"("dtype": "s8", "kind": "optional", "element": "sequence", "shapes": [])",
                 R"("dtype": "s8", "kind": "optional", "element": "tensor", "state": "absent")"}) {
        const graph_file file = parse(input);
        const std::string text = formats::write_graph(file);
        const graph_file again = formats::parse_graph(text, "again");
        EXPECT_EQ(formats::write_graph(again), text);
        EXPECT_EQ(again.samples, file.samples);
        EXPECT_EQ(again.ops[0].inputs[0].desc, file.ops[0].inputs[0].desc);
    }
}

TEST(json_values, complaints) {
    expect_refused(R"("dtype": "f32", "kind": "map")", "key \"kind\": expected tensor, sequence");
    expect_refused(R"("dtype": "f32", "kind": 1)", "key \"kind\": expected a string");
    expect_refused(R"("dtype": "f32", "kind": "sequence", "element": "tensor")",
            "key \"element\": only an optional has one");
    expect_refused(R"("dtype": "f32", "kind": "optional", "element": "optional")",
            "key \"element\": expected tensor or sequence");
    expect_refused(R"("dtype": "f32", "kind": "sequence", "state": "empty")",
            "key \"state\": only an optional has one");
    expect_refused(R"("dtype": "f32", "kind": "optional", "state": "none")",
            "key \"state\": expected present, empty or absent, found the string \"none\"");
    expect_refused(R"("dtype": "f32", "kind": "optional", "state": "empty", "shape": [1])",
            "key \"shape\": an optional that is empty has no shapes");
    expect_refused(R"("dtype": "f32", "kind": "sequence", "shapes": 3)",
            "key \"shapes\": expected a list");
    expect_refused(R"("dtype": "f32", "kind": "sequence", "shapes": [3])",
            "key \"shapes\": expected a list, found the number 3");
    expect_refused(R"("dtype": "f32", "kind": "optional", "shape": [-9223372036854775808])",
            "key \"shape\": expected a shape without unknown sizes");
    expect_refused(R"("dtype": "f32", "kind": "optional", "shape": [-1])", "no negative number");
    expect_refused(R"("dtype": "f33", "kind": "optional")", "key \"dtype\"");
    // One id, two descriptions.
    const std::string two = R"({"graph": [
        {"id": 1, "kind": "SequenceLength", "inputs": [{"id": 0, "dtype": "f32", "kind": "sequence",
            "shapes": [[1]]}], "outputs": [{"id": 5, "dtype": "s64", "shape": [], "stride": [],
            "layout_type": "strided"}]},
        {"id": 2, "kind": "SequenceLength", "inputs": [{"id": 0, "dtype": "f32", "kind": KIND}],
            "outputs": [{"id": 6, "dtype": "s64", "shape": [], "stride": [],
            "layout_type": "strided"}]}]})";
    auto expect_two = [&](const std::string &kind, const std::string &words) {
        std::string text = two;
        text.replace(text.find("KIND"), 4, kind);
        try {
            formats::parse_graph(text, "case.json");
            FAIL();
        } catch (const error &e) {
            EXPECT_THAT(e.message, HasSubstr(words));
        }
    };
    expect_two(R"("sequence", "shapes": [[2]])", "state and shapes are not those");
    expect_two(R"("optional", "element": "sequence")",
            "tensor 0 is described as optional(seq(tensor(f32))), but as seq(tensor(f32))");
}

class driver_values : public testing::Test {
protected:
    std::string run(const std::string &text, const std::vector<std::string> &options) {
        const std::string path = folder_.file("case.json", text);
        std::vector<std::string> arguments = {"--graph", "--expected-n-partitions=0"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        arguments.push_back("--case=" + path);
        testing::internal::CaptureStdout();
        exit_code_ = run_driver(arguments);
        return testing::internal::GetCapturedStdout();
    }

    temporary_folder folder_;
    int exit_code_ = -1;
};

TEST_F(driver_values, every_mode) {
    const std::string text = has_element(R"("dtype": "f32", "kind": "optional", "shape": [4])");
    const std::vector<std::pair<std::string, std::string>> lines = {{"L", ":LISTED"},
            {"I", ":INITIALIZED"}, {"R", ":EXECUTED"}, {"C", ":PASSED"}, {"B", ":PASSED"}};
    for (const auto &[mode, line] : lines) {
        EXPECT_THAT(run(text, {"--mode=" + mode}), HasSubstr(line)) << mode;
        EXPECT_EQ(exit_code_, 0) << mode;
    }
    EXPECT_THAT(run(text, {"--mode=P", "--fix-times-per-prb=3"}), HasSubstr("perf,"));
    EXPECT_EQ(exit_code_, 0);
}

TEST_F(driver_values, dumps_tensors) {
    run(has_element(R"("dtype": "f32", "kind": "sequence", "shapes": [[4]])"),
            {"--dump=" + (folder_.path() / "dump").string()});
    EXPECT_EQ(exit_code_, 0);
    EXPECT_TRUE(fs::exists(folder_.path() / "dump/0_out_1.npy"));
    EXPECT_FALSE(fs::exists(folder_.path() / "dump/0_in_0.npy"));
}

TEST_F(driver_values, options_that_would_change_the_graph) {
    const std::string text = has_element(R"("dtype": "f32", "kind": "optional", "shape": [4])");
    for (const char *option : {"--in-shapes=1:2", "--dt=f16", "--dt=1:u8", "--op-kind=3:Identity",
                 "--op-attrs=3:type:x", "--mb=2"}) {
        EXPECT_THAT(run(text, {option}), HasSubstr("runs as the file has it")) << option;
        EXPECT_EQ(exit_code_, 1) << option;
    }
    EXPECT_THAT(run(text, {"--attr-fpmath=bf16"}), HasSubstr(":PASSED"));
}

TEST_F(driver_values, what_the_library_refuses) {
    EXPECT_THAT(run(has_element(R"("dtype": "f8_e4m3", "kind": "optional")"), {}),
            HasSubstr("input (tensor 0) has data type f8_e4m3"));
    EXPECT_EQ(exit_code_, 1);
    const std::string large =
            R"("dtype": "f32", "kind": "optional", "shape": [4611686018427387904, 4])";
    EXPECT_THAT(run(has_element(large), {}), HasSubstr("does not fit 64 bits"));
    EXPECT_EQ(exit_code_, 1);
    const std::string no_ram =
            R"("dtype": "f32", "kind": "optional", "shape": [1099511627776, 1024])";
    EXPECT_THAT(run(has_element(no_ram), {}), HasSubstr("SKIPPED"));
}

TEST_F(driver_values, an_empty_optional_has_no_element_to_get) {
    EXPECT_THAT(run(R"({"graph": [{"id": 3, "kind": "OptionalGetElement", "inputs": [
                    {"id": 0, "dtype": "f32", "kind": "optional", "state": "empty"}], "outputs": [
                    {"id": 1, "dtype": "f32", "shape": [], "stride": [],
                    "layout_type": "strided"}]}]})",
                        {}),
            HasSubstr("OptionalGetElement (op 3): input is an empty optional(tensor(f32))"));
    EXPECT_EQ(exit_code_, 1);
}

// The comparison finds what it is there for.

std::int64_t errors_of(const value &expected, const value &found) {
    testing::internal::CaptureStdout();
    const comparison result = compare_values(expected, found, compare_rule::exact_bits, "test", 0);
    const std::string out = testing::internal::GetCapturedStdout();
    EXPECT_EQ(out.empty(), result.errors == 0);
    return result.errors;
}

TEST(driver_value_reference, comparison) {
    const float numbers[] = {1, 2, 3, 4};
    const value a = value::tensor(data_type::f32, {2}, numbers);
    const value b = value::tensor(data_type::f32, {2}, numbers + 1);
    const value wide = value::tensor(data_type::f32, {2, 1}, numbers);
    const value s = value::sequence(data_type::f32, {a, b});
    const value empty = value::empty_optional(a.type());
    EXPECT_EQ(errors_of(a, a), 0);
    EXPECT_EQ(errors_of(a, b), 2);
    EXPECT_EQ(errors_of(a, wide), 1);
    EXPECT_EQ(errors_of(a, value()), 1);
    EXPECT_EQ(errors_of(value(), value()), 0);
    EXPECT_EQ(errors_of(s, s), 0);
    EXPECT_EQ(errors_of(s, value::sequence(data_type::f32, {a, a})), 2);
    EXPECT_EQ(errors_of(s, value::sequence(data_type::f32, {a})), 1);
    EXPECT_EQ(errors_of(s, value::sequence(data_type::f16)), 1);
    EXPECT_EQ(errors_of(value::optional(a), empty), 1);
    EXPECT_EQ(errors_of(value::optional(a), value::optional(b)), 2);
    EXPECT_EQ(errors_of(empty, empty), 0);
    EXPECT_EQ(errors_of(empty, value::empty_optional(s.type())), 1);
    const value texts = value::strings({2}, {"one", "two"});
    EXPECT_EQ(errors_of(texts, value::strings({2}, {"one", "two"})), 0);
    EXPECT_EQ(errors_of(texts, value::strings({2}, {"one", "tw"})), 1);
}

} // namespace
} // namespace tern::driver
