// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_DRIVER_FILE_SEARCH_HPP
#define TERN_DRIVER_FILE_SEARCH_HPP

#include <string>
#include <vector>

namespace tern::driver {

/// Finds case and batch files where benchdnn looks for them.
class file_search {
public:
    /// The first of these that exists; else the name itself:
    /// the name as given; below the folders of the batch files opened so far, oldest first; below
    /// inputs/graph/ and ../inputs/graph/ beside the executable.
    std::string find(const std::string &name) const;

    void add_folder_of(const std::string &batch_file);

private:
    std::vector<std::string> folders_;
};

} // namespace tern::driver

#endif
