// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_TESTS_UNIT_TEMPORARY_FOLDER_HPP
#define TERN_TESTS_UNIT_TEMPORARY_FOLDER_HPP

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

namespace tern {

/// A new folder, removed at the end of the test.
class temporary_folder {
public:
    temporary_folder() {
        std::string name = testing::TempDir() + "/tern_XXXXXX";
        path_ = mkdtemp(name.data());
    }
    ~temporary_folder() { std::filesystem::remove_all(path_); }
    temporary_folder(const temporary_folder &) = delete;
    temporary_folder &operator=(const temporary_folder &) = delete;

    /// Writes a file and gives its path.
    std::string file(const std::string &name, const std::string &content) const {
        std::ofstream(path_ / name, std::ios::binary) << content;
        return (path_ / name).string();
    }
    const std::filesystem::path &path() const { return path_; }

private:
    std::filesystem::path path_;
};

} // namespace tern

#endif
