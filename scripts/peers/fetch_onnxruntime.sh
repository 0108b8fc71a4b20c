#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gets the ONNX Runtime peer: the wheels of PyPI, in a virtual environment outside the source tree; nothing is installed
# in the system. Messages go to stderr; the one line on stdout is the folder. A second call only prints it.
set -euo pipefail

dir=${XDG_CACHE_HOME:-$HOME/.cache}/tern/peers/onnxruntime
say() { echo "fetch_onnxruntime: $*" >&2; }

version() { "$dir/bin/python" -c 'import numpy, onnx, onnxruntime; print(onnxruntime.__version__)'; }

if [[ -f $dir/complete ]] && found=$(version 2>/dev/null); then
    say "onnxruntime $found is already there"
    echo "$dir"
    exit
fi

rm -rf "$dir"
mkdir -p "${dir%/*}"
say "making a virtual environment"
if ! python3 -m venv "$dir" >&2; then
    say "python3 cannot make one: is the package python3-venv installed?"
    exit 1
fi
say "downloading onnxruntime, onnx and numpy"
"$dir/bin/pip" install --quiet --disable-pip-version-check onnxruntime onnx numpy >&2
found=$(version)
echo "$found" >"$dir/complete"
say "onnxruntime $found is there"
echo "$dir"
