#!/usr/bin/env bash
# Sets up, builds and runs the driver on Tern's own cases. A first result comes within minutes, from a build
# without oneDNN; the full build follows.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf '\n[run] %s\n' "$*"; }

say "1/5 packages for a first build"
scripts/setup.sh --no-onednn
say "2/5 first build, without oneDNN"
cmake --preset quick
cmake --build --preset quick
say "3/5 a first case: is it right, how fast is it?"
build/quick/bin/benchtern --graph --mode=C --case=benchdnn_cases/op/select/padding_mask.json
build/quick/bin/benchtern --graph --mode=P --max-ms-per-prb=500 \
    --case=benchdnn_cases/op/select/padding_mask.json

say "4/5 full build"
scripts/setup.sh
cmake --preset release
cmake --build --preset release
say "5/5 all cases: first right, then fast"
build/release/bin/benchtern --graph --mode=C --batch=benchdnn_cases/test_ci
build/release/bin/benchtern --graph --mode=P --max-ms-per-prb=500 \
    --batch=benchdnn_cases/op/select_perf | scripts/perf_table.sh
