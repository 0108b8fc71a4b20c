// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include "op_case.hpp"

namespace tern::ops {
namespace {

using dt = data_type;
using testing::ElementsAre;

ir::attr_list over(const std::vector<std::int64_t> &axes, bool keep_dims = false) {
    return {{op_attr::axes, axes}, {op_attr::keep_dims, keep_dims}};
}

operand sum_of(const operand &src, const std::vector<std::int64_t> &axes, bool keep_dims = false) {
    return run_one(op_kind::ReduceSum, over(axes, keep_dims), {src}, {src.type, {}});
}

ir::op_spec spec_of(const dims &shape, const ir::attr_list &attrs) {
    return make_spec(op_kind::ReduceSum, attrs, {{dt::f32, shape}}, {dt::f32});
}

TEST(ops_reduce_sum, sums_over_axes) {
    const operand src = {dt::f32, {2, 3}, {1, 2, 3, 4, 5, 6}, {}};
    EXPECT_THAT(sum_of(src, {0}).values, ElementsAre(5, 7, 9));
    EXPECT_THAT(sum_of(src, {1}).values, ElementsAre(6, 15));
    EXPECT_THAT(sum_of(src, {-1}).values, ElementsAre(6, 15));
    EXPECT_THAT(sum_of(src, {1, 0}).values, ElementsAre(21));
    EXPECT_EQ(sum_of(src, {1}).shape, dims({2}));
    EXPECT_EQ(sum_of(src, {1}, true).shape, dims({2, 1}));
    EXPECT_EQ(sum_of(src, {0, 1}).shape, dims());
    EXPECT_EQ(sum_of(src, {0, 1}, true).shape, dims({1, 1}));
    EXPECT_THAT(sum_of(src, {0}, true).values, ElementsAre(5, 7, 9));
}

TEST(ops_reduce_sum, outer_and_inner_axes_together) {
    const operand dst = sum_of({dt::s32, {2, 3, 2}, iota(12), {}}, {0, -1});
    EXPECT_THAT(dst.values, ElementsAre(0 + 1 + 6 + 7, 2 + 3 + 8 + 9, 4 + 5 + 10 + 11));
}

TEST(ops_reduce_sum, walks_strides) {
    const operand src = {dt::f32, {2, 3}, {1, 2, 3, 4, 5, 6}, {1, 4}};
    for (bool keep : {false, true})
        EXPECT_THAT(run_one(op_kind::ReduceSum, over({0}, keep), {src},
                            {dt::f32, keep ? dims{9, 3} : dims{3}})
                            .values,
                ElementsAre(5, 7, 9));
}

TEST(ops_reduce_sum, takes_every_rank) {
    for (int rank = 1; rank <= max_rank; ++rank) {
        dims shape(rank, 1);
        shape[rank - 1] = 3;
        EXPECT_THAT(sum_of({dt::f32, shape, {1, 2, 4}, {}}, {-1}).values, ElementsAre(7));
    }
}

TEST(ops_reduce_sum, zero_sizes) {
    EXPECT_THAT(sum_of({dt::f32, {2, 0}, {}, {}}, {1}).values, ElementsAre(0, 0));
    EXPECT_THAT(sum_of({dt::s64, {2, 0}, {}, {}}, {1}).values, ElementsAre(0, 0));
    EXPECT_THAT(sum_of({dt::f32, {0, 2}, {}, {}}, {1}).values, ElementsAre());
}

TEST(ops_reduce_sum, types) {
    for (dt type : {dt::f32, dt::bf16, dt::f16, dt::f64, dt::s32, dt::s64})
        EXPECT_THAT(sum_of({type, {3}, {1, -2, 4}, {}}, {0}).values, ElementsAre(3));
    EXPECT_THAT(sum_of({dt::f32, {3}, {16777216, 1, 1}, {}}, {0}).values, ElementsAre(16777218));
    EXPECT_THAT(
            sum_of({dt::s32, {2}, {2147483647, 1}, {}}, {0}).values, ElementsAre(-2147483648.0));
    // Exact beyond the 53 bits of a double: 2^53 + 1 + 1
    EXPECT_THAT(sum_of({dt::s64, {3}, {9007199254740992.0, 1, 1}, {}}, {0}).values,
            ElementsAre(9007199254740994.0));
    const double nan = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(std::isnan(sum_of({dt::f32, {2}, {1, nan}, {}}, {0}).values[0]));
}

TEST(ops_reduce_sum, shapes_may_be_unknown) {
    EXPECT_EQ(inferred_shape(spec_of({unknown_dim, 2, 3}, over({1}))), "?x3");
    EXPECT_EQ(inferred_shape(spec_of({unknown_dim, 2, 3}, over({0}, true))), "1x2x3");
    ir::op_spec spec = spec_of({}, over({1}));
    spec.inputs[0] = of_unknown_rank(0, dt::f32);
    EXPECT_EQ(inferred_shape(spec), "unknown rank");
}

TEST(ops_reduce_sum, errors) {
    const status bad = status::invalid_graph_op;
    expect_error(bad, spec_of({2, 3}, {}), "attribute axes is empty; expected one axis or more");
    expect_error(bad, spec_of({2, 3}, over({2})), "attribute axes has 2, but src has rank 2");
    expect_error(bad, spec_of({2, 3}, over({-3})), "attribute axes has -3, but src has rank 2");
    expect_error(bad, spec_of({}, over({0})), "attribute axes has 0, but src has rank 0");
    expect_error(bad, spec_of({2, 3}, over({1, -1})), "attribute axes has axis 1 twice");
    ir::op_spec spec = spec_of({2, 3}, {});
    spec.inputs.push_back(make_port(1, dt::s32, {1}));
    expect_error(bad, spec, "axes is given as an input");
    expect_error(bad, make_spec(op_kind::ReduceSum, over({0}), {{dt::u8, {2}}}, {dt::u8}),
            "has data type u8");
    expect_error(bad, make_spec(op_kind::ReduceSum, over({0}), {{dt::bf16, {2}}}, {dt::f32}),
            "they must be equal");
    spec = spec_of({2, 3}, over({0}));
    spec.outputs[0] = make_port(100, dt::f32, {2});
    expect_error(status::invalid_shape, spec, "dst is given as 2, but the inputs give 3");
}

TEST(ops_reduce_sum, axes_are_checked_when_the_rank_comes_late) {
    ir::op_spec spec = spec_of({}, over({1, -1}));
    spec.inputs[0] = of_unknown_rank(0, dt::f32);
    complete(spec);
    for (const dims &shape : {dims{2, 3}, dims{2}}) {
        const tensor_desc in = make_port(0, dt::f32, shape).desc;
        tensor_desc out = spec.outputs[0].desc;
        try {
            find(op_kind::ReduceSum)->infer(spec.label(), spec.attrs, {&in, 1}, {&out, 1});
            ADD_FAILURE();
        } catch (const error &e) {
            EXPECT_EQ(e.status, status::invalid_shape);
        }
    }
}

} // namespace
} // namespace tern::ops
