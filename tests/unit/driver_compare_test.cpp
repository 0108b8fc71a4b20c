// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/element.hpp"
#include "base/shape.hpp"
#include "driver/compare.hpp"
#include "driver/error_model.hpp"
#include "driver/op_classes.hpp"
#include "formats/json/graph_file.hpp"

namespace tern::driver {
namespace {

using testing::HasSubstr;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double eps_f32 = 0x1p-23;
constexpr double eps_bf16 = 0x1p-7;

buffer tensor(data_type type, dims shape, const std::vector<double> &values) {
    tensor_desc desc;
    desc.type = type;
    desc.layout = layout_type::strided;
    desc.rank_known = true;
    desc.shape = shape;
    desc.strides = *dense_strides(shape);
    buffer memory(desc);
    for (std::size_t i = 0; i < values.size(); ++i)
        store_f64(type, values[i], memory.data() + i * bytes_of(type));
    return memory;
}

acceptance close(double relative, double of_row = 0, double floor = 0) {
    acceptance accepted(compare_rule::close);
    accepted.relative = relative;
    accepted.of_row = of_row;
    accepted.floor = floor;
    return accepted;
}

std::int64_t errors(const std::vector<double> &expected, const std::vector<double> &found,
        const acceptance &accepted) {
    const auto count = static_cast<std::int64_t>(expected.size());
    testing::internal::CaptureStdout();
    comparison result = compare(tensor(data_type::f32, {count}, expected),
            tensor(data_type::f32, {count}, found), accepted, "DST", 0);
    testing::internal::GetCapturedStdout();
    return result.errors;
}

TEST(driver_close, relative_and_row) {
    EXPECT_EQ(errors({1, 100}, {1.0625, 106.25}, close(0.0625)), 0);
    EXPECT_EQ(errors({1, 100}, {1.125, 112.5}, close(0.0625)), 2);
    EXPECT_EQ(errors({0.0}, {-0.0}, close(0)), 0);
    EXPECT_EQ(errors({0}, {1e-3}, close(0.5)), 1);
    EXPECT_EQ(errors({0}, {0x1p-10}, close(0, 0, 0x1p-10)), 0);
    // The root mean square of this row is 3.
    const std::vector<double> row = {0, 3, -3, 3, -3, 3, -3, std::sqrt(18.0)};
    std::vector<double> off = row;
    off[0] = 0.2;
    EXPECT_EQ(errors(row, off, close(0, 0.1)), 0);
    off[0] = 0.4;
    EXPECT_EQ(errors(row, off, close(0, 0.1)), 1);
}

TEST(driver_close, infinities_and_nans_meet_their_like) {
    EXPECT_EQ(errors({infinity, -infinity, not_a_number}, {infinity, -infinity, not_a_number},
                      close(0)),
            0);
    EXPECT_EQ(errors({infinity, 1, not_a_number, 1}, {-infinity, infinity, 1, not_a_number},
                      close(1e9, 1e9, 1e9)),
            4);
}

TEST(driver_close, rows_are_measured_one_by_one) {
    std::vector<double> values(16, 1.0);
    for (std::size_t i = 8; i < 16; ++i)
        values[i] = 1000;
    std::vector<double> off = values;
    off[0] += 0.5;
    off[8] += 0.5;
    testing::internal::CaptureStdout();
    comparison result = compare(tensor(data_type::f32, {2, 8}, values),
            tensor(data_type::f32, {2, 8}, off), close(0, 0.01), "DST", 0);
    EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("[   0][DST][0:0]"));
    EXPECT_EQ(result.errors, 1);
}

TEST(driver_close, truncation_shows_in_the_share) {
    std::vector<double> expected;
    std::vector<double> truncated;
    for (int i = 0; i < 1000; ++i) {
        double value = 1 + std::fmod(i * 0.6180339887, 1);
        expected.push_back(value);
        truncated.push_back(std::floor(value / eps_bf16) * eps_bf16);
    }
    acceptance accepted = close(eps_bf16);
    accepted.differing = 0.25;
    buffer want = tensor(data_type::bf16, {1000}, expected);
    testing::internal::CaptureStdout();
    comparison result =
            compare(want, tensor(data_type::bf16, {1000}, truncated), accepted, "DST", 0);
    EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("of 1000 elements differ"));
    EXPECT_GT(result.errors, 400);
    accepted.differing = 1;
    EXPECT_EQ(compare(want, tensor(data_type::bf16, {1000}, truncated), accepted, "DST", 0).errors,
            0);
}

TEST(driver_close, uniform_results_are_told) {
    std::vector<double> values(100, 0.0);
    for (std::size_t i = 0; i < 9; ++i)
        values[i] = static_cast<double>(i + 1);
    buffer zeros = tensor(data_type::f32, {100}, values);
    EXPECT_TRUE(compare(zeros, zeros, close(0), "DST", 0).uniform);
    values[9] = 3;
    values[10] = 4;
    buffer fewer = tensor(data_type::f32, {100}, values);
    EXPECT_FALSE(compare(fewer, fewer, close(0), "DST", 0).uniform);
    EXPECT_FALSE(compare(zeros, zeros, compare_rule::exact_bits, "DST", 0).uniform);
}

