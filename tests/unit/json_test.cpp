// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/file.hpp"
#include "formats/json/document.hpp"
#include "formats/json/graph_file.hpp"
#include "temporary_folder.hpp"

namespace tern::formats {
namespace {

using testing::HasSubstr;

std::string port(const std::string &id, const std::string &type, const std::string &shape,
        const std::string &stride, const std::string &layout = "strided",
        const std::string &property = "undef") {
    return R"({"id": )" + id + R"(, "dtype": ")" + type + R"(", "shape": )" + shape
           + R"(, "stride": )" + stride + R"(, "layout_type": ")" + layout
           + R"(", "property_type": ")" + property + "\"}";
}

std::string op_with(const std::string &attrs, const std::string &inputs) {
    return R"({"id": 7, "name": "pick", "kind": "Select", "attrs": {)" + attrs + R"(}, "inputs": [)"
           + inputs + R"(], "outputs": [)" + port("3", "f32", "[2, 3]", "[3, 1]") + "]}";
}

std::string graph_with(const std::string &ops) {
    return R"({"version": "3.7.0", "graph": [)" + ops + "]}";
}

const std::string usual_inputs = port("0", "boolean", "[2, 3]", "[3, 1]") + ","
                                 + port("1", "f32", "[2, 3]", "[1, 2]") + ","
                                 + port("2", "f32", "[]", "[]");
const std::string usual_op = op_with("", usual_inputs);

/// The message with which a text is refused; empty when it is not.
std::string refusal_of(const std::string &text) {
    try {
        parse_graph(text, "case.json");
    } catch (const error &failure) {
        EXPECT_EQ(failure.status, status::invalid_arguments);
        return failure.message;
    }
    return "";
}

TEST(graph_reader, reads_every_field) {
    graph_file graph = parse_graph(
            R"({"version": "3.7.0", "engine_kind": "cpu", "fpmath_mode": "bf16",
                "fpmath_mode_apply_to_int": "true", "input_ports": [0, 1, 2], "output_ports": [3],
                "graph": [)"
                    + op_with(R"("auto_broadcast": {"type": "string", "value": "none"})",
                            usual_inputs)
                    + "]}",
            "case.json");
    EXPECT_EQ(graph.version, "3.7.0");
    EXPECT_EQ(graph.engine_kind, "cpu");
    EXPECT_EQ(graph.fpmath, fpmath_mode::bf16);
    EXPECT_TRUE(graph.fpmath_apply_to_int);
    EXPECT_EQ(graph.input_ports, (std::vector<std::size_t>{0, 1, 2}));
    EXPECT_EQ(graph.output_ports, (std::vector<std::size_t>{3}));
    ASSERT_EQ(graph.ops.size(), 1u);
    const ir::op_spec &op = graph.ops[0];
    EXPECT_EQ(op.id, 7u);
    EXPECT_EQ(op.name, "pick");
    EXPECT_EQ(op.kind, op_kind::Select);
    ASSERT_EQ(op.attrs.size(), 1u);
    EXPECT_EQ(op.attrs[0].first, op_attr::auto_broadcast);
    EXPECT_EQ(std::get<std::string>(op.attrs[0].second), "none");
    ASSERT_EQ(op.inputs.size(), 3u);
    EXPECT_EQ(op.inputs[1].id, 1u);
    EXPECT_EQ(op.inputs[1].desc.type, data_type::f32);
    EXPECT_EQ(op.inputs[1].desc.shape, (dims{2, 3}));
    EXPECT_EQ(op.inputs[1].desc.strides, (dims{1, 2}));
    EXPECT_EQ(op.inputs[1].desc.layout, layout_type::strided);
    EXPECT_TRUE(op.inputs[2].desc.rank_known);
    EXPECT_EQ(op.inputs[2].desc.shape.rank(), 0);
    EXPECT_EQ(op.outputs.size(), 1u);
}

TEST(graph_reader, reads_every_kind_of_attribute) {
    graph_file graph = parse_graph(
            graph_with(op_with(
                    R"("axis": {"type": "s64", "value": -1}, "alpha": {"type": "f32", "value": 2},
                       "keep_dims": {"type": "bool", "value": 1},
                       "special_zero": {"type": "bool", "value": false},
                       "mode": {"type": "string", "value": "none"},
                       "order": {"type": "s64[]", "value": [0, 2, 1]},
                       "scales": {"type": "f32[]", "value": [0.5, 1]})",
                    usual_inputs)),
            "case.json");
    const ir::attr_list &attrs = graph.ops[0].attrs;
    EXPECT_EQ(std::get<std::int64_t>(*ir::find(attrs, op_attr::axis)), -1);
    EXPECT_EQ(std::get<float>(*ir::find(attrs, op_attr::alpha)), 2.0f);
    EXPECT_TRUE(std::get<bool>(*ir::find(attrs, op_attr::keep_dims)));
    EXPECT_FALSE(std::get<bool>(*ir::find(attrs, op_attr::special_zero)));
    EXPECT_EQ(std::get<std::string>(*ir::find(attrs, op_attr::mode)), "none");
    EXPECT_EQ(std::get<std::vector<std::int64_t>>(*ir::find(attrs, op_attr::order)),
            (std::vector<std::int64_t>{0, 2, 1}));
    EXPECT_EQ(std::get<std::vector<float>>(*ir::find(attrs, op_attr::scales)),
            (std::vector<float>{0.5f, 1.0f}));
}

