// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <sstream>

#include "select_graph.hpp"

using namespace select_graph;

namespace {

std::vector<std::string> split(const std::string &text, char separator) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, separator);)
        parts.push_back(part);
    return parts;
}

bool starts_with(const std::string &text, const std::string &start) {
    return text.compare(0, start.size(), start) == 0;
}

/// Sets a level and collects the lines while it lives; with a cache that is empty at first.
class verbose_lines {
public:
    explicit verbose_lines(int level) {
        int capacity = tern::graph::get_compiled_partition_cache_capacity();
        tern::graph::set_compiled_partition_cache_capacity(0);
        tern::graph::set_compiled_partition_cache_capacity(capacity);
        tern::graph::set_verbose(level);
        tern::graph::set_verbose_callback(&verbose_lines::take, this);
    }
    ~verbose_lines() {
        tern::graph::set_verbose_callback(nullptr, nullptr);
        tern::graph::set_verbose(0);
    }
    verbose_lines(const verbose_lines &) = delete;
    verbose_lines &operator=(const verbose_lines &) = delete;

    std::vector<std::string> lines;

    /// Fields of the lines that report this operation.
    std::vector<std::vector<std::string>> of(const std::string &operation) const {
        std::vector<std::vector<std::string>> found;
        for (const std::string &line : lines)
            if (starts_with(line, "tern_verbose,v1,graph," + operation + ","))
                found.push_back(split(line, ','));
        return found;
    }

private:
    static void take(void *self, const char *line) {
        static_cast<verbose_lines *>(self)->lines.emplace_back(line);
    }
};

const logical_tensors inputs = {dense(cond_id, data_type::boolean, {2, 3}),
        dense(src_0_id, data_type::f32, {}),
        logical_tensor(src_1_id, data_type::f32, {2, 3}, {1, 2}, property_type::constant)};
const logical_tensor dst(dst_id, data_type::f32, layout_type::any);

partition named_partition(const std::string &name) {
    return partition(op(7, op::kind::Select, inputs, {dst}, name), engine::kind::cpu);
}

void compile_and_execute(const partition &part, const std::string &implementation = "") {
    tern::graph::compile_options options;
    options.implementation = implementation;
    auto compiled = part.compile(inputs, {dst}, cpu(), options);
    std::uint8_t cond[6] = {};
    float src_0 = 1, src_1[6] = {}, result[6];
    const void *in[] = {cond, &src_0, src_1};
    void *out = result;
    compiled.execute(stream(cpu()), in, &out);
}

TEST(verbose_lines, level_0_is_silent) {
    for (int level : {0, -3}) {
        verbose_lines verbose(level);
        compile_and_execute(named_partition("mask"));
        EXPECT_TRUE(verbose.lines.empty());
    }
}

TEST(verbose_lines, level_1_reports_executions) {
    verbose_lines verbose(1);
    compile_and_execute(named_partition("mask"));
    EXPECT_EQ(verbose.of("exec").size(), 1u);
    EXPECT_EQ(verbose.lines.size(), 5u); // and four lines of header
}

TEST(verbose_lines, level_2_reports_everything) {
    for (int level : {2, 9}) {
        verbose_lines verbose(level);
        compile_and_execute(named_partition("mask"), "reference");
        EXPECT_EQ(verbose.of("create:dispatch").size(), 2u);
        EXPECT_EQ(verbose.of("compile:cache_miss").size(), 1u);
        EXPECT_EQ(verbose.of("exec").size(), 1u);
        EXPECT_EQ(verbose.of("create:step").size(), 1u);
        EXPECT_EQ(verbose.lines.size(), 9u);
    }
}

TEST(verbose_lines, fields_of_an_execution) {
    verbose_lines verbose(1);
    partition part = named_partition("mask");
    compile_and_execute(part, "reference");
    ASSERT_EQ(verbose.of("exec").size(), 1u);
    auto fields = verbose.of("exec")[0];
    std::vector<std::string> expected = {"tern_verbose", "v1", "graph", "exec", "cpu",
            std::to_string(part.get_id()), "misc_post_ops", "mask", "",
            "in0_boolean:1:strided:undef:2x3:3s1 in1_f32:2:strided:undef:scalar: "
            "in2_f32:3:strided:constant:2x3:1s2 out0_f32:4:strided:undef:2x3:3s1",
            "fpm:strict", "scratchpad:library:0", "reference", "tern_backend"};
    ASSERT_EQ(fields.size(), expected.size() + 1);
    std::string time = fields.back();
    EXPECT_TRUE(std::isdigit(static_cast<unsigned char>(time[0]))) << time;
    fields.pop_back();
    EXPECT_EQ(fields, expected);

    // As many as the template line says.
    auto line = std::find_if(verbose.lines.begin(), verbose.lines.end(), [](const auto &text) {
        return starts_with(text, "tern_verbose,v1,info,graph,template:");
    });
    ASSERT_NE(line, verbose.lines.end());
    constexpr std::size_t before_operation = 3;
    EXPECT_EQ(split(line->substr(line->find(':') + 1), ',').size(),
            expected.size() + 1 - before_operation);
}

