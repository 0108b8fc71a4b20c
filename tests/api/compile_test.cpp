// SPDX-License-Identifier: Apache-2.0
#include "select_graph.hpp"

using namespace select_graph;
using tern::graph::compile_options;

namespace {

constexpr std::int64_t unknown = TERN_GRAPH_UNKNOWN_DIM;

const logical_tensors inputs = {dense(cond_id, data_type::boolean, {2, 3}),
        dense(src_0_id, data_type::f32, {2, 3}), dense(src_1_id, data_type::f32, {1})};
const logical_tensor any_dst(dst_id, data_type::f32, layout_type::any);

/// Of a graph that knows nothing but types.
partition shapeless_partition() {
    return select_partition(
            {logical_tensor(cond_id, data_type::boolean), logical_tensor(src_0_id, data_type::f32),
                    logical_tensor(src_1_id, data_type::f32)},
            logical_tensor(dst_id, data_type::f32));
}

compile_options only(const std::string &implementation) {
    compile_options options;
    options.implementation = implementation;
    return options;
}

bool has(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

TEST(compile, shapes_are_inferred_at_finalize) {
    partition part = select_partition(inputs, logical_tensor(dst_id, data_type::f32));
    EXPECT_EQ(part.get_output_ports()[0].get_dims(), (dims{2, 3}));
    // B129: with an unknown rank among the inputs nothing can be said yet
    EXPECT_EQ(shapeless_partition().get_output_ports()[0].get_ndims(), TERN_GRAPH_UNKNOWN_NDIMS);
    // partly
    part = select_partition(
            {dense(cond_id, data_type::boolean, {1}),
                    logical_tensor(src_0_id, data_type::f32, {unknown, 3}, layout_type::strided),
                    dense(src_1_id, data_type::f32, {1})},
            logical_tensor(dst_id, data_type::f32));
    EXPECT_EQ(part.get_output_ports()[0].get_dims(), (dims{unknown, 3}));
}

TEST(compile, B129_unknown_ranks_are_resolved) {
    auto compiled = shapeless_partition().compile(inputs, {any_dst}, cpu());
    logical_tensor dst = compiled.query_logical_tensor(dst_id);
    EXPECT_TRUE(dst.is_equal(dense(dst_id, data_type::f32, {2, 3})));
    EXPECT_TRUE(compiled.query_logical_tensor(src_1_id).is_equal(inputs[2]));
}

TEST(compile, one_partition_for_many_shapes) {
    partition part = shapeless_partition();
    for (std::int64_t n : {1, 2, 5, 0}) {
        auto compiled = part.compile(
                {dense(cond_id, data_type::boolean, {}), dense(src_0_id, data_type::f32, {n, 1}),
                        dense(src_1_id, data_type::f32, {4})},
                {any_dst}, cpu());
        EXPECT_EQ(compiled.query_logical_tensor(dst_id).get_dims(), (dims{n, 4}));
        EXPECT_EQ(compiled.query_logical_tensor(dst_id).get_mem_size(),
                static_cast<std::size_t>(n) * 16);
    }
}

TEST(compile, what_the_caller_may_say_of_an_output) {
    partition part = select_partition(inputs, logical_tensor(dst_id, data_type::f32));
    auto resolved = [&](const logical_tensor &dst) {
        return part.compile(inputs, {dst}, cpu()).query_logical_tensor(dst_id);
    };
    logical_tensor expected = dense(dst_id, data_type::f32, {2, 3});
    EXPECT_TRUE(resolved(expected).is_equal(expected));
    EXPECT_TRUE(resolved(logical_tensor(dst_id, data_type::f32)).is_equal(expected));
    EXPECT_TRUE(resolved(any_dst).is_equal(expected));
    EXPECT_TRUE(resolved(logical_tensor(dst_id, data_type::f32, layout_type::strided))
                        .is_equal(expected));
    EXPECT_TRUE(resolved(logical_tensor(dst_id, data_type::f32, 2, layout_type::strided))
                        .is_equal(expected));
    EXPECT_TRUE(resolved(logical_tensor(dst_id, data_type::f32, {unknown, 3}, layout_type::any))
                        .is_equal(expected));
    EXPECT_TRUE(resolved(logical_tensor(dst_id, data_type::f32, {2, 3}, {unknown, 1}))
                        .is_equal(expected));
    logical_tensor strided(dst_id, data_type::f32, {2, 3}, {8, 2});
    EXPECT_TRUE(resolved(strided).is_equal(strided));
    EXPECT_TRUE(resolved(logical_tensor(dst_id, data_type::f32, {2, unknown}, {8, 2}))
                        .is_equal(strided));
}

TEST(compile, an_input_of_layout_any_is_dense) {
    logical_tensors loose = {logical_tensor(cond_id, data_type::boolean, {2, 3}, layout_type::any),
            logical_tensor(src_0_id, data_type::f32, {2, 3}, layout_type::any), inputs[2]};
    auto compiled = select_partition(loose, any_dst).compile(loose, {any_dst}, cpu());
    EXPECT_EQ(compiled.query_logical_tensor(src_0_id).get_strides(), (dims{3, 1}));
}

TEST(compile, logical_tensors_are_found_by_id) {
    partition part = select_partition(inputs, any_dst);
    logical_tensor stranger = dense(77, data_type::s8, {9});
    auto compiled = part.compile(
            {stranger, inputs[2], inputs[1], inputs[0], inputs[1]}, {stranger, any_dst}, cpu());
    EXPECT_EQ(compiled.query_logical_tensor(dst_id).get_dims(), (dims{2, 3}));
    EXPECT_EQ(
            error_of([&] { compiled.query_logical_tensor(77); }).status, status::invalid_arguments);
}

TEST(compile, properties_are_kept) {
    logical_tensor constant(
            src_1_id, data_type::f32, {1}, layout_type::strided, property_type::constant);
    logical_tensors in = {inputs[0], inputs[1], constant};
    auto compiled = select_partition(in, any_dst).compile(in, {any_dst}, cpu());
    EXPECT_EQ(compiled.query_logical_tensor(src_1_id).get_property_type(), property_type::constant);
}

TEST(compile, no_scratchpad_is_needed) {
    auto compiled = select_partition(inputs, any_dst).compile(inputs, {any_dst}, cpu());
    logical_tensor scratchpad = compiled.get_scratchpad_logical_tensor();
    EXPECT_EQ(scratchpad.get_id(), SIZE_MAX);
    EXPECT_EQ(scratchpad.get_data_type(), data_type::u8);
    EXPECT_EQ(scratchpad.get_dims(), dims{0});
    EXPECT_EQ(scratchpad.get_mem_size(), 0u);
}

TEST(implementations, the_loops_are_the_first_choice) {
    auto compiled = select_partition(inputs, any_dst).compile(inputs, {any_dst}, cpu());
    EXPECT_EQ(compiled.get_implementation().substr(0, 6), "loops:");
    EXPECT_TRUE(compiled.get_refusals().empty());
}

TEST(implementations, forced) {
    partition part = select_partition(inputs, any_dst);
    auto loops = part.compile(inputs, {any_dst}, cpu(), only("loops"));
    EXPECT_EQ(loops.get_implementation().substr(0, 6), "loops:");
    auto reference = part.compile(inputs, {any_dst}, cpu(), only("reference"));
    EXPECT_EQ(reference.get_implementation(), "reference");
    ASSERT_EQ(reference.get_refusals().size(), 2u);
    EXPECT_EQ(reference.get_refusals()[0].implementation, "loops");
    EXPECT_EQ(reference.get_refusals()[0].reason, "reference was asked for");
    EXPECT_EQ(reference.get_refusals()[1].implementation, "onednn");
    // empty is the free choice
    EXPECT_EQ(part.compile(inputs, {any_dst}, cpu(), only("")).get_implementation(),
            loops.get_implementation());
}

TEST(implementations, an_unknown_name) {
    partition part = select_partition(inputs, any_dst);
    error e = error_of([&] { part.compile(inputs, {any_dst}, cpu(), only("fast")); });
    EXPECT_EQ(e.status, status::unimplemented);
    EXPECT_STREQ(e.message, "compile: Select (op 7) has no implementation \"fast\"; it has: loops, "
                            "onednn, reference");
}

TEST(implementations, nothing_runs_for_an_empty_output) {
    logical_tensors in = {dense(cond_id, data_type::boolean, {1}),
            dense(src_0_id, data_type::f32, {0, 3}), dense(src_1_id, data_type::f32, {1})};
    auto compiled = select_partition(in, any_dst).compile(in, {any_dst}, cpu());
    EXPECT_EQ(compiled.get_implementation(), "empty");
}

/// cond, src_0 and dst of one shape, dense f32: the form that oneDNN's primitive takes.
class onednn_implementation : public testing::Test {
protected:
    const dims shape = {4, 64};
    const logical_tensors full = {dense(cond_id, data_type::boolean, shape),
            dense(src_0_id, data_type::f32, shape), dense(src_1_id, data_type::f32, shape)};

    /// Why oneDNN refuses the case; empty when it does not.
    std::string refusal_of(const logical_tensors &in) {
        partition part = select_partition(in, logical_tensor(dst_id, in[1].get_data_type()));
        logical_tensor dst(dst_id, in[1].get_data_type(), layout_type::any);
        try {
            auto compiled = part.compile(in, {dst}, cpu(), only("onednn"));
            EXPECT_EQ(compiled.get_implementation().substr(0, 7), "onednn:");
            return "";
        } catch (const error &e) {
            EXPECT_EQ(e.status, status::unimplemented);
            std::string start = "compile: Select (op 7) cannot run as onednn: ";
            EXPECT_EQ(std::string(e.message).substr(0, start.size()), start);
            return std::string(e.message).substr(start.size());
        }
    }
    bool is_built_in() { return refusal_of(full) != "built without oneDNN"; }
};

TEST_F(onednn_implementation, takes_full_dense_f32) {
    if (!is_built_in()) {
        EXPECT_EQ(refusal_of({inputs[0], inputs[1], inputs[2]}), "built without oneDNN");
        return;
    }
    std::string refusal = refusal_of(full);
    // A CPU without the vector units that the generated code is for is told so.
    if (!refusal.empty()) {
        EXPECT_TRUE(has(refusal, "not generated code") || has(refusal, "oneDNN")) << refusal;
        return;
    }
    EXPECT_EQ(refusal_of({full[0], full[1], dense(src_1_id, data_type::f32, {1})}), "");
}

TEST_F(onednn_implementation, says_why_it_refuses) {
    std::string expected = is_built_in() ? "" : "built without oneDNN";
    auto expect_reason = [&](const logical_tensors &in, const char *reason) {
        std::string found = refusal_of(in);
        EXPECT_TRUE(has(found, expected.empty() ? reason : expected)) << found;
    };
    expect_reason({dense(cond_id, data_type::boolean, {64}), full[1], full[2]}, "cond");
    expect_reason({full[0], dense(src_0_id, data_type::f32, {64}), full[2]}, "src_0");
    expect_reason({full[0], full[1], dense(src_1_id, data_type::f32, {64})}, "src_1");
    expect_reason(
            {full[0], logical_tensor(src_0_id, data_type::f32, shape, {1, 4}), full[2]}, "src_0");
    expect_reason({full[0], dense(src_0_id, data_type::s32, shape),
                          dense(src_1_id, data_type::s32, shape)},
            "s32");
}

} // namespace
