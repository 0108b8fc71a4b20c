// SPDX-License-Identifier: Apache-2.0
//
// Runs a model from a file, masked_softmax.onnx: the softmax of scores, where keys that are masked
// have no weight.
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <tern/session.hpp>

namespace {

void print(const char *what, const tern::session_port &port) {
    std::printf("%s %s [", what, port.name.c_str());
    const char *separator = "";
    for (const tern::session_dimension &dim : port.dims) {
        const std::string size = dim.size >= 0 ? std::to_string(dim.size) : dim.name;
        std::printf("%s%s", separator, size.c_str());
        separator = ", ";
    }
    std::printf("]\n");
}

void run(const char *path) {
    const tern::session model(path);
    for (const tern::session_port &input : model.inputs())
        print("input", input);
    for (const tern::session_port &output : model.outputs())
        print("output", output);

    // Memory that stays the caller's; value::tensor would copy it.
    const float scores[] = {1, 1, 5, 1, 0, 0, 9, 0};
    const bool mask[] = {true, true, false, true};
    const std::vector<std::pair<std::string, tern::value>> inputs = {
            {"scores", tern::value::borrow(tern::data_type::f32, {2, 4}, scores)},
            {"mask", tern::value::borrow(tern::data_type::boolean, {1, 4}, mask)}};
    const std::vector<tern::value> outputs = model.run(inputs);

    const auto *weights = static_cast<const float *>(outputs[0].data());
    for (int i = 0; i < 8; ++i)
        std::printf("%.3f%c", weights[i], i % 4 == 3 ? '\n' : ' ');
}

} // namespace

int main(int argc, char **argv) {
    if (argc != 2) {
        std::fprintf(stderr, "usage: onnx_example masked_softmax.onnx\n");
        return 2;
    }
    try {
        run(argv[1]);
    } catch (const tern::error &error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
