// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <random>
#include <set>

#include <gtest/gtest.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>

#include "each_target.hpp"
#include "kernels/lanes/run_lanes.hpp"
#include "lane_reference.hpp"

namespace tern::kernels {
namespace {

using tests::exact_memory;
using tests::lane_value;

constexpr data_type numbers[] = {data_type::f32, data_type::bf16, data_type::f16, data_type::s8,
        data_type::u8, data_type::s16, data_type::u16, data_type::s32, data_type::s64,
        data_type::u64, data_type::boolean, data_type::f8_e5m2, data_type::f8_e4m3};
constexpr data_type carried[] = {data_type::f64, data_type::u32, data_type::s16, data_type::bf16,
        data_type::u8, data_type::f32};
constexpr lane_op float_ops[] = {lane_op::add, lane_op::subtract, lane_op::multiply,
        lane_op::maximum, lane_op::minimum, lane_op::negate, lane_op::abs, lane_op::square,
        lane_op::divide, lane_op::squared_difference, lane_op::clamp, lane_op::leaky_relu,
        lane_op::reciprocal, lane_op::relu, lane_op::round, lane_op::floor, lane_op::ceil,
        lane_op::sign, lane_op::sqrt, lane_op::round_to};
constexpr lane_op integer_ops[] = {lane_op::add, lane_op::subtract, lane_op::multiply,
        lane_op::maximum, lane_op::minimum, lane_op::negate, lane_op::abs, lane_op::square,
        lane_op::wrap_to};
constexpr lane_op mask_ops[] = {
        lane_op::logical_and, lane_op::logical_or, lane_op::logical_xor, lane_op::logical_not};
constexpr lane_op comparisons[] = {lane_op::equal, lane_op::not_equal, lane_op::greater,
        lane_op::greater_equal, lane_op::less, lane_op::less_equal};
constexpr lane_kind computed[] = {lane_kind::f32, lane_kind::s32, lane_kind::s64, lane_kind::mask};

struct operand {
    data_type type;
    dims strides;
    exact_memory memory;
    bool is_index = false;
};

class random_case {
public:
    random_case(unsigned seed, dims shape, int most_instructions)
        : random_(seed),
          shape_(std::move(shape)) {
        make_program(most_instructions);
        make_operands();
        expect();
    }

    void run() {
        std::vector<dims> strides;
        std::vector<const void *> in;
        std::vector<void *> out;
        for (operand &o : inputs) {
            strides.push_back(o.strides);
            in.push_back(o.is_index ? nullptr : o.memory.data());
        }
        for (operand &o : outputs)
            strides.push_back(o.strides);
        std::vector<operand> saved = inputs;
        for (std::size_t i = 0; i < outputs.size(); ++i)
            out.push_back(in_place_[i] >= 0
                                  ? inputs[static_cast<std::size_t>(in_place_[i])].memory.data()
                                  : outputs[i].memory.data());
        const lane_loops loops = make_lane_loops(make_lane_code(program), shape_, strides);
        run_lanes(loops, in.data(), out.data());
        for (std::size_t i = 0; i < outputs.size(); ++i)
            check(i, static_cast<const std::uint8_t *>(out[i]));
        inputs = std::move(saved);
    }

    lane_program program;
    std::vector<operand> inputs;
    std::vector<operand> outputs;

private:
    template <typename T, std::size_t N>
    T pick(const T (&from)[N]) {
        return from[random_() % N];
    }
    int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
    /// A register of that kind, or -1.
    int find(lane_kind kind) {
        std::vector<int> fit;
        for (std::size_t i = 0; i < kinds_.size(); ++i)
            if (kinds_[i] == kind) fit.push_back(static_cast<int>(i));
        return fit.empty() ? -1 : fit[random_() % fit.size()];
    }

