# shellcheck shell=bash
# SPDX-License-Identifier: Apache-2.0
# Sourced by the fetch scripts: gets a peer from a newer Debian, with all that it needs, unpacked outside the source
# tree. Nothing is installed: apt runs on lists, caches and configuration of its own, and the system's stay as they
# are. It needs no root. Messages go to stderr; the one line on stdout is the folder. A second call only prints it.
#
#   TERN_PEER_MIRROR   a Debian mirror, where the system's own apt sources name none

peers=${XDG_CACHE_HOME:-$HOME/.cache}/tern/peers
multiarch=usr/lib/x86_64-linux-gnu

say() { echo "$(basename "$0" .sh): $*" >&2; }
die() { say "$*"; exit 1; }

# The packages bring their own libc, newer than most hosts', so programs start through its loader:
# `run PROGRAM ARGUMENT...`.
write_run() { # folder
    local path=$1/$multiarch:$1/$multiarch/openblas-pthread:$1/usr/lib
    cat >"$1/run" <<RUN
#!/bin/sh
PYTHONHOME='$1/usr' exec '$1/$multiarch/ld-linux-x86-64.so.2' --library-path '$path' "\$@"
RUN
    chmod +x "$1/run"
}

# With that loader every library must resolve, and inside the unpacked folder: a host library among them would be a mix
# that nobody tested.
check() { # folder, library (may be a pattern)
    local listed
    listed=$("$1/run" --list "$(compgen -G "$1/$multiarch/$2" | head -n 1)") || return 1
    ! grep -v 'linux-vdso' <<<"$listed" | grep -vF "$1/" >&2
}

# Lets apt, started with the configuration this prints, see one suite and nothing installed.
configure_apt() { # work folder, suite
    local mirror keys=/usr/share/keyrings/debian-archive-keyring.gpg
    # shellcheck disable=SC2016 # the $(...) are apt's
    mirror=${TERN_PEER_MIRROR:-$(apt-get indextargets \
        --format '$(CREATED_BY) $(ORIGIN) $(LABEL) $(COMPONENT) $(REPO_URI)' |
        awk '$1 == "Packages" && $2 == "Debian" && $3 == "Debian" && $4 == "main" { print $5; exit }')}
    [[ $mirror ]] || die "apt knows no Debian mirror: run apt-get update first, or set TERN_PEER_MIRROR"
    [[ -f $keys ]] || die "the package debian-archive-keyring is not installed"
    mkdir -p "$1"/{etc/apt.conf.d,etc/preferences.d,lists/partial,cache/archives/partial}
    : >"$1/status" # nothing counts as installed
    echo "deb [arch=amd64 signed-by=$keys] $mirror $2 main" >"$1/etc/sources.list"
    # Dir::Etc moves apt.conf.d away too, and with it hooks that would run on the system's lists and caches; how the
    # system reaches its mirror (Acquire::*, proxies for example) is kept.
    apt-config dump | grep '^Acquire::' || true
    cat <<CONF
Dir::Etc "$1/etc";
Dir::State "$1";
Dir::State::status "$1/status";
Dir::Cache "$1/cache";
APT::Architecture "amd64";
APT::Architectures "amd64";
APT::Sandbox::User "root";
Acquire::Languages "none";
CONF
}

# The folder's name is <peer>-<version of the first package>. `wanted` is the version that is looked for, `least` the
# oldest one that is taken instead where the suite has moved on.
fetch_debian() { # peer, suite, wanted, least, library to check, package...
    local peer=$1 suite=$2 wanted=$3 least=$4 library=$5 dir work full version
    shift 5
    for dir in "$peers/$peer-$wanted" "$peers/$peer"-[0-9]*; do
        if [[ -f $dir/complete && -x $dir/run ]] && check "$dir" "$library"; then
            say "$peer ${dir##*/"$peer"-} is already there"
            echo "$dir"
            return
        fi
    done

    command -v apt-get dpkg >/dev/null || die "this needs apt-get and dpkg"
    work=$(mktemp -d)
    # shellcheck disable=SC2064 # now: `work` is local
    trap "rm -rf '$work'" EXIT
    configure_apt "$work" "$suite" >"$work/apt.conf"
    export APT_CONFIG=$work/apt.conf
    say "reading the package lists of suite $suite (into a temporary folder)"
    apt-get -qq update >&2
    full=$(apt-cache policy "$1" | awk '$1 == "Candidate:" { print $2 }')
    [[ $full && $full != "(none)" ]] || die "suite $suite has no $1"
    version=${full#*:}
    version=${version%%[+-]*}
    if [[ $version != "$wanted" ]]; then
        say "suite $suite has $1 $version instead of $wanted"
        dpkg --compare-versions "$version" ge "$least" || die "$1 $least or newer is needed"
    fi

    say "downloading $* and what they need"
    apt-get -qq --yes --no-install-recommends --download-only install "$@" >&2
    dir=$peers/$peer-$version
    rm -rf "$dir"
    mkdir -p "$dir"
    for deb in "$work"/cache/archives/*.deb; do dpkg -x "$deb" "$dir"; done
    write_run "$dir"
    check "$dir" "$library" || die "$library does not resolve inside $dir"
    echo "$full" >"$dir/complete"
    say "$1 $full is unpacked"
    echo "$dir"
}
