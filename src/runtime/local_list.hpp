// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_RUNTIME_LOCAL_LIST_HPP
#define TERN_RUNTIME_LOCAL_LIST_HPP

#include <array>
#include <cstddef>
#include <memory>

namespace tern::runtime {

/// As many elements as one call needs: on the stack unless there are very many. Not initialised.
template <typename T, std::size_t Few>
class local_list {
public:
    explicit local_list(std::size_t count) {
        if (count <= few_.size()) return;
        many_ = std::make_unique<T[]>(count);
        data_ = many_.get();
    }
    local_list(const local_list &) = delete;
    local_list &operator=(const local_list &) = delete;

    T *data() { return data_; }
    T &operator[](std::size_t index) { return data_[index]; }
    const T &operator[](std::size_t index) const { return data_[index]; }

private:
    std::array<T, Few> few_;
    std::unique_ptr<T[]> many_;
    T *data_ = few_.data();
};

} // namespace tern::runtime

#endif
