#!/usr/bin/env bash
# onednn_select.sh BENCHTERN [DIR]: the nine Select lines of oneDNN's graph batch files, in one run.
# DIR is oneDNN's tests/benchdnn/inputs/graph; without it TERN_BENCHDNN_INPUTS says. Exit code 77: neither.
set -euo pipefail
benchtern=$1
dir=${2:-${TERN_BENCHDNN_INPUTS:-}}
if [ -z "$dir" ]; then
    echo "no folder of benchdnn inputs: give it as an argument or in TERN_BENCHDNN_INPUTS" >&2
    exit 77
fi
case=$dir/op/f32/select.json

# In the order of op/harness_{f32,bf16,f16}_{all,ci}.
output=$("$benchtern" --graph \
    --reset --in-shapes=2:1x1x1x128 "--case=$case" \
    --reset "--case=$case" \
    --reset "--case=$case" \
    --reset --dt=bf16 "--case=$case" \
    --reset --in-shapes=2:1x1x1x128 --dt=bf16 "--case=$case" \
    --reset --dt=bf16 "--case=$case" \
    --reset --dt=f16 "--case=$case" \
    --reset --in-shapes=2:1x1x1x128 --dt=f16 "--case=$case" \
    --reset --dt=f16 "--case=$case") || true
echo "$output"
grep -qx 'tests:9 passed:9 skipped:0 mistrusted:0 unimplemented:0 invalid_arguments:0 failed:0 listed:0' <<<"$output"