TEST(graph_reader, one_int64_min_means_unknown) {
    graph_file graph = parse_graph(
            graph_with(op_with(
                    "", port("0", "boolean", "[-9223372036854775808]", "[-9223372036854775808]")
                                + "," + port("1", "f32", "[2, 3]", "[-9223372036854775808]") + ","
                                + port("2", "f32", "[2, -9223372036854775808]", "[3, 1]"))),
            "case.json");
    const std::vector<ir::port> &inputs = graph.ops[0].inputs;
    EXPECT_FALSE(inputs[0].desc.rank_known);
    EXPECT_TRUE(inputs[1].desc.shape_known());
    EXPECT_EQ(inputs[1].desc.strides, (dims{unknown_dim, unknown_dim}));
    EXPECT_EQ(inputs[2].desc.shape, (dims{2, unknown_dim}));
}

TEST(graph_reader, skips_unknown_keys) {
    graph_file graph = parse_graph(R"({"note": {"graph": [1, {"a": [[]]}]}, "graph": [)" + usual_op
                                           + R"(], "tail": null})",
            "case.json");
    EXPECT_EQ(graph.ops.size(), 1u);
}

// B116
TEST(graph_reader, attribute_type_must_be_that_of_the_attribute) {
    auto with = [](const std::string &type_and_value) {
        return graph_with(op_with("\"auto_broadcast\": {" + type_and_value + "}", usual_inputs));
    };
    EXPECT_EQ(refusal_of(with(R"("type": "string", "value": "numpy")")), "");
    EXPECT_EQ(refusal_of(with(R"("type": "string", "value": "none")")), "");
    std::string message = refusal_of(with(R"("type": "bool", "value": 1)"));
    EXPECT_THAT(message, HasSubstr("auto_broadcast"));
    EXPECT_THAT(message, HasSubstr("expected string"));
    EXPECT_THAT(message, HasSubstr("found the string \"bool\""));
}

struct refused {
    std::string text;
    std::vector<std::string> parts;
};

TEST(graph_reader, refuses_malformed_text_with_its_position) {
    const std::vector<refused> table = {
            {"", {"case.json:1:1: malformed JSON", "the file is empty"}},
            {" \n", {"malformed JSON", "the file is empty"}},
            {"{", {"case.json:1:", "malformed JSON"}},
            {"{\n\"graph\": [,]}", {"case.json:2:11: malformed JSON", "unexpected ','"}},
            {"{\"graph\": []} x", {"case.json:1:15: malformed JSON"}},
            {"{\"graph\": [nan]}", {"case.json:1:13: malformed JSON"}},
            {"{\"version\": \"\x80\"}", {"case.json:1:", "malformed JSON", "UTF-8"}},
            {"{\"version\": \"a\nb\"}", {"malformed JSON"}},
            {"{\"version\": 1e999}", {"malformed JSON", "number overflow"}},
            {std::string("{\"version\": \"a\0b\"}", 19), {"malformed JSON"}},
            {"{\n \"graph\": [],\n \"graph\": []}",
                    {"case.json:3:", "key \"graph\" is given twice"}},
            {std::string(100, '[') + std::string(100, ']'), {"nested deeper than 64 levels"}},
            {std::string(1000000, '['), {"nested deeper than 64 levels"}},
    };
    for (const refused &row : table) {
        std::string message = refusal_of(row.text);
        for (const std::string &part : row.parts)
            EXPECT_THAT(message, HasSubstr(part)) << row.text.substr(0, 60);
    }
}