TEST(verbose_lines, fields_of_a_compilation) {
    verbose_lines verbose(2);
    compile_and_execute(named_partition("mask"), "reference");
    ASSERT_EQ(verbose.of("compile:cache_miss").size(), 1u);
    auto compiled = verbose.of("compile:cache_miss")[0];
    auto executed = verbose.of("exec")[0];
    ASSERT_EQ(compiled.size(), executed.size());
    // The same line, apart from the operation, the scratchpad and the time.
    EXPECT_EQ(compiled[11], "scratchpad:0");
    for (std::size_t i : {0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 12, 13})
        EXPECT_EQ(compiled[i], executed[i]) << i;
}

TEST(verbose_lines, fields_of_an_implementation_passed_over) {
    verbose_lines verbose(2);
    compile_and_execute(named_partition("mask"), "reference");
    auto passed = verbose.of("create:dispatch");
    ASSERT_EQ(passed.size(), 2u);
    ASSERT_EQ(passed[0].size(), 13u);
    EXPECT_EQ(passed[0][11], "loops");
    EXPECT_EQ(passed[0][12], "reference was asked for");
    EXPECT_EQ(passed[1][11], "onednn");
}

TEST(verbose_lines, a_scratchpad_of_the_caller) {
    verbose_lines verbose(1);
    auto compiled = named_partition("mask").compile(inputs, {dst}, cpu());
    std::uint8_t cond[6] = {};
    float src_0 = 1, src_1[6] = {}, result[6];
    char scratchpad[1];
    const void *in[] = {cond, &src_0, src_1};
    void *out = result;
    compiled.execute(stream(cpu()), in, &out, scratchpad);
    EXPECT_EQ(verbose.of("exec")[0][11], "scratchpad:user:0");
}

TEST(verbose_lines, an_empty_execution) {
    verbose_lines verbose(1);
    logical_tensors empty = {dense(cond_id, data_type::boolean, {0}),
            dense(src_0_id, data_type::f32, {0}), dense(src_1_id, data_type::f32, {0})};
    auto compiled = select_partition(empty, dst).compile(empty, {dst}, cpu());
    const void *in[] = {nullptr, nullptr, nullptr};
    void *out = nullptr;
    compiled.execute(stream(cpu()), in, &out);
    ASSERT_EQ(verbose.of("exec").size(), 1u);
    EXPECT_EQ(verbose.of("exec")[0][12], "empty");
}

TEST(verbose_lines, names_do_not_break_the_format) {
    verbose_lines verbose(1);
    compile_and_execute(named_partition("a,b;c\nd"));
    compile_and_execute(named_partition("")); // has a name of its own
    ASSERT_EQ(verbose.of("exec").size(), 2u);
    EXPECT_EQ(verbose.of("exec")[0].size(), 15u);
    EXPECT_EQ(verbose.of("exec")[0][7], "a_b_c_d");
    EXPECT_EQ(verbose.of("exec")[1][7], "Select_7");
}

TEST(verbose_lines, fpmath_mode) {
    verbose_lines verbose(1);
    for (bool on_integers : {false, true}) {
        tern::graph::graph g(engine::kind::cpu);
        g.set_fpmath_mode(tern::fpmath_mode::bf16, on_integers);
        g.add_op(op(7, op::kind::Select, inputs, {dst}));
        g.finalize();
        compile_and_execute(g.get_partitions()[0]);
    }
    ASSERT_EQ(verbose.of("exec").size(), 2u);
    EXPECT_EQ(verbose.of("exec")[0][10], "fpm:bf16");
    EXPECT_EQ(verbose.of("exec")[1][10], "fpm:bf16:true");
}

TEST(verbose_lines, nothing_after_an_error) {
    verbose_lines verbose(2);
    partition part = named_partition("mask");
    EXPECT_EQ(error_of([&] { part.compile({inputs[0]}, {dst}, cpu()); }).status,
            status::invalid_arguments);
    EXPECT_TRUE(verbose.lines.empty());
}

} // namespace
