#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# What takes too long to run with each change:
#
#   scripts/nightly.sh [DIR]
#
#   1. the 109 cases with a Select of oneDNN's graph harness files, in full size
#   2. the other cases of those files, large shapes made smaller: those whose ops Tern runs must pass; printed is
#      how many do, and which ops declined how many of the others
#   3. clang's release build without oneDNN and its tests
#   4. API and unit tests under the thread sanitizer
#
# DIR is oneDNN's tests/benchdnn/inputs/graph; without it TERN_BENCHDNN_INPUTS says. Exit code 77: no folder; 1: some
# part failed (all are run).
set -euo pipefail
cd "$(dirname "$0")/.."

if [ $# -gt 0 ]; then
    TERN_BENCHDNN_INPUTS=$(realpath "$1")
    export TERN_BENCHDNN_INPUTS
fi
if [ -z "${TERN_BENCHDNN_INPUTS:-}" ]; then
    echo "nightly: no folder of benchdnn inputs: give it as an argument or in TERN_BENCHDNN_INPUTS" >&2
    exit 77
fi
cmake --preset release
cmake --build --preset release
bin=$PWD/build/release/bin

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failed=()
part() { # what it is, command...
    local what=$1 from=$SECONDS
    shift
    printf '\n===== %s =====\n' "$what"
    "$@" || failed+=("$what")
    printf '===== %s: %d min %02d s =====\n' "$what" $(((SECONDS - from) / 60)) $(((SECONDS - from) % 60))
}

other_cases() {
    scripts/select_cases.py --others --small >"$folder/batch" || return
    "$bin/benchtern" --graph --summary=no-failures "--batch=$folder/batch" >"$folder/output" || true
    echo "not passed, by the op that Tern does not run:"
    sed -n 's/^Error: \([A-Za-z0-9]*\) (op [0-9]*) is not implemented$/\1/p' "$folder/output" | sort | uniq -c | sort -rn
    grep '^tests:' "$folder/output" || return # it did not come to its end
    # Options that do not fit are those of ops that Tern does not run, and has no sizes for.
    ! grep -B 1 -E '^[0-9]+:(FAILED|MISTRUSTED|INVALID_ARGUMENTS)' "$folder/output"
}

thread_sanitizer() {
    cmake --preset tsan && cmake --build --preset tsan --target api_tests unit_tests &&
        ctest --preset tsan -j "$(nproc)" -R '_tests\.'
}

part "oneDNN's cases with a Select" tests/cases/onednn_graphs.sh "$bin/benchtern" run
part "oneDNN's other cases" other_cases
part "clang, without oneDNN" scripts/test.sh clang
part "thread sanitizer" thread_sanitizer

if [ ${#failed[@]} -gt 0 ]; then
    printf 'nightly: failed: %s\n' "${failed[@]}"
    exit 1
fi
echo "nightly: all passed"
