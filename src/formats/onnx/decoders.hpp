// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_FORMATS_ONNX_DECODERS_HPP
#define TERN_FORMATS_ONNX_DECODERS_HPP

/// \file
/// One function for each message that more than one file reads. Fields go by their numbers in
/// onnx.proto, which stands beside each as its name.

#include "formats/onnx/message_reader.hpp"
#include "formats/onnx/model.hpp"

namespace tern::formats::onnx {

attribute decode_attribute(message_reader &in);
graph decode_graph(message_reader &in);
metadata_entry decode_metadata(message_reader &in);
model decode_model(message_reader &in);
/// A message of the kind that `declared` says.
stored_value decode_stored_value(message_reader &in, const value_type &declared);
tensor decode_tensor(message_reader &in);
value_type decode_type(message_reader &in);

} // namespace tern::formats::onnx

#endif
