// SPDX-License-Identifier: Apache-2.0
//
// A program as it is written for oneDNN Graph: with the include, the namespace and the macro's
// prefix replaced it compiles against oneDNN 3.12's dnnl_graph.hpp as well.
#include <array>
#include <cstring>
#include <string>
#include <unordered_map>
#include <vector>

#include <gtest/gtest.h>

#include "tern/graph.hpp"

namespace dnnl_like = tern;

using namespace dnnl_like::graph;
using data_type = logical_tensor::data_type;
using layout_type = logical_tensor::layout_type;
using property_type = logical_tensor::property_type;
using dim = logical_tensor::dim;
using dims = logical_tensor::dims;

namespace {

/// Memory of a program's tensors by id, made when first asked for.
class tensor_pool {
public:
    tensor get(const logical_tensor &lt, const engine &eng) {
        std::vector<char> &memory = memory_[lt.get_id()];
        if (memory.empty()) memory.resize(lt.get_mem_size());
        return tensor(lt, eng, memory.data());
    }

    template <typename T>
    void write(std::size_t id, const std::vector<T> &values) {
        memory_[id].resize(values.size() * sizeof(T));
        std::memcpy(memory_[id].data(), values.data(), values.size() * sizeof(T));
    }

    template <typename T>
    std::vector<T> read(std::size_t id) const {
        const std::vector<char> &memory = memory_.at(id);
        std::vector<T> values(memory.size() / sizeof(T));
        std::memcpy(values.data(), memory.data(), memory.size());
        return values;
    }

private:
    std::unordered_map<std::size_t, std::vector<char>> memory_;
};

TEST(dnnl_style, select_from_graph_to_result) {
    engine eng(engine::kind::cpu, 0);
    stream strm(eng);

    dims scores_dims{2, 4};
    logical_tensor mask_desc(0, data_type::boolean, {1, 4}, layout_type::strided);
    logical_tensor scores_desc(1, data_type::f32, scores_dims, layout_type::strided);
    logical_tensor fill_desc(2, data_type::f32, {1}, layout_type::strided);
    logical_tensor masked_desc(3, data_type::f32, TERN_GRAPH_UNKNOWN_NDIMS, layout_type::any);

    op select(0, op::kind::Select, {mask_desc, scores_desc, fill_desc}, {masked_desc}, "select");
    select.set_attr<std::string>(op::attr::auto_broadcast, "numpy");

    graph g(engine::kind::cpu);
    g.add_op(select);
    g.finalize();

    std::vector<partition> partitions = g.get_partitions();
    ASSERT_EQ(partitions.size(), 1u);
    tensor_pool pool;
    pool.write<std::uint8_t>(0, {1, 1, 0, 0});
    pool.write<float>(1, {1, 2, 3, 4, 5, 6, 7, 8});
    pool.write<float>(2, {-9});

    for (const partition &part : partitions) {
        ASSERT_TRUE(part.is_supported());
        std::vector<logical_tensor> inputs = part.get_input_ports();
        std::vector<logical_tensor> outputs = part.get_output_ports();
        compiled_partition cp = part.compile(inputs, outputs, eng);
        for (logical_tensor &output : outputs)
            output = cp.query_logical_tensor(output.get_id());

        std::vector<tensor> inputs_ts, outputs_ts;
        for (const logical_tensor &in : inputs)
            inputs_ts.push_back(pool.get(in, eng));
        for (const logical_tensor &out : outputs)
            outputs_ts.push_back(pool.get(out, eng));
        cp.execute(strm, inputs_ts, outputs_ts);
        strm.wait();
    }
    EXPECT_EQ(pool.read<float>(3), (std::vector<float>{1, 2, -9, -9, 5, 6, -9, -9}));
}

TEST(dnnl_style, single_op_partition_in_place) {
    engine eng(engine::kind::cpu, 0);
    stream strm(eng, stream::flags::default_flags);
    logical_tensor cond{0, data_type::boolean, dims{3}, layout_type::strided};
    logical_tensor src0{1, data_type::f32, dims{3}, layout_type::strided};
    logical_tensor src1{2, data_type::f32, dims{3}, layout_type::strided};
    logical_tensor dst{3, data_type::f32, dims{3}, layout_type::strided};
    op select(0, op::kind::Select, "select");
    select.add_inputs({cond, src0, src1});
    select.add_outputs({dst});

    partition part(select, engine::kind::cpu);
    EXPECT_EQ(part.get_ops_num(), 1u);
    EXPECT_EQ(part.get_ops()[0], 0u);
    EXPECT_EQ(part.get_engine_kind(), engine::kind::cpu);
    compiled_partition cp = part.compile({cond, src0, src1}, {dst}, eng);

    std::vector<std::pair<std::size_t, std::size_t>> pairs = cp.get_inplace_ports();
    ASSERT_EQ(pairs.size(), 1u);
    EXPECT_EQ(pairs[0].first, src0.get_id());
    EXPECT_EQ(pairs[0].second, dst.get_id());

    std::array<bool, 3> mask{true, false, true};
    std::array<float, 3> a{1, 2, 3}, b{10, 20, 30};
    tensor cond_ts(cond, eng, mask.data()), src0_ts(src0, eng, a.data()), src1_ts(src1, eng);
    std::memcpy(src1_ts.get_data_handle(), b.data(), sizeof b);
    tensor dst_ts(dst, eng, nullptr);
    dst_ts.set_data_handle(src0_ts.get_data_handle());
    cp.execute(strm, {cond_ts, src0_ts, src1_ts}, {dst_ts});
    strm.wait();
    EXPECT_EQ(a, (std::array<float, 3>{1, 20, 3}));
}

TEST(dnnl_style, errors) {
    graph g(engine::kind::cpu, fpmath_mode::strict);
    EXPECT_FALSE(g.is_finalized());
    op broken(0, op::kind::Select);
    EXPECT_EQ(g.add_op(broken, false), status::invalid_graph_op);
    try {
        g.add_op(broken);
        FAIL() << "add_op did not throw";
    } catch (const dnnl_like::error &e) {
        EXPECT_EQ(static_cast<int>(e.status), static_cast<int>(status::invalid_graph_op));
        EXPECT_STREQ(e.what(), e.message);
    } catch (const std::exception &) {
        FAIL() << "another class of exception";
    }
}

TEST(dnnl_style, allocator_and_scalars) {
    engine eng = make_engine_with_allocator(engine::kind::cpu, 0, allocator{});
    ASSERT_EQ(eng.get_kind(), engine::kind::cpu);
    ASSERT_GE(engine::get_count(engine::kind::cpu), 1u);
    logical_tensor lt(0, data_type::s32, 0, layout_type::strided, property_type::host_scalar);
    std::int32_t value = 3;
    tensor scalar = tensor::make_scalar_tensor(lt, &value);
    EXPECT_EQ(scalar.get_data_handle(), nullptr);
    EXPECT_TRUE(scalar.get_logical_tensor().is_equal(lt));
    partition empty;
    compiled_partition none;
    EXPECT_FALSE(static_cast<bool>(empty));
    EXPECT_FALSE(static_cast<bool>(none));
}

} // namespace
