// SPDX-License-Identifier: Apache-2.0
#include "base/shape.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "base/tensor_desc.hpp"
#include "ops/registry.hpp"

namespace tern {
namespace {

using list = std::vector<std::int64_t>;

dims to_dims(const list &values) {
    dims result;
    result.assign(values.begin(), values.end());
    return result;
}

list to_list(const dims &values) {
    return {values.begin(), values.end()};
}

/// Every shape of rank 0 to `most_rank` with dims out of {0, 1, 2}.
std::vector<list> small_shapes(std::size_t most_rank) {
    std::vector<list> shapes = {{}};
    for (std::size_t first = 0; first < shapes.size(); ++first) {
        if (shapes[first].size() == most_rank) break;
        for (std::int64_t dim : {0, 1, 2}) {
            list longer = shapes[first];
            longer.push_back(dim);
            shapes.push_back(longer);
        }
    }
    return shapes;
}

// The oracle: NumPy's rule said the long way, over shapes that are written out to one rank.

list with_rank(const list &shape, std::size_t rank) {
    list padded(rank - shape.size(), 1);
    padded.insert(padded.end(), shape.begin(), shape.end());
    return padded;
}

std::optional<list> naive_two_way(const list &a, const list &b) {
    std::size_t rank = a.size() > b.size() ? a.size() : b.size();
    list wide_a = with_rank(a, rank);
    list wide_b = with_rank(b, rank);
    list result;
    for (std::size_t axis = 0; axis < rank; ++axis) {
        if (wide_a[axis] == 1)
            result.push_back(wide_b[axis]);
        else if (wide_b[axis] == 1 || wide_a[axis] == wide_b[axis])
            result.push_back(wide_a[axis]);
        else
            return std::nullopt;
    }
    return result;
}

/// One way is possible exactly when both ways are and the target stays as it is.
bool naive_one_way(const list &from, const list &into) {
    return naive_two_way(from, into) == std::optional<list>(into);
}

bool clashes_at(const list &a, const list &b, int axis) {
    std::size_t rank = a.size() > b.size() ? a.size() : b.size();
    auto at = static_cast<std::size_t>(axis);
    return !naive_two_way({with_rank(a, rank)[at]}, {with_rank(b, rank)[at]});
}

/// Offsets of all elements in row-major order.
std::vector<std::int64_t> offsets_of(const list &shape, const list &strides) {
    std::vector<std::int64_t> offsets = {0};
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        std::vector<std::int64_t> deeper;
        for (std::int64_t offset : offsets)
            for (std::int64_t index = 0; index < shape[axis]; ++index)
                deeper.push_back(offset + index * strides[axis]);
        offsets = deeper;
    }
    return offsets;
}

list random_list(std::mt19937 &random, std::size_t size, std::int64_t low, std::int64_t high) {
    std::uniform_int_distribution<std::int64_t> values(low, high);
    list result;
    for (std::size_t i = 0; i < size; ++i)
        result.push_back(values(random));
    return result;
}

TEST(shape, B05_broadcast_dim) {
    EXPECT_EQ(broadcast_dim(0, 1), 0);
    EXPECT_EQ(broadcast_dim(1, 0), 0);
    EXPECT_EQ(broadcast_dim(0, 0), 0);
    EXPECT_EQ(broadcast_dim(0, 2), std::nullopt);
    EXPECT_EQ(broadcast_dim(2, 0), std::nullopt);
    EXPECT_EQ(broadcast_dim(1, 2), 2);
    EXPECT_EQ(broadcast_dim(2, 3), std::nullopt);
}

TEST(shape, unknown_dims_become_known_where_they_can) {
    EXPECT_EQ(broadcast_dim(unknown_dim, 5), 5);
    EXPECT_EQ(broadcast_dim(5, unknown_dim), 5);
    EXPECT_EQ(broadcast_dim(unknown_dim, 0), 0);
    // Against 1 the other one decides, and it is not known.
    EXPECT_EQ(broadcast_dim(unknown_dim, 1), unknown_dim);
    EXPECT_EQ(broadcast_dim(1, unknown_dim), unknown_dim);
    EXPECT_EQ(broadcast_dim(unknown_dim, unknown_dim), unknown_dim);

    broadcast_result both = broadcast_two_way({unknown_dim, 1, 3}, {unknown_dim, 1});
    ASSERT_TRUE(both.ok());
    EXPECT_EQ(both.shape, (dims{unknown_dim, unknown_dim, 3}));

    EXPECT_TRUE(broadcast_one_way({unknown_dim}, {2, 3}).ok());
    EXPECT_TRUE(broadcast_one_way({4}, {2, unknown_dim}).ok());
    EXPECT_EQ(broadcast_one_way({4, unknown_dim}, {2, 3}).bad_axis, 0);
}

TEST(shape, B04_zero_against_one_is_zero) {
    broadcast_result result = broadcast_two_way({2, 0, 4}, {2, 1, 4});
    ASSERT_TRUE(result.ok());
    EXPECT_EQ(result.shape, (dims{2, 0, 4}));
    EXPECT_TRUE(broadcast_one_way({1, 1, 1}, {2, 0, 4}).ok());
}

TEST(shape, B20_either_operand_may_widen) {
    EXPECT_EQ(broadcast_two_way({1}, {2, 3}).shape, (dims{2, 3}));
    EXPECT_EQ(broadcast_two_way({2, 3}, {1}).shape, (dims{2, 3}));
    EXPECT_EQ(broadcast_two_way({2, 1}, {1, 3}).shape, (dims{2, 3}));
    EXPECT_FALSE(broadcast_two_way({2, 3}, {3, 2}).ok());
}

TEST(shape, B22_the_clashing_axis_is_named) {
    EXPECT_EQ(broadcast_two_way({52, 1, 33, 1}, {2, 52, 33, 1}).bad_axis, 0);
    EXPECT_EQ(broadcast_two_way({5}, {2, 4}).bad_axis, 1);
    EXPECT_EQ(broadcast_one_way({2, 3}, {7, 3, 3}).bad_axis, 1);
    EXPECT_EQ(broadcast_one_way({1, 3}, {3}).bad_axis, 0);
}

TEST(shape, B23_missing_axes_are_not_ones) {
    EXPECT_EQ(broadcast_two_way({5}, {1, 1, 5}).shape, (dims{1, 1, 5}));
    EXPECT_FALSE(broadcast_one_way({1, 1, 5}, {5}).ok());
    EXPECT_TRUE(broadcast_one_way({5}, {1, 1, 5}).ok());
}

TEST(shape, B10_two_way_of_all_pairs) {
    const auto shapes = small_shapes(4);
    for (const list &a : shapes)
        for (const list &b : shapes) {
            std::optional<list> expected = naive_two_way(a, b);
            broadcast_result found = broadcast_two_way(to_dims(a), to_dims(b));
            ASSERT_EQ(found.ok(), expected.has_value());
            if (expected)
                ASSERT_EQ(to_list(found.shape), *expected);
            else
                ASSERT_TRUE(clashes_at(a, b, found.bad_axis));
        }
}

TEST(shape, B10_one_way_of_all_pairs) {
    const auto shapes = small_shapes(4);
    for (const list &from : shapes)
        for (const list &into : shapes) {
            broadcast_result found = broadcast_one_way(to_dims(from), to_dims(into));
            ASSERT_EQ(found.ok(), naive_one_way(from, into));
            ASSERT_EQ(to_list(found.shape), into);
            if (found.ok()) continue;
            if (from.size() > into.size())
                ASSERT_EQ(found.bad_axis, 0);
            else
                ASSERT_FALSE(naive_one_way(
                        {with_rank(from, into.size())[static_cast<std::size_t>(found.bad_axis)]},
                        {into[static_cast<std::size_t>(found.bad_axis)]}));
        }
}

TEST(shape, B10_broadcast_strides_of_all_pairs) {
    std::mt19937 random(1);
    const auto shapes = small_shapes(4);
    for (const list &from : shapes)
        for (const list &into : shapes) {
            if (!naive_one_way(from, into)) continue;
            list strides = random_list(random, from.size(), 0, 9);
            dims found = broadcast_strides(to_dims(from), to_dims(strides), to_dims(into));
            ASSERT_EQ(found.rank(), static_cast<int>(into.size()));
            list expected;
            list wide_from = with_rank(from, into.size());
            for (std::size_t axis = 0; axis < into.size(); ++axis) {
                bool own_axis = axis + from.size() >= into.size();
                bool walks = own_axis && wide_from[axis] != 1;
                expected.push_back(walks ? strides[axis + from.size() - into.size()] : 0);
            }
            ASSERT_EQ(to_list(found), expected);
        }
}

/// What Select's shape rule makes of three shapes; nullopt when it refuses them.
std::optional<list> infer_select(const list &cond, const list &src_0, const list &src_1) {
    auto known = [](data_type type, const list &shape) {
        tensor_desc desc;
        desc.type = type;
        desc.layout = layout_type::any;
        desc.rank_known = true;
        desc.shape = to_dims(shape);
        return desc;
    };
    std::array<tensor_desc, 3> in = {known(data_type::boolean, cond), known(data_type::f32, src_0),
            known(data_type::f32, src_1)};
    std::array<tensor_desc, 1> out;
    try {
        ops::find(op_kind::Select)->infer({op_kind::Select, 1}, {}, in, out);
    } catch (const error &e) {
        EXPECT_EQ(e.status, status::invalid_shape);
        return std::nullopt;
    }
    EXPECT_TRUE(out[0].rank_known);
    return to_list(out[0].shape);
}

TEST(shape, B10_select_of_all_triples) {
    const auto shapes = small_shapes(4);
    std::size_t refused = 0;
    for (const list &src_0 : shapes)
        for (const list &src_1 : shapes) {
            std::optional<list> sources = naive_two_way(src_0, src_1);
            for (const list &cond : shapes) {
                std::optional<list> expected;
                if (sources && naive_one_way(cond, *sources)) expected = sources;
                // A refusal is an exception, which is slow: of those of high rank a part will do,
                // since the rules themselves are tested with all pairs.
                bool high_rank = cond.size() > 2 || src_0.size() > 2 || src_1.size() > 2;
                if (!expected && high_rank && ++refused % 97 != 0) continue;
                ASSERT_EQ(infer_select(cond, src_0, src_1), expected);
            }
        }
}

TEST(shape, element_count) {
    constexpr std::int64_t big = std::int64_t{1} << 62;
    EXPECT_EQ(element_count({}), 1);
    EXPECT_EQ(element_count({2, 3, 4}), 24);
    EXPECT_EQ(element_count({2, 0, 4}), 0);
    EXPECT_EQ(element_count({big}), big);
    EXPECT_EQ(element_count({big, 2}), std::nullopt);
    EXPECT_EQ(element_count({big, big, 0}), 0);
    EXPECT_EQ(element_count({4294967296, 4294967296}), std::nullopt);
}

TEST(shape, dense_strides) {
    EXPECT_EQ(dense_strides({}), dims());
    EXPECT_EQ(dense_strides({7}), dims{1});
    EXPECT_EQ(dense_strides({2, 3, 4}), (dims{12, 4, 1}));
    EXPECT_EQ(dense_strides({2, 0, 3}), (dims{3, 3, 1}));
    EXPECT_EQ(dense_strides({std::int64_t{1} << 62, 2}), (dims{2, 1}));
    EXPECT_EQ(dense_strides({1, 4294967296, 4294967296}), std::nullopt);
    EXPECT_EQ(dense_strides({0, std::int64_t{1} << 40, std::int64_t{1} << 40}), std::nullopt);
}

TEST(shape, spans_and_walks_of_random_tensors) {
    std::mt19937 random(2);
    for (int round = 0; round < 3000; ++round) {
        std::size_t rank = static_cast<std::size_t>(round) % 5;
        list shape = random_list(random, rank, 0, 4);
        list strides = random_list(random, rank, 0, 12);
        auto offsets = offsets_of(shape, strides);
        std::int64_t span = 0;
        bool row_major = true;
        for (std::size_t i = 0; i < offsets.size(); ++i) {
            span = std::max(span, offsets[i] + 1);
            row_major = row_major && offsets[i] == static_cast<std::int64_t>(i);
        }
        ASSERT_EQ(element_span(to_dims(shape), to_dims(strides)), span);
        ASSERT_EQ(byte_span(to_dims(shape), to_dims(strides), 8), span * 8);
        ASSERT_EQ(element_count(to_dims(shape)), static_cast<std::int64_t>(offsets.size()));
        if (offsets.empty()) continue;
        ASSERT_EQ(is_dense(to_dims(shape), to_dims(strides)), row_major);
        list other = random_list(random, rank, 0, 2);
        for (std::size_t axis = 0; axis < rank; ++axis)
            if (other[axis] != 0) other[axis] = strides[axis];
        ASSERT_EQ(same_strides(to_dims(shape), to_dims(strides), to_dims(other)),
                offsets == offsets_of(shape, other));
    }
}

TEST(shape, B132_spans_that_do_not_fit) {
    constexpr std::int64_t most = INT64_MAX;
    EXPECT_EQ(element_span({2}, {most - 1}), most);
    EXPECT_EQ(element_span({2}, {most}), std::nullopt);
    EXPECT_EQ(element_span({3}, {most}), std::nullopt);
    EXPECT_EQ(element_span({most}, {1}), most);
    EXPECT_EQ(element_span({1, 0}, {most, most}), 0);
    EXPECT_EQ(element_span({1, 1}, {most, most}), 1);
    EXPECT_EQ(byte_span({most}, {1}, 1), most);
    EXPECT_EQ(byte_span({most}, {1}, 2), std::nullopt);
    EXPECT_EQ(byte_span({std::int64_t{1} << 60}, {1}, 8), std::nullopt);
    EXPECT_EQ(byte_span({most}, {0}, 16), 16);
}

TEST(shape, is_dense_of_shapes_too_large_to_be_dense) {
    EXPECT_FALSE(is_dense({2, 4294967296, 4294967296}, {0, 4294967296, 1}));
}

TEST(shape, to_string) {
    EXPECT_EQ(to_string(dims()), "scalar");
    EXPECT_EQ(to_string(dims{0}), "0");
    EXPECT_EQ(to_string(dims{2, unknown_dim, 4}), "2x?x4");
}

TEST(shape, unknown_and_empty) {
    EXPECT_FALSE(has_unknown({}));
    EXPECT_FALSE(has_unknown({0, 1}));
    EXPECT_TRUE(has_unknown({0, unknown_dim}));
    EXPECT_FALSE(is_empty({}));
    EXPECT_FALSE(is_empty({unknown_dim, 1}));
    EXPECT_TRUE(is_empty({2, 0}));
}

/// Offsets of all elements in row-major order.
std::vector<std::int64_t> offsets_of(const dims &shape, const dims &strides) {
    std::vector<std::int64_t> offsets;
    for (std::int64_t i = 0; i < *element_count(shape); ++i) {
        std::int64_t rest = i;
        std::int64_t offset = 0;
        for (int axis = shape.rank() - 1; axis >= 0; --axis) {
            offset += rest % shape[axis] * strides[axis];
            rest /= shape[axis];
        }
        offsets.push_back(offset);
    }
    return offsets;
}

TEST(shape, reshape_strides_visit_the_same_elements) {
    const std::vector<dims> shapes = {{}, {1}, {12}, {3, 4}, {4, 3}, {2, 6}, {2, 2, 3}, {1, 12, 1},
            {3, 1, 4}, {2, 3, 2}, {6, 1, 2}};
    int possible = 0;
    for (const dims &from : shapes)
        for (const dims &into : shapes) {
            if (*element_count(from) != *element_count(into)) continue;
            dims strides(from.rank(), 0);
            const std::int64_t values[] = {0, 1, 2, 3, 4, 6, 12};
            // All combinations of strides.
            std::int64_t combinations = 1;
            for (int axis = 0; axis < from.rank(); ++axis)
                combinations *= 7;
            for (std::int64_t c = 0; c < combinations; ++c) {
                std::int64_t rest = c;
                for (std::int64_t &stride : strides) {
                    stride = values[rest % 7];
                    rest /= 7;
                }
                std::optional<dims> result = reshape_strides(from, strides, into);
                if (!result) continue;
                ++possible;
                ASSERT_EQ(offsets_of(from, strides), offsets_of(into, *result))
                        << to_string(from) << " " << to_string(strides) << " " << to_string(into);
            }
        }
    EXPECT_GT(possible, 1000);
}

TEST(shape, reshape_strides_literal) {
    EXPECT_EQ(reshape_strides({2, 3}, {3, 1}, {6}), (dims{1}));
    EXPECT_EQ(reshape_strides({6}, {2}, {2, 3}), (dims{6, 2}));
    EXPECT_EQ(reshape_strides({2, 3}, {4, 1}, {6}), std::nullopt);
    EXPECT_EQ(reshape_strides({2, 3}, {5, 0}, {6}), std::nullopt);
    EXPECT_EQ(reshape_strides({2, 3}, {0, 0}, {6}), (dims{0}));
    EXPECT_EQ(reshape_strides({0, 3}, {3, 1}, {3, 0}), (dims{1, 1}));
}

/// ONNX's rule, index by index.
list naive_slice(std::int64_t dim, std::int64_t start, std::int64_t end, std::int64_t step) {
    if (start < 0) start += dim;
    if (end < 0) end += dim;
    list taken;
    if (step > 0) {
        start = std::max<std::int64_t>(start, 0);
        for (std::int64_t i = start; i < std::min(end, dim); i += step)
            taken.push_back(i);
    } else {
        start = std::max<std::int64_t>(std::min(start, dim - 1), 0);
        for (std::int64_t i = start; i > std::max<std::int64_t>(end, -1) && i < dim; i += step)
            taken.push_back(i);
    }
    return taken;
}

TEST(slice_range, is_onnxs_rule) {
    for (std::int64_t dim = 0; dim < 5; ++dim)
        for (std::int64_t start = -7; start < 8; ++start)
            for (std::int64_t end = -7; end < 8; ++end)
                for (std::int64_t step : {-4, -3, -2, -1, 1, 2, 3, 4}) {
                    const index_range range = slice_range(dim, start, end, step);
                    list taken;
                    for (std::int64_t i = 0; i < range.count; ++i)
                        taken.push_back(range.first + i * range.step);
                    EXPECT_EQ(taken, naive_slice(dim, start, end, step))
                            << dim << ' ' << start << ' ' << end << ' ' << step;
                    EXPECT_TRUE(range.count > 1 || range.step == 1);
                }
}

TEST(slice_range, takes_the_largest_numbers) {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
    EXPECT_EQ(slice_range(most, 0, most, 1).count, most);
    EXPECT_EQ(slice_range(most, most, least, -1).count, most);
    EXPECT_EQ(slice_range(most, most, least, -1).first, most - 1);
    EXPECT_EQ(slice_range(most, least, most, most).count, 1);
    EXPECT_EQ(slice_range(most, most, least, least).count, 1);
}

} // namespace
} // namespace tern