    void make_program(int most_instructions) {
        const int count = 1 + below(5);
        for (int i = 0; i < count; ++i) {
            lane_input input;
            if (below(8) == 0) {
                const lane_kind kinds[] = {lane_kind::s32, lane_kind::s64, lane_kind::f32};
                input = {data_type::s32, pick(kinds), true};
            } else if (below(4) == 0) {
                input.type = pick(carried);
                input.kind = *find_bits_kind(input.type);
            } else {
                input.type = pick(numbers);
                input.kind = *find_lane_kind(input.type);
                if (below(3) == 0) input.kind = pick(computed);
            }
            program.inputs.push_back(input);
            kinds_.push_back(input.kind);
        }
        const int steps = below(most_instructions + 1);
        for (int i = 0; i < steps; ++i)
            add_instruction();
        const int results = 1 + below(3);
        for (int i = 0; i < results; ++i) {
            lane_output output;
            output.reg = i == 0 ? static_cast<int>(kinds_.size()) - 1
                                : below(static_cast<int>(kinds_.size()));
            const lane_kind kind = kinds_[static_cast<std::size_t>(output.reg)];
            do {
                output.type = tests::is_bits_kind(kind) ? pick(carried) : pick(numbers);
            } while (tests::is_bits_kind(kind) && !fits_bits(output.type, kind));
            if (!tests::is_bits_kind(kind) && below(2) == 0)
                while (!fits_kind(output.type, kind))
                    output.type = pick(numbers);
            program.outputs.push_back(output);
        }
    }
    static bool fits_bits(data_type type, lane_kind kind) { return find_bits_kind(type) == kind; }
    static bool fits_kind(data_type type, lane_kind kind) { return find_lane_kind(type) == kind; }

    void add_instruction() {
        lane_instruction in{};
        const int a = below(static_cast<int>(kinds_.size()));
        lane_kind kind = kinds_[static_cast<std::size_t>(a)];
        const int mask = find(lane_kind::mask);
        in.a = a;
        in.kind = kind;
        in.x = below(2) == 0 ? -1.5F : 0.25F;
        in.y = 2.25F;
        if (mask >= 0 && (tests::is_bits_kind(kind) || below(3) == 0)) {
            in.op = lane_op::select;
            in.a = mask;
            in.b = a;
            in.c = find(kind);
        } else if (tests::is_bits_kind(kind)) {
            in.op = lane_op::convert;
        } else if (below(4) == 0) {
            in.op = lane_op::convert;
            in.kind = pick(computed);
        } else if (kind == lane_kind::mask) {
            in.op = pick(mask_ops);
            in.b = find(kind);
        } else {
            in.b = find(kind);
            if (below(4) == 0)
                in.op = pick(comparisons);
            else
                in.op = kind == lane_kind::f32 ? pick(float_ops) : pick(integer_ops);
            const data_type narrow_floats[] = {data_type::bf16, data_type::f16, data_type::f8_e4m3};
            const data_type narrow_integers[] = {
                    data_type::s8, data_type::u8, data_type::u16, data_type::s16, data_type::s32};
            in.type = kind == lane_kind::f32 ? pick(narrow_floats) : pick(narrow_integers);
        }
        in.dst = static_cast<int>(kinds_.size());
        const bool compares = in.op >= lane_op::equal && in.op <= lane_op::less_equal;
        kinds_.push_back(compares ? lane_kind::mask : in.kind);
        program.instructions.push_back(in);
    }

    /// Dense, padded, with axes in another order, or (inputs) broadcast along some.
    dims make_strides(bool is_output) {
        const int rank = shape_.rank();
        std::vector<int> order;
        for (int axis = rank - 1; axis >= 0; --axis)
            order.push_back(axis);
        if (below(4) == 0) std::shuffle(order.begin(), order.end(), random_);
        dims strides(rank, 0);
        std::int64_t next = below(6) == 0 ? 3 : 1;
        const bool pads = below(4) == 0;
        const bool broadcasts = !is_output && below(2) == 0;
        for (int axis : order) {
            if (broadcasts && below(2) == 0) continue;
            strides[axis] = next;
            next = next * shape_[axis] + (pads ? 5 : 0);
        }
        return strides;
    }
    std::size_t span_of(const dims &strides) const {
        std::int64_t last = 0;
        for (int axis = 0; axis < shape_.rank(); ++axis)
            last += (shape_[axis] - 1) * strides[axis];
        return static_cast<std::size_t>(last) + 1;
    }

