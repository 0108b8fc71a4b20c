// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstddef>
#include <optional>

#include "base/element.hpp"
#include "base/mutation.hpp"
#include "compiler/lowering.hpp"
#include "kernels/nonzero/nonzero.hpp"

namespace tern::compiler {
namespace {

class nonzero_kernel final : public runtime::kernel {
public:
    explicit nonzero_kernel(kernels::nonzero_loops loops) : loops_(std::move(loops)) {}

    void find_shapes(const void *const *in, dims *shapes, void *scratch) const noexcept override {
        shapes[0] = dims{loops_.shape.rank(), kernels::count_nonzero(loops_, in[0], scratch)};
    }
    void run(const void *const *, void *const *out, void *scratch) const noexcept override {
        kernels::write_nonzero(loops_, scratch, out[0]);
    }
    bool works_in_place(std::size_t, std::size_t) const noexcept override { return false; }

private:
    kernels::nonzero_loops loops_;
};

/// All bits, but the signs of floating-point numbers; of a string the number of characters.
kernels::nonzero_element element_of(data_type type) {
    kernels::nonzero_element element{static_cast<int>(bytes_of(type)), {}};
    element.mask.fill(0xff);
    if (type == data_type::string) {
        constexpr std::size_t size_at = offsetof(string_ref, size);
        element.mask.fill(0);
        std::fill_n(element.mask.begin() + size_at, sizeof(std::size_t), std::uint8_t{0xff});
    }
    const std::optional<float_format> format = format_of(type);
    if (!format || is_mutated(mutation::nonzero_sign_counts)) return element;
    const std::size_t number = static_cast<std::size_t>(format->bits()) / 8;
    for (std::size_t last = number - 1; last < element.mask.size(); last += number)
        element.mask[last] = 0x7f;
    return element;
}

} // namespace

answer make_nonzero(const work &w) {
    const tensor_desc &src = w.src(0);
    kernels::nonzero_loops loops =
            kernels::make_nonzero_loops(src.shape, src.strides, element_of(src.type));
    const std::size_t scratch_bytes = kernels::nonzero_scratch_bytes(loops);
    return {std::make_unique<nonzero_kernel>(std::move(loops)),
            std::string(kernels::nonzero_target()), scratch_bytes};
}

} // namespace tern::compiler
