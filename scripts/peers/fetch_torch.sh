#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gets the PyTorch peer: Debian forky's python3-torch with its Python, numpy and OpenBLAS, see debian.sh.
set -euo pipefail
# shellcheck source=/dev/null
. "$(dirname "${BASH_SOURCE[0]}")/debian.sh"
fetch_debian torch forky 2.14.1 2.1 "libtorch_cpu.so.*" python3-torch python3-numpy libopenblas0-pthread
