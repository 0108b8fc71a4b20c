#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every public header compiles alone, as C++17, without a warning, and may be included twice.
#
#   check_headers.sh <include folder> <folder of the generated headers> <compiler>...
set -euo pipefail

source_include=$1
build_include=$2
shift 2

failed=0
for compiler in "$@"; do
    for header in "$source_include"/tern/*.hpp "$build_include"/tern/*.hpp; do
        name=tern/$(basename "$header")
        printf '#include <%s>\n#include <%s>\n' "$name" "$name" |
            "$compiler" -std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Werror -fsyntax-only \
                -I"$source_include" -I"$build_include" -x c++ - ||
            { echo "failed: $name with $compiler" && failed=1; }
    done
    echo "$compiler: $(cd "$source_include/tern" && echo *.hpp) $(cd "$build_include/tern" && echo *.hpp)"
done
exit $failed
