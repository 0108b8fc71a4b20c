#!/usr/bin/env bash
# mutations.sh BENCHTERN_MUTATED CASES: builds each mistake of src/base/mutations.def in, one at a time, and demands
# that the cases named there find it; and that all of them pass without.
set -euo pipefail
benchtern=$1
cd "$2"
unset TERN_MUTATION
failures=0

complain() {
    echo "$1" >&2
    failures=$((failures + 1))
}

list=$("$benchtern" --mutations)
[ "$(wc -l <<<"$list")" -ge 20 ] || complain "fewer than 20 mutations"

code=0
TERN_MUTATION=none_such "$benchtern" --graph --case=pattern/sum.json >/dev/null 2>&1 || code=$?
[ "$code" -eq 2 ] || complain "a mutation that does not exist: exit code $code, expected 2"

all=()
printf '%6s %6s  %s\n' failed cases mutation
while IFS=$'\t' read -r name options what; do
    read -ra arguments <<<"$options"
    all+=(--reset --seed=0 --masked-rows=0 "${arguments[@]}")
    code=0
    output=$(TERN_MUTATION=$name "$benchtern" --summary=no-failures --graph "${arguments[@]}" 2>&1) || code=$?
    failed=$(grep -cE '^[0-9]+:FAILED ' <<<"$output") || true
    printf '%6s %6s  %-24s %s\n' "$failed" "$(grep -c '__REPRO:' <<<"$output")" "$name" "$what"
    # A crash, or a case that ends in another way, says nothing about what the comparison sees.
    others=$(grep '__REPRO:' <<<"$output" | grep -vE '^[0-9]+:(FAILED|PASSED) ') || true
    if [ "$code" -ne 1 ] || [ "$failed" -eq 0 ] || [ -n "$others" ]; then
        complain "$name: exit code $code, expected 1 and a case that is FAILED:"
        tail -n 20 <<<"$output" >&2
    fi
done <<<"$list"

code=0
output=$("$benchtern" --graph "${all[@]}") || code=$?
tail -n 2 <<<"$output"
[ "$code" -eq 0 ] || complain "without a mutation: exit code $code"

if [ "$failures" -gt 0 ]; then
    echo "$failures failures" >&2
    exit 1
fi
