// SPDX-License-Identifier: Apache-2.0
#include "base/data_type.hpp"

#include <string>

#include <gtest/gtest.h>

#include "base/tensor_desc.hpp"

namespace tern {
namespace {

TEST(data_type, B39_boolean_is_one_byte) {
    static_assert(sizeof(bool) == 1);
    EXPECT_EQ(bytes_of(data_type::boolean), sizeof(bool));
}

TEST(data_type, sizes) {
    EXPECT_EQ(bits_of(data_type::undef), 0);
    EXPECT_EQ(bytes_of(data_type::undef), 0u);
    EXPECT_EQ(bits_of(data_type::s4), 4);
    EXPECT_EQ(bits_of(data_type::u4), 4);
    EXPECT_EQ(bytes_of(data_type::u4), 0u);
    for (data_type type : {data_type::s8, data_type::u8, data_type::f8_e5m2, data_type::f8_e4m3})
        EXPECT_EQ(bytes_of(type), 1u) << name_of(type);
    for (data_type type : {data_type::f16, data_type::bf16, data_type::s16, data_type::u16})
        EXPECT_EQ(bytes_of(type), 2u) << name_of(type);
    for (data_type type : {data_type::f32, data_type::s32, data_type::u32})
        EXPECT_EQ(bytes_of(type), 4u) << name_of(type);
    for (data_type type : {data_type::f64, data_type::s64, data_type::u64, data_type::c64})
        EXPECT_EQ(bytes_of(type), 8u) << name_of(type);
    EXPECT_EQ(bytes_of(data_type::c128), 16u);
    EXPECT_EQ(bytes_of(data_type::string), sizeof(string_ref));
}

TEST(data_type, bytes_of_many) {
    EXPECT_EQ(bytes_of_many(0, data_type::c128), 0);
    EXPECT_EQ(bytes_of_many(7, data_type::f32), 28);
    EXPECT_EQ(bytes_of_many(7, data_type::s4), 4);
    EXPECT_EQ(bytes_of_many(8, data_type::u4), 4);
    EXPECT_EQ(bytes_of_many(INT64_MAX, data_type::s4), (INT64_MAX >> 1) + 1);
    EXPECT_EQ(bytes_of_many(INT64_MAX, data_type::u8), INT64_MAX);
    EXPECT_EQ(bytes_of_many(INT64_MAX, data_type::f16), std::nullopt);
    EXPECT_EQ(bytes_of_many(std::int64_t{1} << 60, data_type::f32), std::int64_t{1} << 62);
    EXPECT_EQ(bytes_of_many(std::int64_t{1} << 60, data_type::f64), std::nullopt);
    EXPECT_EQ(bytes_of_many(7, data_type::undef), 0);
}

/// The values are part of the ABI.
TEST(data_type, values_stay) {
    EXPECT_EQ(static_cast<int>(data_type::undef), 0);
    EXPECT_EQ(static_cast<int>(data_type::f16), 1);
    EXPECT_EQ(static_cast<int>(data_type::boolean), 7);
    EXPECT_EQ(static_cast<int>(data_type::s64), 12);
    EXPECT_EQ(static_cast<int>(data_type::c128), 19);
    EXPECT_EQ(static_cast<int>(data_type::string), 20);
    EXPECT_EQ(data_type_count, 21);
}

TEST(data_type, names_there_and_back) {
    EXPECT_EQ(name_of(data_type::undef), "undef");
    EXPECT_EQ(name_of(data_type::f8_e4m3), "f8_e4m3");
    for (int i = 0; i < data_type_count; ++i) {
        auto type = static_cast<data_type>(i);
        EXPECT_EQ(data_type_from_name(name_of(type)), type);
    }
    for (const char *unknown : {"", "F32", "f32 ", "float"})
        EXPECT_EQ(data_type_from_name(unknown), std::nullopt) << unknown;
}

TEST(data_type, type_set) {
    constexpr type_set none;
    constexpr type_set two(data_type::f16, data_type::c128);
    for (int i = 0; i < data_type_count; ++i) {
        auto type = static_cast<data_type>(i);
        EXPECT_FALSE(none.contains(type));
        EXPECT_EQ(two.contains(type), type == data_type::f16 || type == data_type::c128);
    }
}

TEST(tensor_desc, text) {
    tensor_desc desc;
    EXPECT_EQ(to_string(desc), "undef:undef:undef:unknown rank:");
    desc.type = data_type::f32;
    desc.layout = layout_type::strided;
    desc.property = property_type::constant;
    desc.rank_known = true;
    EXPECT_EQ(to_string(desc), "f32:strided:constant:scalar:");
    desc.shape = {2, unknown_dim};
    desc.strides = {unknown_dim, 1};
    EXPECT_EQ(to_string(desc), "f32:strided:constant:2x?:?s1");
    desc.layout = layout_type::opaque;
    desc.property = property_type::host_scalar;
    desc.strides = {};
    EXPECT_EQ(to_string(desc), "f32:opaque:host_scalar:2x?:");
    desc.layout = layout_type::any;
    desc.property = property_type::variable;
    EXPECT_EQ(to_string(desc), "f32:any:variable:2x?:");
    EXPECT_EQ(shape_to_string(desc), "2x?");
}

TEST(tensor_desc, what_is_known) {
    tensor_desc desc;
    EXPECT_FALSE(desc.shape_known());
    EXPECT_FALSE(desc.fully_known());
    desc.rank_known = true;
    EXPECT_TRUE(desc.shape_known());
    EXPECT_FALSE(desc.fully_known());
    desc.layout = layout_type::strided;
    EXPECT_TRUE(desc.fully_known());
    desc.shape = {2};
    desc.strides = {unknown_dim};
    EXPECT_TRUE(desc.shape_known());
    EXPECT_FALSE(desc.fully_known());
    desc.shape = {unknown_dim};
    EXPECT_FALSE(desc.shape_known());
}

} // namespace
} // namespace tern
