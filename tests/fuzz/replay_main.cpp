// SPDX-License-Identifier: Apache-2.0
/// Runs a fuzz target over files, and over cut and damaged versions of each, so that targets are
/// built and exercised where there is no libFuzzer.
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);

namespace {

void run(const std::string &bytes) {
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size());
}

void run_damaged(const std::string &bytes, std::minstd_rand &random) {
    std::string damaged = bytes.substr(0, random() % (bytes.size() + 1));
    run(damaged);
    damaged = bytes;
    for (int i = 0; i < 3 && !damaged.empty(); ++i)
        damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
    run(damaged);
    damaged = bytes;
    std::size_t digit = damaged.find_first_of("0123456789", random() % (damaged.size() + 1));
    if (digit != std::string::npos) damaged.insert(digit, random() % 2 ? "99999999999" : "-");
    run(damaged);
}

} // namespace

int main(int count, char **arguments) {
    int files = 0;
    std::minstd_rand random(1);
    for (int i = 1; i < count; ++i)
        for (const auto &entry : std::filesystem::recursive_directory_iterator(arguments[i])) {
            if (!entry.is_regular_file()) continue;
            std::ifstream stream(entry.path(), std::ios::binary);
            std::string bytes{std::istreambuf_iterator<char>(stream), {}};
            run(bytes);
            for (int round = 0; round < 20; ++round)
                run_damaged(bytes, random);
            ++files;
        }
    std::printf("%d files\n", files);
    return files > 0 ? 0 : 1;
}
