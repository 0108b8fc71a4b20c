#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# clang-tidy (.clang-tidy has the list) over src/ and examples/, as compiled in a build tree:
#
#   scripts/tidy.sh [build tree, default build/release] [file...]
#
# Takes some minutes. Prints each finding once and exits 1 when there is one.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

build=${1:-build/release}
if [ ! -e "$build/compile_commands.json" ]; then
    echo "tidy: no $build/compile_commands.json; run cmake --preset release first" >&2
    exit 2
fi
if [ $# -gt 1 ]; then
    files=("${@:2}")
else
    mapfile -t files < <(find src examples -name '*.cpp' | sort)
fi

# What is not one of our warnings (how many were suppressed, which file comes now) goes to stderr.
findings=$(printf '%s\0' "${files[@]}" |
    xargs -0 -n 1 -P "$(nproc)" clang-tidy --quiet -p "$build" 2>/dev/null) || true
# Headers are seen by many sources: a finding in one counts once.
found=$(printf '%s\n' "$findings" | grep -E '(error|warning): ' | sed "s#^$PWD/##" | sort -u -V) || true
if [ -n "$found" ]; then
    printf '%s\n' "$found"
    exit 1
fi
echo "tidy: ${#files[@]} files, nothing found"
