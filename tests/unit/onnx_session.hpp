// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_TESTS_UNIT_ONNX_SESSION_HPP
#define TERN_TESTS_UNIT_ONNX_SESSION_HPP

/// \file
/// Sessions of models that a test writes, and values for them.

#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "onnx_writer.hpp"
#include "tern/session.hpp"

namespace tern::onnx_session {

inline session load(const onnx_writer::message &model, const session_options &options = {}) {
    return session(model.bytes.data(), model.bytes.size(), "test.onnx", "", options);
}

/// Of one node: inputs and outputs as `parts` says them.
inline session load_parts(const onnx_writer::graph_parts &parts, std::int64_t opset = 21) {
    return load(onnx_writer::model(parts, opset));
}

template <typename T>
value make(data_type type, const value::dims &shape, const std::vector<T> &elements) {
    return value::tensor(type, shape, elements.data());
}

inline value floats(const value::dims &shape, const std::vector<float> &elements) {
    return make(data_type::f32, shape, elements);
}
inline value integers(const value::dims &shape, const std::vector<std::int64_t> &elements) {
    return make(data_type::s64, shape, elements);
}
inline value booleans(const value::dims &shape, const std::vector<unsigned char> &elements) {
    return make(data_type::boolean, shape, elements);
}

template <typename T>
std::vector<T> elements(const value &tensor) {
    std::vector<T> result(tensor.elements());
    EXPECT_EQ(result.size() * sizeof(T), tensor.bytes());
    if (!result.empty()) std::memcpy(result.data(), tensor.data(), tensor.bytes());
    return result;
}

inline std::vector<std::string> texts(const value &tensor) {
    std::vector<std::string> result;
    for (const string_ref &ref : elements<string_ref>(tensor))
        result.emplace_back(std::string_view(ref));
    return result;
}

/// The message of the error that `call` throws, with its status.
template <typename Call>
std::string message_of(Call call, status expected) {
    try {
        call();
    } catch (const error &failure) {
        EXPECT_EQ(static_cast<int>(failure.status), static_cast<int>(expected)) << failure.message;
        return failure.message;
    }
    ADD_FAILURE() << "nothing was thrown";
    return "";
}

} // namespace tern::onnx_session

#endif
