#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# ONNX's own node tests through benchtern: none may fail, and so many must pass. What Tern does not support is declined,
# and told by op.
#
#   tests/cases/onnx_nodes.sh BENCHTERN    exit code 77: the data is not there (scripts/fetch_onnx_data.sh gets it)
set -euo pipefail

benchtern=$1
scripts=$(cd "$(dirname "$0")/../../scripts" && pwd)
nodes=$("$scripts/fetch_onnx_data.sh" --cached) || exit 77

log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$benchtern" --onnx --summary=no-failures --case="$nodes" >"$log" || true # what is declined counts as failed there

number() { sed -n "s/^tests:.* $1:\([0-9]*\).*/\1/p" "$log"; }
tests=$(sed -n 's/^tests:\([0-9]*\) .*/\1/p' "$log")
[[ $tests ]] || { tail -n 20 "$log"; echo "benchtern did not come to its end"; exit 1; }
declined=$(number unimplemented)
failed=$(($(number failed) - declined))

status=0
demand() { # what, found, least
    echo "$1: $2 of $3 or more"
    (($2 >= $3)) || { echo "too few"; status=1; }
}
passed_of() { # file of names
    grep -o 'PASSED.*--case=.*' "$log" | sed 's|.*/||' | sort | comm -12 - "$1" | wc -l
}

grep -vE '^[0-9]+:(PASSED|UNIMPLEMENTED)' "$log" | grep -E '^[0-9]+:' -B 12 || true # what went wrong
grep '^declined by op' "$log" | sed 's/^declined by op: //' | tr ' ' '\n' | sed 's/^/declined: /' || true
echo "tests: $tests, passed: $(number passed), failed: $failed, declined: $declined"
((failed == 0)) || status=1

names=$(mktemp -d)
trap 'rm -rf "$log" "$names"' EXIT
(cd "$nodes" && grep -laF Where -- */model.onnx) | sed 's|/model.onnx||' | sort >"$names/where"
grep -E '^test_attention_.*_expanded' "$names/where" >"$names/attention"
grep -vE '^test_attention_' "$names/where" | grep -E '_expanded' >"$names/expanded"
(cd "$nodes" && printf '%s\n' test_where_* test_nonzero_* test_optional_has_element_*) | sort >"$names/own"
demand "passed of Where, NonZero and OptionalHasElement themselves" "$(passed_of "$names/own")" 10
demand "passed of attention with Where, expanded ($(wc -l <"$names/attention"))" "$(passed_of "$names/attention")" 55
demand "passed of others with Where, expanded ($(wc -l <"$names/expanded"))" "$(passed_of "$names/expanded")" 26
demand "passed of all" "$(number passed)" 500
exit $status
