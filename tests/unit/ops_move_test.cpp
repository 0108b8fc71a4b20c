// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "op_case.hpp"

namespace tern::ops {
namespace {

using dt = data_type;
using testing::ElementsAre;
using s64s = std::vector<std::int64_t>;

constexpr dt every_type[] = {dt::f16, dt::bf16, dt::f32, dt::f64, dt::s8, dt::s16, dt::s32, dt::s64,
        dt::u8, dt::u16, dt::u32, dt::u64, dt::boolean, dt::f8_e5m2, dt::f8_e4m3, dt::c64, dt::c128,
        dt::string};

ir::attr_list reshape_to(const s64s &shape, bool special_zero = false) {
    return {{op_attr::shape, shape}, {op_attr::special_zero, special_zero}};
}
ir::attr_list in_order(const s64s &order) {
    return {{op_attr::order, order}};
}

ir::op_spec reshape(const dims &src, const s64s &shape, bool special_zero = false) {
    return make_spec(
            op_kind::StaticReshape, reshape_to(shape, special_zero), {{dt::f32, src}}, {dt::f32});
}
ir::op_spec transpose(const dims &src, const s64s &order) {
    return make_spec(op_kind::StaticTranspose, in_order(order), {{dt::f32, src}}, {dt::f32});
}

/// Copies 2x3 elements of all bits that a type has and compares them byte by byte.
void expect_bits_copied(op_kind kind, const ir::attr_list &attrs, const std::vector<int> &order) {
    for (dt type : every_type) {
        const std::size_t bytes = bytes_of(type);
        std::vector<unsigned char> src(6 * bytes);
        for (std::size_t i = 0; i < src.size(); ++i)
            src[i] = static_cast<unsigned char>(0xFF - i * 37);
        std::vector<unsigned char> dst(src.size());
        ir::op_spec spec = make_spec(kind, attrs, {{type, {2, 3}}}, {type});
        complete(spec);
        const dims &shape = spec.outputs[0].desc.shape;
        const ir::const_view in = {src.data(), type, {2, 3}, {3, 1}};
        const ir::mutable_view out = {dst.data(), type, shape, *dense_strides(shape)};
        find(kind)->reference({spec.attrs, {&in, 1}, {&out, 1}}, 0, 6);
        for (std::size_t i = 0; i < 6; ++i)
            EXPECT_EQ(std::memcmp(dst.data() + i * bytes,
                              src.data() + static_cast<std::size_t>(order[i]) * bytes, bytes),
                    0)
                    << name_of(type) << ' ' << i;
    }
}

TEST(ops_reorder, changes_the_layout) {
    const operand src = {dt::s16, {2, 3}, {1, 2, 3, 4, 5, 6}, {1, 2}};
    const operand dst = run_one(op_kind::Reorder, {}, {src}, {dt::s16, {8, 2}});
    EXPECT_EQ(dst.shape, dims({2, 3}));
    EXPECT_THAT(dst.values, ElementsAre(1, 2, 3, 4, 5, 6));
    EXPECT_THAT(run_one(op_kind::Reorder, {}, {{dt::f32, {}, {5}, {}}}).values, ElementsAre(5));
    EXPECT_THAT(run_one(op_kind::Reorder, {}, {{dt::f32, {0, 3}, {}, {}}}).values, ElementsAre());
    EXPECT_THAT(run_one(op_kind::Reorder, {}, {{dt::f32, dims(max_rank, 1), {5}, {}}}).values,
            ElementsAre(5));
}

TEST(ops_reorder, copies_bits_of_every_type) {
    expect_bits_copied(op_kind::Reorder, {}, {0, 1, 2, 3, 4, 5});
}

TEST(ops_reorder, errors) {
    expect_error(status::invalid_graph_op,
            make_spec(op_kind::Reorder, {}, {{dt::f32, {2}}}, {dt::f16}), "they must be equal");
    expect_error(status::invalid_graph_op,
            make_spec(op_kind::Reorder, {}, {{dt::s4, {2}}}, {dt::s4}), "has data type s4");
    ir::op_spec spec = make_spec(op_kind::Reorder, {}, {{dt::f32, {2, 3}}}, {dt::f32});
    spec.outputs[0] = make_port(100, dt::f32, {3, 2});
    expect_error(status::invalid_shape, spec, "dst is given as 3x2, but the inputs give 2x3");
}

TEST(ops_static_reshape, keeps_the_order_of_elements) {
    const operand src = {dt::f32, {2, 3}, {1, 2, 3, 4, 5, 6}, {1, 5}};
    const operand dst =
            run_one(op_kind::StaticReshape, reshape_to({3, 1, 2}), {src}, {dt::f32, {2, 9, 20}});
    EXPECT_EQ(dst.shape, dims({3, 1, 2}));
    EXPECT_THAT(dst.values, ElementsAre(1, 2, 3, 4, 5, 6));
    expect_bits_copied(op_kind::StaticReshape, reshape_to({6}), {0, 1, 2, 3, 4, 5});
}

TEST(ops_static_reshape, shapes) {
    EXPECT_EQ(inferred_shape(reshape({2, 3}, {6})), "6");
    EXPECT_EQ(inferred_shape(reshape({2, 3}, {-1})), "6");
    EXPECT_EQ(inferred_shape(reshape({2, 3, 4}, {4, -1})), "4x6");
    EXPECT_EQ(inferred_shape(reshape({2, 3}, {0, -1}, true)), "2x3");
    EXPECT_EQ(inferred_shape(reshape({2, 3, 4}, {0, 0, 2, -1}, true)), "2x3x2x2");
    EXPECT_EQ(inferred_shape(reshape({1, 1}, {})), "scalar");
    EXPECT_EQ(inferred_shape(reshape({}, {1, 1})), "1x1");
    EXPECT_EQ(inferred_shape(reshape({0, 3}, {5, 0})), "5x0");
    EXPECT_EQ(inferred_shape(reshape({0, 3}, {3, -1})), "3x0");
    EXPECT_EQ(inferred_shape(reshape({0, 3}, {0, 5}, true)), "0x5");
    EXPECT_EQ(inferred_shape(reshape({1}, s64s(max_rank, 1))), "1x1x1x1x1x1x1x1x1x1x1x1");
}

TEST(ops_static_reshape, shapes_may_be_unknown) {
    EXPECT_EQ(inferred_shape(reshape({unknown_dim, 3}, {3, -1})), "3x?");
    EXPECT_EQ(inferred_shape(reshape({unknown_dim, 3}, {0, 3}, true)), "?x3");
    EXPECT_EQ(inferred_shape(reshape({unknown_dim, 3}, {2, 3})), "2x3");
    ir::op_spec spec = reshape({}, {0, -1, 4}, true);
    spec.inputs[0] = of_unknown_rank(0, dt::f32);
    EXPECT_EQ(inferred_shape(spec), "?x?x4");
}

TEST(ops_static_reshape, errors) {
    const status bad_op = status::invalid_graph_op;
    const status bad_shape = status::invalid_shape;
    expect_error(bad_op, reshape({2, 3}, {-1, -1}), "has 2 values of -1; one is allowed");
    expect_error(bad_op, reshape({2, 3}, {3, -2}),
            "attribute shape has -2 at axis 1; expected -1, 0 or more");
    expect_error(bad_op, reshape({1}, s64s(13, 1)),
            "attribute shape has 13 values; at most 12 are allowed");
    expect_error(bad_shape, reshape({2, 3}, {4, 2}),
            "src 2x3 does not have as many elements as the attribute shape, 4x2");
    expect_error(bad_shape, reshape({2, 3}, {4, -1}), "as the attribute shape, 4x-1");
    expect_error(bad_shape, reshape({2, 3}, {0, 3}), "as the attribute shape, 0x3");
    expect_error(bad_shape, reshape({2, 3}, {std::int64_t{1} << 62, 4}), "as many elements");
    expect_error(bad_shape, reshape({2, 3}, {std::int64_t{1} << 62, 4, -1}), "as many elements");
    expect_error(bad_shape, reshape({0, 3}, {0, -1}),
            "attribute shape is 0x-1: beside a size of 0, -1 could be anything");
    expect_error(bad_shape, reshape({2, 3}, {2, 3, 0}, true),
            "attribute shape has 0 (as in src) at axis 2, but src 2x3 has rank 2");
    ir::op_spec spec = reshape({2, 3}, {6});
    spec.attrs.pop_back();
    expect_error(bad_op, spec, "attribute special_zero is required");
    spec.attrs = {{op_attr::special_zero, false}};
    expect_error(bad_op, spec, "attribute shape is required");
}

TEST(ops_static_transpose, permutes_axes) {
    const operand src = {dt::f32, {2, 3}, {1, 2, 3, 4, 5, 6}, {4, 1}};
    for (const s64s &order : {s64s{1, 0}, s64s{-1, -2}, s64s{-1, 0}, s64s{}}) {
        const operand dst =
                run_one(op_kind::StaticTranspose, in_order(order), {src}, {dt::f32, {1, 5}});
        EXPECT_EQ(dst.shape, dims({3, 2}));
        EXPECT_THAT(dst.values, ElementsAre(1, 4, 2, 5, 3, 6));
    }
    expect_bits_copied(op_kind::StaticTranspose, in_order({1, 0}), {0, 3, 1, 4, 2, 5});
}

TEST(ops_static_transpose, three_axes) {
    // Axis 0 of dst is axis 2 of src, so dst[k][i][j] = src[i][j][k]: this is not its inverse.
    const operand dst = run_one(
            op_kind::StaticTranspose, in_order({2, 0, 1}), {{dt::f32, {1, 2, 3}, iota(6), {}}});
    EXPECT_EQ(dst.shape, dims({3, 1, 2}));
    EXPECT_THAT(dst.values, ElementsAre(0, 3, 1, 4, 2, 5));
}

TEST(ops_static_transpose, shapes) {
    EXPECT_EQ(inferred_shape(transpose({2, 3, 4, 5}, {0, 2, 1, 3})), "2x4x3x5");
    EXPECT_EQ(inferred_shape(transpose({2, unknown_dim, 4}, {})), "4x?x2");
    EXPECT_EQ(inferred_shape(transpose({}, {})), "scalar");
    EXPECT_EQ(inferred_shape(transpose({2, 0}, {1, 0})), "0x2");
    EXPECT_EQ(inferred_shape(transpose({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {})),
            "12x11x10x9x8x7x6x5x4x3x2x1");
    EXPECT_THAT(
            run_one(op_kind::StaticTranspose, in_order({1, 0}), {{dt::f32, {2, 0}, {}, {}}}).values,
            ElementsAre());
}

TEST(ops_static_transpose, errors) {
    const status bad = status::invalid_graph_op;
    expect_error(bad, transpose({2, 3}, {0}), "attribute order has 1 axes, but src 2x3 has rank 2");
    expect_error(bad, transpose({2, 3}, {0, 2}), "attribute order has axis 2, but 2 axes");
    expect_error(bad, transpose({2, 3}, {0, -3}), "attribute order has axis -3, but 2 axes");
    expect_error(bad, transpose({2, 3}, {1, -1}), "attribute order has axis 1 twice");
    ir::op_spec late = transpose({}, {1, 0});
    late.inputs[0] = of_unknown_rank(0, dt::f32);
    complete(late);
    EXPECT_FALSE(late.outputs[0].desc.rank_known);
    const tensor_desc in = make_port(0, dt::f32, {2, 3, 4}).desc;
    try {
        find(op_kind::StaticTranspose)
                ->infer(late.label(), late.attrs, {&in, 1}, {&late.outputs[0].desc, 1});
        FAIL();
    } catch (const error &e) {
        EXPECT_EQ(e.status, status::invalid_shape);
    }
    ir::op_spec many = transpose({}, s64s(13, 0));
    many.inputs[0] = of_unknown_rank(0, dt::f32);
    expect_error(bad, many, "attribute order has 13 axes; at most 12 are allowed");
    ir::op_spec unset = transpose({2}, {});
    unset.attrs.clear();
    expect_error(bad, unset, "attribute order is required");
}

TEST(ops_wildcard, takes_anything_and_is_never_executed) {
    const ir::op_def &def = *find(op_kind::Wildcard);
    EXPECT_FALSE(def.is_executable());
    ir::op_spec spec = make_spec(op_kind::Wildcard, {},
            {{dt::f32, {2}}, {dt::undef, {}}, {dt::s4, {3}}}, {dt::boolean, dt::c128});
    EXPECT_EQ(inferred_shape(spec), "unknown rank");
    complete(spec);
    ir::op_spec bare = make_spec(op_kind::Wildcard, {}, {}, {});
    complete(bare);
    bare.attrs = {{op_attr::axis, std::int64_t{1}}};
    expect_error(status::invalid_graph_op, bare, "the op has no attribute axis");
}

TEST(ops_end, takes_one_tensor_of_any_type_and_is_never_executed) {
    EXPECT_FALSE(find(op_kind::End)->is_executable());
    for (dt type : {dt::f32, dt::boolean, dt::undef, dt::s4, dt::u64}) {
        ir::op_spec spec = make_spec(op_kind::End, {}, {{type, {2, 3}}}, {});
        complete(spec);
    }
    expect_error(status::invalid_graph_op, make_spec(op_kind::End, {}, {}, {}),
            "0 inputs given, expected 1 (src)");
    expect_error(status::invalid_graph_op, make_spec(op_kind::End, {}, {{dt::f32, {2}}}, {dt::f32}),
            "1 outputs given, expected 0 ()");
}

TEST(ops_end, stands_in_a_graph_beside_wildcards) {
    ir::graph g(find);
    ir::op_spec end = make_spec(op_kind::End, {}, {{dt::f32, {2, 3}}}, {});
    end.inputs[0] = of_unknown_rank(5, dt::f32);
    ir::op_spec wild = make_spec(op_kind::Wildcard, {}, {{dt::boolean, {2, 3}}}, {dt::f32});
    wild.id = 8;
    wild.outputs[0] = of_unknown_rank(5, dt::f32);
    g.add_op(end);
    g.add_op(wild);
    g.finalize();
    ASSERT_EQ(g.ops().size(), 2u);
    EXPECT_EQ(g.ops()[0].kind, op_kind::Wildcard);
    EXPECT_EQ(g.ops()[1].kind, op_kind::End);
    EXPECT_TRUE(g.ops()[1].outputs.empty());
    EXPECT_EQ(g.values().size(), 2u);
}

} // namespace
} // namespace tern::ops
