#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the oneDNN that Tern links statically; cmake/onednn has the settings. Called by
# scripts/setup.sh, whose --help explains the environment variables.
#
#   scripts/onednn.sh prefix   print where the result is, or would be
#   scripts/onednn.sh build    make it, unless it is there
#   scripts/onednn.sh has-source   can the source come from this system's distribution?
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
settings=$(cd "$here/../cmake/onednn" && pwd)
version=$(cat "$settings/VERSION")
debian_suite=trixie # has that version as a source package
step=3

say() { printf '[setup %s/4] %s\n' "$step" "$*"; }
die() {
    printf '[setup %s/4] error: %s\n' "$step" "$1" >&2
    shift
    for line in "$@"; do printf '    %s\n' "$line" >&2; done
    exit 1
}
no_source() {
    die "$1" \
        "Give the source yourself, a release tarball of oneDNN ${version%.*}, and its checksum:" \
        "    TERN_ONEDNN_SOURCE=<URL or path> TERN_ONEDNN_SHA256=<hex digits> scripts/setup.sh" \
        "or build Tern without it: scripts/setup.sh --no-onednn, then cmake -DTERN_ONEDNN=OFF."
}

# Must give what tern_onednn_default_prefix() of cmake/TernOneDNN.cmake gives: SHA-256 of the
# SHA-256s (hex digits, one after the other) of the files in cmake/onednn, in byte order of names.
default_prefix() {
    local digests hash
    digests=$(export LC_ALL=C && cd "$settings" && sha256sum -- * | cut -c1-64 | tr -d '\n')
    hash=$(printf '%s' "$digests" | sha256sum | cut -c1-12)
    printf '%s\n' "${XDG_CACHE_HOME:-$HOME/.cache}/tern/onednn-$version-$hash"
}

os_release() ( # a variable of /etc/os-release
    # shellcheck source=/dev/null
    . /etc/os-release
    printf '%s' "${!1:-}"
)

# The mirror of the distribution's own release, as apt is configured; needs no root and no lists.
mirror() {
    local suites
    suites="$(os_release VERSION_CODENAME)\|stable\|testing\|unstable\|sid"
    (apt-get update --print-uris || true) |
        sed -n "s#^'\(.*\)/dists/\($suites\)/InRelease'.*#\1#p" | sed -n 1p
}

# apt with lists, sources and cache of its own: the system's stay as they are. It checks the
# signature of the release, and with that the checksum of every file.
own_apt() {
    apt-get -q -o Dir::Etc::sourcelist="$download/sources.list" -o Dir::Etc::sourceparts=- \
        -o Dir::State::lists="$download/lists" -o Dir::Cache="$download/cache" \
        -o APT::Sandbox::User="$(id -un)" "$@"
}

keyring=/usr/share/keyrings/debian-archive-keyring.gpg
has_source() { [ "$(os_release ID)" = debian ] && [ -e $keyring ] && [ -n "$(mirror)" ]; }

source_from_debian() {
    local uri dsc
    has_source || no_source "no Debian mirror configured here that oneDNN $version could come from"
    uri=$(mirror)
    say "source: Debian's package of oneDNN $version ($debian_suite), from this system's mirror"
    mkdir -p "$download/lists/partial" "$download/cache/archives/partial"
    printf 'deb-src [signed-by=%s] %s %s main\n' "$keyring" "$uri" "$debian_suite" \
        >"$download/sources.list"
    own_apt update -o APT::Update::Error-Mode=any ||
        no_source "the package lists could not be downloaded; is the network up?"
    (cd "$download" && own_apt source --download-only onednn) ||
        no_source "the source package could not be downloaded; is the network up?"
    dsc=$(find "$download" -maxdepth 1 -name "onednn_$version*.dsc" | sort | sed -n '$p')
    [ -n "$dsc" ] || no_source "Debian $debian_suite no longer has oneDNN $version"
    say "source: unpacking it, with Debian's patches"
    dpkg-source -q --no-check -x "$dsc" "$work/source.part" # checked by apt
}

