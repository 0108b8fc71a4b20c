#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds and runs examples/select.cpp against Tern the ways that users do:
#
#   check_install.sh package      as this build tree installs it
#   check_install.sh shared       as a shared library, from a build of its own, without oneDNN
#   check_install.sh subproject   as a part of the user's own CMake project
#
# CTest sets: CMAKE, CMAKE_GENERATOR, CXX, NM, TERN_SOURCE, TERN_BUILD, and WORK, an own folder, which is
# removed first.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
example=$TERN_SOURCE/examples/select.cpp
export CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}
rm -rf "$WORK"
mkdir -p "$WORK"

step() { # what it is, command...
    local what=$1
    shift
    printf '%s: ' "$what"
    if "$@" >"$WORK/log" 2>&1; then
        echo "ok (${SECONDS}s)"
    else
        printf 'FAILED: %s\n' "$*"
        cat "$WORK/log"
        exit 1
    fi
}

configure() { # source, build, option...
    "$CMAKE" -S "$1" -B "$2" -DCMAKE_BUILD_TYPE=Release "${@:3}"
}

gives_expected() { # program
    diff <("$1") "$TERN_SOURCE/examples/select.expected"
}

# Installs a build tree, moves the result away from where it was installed to, and uses it.
check_package() { # build tree, option for check_symbols.py...
    local prefix=$WORK/moved
    step "install" "$CMAKE" --install "$1" --prefix "$WORK/installed"
    mv "$WORK/installed" "$prefix"
    (cd "$prefix" && find . ! -type d | sort | sed 's/^/    /')
    # Shared libraries are found as users without a system-wide installation do.
    local lib
    lib=$(dirname "$(find "$prefix" -name 'libtern.*' | sed -n 1p)")
    export LD_LIBRARY_PATH=$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}

    step "find_package: configure" configure "$here/package" "$WORK/package" \
        -DCMAKE_PREFIX_PATH="$prefix" -DEXAMPLE="$example"
    step "find_package: build" "$CMAKE" --build "$WORK/package"
    step "find_package: run" gives_expected "$WORK/package/consumer"

    if command -v pkg-config >/dev/null; then
        export PKG_CONFIG_PATH=$lib/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
        # shellcheck disable=SC2046 # words
        step "pkg-config: build" "$CXX" -std=c++17 "$example" -o "$WORK/consumer" \
            $(pkg-config --cflags --libs tern)
        step "pkg-config: run" gives_expected "$WORK/consumer"
        # shellcheck disable=SC2046
        step "pkg-config --static: build" "$CXX" -std=c++17 "$example" -o "$WORK/consumer_static" \
            $(pkg-config --static --cflags --libs tern)
        step "pkg-config --static: run" gives_expected "$WORK/consumer_static"
    else
        echo "pkg-config: left out, it is not installed"
    fi

    if [ -e "$prefix/bin/benchtern" ]; then
        step "benchtern: run" "$prefix/bin/benchtern" --help
    fi
    step "symbols" python3 "$here/check_symbols.py" "$NM" "$lib" "$prefix/include" "${@:2}"
}

case $1 in
    package)
        check_package "$TERN_BUILD"
        ;;
    shared)
        step "shared: configure" configure "$TERN_SOURCE" "$WORK/build" -DBUILD_SHARED_LIBS=ON \
            -DTERN_ONEDNN=OFF -DTERN_TESTS=OFF -DTERN_DRIVER=OFF \
            -DCMAKE_CXX_FLAGS_RELEASE="-O1 -DNDEBUG" # compiles faster
        step "shared: build" "$CMAKE" --build "$WORK/build"
        check_package "$WORK/build" --own
        ;;
    subproject)
        step "configure" configure "$here/subproject" "$WORK/build" -DTERN_ONEDNN=OFF \
            -DCMAKE_BUILD_TYPE=Debug \
            -DTERN_SOURCE="$TERN_SOURCE" -DEXAMPLE="$example"
        step "build" "$CMAKE" --build "$WORK/build"
        step "run" gives_expected "$WORK/build/consumer"
        step "install" "$CMAKE" --install "$WORK/build" --prefix "$WORK/installed"
        if [ -e "$WORK/installed" ]; then
            echo "Tern installs itself with the user's project:"
            find "$WORK/installed"
            exit 1
        fi
        ;;
    *)
        echo "unknown: $1" >&2
        exit 2
        ;;
esac
