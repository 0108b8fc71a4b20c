// SPDX-License-Identifier: Apache-2.0

// Concat, Slice, Gather and Expand as they are compiled against their reference loops, byte by
// byte; what Gather says of indices that are out of range.

#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <oneapi/tbb/task_arena.h>

#include "base/error.hpp"
#include "each_target.hpp"
#include "kernels/select/select.hpp"
#include "plan_text.hpp"

namespace tern::compiler {
namespace {

using s64s = std::vector<std::int64_t>;
using dt = data_type;

constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();

const runtime::engine_state &engine_here() {
    static const runtime::engine_state engine = {
            engine::kind::cpu, 0, runtime::default_allocate, runtime::default_deallocate};
    return engine;
}

tensor_desc strided(dt type, const dims &shape, const dims &strides) {
    tensor_desc desc;
    desc.type = type;
    desc.layout = layout_type::strided;
    desc.rank_known = true;
    desc.shape = shape;
    desc.strides = strides;
    return desc;
}

class move_case {
public:
    explicit move_case(unsigned seed) : random_(seed) {}

    std::int64_t below(std::int64_t n) {
        return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(n));
    }

    /// Axes in any order, with gaps; sometimes one element for a whole axis.
    dims strides_of(const dims &shape, bool may_repeat) {
        std::vector<int> axes(static_cast<std::size_t>(shape.rank()));
        std::iota(axes.begin(), axes.end(), 0);
        if (below(2) == 0) std::shuffle(axes.begin(), axes.end(), random_);
        dims strides(shape.rank(), 0);
        std::int64_t step = below(4) == 0 ? 2 : 1;
        for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
            if (may_repeat && below(8) == 0) continue;
            strides[*axis] = step;
            step = step * std::max<std::int64_t>(shape[*axis], 1) + (below(4) == 0 ? 3 : 0);
        }
        return strides;
    }

    /// Runs the op both ways on random bytes; `indices`: of input 1.
    void check(op_kind kind, const ir::attr_list &attrs, const std::vector<tensor_desc> &inputs,
            const std::string &implementation, const s64s &indices = {}) {
        auto graph = std::make_shared<ir::graph>(ops::find);
        ir::op_spec spec;
        spec.id = 3;
        spec.kind = kind;
        spec.attrs = attrs;
        for (const tensor_desc &desc : inputs)
            spec.inputs.push_back({spec.inputs.size(), desc});
        tensor_desc open;
        open.type = inputs[0].type;
        open.layout = layout_type::any;
        spec.outputs.push_back({100, open});
        graph->add_op(spec);
        graph->finalize();
        const auto partitions =
                make_partitions(graph, partition_policy::fusion, fpmath_mode::strict, false);
        ASSERT_EQ(partitions.size(), 1u);
        std::vector<ir::port> in = logical_tensors_of(*partitions[0], true);
        std::vector<ir::port> out = logical_tensors_of(*partitions[0], false);
        const dims shape = out[0].desc.shape;
        out[0].desc = strided(inputs[0].type, shape, strides_of(shape, false));
        const compiled fast = compile(partitions[0], in, out, engine_here(), "");
        const compiled slow = compile(partitions[0], in, out, engine_here(), "reference");
        const std::string &name = fast.plan->parts().implementation;
        if (is_empty(shape))
            EXPECT_EQ(name, "empty");
        else
            EXPECT_THAT(name, testing::StartsWith(implementation));

        memories data = make_inputs(fast, [] { return 0; });
        for (std::vector<std::uint8_t> &bytes : data)
            for (std::uint8_t &byte : bytes)
                byte = static_cast<std::uint8_t>(random_());
        if (kind == op_kind::Gather) fill_indices(data[1], inputs[1], indices);
        const memories want = run(slow, data);
        EXPECT_EQ(run(fast, data), want) << name;
        oneapi::tbb::task_arena alone(1);
        alone.execute([&] { EXPECT_EQ(run(fast, data), want) << name; });
    }

    dims small_shape(int rank) {
        dims shape;
        for (int axis = 0; axis < rank; ++axis)
            shape.push_back(below(12) == 0 ? 0 : 1 + below(axis + 1 == rank ? 20 : 4));
        return shape;
    }

private:
    void fill_indices(
            std::vector<std::uint8_t> &bytes, const tensor_desc &desc, const s64s &indices) {
        for (std::size_t at = 0, i = 0; at < bytes.size(); at += bytes_of(desc.type), ++i)
            store_s64(desc.type, indices[i % indices.size()], &bytes[at]);
    }

    std::mt19937 random_;
};

constexpr dt one_of_each_size[] = {dt::u8, dt::f16, dt::f32, dt::s64, dt::c128};

