// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_FORMATS_ONNX_EXTERNAL_DATA_HPP
#define TERN_FORMATS_ONNX_EXTERNAL_DATA_HPP

#include <cstddef>
#include <memory>
#include <vector>

#include "formats/onnx/message_reader.hpp"
#include "formats/onnx/model.hpp"

namespace tern::formats::onnx {

/// The data of a tensor that lies in another file; `entries` say where (location, offset, length),
/// `bytes` is how many its type and dims ask for. The file must lie in the model's folder or below
/// it, whatever links say; sizes are checked before memory is allocated.
std::shared_ptr<const std::byte> read_external_data(const message_reader &tensor,
        const std::vector<metadata_entry> &entries, std::size_t bytes);

} // namespace tern::formats::onnx

#endif
