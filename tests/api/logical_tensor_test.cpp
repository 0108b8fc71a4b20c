// SPDX-License-Identifier: Apache-2.0
#include "select_graph.hpp"

using namespace select_graph;

namespace {

constexpr std::int64_t unknown = TERN_GRAPH_UNKNOWN_DIM;
constexpr auto unknown_size = static_cast<std::size_t>(-1);

TEST(logical_tensor, default_is_nothing_known) {
    logical_tensor lt;
    EXPECT_EQ(lt.get_id(), 0u);
    EXPECT_EQ(lt.get_data_type(), data_type::undef);
    EXPECT_EQ(lt.get_layout_type(), layout_type::undef);
    EXPECT_EQ(lt.get_property_type(), property_type::undef);
    EXPECT_EQ(lt.get_ndims(), TERN_GRAPH_UNKNOWN_NDIMS);
    EXPECT_EQ(lt.get_mem_size(), unknown_size);
}

TEST(logical_tensor, rank_known_dims_unknown) {
    logical_tensor lt(5, data_type::f32, 2, layout_type::strided, property_type::variable);
    EXPECT_EQ(lt.get_id(), 5u);
    EXPECT_EQ(lt.get_property_type(), property_type::variable);
    EXPECT_EQ(lt.get_dims(), (dims{unknown, unknown}));
    EXPECT_EQ(lt.get_strides(), (dims{unknown, unknown}));
    EXPECT_EQ(lt.get_mem_size(), unknown_size);

    logical_tensor scalar(6, data_type::f64, 0, layout_type::strided);
    EXPECT_EQ(scalar.get_dims(), dims{});
    EXPECT_EQ(scalar.get_mem_size(), 8u);
}

TEST(logical_tensor, rank_unknown) {
    logical_tensor lt(5, data_type::f32, layout_type::any);
    EXPECT_EQ(lt.get_ndims(), TERN_GRAPH_UNKNOWN_NDIMS);
    EXPECT_EQ(lt.get_layout_type(), layout_type::any);
    logical_tensor same(5, data_type::f32, TERN_GRAPH_UNKNOWN_NDIMS, layout_type::any);
    EXPECT_TRUE(lt.is_equal(same));
    EXPECT_EQ(logical_tensor(5, data_type::f32).get_layout_type(), layout_type::undef);
}

TEST(logical_tensor, dims_give_dense_strides) {
    logical_tensor lt(5, data_type::s8, {2, 3, 4}, layout_type::strided);
    EXPECT_EQ(lt.get_ndims(), 3);
    EXPECT_EQ(lt.get_dims(), (dims{2, 3, 4}));
    EXPECT_EQ(lt.get_strides(), (dims{12, 4, 1}));
    // a 0 counts as 1
    EXPECT_EQ(logical_tensor(5, data_type::s8, {2, 0, 4}, layout_type::strided).get_strides(),
            (dims{4, 4, 1}));
    // with an unknown dim nothing can be told
    EXPECT_EQ(logical_tensor(5, data_type::s8, {2, unknown}, layout_type::strided).get_strides(),
            (dims{unknown, unknown}));
    EXPECT_EQ(logical_tensor(5, data_type::s8, dims{}, layout_type::strided).get_strides(), dims{});
}

/// A list of one number in braces is dims or strides, never a rank or a layout id.
TEST(logical_tensor, braced_lists) {
    logical_tensor lt(5, data_type::s8, {4}, layout_type::strided);
    EXPECT_EQ(lt.get_dims(), dims{4});
    logical_tensor strided(5, data_type::s8, {4}, {2});
    EXPECT_EQ(strided.get_layout_type(), layout_type::strided);
    EXPECT_EQ(strided.get_strides(), dims{2});
    logical_tensor mixed(5, data_type::s8, dims{4}, {2}, property_type::constant);
    EXPECT_TRUE(mixed.is_equal(
            logical_tensor(5, data_type::s8, dims{4}, dims{2}, property_type::constant)));
    EXPECT_EQ(logical_tensor(5, data_type::s8, {}, layout_type::any).get_ndims(), 0);
    EXPECT_EQ(logical_tensor(5, data_type::s8, {}, {}).get_layout_type(), layout_type::strided);
    EXPECT_EQ(logical_tensor(5, data_type::s8, 4, layout_type::any).get_ndims(), 4);
}

TEST(logical_tensor, opaque) {
    logical_tensor lt(5, data_type::f32, dims{2}, std::size_t{9}, property_type::constant);
    EXPECT_EQ(lt.get_layout_type(), layout_type::opaque);
    EXPECT_EQ(lt.get_layout_id(), 9u);
    EXPECT_EQ(lt.get_dims(), dims{2});
    EXPECT_EQ(lt.get_mem_size(), unknown_size);
    EXPECT_FALSE(lt.is_equal(logical_tensor(5, data_type::f32, dims{2}, std::size_t{8})));
}

TEST(logical_tensor, mem_size_is_the_byte_span) {
    auto size = [](data_type type, const dims &shape, const dims &strides) {
        return logical_tensor(1, type, shape, strides).get_mem_size();
    };
    EXPECT_EQ(size(data_type::f32, {}, {}), 4u);
    EXPECT_EQ(size(data_type::f32, {2, 3}, {3, 1}), 24u);
    EXPECT_EQ(size(data_type::f32, {2, 3}, {10, 2}), 60u); // 4 * (1 + 10 + 2 * 2)
    EXPECT_EQ(size(data_type::f32, {2, 3}, {0, 0}), 4u);
    EXPECT_EQ(size(data_type::f32, {1, 3}, {1000, 1}), 12u);
    EXPECT_EQ(size(data_type::f32, {5, 0}, {1, 1}), 0u);
    EXPECT_EQ(size(data_type::boolean, {7}, {1}), 7u);
    EXPECT_EQ(size(data_type::c128, {7}, {1}), 112u);
    EXPECT_EQ(size(data_type::s4, {7}, {1}), 4u);
    EXPECT_EQ(size(data_type::u4, {8}, {1}), 4u);
    EXPECT_EQ(size(data_type::undef, {7}, {1}), unknown_size);
    EXPECT_EQ(size(data_type::f32, {7}, {unknown}), unknown_size);
    EXPECT_EQ(
            logical_tensor(1, data_type::f32, {7}, layout_type::any).get_mem_size(), unknown_size);
}

TEST(logical_tensor, is_equal_looks_at_everything) {
    logical_tensor lt(1, data_type::f32, {2, 3}, {3, 1});
    EXPECT_TRUE(lt.is_equal(lt));
    EXPECT_TRUE(lt.is_equal(dense(1, data_type::f32, {2, 3})));
    EXPECT_FALSE(lt.is_equal(dense(2, data_type::f32, {2, 3})));
    EXPECT_FALSE(lt.is_equal(dense(1, data_type::s32, {2, 3})));
    EXPECT_FALSE(lt.is_equal(dense(1, data_type::f32, {2, 4})));
    EXPECT_FALSE(lt.is_equal(dense(1, data_type::f32, {2, 3, 1})));
    EXPECT_FALSE(lt.is_equal(logical_tensor(1, data_type::f32, {2, 3}, {4, 1})));
    EXPECT_FALSE(lt.is_equal(logical_tensor(1, data_type::f32, {2, 3}, layout_type::any)));
    EXPECT_FALSE(lt.is_equal(
            logical_tensor(1, data_type::f32, {2, 3}, {3, 1}, property_type::constant)));
    EXPECT_FALSE(lt.is_equal(logical_tensor(1, data_type::f32, layout_type::strided)));
    // strides do not exist without a strided layout
    EXPECT_TRUE(logical_tensor(1, data_type::f32, {2, 3}, layout_type::any)
                        .is_equal(logical_tensor(1, data_type::f32, {2, 3}, layout_type::any)));
}

TEST(logical_tensor, host_scalars) {
    for (data_type type : {data_type::f32, data_type::s32, data_type::s64}) {
        logical_tensor by_rank(1, type, 0, layout_type::strided, property_type::host_scalar);
        logical_tensor by_dims(1, type, {}, layout_type::strided, property_type::host_scalar);
        EXPECT_TRUE(by_rank.is_equal(by_dims));
        EXPECT_EQ(by_rank.get_property_type(), property_type::host_scalar);
    }
}

TEST(logical_tensor, largest_rank) {
    dims twelve(TERN_MAX_NDIMS, 1);
    EXPECT_EQ(dense(1, data_type::f32, twelve).get_dims(), twelve);
    EXPECT_EQ(logical_tensor(1, data_type::f32, TERN_MAX_NDIMS, layout_type::any).get_ndims(), 12);
}

} // namespace