TEST(graph_reader, refuses_what_costs_more_than_its_size) {
    std::string many = "{\"note\": [";
    for (std::size_t i = 0; i < max_json_values; ++i)
        many += "0,";
    EXPECT_THAT(refusal_of(many + "0]}"), HasSubstr("more than 200000 values"));
    std::string keys = "{";
    for (int i = 0; i < 300; ++i)
        keys += "\"k" + std::to_string(i) + "\": 0,";
    EXPECT_THAT(refusal_of(keys + "\"graph\": []}"), HasSubstr("more than 256 keys"));
}

TEST(graph_reader, refuses_wrong_structure) {
    const std::string inputs = usual_inputs;
    const std::vector<refused> table = {
            {"[]", {"case.json:1:1: expected an object, found a list of 0"}},
            {"{}", {"missing key \"graph\""}},
            {R"({"graph": []})", {"key \"graph\": expected at least one op, found none"}},
            {R"({"graph": {}})", {"key \"graph\": expected a list, found an object"}},
            {R"({"graph": [3]})", {"op at index 0: expected an object, found the number 3"}},
            {R"({"version": 3, "graph": []})", {"key \"version\": expected a string"}},
            {R"({"fpmath_mode": "f64", "graph": []})", {"fpmath_mode", "tf32", "\"f64\""}},
            {R"({"fpmath_mode_apply_to_int": "yes", "graph": []})", {"\"true\" or \"false\""}},
            {R"({"input_ports": 1, "graph": []})", {"key \"input_ports\": expected a list"}},
            {R"({"input_ports": [-1], "graph": []})", {"input_ports", "expected an id"}},
            {R"({"graph": [{"kind": "Select"}]})", {"op at index 0: missing key \"id\""}},
            {R"({"graph": [{"id": 1.5}]})", {"key \"id\": expected an id", "the number 1.5"}},
            {R"({"graph": [{"id": "4"}]})", {"key \"id\": expected an id", "the string \"4\""}},
            {R"({"graph": [{"id": 18446744073709551616}]})", {"key \"id\": expected an id"}},
            {R"({"graph": [{"id": 4}]})", {"op 4: missing key \"kind\""}},
            {R"({"graph": [{"id": 4, "kind": "select"}]})",
                    {"op 4: key \"kind\": expected an op kind, found the string \"select\""}},
            {R"({"graph": [{"id": 4, "kind": "Select", "name": "n"}]})",
                    {"op 4 (Select \"n\"): missing key \"inputs\""}},
            {R"({"graph": [{"id": 4, "kind": "Select", "inputs": []}]})",
                    {"op 4 (Select): missing key \"outputs\""}},
            {R"({"graph": [{"id": 4, "kind": "Select", "inputs": {}}]})",
                    {"key \"inputs\": expected a list, found an object"}},
            {R"({"graph": [{"id": 4, "kind": "Select", "attrs": []}]})",
                    {"key \"attrs\": expected an object, found a list of 0"}},
            {graph_with(op_with(R"("colour": {"type": "s64", "value": 1})", inputs)),
                    {"op 7 (Select \"pick\"): key \"attrs\": unknown attribute \"colour\""}},
            {graph_with(op_with(R"("axis": 1)", inputs)),
                    {"attribute axis: expected an object, found the number 1"}},
            {graph_with(op_with(R"("axis": {"value": 1})", inputs)),
                    {"attribute axis: missing key \"type\""}},
            {graph_with(op_with(R"("axis": {"type": "int", "value": 1})", inputs)),
                    {"attribute axis: key \"type\": expected s64, f32", "\"int\""}},
            {graph_with(op_with(R"("axis": {"type": "s64"})", inputs)),
                    {"attribute axis: missing key \"value\""}},
            {graph_with(
                     op_with(R"("axis": {"type": "s64", "value": 9223372036854775808})", inputs)),
                    {"attribute axis: key \"value\": expected an integer of 64 bits",
                            "9223372036854775808"}},
            {graph_with(op_with(R"("keep_dims": {"type": "bool", "value": 2})", inputs)),
                    {"expected 0 or 1, found the number 2"}},
            {graph_with(op_with(R"("alpha": {"type": "f32", "value": 1e300})", inputs)),
                    {"expected a number that fits f32, found the number 1e300"}},
            {graph_with(op_with(R"("order": {"type": "s64[]", "value": [0, "1"]})", inputs)),
                    {"expected an integer of 64 bits, found the string \"1\""}},
            {graph_with(op_with(R"("scales": {"type": "f32[]", "value": 1})", inputs)),
                    {"key \"value\": expected a list"}},
            {graph_with(usual_op + "," + usual_op),
                    {"op 7 (Select): the id is that of an earlier op"}},
    };
    for (const refused &row : table) {
        std::string message = refusal_of(row.text);
        EXPECT_THAT(message, HasSubstr("case.json:1:")) << row.text;
        for (const std::string &part : row.parts)
            EXPECT_THAT(message, HasSubstr(part)) << row.text;
    }
}

