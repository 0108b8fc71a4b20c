// SPDX-License-Identifier: Apache-2.0
// benchtern_mutated: benchtern with the mistake built in that the environment variable
// TERN_MUTATION names, if any. --mutations lists the mistakes, a line each, with tabs between name,
// options that run the cases which find it, and what goes wrong.
#include <array>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/mutation.hpp"
#include "driver/driver.hpp"

namespace {

struct listed {
    const char *name;
    const char *cases;
    const char *what;
};

constexpr auto all = std::to_array<listed>({
#define TERN_MUTATION(name, what, cases) {#name, cases, what},
#include "base/mutations.def"
#undef TERN_MUTATION
});

std::string_view wanted() {
    const char *text = std::getenv("TERN_MUTATION");
    return text != nullptr ? text : "";
}

std::optional<tern::mutation> find(std::string_view name) {
    for (std::size_t i = 0; i < all.size(); ++i)
        if (name == all[i].name) return static_cast<tern::mutation>(i);
    return std::nullopt;
}

} // namespace

bool tern::is_mutated(mutation m) {
    static const std::optional<mutation> built_in = find(wanted());
    return built_in == m;
}

int main(int argc, char **argv) {
    const std::vector<std::string> arguments(argv + (argc > 0), argv + argc);
    if (arguments == std::vector<std::string>{"--mutations"}) {
        for (const listed &one : all)
            std::printf("%s\t%s\t%s\n", one.name, one.cases, one.what);
        return 0;
    }
    if (!wanted().empty() && !find(wanted())) {
        std::fprintf(stderr, "benchtern_mutated: error: no mutation '%s'; see --mutations\n",
                wanted().data());
        return 2;
    }
    try {
        return tern::driver::run_driver(arguments);
    } catch (const std::exception &failure) {
        std::fprintf(stderr, "benchtern_mutated: error: %s\n", failure.what());
        return 3;
    }
}
