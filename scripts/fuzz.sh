#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

usage() {
    cat <<'END'
scripts/fuzz.sh [seconds]     fuzz the reader of ONNX files, by default for a minute
scripts/fuzz.sh --coverage    which lines of the reader the corpus reaches

It starts from files that have every field the reader knows (tests/unit/onnx_seeds.hpp) and keeps
what it finds in build/fuzz_corpus. A file that breaks the reader is left in build/ as crash-*.
END
}

seeds=build/fuzz_seeds
corpus=build/fuzz_corpus

build() { # folder, options of CMake...
    cmake --preset fuzz -B "$@" >/dev/null
    cmake --build "$1" --target onnx_fuzz onnx_seeds
    mkdir -p $corpus
    "$1/bin/onnx_seeds" $seeds
}

case ${1:-60} in
    --coverage)
        # For the writer of the seeds, too, which is then written over.
        export LLVM_PROFILE_FILE=build/fuzz_coverage/onnx.profraw
        build build/fuzz_coverage -DCMAKE_CXX_FLAGS='-fprofile-instr-generate -fcoverage-mapping'
        build/fuzz_coverage/bin/onnx_fuzz -runs=0 $corpus $seeds
        # The tools must be those of the compiler.
        tools=$(dirname "$(readlink -f "$(command -v clang++)")")
        "$tools/llvm-profdata" merge -o build/fuzz_coverage/onnx.profdata "$LLVM_PROFILE_FILE"
        "$tools/llvm-cov" report build/fuzz_coverage/bin/onnx_fuzz \
            -instr-profile=build/fuzz_coverage/onnx.profdata src/formats/onnx
        ;;
    *[!0-9]*)
        usage
        [ "$1" = --help ] || exit 2
        ;;
    *)
        build build/fuzz
        build/fuzz/bin/onnx_fuzz -max_total_time="${1:-60}" -max_len=16384 -timeout=20 \
            -artifact_prefix=build/ -print_final_stats=1 $corpus $seeds
        ;;
esac
