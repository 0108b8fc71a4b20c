// SPDX-License-Identifier: Apache-2.0
//
// A model through the public headers and the library as users link it. What sessions do is tested
// in tests/unit/session*_test.cpp.
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tern/session.hpp"

namespace {

/// A protobuf field with bytes, of which there are fewer than 128; one with a small number.
std::string field(int number, const std::string &bytes) {
    std::string result;
    result += static_cast<char>(number << 3 | 2);
    result += static_cast<char>(bytes.size());
    return result + bytes;
}
std::string field(int number, int value) {
    std::string result;
    result += static_cast<char>(number << 3);
    result += static_cast<char>(value);
    return result;
}

std::string floats_of_n(const std::string &name) {
    const std::string shape = field(1, field(2, "n"));
    return field(1, name) + field(2, field(1, field(1, 1) + field(2, shape)));
}

/// y = op(x), of shape [n], in version 13 of the operator set.
std::string model(const std::string &op) {
    const std::string node = field(1, "x") + field(2, "y") + field(4, op);
    const std::string graph = field(1, node) + field(2, "g") + field(11, floats_of_n("x"))
                              + field(12, floats_of_n("y"));
    return field(1, 8) + field(7, graph) + field(8, field(2, 13));
}

tern::session load(const std::string &bytes) {
    return tern::session(bytes.data(), bytes.size(), "model");
}

TEST(session_api, a_model_from_memory_runs) {
    const tern::session runs = load(model("Neg"));
    ASSERT_TRUE(runs);
    ASSERT_EQ(runs.inputs().size(), 1U);
    EXPECT_EQ(runs.inputs()[0].name, "x");
    EXPECT_EQ(runs.inputs()[0].dims[0].name, "n");
    EXPECT_EQ(runs.outputs()[0].name, "y");

    const std::vector<float> x = {1, -2, 3};
    const tern::value in = tern::value::borrow(tern::data_type::f32, {3}, x.data());
    const tern::value y = runs.run({in})[0];
    ASSERT_EQ(y.elements(), 3U);
    std::vector<float> found(3);
    std::memcpy(found.data(), y.data(), y.bytes());
    EXPECT_EQ(found, (std::vector<float>{-1, 2, -3}));

    std::vector<float> own(3);
    runs.run({in}, {{tern::data_type::f32, {3}, own.data()}});
    EXPECT_EQ(own, found);
}

TEST(session_api, errors_are_terns) {
    try {
        load(model("Nothing"));
        FAIL();
    } catch (const tern::error &failure) {
        EXPECT_EQ(failure.status, tern::status::unimplemented);
        EXPECT_STREQ(failure.message,
                "model: not supported in operator set 13: Nothing (node 0 (Nothing))");
    }
    EXPECT_THROW(load("no model"), tern::error);
    EXPECT_THROW(tern::session("/no/such/file.onnx"), tern::error);
    EXPECT_THROW(tern::session(nullptr, 1, "model"), tern::error);
    EXPECT_FALSE(tern::session());
}

} // namespace
