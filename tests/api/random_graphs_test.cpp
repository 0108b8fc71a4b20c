// SPDX-License-Identifier: Apache-2.0
//
// Graphs by chance: what partitions of many ops compute is, bit by bit, what partitions of one op
// each compute.
#include <cstdint>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "net.hpp"
#include "tern/graph.hpp"

namespace tern::graph {
namespace {

using shape = logical_tensor::dims;

bool is_byte(data_type type) {
    return type == data_type::boolean || type == data_type::s8 || type == data_type::u8;
}
bool is_half(data_type type) {
    return type == data_type::bf16 || type == data_type::f16;
}

struct tensor_in_graph {
    std::size_t id;
    data_type type;
    shape dims;

    logical_tensor described() const { return {id, type, dims, layout_type::strided}; }
    std::size_t elements() const {
        std::size_t n = 1;
        for (std::int64_t dim : dims)
            n *= static_cast<std::size_t>(dim);
        return n;
    }
    std::size_t bytes() const { return elements() * (is_byte(type) ? 1 : is_half(type) ? 2 : 4); }
};

using memory = tests::memory_by_id;

class random_graph {
public:
    explicit random_graph(unsigned seed) : random_(seed), graph_(engine::kind::cpu) {
        const std::vector<shape> shapes = {{3, 5}, {2, 7, 33}, {1, 1}, {4, 16, 16}};
        full_ = shapes[pick(shapes.size())];
        std::size_t ops = 2 + pick(14);
        if (pick(3) == 0) add_matmul();
        while (ops-- > 0)
            add_op();
        graph_.finalize();
    }

    memory run(partition::policy policy, std::size_t &partitions) {
        memory values = inputs_;
        partitions = tests::run_partitions(graph_.get_partitions(policy), values);
        return values;
    }

    std::string text;

private:
    std::size_t pick(std::size_t n) { return random_() % n; }

    /// A tensor that there is, or a new input, broadcast now and then.
    tensor_in_graph source(data_type type) {
        std::vector<tensor_in_graph> fitting;
        for (const tensor_in_graph &t : tensors_)
            if (t.type == type) fitting.push_back(t);
        if (!fitting.empty() && pick(4) != 0) return fitting[pick(fitting.size())];
        shape dims = full_;
        for (std::int64_t &dim : dims)
            if (pick(4) == 0) dim = 1;
        if (pick(6) == 0) dims.clear();
        return input(type, dims);
    }

    tensor_in_graph input(data_type type, const shape &dims) {
        tensor_in_graph made = {next_id_++, type, dims};
        std::vector<std::uint8_t> &held = inputs_[made.id];
        held.resize(made.bytes());
        for (std::size_t i = 0; i < made.elements(); ++i)
            fill(type, held.data(), i);
        return made;
    }

    void fill(data_type type, std::uint8_t *to, std::size_t i) {
        auto small = static_cast<float>(static_cast<int>(pick(4001)) - 2000) / 256;
        if (pick(16) == 0) small = pick(2) == 0 ? 0.0F : -0.0F;
        if (type == data_type::boolean)
            to[i] = static_cast<std::uint8_t>(pick(2) * (1 + pick(255)));
        if (type == data_type::f32) std::memcpy(to + 4 * i, &small, 4);
        if (type == data_type::bf16)
            std::memcpy(to + 2 * i, reinterpret_cast<char *>(&small) + 2, 2);
        if (type == data_type::f16) { // 0, or 2^-3 to just below 2^4
            auto half = static_cast<std::uint16_t>(0x3000 + pick(0x1C00) + 0x8000 * pick(2));
            if (pick(16) == 0) half &= 0x8000;
            std::memcpy(to + 2 * i, &half, 2);
        }
        if (type == data_type::s8 || type == data_type::u8)
            to[i] = static_cast<std::uint8_t>(pick(256));
        if (type == data_type::s32) {
            auto whole = static_cast<std::int32_t>(random_());
            std::memcpy(to + 4 * i, &whole, 4);
        }
    }

    static shape broadcast(const std::vector<tensor_in_graph> &operands) {
        shape result;
        for (const tensor_in_graph &t : operands) {
            if (t.dims.size() > result.size())
                result.insert(result.begin(), t.dims.size() - result.size(), 1);
            for (std::size_t i = 0; i < t.dims.size(); ++i) {
                std::int64_t &dim = result[result.size() - t.dims.size() + i];
                dim = std::max(dim, t.dims[i]);
            }
        }
        return result;
    }

