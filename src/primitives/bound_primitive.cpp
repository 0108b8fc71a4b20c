// SPDX-License-Identifier: Apache-2.0
#ifdef TERN_HAVE_ONEDNN

#include "primitives/bound_primitive.hpp"

#include <atomic>
#include <utility>

#include "base/text.hpp"

namespace tern::primitives {
namespace {

/// oneDNN's memory objects for the arguments of one primitive.
using argument_map = std::unordered_map<int, dnnl::memory>;

class bound_primitive final : public primitive {
public:
    bound_primitive(const dnnl::primitive_desc_base &desc, dnnl::primitive ready,
            std::vector<argument> args)
        : ready_(std::move(ready)),
          args_(std::move(args)),
          name_(desc.impl_info_str()),
          scratchpad_(desc.scratchpad_desc()),
          kept_(make_map()) {}

    bool run(const void *const *in, void *const *out, void *scratch) const noexcept override {
        // One set of memory objects is kept. A call that finds it in use makes its own.
        if (!is_taken_.test_and_set(std::memory_order_acquire)) {
            const bool ran = run_with(kept_, in, out, scratch);
            is_taken_.clear(std::memory_order_release);
            return ran;
        }
        try {
            argument_map own = make_map();
            return run_with(own, in, out, scratch);
        } catch (...) {
            return false;
        }
    }

    const std::string &name() const override { return name_; }
    std::size_t scratch_bytes() const override { return scratchpad_.get_size(); }

private:
    argument_map make_map() const {
        argument_map map;
        for (const argument &arg : args_)
            map.emplace(arg.key, dnnl::memory(arg.desc, cpu_engine(), nullptr));
        if (scratch_bytes() != 0)
            map.emplace(DNNL_ARG_SCRATCHPAD, dnnl::memory(scratchpad_, cpu_engine(), nullptr));
        return map;
    }

    bool run_with(argument_map &map, const void *const *in, void *const *out,
            void *scratch) const noexcept {
        try {
            for (const argument &arg : args_)
                map.at(arg.key).set_data_handle(
                        arg.is_output ? out[arg.position] : const_cast<void *>(in[arg.position]));
            if (scratch_bytes() != 0) map.at(DNNL_ARG_SCRATCHPAD).set_data_handle(scratch);
            execute(ready_, map);
            return true;
        } catch (...) {
            return false;
        }
    }

    dnnl::primitive ready_;
    std::vector<argument> args_;
    std::string name_;
    dnnl::memory::desc scratchpad_;
    mutable argument_map kept_;
    mutable std::atomic_flag is_taken_{};
};

} // namespace

dnnl::memory::data_type dnnl_type(data_type type) noexcept {
    using dnnl_types = dnnl::memory::data_type;
    switch (type) {
        case data_type::f32: return dnnl_types::f32;
        case data_type::bf16: return dnnl_types::bf16;
        case data_type::f16: return dnnl_types::f16;
        case data_type::s32: return dnnl_types::s32;
        case data_type::s8: return dnnl_types::s8;
        case data_type::u8: return dnnl_types::u8;
        default: return dnnl_types::undef;
    }
}

dnnl::memory::desc dnnl_desc(const tensor_desc &desc) {
    const int rank = desc.shape.rank();
    if (rank == 0) return {{1}, dnnl_type(desc.type), dnnl::memory::dims{1}};
    dnnl::memory::dims shape(desc.shape.begin(), desc.shape.end());
    dnnl::memory::dims strides(desc.strides.begin(), desc.strides.end());
    // oneDNN takes layouts for dense ones by their strides, those of single elements included.
    for (std::size_t axis = shape.size(); axis-- > 0;)
        if (shape[axis] == 1)
            strides[axis] = axis + 1 == shape.size() ? 1 : strides[axis + 1] * shape[axis + 1];
    return {shape, dnnl_type(desc.type), strides};
}

dnnl::primitive_attr plain_attr() {
    dnnl::primitive_attr attr;
    attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
    return attr;
}

made_primitive bound(const dnnl::primitive_desc_base &desc, const dnnl::primitive &ready,
        std::vector<argument> args) {
    auto made = std::make_shared<bound_primitive>(desc, ready, std::move(args));
    const std::string &name = made->name();
    for (const char *slow : {"ref", "simple", "any"})
        if (name.rfind(slow, 0) == 0 || name.find(std::string(":") + slow) != std::string::npos)
            return {nullptr, format_text("oneDNN would run {}, which is not generated code", name)};
    return {std::move(made), {}};
}

made_primitive guarded(const std::function<made_primitive()> &make) {
    try {
        return make();
    } catch (const dnnl::error &error) {
        if (error.status == dnnl_unimplemented)
            return {nullptr, "oneDNN has nothing for these types and layouts on this CPU"};
        return {nullptr, format_text("oneDNN: {}", error.message)};
    }
}

} // namespace tern::primitives

#endif
