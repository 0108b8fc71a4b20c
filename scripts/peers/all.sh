#!/usr/bin/env bash
# Measures Tern beside its peers and prints the tables; with --write they also go to docs/figures.md, the only place
# from which the documentation takes figures. Other arguments go to select.sh.
set -euo pipefail
cd "$(dirname "$0")/../.."

write=no
arguments=()
for argument; do
    if [ "$argument" = --write ]; then write=yes; else arguments+=("$argument"); fi
done

tables=$(
    scripts/peers/select.sh ${arguments[@]+"${arguments[@]}"}
    echo
    scripts/peers/implementations.sh
)
printf '%s\n' "$tables"
if [ $write = yes ]; then
    {
        printf '# Figures\n\nMade by `scripts/peers/all.sh --write`; see [performance.md](performance.md) for what they mean.\n\n'
        # The two lines above the table become paragraphs, the table stays a table.
        printf '%s\n' "$tables" | sed '/^|/!s/$/\n/'
    } >docs/figures.md
fi
