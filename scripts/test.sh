#!/usr/bin/env bash
# Sets up, builds and runs all tests: scripts/test.sh [preset]. Ends with ctest's summary.
# Presets: release (default), debug, clang, asan, tsan; see CMakePresets.json.
# TERN_BENCHDNN_INPUTS may name a folder with oneDNN's graph cases (tests/benchdnn/inputs/graph of its
# sources): they are run, too.
set -euo pipefail
cd "$(dirname "$0")/.."

preset=${1:-release}
if [ $# -gt 1 ] || [[ $preset == -* ]]; then
    echo "usage: scripts/test.sh [preset]" >&2
    exit 2
fi

say() { printf '\n[test] %s\n' "$*"; }

say "1/3 set-up"
case $preset in
    clang | tsan | fuzz) scripts/setup.sh --no-onednn ;; # they are built without oneDNN
    *) scripts/setup.sh ;;
esac
say "2/3 build, preset $preset"
cmake --preset "$preset"
cmake --build --preset "$preset"
say "3/3 tests"
ctest --preset "$preset" -j "$(nproc)"