TEST(moves, concat_is_what_the_reference_gives) {
    tests::for_each_target([] {
        for (unsigned seed = 0; seed < 60; ++seed) {
            SCOPED_TRACE(seed);
            move_case one(seed);
            const dt type = one_of_each_size[seed % 5];
            const int rank = 1 + static_cast<int>(seed % 4);
            const int axis = static_cast<int>(one.below(rank));
            const dims shape = one.small_shape(rank);
            std::vector<tensor_desc> sources;
            for (std::int64_t i = 0, n = 1 + one.below(12); i < n; ++i) {
                dims its = shape;
                its[axis] = one.below(6);
                sources.push_back(strided(type, its, one.strides_of(its, true)));
            }
            one.check(op_kind::Concat,
                    {{op_attr::axis, std::int64_t{axis - rank * (seed % 2 == 0)}}}, sources,
                    "copy");
        }
    });
}

TEST(moves, slice_is_what_the_reference_gives) {
    tests::for_each_target([] {
        for (unsigned seed = 0; seed < 100; ++seed) {
            SCOPED_TRACE(seed);
            move_case one(seed);
            const dt type = one_of_each_size[seed % 5];
            const dims shape = one.small_shape(1 + static_cast<int>(seed % 4));
            s64s starts;
            s64s ends;
            s64s steps;
            for (int axis = 0; axis < shape.rank(); ++axis) {
                const bool is_back = seed % 3 == 0 && one.below(2) == 0;
                const std::int64_t step = one.below(3) == 0 ? 2 : 1;
                starts.push_back(is_back ? -1 - one.below(2) : one.below(2));
                ends.push_back(is_back ? least : one.below(2) == 0 ? -1 : most);
                steps.push_back(is_back ? -step : step);
            }
            one.check(op_kind::Slice,
                    {{op_attr::starts, starts}, {op_attr::ends, ends}, {op_attr::steps, steps}},
                    {strided(type, shape, one.strides_of(shape, true))}, "copy");
        }
    });
}

TEST(moves, expand_is_what_the_reference_gives) {
    for (unsigned seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(seed);
        move_case one(seed);
        const dt type = one_of_each_size[seed % 5];
        dims shape = one.small_shape(static_cast<int>(seed % 4));
        s64s wanted(static_cast<std::size_t>(one.below(2)), 1 + one.below(3));
        for (std::int64_t &dim : shape) {
            wanted.push_back(one.below(2) == 0 ? 1 : dim);
            if (one.below(2) == 0) dim = 1;
        }
        one.check(op_kind::Expand, {{op_attr::shape, wanted}},
                {strided(type, shape, one.strides_of(shape, true))}, "copy");
    }
}

TEST(moves, gather_is_what_the_reference_gives) {
    for (unsigned seed = 0; seed < 150; ++seed) {
        SCOPED_TRACE(seed);
        move_case one(seed);
        const dt type = one_of_each_size[seed % 5];
        const int rank = 1 + static_cast<int>(seed % 4);
        dims shape = one.small_shape(rank);
        const int axis = static_cast<int>(one.below(rank));
        shape[axis] = 1 + one.below(9);
        const dims indices = one.small_shape(static_cast<int>(one.below(3)));
        s64s values;
        for (int i = 0; i < 50; ++i)
            values.push_back(one.below(2 * shape[axis]) - shape[axis]);
        one.check(op_kind::Gather, {{op_attr::axis, std::int64_t{axis}}},
                {strided(type, shape, one.strides_of(shape, true)),
                        strided(seed % 2 == 0 ? dt::s32 : dt::s64, indices,
                                one.strides_of(indices, true))},
                "take", values);
    }
}

TEST(moves, transposes_of_rows_of_all_lengths) {
    for (unsigned seed = 0; seed < 3; ++seed) {
        move_case one(seed);
        for (dt type : one_of_each_size)
            for (std::int64_t rows : {1, 3, 4, 9, 16, 50, 700})
                for (std::int64_t columns : {1, 2, 3, 5, 8, 17, 33, 64, 257}) {
                    const std::int64_t gap = one.below(3);
                    const tensor_desc src = strided(
                            type, {2, rows, columns}, {(rows + gap) * columns, 1, rows + gap});
                    one.check(op_kind::Reorder, {}, {src}, "copy");
                    one.check(op_kind::StaticTranspose, {{op_attr::order, s64s{1, 2, 0}}}, {src},
                            "copy");
                }
    }
}

TEST(moves, short_rows_are_transposed_plane_by_plane) {
    const std::string tiles = "copy:" + std::string(kernels::select_target());
    const std::pair<const char *, std::string> forms[] = {
            {"f32[7x64x500:32000s1s64] = input\n %1:f32[7x64x500]", "copy:planes"},
            {"f32[7x500x64:32000s1s500] = input\n %1:f32[7x500x64]", "copy:planes"},
            {"u8[256x999:1s256] = input\n %1:u8[256x999]", "copy:planes"},
            {"f32[65x500:1s65] = input\n %1:f32[65x500]", tiles},
            {"f32[64x500:700s1] = input\n %1:f32[64x500]", tiles},
            {"f32[64x64x500:1s4096s64] = input\n %1:f32[64x64x500]", "copy:planes"},
            {"f32[7x64x500:0s1s64] = input\n %1:f32[7x64x500]", tiles},
    };
    for (const auto &[graph, implementation] : forms) {
        const compiled made = compile_text("%0:" + std::string(graph) + " = Reorder(%0)");
        EXPECT_EQ(made.plan->parts().implementation, implementation) << graph;
    }
}