    void add(op::kind kind, std::vector<tensor_in_graph> operands, data_type type,
            const std::vector<std::pair<op::attr, float>> &numbers = {}) {
        // A condition may not widen what it chooses for.
        tensor_in_graph made = {next_id_++, type, broadcast(operands)};
        std::vector<logical_tensor> in;
        for (const tensor_in_graph &t : operands)
            in.push_back(t.described());
        op added(next_op_++, kind, in, {made.described()});
        for (const auto &[name, number] : numbers)
            added.set_attr(name, number);
        if (kind == op::kind::GenIndex)
            added.set_attr(op::attr::axis, static_cast<std::int64_t>(pick(made.dims.size())));
        text += op::kind2str(kind) + " ";
        graph_.add_op(added);
        tensors_.push_back(made);
    }

    void add_matmul() {
        if (full_.size() < 2) return;
        shape left = full_, right = full_;
        left.back() = 19;
        right[right.size() - 2] = 19;
        const data_type types[] = {data_type::f32, data_type::bf16, data_type::f16};
        const data_type type = types[pick(3)];
        tensor_in_graph a = input(type, left), b = input(type, right);
        tensor_in_graph made = {next_id_++, type, full_};
        graph_.add_op(op(
                next_op_++, op::kind::MatMul, {a.described(), b.described()}, {made.described()}));
        text += "MatMul ";
        tensors_.push_back(made);
    }

    void add_op() {
        using k = op::kind;
        const data_type reals[] = {
                data_type::f32, data_type::f32, data_type::f32, data_type::bf16, data_type::f16};
        const data_type real = reals[pick(5)];
        const data_type integers[] = {data_type::s32, data_type::s32, data_type::s8, data_type::u8};
        const data_type number = pick(4) == 0 ? integers[pick(4)] : real;
        auto two = [&](data_type type) {
            return std::vector<tensor_in_graph>{source(type), source(type)};
        };
        switch (pick(10)) {
            case 0:
            case 1: {
                const k kinds[] = {k::Add, k::Subtract, k::Multiply, k::Maximum, k::Minimum};
                return add(kinds[pick(5)], two(number), number);
            }
            case 2: {
                const k kinds[] = {k::Divide, k::SquaredDifference};
                return add(kinds[pick(2)], two(real), real);
            }
            case 3: {
                const k kinds[] = {k::Abs, k::Exp, k::ReLU, k::Round, k::Sigmoid, k::Square,
                        k::Tanh, k::HardSwish, k::Neg, k::Mish};
                return add(kinds[pick(10)], {source(real)}, real);
            }
            case 4:
                return add(k::Clamp, {source(real)}, real,
                        {{op::attr::min, -1.5F}, {op::attr::max, 2.0F}});
            case 5: {
                const k kinds[] = {
                        k::Greater, k::GreaterEqual, k::Less, k::LessEqual, k::Equal, k::NotEqual};
                return add(kinds[pick(6)], two(number), data_type::boolean);
            }
            case 6: {
                const k kinds[] = {k::And, k::Or, k::Xor};
                return add(kinds[pick(3)], two(data_type::boolean), data_type::boolean);
            }
            case 7: {
                tensor_in_graph of = source(real);
                if (of.dims.empty()) return;
                return add(k::GenIndex, {of}, data_type::s32);
            }
            case 8: {
                const data_type types[] = {data_type::f32, data_type::bf16, data_type::f16,
                        data_type::s32, data_type::s8, data_type::u8, data_type::boolean};
                return add(k::TypeCast, {source(number)}, types[pick(7)]);
            }
            default:
                return add(k::Where, {source(data_type::boolean), source(number), source(number)},
                        number);
        }
    }

    std::mt19937 random_;
    graph graph_;
    shape full_;
    std::size_t next_id_ = 0;
    std::size_t next_op_ = 0;
    std::vector<tensor_in_graph> tensors_; ///< What ops write.
    memory inputs_;
};

TEST(random_graphs, fused_and_unfused_have_the_same_bits) {
    std::size_t fused_partitions = 0;
    std::size_t all_partitions = 0;
    for (unsigned seed = 0; seed < 1000; ++seed) {
        random_graph made(seed);
        SCOPED_TRACE("seed " + std::to_string(seed) + ": " + made.text);
        std::size_t fused_count = 0;
        std::size_t count = 0;
        memory fused = made.run(partition::policy::fusion, fused_count);
        memory unfused = made.run(partition::policy::debug, count);
        fused_partitions += fused_count;
        all_partitions += count;
        for (const auto &[id, bytes] : fused)
            ASSERT_EQ(bytes, unfused.at(id)) << "tensor " << id;
    }
    EXPECT_LT(fused_partitions * 2, all_partitions);
}

} // namespace
} // namespace tern::graph