    void make_operands() {
        for (const lane_input &input : program.inputs) {
            operand o{input.type, make_strides(false), {}, input.is_index};
            if (!input.is_index) {
                o.memory = exact_memory(span_of(o.strides) * bytes_of(input.type),
                        static_cast<std::size_t>(below(4)));
                fill(o);
            }
            inputs.push_back(std::move(o));
        }
        std::set<int> taken;
        for (const lane_output &output : program.outputs) {
            operand o{output.type, make_strides(true), {}};
            int place = below(2) == 0 ? -1 : find_place(output.type);
            if (place >= 0 && !taken.insert(place).second) place = -1;
            in_place_.push_back(place);
            if (place >= 0) o.strides = inputs[static_cast<std::size_t>(place)].strides;
            o.memory = place >= 0 ? inputs[static_cast<std::size_t>(place)].memory
                                  : exact_memory(span_of(o.strides) * bytes_of(output.type),
                                          static_cast<std::size_t>(below(4)));
            outputs.push_back(std::move(o));
        }
    }
    int find_place(data_type type) {
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            const operand &o = inputs[i];
            bool fits = !o.is_index && bytes_of(o.type) == bytes_of(type);
            for (int axis = 0; axis < shape_.rank(); ++axis)
                fits = fits && (o.strides[axis] != 0 || shape_[axis] == 1);
            if (fits) return static_cast<int>(i);
        }
        return -1;
    }

    void fill(operand &o) {
        const std::size_t bytes = bytes_of(o.type);
        const double special[] = {0.0, -0.0, 0.5, -0.5, 1.5, 2.5, 127.5, -128.5, 255.5, 65535.5,
                -32768.5, 3e9, -3e9, 1e19, -1e19, 1e-40, 1e30, HUGE_VAL, -HUGE_VAL, std::nan("")};
        for (std::size_t at = 0; at + bytes <= o.memory.size(); at += bytes) {
            std::uint8_t *element = o.memory.data() + at;
            if (below(4) == 0 || !is_floating(o.type))
                for (std::size_t k = 0; k < bytes; ++k)
                    element[k] = static_cast<std::uint8_t>(below(3) == 0 ? 0 : random_());
            else
                store_f64(o.type, below(8) == 0 ? pick(special) : (below(4001) - 2000) / 16.0,
                        element);
        }
    }

    template <typename Visit>
    void for_each_element(const Visit &visit) const {
        dims index(shape_.rank(), 0);
        for (;;) {
            visit(index);
            int axis = shape_.rank() - 1;
            while (axis >= 0 && ++index[axis] == shape_[axis])
                index[axis--] = 0;
            if (axis < 0) return;
        }
    }
    static std::int64_t offset(const dims &index, const dims &strides) {
        std::int64_t sum = 0;
        for (int axis = 0; axis < index.rank(); ++axis)
            sum += index[axis] * strides[axis];
        return sum;
    }

    /// outputs' memory becomes what is expected; what nothing writes stays.
    void expect() {
        for (const operand &o : outputs)
            expected_.push_back(o.memory);
        for_each_element([&](const dims &index) {
            std::vector<lane_value> registers;
            std::vector<lane_kind> kinds;
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                const operand &o = inputs[i];
                const std::int64_t at = offset(index, o.strides);
                const auto number = static_cast<std::int32_t>(at);
                registers.push_back(tests::load_value(o.type, program.inputs[i].kind,
                        o.is_index ? static_cast<const void *>(&number)
                                   : o.memory.data()
                                             + at * static_cast<std::int64_t>(bytes_of(o.type))));
                kinds.push_back(program.inputs[i].kind);
            }
            tests::run_element(program, registers, kinds);
            for (std::size_t i = 0; i < outputs.size(); ++i) {
                const auto reg = static_cast<std::size_t>(program.outputs[i].reg);
                tests::store_value(registers[reg], kinds[reg], outputs[i].type,
                        expected_[i].data()
                                + offset(index, outputs[i].strides)
                                          * static_cast<std::int64_t>(bytes_of(outputs[i].type)));
            }
        });
    }

