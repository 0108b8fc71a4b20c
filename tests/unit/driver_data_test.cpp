// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/shape.hpp"
#include "driver/compare.hpp"
#include "driver/fill.hpp"
#include "driver/npy.hpp"
#include "driver/number.hpp"
#include "driver/ram.hpp"
#include "driver/ranges.hpp"

namespace tern::driver {
namespace {

using testing::HasSubstr;

tensor_desc strided(data_type type, dims shape, dims strides) {
    tensor_desc desc;
    desc.type = type;
    desc.layout = layout_type::strided;
    desc.rank_known = true;
    desc.shape = shape;
    desc.strides = strides;
    return desc;
}

tensor_desc dense(data_type type, dims shape) {
    return strided(type, shape, *dense_strides(shape));
}

std::vector<data_type> whole_byte_types() {
    std::vector<data_type> types;
    for (int i = 0; i < data_type_count; ++i)
        if (bytes_of(static_cast<data_type>(i)) > 0) types.push_back(static_cast<data_type>(i));
    return types;
}

template <typename Bits>
double as_double(data_type type, Bits bits) {
    return load_f64(type, &bits);
}

TEST(driver_number, decodes_known_patterns) {
    using std::uint16_t;
    using std::uint8_t;
    EXPECT_EQ(as_double(data_type::f16, uint16_t{0x3c00}), 1.0);
    EXPECT_EQ(as_double(data_type::f16, uint16_t{0xfbff}), -65504.0);
    EXPECT_EQ(as_double(data_type::f16, uint16_t{0x0001}), std::ldexp(1.0, -24));
    EXPECT_EQ(as_double(data_type::f16, uint16_t{0x7c00}), std::numeric_limits<double>::infinity());
    EXPECT_TRUE(std::isnan(as_double(data_type::f16, uint16_t{0x7c01})));
    EXPECT_EQ(as_double(data_type::bf16, uint16_t{0x4049}), 3.140625);
    EXPECT_EQ(as_double(data_type::f8_e4m3, uint8_t{0x7e}), 448.0);
    EXPECT_TRUE(std::isnan(as_double(data_type::f8_e4m3, uint8_t{0xff})));
    EXPECT_EQ(as_double(data_type::f8_e5m2, uint8_t{0x7b}), 57344.0);
    EXPECT_EQ(
            as_double(data_type::f8_e5m2, uint8_t{0xfc}), -std::numeric_limits<double>::infinity());
    EXPECT_EQ(as_double(data_type::f32, -2.5f), -2.5);
    EXPECT_EQ(as_double(data_type::f64, 1e-310), 1e-310);
    EXPECT_EQ(as_double(data_type::s8, uint8_t{0xff}), -1.0);
    EXPECT_EQ(as_double(data_type::u8, uint8_t{0xff}), 255.0);
    EXPECT_EQ(as_double(data_type::s64, std::int64_t{-3}), -3.0);
    EXPECT_TRUE(std::signbit(as_double(data_type::f32, -0.0f)));
}

TEST(driver_number, encodes_what_it_decodes) {
    for (data_type type : whole_byte_types()) {
        if (type == data_type::string) continue; // holds no number
        for (double value : {0.0, 1.0, 2.0, 7.0, 0.5}) {
            bool whole = !format_of(type);
            std::array<unsigned char, 16> element{};
            store_f64(type, value, element.data());
            EXPECT_EQ(load_f64(type, element.data()), type == data_type::boolean
                                                              ? static_cast<double>(value != 0)
                                                      : whole ? std::floor(value)
                                                              : value)
                    << name_of(type) << " " << value;
        }
    }
    // Every finite f16 and bf16 there and back.
    for (data_type type : {data_type::f16, data_type::bf16}) {
        for (unsigned bits = 0; bits < 0x10000; ++bits) {
            auto pattern = static_cast<std::uint16_t>(bits);
            double value = load_f64(type, &pattern);
            if (!std::isfinite(value)) continue;
            std::uint16_t back = 0;
            store_f64(type, value, &back);
            ASSERT_EQ(back, pattern) << name_of(type);
        }
    }
}

TEST(driver_number, prints_bits_highest_first) {
    float one = 1.0f;
    EXPECT_EQ(bits_to_text(data_type::f32, &one), "0x3f800000");
}

TEST(driver_ranges, cover_everything_once) {
    for (std::int64_t count : {0, 1, 1000, 1 << 15, (1 << 15) + 1, 300001}) {
        std::vector<unsigned char> hits(static_cast<std::size_t>(count), 0);
        in_ranges(count, [&](std::int64_t begin, std::int64_t end) {
            for (std::int64_t i = begin; i < end; ++i)
                ++hits[static_cast<std::size_t>(i)];
        });
        EXPECT_EQ(std::count(hits.begin(), hits.end(), 1), count);
    }
}

buffer filled(data_type type, const input_role &role, std::uint64_t seed, std::size_t id = 5) {
    buffer memory(dense(type, {40000}));
    fill_for_comparison(memory, id, role, seed);
    return memory;
}

TEST(driver_fill, conditions_have_every_byte_and_half_zeros) {
    buffer cond = filled(data_type::boolean, {true, 0}, 0);
    std::array<int, 256> counts{};
    for (std::size_t i = 0; i < cond.bytes(); ++i)
        ++counts[static_cast<std::size_t>(cond.data()[i])];
    EXPECT_NEAR(counts[0], 20000, 1000);
    for (std::size_t value = 1; value < 256; ++value)
        EXPECT_GT(counts[value], 0) << value;
}

TEST(driver_fill, follows_from_seed_and_id) {
    input_role role{false, 1};
    EXPECT_EQ(fingerprint(filled(data_type::f32, role, 0)),
            fingerprint(filled(data_type::f32, role, 0)));
    EXPECT_NE(fingerprint(filled(data_type::f32, role, 0)),
            fingerprint(filled(data_type::f32, role, 2)));
    EXPECT_NE(fingerprint(filled(data_type::f32, role, 0)),
            fingerprint(filled(data_type::f32, role, 0, 6)));
}

TEST(driver_fill, neighbouring_ports_differ_in_every_element) {
    for (data_type type : whole_byte_types()) {
        if (type == data_type::string) continue; // see strings_can_be_read
        for (std::uint64_t seed : {0, 1}) {
            buffer one = filled(type, {false, 1}, seed);
            buffer two = filled(type, {false, 2}, seed);
            const std::size_t bytes = bytes_of(type);
            for (std::size_t at = bytes - 1; at < one.bytes(); at += bytes)
                ASSERT_NE(one.data()[at] & std::byte{0x80}, two.data()[at] & std::byte{0x80})
                        << name_of(type);
        }
    }
}

std::vector<string_ref> strings_of(const buffer &memory) {
    std::vector<string_ref> strings(memory.bytes() / sizeof(string_ref));
    std::memcpy(strings.data(), memory.data(), memory.bytes());
    return strings;
}

TEST(driver_fill, strings_can_be_read) {
    const std::vector<string_ref> one = strings_of(filled(data_type::string, {false, 1}, 0));
    const std::vector<string_ref> two = strings_of(filled(data_type::string, {false, 2}, 0));
    std::set<std::string_view> found;
    std::size_t empty = 0;
    for (std::size_t i = 0; i < one.size(); ++i) {
        ASSERT_NE(one[i].data, two[i].data) << i;
        ASSERT_LE(one[i].size, 24u);
        found.insert(one[i]);
        empty += one[i].size == 0 ? 1 : 0;
    }
    EXPECT_GT(found.size(), 100u);
    EXPECT_NEAR(static_cast<double>(empty), 5000, 500);
    buffer memory(dense(data_type::string, {5000}));
    fill_for_measuring(memory, 3, {false, 1}, 0, 0.5);
    const std::vector<string_ref> measured = strings_of(memory);
    found = std::set<std::string_view>(measured.begin(), measured.end());
    EXPECT_GT(found.size(), 100u);
}

TEST(driver_number, strings_hold_no_number) {
    string_ref text{"abc", 3};
    EXPECT_EQ(load_f64(data_type::string, &text), 0);
    EXPECT_EQ(load_s64(data_type::string, &text), 0);
    store_s64(data_type::string, 7, &text);
    EXPECT_EQ(std::string_view(text), "abc");
    store_f64(data_type::string, 7, &text);
    EXPECT_EQ(text.data, nullptr);
    EXPECT_EQ(std::string_view(text), "");
}

TEST(driver_fill, floating_point_values_have_the_special_ones) {
    for (std::uint64_t seed : {0, 1}) {
        buffer memory = filled(data_type::f32, {false, 1}, seed);
        std::set<std::uint32_t> found;
        for (std::size_t at = 0; at < memory.bytes(); at += 4) {
            std::uint32_t bits = 0;
            std::memcpy(&bits, memory.data() + at, 4);
            found.insert(bits);
        }
        std::uint32_t sign = seed == 0 ? 0x80000000 : 0;
        for (std::uint32_t special :
                {0x00000000u, 0x00000001u, 0x007fffffu, 0x7f800000u, 0x7fc00001u, 0x7f800001u})
            EXPECT_EQ(found.count(special | sign), 1u) << std::hex << (special | sign);
    }
}

TEST(driver_fill, roles_follow_from_the_ops) {
    ir::op_spec op;
    op.kind = op_kind::Select;
    for (std::size_t id : {4, 4, 6}) {
        ir::port port;
        port.id = id;
        op.inputs.push_back(port);
    }
    ir::port out;
    out.id = 7;
    op.outputs.push_back(out);
    ir::op_spec next = op;
    next.inputs[0].id = 7;
    next.outputs[0].id = 8;
    std::map<std::size_t, input_role> roles = input_roles({op, next});
    ASSERT_EQ(roles.size(), 2u);
    EXPECT_TRUE(roles.at(4).condition);
    EXPECT_FALSE(roles.at(6).condition);
    EXPECT_EQ(roles.at(6).port, 2);
}

// B120
TEST(driver_fill, measuring_values) {
    buffer cond(dense(data_type::boolean, {100000}));
    for (double density : {0.0, 0.1, 0.9, 1.0}) {
        fill_for_measuring(cond, 0, {true, 0}, 0, density);
        std::int64_t trues = 0;
        for (std::size_t i = 0; i < cond.bytes(); ++i) {
            ASSERT_LE(static_cast<int>(cond.data()[i]), 1);
            trues += static_cast<int>(cond.data()[i]);
        }
        EXPECT_NEAR(static_cast<double>(trues), density * 100000, 1000);
    }
    const std::map<data_type, std::pair<double, double>> ranges = {{data_type::f32, {-1024, 1024}},
            {data_type::bf16, {-32, 32}}, {data_type::f16, {-8, 8}}, {data_type::s8, {-32, 32}},
            {data_type::u8, {0, 64}}, {data_type::c128, {-1024, 1024}}};
    for (const auto &[type, range] : ranges) {
        buffer memory(dense(type, {5000}));
        fill_for_measuring(memory, 3, {false, 1}, 0, 0.5);
        double least = 1e9;
        double most = -1e9;
        for (std::size_t at = 0; at < memory.bytes(); at += bytes_of(type)) {
            least = std::min(least, load_f64(type, memory.data() + at));
            most = std::max(most, load_f64(type, memory.data() + at));
        }
        double width = range.second - range.first;
        EXPECT_NEAR(least, range.first, width / 20) << name_of(type);
        EXPECT_NEAR(most, range.second, width / 20) << name_of(type);
    }
}

class driver_compare : public testing::Test {
protected:
    driver_compare() : expected_(strided(data_type::f32, {2, 3}, {5, 1})) {
        fill_with_pattern(expected_);
        for (std::size_t i : {0, 1, 2, 5, 6, 7})
            set(expected_, i, static_cast<float>(i));
    }
    static void set(buffer &memory, std::size_t position, float value) {
        std::memcpy(memory.data() + 4 * position, &value, 4);
    }
    std::string text_of(const buffer &found, comparison &result) const {
        testing::internal::CaptureStdout();
        result = compare(expected_, found, compare_rule::exact_bits, "DST", 0);
        return testing::internal::GetCapturedStdout();
    }
    buffer expected_;
};

TEST_F(driver_compare, equal_buffers_pass) {
    comparison result;
    EXPECT_EQ(text_of(expected_.copy(), result), "");
    EXPECT_EQ(result.errors, 0);
    EXPECT_EQ(result.total, 6);
}

TEST_F(driver_compare, one_bit_fails) {
    buffer found = expected_.copy();
    set(found, 0, -0.0f);
    set(found, 6, 6.5f);
    comparison result;
    std::string text = text_of(found, result);
    EXPECT_EQ(result.errors, 2);
    EXPECT_THAT(text, HasSubstr("[   0][DST][0:0]"));
    EXPECT_THAT(text, HasSubstr("exp_bits:0x00000000 got_bits:0x80000000"));
    EXPECT_THAT(text,
            HasSubstr("[   4][DST][1:1] exp_f32:           6 exp:           6 got:         6.5"));
}

TEST_F(driver_compare, a_byte_between_the_elements_fails) {
    buffer found = expected_.copy();
    found.data()[4 * 3 + 1] = std::byte{0};
    comparison result;
    EXPECT_THAT(text_of(found, result), HasSubstr("byte 13 between the elements was written to"));
    EXPECT_EQ(result.errors, 1);
}

TEST(driver_buffer, sizes) {
    EXPECT_EQ(bytes_needed(dense(data_type::f64, {2147483648, 2147483648})), std::nullopt);
    EXPECT_EQ(bytes_needed(strided(data_type::f32, {2, 3}, {5, 1})), 32u);
    EXPECT_EQ(bytes_needed(dense(data_type::f32, {})), 4u);
    EXPECT_EQ(buffer(dense(data_type::f32, {3, 0})).data(), nullptr);
    buffer memory(dense(data_type::u8, {17}));
    fill_with_pattern(memory);
    std::uint64_t before = fingerprint(memory);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory.data()) % 64, 0u);
    memory.data()[16] ^= std::byte{1};
    EXPECT_NE(fingerprint(memory), before);
}

