// SPDX-License-Identifier: Apache-2.0
//
// The table "What gives which status" of docs/api.md, second half: compile, query, execute.
#include "select_graph.hpp"

using namespace select_graph;

namespace {

constexpr std::int64_t unknown = TERN_GRAPH_UNKNOWN_DIM;

const logical_tensor cond = dense(cond_id, data_type::boolean, {2, 3});
const logical_tensor src_0 = dense(src_0_id, data_type::f32, {2, 3});
const logical_tensor src_1 = dense(src_1_id, data_type::f32, {1});
const logical_tensor dst = dense(dst_id, data_type::f32, {2, 3});

class compile_errors : public testing::Test {
protected:
    const partition known = select_partition({cond, src_0, src_1}, dst);
    /// Nothing but types is known.
    const partition open = select_partition(
            {logical_tensor(cond_id, data_type::boolean), logical_tensor(src_0_id, data_type::f32),
                    logical_tensor(src_1_id, data_type::f32)},
            logical_tensor(dst_id, data_type::f32));
    const logical_tensor any_dst{dst_id, data_type::f32, layout_type::any};

    static logical_tensor f32(std::size_t id, const dims &shape, layout_type layout) {
        return logical_tensor(id, data_type::f32, shape, layout);
    }
    void compile_as(const std::string &implementation, const logical_tensor &first) const {
        tern::graph::compile_options options;
        options.implementation = implementation;
        open.compile({cond, first, src_1}, {any_dst}, cpu(), options);
    }
};

TEST_F(compile_errors, handles) {
    partition named(op(5, op::kind::Convolution), engine::kind::cpu);
    expect_errors({
            {status::invalid_arguments, [] { partition().compile({}, {}, cpu()); },
                    {"partition::compile", "empty"}},
            {status::invalid_arguments, [] { partition().get_ops_num(); },
                    {"partition::get_ops_num", "empty"}},
            {status::invalid_arguments, [] { partition().get_ops(); },
                    {"partition::get_ops", "empty"}},
            {status::invalid_arguments, [] { partition().get_id(); },
                    {"partition::get_id", "empty"}},
            {status::invalid_arguments, [] { partition().is_supported(); },
                    {"partition::is_supported", "empty"}},
            {status::invalid_arguments, [] { partition().get_input_ports(); },
                    {"partition::get_input_ports", "empty"}},
            {status::invalid_arguments, [] { partition().get_output_ports(); },
                    {"partition::get_output_ports", "empty"}},
            {status::invalid_arguments, [] { partition().get_engine_kind(); },
                    {"partition::get_engine_kind", "empty"}},
            {status::invalid_arguments,
                    [&] {
                        known.compile({cond, src_0, src_1}, {dst}, engine());
                    },
                    {"compile", "engine is empty"}},
            {status::invalid_arguments,
                    [] { partition(op(5, op::kind::Select), engine::kind::gpu); },
                    {"no gpu engine"}},
            {status::unimplemented, [&] { named.compile({}, {}, cpu()); },
                    {"Convolution (op 5)", "by name only"}},
    });
}

TEST_F(compile_errors, B124_inputs) {
    logical_tensor opaque(src_0_id, data_type::f32, dims{2, 3}, std::size_t{1});
    logical_tensor undef_layout = f32(src_0_id, {2, 3}, layout_type::undef);
    logical_tensor no_stride(src_0_id, data_type::f32, {2, 3}, {unknown, 1});
    const char *who = "src_0 of Select (op 7) (tensor 2)";
    auto with = [&](const partition &part, const logical_tensor &first) {
        return [&part, first, this] { part.compile({cond, first, src_1}, {any_dst}, cpu()); };
    };
    expect_errors({
            {status::invalid_arguments,
                    [&] {
                        open.compile({cond, src_1}, {any_dst}, cpu());
                    },
                    {who, "missing among the inputs"}},
            {status::invalid_arguments,
                    [&] {
                        open.compile({cond, src_0, src_1, f32(src_0_id, {9}, layout_type::any)},
                                {any_dst}, cpu());
                    },
                    {"tensor 2", "twice among the inputs", "2x3", ":9:"}},
            {status::invalid_data_type, with(open, dense(src_0_id, data_type::s32, {2, 3})),
                    {who, "given as s32", "f32"}},
            {status::invalid_arguments, with(open, logical_tensor(src_0_id, data_type::f32)),
                    {who, "unknown rank", "must be known"}},
            {status::invalid_arguments,
                    with(open, f32(src_0_id, {2, unknown}, layout_type::strided)),
                    {who, "2x?", "must be known"}},
            {status::invalid_arguments, with(open, undef_layout),
                    {who, "layout undef", "strided or any"}},
            {status::invalid_arguments, with(open, opaque), {who, "opaque"}},
            {status::invalid_arguments, with(open, no_stride), {who, "unknown strides"}},
            {status::invalid_shape, with(known, dense(src_0_id, data_type::f32, {6})),
                    {who, "shape 6", "expected 2x3"}},
            {status::invalid_shape, with(known, dense(src_0_id, data_type::f32, {4, 3})),
                    {who, "4x3", "expected 2x3", "axis 0", "4", "expected 2"}},
            {status::invalid_shape, with(open, dense(src_0_id, data_type::f32, {2, 4})),
                    {"Select (op 7)", "cond 2x3", "axis 1"}},
            {status::invalid_shape, with(open, f32(src_0_id, {INT64_MAX, 3}, layout_type::any)),
                    {"input src_0 of Select (op 7) (tensor 2)", "9223372036854775807x3",
                            "too large"}},
            {status::invalid_shape,
                    with(open, logical_tensor(src_0_id, data_type::f32, {2, 3}, {INT64_MAX, 1})),
                    {"input src_0", "tensor 2", "strides 9223372036854775807x1", "too large"}},
    });
}

TEST_F(compile_errors, outputs) {
    logical_tensor opaque(dst_id, data_type::f32, dims{2, 3}, std::size_t{1});
    const char *who = "dst of Select (op 7) (tensor 4)";
    auto with = [&](const partition &part, const logical_tensor &output) {
        return [&part, output] { part.compile({cond, src_0, src_1}, {output}, cpu()); };
    };
    logical_tensor one = dense(cond_id, data_type::boolean, {1});
    auto broadcast = [&](std::int64_t rows, std::int64_t columns) {
        return [&, rows, columns] {
            open.compile({one, f32(src_0_id, {rows, 1}, layout_type::any),
                                 f32(src_1_id, {1, columns}, layout_type::any)},
                    {any_dst}, cpu());
        };
    };
    expect_errors({
            {status::invalid_arguments,
                    [&] {
                        open.compile({cond, src_0, src_1}, {}, cpu());
                    },
                    {who, "missing among the outputs"}},
            {status::invalid_arguments,
                    [&] {
                        open.compile({cond, src_0, src_1}, {dst, any_dst}, cpu());
                    },
                    {"tensor 4", "twice among the outputs"}},
            {status::invalid_data_type, with(open, dense(dst_id, data_type::f16, {2, 3})),
                    {who, "given as f16", "f32"}},
            {status::invalid_arguments, with(open, opaque), {who, "opaque", "strided or any"}},
            {status::invalid_shape, with(known, dense(dst_id, data_type::f32, {2, 4})),
                    {who, "2x4", "expected 2x3", "axis 1"}},
            {status::invalid_shape, with(open, dense(dst_id, data_type::f32, {3, 3})),
                    {"Select (op 7)", "dst is given as 3x3", "2x3", "axis 0", "3, expected 2"}},
            {status::invalid_shape, with(open, dense(dst_id, data_type::f32, {2, 3, 1})),
                    {"Select (op 7)", "dst is given as 2x3x1", "2x3"}},
            // B59
            {status::invalid_arguments,
                    with(open, logical_tensor(dst_id, data_type::f32, {2, 3}, {0, 1})),
                    {who, "2x3", "0x1", "share memory"}},
            {status::invalid_arguments,
                    with(open, logical_tensor(dst_id, data_type::f32, {2, 3}, {2, 1})),
                    {who, "2x3", "2x1", "share memory"}},
            // B132
            {status::invalid_shape, broadcast(4294967296, 4294967296),
                    {"output dst of Select (op 7) (tensor 4)", "4294967296x4294967296",
                            "too large"}},
            {status::invalid_shape, broadcast(2147483648, 2147483648),
                    {"output dst of Select (op 7) (tensor 4)", "f32", "too large"}},
            {status::invalid_shape,
                    with(open, logical_tensor(dst_id, data_type::f32, {2, 3}, {INT64_MAX, 1})),
                    {"output dst", "tensor 4", "too large"}},
    });
}

TEST_F(compile_errors, implementations) {
    expect_errors({
            {status::unimplemented, [&] { compile_as("quick", src_0); },
                    {"Select (op 7)", "no implementation \"quick\"", "loops, onednn, reference"}},
            {status::unimplemented,
                    [&] {
                        compile_as("onednn", dense(src_0_id, data_type::f32, {5, 2, 3}));
                    },
                    {"Select (op 7)", "cannot run as onednn: "}},
    });
}

TEST_F(compile_errors, queries) {
    auto compiled = known.compile({cond, src_0, src_1}, {dst}, cpu());
    expect_errors({
            {status::invalid_arguments, [&] { compiled.query_logical_tensor(99); },
                    {"query_logical_tensor", "tensor 99"}},
            {status::invalid_arguments, [] { compiled_partition().query_logical_tensor(1); },
                    {"query_logical_tensor", "empty"}},
            {status::invalid_arguments, [] { compiled_partition().get_inplace_ports(); },
                    {"get_inplace_ports", "empty"}},
            {status::invalid_arguments,
                    [] { compiled_partition().get_scratchpad_logical_tensor(); },
                    {"get_scratchpad_logical_tensor", "empty"}},
            {status::invalid_arguments, [] { compiled_partition().get_implementation(); },
                    {"get_implementation", "empty"}},
            {status::invalid_arguments, [] { compiled_partition().get_refusals(); },
                    {"get_refusals", "empty"}},
    });
}

/// Every refused execution leaves every byte as it was.
class execute_errors : public compile_errors {
protected:
    std::vector<std::uint8_t> cond_memory = std::vector<std::uint8_t>(6, 1);
    std::vector<float> src_0_memory = {1, 2, 3, 4, 5, 6, 7};
    std::vector<float> src_1_memory = {8};
    std::vector<float> dst_memory = std::vector<float>(6, -1);
    const compiled_partition compiled = known.compile({cond, src_0, src_1}, {dst}, cpu());
    stream s{cpu()};
    std::vector<tensor> in = {tensor(cond, cpu(), cond_memory.data()),
            tensor(src_0, cpu(), src_0_memory.data()), tensor(src_1, cpu(), src_1_memory.data())};
    std::vector<tensor> out = {tensor(dst, cpu(), dst_memory.data())};
    const void *pointers_in[3] = {cond_memory.data(), src_0_memory.data(), src_1_memory.data()};
    void *pointers_out[1] = {dst_memory.data()};

