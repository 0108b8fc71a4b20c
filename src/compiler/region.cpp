// SPDX-License-Identifier: Apache-2.0
#include "compiler/region.hpp"

#include <stdexcept>

#include "base/text.hpp"

namespace tern::compiler {
namespace {

template <typename... Args>
[[noreturn]] void fail_region(fmt::format_string<Args...> format, Args &&...args) {
    throw std::logic_error(format_text(format, std::forward<Args>(args)...));
}

} // namespace

void verify(const region &r) {
    std::vector<char> written(r.values.size(), 0);
    for (std::size_t i = 0; i < r.values.size(); ++i) {
        const region_value &v = r.values[i];
        written[i] = v.producer < 0;
        if (v.home < 0) fail_region("value {} has no home", i);
        if (r.value(v.home).home != v.home) fail_region("value {}: its home has another one", i);
        if (v.where != r.value(v.home).where) fail_region("value {} is not where its home is", i);
        if (v.producer < 0 && v.where != place::input)
            fail_region("value {} comes from nowhere", i);
    }
    for (std::size_t i = 0; i < r.ops.size(); ++i) {
        const region_op &o = r.ops[i];
        for (int v : o.in)
            if (!written[static_cast<std::size_t>(v)])
                fail_region("{} reads value {} before it is written", to_string(o.op->label()), v);
        for (int v : o.out) {
            if (r.value(v).producer != static_cast<int>(i))
                fail_region("{} writes value {} of another op", to_string(o.op->label()), v);
            written[static_cast<std::size_t>(v)] = 1;
        }
        if (o.is_view && r.value(o.in[0]).home != r.value(o.out[0]).home)
            fail_region("{} is no view", to_string(o.op->label()));
    }
}

} // namespace tern::compiler
