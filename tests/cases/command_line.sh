#!/usr/bin/env bash
# command_line.sh BENCHTERN CASES: exit codes and messages of whole runs. The details are unit tests.
set -euo pipefail
benchtern=$1
cases=$2
equal=$cases/op/select/equal.json
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
failures=0

# expect CODE TEXT ARGUMENTS...: runs benchtern; TEXT must be in what it prints.
expect() {
    local code=$1 text=$2 found=0 output
    shift 2
    output=$("$benchtern" "$@" 2>&1) || found=$?
    if [ "$found" -ne "$code" ] || ! grep -qF -- "$text" <<<"$output"; then
        printf 'benchtern %s\n  exit code %s, expected %s; expected text: %s\n%s\n' \
            "$*" "$found" "$code" "$text" "$output" >&2
        failures=$((failures + 1))
    fi
}

expect 1 'no arguments'
expect 0 'Usage: benchtern' --help
expect 0 'Usage: benchtern' --graph --help
expect 0 'tests:1 passed:1' --graph "--case=$equal"
expect 1 'found '\''--conv'\''' --conv
expect 2 "unknown option for 'graph' driver: '--in-shape=0:1'" --graph --in-shape=0:1
expect 2 'benchdnn has it' --graph --skip-impl=ref "--case=$equal"
expect 1 "'0-1'" --graph --in-shapes=0-1:4 "--case=$equal"
expect 1 'cannot open' --graph "--batch=$folder/none"
expect 1 '0:INVALID_ARGUMENTS (Invalid case)' --graph "--case=$folder/none.json"
expect 1 '0:UNTESTED_FAILED (Rewriter failed)' --graph --in-shapes=77:4 "--case=$equal"
expect 1 'tests:2 passed:1 skipped:0 mistrusted:0 unimplemented:0 invalid_arguments:1 failed:1' \
    --graph --in-shapes=0:5x5 "--case=$equal" --reset "--case=$equal"

# Files that are hostile in one way or another end in a message, whatever they hold.
printf '{"graph": [' >"$folder/cut.json"
head -c 100000 /dev/zero | tr '\0' '[' >"$folder/deep.json"
head -c 4096 /dev/urandom >"$folder/noise.json"
: >"$folder/empty.json"
sed 's/"shape": \[[0-9, ]*\]/"shape": [4611686018427387904, 4611686018427387904]/' "$equal" >"$folder/huge.json"
sed 's/"shape": \[37/"shape": [-37/' "$equal" >"$folder/negative.json"
sed 's/"stride": \[53/"stride": [9223372036854775807/' "$equal" >"$folder/far.json"
sed 's/"id": 1,/"id": 3,/' "$equal" >"$folder/cycle.json"
sed 's/"id": 3,/"id": 0,/' "$equal" >"$folder/clash.json"
sed '/"dtype": "boolean"/d' "$equal" >"$folder/two_inputs.json"
for name in cut deep noise empty huge negative far cycle clash two_inputs; do
    expect 1 '0:INVALID_ARGUMENTS (Invalid case)' --graph "--case=$folder/$name.json"
done
mkfifo "$folder/pipe.json"
expect 1 'is not a regular file' --graph "--case=$folder/pipe.json"
expect 1 'is a directory' --graph "--case=$folder"

# What a result line shows can be pasted.
repro=$("$benchtern" --seed=3 --graph --dt=bf16 --in-shapes=1:*ba,0:- "--case=$equal" |
    sed -n 's/.*__REPRO: //p')
while read -r line; do
    read -ra arguments <<<"$line"
    expect 0 "__REPRO: $line" "${arguments[@]}"
done <<<"$repro"
[ "$(wc -l <<<"$repro")" -eq 2 ] || failures=$((failures + 1))

if [ "$failures" -gt 0 ]; then
    echo "$failures failures" >&2
    exit 1
fi
echo "all as expected"
