#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gets the oneDNN peer: Debian forky's libdnnl (an OpenMP build), see debian.sh. Before 3.12 there is no select post-op.
set -euo pipefail
# shellcheck source=/dev/null
. "$(dirname "${BASH_SOURCE[0]}")/debian.sh"
fetch_debian onednn forky 3.12.1 3.12 libdnnl.so libdnnl-dev
