#!/usr/bin/env bash
# Gets the oneDNN Graph peer: Debian forky's libdnnl (an OpenMP build) with the libraries it needs, unpacked outside the
# source tree. Nothing is installed: apt runs on lists, caches and configuration of its own, and the system's stay as they are.
# Messages go to stderr; the one line on stdout is the folder with the unpacked packages. A second call only prints it.
#
#   TERN_PEER_MIRROR   a Debian mirror, where the system's own apt sources name none
set -euo pipefail

suite=forky
wanted=3.12.1 # the version our figures are quoted against
least=3.12    # what we take instead where the suite has moved on: older ones have no select post-op
peers=${XDG_CACHE_HOME:-$HOME/.cache}/tern/peers
lib=usr/lib/x86_64-linux-gnu

say() { echo "fetch_onednn: $*" >&2; }
die() { say "$*"; exit 1; }

# The packages bring their own libc, newer than most hosts', so programs start through its loader. With that loader every
# library must resolve, and inside the unpacked folder: a host library among them would be a mix that nobody tested.
check() {
    local listed
    listed=$("$1/$lib/ld-linux-x86-64.so.2" --library-path "$1/$lib" --list "$1/$lib/libdnnl.so") || return 1
    ! grep -v 'linux-vdso' <<<"$listed" | grep -vF "$1/" >&2
}

for dir in "$peers/onednn-$wanted" "$peers"/onednn-[0-9]*; do
    if [[ -f $dir/complete ]] && check "$dir"; then
        say "oneDNN ${dir##*/onednn-} is already there"
        echo "$dir"
        exit
    fi
done

# shellcheck disable=SC2016 # the $(...) are apt's
mirror=${TERN_PEER_MIRROR:-$(apt-get indextargets --format '$(CREATED_BY) $(ORIGIN) $(LABEL) $(COMPONENT) $(REPO_URI)' |
    awk '$1 == "Packages" && $2 == "Debian" && $3 == "Debian" && $4 == "main" { print $5; exit }')}
[[ $mirror ]] || die "apt knows no Debian mirror: run apt-get update first, or set TERN_PEER_MIRROR"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{etc/apt.conf.d,etc/preferences.d,lists/partial,cache/archives/partial,debs} "$peers"
: >"$work/status" # nothing counts as installed
keys=/usr/share/keyrings/debian-archive-keyring.gpg
[[ -f $keys ]] || die "the package debian-archive-keyring is not installed"
echo "deb [arch=amd64 signed-by=$keys] $mirror $suite main" >"$work/etc/sources.list"

# Dir::Etc moves apt.conf.d away too, and with it hooks that would run on the system's lists and caches; how the system
# reaches its mirror (Acquire::*, proxies for example) is kept.
{
    apt-config dump | grep '^Acquire::' || true
    cat <<CONF
Dir::Etc "$work/etc";
Dir::State "$work";
Dir::State::status "$work/status";
Dir::Cache "$work/cache";
APT::Architecture "amd64";
APT::Architectures "amd64";
APT::Sandbox::User "root";
Acquire::Languages "none";
CONF
} >"$work/apt.conf"
export APT_CONFIG=$work/apt.conf

say "reading the package lists of suite $suite (into a temporary folder)"
apt-get -qq update >&2
full=$(apt-cache policy libdnnl-dev | awk '$1 == "Candidate:" { print $2 }')
[[ $full && $full != "(none)" ]] || die "suite $suite has no libdnnl-dev"
version=${full%%[+-]*}
if [[ $version != "$wanted" ]]; then
    say "suite $suite has oneDNN $version instead of $wanted"
    dpkg --compare-versions "$version" ge "$least" || die "oneDNN $least or newer is needed"
fi

dir=$peers/onednn-$version
mapfile -t packages < <(apt-cache depends --recurse --no-recommends --no-suggests --no-conflicts --no-breaks \
    --no-replaces --no-enhances libdnnl-dev | grep '^[a-z]')
say "downloading ${packages[*]}"
(cd "$work/debs" && apt-get -qq download "${packages[@]}" >&2)

rm -rf "$dir"
mkdir -p "$dir"
for deb in "$work"/debs/*.deb; do dpkg -x "$deb" "$dir"; done
check "$dir" || die "libdnnl does not resolve inside $dir"
echo "$full" >"$dir/complete"
say "oneDNN $full is unpacked"
echo "$dir"
