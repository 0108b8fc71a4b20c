#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# The checks that need no build: format, who includes whom, text. Prints file:line messages and exits 1
# when something is wrong. scripts/tidy.sh is the slow part.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

format_version=14 # others lay some lines out otherwise
most_lines=600
failed=0

folders=()
for folder in include src tests examples scripts integrations; do
    if [ -d $folder ]; then folders+=("$folder"); fi
done
mapfile -t cpp < <(find "${folders[@]}" -name '*.cpp' -o -name '*.hpp' | sort)
mapfile -t sources < <(find "${folders[@]}" cmake -name '*.[ch]pp' -o -name '*.def' -o -name '*.in' \
    -o -name '*.cmake' -o -name '*.sh' -o -name '*.py' -o -name CMakeLists.txt | sort)

version=$(clang-format --version 2>/dev/null | sed 's/.*version \([0-9]*\).*/\1/') || true
if [ "$version" = $format_version ]; then
    unformatted=$(clang-format --dry-run "${cpp[@]}" 2>&1 | grep -oE '^[^: ]+:[0-9]+:' | sort -u -V) || true
    if [ -n "$unformatted" ]; then
        printf '%s\n' "$unformatted" | sed 's/$/ not as clang-format -i writes it/'
        failed=1
    fi
else
    echo "format: left out, needs clang-format $format_version; found: ${version:-none}"
fi

scripts/check_includes.py || failed=1

# Prints what grep finds as messages.
refuse() { # message, grep's arguments...
    local message=$1 found
    shift
    found=$(LC_ALL=C grep -nH "$@" | sed "s/^\([^:]*:[0-9]*\):.*/\1: $message/") || return 0
    printf '%s\n' "$found"
    failed=1
}
refuse "blanks at the end of the line" -E '[[:space:]]$' "${sources[@]}"
refuse "a tab" -P '\t' "${sources[@]}"
refuse "not ASCII" -P '[^\x00-\x7F]' "${sources[@]}"

for file in "${cpp[@]}"; do
    if [ "$(head -n 1 "$file")" != "// SPDX-License-Identifier: Apache-2.0" ]; then
        echo "$file:1: the first line is to be: // SPDX-License-Identifier: Apache-2.0"
        failed=1
    fi
    lines=$(wc -l <"$file")
    if [ "$lines" -gt $most_lines ]; then
        echo "$file:$most_lines: $lines lines; look for the two things it does"
        failed=1
    fi
done

if ! python3 - <<'END'
import sys
sys.exit(open("examples/select.cpp").read() not in open("README.md").read())
END
then
    echo "README.md:1: its example is not examples/select.cpp"
    failed=1
fi

exit $failed
