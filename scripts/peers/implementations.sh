#!/usr/bin/env bash
# Tern's own loops beside oneDNN's binary_select primitive, as Tern's implementations of the same Select, where the
# primitive can serve at all: dense f32, cond and src_0 of dst's shape. What src/compiler/lowering.cpp's order rests on.
#
#   scripts/peers/implementations.sh [--tern=FILE] [--rounds=5] [--seconds=0.2]
set -euo pipefail
root=$(cd "$(dirname "$0")/../.." && pwd)
tern=$root/build/release/bin/benchtern rounds=5 seconds=0.2
for arg; do
    case $arg in
        --tern=*) tern=${arg#*=} ;;
        --rounds=*) rounds=${arg#*=} ;;
        --seconds=*) seconds=${arg#*=} ;;
        *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
    esac
done

shapes='2x2 16x64 64x1024 1024x1024 8x16x512x512'

minimum() { # implementation, shape, src_1: minimum ms of one round
    TERN_IMPL=$1 "$tern" --graph --mode=P --max-ms-per-prb="$(awk "BEGIN { print int($seconds * 1000) }")" \
        --in-shapes="0:$2+1:$2+2:$3" --case="$root/benchdnn_cases/op/select/equal.json" |
        awk -F, '/^perf,cpu,/ { print $(NF - 1) }'
}
median() { tr ' ' '\n' <<<"$1" | grep . | sort -g | awk '{ v[++n] = $1 } END { print v[int((n + 1) / 2)] }'; }

rows=$(for shape in $shapes; do printf '%s %s\n%s %s\n' "$shape" "$shape" "$shape" 1; done)
declare -A seen
for ((round = 1; round <= rounds; ++round)); do
    while read -r shape src_1; do
        for implementation in loops onednn; do
            seen[$implementation.$shape.$src_1]+=" $(minimum $implementation "$shape" "$src_1")"
        done
    done <<<"$rows"
done

echo "Select f32 by implementation: minimum ms, median of $rounds interleaved rounds"
echo "| cond, src_0 | src_1 | loops | onednn | onednn / loops |"
echo "|---|---|---|---|---|"
while read -r shape src_1; do
    loops=$(median "${seen[loops.$shape.$src_1]}")
    onednn=$(median "${seen[onednn.$shape.$src_1]}")
    printf '| %s | %s | %s | %s | %s |\n' "$shape" "$src_1" "$loops" "$onednn" \
        "$(awk -v a="$onednn" -v b="$loops" 'BEGIN { printf "%.3g", a / b }')"
done <<<"$rows"