source_from_tarball() {
    local tarball="$download/source.tar" sum
    [ -n "${TERN_ONEDNN_SHA256:-}" ] ||
        die "TERN_ONEDNN_SOURCE needs the tarball's checksum in TERN_ONEDNN_SHA256"
    say "source: $TERN_ONEDNN_SOURCE"
    case $TERN_ONEDNN_SOURCE in
        *://*)
            /usr/lib/apt/apt-helper -o APT::Sandbox::User="$(id -un)" \
                download-file "$TERN_ONEDNN_SOURCE" "$tarball" ||
                no_source "could not download $TERN_ONEDNN_SOURCE"
            ;;
        *)
            cp -- "$TERN_ONEDNN_SOURCE" "$tarball" || no_source "could not read $TERN_ONEDNN_SOURCE"
            ;;
    esac
    sum=$(sha256sum "$tarball" | cut -c1-64)
    [ "$sum" = "${TERN_ONEDNN_SHA256,,}" ] || die "wrong checksum of $TERN_ONEDNN_SOURCE" \
        "expected $TERN_ONEDNN_SHA256" "got      $sum"
    mkdir "$work/source.part"
    tar -xf "$tarball" -C "$work/source.part" --strip-components=1
}

get_source() {
    local found
    if [ -d "$work/source" ] && [ "$(cat "$work/origin")" = "$origin" ]; then
        say "source: unpacked already"
        return
    fi
    rm -rf "$work/source" "$work/source.part" "$work/build"
    mkdir -p "$download"
    printf '%s\n' "$origin" >"$work/origin"
    if [ -n "${TERN_ONEDNN_SOURCE:-}" ]; then source_from_tarball; else source_from_debian; fi
    found=$(sed -n 's/^set(PROJECT_VERSION "\(.*\)").*/\1/p' "$work/source.part/CMakeLists.txt")
    [ "${found%.*}" = "${version%.*}" ] ||
        die "the source is oneDNN ${found:-?}, needed is ${version%.*}.x (cmake/onednn/VERSION)"
    mv "$work/source.part" "$work/source"
}

# Every tenth of ninja's progress lines, and all other lines, as they come.
thin() { sed -u '/^\[[0-9]*[1-9]\//d'; }

compile() {
    local jobs=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
    say "compiling oneDNN, once; about $(((40 + jobs - 1) / jobs)) minutes with $jobs jobs"
    cmake -S "$settings" -B "$work/build" -G Ninja -DTERN_ONEDNN_SOURCE_DIR="$work/source" \
        >"$work/configure.log" 2>&1 || {
        cat "$work/configure.log" >&2
        die "CMake could not configure oneDNN"
    }
    if [ -t 1 ]; then # ninja overwrites one line on a terminal
        cmake --build "$work/build" --parallel "$jobs"
    else
        cmake --build "$work/build" --parallel "$jobs" | thin
    fi || die "oneDNN did not compile" \
        "Running again goes on from there; remove $work to start afresh."
    "$work/build/tern_onednn_check" || die "the oneDNN just built gives wrong results"
    rm -rf "$work/install"
    cmake --install "$work/build" --prefix "$work/install" >/dev/null
}

build() {
    mkdir -p "$(dirname "$prefix")"
    exec 9>"$prefix.lock"
    if ! flock -n 9; then
        say "oneDNN is being built by another run of this script; waiting for that"
        flock 9
    fi
    if [ -e "$prefix/complete" ]; then
        say "oneDNN $version is there: $prefix"
        return
    fi
    get_source
    step=4
    compile
    printf 'oneDNN %s from %s\n' "$version" "$origin" >"$work/install/complete"
    rm -rf "$prefix"
    mv "$work/install" "$prefix"
    rm -rf "$work"
    say "oneDNN $version is ready: $prefix"
}

prefix=$(default_prefix)
work=$prefix.build
download=$work/download
if [ -n "${TERN_ONEDNN_SOURCE:-}" ]; then
    origin="the tarball ${TERN_ONEDNN_SHA256:-}"
else
    origin="Debian $debian_suite"
fi
case ${1:-} in
    prefix) printf '%s\n' "$prefix" ;;
    build) build ;;
    has-source) has_source ;;
    *)
        printf 'usage: scripts/onednn.sh prefix|build|has-source\n' >&2
        exit 2
        ;;
esac
