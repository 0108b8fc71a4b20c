// SPDX-License-Identifier: Apache-2.0
#ifndef TERN_BASE_MUTATION_HPP
#define TERN_BASE_MUTATION_HPP

/// \file
/// Mistakes that are built in on purpose, to see whether the case files find them: mutations.def.

namespace tern {

enum class mutation {
#define TERN_MUTATION(name, what, cases) name,
#include "base/mutations.def"
#undef TERN_MUTATION
};

#ifdef TERN_MUTATIONS
/// Is `m` the mistake that TERN_MUTATION names? Only the test program benchtern_mutated is built
/// so; the definition is in tests/cases/mutated.cpp.
bool is_mutated(mutation m);
#else
/// Evaluated by the compiler: the library has neither the mistakes nor a symbol of them.
consteval bool is_mutated(mutation) {
    return false;
}
#endif

} // namespace tern

#endif
