// SPDX-License-Identifier: Apache-2.0
//
// What no op that Tern has today can bring about, with ops made for it. The rest of compile is
// tested through the API.
#include "compiler/compile.hpp"

#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tern::compiler {
namespace {

using testing::AllOf;
using testing::HasSubstr;

constexpr std::array<ir::port_def, 1> any_inputs = {{{"src", "T", ir::port_use::repeated}}};
constexpr std::array<ir::port_def, 1> one_output = {{{"dst", "T"}}};
constexpr std::array<ir::type_rule, 1> only_f32 = {{{"T", type_set(data_type::f32)}}};

void infer_nothing(const ir::op_label &, const ir::attr_list &, std::span<const tensor_desc>,
        std::span<tensor_desc>) {}

void fill_with_ones(const ir::reference_args &args, std::int64_t begin, std::int64_t end) noexcept {
    for (std::int64_t i = begin; i < end; ++i)
        static_cast<float *>(args.out[0].data)[i] = 1;
}

const ir::op_def many_inputs = {
        .kind = op_kind::ReduceProd,
        .doc = "takes many tensors and leaves the shape of dst open",
        .inputs = any_inputs,
        .outputs = one_output,
        .types = only_f32,
        .attrs = {},
        .infer = infer_nothing,
        .reference = fill_with_ones,
        .in_place_inputs = {},
};
const ir::op_def no_inputs = {
        .kind = op_kind::LayerNorm,
        .doc = "makes ones out of nothing",
        .inputs = {},
        .outputs = one_output,
        .types = only_f32,
        .attrs = {},
        .infer = infer_nothing,
        .reference = fill_with_ones,
        .in_place_inputs = {},
};

const ir::op_def *find_made_up(op_kind kind) {
    return kind == op_kind::ReduceProd  ? &many_inputs
           : kind == op_kind::LayerNorm ? &no_inputs
                                        : nullptr;
}

ir::port f32(std::size_t id, bool rank_known = true) {
    ir::port p;
    p.id = id;
    p.desc.type = data_type::f32;
    p.desc.layout = layout_type::any;
    p.desc.rank_known = rank_known;
    if (rank_known) p.desc.shape = {2};
    return p;
}

ir::op_spec make_spec(op_kind kind) {
    ir::op_spec spec;
    spec.id = 5;
    spec.kind = kind;
    const std::size_t inputs = find_made_up(kind)->inputs.empty() ? 0 : 161;
    for (std::size_t id = 0; id < inputs; ++id)
        spec.inputs.push_back(f32(1000 + id));
    spec.outputs = {f32(100, false)};
    return spec;
}

compiled compile_made_up(
        op_kind kind, const ir::port &dst, const std::string &implementation = "") {
    auto graph = std::make_shared<ir::graph>(find_made_up);
    ir::op_spec spec = make_spec(kind);
    graph->add_op(spec);
    graph->finalize();
    auto partitions = make_partitions(graph, partition_policy::fusion, fpmath_mode::strict, false);
    static const runtime::engine_state engine = {
            engine::kind::cpu, 0, runtime::default_allocate, runtime::default_deallocate};
    return compile(
            partitions.at(0), spec.inputs, std::vector<ir::port>{dst}, engine, implementation);
}

template <typename Action, typename Matcher>
void expect_error(status code, const Action &action, const Matcher &message) {
    try {
        action();
        FAIL() << "expected an error";
    } catch (const error &e) {
        EXPECT_EQ(e.status, code) << e.message;
        EXPECT_THAT(std::string(e.message), message);
    }
}

TEST(compile, a_shape_that_nobody_knows) {
    expect_error(
            status::invalid_shape, [] { compile_made_up(op_kind::LayerNorm, f32(100, false)); },
            AllOf(HasSubstr("dst of LayerNorm (op 5)"), HasSubstr("tensor 100"),
                    HasSubstr("cannot be told"), HasSubstr("unknown rank")));
}

TEST(compile, nothing_takes_the_op) {
    expect_error(
            status::unimplemented, [] { compile_made_up(op_kind::ReduceProd, f32(100)); },
            HasSubstr("ReduceProd (op 5) has no implementation for these tensors"));
    expect_error(
            status::unimplemented,
            [] { compile_made_up(op_kind::ReduceProd, f32(100), "reference"); },
            AllOf(HasSubstr("ReduceProd (op 5) cannot run as reference"), HasSubstr("operands")));
    expect_error(
            status::unimplemented, [] { compile_made_up(op_kind::ReduceProd, f32(100), "loops"); },
            AllOf(HasSubstr("no implementation \"loops\""), HasSubstr("it has: reference")));
}

TEST(compile, a_definition_and_its_reference_loop_are_enough) {
    compiled made = compile_made_up(op_kind::LayerNorm, f32(100));
    EXPECT_EQ(made.plan->parts().implementation, "reference");
    EXPECT_TRUE(made.plan->parts().in_place.empty());
    float result[2] = {};
    void *out = result;
    made.execute(nullptr, &out, nullptr); // no inputs, so that no list of them is needed
    EXPECT_EQ(result[0], 1);
    EXPECT_EQ(result[1], 1);
}

} // namespace
} // namespace tern::compiler