TEST(driver_close, bytes_between_elements_stay) {
    tensor_desc desc = tensor(data_type::f32, {2, 3}, {}).desc();
    desc.strides = {5, 1};
    buffer expected(desc);
    for (std::size_t i = 0; i < expected.bytes(); ++i)
        expected.data()[i] = std::byte{1};
    buffer found = expected.copy();
    float next = std::nextafter(*reinterpret_cast<float *>(found.data()), 1.0f);
    std::memcpy(found.data(), &next, sizeof next);
    EXPECT_EQ(compare(expected, found, close(eps_f32), "DST", 0).errors, 0);
    found.data()[13] = std::byte{2};
    testing::internal::CaptureStdout();
    EXPECT_EQ(compare(expected, found, close(eps_f32), "DST", 0).errors, 1);
    EXPECT_THAT(testing::internal::GetCapturedStdout(), HasSubstr("byte 13"));
}

/// A chain of ops over one tensor, or two, told to a model.
class driver_errors : public testing::Test {
protected:
    ir::op_spec op(std::string_view kind, std::vector<std::size_t> inputs, std::size_t output) {
        ir::op_spec op;
        op.kind = *formats::op_kind_from_name(kind);
        for (std::size_t id : inputs)
            op.inputs.push_back({id, {}});
        op.outputs.push_back({output, {}});
        return op;
    }
    void add(std::string_view kind, std::vector<std::size_t> inputs, std::size_t output,
            data_type type = data_type::f32, dims shape = {8, 8}) {
        std::vector<double> values(static_cast<std::size_t>(*element_count(shape)));
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<double>(i % 7) - 3;
        add(op(kind, inputs, output), tensor(type, shape, values));
    }
    void add(const ir::op_spec &op, buffer output) {
        std::vector<ir::const_view> in;
        for (const ir::port &port : op.inputs)
            in.push_back(tensors_.contains(port.id) ? std::as_const(tensors_.at(port.id)).view()
                                                    : std::as_const(output).view());
        tensors_.insert_or_assign(op.outputs[0].id, std::move(output));
        std::vector<ir::mutable_view> out = {tensors_.at(op.outputs[0].id).view()};
        model_.add(op, in, out);
    }
    error_model model_;
    std::map<std::size_t, buffer> tensors_;
};

TEST_F(driver_errors, what_moves_or_decides_is_exact) {
    add("Reorder", {0}, 1);
    add("Select", {2, 1, 0}, 3);
    add("GenIndex", {3}, 4, data_type::s32);
    add("GreaterEqual", {4, 4}, 5, data_type::boolean);
    for (std::size_t id : {1, 3, 4, 5})
        EXPECT_EQ(model_.of(id).rule, compare_rule::exact_bits) << id;
}

TEST_F(driver_errors, one_rounding_is_met_to_one_unit) {
    add("Add", {0, 1}, 2);
    EXPECT_EQ(model_.of(2).rule, compare_rule::close);
    EXPECT_EQ(model_.of(2).relative, eps_f32);
    EXPECT_EQ(model_.of(2).of_row, 0);
    add("TypeCast", {2}, 3, data_type::bf16);
    EXPECT_EQ(model_.of(3).of_row, 0);
    EXPECT_LT(model_.of(3).differing, 0.01);
    add("Add", {0, 1}, 4, data_type::s32);
    EXPECT_EQ(model_.of(4).rule, compare_rule::exact_bits);
}

TEST_F(driver_errors, exact_sums_add_nothing) {
    std::vector<double> small(64, 0.5);
    std::vector<double> fine(64, 1 + 0x1p-20);
    add(op("Reorder", {8}, 0), tensor(data_type::f32, {8, 8}, small));
    add(op("Reorder", {9}, 1), tensor(data_type::f32, {8, 8}, fine));
    add("MatMul", {0, 0}, 2);
    EXPECT_EQ(model_.of(2).relative, 0);
    add("MatMul", {1, 1}, 3);
    EXPECT_GT(model_.of(3).relative, 4 * eps_f32);
    EXPECT_LT(model_.of(3).relative, 10 * eps_f32);
}

TEST_F(driver_errors, functions_and_short_types_widen) {
    add("Exp", {0}, 1);
    const double exp = model_.of(1).relative;
    EXPECT_GE(exp, 2 * eps_f32);
    EXPECT_LT(exp, 20 * eps_f32);
    add("SoftMax", {1}, 2);
    EXPECT_GT(model_.of(2).relative, exp);
    EXPECT_LT(model_.of(2).relative, 1e-4);
    add("SoftMax", {0}, 3, data_type::bf16);
    EXPECT_GE(model_.of(3).relative, eps_bf16);
    EXPECT_LT(model_.of(3).relative, 1.01 * eps_bf16);
    EXPECT_EQ(model_.of(3).differing, 1.0 / 16);
    add("MatMul", {3, 0}, 4, data_type::bf16);
    EXPECT_GE(model_.of(4).relative, 2 * eps_bf16);
    EXPECT_LT(model_.of(4).relative, 2.1 * eps_bf16);
}

TEST_F(driver_errors, quantized_values_may_be_one_off) {
    add("Quantize", {0}, 1, data_type::u8);
    EXPECT_EQ(model_.of(1).rule, compare_rule::exact_bits);
    add("SoftMax", {0}, 2);
    add("Quantize", {2}, 3, data_type::u8);
    EXPECT_EQ(model_.of(3).rule, compare_rule::close);
    EXPECT_EQ(model_.of(3).floor, 1);
    add("Dequantize", {3}, 4);
    EXPECT_GT(model_.of(4).of_row, 0);
    EXPECT_LT(model_.of(4).of_row, 2);
}

} // namespace
} // namespace tern::driver
