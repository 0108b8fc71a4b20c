// SPDX-License-Identifier: Apache-2.0
#include "compiler/constants.hpp"

#include <algorithm>

namespace tern::compiler {

std::vector<char> mark_constants(region &r, const std::vector<group> &groups) {
    auto mark = [&r](int home) {
        for (region_value &v : r.values)
            if (v.home == home) v.is_constant = true;
    };
    for (std::size_t i = 0; i < r.values.size(); ++i) {
        const region_value &v = r.values[i];
        if (v.where == place::input && v.home == static_cast<int>(i)
                && v.desc.property == property_type::constant)
            mark(v.home);
    }
    std::vector<char> is_constant;
    for (const group &g : groups) {
        const bool all = !g.in.empty() && std::all_of(g.in.begin(), g.in.end(), [&](int v) {
            return r.value(v).is_constant;
        }) && std::all_of(g.out.begin(), g.out.end(), [&](int v) {
            return r.value(v).where == place::arena;
        });
        is_constant.push_back(all);
        if (!all) continue;
        for (int v : g.out)
            mark(r.value(v).home);
    }
    return is_constant;
}

} // namespace tern::compiler
