// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <limits>
#include <string_view>

#include "base/tensor_desc.hpp"
#include "modes.hpp"
#include "op_case.hpp"

namespace tern::ops {
namespace {

using dt = data_type;
using testing::ElementsAre;
using rows = std::vector<std::vector<std::int64_t>>;

/// Shape of Y, and Y row by row.
struct found {
    dims shape;
    rows indices;
};

found run(dt type, const dims &shape, const void *data, const dims &strides) {
    const ir::op_def &def = *find(op_kind::NonZero);
    const ir::const_view in = {data, type, shape, strides};
    found result;
    result.shape = dims{unknown_dim, unknown_dim};
    def.find_shapes({{}, {&in, 1}, {}}, {&result.shape, 1});
    const std::int64_t rank = result.shape[0];
    const std::int64_t count = result.shape[1];
    std::vector<std::int64_t> y(static_cast<std::size_t>(rank * count), -1);
    const ir::mutable_view out = {y.data(), dt::s64, result.shape, {count, 1}};
    // In two ranges, as two threads would.
    const std::int64_t half = rank * count / 2;
    def.reference({{}, {&in, 1}, {&out, 1}}, 0, half);
    def.reference({{}, {&in, 1}, {&out, 1}}, half, rank * count);
    for (std::int64_t axis = 0; axis < rank; ++axis)
        result.indices.emplace_back(y.begin() + axis * count, y.begin() + (axis + 1) * count);
    return result;
}

template <typename T>
found run(dt type, const dims &shape, const std::vector<T> &data) {
    return run(type, shape, data.data(), dense_strides(shape).value());
}

template <typename Bits>
rows of_bits(dt type, const std::vector<Bits> &bits) {
    return run(type, {static_cast<std::int64_t>(bits.size())}, bits).indices;
}

TEST(ops_nonzero, onnx_example) {
    const found result = run<std::uint8_t>(dt::boolean, {2, 2}, {1, 0, 1, 1});
    EXPECT_EQ(result.shape, dims({2, 3}));
    EXPECT_EQ(result.indices, rows({{0, 1, 1}, {0, 0, 1}}));
}

TEST(ops_nonzero, B64_the_count_of_a_scalar_shows_in_the_shape) {
    EXPECT_EQ(run<std::int32_t>(dt::s32, {}, {0}).shape, dims({0, 0}));
    EXPECT_EQ(run<std::int32_t>(dt::s32, {}, {5}).shape, dims({0, 1}));
}

TEST(ops_nonzero, B65_a_scalar_is_no_list_of_one) {
    EXPECT_EQ(run<std::uint8_t>(dt::boolean, {}, {1}).shape, dims({0, 1}));
    EXPECT_EQ(run<std::uint8_t>(dt::boolean, {}, {0}).shape, dims({0, 0}));
    const found one = run<std::uint8_t>(dt::boolean, {1}, {1});
    EXPECT_EQ(one.shape, dims({1, 1}));
    EXPECT_EQ(one.indices, rows({{0}}));
    EXPECT_EQ(run<std::uint8_t>(dt::boolean, {1}, {0}).shape, dims({1, 0}));
}

TEST(ops_nonzero, B68_strides) {
    const std::vector<float> memory = {1, 0, 0, 2, 3, 0};
    EXPECT_EQ(run(dt::f32, {2, 3}, memory.data(), {1, 2}).indices, rows({{0, 0, 1}, {0, 2, 1}}));
    EXPECT_EQ(run(dt::f32, {2, 2}, memory.data(), {0, 1}).indices, rows({{0, 1}, {0, 0}}));
}

TEST(ops_nonzero, B70_B71_nothing_found) {
    EXPECT_EQ(run(dt::f32, {4, 5}, std::vector<float>(20)).shape, dims({2, 0}));
    EXPECT_EQ(run<float>(dt::f32, {0, 3}, {}).shape, dims({2, 0}));
    EXPECT_EQ(run<float>(dt::f32, {3, 0, 2}, {}).shape, dims({3, 0}));
}

TEST(ops_nonzero, B75_a_complex_number_is_zero_when_both_parts_are) {
    EXPECT_EQ(run<float>(dt::c64, {2, 2}, {1, 0, 0, 0, 0, 2, 3, 0}).indices,
            rows({{0, 1, 1}, {0, 0, 1}}));
    const float nan = std::numeric_limits<float>::quiet_NaN();
    const float denormal = std::bit_cast<float>(std::uint32_t{1});
    EXPECT_EQ(run<float>(dt::c64, {4}, {-0.0f, 0, 0, -0.0f, 0, nan, 0, denormal}).indices,
            rows({{2, 3}}));
    EXPECT_EQ(run<double>(dt::c128, {4}, {-0.0, -0.0, 0, 1e-320, 1, 0, -0.0, 0}).indices,
            rows({{1, 2}}));
}

using u8s = std::vector<std::uint8_t>;
using u16s = std::vector<std::uint16_t>;
using u32s = std::vector<std::uint32_t>;
using u64s = std::vector<std::uint64_t>;

void expect_bits_to_decide() {
    EXPECT_EQ(of_bits(dt::f16, u16s{0x0000, 0x8000, 0x0001, 0x8001, 0x7E00, 0x7C00}),
            rows({{2, 3, 4, 5}}));
    EXPECT_EQ(of_bits(dt::bf16, u16s{0x0000, 0x8000, 0x0001, 0x7FC1, 0x0080}), rows({{2, 3, 4}}));
    EXPECT_EQ(of_bits(dt::f32, u32s{0, 0x80000000, 1, 0x80000001, 0x7F800001, 0x7FC00000}),
            rows({{2, 3, 4, 5}}));
    EXPECT_EQ(of_bits(dt::f64,
                      u64s{0, 0x8000000000000000, 1, 0x8000000000000001, 0x7FF0000000000001}),
            rows({{2, 3, 4}}));
    EXPECT_EQ(of_bits(dt::f8_e5m2, u8s{0x00, 0x80, 0x01, 0x7F, 0x7C}), rows({{2, 3, 4}}));
    EXPECT_EQ(of_bits(dt::f8_e4m3, u8s{0x00, 0x80, 0x81, 0x7F, 0x38}), rows({{2, 3, 4}}));
    EXPECT_EQ(of_bits(dt::s8, u8s{0x00, 0x80, 0x01}), rows({{1, 2}}));
    EXPECT_EQ(of_bits(dt::u8, u8s{0x00, 0x80, 0x01}), rows({{1, 2}}));
    EXPECT_EQ(of_bits(dt::boolean, u8s{0x00, 0x80, 0x01, 0xFF}), rows({{1, 2, 3}}));
    EXPECT_EQ(of_bits(dt::s16, u16s{0, 0x8000, 0x0100}), rows({{1, 2}}));
    EXPECT_EQ(of_bits(dt::u16, u16s{0, 0x8000, 0x0100}), rows({{1, 2}}));
    EXPECT_EQ(of_bits(dt::s32, u32s{0, 0x80000000, 0x10000}), rows({{1, 2}}));
    EXPECT_EQ(of_bits(dt::u32, u32s{0, 0x80000000, 0x10000}), rows({{1, 2}}));
    EXPECT_EQ(of_bits(dt::s64, u64s{0, 0x8000000000000000, 0x100000000}), rows({{1, 2}}));
    EXPECT_EQ(of_bits(dt::u64, u64s{0, 0x8000000000000000, 0x100000000}), rows({{1, 2}}));
}

TEST(ops_nonzero, B78_bits_decide_in_any_mode) {
    expect_bits_to_decide();
    const flush_denormals flushing;
    expect_bits_to_decide();
}

TEST(ops_nonzero, B77_a_string_without_characters_is_zero) {
    const std::string_view texts[] = {"", " ", "0", "\t", std::string_view("\0", 1), "false"};
    std::vector<string_ref> refs;
    for (std::string_view text : texts)
        refs.push_back({text.data(), text.size()});
    EXPECT_EQ(run(dt::string, {6}, refs).indices, rows({{1, 2, 3, 4, 5}}));
}

TEST(ops_nonzero, B80_high_ranks) {
    const found result = run<std::int32_t>(dt::s32, {1, 2, 1, 2, 1, 2}, {1, 0, 0, 0, 0, 0, 0, 1});
    EXPECT_EQ(result.shape, dims({6, 2}));
    EXPECT_EQ(result.indices, rows({{0, 0}, {0, 1}, {0, 0}, {0, 1}, {0, 0}, {0, 1}}));
    const found of_8 =
            run<std::int32_t>(dt::s32, {1, 1, 1, 2, 1, 2, 1, 2}, {0, 0, 0, 0, 0, 0, 1, 0});
    EXPECT_EQ(of_8.indices, rows({{0}, {0}, {0}, {1}, {0}, {1}, {0}, {0}}));
}

TEST(ops_nonzero, B81_the_rank_is_inferred_the_count_is_not) {
    const ir::op_spec spec = make_spec(op_kind::NonZero, {}, {{dt::f32, {2, 3, 4}}}, {dt::s64});
    EXPECT_EQ(inferred_shape(spec), "3x?");
    EXPECT_EQ(inferred_shape(make_spec(op_kind::NonZero, {}, {{dt::f32, {}}}, {dt::s64})), "0x?");
    ir::op_spec of_no_rank = spec;
    of_no_rank.inputs[0].desc.rank_known = false;
    of_no_rank.inputs[0].desc.shape = {};
    EXPECT_EQ(inferred_shape(of_no_rank), "?x?");
    ir::op_spec bounded = spec; // a count that is given does not stay
    bounded.outputs[0] = make_port(100, dt::s64, {3, 24});
    EXPECT_EQ(inferred_shape(bounded), "3x?");
}

TEST(ops_nonzero, wrong_graphs) {
    ir::op_spec spec = make_spec(op_kind::NonZero, {}, {{dt::f32, {2, 3}}}, {dt::s64});
    spec.outputs[0] = make_port(100, dt::s64, {3, unknown_dim});
    expect_error(status::invalid_shape, spec, "Y is given as 3x?, but the inputs give 2x?");
    spec.outputs[0] = make_port(100, dt::s64, {2});
    expect_error(status::invalid_shape, spec, "Y is given as 2, but the inputs give 2x?");
    spec = make_spec(op_kind::NonZero, {}, {{dt::f32, {2, 3}}}, {dt::s32});
    expect_error(status::invalid_graph_op, spec, "s32");
    spec = make_spec(op_kind::NonZero, {}, {{dt::s4, {2, 3}}}, {dt::s64});
    expect_error(status::invalid_graph_op, spec, "s4");
}

} // namespace
} // namespace tern::ops
