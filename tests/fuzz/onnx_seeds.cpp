// SPDX-License-Identifier: Apache-2.0
/// onnx_seeds FOLDER: writes the seed corpus of onnx_fuzz.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "onnx_seeds.hpp"

int main(int count, char **arguments) {
    if (count != 2) {
        std::fputs("onnx_seeds FOLDER\n", stderr);
        return 2;
    }
    const std::filesystem::path folder = arguments[1];
    std::filesystem::create_directories(folder);
    for (const tern::onnx_writer::seed &seed : tern::onnx_writer::seeds())
        std::ofstream(folder / seed.name, std::ios::binary) << seed.content.bytes;
    return 0;
}
