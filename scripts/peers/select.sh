#!/usr/bin/env bash
# Select, side by side: Tern, oneDNN Graph and the hand-written limit kernel, in one interleaved run, as one table.
#
#   scripts/peers/select.sh [--inputs=DIR] [--tern=FILE] [--out=FILE] [--rounds=3] [--seconds=1] [--only=REGEX]
#
#   --inputs    benchdnn's inputs/graph folder (default: TERN_BENCHDNN_INPUTS)
#   --tern      the benchtern to measure (default: build/release/bin/benchtern)
#   --out       also write the figures: JSON if FILE ends in .json, else CSV
#   --rounds    how often each leg runs; a figure is the median of the rounds' minima
#   --seconds   time budget of one leg in one round; a run that takes longer still happens five times
#   --only      only the cases whose name matches
# Figures count only from a quiet machine: the load is printed above the table. A limit below 0.0001 ms is the clock's own.
set -euo pipefail

# file: "inputs:" is benchdnn's folder, else a path in this project. "+shapes" after it has the shapes of this table put in
# with --in-shapes (ids 1, 2, 3 are cond, src_0, src_1 in select.json). - is rank 0.
cases='
# name              file                            dt    cond           src_0          src_1
op/select           inputs:op/f32/select.json         f32   1x1x1x128      1              1x12x128x128
op/select           inputs:op/f32/select.json         bf16  1x1x1x128      1              1x12x128x128
op/select           inputs:op/f32/select.json         f16   1x1x1x128      1              1x12x128x128
all-full            inputs:op/f32/select.json+shapes  f32   8x16x512x512   8x16x512x512   8x16x512x512
padding-mask        inputs:op/f32/select.json+shapes  f32   8x1x1x512      1              8x16x512x512
causal-mask         inputs:op/f32/select.json+shapes  f32   1x1x512x512    8x16x512x512   1
tiny                inputs:op/f32/select.json+shapes  f32   2x2            2x2            2x2
'

inputs=${TERN_BENCHDNN_INPUTS:-}
tern="" out="" rounds=3 seconds=1 only=.
for arg; do
    case $arg in
        --inputs=*) inputs=${arg#*=} ;;
        --tern=*) tern=${arg#*=} ;;
        --out=*) out=${arg#*=} ;;
        --rounds=*) rounds=${arg#*=} ;;
        --seconds=*) seconds=${arg#*=} ;;
        --only=*) only=${arg#*=} ;;
        *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
    esac
done

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
bin=${XDG_CACHE_HOME:-$HOME/.cache}/tern/peers/bin
[[ $tern ]] || tern=$root/build/release/bin/benchtern
onednn=$("$here/fetch_onednn.sh")
lib=$onednn/usr/lib/x86_64-linux-gnu

build() { # <program> <flags...>: rebuilt when a source is newer
    local program=$1
    shift
    if [[ ! $bin/$program -nt $here/$program.cpp || ! $bin/$program -nt $here/select_case.hpp ||
        ! $bin/$program -nt $onednn/complete ]]; then
        mkdir -p "$bin"
        "${CXX:-g++}" -std=c++17 -O2 "$here/$program.cpp" -o "$bin/$program" "$@"
    fi
}
# libdnnl asks for a newer libc than the host's: its symbols are found at run time, by that libc's own loader.
build onednn_select -I"$onednn/usr/include" -L"$lib" -ldnnl -Wl,--allow-shlib-undefined
build limit_select -mavx2 -pthread

[[ -x $tern ]] || echo "select.sh: $tern is not built: Tern's columns stay empty" >&2
[[ $inputs ]] || echo "select.sh: neither --inputs nor TERN_BENCHDNN_INPUTS: cases from there are without Tern" >&2

# Each leg prints its minimum in ms, or a word that says why there is none.
tern_leg() { # file dt cond src_0 src_1
    local file=$1 dt=$2 rewrite=() line
    [[ $file == *+shapes ]] && rewrite=(--in-shapes="1:$3+2:$4+3:$5")
    file=${file%+shapes}
    case $file in
        inputs:*) [[ $inputs ]] || { echo -; return; }; file=$inputs/${file#inputs:} ;;
        *) file=$root/$file ;;
    esac
    [[ -x $tern ]] || { echo -; return; }
    # perf,cpu,<problem>,<min>,<avg>: the problem may hold commas, the last two fields do not
    line=$("$tern" --graph --mode=P --max-ms-per-prb="$(awk "BEGIN { print int($seconds * 1000) }")" --dt="$dt" \
        "${rewrite[@]}" --case="$file" 2>&1 | grep '^perf,cpu,' | tail -n 1) || { echo failed; return; }
    awk -F, '{ print $(NF - 1) }' <<<"$line"
}