// Large enough to be split among threads.
TEST(moves, large_tensors) {
    move_case one(1);
    const tensor_desc wide = strided(dt::f32, {300, 1000}, {1000, 1});
    const tensor_desc turned = strided(dt::f32, {300, 1000}, {1, 300});
    for (std::int64_t axis : {0, 1})
        one.check(op_kind::Concat, {{op_attr::axis, axis}}, {wide, turned, wide}, "copy");
    for (std::int64_t step : {-1, -3, 2})
        for (const tensor_desc &data : {wide, turned})
            one.check(op_kind::Slice,
                    {{op_attr::starts, s64s{step < 0 ? most : 0, step < 0 ? most : 0}},
                            {op_attr::ends, s64s{step < 0 ? least : most, step < 0 ? least : most}},
                            {op_attr::steps, s64s{1 < step ? 1 : step, step}}},
                    {data}, "copy");
    one.check(op_kind::Slice,
            {{op_attr::starts, s64s{most}}, {op_attr::ends, s64s{least}},
                    {op_attr::steps, s64s{-1}}},
            {strided(dt::f16, {500000}, {1})}, "copy:planes");
    one.check(op_kind::Expand, {{op_attr::shape, s64s{4, 300, 1000}}}, {turned}, "copy");
    // Few long rows, and the other way round; a plane, and some.
    for (const dims &shape :
            {dims{1, 16, 30000}, dims{3, 5, 30011}, dims{1, 30000, 16}, dims{40, 7, 1000}})
        for (dt type : {dt::u8, dt::f32})
            one.check(op_kind::Reorder, {},
                    {strided(type, shape, {shape[1] * shape[2], 1, shape[1]})}, "copy");
    const s64s indices = {3, -4, 0, 299, -300, 7, 150};
    for (const tensor_desc &data : {wide, turned})
        for (std::int64_t axis : {0, 1})
            one.check(op_kind::Gather, {{op_attr::axis, axis}},
                    {data, strided(dt::s64, {1001}, {1})}, "take", indices);
    // Few large blocks.
    for (const tensor_desc &data : {strided(dt::f32, {2, 300, 1000}, {300000, 1000, 1}),
                 strided(dt::f32, {2, 300, 1000}, {300000, 1, 300})})
        one.check(op_kind::Gather, {{op_attr::axis, std::int64_t{0}}},
                {data, strided(dt::s32, {3}, {1})}, "take", {1, -2, -1});
}

// --- indices out of range

struct gathered {
    std::vector<float> data = {1, 2, 3, 4, 5, 6};
    std::vector<std::int64_t> indices;
    std::vector<float> output = std::vector<float>(8, -7.0F);

    std::string run(const std::string &implementation) {
        const compiled made = compile_text(R"(
            %0:f32[3x2], %1:s64[4] = input
            %2:f32[4x2] = Gather(%0, %1) {axis=0})",
                implementation);
        const void *in[] = {data.data(), indices.data()};
        void *out = output.data();
        try {
            made.execute(in, &out, nullptr);
        } catch (const error &e) {
            EXPECT_EQ(e.status, status::invalid_arguments);
            return e.message;
        }
        return "";
    }
};

TEST(moves, gather_writes_nothing_when_an_index_is_out_of_range) {
    for (const char *implementation : {"", "reference"}) {
        for (std::int64_t index : {std::int64_t{3}, std::int64_t{-4}, least, most}) {
            gathered one;
            one.indices = {0, 1, 2, index};
            EXPECT_THAT(one.run(implementation),
                    testing::AllOf(testing::StartsWith("execute: indices of Gather (op "),
                            testing::HasSubstr("has index " + std::to_string(index)
                                               + ", but data 3x2 has 3 along axis 0")));
            EXPECT_THAT(one.output, testing::Each(-7.0F));
        }
        gathered good;
        good.indices = {2, -3, 0, -1};
        EXPECT_EQ(good.run(implementation), "");
        EXPECT_THAT(good.output, testing::ElementsAre(5, 6, 1, 2, 1, 2, 5, 6));
    }
}

TEST(moves, gather_is_a_partition_of_its_own) {
    auto graph = std::make_shared<ir::graph>(ops::find);
    for (ir::op_spec &spec : graph_text(R"(
            %0:f32[3x2], %1:s64[4] = input
            %2:f32[3x2] = Neg(%0)
            %3:s64[4] = Abs(%1)
            %4:f32[4x2] = Gather(%2, %3) {axis=0}
            %5:f32[4x2] = Neg(%4)
            %6:f32[4x2] = Abs(%5))")
                                     .read())
        graph->add_op(std::move(spec));
    graph->finalize();
    std::vector<std::size_t> sizes;
    for (const auto &part :
            make_partitions(graph, partition_policy::fusion, fpmath_mode::strict, false)) {
        EXPECT_TRUE(part->is_supported);
        sizes.push_back(part->ops.size());
    }
    EXPECT_THAT(sizes, testing::ElementsAre(1, 1, 1, 2));
}

} // namespace
} // namespace tern::compiler