    void TearDown() override {
        EXPECT_EQ(cond_memory, std::vector<std::uint8_t>(6, 1));
        EXPECT_EQ(src_0_memory, (std::vector<float>{1, 2, 3, 4, 5, 6, 7}));
        EXPECT_EQ(src_1_memory, std::vector<float>{8});
        EXPECT_EQ(dst_memory, std::vector<float>(6, -1));
    }

    /// Executes with another tensor in one place.
    auto input(std::size_t port, const tensor &other) {
        auto changed = in;
        changed[port] = other;
        return [this, changed] { compiled.execute(s, changed, out); };
    }
    auto output(const tensor &other) {
        return [this, other] { compiled.execute(s, in, {other}); };
    }
    tensor as_src_0(const logical_tensor &lt) { return tensor(lt, cpu(), src_0_memory.data()); }
};

TEST_F(execute_errors, tensors) {
    const char *who = "src_0 of Select (op 7) (tensor 2)";
    expect_errors({
            {status::invalid_arguments, [&] { compiled_partition().execute(s, in, out); },
                    {"execute", "empty"}},
            {status::invalid_arguments,
                    [&] {
                        stream none;
                        compiled.execute(none, in, out);
                    },
                    {"execute", "empty"}},
            {status::invalid_arguments,
                    [&] {
                        compiled.execute(s, {in[0], in[1]}, out);
                    },
                    {"2 inputs", "expected 3"}},
            {status::invalid_arguments, [&] { compiled.execute(s, in, std::vector<tensor>{}); },
                    {"0 outputs", "expected 1"}},
            {status::invalid_arguments, input(1, tensor()), {"input tensor", "empty"}},
            {status::invalid_arguments, output(tensor()), {"output tensor", "empty"}},
            {status::invalid_arguments, input(1, as_src_0(dense(2, data_type::s32, {2, 3}))),
                    {who, "s32", "compiled as f32"}},
            {status::invalid_arguments, input(1, as_src_0(dense(2, data_type::f32, {6}))),
                    {who, ":6:", "compiled as", ":2x3:"}},
            {status::invalid_arguments,
                    input(1, as_src_0(logical_tensor(2, data_type::f32, {2, 3}, {1, 2}))),
                    {who, "1s2", "compiled as", "3s1"}},
            {status::invalid_arguments, input(1, as_src_0(f32(2, {2, 3}, layout_type::any))),
                    {who, "any", "compiled as", "strided"}},
            {status::invalid_arguments, input(1, as_src_0(logical_tensor(2, data_type::f32))),
                    {who, "unknown rank"}},
            {status::invalid_arguments,
                    output(tensor(dense(4, data_type::f32, {3, 2}), cpu(), dst_memory.data())),
                    {"dst of Select (op 7) (tensor 4)", "3x2", "2x3"}},
            {status::invalid_arguments, input(1, tensor(src_0, cpu(), TERN_MEMORY_NONE)),
                    {who, "no memory", "24 bytes"}},
            {status::invalid_arguments, output(tensor(dst, cpu(), nullptr)),
                    {"dst of Select (op 7) (tensor 4)", "no memory", "24 bytes"}},
            {status::invalid_arguments,
                    [&] {
                        tensor scratchpad(logical_tensor(9, data_type::u8, {8}, layout_type::any),
                                cpu(), nullptr);
                        compiled.execute(s, in, out, scratchpad);
                    },
                    {"scratchpad", "0 bytes"}},
    });
}

TEST_F(execute_errors, overlap) {
    const char *dst_name = "dst of Select (op 7) (tensor 4)";
    const char *src_name = "src_0 of Select (op 7) (tensor 2)";
    auto at = [&](std::size_t element) {
        return tensor(dst, cpu(), src_0_memory.data() + element);
    };
    auto *middle = reinterpret_cast<char *>(src_0_memory.data()) + 1;
    expect_errors({
            {status::invalid_arguments, output(at(1)), {dst_name, "overlaps", src_name}},
            {status::invalid_arguments, output(tensor(dst, cpu(), middle)),
                    {dst_name, "overlaps", src_name}},
            {status::invalid_arguments,
                    [&] {
                        // cond is one of the bytes that would be written
                        auto changed = in;
                        changed[0] = tensor(cond, cpu(), dst_memory.data());
                        compiled.execute(s, changed, out);
                    },
                    {dst_name, "overlaps", "cond of Select (op 7) (tensor 1)"}},
    });
}

TEST_F(execute_errors, pointers) {
    auto with = [&](const void *const *inputs, void *const *outputs) {
        return [this, inputs, outputs] { compiled.execute(s, inputs, outputs); };
    };
    const void *no_src_1[3] = {cond_memory.data(), src_0_memory.data(), nullptr};
    void *no_dst[1] = {nullptr};
    void *shifted[1] = {src_0_memory.data() + 1};
    expect_errors({
            {status::invalid_arguments,
                    [&] { compiled_partition().execute(s, pointers_in, pointers_out); },
                    {"execute", "empty"}},
            {status::invalid_arguments,
                    [&] { compiled.execute(stream(), pointers_in, pointers_out); },
                    {"execute", "empty"}},
            {status::invalid_arguments, with(nullptr, pointers_out),
                    {"list of inputs is null", "3 pointers"}},
            {status::invalid_arguments, with(pointers_in, nullptr),
                    {"list of outputs is null", "1 pointers"}},
            {status::invalid_arguments, with(no_src_1, pointers_out),
                    {"src_1 of Select (op 7) (tensor 3)", "no memory", "4 bytes"}},
            {status::invalid_arguments, with(pointers_in, no_dst),
                    {"dst of Select (op 7) (tensor 4)", "no memory"}},
            {status::invalid_arguments, with(pointers_in, shifted),
                    {"dst of Select (op 7) (tensor 4)", "overlaps",
                            "src_0 of Select (op 7) (tensor 2)"}},
    });
}

} // namespace