peer_leg() { # dt cond src_0 src_1 command...
    local shapes=(--dt="$1" --cond="$2" --src0="$3" --src1="$4") printed status=0
    shift 4
    printed=$("$@" "${shapes[@]}" --seconds="$seconds") || status=$?
    case $status in
        0) grep -o 'min_ms=[^,]*' <<<"$printed" | cut -d= -f2 ;;
        3) echo unsupported ;;
        *) echo "$printed" >&2; echo failed ;;
    esac
}
onednn_leg() { peer_leg "$@" "$lib/ld-linux-x86-64.so.2" --library-path "$lib" "$bin/onednn_select"; }
limit_leg() { [[ $1 == f32 ]] || { echo -; return; }; peer_leg "$@" "$bin/limit_select"; }

median() { # of the numbers in a list of words; its first word where there is none
    tr ' ' '\n' <<<"$1" | sort -g | awk '
        $1 ~ /^[0-9]/ { v[++n] = $1 }
        NF && !n { word = $1 }
        END { print n ? v[int((n + 1) / 2)] : word }'
}
divide() { awk -v a="$1" -v b="$2" 'BEGIN { if (a ~ /^[0-9]/ && b ~ /^[0-9]/ && b > 0) printf "%.3g\n", a / b; else print "-" }'; }

mapfile -t table < <(grep -v '^#' <<<"$cases" | grep . | awk -v only="$only" '$1 ~ only')
load=$(cut -d' ' -f1 /proc/loadavg)
declare -A seen # leg and case -> the rounds' minima
for ((round = 1; round <= rounds; ++round)); do
    echo "select.sh: round $round of $rounds" >&2
    for i in "${!table[@]}"; do
        read -r _ file dt cond src_0 src_1 <<<"${table[i]}"
        seen[tern.$i]+=" $(tern_leg "$file" "$dt" "$cond" "$src_0" "$src_1")"
        # Where oneDNN falls back to reference code one run takes seconds: once is enough to see the ratio.
        if awk -v first="${seen[onednn.$i]:-0}" 'BEGIN { exit !(first + 0 < 500) }'; then
            seen[onednn.$i]+=" $(onednn_leg "$dt" "$cond" "$src_0" "$src_1")"
        fi
        seen[limit.$i]+=" $(limit_leg "$dt" "$cond" "$src_0" "$src_1")"
    done
done

commit=$(git -C "$root" rev-parse --short HEAD 2>/dev/null || echo none)
[[ -z $(git -C "$root" status --porcelain 2>/dev/null) ]] || commit+=-modified
cpu=$(awk -F': *' '/^model name/ { print $2; exit }' /proc/cpuinfo)
cpu="$cpu, $(nproc) threads"
version=$(<"$onednn/complete")

csv="case,dt,cond,src_0,src_1,tern_ms,onednn_ms,onednn_over_tern,limit_ms,tern_over_limit"
for i in "${!table[@]}"; do
    read -r name _ dt cond src_0 src_1 <<<"${table[i]}"
    t=$(median "${seen[tern.$i]}") o=$(median "${seen[onednn.$i]}") l=$(median "${seen[limit.$i]}")
    csv+=$'\n'"$name,$dt,$cond,$src_0,$src_1,$t,$o,$(divide "$o" "$t"),$l,$(divide "$t" "$l")"
done

echo "Select: Tern $commit, oneDNN Graph $version; $cpu; load before $load"
echo "minimum ms, median of $rounds interleaved rounds"
awk -F, '
    NR == 1 { print "| case | cond, src_0, src_1 | Tern | oneDNN Graph | oneDNN / Tern | limit kernel | Tern / limit |"
              print "|---|---|---|---|---|---|---|"; next }
    { printf "| %s %s | %s, %s, %s | %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5, $6, $7, $8, $9, $10 }' <<<"$csv"

case $out in
    '') ;;
    *.json)
        awk -F, -v commit="$commit" -v cpu="$cpu" -v onednn="$version" '
            function value(x) { return x ~ /^[0-9.e+-]*[0-9]$/ ? x : x == "-" ? "null" : "\"" x "\"" }
            NR == 1 { printf "{\"tern\": \"%s\", \"cpu\": \"%s\", \"onednn\": \"%s\", \"cases\": [", commit, cpu, onednn
                      split($0, key); next }
            { printf "%s\n  {", (NR > 2 ? "," : "")
              for (i = 1; i <= NF; ++i) printf "%s\"%s\": %s", (i > 1 ? ", " : ""), key[i], (i > 5 ? value($i) : "\"" $i "\"")
              printf "}" }
            END { print "\n]}" }' <<<"$csv" >"$out" ;;
    *)
        awk -v commit="$commit" -v cpu="$cpu" -v onednn="$version" '
            NR == 1 { print $0 ",tern,cpu,onednn"; next }
            { print $0 "," commit ",\"" cpu "\"," onednn }' <<<"$csv" >"$out" ;;
esac
