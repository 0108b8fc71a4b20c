#!/usr/bin/env bash
# Makes a table that a person can read of benchtern's perf lines on standard input; other lines pass through.
# A perf line is "perf,<engine>,<problem>,<min ms>,<avg ms>"; the problem itself may hold commas.
set -euo pipefail
awk '
function flush_table() {
    if (!rows) return
    printf "\n%-*s  %12s  %12s\n", width, "case", "min ms", "avg ms"
    for (i = 1; i <= rows; ++i) printf "%-*s  %12.4f  %12.4f\n", width, name[i], least[i], mean[i]
    printf "\n"
    rows = 0
}
/^perf,cpu,/ {
    n = split($0, field, ",")
    text = field[3]
    for (i = 4; i <= n - 2; ++i) text = text "," field[i]
    sub(/--case=.*\//, "", text)
    sub(/.json$/, "", text)
    sub(/^--[a-z-]*mode=P */, "", text)
    sub(/--graph */, "", text)
    name[++rows] = text
    least[rows] = field[n - 1]
    mean[rows] = field[n]
    if (length(text) > width) width = length(text)
    next
}
/^tests:/ { flush_table() }
{ print }
END { flush_table() }
'