    static bool is_nan(data_type type, const std::uint8_t *element) {
        return is_floating(type) && std::isnan(load_f64(type, element));
    }

    void check(std::size_t i, const std::uint8_t *out) const {
        const std::size_t bytes = bytes_of(outputs[i].type);
        const auto kind = kinds_[static_cast<std::size_t>(program.outputs[i].reg)];
        int wrong = 0;
        for (std::size_t at = 0; at + bytes <= expected_[i].size(); at += bytes) {
            const std::uint8_t *want = expected_[i].data() + at;
            // Payloads are kept where bits pass through.
            const bool both_nan = kind == lane_kind::f32 && is_nan(outputs[i].type, want)
                                  && is_nan(outputs[i].type, out + at);
            if (both_nan || std::memcmp(want, out + at, bytes) == 0) continue;
            if (++wrong > 3) return;
            ADD_FAILURE() << "output " << i << " (" << name_of(outputs[i].type) << " from "
                          << name_of(kind) << ") at " << at / bytes << " of "
                          << expected_[i].size() / bytes << ": expected "
                          << load_f64(outputs[i].type, want) << ", got "
                          << load_f64(outputs[i].type, out + at) << "\n"
                          << describe();
        }
    }
    std::string describe() const {
        std::string text = to_string(shape_) + "\n";
        for (std::size_t i = 0; i < inputs.size(); ++i)
            text += "in " + std::string(name_of(inputs[i].type)) + " "
                    + std::string(name_of(program.inputs[i].kind)) + " "
                    + to_string(inputs[i].strides) + (inputs[i].is_index ? " index" : "") + "\n";
        for (const lane_instruction &in : program.instructions)
            text += std::to_string(in.dst) + " = " + std::string(name_of(in.op)) + " "
                    + std::string(name_of(in.kind)) + " " + std::to_string(in.a) + " "
                    + std::to_string(in.b) + " " + std::to_string(in.c) + "\n";
        for (std::size_t i = 0; i < outputs.size(); ++i)
            text += "out " + std::to_string(program.outputs[i].reg) + " "
                    + std::string(name_of(outputs[i].type)) + " " + to_string(outputs[i].strides)
                    + " over " + std::to_string(in_place_[i]) + "\n";
        return text;
    }

    std::mt19937 random_;
    dims shape_;
    std::vector<lane_kind> kinds_;
    std::vector<int> in_place_;
    std::vector<exact_memory> expected_;
};

TEST(lanes_random, programs_agree_with_a_scalar_interpreter) {
    tests::for_each_target([] {
        const dims shapes[] = {{1}, {7}, {3, 5}, {5, 3, 70}, {2, 300}, {4, 3, 2, 5}, {1000, 3},
                {37, 41}, {1, 1}, {}, {2, 2, 530}, {3000}};
        for (unsigned seed = 0; seed < 600 && !testing::Test::HasFailure(); ++seed)
            random_case(seed, shapes[seed % std::size(shapes)], 14).run();
    });
}

TEST(lanes_random, every_tail_is_the_same_as_whole_vectors) {
    tests::for_each_target([] {
        for (int columns = 1; columns <= 70 && !testing::Test::HasFailure(); ++columns)
            for (unsigned seed = 0; seed < 4; ++seed) {
                random_case(1000 * seed + static_cast<unsigned>(columns), {3, columns}, 6).run();
                random_case(5000 * seed + static_cast<unsigned>(columns), {columns, 3}, 6).run();
            }
    });
}

TEST(lanes_random, many_registers_make_tiles_small) {
    for (unsigned seed = 0; seed < 6 && !testing::Test::HasFailure(); ++seed)
        random_case(seed, {5, 1111}, 900).run();
}

TEST(lanes_random, threads_change_no_bit) {
    tbb::global_control threads(tbb::global_control::max_allowed_parallelism, 8);
    for (int count : {1, 2, 3, 8})
        tbb::task_arena(count).execute([] {
            for (unsigned seed = 0; seed < 5 && !testing::Test::HasFailure(); ++seed)
                random_case(seed, {3, 90, 257}, 8).run();
        });
}

} // namespace
} // namespace tern::kernels
