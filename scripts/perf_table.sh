#!/usr/bin/env bash
# Makes a table that a person can read of benchtern's perf lines on standard input; other lines pass through.
# A perf line is "perf,<engine>,<problem>,<min ms>,<avg ms>"; the problem itself may hold commas.
set -euo pipefail
awk '
function flush_table(   i) {
    if (!rows) return
    printf "\n%-*s  %10s  %10s  %s\n", width, "case", "min ms", "avg ms", "options"
    for (i = 1; i <= rows; ++i)
        printf "%-*s  %10.4f  %10.4f  %s\n", width, name[i], least[i], mean[i], options[i]
    printf "\n"
    rows = 0
}
/^perf,cpu,/ {
    n = split($0, field, ",")
    text = field[3]
    for (i = 4; i <= n - 2; ++i) text = text "," field[i]
    least[++rows] = field[n - 1]
    mean[rows] = field[n]
    name[rows] = text
    sub(/.*--case=(.*\/)?/, "", name[rows])
    sub(/\.json$/, "", name[rows])
    if (length(name[rows]) > width) width = length(name[rows])
    # what is the same for all lines is not worth a column
    sub(/ *--case=.*/, "", text)
    sub(/.*--graph */, "", text)
    options[rows] = text
    next
}
/^tests:/ { flush_table() }
{ print }
END { flush_table() }
'
