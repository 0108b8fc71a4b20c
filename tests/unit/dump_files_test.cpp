// SPDX-License-Identifier: Apache-2.0
//
// Dumps as the driver reads them: read and written again they stay the same, byte by byte.
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/json/graph_file.hpp"
#include "ir/print.hpp"
#include "runtime/environment.hpp"
#include "tern/graph.hpp"

namespace {

namespace fs = std::filesystem;
using namespace tern::graph;
using testing::ElementsAre;
using testing::EndsWith;
using lt = logical_tensor;
using tern::data_type;
using tern::layout_type;
using tern::property_type;

/// Everything that is dumped while it lives, by file name.
class dumps {
public:
    explicit dumps(graph_dump_mode mode) : before_(fs::current_path()) {
        std::string name = testing::TempDir() + "/tern_dump_XXXXXX";
        folder_ = mkdtemp(name.data());
        fs::current_path(folder_);
        set_dump_mode(mode);
    }
    ~dumps() {
        set_dump_mode(graph_dump_mode::none);
        fs::current_path(before_);
        fs::remove_all(folder_);
    }
    dumps(const dumps &) = delete;
    dumps &operator=(const dumps &) = delete;

    std::map<std::string, std::string> files() const {
        std::map<std::string, std::string> found;
        for (const auto &entry : fs::directory_iterator(folder_)) {
            std::ostringstream text;
            text << std::ifstream(entry.path(), std::ios::binary).rdbuf();
            found[entry.path().filename().string()] = text.str();
        }
        return found;
    }

private:
    fs::path before_;
    fs::path folder_;
};

/// Reads a dump and checks that it is written again as it was.
tern::formats::graph_file read_back(const std::string &name, const std::string &text) {
    tern::formats::graph_file file = tern::formats::parse_graph(text, name);
    EXPECT_EQ(tern::formats::write_graph(file), text) << name;
    return file;
}

/// Two Selects of which much is unknown: 1, 2, 3 -> 4; 1, 4, 3 -> 5.
graph open_graph() {
    constexpr std::int64_t unknown = TERN_GRAPH_UNKNOWN_DIM;
    lt cond(1, data_type::boolean, {unknown, 3}, layout_type::strided);
    lt src(2, data_type::f32, {2, unknown}, layout_type::any);
    lt fill(3, data_type::f32, {}, layout_type::strided, property_type::constant);
    lt between(4, data_type::f32), dst(5, data_type::f32, layout_type::any);
    graph g(engine::kind::cpu, tern::fpmath_mode::bf16);
    g.set_fpmath_mode(tern::fpmath_mode::bf16, true);
    op first(7, op::kind::Select, {cond, src, fill}, {between}, "a \"name\"\n\xc3\xa4");
    first.set_attr(op::attr::auto_broadcast, "numpy");
    g.add_op(first);
    g.add_op(op(9, op::kind::Select, {cond, between, fill}, {dst}));
    g.finalize();
    return g;
}

TEST(dump_files, graph_and_partitioning) {
    graph g = open_graph();
    dumps dumped(graph_dump_mode::graph);
    std::vector<partition> parts = g.get_partitions(partition::policy::debug);
    std::map<std::string, std::string> files = dumped.files();
    ASSERT_EQ(files.size(), 2u);
    EXPECT_THAT(files.begin()->first, EndsWith("-partitioning.json"));
    auto placed = read_back("placed", files.begin()->second);
    auto plain = read_back("plain", files.rbegin()->second);

    EXPECT_EQ(plain.engine_kind, "cpu");
    EXPECT_EQ(plain.fpmath, tern::fpmath_mode::bf16);
    EXPECT_TRUE(plain.fpmath_apply_to_int);
    EXPECT_THAT(plain.input_ports, ElementsAre(1, 2, 3));
    EXPECT_THAT(plain.output_ports, ElementsAre(5));
    EXPECT_EQ(plain.ops.at(0).name, "a \"name\"\n\xc3\xa4");
    EXPECT_EQ(tern::ir::print(plain.ops),
            "%1:boolean[?x3] = input\n"
            "%2:f32[2x?:any] = input\n"
            "%3:f32[] constant = input\n"
            "%4:f32[2x?] = Select(%1, %2, %3) {auto_broadcast=numpy}  # op 7 \"a "
            "\\\"name\\\"\\n\xc3\xa4\"\n"
            "%5:f32[2x?:any] = Select(%1, %4, %3) {auto_broadcast=numpy}  # op 9\n");
    EXPECT_TRUE(plain.placements.empty());

    ASSERT_EQ(placed.placements.size(), 2u);
    for (const partition &part : parts)
        for (std::size_t id : part.get_ops()) {
            EXPECT_EQ(placed.placements.at(id).partition, std::int64_t(part.get_id()));
            EXPECT_EQ(placed.placements.at(id).backend, "tern_backend");
        }
    placed.placements.clear();
    EXPECT_EQ(tern::formats::write_graph(placed), files.rbegin()->second);
}

TEST(dump_files, compiled_partition_has_shapes) {
    lt cond(1, data_type::boolean, {2, 3}, layout_type::strided);
    lt src(2, data_type::f32, {2, 3}, {1, 2});
    lt fill(3, data_type::f32, {}, layout_type::any, property_type::constant);
    lt dst(4, data_type::f32, layout_type::any);
    lt open(2, data_type::f32, 2, layout_type::strided);
    partition part(op(7, op::kind::Select, {cond, open, fill}, {dst}), engine::kind::cpu);
    dumps dumped(graph_dump_mode::subgraph);
    part.compile({cond, src, fill}, {dst}, engine(engine::kind::cpu, 0));
    std::map<std::string, std::string> files = dumped.files();
    ASSERT_EQ(files.size(), 1u);
    auto file = read_back("compiled", files.begin()->second);
    EXPECT_THAT(file.input_ports, ElementsAre(1, 2, 3));
    EXPECT_THAT(file.output_ports, ElementsAre(4));
    EXPECT_EQ(tern::ir::print(file.ops),
            "%1:boolean[2x3] = input\n"
            "%2:f32[2x3:1s2] = input\n"
            "%3:f32[] constant = input\n"
            "%4:f32[2x3] = Select(%1, %2, %3) {auto_broadcast=numpy}  # op 7\n");
}

TEST(dump_files, sequences_and_optionals) {
    const dumps all(graph_dump_mode::graph | graph_dump_mode::subgraph);
    const logical_value sequence{1, {value_form::sequence, data_type::string}};
    const logical_value optional{2, {value_form::optional_sequence, data_type::string}};
    graph g(engine::kind::cpu);
    op make(7, op::kind::Optional);
    make.add_input(sequence);
    make.add_output(optional);
    g.add_op(make);
    op has(8, op::kind::OptionalHasElement);
    has.add_input(optional);
    has.add_output(lt(3, data_type::boolean));
    g.add_op(has);
    g.finalize();
    for (const partition &part : g.get_partitions())
        part.compile({}, {}, engine(engine::kind::cpu, 0));
    const std::map<std::string, std::string> files = all.files();
    EXPECT_EQ(files.size(), 4u);
    for (const auto &[name, text] : files) {
        const tern::formats::graph_file file = read_back(name, text);
        for (const tern::ir::op_spec &spec : file.ops) {
            const auto form = spec.inputs.at(0).desc.form;
            EXPECT_EQ(form, spec.id == 7 ? sequence.type.form : optional.type.form);
        }
        if (file.ops.size() != 2) continue;
        EXPECT_EQ(tern::ir::print(file.ops),
                "%1:seq(tensor(string)) = input\n"
                "%2:optional(seq(tensor(string))) = Optional(%1)  # op 7\n"
                "%3:boolean[] = OptionalHasElement(%2)  # op 8\n");
    }
}

TEST(graph_file, placements_are_attributes_of_their_own) {
    const std::string port = R"({"id": 0, "dtype": "f32", "shape": [], "stride": [],
            "layout_type": "strided", "property_type": "undef"})";
    auto with = [&](const std::string &attrs) {
        return R"({"graph": [{"id": 3, "kind": "Wildcard", "attrs": {)" + attrs
               + R"(}, "inputs": [)" + port + R"(], "outputs": []}]})";
    };
    const std::string backend = R"("backend": {"type": "string", "value": "dnnl_backend"})";
    auto file = tern::formats::parse_graph(
            with(R"("partition_id": {"type": "s64", "value": 12}, )" + backend), "case.json");
    EXPECT_EQ(file.placements.at(3).partition, 12);
    EXPECT_EQ(file.placements.at(3).backend, "dnnl_backend");
    EXPECT_TRUE(file.ops.at(0).attrs.empty());
    read_back("both", tern::formats::write_graph(file));
    file = tern::formats::parse_graph(with(backend), "case.json");
    EXPECT_FALSE(file.placements.at(3).partition.has_value());
    read_back("one", tern::formats::write_graph(file));
    for (const char *wrong : {R"("partition_id": {"type": "string", "value": "1"})",
                 R"("partition_id": {"type": "s64", "value": 1.5})",
                 R"("backend": {"type": "s64", "value": 1})", R"("backends": {})"})
        EXPECT_THROW(tern::formats::parse_graph(with(wrong), "case.json"), tern::error) << wrong;
}

