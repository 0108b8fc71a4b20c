// SPDX-License-Identifier: Apache-2.0

// Concat, Slice, Gather and Expand: literal values, shapes, errors.

#include <cstring>
#include <limits>

#include "op_case.hpp"

namespace tern::ops {
namespace {

using dt = data_type;
using k = op_kind;
using testing::ElementsAre;
using s64s = std::vector<std::int64_t>;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr dt every_type[] = {dt::f16, dt::bf16, dt::f32, dt::f64, dt::s8, dt::s16, dt::s32, dt::s64,
        dt::u8, dt::u16, dt::u32, dt::u64, dt::boolean, dt::f8_e5m2, dt::f8_e4m3, dt::c64, dt::c128,
        dt::string};

ir::attr_list along(std::int64_t axis) {
    return {{op_attr::axis, axis}};
}
ir::attr_list cut(
        const s64s &starts, const s64s &ends, const s64s &axes = {}, const s64s &steps = {}) {
    ir::attr_list attrs = {{op_attr::starts, starts}, {op_attr::ends, ends}};
    if (!axes.empty()) attrs.emplace_back(op_attr::axes, axes);
    if (!steps.empty()) attrs.emplace_back(op_attr::steps, steps);
    return attrs;
}
ir::attr_list to_shape(const s64s &shape) {
    return {{op_attr::shape, shape}};
}

ir::op_spec one_input(k kind, const ir::attr_list &attrs, const dims &shape) {
    return make_spec(kind, attrs, {{dt::f32, shape}}, {dt::f32});
}
ir::op_spec concat_of(std::int64_t axis, const std::vector<dims> &shapes) {
    std::vector<std::pair<dt, dims>> ports;
    for (const dims &shape : shapes)
        ports.emplace_back(dt::f32, shape);
    return make_spec(k::Concat, along(axis), ports, {dt::f32});
}
ir::op_spec gather_of(std::int64_t axis, const dims &data, const dims &indices) {
    return make_spec(k::Gather, along(axis), {{dt::f32, data}, {dt::s64, indices}}, {dt::f32});
}

/// Bytes that no two elements have in common.
std::vector<unsigned char> pattern(std::size_t bytes) {
    std::vector<unsigned char> result(bytes);
    for (std::size_t i = 0; i < bytes; ++i)
        result[i] = static_cast<unsigned char>(0xFF - i * 37);
    return result;
}

/// Which element of 2x3 (of each type) each element of the output is. Inputs without data are
/// these.
void expect_bits(k kind, const ir::attr_list &attrs, const std::vector<ir::const_view> &given,
        const std::vector<int> &order) {
    for (dt type : every_type) {
        const std::size_t bytes = bytes_of(type);
        const std::vector<unsigned char> src = pattern(6 * bytes);
        std::vector<std::pair<dt, dims>> ports;
        std::vector<ir::const_view> in = given;
        for (ir::const_view &view : in) {
            if (view.data == nullptr) {
                view.type = type;
                view.data = src.data();
            }
            ports.emplace_back(view.type, view.shape);
        }
        ir::op_spec spec = make_spec(kind, attrs, ports, {type});
        complete(spec);
        const dims &shape = spec.outputs[0].desc.shape;
        ASSERT_EQ(*element_count(shape), static_cast<std::int64_t>(order.size()));
        std::vector<unsigned char> dst(order.size() * bytes);
        const ir::mutable_view out = {dst.data(), type, shape, *dense_strides(shape)};
        find(kind)->reference({spec.attrs, in, {&out, 1}}, 0, *element_count(shape));
        for (std::size_t i = 0; i < order.size(); ++i)
            EXPECT_EQ(std::memcmp(dst.data() + i * bytes,
                              src.data() + static_cast<std::size_t>(order[i]) * bytes, bytes),
                    0)
                    << name_of(type) << ' ' << i;
    }
}

// --- Concat

TEST(ops_concat, puts_sources_one_after_the_other) {
    const operand a = {dt::f32, {2, 2}, {1, 2, 3, 4}, {1, 2}};
    const operand b = {dt::f32, {2, 1}, {5, 6}, {3, 1}};
    const operand c = {dt::f32, {1, 2}, {7, 8}, {}};
    EXPECT_THAT(run_one(k::Concat, along(1), {a, b}).values, ElementsAre(1, 2, 5, 3, 4, 6));
    EXPECT_THAT(run_one(k::Concat, along(-1), {b, a, b}, {dt::f32, {1, 7}}).values,
            ElementsAre(5, 1, 2, 5, 6, 3, 4, 6));
    EXPECT_THAT(run_one(k::Concat, along(0), {a, c}).values, ElementsAre(1, 2, 3, 4, 7, 8));
    EXPECT_THAT(run_one(k::Concat, along(-2), {a}).values, ElementsAre(1, 2, 3, 4));
}

TEST(ops_concat, sources_may_be_empty) {
    const operand none = {dt::s64, {0}, {}, {}};
    const operand two = {dt::s64, {2}, {1, 2}, {}};
    EXPECT_THAT(run_one(k::Concat, along(0), {none, two, none, none, two}, {dt::s64, {}}).values,
            ElementsAre(1, 2, 1, 2));
    EXPECT_EQ(run_one(k::Concat, along(0), {none, none}, {dt::s64, {}}).shape, dims({0}));
}

TEST(ops_concat, copies_bits_of_every_type) {
    const ir::const_view view = {nullptr, dt::f32, {2, 3}, {3, 1}};
    expect_bits(k::Concat, along(1), {view, view}, {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5});
}

TEST(ops_concat, shapes) {
    EXPECT_EQ(inferred_shape(concat_of(1, {{2, 3}, {2, 0}, {2, 5}})), "2x8");
    EXPECT_EQ(inferred_shape(concat_of(0, {{2, unknown_dim}, {4, 3}})), "6x3");
    EXPECT_EQ(inferred_shape(concat_of(0, {{2, 3}, {unknown_dim, 3}})), "?x3");
    EXPECT_EQ(inferred_shape(concat_of(0, std::vector<dims>(128, dims{2}))), "256");
    ir::op_spec late = concat_of(0, {{2}, {2}});
    late.inputs[1] = of_unknown_rank(1, dt::f32);
    EXPECT_EQ(inferred_shape(late), "unknown rank");
}

TEST(ops_concat, errors) {
    const status bad_op = status::invalid_graph_op;
    const status bad_shape = status::invalid_shape;
    expect_error(bad_op, concat_of(0, {}), "0 inputs given, expected 1 to 128 (src...)");
    expect_error(bad_op, concat_of(0, std::vector<dims>(129, dims{2})), "129 inputs given");
    expect_error(bad_op, concat_of(2, {{2, 3}}), "attribute axis is 2, but src has rank 2");
    expect_error(bad_op, concat_of(0, {dims{}, dims{}}), "attribute axis is 0, but src has rank 0");
    expect_error(bad_shape, concat_of(0, {{2, 3}, {2}}),
            "source 1 has shape 2, but source 0 has rank 2");
    expect_error(bad_shape, concat_of(0, {{2, 3}, {5, 3}, {2, 4}}),
            "source 2 has shape 2x4: axis 1 has 4, but those before it have 3");
    expect_error(bad_shape, concat_of(0, {{most}, {1}}),
            "the size of dst along axis 0 does not fit 63 bits");
    ir::op_spec mixed = concat_of(0, {{2}, {2}});
    mixed.inputs[1].desc.type = dt::s32;
    expect_error(bad_op, mixed, "they must be equal");
}

// --- Slice

std::vector<double> sliced(const std::vector<double> &values, std::int64_t start, std::int64_t end,
        std::int64_t step) {
    const operand data = {dt::f32, {static_cast<std::int64_t>(values.size())}, values, {}};
    return run_one(k::Slice, cut({start}, {end}, {0}, {step}), {data}).values;
}

TEST(ops_slice, one_axis) {
    const std::vector<double> five = {0, 1, 2, 3, 4};
    EXPECT_THAT(sliced(five, 1, 4, 1), ElementsAre(1, 2, 3));
    EXPECT_THAT(sliced(five, 0, 5, 2), ElementsAre(0, 2, 4));
    EXPECT_THAT(sliced(five, 1, 5, 2), ElementsAre(1, 3));
    EXPECT_THAT(sliced(five, -3, -1, 1), ElementsAre(2, 3));
    EXPECT_THAT(sliced(five, 2, most, 1), ElementsAre(2, 3, 4));
    EXPECT_THAT(sliced(five, least, 2, 1), ElementsAre(0, 1));
    EXPECT_THAT(sliced(five, 0, most, most), ElementsAre(0));
    EXPECT_THAT(sliced(five, 3, 1, 1), ElementsAre());
    EXPECT_THAT(sliced(five, 7, 9, 1), ElementsAre());
    EXPECT_THAT(sliced({}, 0, most, 1), ElementsAre());
}

TEST(ops_slice, backwards) {
    const std::vector<double> five = {0, 1, 2, 3, 4};
    EXPECT_THAT(sliced(five, -1, least, -1), ElementsAre(4, 3, 2, 1, 0));
    EXPECT_THAT(sliced(five, most, least, -2), ElementsAre(4, 2, 0));
    EXPECT_THAT(sliced(five, 3, 0, -1), ElementsAre(3, 2, 1));
    EXPECT_THAT(sliced(five, 3, -1, -1), ElementsAre()); // -1 is the last index
    EXPECT_THAT(sliced(five, 3, -6, -3), ElementsAre(3, 0));
    EXPECT_THAT(sliced(five, 4, least, least), ElementsAre(4));
    EXPECT_THAT(sliced(five, -100, least, -1), ElementsAre(0)); // ONNX clamps start to 0
    EXPECT_THAT(sliced({}, -1, least, -1), ElementsAre());
}

TEST(ops_slice, several_axes) {
    const operand data = {dt::f32, {2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}, {1, 3}};
    // The examples of ONNX's page.
    EXPECT_THAT(run_one(k::Slice, cut({1, 0}, {2, 3}, {0, 1}, {1, 2}), {data}).values,
            ElementsAre(5, 7));
    EXPECT_THAT(run_one(k::Slice, cut({0, 1}, {-1, 1000}), {data}).values, ElementsAre(2, 3, 4));
    EXPECT_THAT(run_one(k::Slice, cut({-1}, {least}, {-1}, {-1}), {data}, {dt::f32, {1, 2}}).values,
            ElementsAre(4, 3, 2, 1, 8, 7, 6, 5));
    EXPECT_THAT(run_one(k::Slice, cut({}, {}), {data}).values, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
    EXPECT_THAT(run_one(k::Slice, cut({}, {}), {{dt::f32, {}, {3}, {}}}).values, ElementsAre(3));
}

TEST(ops_slice, copies_bits_of_every_type) {
    expect_bits(k::Slice, cut({2}, {least}, {1}, {-2}), {{nullptr, dt::f32, {2, 3}, {3, 1}}},
            {2, 0, 5, 3});
}

TEST(ops_slice, shapes) {
    EXPECT_EQ(inferred_shape(one_input(k::Slice, cut({1}, {3}), {4, 5})), "2x5");
    EXPECT_EQ(inferred_shape(one_input(k::Slice, cut({1}, {3}, {-1}), {4, 5})), "4x2");
    EXPECT_EQ(inferred_shape(one_input(k::Slice, cut({1}, {3}, {-1}), {4, unknown_dim})), "4x?");
    EXPECT_EQ(inferred_shape(one_input(k::Slice, cut({3}, {1}), {0, 5})), "0x5");
    ir::op_spec late = one_input(k::Slice, cut({1}, {3}), {});
    late.inputs[0] = of_unknown_rank(0, dt::f32);
    EXPECT_EQ(inferred_shape(late), "unknown rank");
}

TEST(ops_slice, errors) {
    const status bad = status::invalid_graph_op;
    expect_error(bad, one_input(k::Slice, cut({1}, {3, 4}), {4, 5}),
            "attribute ends has 2 values, but starts has 1");
    expect_error(bad, one_input(k::Slice, cut({1}, {3}, {0, 1}), {4, 5}),
            "attribute axes has 2 values, but starts has 1");
    expect_error(bad, one_input(k::Slice, cut({1}, {3}, {}, {1, 1}), {4, 5}),
            "attribute steps has 2 values, but starts has 1");
    expect_error(
            bad, one_input(k::Slice, cut({1}, {3}, {0}, {0}), {4, 5}), "attribute steps has 0");
    expect_error(bad, one_input(k::Slice, cut({1}, {3}, {2}), {4, 5}),
            "attribute axes has 2, but data has rank 2");
    expect_error(bad, one_input(k::Slice, cut({1, 1}, {3, 3}, {1, -1}), {4, 5}),
            "attribute axes has axis 1 twice");
    expect_error(bad, one_input(k::Slice, cut({1, 1}, {3, 3}), {4}),
            "attribute starts has 2 values, but data has rank 1");
    expect_error(bad, one_input(k::Slice, {{op_attr::ends, s64s{1}}}, {4}),
            "attribute starts is required");
    expect_error(bad, one_input(k::Slice, {{op_attr::starts, s64s{1}}}, {4}),
            "attribute ends is required");
}

// --- Gather

TEST(ops_gather, takes_what_stands_at_the_indices) {
    const operand data = {dt::f32, {3, 2}, {1, 2, 3, 4, 5, 6}, {1, 3}};
    const operand indices = {dt::s64, {2, 2}, {0, 1, 1, -1}, {1, 2}};
    const operand rows = run_one(k::Gather, {}, {data, indices});
    EXPECT_EQ(rows.shape, dims({2, 2, 2}));
    EXPECT_THAT(rows.values, ElementsAre(1, 2, 3, 4, 3, 4, 5, 6));
    const operand columns = run_one(k::Gather, along(1), {data, {dt::s32, {1, 2}, {1, 0}, {}}});
    EXPECT_EQ(columns.shape, dims({3, 1, 2}));
    EXPECT_THAT(columns.values, ElementsAre(2, 1, 4, 3, 6, 5));
    const operand one = run_one(k::Gather, along(-2), {data, {dt::s32, {}, {-3}, {}}});
    EXPECT_EQ(one.shape, dims({2}));
    EXPECT_THAT(one.values, ElementsAre(1, 2));
    EXPECT_THAT(run_one(k::Gather, {}, {data, {dt::s64, {0}, {}, {}}}).values, ElementsAre());
}

TEST(ops_gather, copies_bits_of_every_type) {
    const std::int64_t indices[] = {2, -3};
    expect_bits(k::Gather, along(1),
            {{nullptr, dt::f32, {2, 3}, {3, 1}}, {indices, dt::s64, {2}, {1}}}, {2, 0, 5, 3});
}

TEST(ops_gather, shapes) {
    EXPECT_EQ(inferred_shape(gather_of(1, {2, 3, 4}, {5, 6})), "2x5x6x4");
    EXPECT_EQ(inferred_shape(gather_of(0, {2, unknown_dim}, {unknown_dim})), "?x?");
    EXPECT_EQ(inferred_shape(gather_of(0, {2}, {})), "scalar");
    EXPECT_EQ(inferred_shape(gather_of(0, dims(max_rank, 1), {2})), "2x1x1x1x1x1x1x1x1x1x1x1");
    ir::op_spec late = gather_of(0, {2}, {});
    late.inputs[1] = of_unknown_rank(1, dt::s64);
    EXPECT_EQ(inferred_shape(late), "unknown rank");
}

TEST(ops_gather, errors) {
    expect_error(status::invalid_graph_op, gather_of(2, {2, 3}, {1}),
            "attribute axis is 2, but data has rank 2");
    expect_error(status::invalid_graph_op, gather_of(0, {}, {1}),
            "attribute axis is 0, but data has rank 0");
    expect_error(status::invalid_shape, gather_of(0, dims(max_rank, 1), {1, 1}),
            "give output a rank of 13; at most 12 is allowed");
    ir::op_spec wrong = gather_of(0, {2}, {1});
    wrong.inputs[1].desc.type = dt::u8;
    expect_error(status::invalid_graph_op, wrong, "indices (tensor 1) has data type u8");
}

TEST(ops_gather, says_which_index_is_out_of_range) {
    ir::attr_list attrs = along(1);
    for (const auto &[index, is_good] : std::vector<std::pair<std::int64_t, bool>>{
                 {2, true}, {-3, true}, {3, false}, {-4, false}, {least, false}, {most, false}}) {
        const std::int64_t indices[] = {0, -99, index}; // the stride leaves out the middle one
        const std::vector<ir::const_view> in = {
                {nullptr, dt::f32, {2, 3}, {3, 1}}, {indices, dt::s64, {2}, {2}}};
        const auto fault = find(k::Gather)->check_data({attrs, in, {}});
        ASSERT_EQ(!fault, is_good) << index;
        if (!fault) continue;
        EXPECT_EQ(fault->input, 1u);
        EXPECT_EQ(fault->text,
                "has index " + std::to_string(index) + ", but data 2x3 has 3 along axis 1");
    }
    const std::vector<ir::const_view> empty = {
            {nullptr, dt::f32, {2, 0}, {1, 1}}, {nullptr, dt::s64, {0}, {1}}};
    EXPECT_FALSE(find(k::Gather)->check_data({attrs, empty, {}}));
}

// --- Expand

TEST(ops_expand, repeats) {
    const operand column = {dt::f32, {3, 1}, {1, 2, 3}, {2, 1}};
    // The examples of ONNX's page.
    EXPECT_THAT(run_one(k::Expand, to_shape({2, 1, 6}), {column}).values,
            ElementsAre(1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 1, 1, 1, 1, 1, 1, 2,
                    2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3));
    EXPECT_THAT(run_one(k::Expand, to_shape({3, 4}), {column}, {dt::f32, {1, 3}}).values,
            ElementsAre(1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3));
    EXPECT_THAT(run_one(k::Expand, to_shape({}), {column}).values, ElementsAre(1, 2, 3));
    EXPECT_THAT(run_one(k::Expand, to_shape({2, 0, 1}), {{dt::f32, {}, {5}, {}}}).values,
            ElementsAre());
}

TEST(ops_expand, copies_bits_of_every_type) {
    expect_bits(k::Expand, to_shape({2, 1, 1}), {{nullptr, dt::f32, {2, 3}, {3, 1}}},
            {0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5});
}

TEST(ops_expand, shapes) {
    EXPECT_EQ(inferred_shape(one_input(k::Expand, to_shape({4}), {3, 1})), "3x4");
    EXPECT_EQ(inferred_shape(one_input(k::Expand, to_shape({1}), {3, 5})), "3x5");
    EXPECT_EQ(inferred_shape(one_input(k::Expand, to_shape({0}), {1})), "0");
    EXPECT_EQ(inferred_shape(one_input(k::Expand, to_shape({2, 1, 4}), {unknown_dim, 1})), "2x?x4");
    ir::op_spec late = one_input(k::Expand, to_shape({4}), {});
    late.inputs[0] = of_unknown_rank(0, dt::f32);
    EXPECT_EQ(inferred_shape(late), "unknown rank");
}

TEST(ops_expand, errors) {
    expect_error(status::invalid_shape, one_input(k::Expand, to_shape({4}), {3, 2}),
            "input 3x2 and the attribute shape 4 do not broadcast: axis 1 (of 2) has 2 against 4");
    expect_error(status::invalid_graph_op, one_input(k::Expand, to_shape({2, -1}), {3}),
            "attribute shape has -1 at axis 1; expected 0 or more");
    expect_error(status::invalid_graph_op, one_input(k::Expand, to_shape(s64s(13, 1)), {3}),
            "attribute shape has 13 values; at most 12 are allowed");
    expect_error(
            status::invalid_graph_op, one_input(k::Expand, {}, {3}), "attribute shape is required");
}

} // namespace
} // namespace tern::ops
