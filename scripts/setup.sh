#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
set -euo pipefail

usage() {
    cat <<'EOF'
scripts/setup.sh: get what Tern's build and tests need. Run it as often as you like: what is there
stays as it is.

    scripts/setup.sh               packages, and oneDNN
    scripts/setup.sh --no-onednn   only the packages of builds without oneDNN; quick

It installs packages through apt (with sudo, unless root) and changes nothing else in the system.
oneDNN 3.7 or newer comes from the distribution where it has one, and is otherwise built once, about
20 minutes on 2 cores, into
    ${XDG_CACHE_HOME:-~/.cache}/tern/onednn-<version>-<hash of the build settings>
where CMake looks for it. An interrupted build goes on where it stopped.

Environment:
    TERN_ONEDNN          which oneDNN:
                         AUTO      one that is there, else the distribution's, else our own build, else
                                   none (where the source cannot come from the distribution)
                         bundled   our own build
                         system    the distribution's
                         OFF       none
    TERN_ONEDNN_SOURCE   URL or path of a oneDNN release tarball to build instead of Debian's source
    TERN_ONEDNN_SHA256   its checksum; required with TERN_ONEDNN_SOURCE
    CMAKE_BUILD_PARALLEL_LEVEL   how many compilers run at once (default: as many as cores)
EOF
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
onednn=${TERN_ONEDNN:-AUTO}
oldest_onednn=3.7
step=1

say() { printf '[setup %s/4] %s\n' "$step" "$*"; }
die() {
    printf '[setup %s/4] error: %s\n' "$step" "$1" >&2
    shift
    for line in "$@"; do printf '    %s\n' "$line" >&2; done
    exit 1
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        die "installing packages needs root or sudo" "Ask an administrator for: $*"
    fi
}

lists_are_fresh=no
update_lists() {
    if [ $lists_are_fresh = yes ]; then return; fi
    # A source that cannot be reached is no reason to stop: what is missing shows when installing.
    as_root apt-get update -q || say "apt-get update failed; going on with the lists at hand"
    lists_are_fresh=yes
}

# Prints those of its arguments that are not installed.
missing_packages() {
    local installed package
    # shellcheck disable=SC2016 # a format of dpkg-query's
    installed=$(dpkg-query -W -f '${Package} ${db:Status-Status}\n' "$@" 2>/dev/null || true)
    for package in "$@"; do
        grep -qxF "$package installed" <<<"$installed" || printf '%s\n' "$package"
    done
}

apt_install() {
    say "packages: installing $*"
    update_lists
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
        -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 "$@" ||
        die "apt could not install: $*" \
            "Is the network up, and are the distribution's package sources configured?"
}

install_packages() {
    local missing
    mapfile -t missing < <(missing_packages "$@")
    if [ ${#missing[@]} -eq 0 ]; then
        say "packages: all there ($#)"
        return
    fi
    apt_install "${missing[@]}"
}

# Versions of libdnnl-dev; empty when there is none. What is installed counts as offered.
installed_onednn() {
    # shellcheck disable=SC2016 # a format of dpkg-query's
    dpkg-query -W -f '${db:Status-Status} ${Version}' libdnnl-dev 2>/dev/null |
        sed -n 's/^installed //p'
}
offered_onednn() {
    LC_ALL=C apt-cache policy libdnnl-dev | sed -n 's/^ *Candidate: *//p' | sed '/(none)/d'
}
new_enough() { [ -n "$1" ] && dpkg --compare-versions "$1" ge $oldest_onednn; }
own_onednn_is_there() { [ -e "$("$here/onednn.sh" prefix)/complete" ]; }

# In a fresh container apt has no lists, and so offers nothing.
system_has_onednn() {
    if [ -z "$(offered_onednn)" ]; then update_lists; fi
    new_enough "$(offered_onednn)"
}

packages=(g++ cmake ninja-build pkgconf git python3
    libtbb-dev libhwy-dev libfmt-dev libprotozero-dev nlohmann-json3-dev libgtest-dev libgmock-dev
    clang libclang-rt-dev clang-format clang-tidy)

case ${1:-} in
    '') ;;
    --no-onednn) onednn=OFF ;;
    -h | --help)
        usage
        exit 0
        ;;
    *)
        usage >&2
        exit 2
        ;;
esac
case $onednn in
    AUTO | bundled | system | OFF) ;;
    *) die "TERN_ONEDNN is '$onednn'; it can be AUTO, bundled, system or OFF" ;;
esac
command -v apt-get >/dev/null || die "no apt-get: this script knows Debian and Ubuntu only" \
    "Tern needs a C++20 compiler, CMake, Ninja, oneTBB, Google Highway, fmt, protozero," \
    "nlohmann-json, GoogleTest, and oneDNN $oldest_onednn or newer (or cmake -DTERN_ONEDNN=OFF)."

install_packages "${packages[@]}"

step=2
# In the order in which cmake/TernOneDNN.cmake looks.
choose_onednn() {
    if own_onednn_is_there; then
        echo bundled
    elif system_has_onednn >&2; then
        echo system
    elif [ -n "${TERN_ONEDNN_SOURCE:-}" ] || "$here/onednn.sh" has-source; then
        echo bundled
    else
        echo none
    fi
}
if [ "$onednn" = AUTO ]; then onednn=$(choose_onednn); fi
case $onednn in
    OFF)
        say "oneDNN: left out"
        ;;
    none)
        say "oneDNN: this distribution has none of version $oldest_onednn or newer; Tern is built without it"
        say "        (to have it: TERN_ONEDNN_SOURCE and TERN_ONEDNN_SHA256, see scripts/setup.sh --help)"
        ;;
    system)
        system_has_onednn ||
            die "the distribution has no oneDNN $oldest_onednn or newer: '$(offered_onednn)'" \
                "Run again with TERN_ONEDNN=bundled or TERN_ONEDNN=OFF."
        say "oneDNN: the distribution's, $(offered_onednn)"
        new_enough "$(installed_onednn)" || apt_install libdnnl-dev
        ;;
    bundled)
        say "oneDNN: our own build"
        if [ -z "${TERN_ONEDNN_SOURCE:-}" ] && ! own_onednn_is_there; then
            install_packages dpkg-dev # unpacks and patches Debian's source package
        fi
        "$here/onednn.sh" build
        ;;
esac
step=4
say "done"
