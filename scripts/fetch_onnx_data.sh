#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gets ONNX's node test data, the package libonnx-testdata of the newest Debian, unpacked outside the source tree (7 MB,
# 60 MB unpacked). Nothing is installed, and it needs no root. Messages go to stderr; the one line on stdout is the
# folder with a folder for each test. A second call only prints it.
#
#   scripts/fetch_onnx_data.sh [--cached]     --cached: fail instead of downloading
set -euo pipefail

# shellcheck source=scripts/peers/debian.sh
. "$(dirname "$0")/peers/debian.sh"

dir=${XDG_CACHE_HOME:-$HOME/.cache}/tern/onnx-testdata
nodes=$dir/usr/share/libonnx-testdata/data/node

if [[ -f $dir/complete && -d $nodes ]]; then
    say "libonnx-testdata $(<"$dir/complete") is already there"
    echo "$nodes"
    exit
fi
if [[ ${1-} == --cached ]]; then
    die "the data is not there; scripts/fetch_onnx_data.sh gets it"
fi

command -v apt-get dpkg >/dev/null || die "this needs apt-get and dpkg"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
configure_apt "$work" sid >"$work/apt.conf"
export APT_CONFIG=$work/apt.conf
say "reading the package lists of suite sid (into a temporary folder)"
apt-get -qq update >&2
version=$(apt-cache policy libonnx-testdata | awk '$1 == "Candidate:" { print $2 }')
[[ $version && $version != "(none)" ]] || die "suite sid has no libonnx-testdata"
say "downloading libonnx-testdata $version"
(cd "$work" && apt-get -qq download libonnx-testdata >&2)
rm -rf "$dir"
mkdir -p "$dir"
dpkg -x "$work"/libonnx-testdata_*.deb "$dir"
[[ -d $nodes ]] || die "the package has no folder $nodes"
echo "$version" >"$dir/complete"
say "$(find "$nodes" -name model.onnx | wc -l) models are unpacked"
echo "$nodes"
