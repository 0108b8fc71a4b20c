// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_FORMATS_ONNX_READER_HPP
#define TERN_FORMATS_ONNX_READER_HPP

/// \file
/// Reads ONNX files: models, and the values of test data.
///
/// What is wrong ends in a tern::error (invalid_arguments) whose message names the file, the field
/// ("model.graph.node[3].attribute[0] (axis)"), its byte offset, what was expected and what was
/// found. Memory grows with the bytes that are there, never with what a file claims; messages may
/// be nested 100 deep, as in protobuf.
///
/// Fields that Tern does not know are skipped. Of a number or string given twice the last one
/// counts, as in protobuf; a message that may be there once is refused when given twice, where
/// protobuf would merge both, which no writer of ONNX files relies on.

#include <cstddef>
#include <span>
#include <string>

#include "formats/onnx/model.hpp"

namespace tern::formats::onnx {

/// The largest file that is read; protobuf itself does not go beyond.
inline constexpr std::size_t max_model_bytes = (std::size_t{1} << 31) - 1;

/// The model in a file. Data that tensors keep in files of their own is read, too; those files must
/// lie in the model's folder or below it.
model read_model_file(const std::string &path);

/// The same from memory; `name` stands for the path in messages. `folder` is where external data
/// lies; when empty, a tensor with external data is an error.
model read_model(
        std::span<const std::byte> bytes, const std::string &name, const std::string &folder = "");

/// One TensorProto, as a file of its own.
tensor read_tensor(std::span<const std::byte> bytes, const std::string &name);

/// A value of test data. Only the declared type of the port tells whether the bytes are a
/// TensorProto, a SequenceProto or an OptionalProto; element types must be the declared ones where
/// those are known. Other kinds of values are `unimplemented`.
stored_value read_value(
        std::span<const std::byte> bytes, const value_type &declared, const std::string &name);

} // namespace tern::formats::onnx

#endif
