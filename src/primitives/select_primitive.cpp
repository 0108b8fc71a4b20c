// SPDX-License-Identifier: Apache-2.0
#include "primitives/select_primitive.hpp"

#ifdef TERN_HAVE_ONEDNN
#include "base/shape.hpp"
#include "base/text.hpp"
#include "kernels/select/select.hpp"
#include "primitives/onednn_call.hpp"
#endif

namespace tern::primitives {

#ifdef TERN_HAVE_ONEDNN
namespace {

/// Why the form is none that oneDNN runs right and in generated code; empty when it is one.
/// What 3.7 takes beyond it runs in reference code, some of it in f32 where it must not.
std::string find_obstacle(const select_operands &operands) {
    const auto &[cond, src_0, src_1, dst] = operands;
    if (dst.desc.type != data_type::f32)
        return format_text("data type {}: generated code only for f32", name_of(dst.desc.type));
    if (is_empty(dst.desc.shape)) return format_text("{} is empty", dst.name);
    for (const named_operand &operand : {cond, src_0, src_1, dst})
        if (!is_dense(operand.desc.shape, operand.desc.strides))
            return format_text("{} is not dense", operand.name);
    // A shape that broadcasts to dst's and has as many elements differs in leading ones at most.
    std::int64_t count = *element_count(dst.desc.shape);
    for (const named_operand &operand : {cond, src_0})
        if (*element_count(operand.desc.shape) != count)
            return format_text("{} is broadcast", operand.name);
    std::int64_t other = *element_count(src_1.desc.shape);
    if (other != count && other != 1)
        return format_text("{} is broadcast, but is not one element", src_1.name);
    return {};
}

class binary_select final : public select_primitive {
public:
    binary_select(const dnnl::binary::primitive_desc &desc, const kernels::select_loops &loops)
        : src_0_(desc.src0_desc()),
          src_1_(desc.src1_desc()),
          cond_(desc.query_md(dnnl::query::src_md, 2)),
          dst_(desc.dst_desc()),
          primitive_(desc),
          name_(desc.impl_info_str()),
          loops_(loops) {}

    void run(const std::uint8_t *cond, const void *src_0, const void *src_1,
            void *dst) const noexcept override {
        try {
            auto memory = [](const dnnl::memory::desc &desc, const void *data) {
                return dnnl::memory(desc, cpu_engine(), const_cast<void *>(data));
            };
            execute(primitive_, {{DNNL_ARG_SRC_0, memory(src_0_, src_0)},
                                        {DNNL_ARG_SRC_1, memory(src_1_, src_1)},
                                        {DNNL_ARG_SRC_2, memory(cond_, cond)},
                                        {DNNL_ARG_DST, memory(dst_, dst)}});
        } catch (...) {
            // No memory for oneDNN's objects. The loops need none; what is written already, they
            // write once more.
            kernels::run_select(loops_, cond, src_0, src_1, dst);
        }
    }

    const std::string &name() const override { return name_; }

private:
    dnnl::memory::desc src_0_;
    dnnl::memory::desc src_1_;
    dnnl::memory::desc cond_;
    dnnl::memory::desc dst_;
    dnnl::binary primitive_;
    std::string name_;
    kernels::select_loops loops_;
};

/// Everything is dense, so that one axis does for any shape.
dnnl::memory::desc one_axis(std::int64_t count, dnnl::memory::data_type type) {
    return {{count}, type, dnnl::memory::format_tag::a};
}

} // namespace

std::shared_ptr<const select_primitive> make_select_primitive(
        const select_operands &operands, std::string &reason) {
    reason = find_obstacle(operands);
    if (!reason.empty()) return nullptr;
    const dims &src_1 = operands.src_1.desc.shape;
    try {
        using type = dnnl::memory::data_type;
        std::int64_t count = *element_count(operands.dst.desc.shape);
        dnnl::memory::desc full = one_axis(count, type::f32);
        dnnl::primitive_attr attr;
        attr.set_scratchpad_mode(dnnl::scratchpad_mode::user);
        dnnl::binary::primitive_desc desc(cpu_engine(), dnnl::algorithm::binary_select, full,
                one_axis(*element_count(src_1), type::f32), one_axis(count, type::s8), full, attr);
        std::string name = desc.impl_info_str();
        if (name.rfind("jit", 0) != 0) {
            reason = format_text("oneDNN would run {}, which is not generated code", name);
            return nullptr;
        }
        if (desc.scratchpad_desc().get_size() != 0) {
            reason = format_text("{} needs a scratchpad", name);
            return nullptr;
        }
        bool is_one = *element_count(src_1) == 1;
        dims moving = {1};
        kernels::select_loops loops = kernels::make_select_loops(
                {count}, {moving, moving, is_one ? dims{0} : moving, moving}, 4);
        return std::make_shared<binary_select>(desc, loops);
    } catch (const dnnl::error &error) {
        reason = format_text("oneDNN: {}", error.message);
        return nullptr;
    }
}

#else

std::shared_ptr<const select_primitive> make_select_primitive(
        const select_operands &, std::string &reason) {
    reason = "built without oneDNN";
    return nullptr;
}

#endif

} // namespace tern::primitives
