// SPDX-License-Identifier: Apache-2.0
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "driver/layout.hpp"
#include "driver/rewrite.hpp"

namespace tern::driver {
namespace {

using testing::HasSubstr;

ir::port port(std::size_t id, data_type type, dims shape, dims strides) {
    tensor_desc desc;
    desc.type = type;
    desc.layout = layout_type::strided;
    desc.rank_known = true;
    desc.shape = shape;
    desc.strides = strides;
    return {id, desc};
}

ir::op_spec select_op(std::size_t id, ir::port cond, ir::port src_0, ir::port src_1, ir::port dst) {
    ir::op_spec op;
    op.id = id;
    op.kind = op_kind::Select;
    op.inputs = {cond, src_0, src_1};
    op.outputs = {dst};
    return op;
}

/// oneDNN's op/f32/select.json.
formats::graph_file usual() {
    formats::graph_file file;
    file.ops = {select_op(0, port(1, data_type::boolean, {1, 1, 1, 128}, {128, 128, 128, 1}),
            port(2, data_type::f32, {1}, {1}),
            port(3, data_type::f32, {1, 12, 128, 128}, {196608, 16384, 128, 1}),
            port(4, data_type::f32, {1, 12, 128, 128}, {196608, 16384, 128, 1}))};
    file.input_ports = {1, 2, 3};
    file.output_ports = {4};
    return file;
}

formats::graph_file plain(dims shape, dims strides, dims dst_strides) {
    formats::graph_file file;
    file.ops = {select_op(0, port(0, data_type::boolean, shape, strides),
            port(1, data_type::f32, shape, strides), port(2, data_type::f32, shape, strides),
            port(3, data_type::f32, shape, dst_strides))};
    return file;
}

/// What became of the graph's tensors.
std::map<std::size_t, tensor_desc> rewritten(
        formats::graph_file file, const case_options &options) {
    rewrite(file, options);
    return working_graph(file).tensors;
}

case_options with_shapes(id_values shapes) {
    case_options options;
    options.in_shapes = std::move(shapes);
    return options;
}

struct ending {
    outcome end = outcome::passed;
    reason why = reason::none;
    std::string message;
};

ending refuse(formats::graph_file file, const case_options &options) {
    try {
        rewrite(file, options);
    } catch (const verdict &end) {
        return {end.end, end.why, end.message};
    } catch (const error &failure) {
        return {outcome::invalid_arguments, reason::invalid_case, failure.message};
    }
    return {};
}

void expect_rewriter_failed(const formats::graph_file &file, const case_options &options,
        const std::vector<std::string> &parts) {
    ending found = refuse(file, options);
    EXPECT_EQ(found.end, outcome::untested) << found.message;
    EXPECT_EQ(found.why, reason::rewriter_failed) << found.message;
    for (const std::string &part : parts)
        EXPECT_THAT(found.message, HasSubstr(part));
}

TEST(driver_rewrite, leaves_a_complete_graph_alone) {
    // B114: strides of the file are those that run.
    formats::graph_file file = plain({2, 3}, {1, 2}, {5, 1});
    std::map<std::size_t, tensor_desc> tensors = rewritten(file, {});
    EXPECT_EQ(tensors.at(1).strides, (dims{1, 2}));
    EXPECT_EQ(tensors.at(3).strides, (dims{5, 1}));
    EXPECT_EQ(tensors.at(3).shape, (dims{2, 3}));
}

TEST(driver_rewrite, shapes_and_layouts_of_inputs) {
    auto input = [](const std::string &value) {
        return rewritten(plain({2, 3}, {3, 1}, {3, 1}), with_shapes({{1, value}})).at(1);
    };
    EXPECT_EQ(input("2x3").strides, (dims{3, 1}));
    EXPECT_EQ(input("*ba").strides, (dims{1, 2}));
    EXPECT_EQ(input("2x3*ba").strides, (dims{1, 2}));
    EXPECT_EQ(input("2x3*7x2").strides, (dims{7, 2}));
    EXPECT_EQ(input("*7x2").strides, (dims{7, 2}));
    EXPECT_EQ(input("1x3").shape, (dims{1, 3}));
    EXPECT_EQ(input("3").shape, (dims{3}));
    EXPECT_EQ(input("-").shape.rank(), 0);
    EXPECT_TRUE(input("-").rank_known);
    EXPECT_EQ(rewritten(plain({2, 3}, {3, 1}, {3, 1}), with_shapes({{0, "0"}, {1, "0"}, {2, "0"}}))
                      .at(3)
                      .shape,
            (dims{0}));
    // A shape alone is dense, whatever the layout in the file.
    EXPECT_EQ(rewritten(plain({2, 3}, {1, 2}, {3, 1}), with_shapes({{1, "2x3"}})).at(1).strides,
            (dims{3, 1}));
}

TEST(driver_rewrite, output_shapes_follow) {
    std::map<std::size_t, tensor_desc> tensors =
            rewritten(usual(), with_shapes({{1, "2x1x1x5"}, {3, "2x3x4x5"}}));
    EXPECT_EQ(tensors.at(4).shape, (dims{2, 3, 4, 5}));
    EXPECT_EQ(tensors.at(4).strides, (dims{60, 20, 5, 1}));
    // The order of axes is kept when the shape changes, gaps are not.
    EXPECT_EQ(
            rewritten(plain({2, 3}, {3, 1}, {1, 2}), with_shapes({{0, "1"}, {1, "4x5"}, {2, "1"}}))
                    .at(3)
                    .strides,
            (dims{1, 4}));
    EXPECT_EQ(
            rewritten(plain({2, 3}, {3, 1}, {9, 2}), with_shapes({{0, "1"}, {1, "4x5"}, {2, "1"}}))
                    .at(3)
                    .strides,
            (dims{5, 1}));
    // Layout of an output by option.
    EXPECT_EQ(rewritten(plain({2, 3}, {3, 1}, {3, 1}), with_shapes({{3, "*ba"}})).at(3).strides,
            (dims{1, 2}));
    EXPECT_EQ(rewritten(plain({2, 3}, {3, 1}, {3, 1}), with_shapes({{3, "2x3*9x3"}})).at(3).strides,
            (dims{9, 3}));
}

TEST(driver_rewrite, unknown_shapes_of_the_file_are_derived) {
    formats::graph_file file = plain({2, 3}, {3, 1}, {3, 1});
    ir::port &dst = file.ops[0].outputs[0];
    dst.desc.rank_known = false;
    dst.desc.shape = dst.desc.strides = dims();
    EXPECT_EQ(rewritten(file, {}).at(3).strides, (dims{3, 1}));
    file.ops[0].inputs[1].desc.strides = dims{unknown_dim, unknown_dim};
    EXPECT_EQ(rewritten(file, {}).at(1).strides, (dims{3, 1}));
    file.ops[0].inputs[1].desc.shape = dims{2, unknown_dim};
    EXPECT_THAT(
            refuse(file, {}).message, HasSubstr("tensor 1: the shape of a graph input is unknown"));
    EXPECT_EQ(rewritten(file, with_shapes({{1, "2x3"}})).at(1).shape, (dims{2, 3}));
}

// B110
TEST(driver_rewrite, an_id_that_is_nowhere_fails_and_is_named) {
    case_options options;
    options.op_kind = {{1234, "Add"}};
    expect_rewriter_failed(usual(), options, {"--op-kind", "1234"});
    options = {};
    options.op_attrs = {{99, "axis:1"}};
    expect_rewriter_failed(usual(), options, {"--op-attrs", "99"});
    options = {};
    options.dt_map = {{99, data_type::f16}};
    expect_rewriter_failed(usual(), options, {"--dt", "99"});
    options = {};
    options.tensor_property = {{98, "constant"}};
    expect_rewriter_failed(usual(), options, {"--tensor-property", "98"});
    expect_rewriter_failed(usual(), with_shapes({{99, "2x3"}}), {"--in-shapes", "99"});
}

TEST(driver_rewrite, bad_shapes_fail) {
    for (const char *value : {"2x", "x2", "2xx3", "ax3", "2.5", "-2", "99999999999999999999",
                 "2x3*", "ba", "2x3*ab1", "2x3*abc", "*aa", "*ac", "*BA", "*1", "*1x2x3",
                 "1x1x1x1x1x1x1x1x1x1x1x1x1"})
        expect_rewriter_failed(plain({2, 3}, {3, 1}, {3, 1}), with_shapes({{1, value}}),
                {"--in-shapes", "tensor 1"});
    expect_rewriter_failed(
            plain({2, 3}, {3, 1}, {3, 1}), with_shapes({{3, "3x2"}}), {"output 3", "2x3", "3x2"});
    // Not the option's fault but the shapes': the op's own rule speaks.
    ending clash = refuse(plain({2, 3}, {3, 1}, {3, 1}), with_shapes({{1, "4x3"}}));
    EXPECT_EQ(clash.end, outcome::invalid_arguments);
    EXPECT_THAT(clash.message, HasSubstr("Select (op 0)"));
    // Strides that do not fit 64 bits.
    ending huge = refuse(plain({2, 3}, {3, 1}, {3, 1}),
            with_shapes({{1, "1x4294967296x4294967296x4294967296"}}));
    EXPECT_EQ(huge.end, outcome::invalid_arguments);
    EXPECT_THAT(huge.message, HasSubstr("do not fit 64 bits"));
}

TEST(driver_rewrite, an_intermediate_tensor_has_no_shape_to_give) {
    formats::graph_file file = plain({2, 3}, {3, 1}, {3, 1});
    file.ops.push_back(select_op(1, port(4, data_type::boolean, {2, 3}, {3, 1}),
            port(3, data_type::f32, {2, 3}, {3, 1}), port(5, data_type::f32, {1}, {1}),
            port(6, data_type::f32, {2, 3}, {3, 1})));
    expect_rewriter_failed(
            file, with_shapes({{3, "2x3"}}), {"tensor 3", "neither an input nor an output"});
    file.output_ports = {3, 6};
    EXPECT_EQ(rewritten(file, with_shapes({{3, "*ba"}})).at(3).strides, (dims{1, 2}));
}

TEST(driver_rewrite, ops_are_sorted_and_cycles_refused) {
    formats::graph_file file;
    ir::port cond = port(0, data_type::boolean, {2}, {1});
    auto value = [](std::size_t id) { return port(id, data_type::f32, {2}, {1}); };
    file.ops = {select_op(10, cond, value(5), value(1), value(6)),
            select_op(11, cond, value(1), value(1), value(5))};
    rewrite(file, {});
    EXPECT_EQ(file.ops[0].id, 11u);
    EXPECT_EQ(file.ops[1].id, 10u);
    file.ops[0].inputs[1].id = 6;
    ending cycle = refuse(file, {});
    EXPECT_EQ(cycle.end, outcome::invalid_arguments);
    EXPECT_THAT(cycle.message, HasSubstr("cycle"));
    EXPECT_THAT(cycle.message, HasSubstr("Select (op 1"));
}

TEST(driver_rewrite, attributes) {
    case_options options;
    options.op_attrs = {{0, "auto_broadcast:none"}};
    EXPECT_THAT(
            refuse(usual(), options).message, HasSubstr("auto_broadcast=none wants equal shapes"));
    formats::graph_file file = plain({2, 3}, {3, 1}, {3, 1});
    rewrite(file, options);
    EXPECT_EQ(std::get<std::string>(*ir::find(file.ops[0].attrs, op_attr::auto_broadcast)), "none");

    for (const auto &[value, part] : std::vector<std::pair<std::string, std::string>>{
                 {"colour:1", "unknown attribute 'colour'"},
                 {"axis", "expected NAME:VALUE, found 'axis'"}, {"axis:", "expected NAME:VALUE"},
                 {"axis:1.5", "expected an integer, found '1.5'"},
                 {"alpha:x", "expected a number, found 'x'"}, {"alpha:inf", "expected a number"},
                 {"keep_dims:2", "expected true or false, found '2'"},
                 {"order:0xx1", "expected integers joined by x"},
                 {"scales:1xa", "expected numbers joined by x"}}) {
        options.op_attrs = {{0, value}};
        expect_rewriter_failed(usual(), options, {"--op-attrs", "op 0", part});
    }
    // Right in itself, but nothing that Select has.
    options.op_attrs = {{0, "axis:1*order:-1x2*scales:0.5*keep_dims:1*alpha:-1e20"}};
    EXPECT_EQ(refuse(usual(), options).end, outcome::invalid_arguments);
}

TEST(driver_rewrite, kinds) {
    case_options options;
    for (const char *kind : {"Add", "Exp", "SoftMax", "undef"}) {
        options.op_kind = {{0, kind}};
        expect_rewriter_failed(usual(), options, {"--op-kind", "Select (op 0)"});
    }
    options.op_kind = {{0, "Addition"}};
    expect_rewriter_failed(usual(), options, {"unknown op kind 'Addition'"});

    // A unary op in front of Select is removed; what it read takes the place of what it wrote.
    formats::graph_file file = plain({2, 3}, {3, 1}, {3, 1});
    ir::op_spec unary;
    unary.id = 5;
    unary.kind = op_kind::Exp;
    unary.inputs = {port(8, data_type::f32, {2, 3}, {1, 2})};
    unary.outputs = {port(1, data_type::f32, {2, 3}, {3, 1})};
    file.ops.push_back(unary);
    formats::graph_file other = file;
    options.op_kind = {{5, "Abs"}};
    rewrite(other, options);
    EXPECT_EQ(other.ops[0].kind, op_kind::Abs);
    options.op_kind = {{5, "undef"}};
    rewrite(file, options);
    ASSERT_EQ(file.ops.size(), 1u);
    EXPECT_EQ(file.ops[0].inputs[1].id, 8u);
    EXPECT_EQ(file.ops[0].inputs[1].desc.strides, (dims{1, 2}));
}

TEST(driver_rewrite, select_and_where_take_each_others_place) {
    formats::graph_file file = plain({2, 3}, {3, 1}, {3, 1});
    file.ops[0].attrs = {{op_attr::auto_broadcast, std::string("numpy")}};
    case_options options;
    options.op_kind = {{0, "Where"}};
    rewrite(file, options);
    EXPECT_EQ(file.ops[0].kind, op_kind::Where);
    EXPECT_TRUE(file.ops[0].attrs.empty()); // Where has none
    options.op_kind = {{0, "Select"}};
    rewrite(file, options);
    EXPECT_EQ(file.ops[0].kind, op_kind::Select);
    options.op_kind = {{0, "Add"}};
    expect_rewriter_failed(file, options, {"--op-kind", "Select (op 0)", "Select and Where"});
}

TEST(driver_rewrite, a_binary_op_gives_way_to_the_input_that_an_op_writes) {
    formats::graph_file file = plain({2, 3}, {3, 1}, {3, 1});
    ir::op_spec binary;
    binary.id = 5;
    binary.kind = op_kind::Multiply;
    binary.inputs = {port(9, data_type::f32, {1}, {1}), port(3, data_type::f32, {2, 3}, {3, 1})};
    binary.outputs = {port(10, data_type::f32, {2, 3}, {3, 1})};
    file.ops.push_back(binary);
    file.output_ports = {10};
    case_options options;
    options.op_kind = {{5, "undef"}};
    rewrite(file, options);
    ASSERT_EQ(file.ops.size(), 1u);
    EXPECT_EQ(file.output_ports, (std::vector<std::size_t>{3}));
    options.op_kind = {{0, "undef"}};
    expect_rewriter_failed(file, options, {"cannot be removed"});
    // Options for what went with the op.
    file.ops.push_back(binary);
    options.op_kind = {{5, "undef"}};
    options.dt_map = {{9, data_type::f16}};
    expect_rewriter_failed(file, options, {"--dt", "tensor 9"});
    options.dt_map.clear();
    // No input of its own that an op writes: which one should stay is open.
    file.ops[1].inputs[1] = port(11, data_type::f32, {2, 3}, {3, 1});
    expect_rewriter_failed(file, options, {"Multiply (op 5)", "0 of its inputs"});
}

TEST(driver_rewrite, types_of_the_whole_graph) {
    case_options options;
    options.dt = data_type::bf16;
    std::map<std::size_t, tensor_desc> tensors = rewritten(usual(), options);
    EXPECT_EQ(tensors.at(1).type, data_type::boolean);
    for (std::size_t id : {2, 3, 4})
        EXPECT_EQ(tensors.at(id).type, data_type::bf16);
    options.dt = data_type::s32;
    expect_rewriter_failed(usual(), options, {"--dt=s32", "f32, bf16 or f16"});
    options.dt = data_type::f16;
    formats::graph_file whole_numbers = usual();
    for (ir::port *p : {&whole_numbers.ops[0].inputs[1], &whole_numbers.ops[0].inputs[2],
                 &whole_numbers.ops[0].outputs[0]})
        p->desc.type = data_type::s32;
    expect_rewriter_failed(whole_numbers, options, {"no tensor"});
    formats::graph_file converting = usual();
    converting.ops[0].kind = op_kind::TypeCast;
    expect_rewriter_failed(converting, options, {"TypeCast (op 0)"});
}

TEST(driver_rewrite, types_by_tensor) {
    case_options options;
    options.dt_map = {{2, data_type::s8}, {3, data_type::s8}, {4, data_type::s8}};
    EXPECT_EQ(rewritten(usual(), options).at(4).type, data_type::s8);
    options.dt_map = {{2, data_type::s8}};
    EXPECT_EQ(refuse(usual(), options).end, outcome::invalid_arguments);
    // B122
    options.dt_map = {{2, data_type::s4}, {3, data_type::s4}, {4, data_type::s4}};
    ending skipped = refuse(usual(), options);
    EXPECT_EQ(skipped.end, outcome::skipped);
    EXPECT_EQ(skipped.why, reason::data_type);
    EXPECT_THAT(skipped.message, HasSubstr("s4"));
}

TEST(driver_rewrite, properties_and_fpmath) {
    case_options options;
    options.tensor_property = {{3, "constant"}};
    options.fpmath = fpmath_setting{fpmath_mode::tf32, true};
    formats::graph_file file = usual();
    rewrite(file, options);
    EXPECT_EQ(file.ops[0].inputs[2].desc.property, property_type::constant);
    EXPECT_EQ(file.fpmath, fpmath_mode::tf32);
    EXPECT_TRUE(file.fpmath_apply_to_int);
}

TEST(driver_rewrite, batch_size) {
    case_options options;
    options.mb = 4;
    std::map<std::size_t, tensor_desc> tensors = rewritten(usual(), options);
    EXPECT_EQ(tensors.at(1).shape, (dims{4, 1, 1, 128}));
    EXPECT_EQ(tensors.at(2).shape, (dims{1}));
    EXPECT_EQ(tensors.at(3).shape, (dims{4, 12, 128, 128}));
    EXPECT_EQ(tensors.at(4).shape, (dims{4, 12, 128, 128}));
    // It wins over --in-shapes.
    options.in_shapes = {{3, "7x12x128x128"}};
    EXPECT_EQ(rewritten(usual(), options).at(3).shape, (dims{4, 12, 128, 128}));
    // Padded planes stay padded; a batch inside the others makes room.
    options.in_shapes.clear();
    EXPECT_EQ(rewritten(plain({2, 3}, {8, 1}, {3, 1}), options).at(1).strides, (dims{8, 1}));
    EXPECT_EQ(rewritten(plain({2, 3}, {1, 2}, {1, 2}), options).at(1).strides, (dims{1, 4}));
    EXPECT_EQ(rewritten(plain({2, 3}, {1, 2}, {1, 2}), options).at(3).strides, (dims{1, 4}));
    expect_rewriter_failed(plain({}, {}, {}), options, {"--mb=4", "no graph input"});
}

// B113
TEST(driver_rewrite, an_op_without_a_shape_rule_is_unimplemented_and_named) {
    formats::graph_file file = usual();
    file.ops[0].kind = op_kind::Convolution;
    ending found = refuse(file, with_shapes({{2, "2x3"}}));
    EXPECT_EQ(found.end, outcome::unimplemented);
    EXPECT_THAT(found.message, HasSubstr("Convolution (op 0)"));
}

TEST(driver_rewrite, a_wrong_number_of_ports_is_refused) {
    for (int inputs : {0, 1, 2}) {
        formats::graph_file file = usual();
        file.ops[0].inputs.resize(static_cast<std::size_t>(inputs));
        EXPECT_EQ(refuse(file, {}).end, outcome::invalid_arguments) << inputs;
    }
    formats::graph_file file = usual();
    file.ops[0].inputs.push_back(file.ops[0].inputs[0]);
    EXPECT_EQ(refuse(file, {}).end, outcome::invalid_arguments);
    file = usual();
    file.ops[0].outputs.clear();
    EXPECT_EQ(refuse(file, {}).end, outcome::invalid_arguments);
}

TEST(driver_layout, tags_and_strides) {
    EXPECT_EQ(order_from_tag("acb", 3), (axis_order{0, 2, 1}));
    EXPECT_FALSE(order_from_tag("acb", 2));
    EXPECT_FALSE(order_from_tag("aab", 3));
    EXPECT_FALSE(order_from_tag("abd", 3));
    EXPECT_EQ(order_from_tag("", 0), axis_order());
    EXPECT_EQ(strides_in_order({2, 3, 4}, {0, 2, 1}), (dims{12, 1, 3}));
    EXPECT_EQ(strides_in_order({2, 0, 4}, {2, 1, 0}), (dims{1, 2, 2}));
    EXPECT_EQ(order_from_strides({1, 12, 4}), (axis_order{1, 2, 0}));
    EXPECT_TRUE(is_permuted_dense({4, 3, 3}, {1, 12, 4}));
    EXPECT_TRUE(is_permuted_dense({}, {}));
    EXPECT_FALSE(is_permuted_dense({2, 3}, {4, 1}));
    EXPECT_FALSE(is_permuted_dense({2, 3}, {0, 1}));
}

} // namespace
} // namespace tern::driver