TEST(driver_ram, adds_up_without_overflow) {
    ram_estimate estimate;
    EXPECT_TRUE(estimate.fits());
    estimate.add(usable_ram() / 2);
    EXPECT_TRUE(estimate.fits());
    estimate.add(usable_ram() / 2);
    EXPECT_FALSE(estimate.fits());
    estimate.add(UINT64_MAX);
    estimate.add(UINT64_MAX);
    EXPECT_EQ(estimate.bytes(), UINT64_MAX);
    EXPECT_GT(usable_ram(), 1u << 20);
}

std::string file_content(const std::string &path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

TEST(driver_npy, header) {
    std::string header = npy_header(dense(data_type::f32, {2, 3}));
    EXPECT_EQ(header.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
    std::size_t length =
            static_cast<unsigned char>(header[8]) + 256u * static_cast<unsigned char>(header[9]);
    EXPECT_EQ(length + 10, header.size());
    EXPECT_EQ(header.size() % 64, 0u);
    EXPECT_EQ(header.back(), '\n');
    EXPECT_THAT(header, HasSubstr("{'descr': '<f4', 'fortran_order': False, 'shape': (2,3), }"));
    EXPECT_THAT(npy_header(dense(data_type::bf16, {})),
            HasSubstr("'<u2', 'fortran_order': False, 'shape': (), }"));
    EXPECT_THAT(npy_header(dense(data_type::boolean, {7})),
            HasSubstr("'|u1', 'fortran_order': False, 'shape': (7,), }"));
    EXPECT_THAT(npy_header(dense(data_type::c128, {0, 1})), HasSubstr("'<c16'"));
}

TEST(driver_npy, data_are_dense_and_in_c_order) {
    buffer memory(strided(data_type::s16, {2, 3}, {1, 4}));
    for (std::int16_t i = 0; i < 10; ++i)
        std::memcpy(memory.data() + 2 * i, &i, 2);
    std::string path = testing::TempDir() + "/tern_npy_test.npy";
    write_npy(path, memory);
    std::string content = file_content(path);
    std::string data = content.substr(npy_header(memory.desc()).size());
    const std::vector<std::int16_t> expected = {0, 4, 8, 1, 5, 9};
    ASSERT_EQ(data.size(), 12u);
    EXPECT_EQ(std::memcmp(data.data(), expected.data(), 12), 0);
    if (std::system("python3 -c 'import numpy' >/dev/null 2>&1") == 0) {
        std::string check =
                "python3 -c \"import numpy; a = numpy.load('" + path
                + "'); assert a.tolist() == [[0, 4, 8], [1, 5, 9]] and a.dtype == numpy.int16\"";
        EXPECT_EQ(std::system(check.c_str()), 0);
    }
    std::filesystem::remove(path);
    EXPECT_THROW(write_npy("/no/such/folder/x.npy", memory), std::runtime_error);
}

} // namespace
} // namespace tern::driver
