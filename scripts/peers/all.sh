#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures Tern's release build beside its peers and beside hand-written limit kernels, and prints the tables. What
# it needs is fetched into ~/.cache/tern/peers (or below XDG_CACHE_HOME); a peer that cannot be had leaves its column
# empty.
#
#   scripts/peers/all.sh [--write] [--inputs=DIR] [--graphs] [--only=REGEX] [--rounds=15] [--budget-ms=150]
#
#   --write       also writes docs/figures.json, .md and .svg, the only source of the documentation's figures: of
#                 one run of all cases at a commit, so without the other options
#   --inputs      oneDNN's tests/benchdnn/inputs/graph; else TERN_BENCHDNN_INPUTS says. Without it, the cases that
#                 come from there are left out
#   --graphs      only whole graphs
#   --only        only the cases whose name matches
#   --rounds      how often each leg gets its turn
#   --budget-ms   how long a turn is, without its warm-up
set -euo pipefail
from=$PWD
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

write=no trial=no options=() inputs=${TERN_BENCHDNN_INPUTS:-}
for argument; do
    case $argument in
        --write) write=yes ;;
        --inputs=*) inputs=${argument#*=} ;;
        --graphs | --only=* | --rounds=* | --budget-ms=*) trial=yes options+=("$argument") ;;
        *) sed -n '3,/^set/{/^#/s/^# \{0,1\}//p}' "$0" >&2; exit 2 ;;
    esac
done
if [ -n "$inputs" ]; then
    inputs=$(cd "$from" && realpath "$inputs")
    [ -d "$inputs/complex_fusion" ] || { echo "all.sh: $inputs has no graph cases" >&2; exit 2; }
    options+=("--inputs=$inputs")
else
    echo "all.sh: no folder of benchdnn's graph inputs: cases from there are left out" >&2
fi
if [ "$write" = yes ] && [ "$trial" = yes ]; then
    echo "all.sh: --write takes all cases as they are, without other options" >&2
    exit 2
fi
if [ "$write" = yes ] && [ -n "$(git status --porcelain -- . ':!docs/figures*')" ]; then
    echo "all.sh: --write wants a commit to name, and there are changes that are not in one" >&2
    exit 2
fi

here=scripts/peers
peers=${XDG_CACHE_HOME:-$HOME/.cache}/tern/peers
bin=$peers/bin

build() { # program, file it depends on, flags...: made again when something is newer
    local program=$1 other=$2
    shift 2
    if [ -n "$(find $here/"$program".cpp $here/*.hpp $here/*.def "$other" -newer "$bin/$program" 2>&1 | head -n 1)" ]; then
        echo "all.sh: compiling $program" >&2
        "${CXX:-g++}" -std=c++17 -O2 $here/"$program".cpp -o "$bin/$program" "$@"
    fi
}

mkdir -p "$bin"
if [ ! -e build/release/cmake_install.cmake ]; then
    echo "all.sh: there is no release build to measure; scripts/run.sh makes one" >&2
    exit 1
fi
cmake --install build/release --prefix "$peers/tern" >/dev/null
PKG_CONFIG_PATH=$(dirname "$(find "$peers/tern" -name tern.pc)")
export PKG_CONFIG_PATH
tern=$(find "$peers/tern" -name 'libtern.*' | head -n 1)
# shellcheck disable=SC2046 # pkg-config's words are to be split
build tern_select "$tern" $(pkg-config --cflags --libs --static tern) -fopenmp -Wl,-rpath,"$(dirname "$tern")"
# shellcheck disable=SC2046
build tern_graph "$tern" $(pkg-config --cflags --libs --static tern) -Wl,-rpath,"$(dirname "$tern")"
# shellcheck disable=SC2046
build tern_nonzero "$tern" $(pkg-config --cflags --libs --static tern) -Wl,-rpath,"$(dirname "$tern")"
build limit_nonzero $here/limit_nonzero.cpp -mavx2 -mpopcnt -pthread
build limit_select $here/limit_select.cpp -mavx2 -pthread
build limit_region $here/limit_region.cpp -mavx2 -pthread

for peer in onednn torch onnxruntime; do
    if dir=$($here/fetch_$peer.sh); then
        options+=("--$peer=$dir")
        # libdnnl asks for a newer libc than the host's: its symbols are found at run time, by that libc's own loader.
        if [ $peer = onednn ]; then
            for program in onednn_select onednn_graph; do
                build $program "$dir/complete" -I"$dir/usr/include" -L"$dir/usr/lib/x86_64-linux-gnu" -ldnnl \
                    -Wl,--allow-shlib-undefined
            done
        fi
    else
        echo "all.sh: $peer is not there: its column stays empty" >&2
    fi
done

figures=$bin/figures.json
python3 -B $here/measure.py --bin="$bin" --benchtern=build/release/bin/benchtern --cache="$peers/pycache" --out="$figures" ${options[@]+"${options[@]}"}
python3 -B $here/tables.py "$figures"
if [ $write = yes ]; then
    cp "$figures" docs/figures.json
    python3 -B $here/tables.py docs/figures.json >docs/figures.md
    python3 -B $here/plot.py docs/figures.json >docs/figures.svg
fi
