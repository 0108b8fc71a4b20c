#!/usr/bin/env bash
# onednn_graphs.sh BENCHTERN list|run [--small] [DIR]: the 109 cases with a Select of oneDNN's graph harness files.
# list: benchtern reads and rewrites each of them and shows it as it should; run: each of them passes, and no step
# of any plan is a reference loop.
# DIR is oneDNN's tests/benchdnn/inputs/graph; without it TERN_BENCHDNN_INPUTS says. Exit code 77: neither.
set -euo pipefail
benchtern=$1
what=$2
shift 2
small=()
if [ "${1:-}" = --small ]; then
    small=(--small)
    shift
fi
dir=${1:-${TERN_BENCHDNN_INPUTS:-}}
if [ -z "$dir" ]; then
    echo "no folder of benchdnn inputs: give it as an argument or in TERN_BENCHDNN_INPUTS" >&2
    exit 77
fi
collect=$(cd "$(dirname "$0")/../.." && pwd)/scripts/select_cases.py
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

"$collect" "${small[@]}" "$dir" >"$folder/batch" 2>"$folder/counts"
cat "$folder/counts"
grep -qx 'tokens:76 cases:109' "$folder/counts"

if [ "$what" = list ]; then
    "$benchtern" --mode=L --graph "--batch=$folder/batch" >"$folder/output"
    grep -qx 'tests:109 passed:0 skipped:0 mistrusted:0 unimplemented:0 invalid_arguments:0 failed:0 listed:109' \
        "$folder/output"
    "$collect" --expand "${small[@]}" "$dir" 2>"$folder/counts" | sed 's/^/--mode=L --graph /' >"$folder/expected"
    sed -n 's/.*__REPRO: //p' "$folder/output" | diff "$folder/expected" -
    echo "all listed as expected"
else
    TERN_VERBOSE=profile_create "$benchtern" --graph "--batch=$folder/batch" >"$folder/output" || true
    grep -v '^tern_verbose' "$folder/output"
    steps=$(grep -c '^tern_verbose,v1,graph,create:step,' "$folder/output")
    if grep '^tern_verbose,v1,graph,create:step,cpu,[^,]*,[^,]*,[^,]*,reference' "$folder/output"; then
        echo "these steps are reference loops" >&2
        exit 1
    fi
    echo "steps:$steps reference:0"
    grep -qx 'tests:109 passed:109 skipped:0 mistrusted:0 unimplemented:0 invalid_arguments:0 failed:0 listed:0' \
        "$folder/output"
fi
