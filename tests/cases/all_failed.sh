#!/usr/bin/env bash
# all_failed.sh BENCHTERN BATCH: demands that every case of the batch ends in FAILED.
set -euo pipefail
benchtern=$1
batch=$2

# The exit code is 1 by design.
lines=$("$benchtern" --summary=no-failures --graph "--batch=$batch" | grep '__REPRO:' || true)
total=$(grep -c . <<<"$lines" || true)
others=$(grep -vE '^[0-9]+:FAILED ' <<<"$lines" || true)
if [ "$total" -eq 0 ]; then
    echo "no case ran" >&2
    exit 1
fi
if [ -n "$others" ]; then
    echo "these cases did not see the wrong bit:" >&2
    echo "$others" >&2
    exit 1
fi
echo "all $total cases failed, as they should"