TEST(graph_reader, refuses_wrong_tensors) {
    const std::string cond = port("0", "boolean", "[2, 3]", "[3, 1]") + ",";
    auto with = [&](const std::string &tensor) { return graph_with(op_with("", cond + tensor)); };
    const std::vector<refused> table = {
            {with("5"), {"input 1 expected an object, found the number 5"}},
            {with(R"({"dtype": "f32"})"), {"input 1 missing key \"id\""}},
            {with(R"({"id": 1})"), {"input 1 (id 1): missing key \"dtype\""}},
            {with(R"({"id": 1, "dtype": "f32"})"), {"missing key \"layout_type\""}},
            {with(port("1", "float", "[2]", "[1]")), {"input 1 (id 1): key \"dtype\": expected a "
                                                      "data type, found the string \"float\""}},
            {with(port("1", "undef", "[2]", "[1]")), {"key \"dtype\": expected a data type"}},
            {with(port("1", "f32", "[2]", "[1]", "blocked")),
                    {"key \"layout_type\"", "\"blocked\""}},
            {with(port("1", "f32", "[2]", "[1]", "strided", "fixed")),
                    {"key \"property_type\"", "host_scalar", "\"fixed\""}},
            {with(port("1", "f32", "5", "[1]")),
                    {"key \"shape\": expected a list, found the number 5"}},
            {with(port("1", "f32", "[2.0]", "[1]")),
                    {"key \"shape\": expected an integer of 64 bits, found the number 2.0"}},
            {with(port("1", "f32", "[9223372036854775808]", "[1]")),
                    {"key \"shape\"", "found the number 9223372036854775808"}},
            // B132: the message prints the number that was given.
            {with(port("1", "f32", "[2, -5]", "[1, 1]")),
                    {"input 1 (id 1): key \"shape\": expected no negative number", "-5"}},
            {with(port("1", "f32", "[2, 3]", "[-3, 1]")), {"key \"stride\"", "-3"}},
            {with(port("1", "f32", "[2, 3]", "[1]")),
                    {"key \"stride\": expected as many entries as key \"shape\" has (2), found 1"}},
            {with(port("1", "f32", "[]", "[1]")), {"key \"stride\"", "(0), found 1"}},
            {with(port("1", "f32", "[-9223372036854775808]", "[3, 1]")),
                    {"key \"stride\"", "unknown"}},
            {with(port("1", "f32", "[1,1,1,1,1,1,1,1,1,1,1,1,1]", "[1]")),
                    {"key \"shape\": expected at most 12 entries, found 13"}},
    };
    for (const refused &row : table) {
        std::string message = refusal_of(row.text);
        EXPECT_THAT(message, HasSubstr("op 7 (Select \"pick\"): ")) << row.text;
        for (const std::string &part : row.parts)
            EXPECT_THAT(message, HasSubstr(part)) << row.text;
    }
}

