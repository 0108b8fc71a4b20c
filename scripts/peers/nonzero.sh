#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Measures NonZero alone, as all.sh does: Tern's release build beside ONNX Runtime, PyTorch and a hand-written limit
# kernel (which counts, and writes as many bytes), in one run. Prints the tables, with commit and CPU.
#
#   scripts/peers/nonzero.sh [--rounds=15] [--budget-ms=150]
set -euo pipefail
exec "$(dirname "${BASH_SOURCE[0]}")/all.sh" --only='^NonZero' "$@"
