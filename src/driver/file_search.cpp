// SPDX-License-Identifier: Apache-2.0
#include "driver/file_search.hpp"

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace tern::driver {
namespace {

namespace fs = std::filesystem;

bool is_there(const fs::path &path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

} // namespace

std::string file_search::find(const std::string &name) const {
    if (is_there(name) || fs::path(name).is_absolute()) return name;
    for (const std::string &folder : folders_)
        if (fs::path path = fs::path(folder) / name; is_there(path)) return path.string();

    std::error_code ignored;
    fs::path executable = fs::read_symlink("/proc/self/exe", ignored);
    for (const char *inputs : {"inputs/graph", "../inputs/graph"})
        if (fs::path path = executable.parent_path() / inputs / name; is_there(path))
            return path.string();
    return name;
}

void file_search::add_folder_of(const std::string &batch_file) {
    std::string folder = fs::path(batch_file).parent_path().string();
    // The current folder is searched first anyway.
    if (!folder.empty() && std::find(folders_.begin(), folders_.end(), folder) == folders_.end())
        folders_.push_back(folder);
}

} // namespace tern::driver