TEST(graph_reader, refuses_one_id_described_in_two_ways) {
    auto twice = [](const std::string &first, const std::string &second) {
        return refusal_of(graph_with(op_with(
                "", port("0", "boolean", "[2, 3]", "[3, 1]") + "," + first + "," + second)));
    };
    const std::string usual = port("1", "f32", "[2, 3]", "[3, 1]");
    EXPECT_EQ(twice(usual, usual), "");
    for (const std::string &other : {port("1", "f16", "[2, 3]", "[3, 1]"),
                 port("1", "f32", "[2, 1]", "[3, 1]"), port("1", "f32", "[2, 3]", "[1, 2]"),
                 port("1", "f32", "[2, 3]", "[3, 1]", "any"),
                 port("1", "f32", "[2, 3]", "[3, 1]", "strided", "constant")}) {
        std::string message = twice(usual, other);
        EXPECT_THAT(message, HasSubstr("op 7 (Select): tensor 1 is described as")) << other;
        EXPECT_THAT(message, HasSubstr("at op 7 (Select)")) << other;
    }
    // The shape of what an op writes follows from its inputs, whatever the file says.
    EXPECT_EQ(twice(port("3", "f32", "[1]", "[1]"), usual), "");
    EXPECT_THAT(twice(port("3", "f16", "[2, 3]", "[3, 1]"), usual), HasSubstr("tensor 3"));
}

TEST(graph_reader, positions_count_lines_and_columns_from_one) {
    std::string message =
            refusal_of("{\n  \"graph\": [\n    {\"id\": 3,\n     \"kind\": \"Sel\"}]}");
    EXPECT_THAT(message, HasSubstr("case.json:4:"));
    message = refusal_of("{\"graph\": [{\"id\": -1\n\n}]}");
    EXPECT_THAT(message, HasSubstr("case.json:1:20: "));
}

TEST(graph_writer, second_dump_is_the_first) {
    const std::string shared = op_with(
            R"("auto_broadcast": {"type": "string", "value": "numpy"},
               "alpha": {"type": "f32", "value": 0.1}, "order": {"type": "s64[]", "value": [1, 0]},
               "scales": {"type": "f32[]", "value": [1e-7, 3.4e38]},
               "keep_dims": {"type": "bool", "value": 1})",
            port("0", "boolean", "[-9223372036854775808]", "[-9223372036854775808]", "undef") + ","
                    + port("1", "f32", "[2, 3]", "[1, 2]", "any", "constant") + ","
                    + port("18446744073709551615", "f32", "[]", "[]", "opaque", "host_scalar"));
    std::string first = write_graph(parse_graph(graph_with(shared), "case.json"));
    std::string second = write_graph(parse_graph(first, "first dump"));
    EXPECT_EQ(first, second);
    EXPECT_THAT(first, HasSubstr("\"dtype\": \"boolean\""));
    EXPECT_THAT(first, HasSubstr("18446744073709551615"));
}

TEST(graph_writer, escapes_names) {
    graph_file graph = parse_graph(graph_with(usual_op), "case.json");
    graph.ops[0].name = "a\"b\\c\n\xc3\xa4";
    EXPECT_EQ(parse_graph(write_graph(graph), "dump").ops[0].name, graph.ops[0].name);
}

std::string read_refusal(const std::string &path) {
    try {
        read_graph_file(path);
    } catch (const error &failure) {
        return failure.message;
    }
    return "";
}

TEST(graph_reader, reads_files_and_says_which_it_cannot) {
    temporary_folder folder;
    EXPECT_EQ(read_graph_file(folder.file("good.json", graph_with(usual_op))).ops.size(), 1u);
    std::string bad = folder.file("bad.json", "{");
    EXPECT_THAT(read_refusal(bad), HasSubstr(bad + ":1:"));
    EXPECT_THAT(read_refusal(folder.file("empty.json", "")), HasSubstr("the file is empty"));
    std::string missing = (folder.path() / "missing.json").string();
    EXPECT_THAT(read_refusal(missing), HasSubstr(missing + ": cannot open: No such file"));
    EXPECT_THAT(read_refusal(folder.path().string()), HasSubstr("is a directory"));
    EXPECT_THAT(read_refusal("/dev/zero"), HasSubstr("is not a regular file"));
    EXPECT_THROW(read_file(folder.file("long", std::string(11, 'x')), 10), error);
    EXPECT_EQ(read_file(folder.file("fits", std::string(10, 'x')), 10).size(), 10u);
}

} // namespace
} // namespace tern::formats