TEST(graph_file, strings_are_json_whatever_bytes_they_hold) {
    tern::formats::graph_file file;
    file.ops.push_back({1, tern::op_kind::Wildcard, "", {}, {}, {}});
    for (int code = 0; code < 256; ++code)
        file.ops[0].name += static_cast<char>(code);
    auto read = tern::formats::parse_graph(tern::formats::write_graph(file), "dump");
    EXPECT_EQ(read.ops[0].name.substr(0, 128), file.ops[0].name.substr(0, 128));
    read_back("bytes", tern::formats::write_graph(read));
}

TEST(environment, parses_TERN_GRAPH_DUMP) {
    auto bits = [](const char *text) {
        tern::runtime::graph_dump dump = tern::runtime::parse_graph_dump(text);
        return std::string(dump.graph ? "g" : "") + (dump.subgraph ? "s" : "")
               + (dump.dot ? "d" : "") + (dump.text ? "t" : "");
    };
    EXPECT_EQ(bits(""), "");
    EXPECT_EQ(bits("graph"), "g");
    EXPECT_EQ(bits("subgraph,graph"), "gs");
    EXPECT_EQ(bits("graph,dot,text"), "gdt");
    EXPECT_EQ(bits("text"), "gst");
    for (const char *unknown : {"pattern", "graph,pattern", "Graph", "graph,,dot", " graph"})
        EXPECT_EQ(bits(unknown), "") << unknown;
}

} // namespace
