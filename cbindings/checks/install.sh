#!/usr/bin/env bash
# Installs a build into a scratch prefix, moves that, and builds and runs clients there, as C and
# as C++, by pkg-config and by find_package, shared and static, and one that is written for
# CoreFoundation: install.sh BUILD_FOLDER [CMAKE]
set -eu -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$1 cmake=${2:-cmake}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cc=${CC:-cc} cxx=${CXX:-c++}

"$cmake" --install "$build" --prefix "$work/first" >"$work/log" || { cat "$work/log"; exit 1; }
mv "$work/first" "$work/prefix"

run() { # NAME PROGRAM
    [ "$("$2")" = "done" ] || { echo "$1: the client did not say that it is done"; exit 1; }
    echo "$1: done"
}

by_pkg_config() { # NAME PACKAGE SOURCE COMPILER...
    local name=$1 package=$2 source=$3
    shift 3
    # shellcheck disable=SC2046 # the flags are words
    "$@" "$here/client/$source" -o "$work/$name" $(pkg-config --cflags --libs "$package") \
        -Wl,-rpath,"$(pkg-config --variable=libdir gyre)"
    run "pkg-config $name" "$work/$name"
}

if command -v pkg-config >/dev/null; then
    PKG_CONFIG_PATH=$(dirname "$(find "$work/prefix" -name gyre.pc)")
    export PKG_CONFIG_PATH
    by_pkg_config c gyre client.c "$cc"
    by_pkg_config cpp gyre client.cpp "$cxx" -std=c++17
    by_pkg_config cf gyre-cf client_cf.c "$cc"
    # shellcheck disable=SC2046
    "$cc" "$here/client/client.c" -o "$work/static" $(pkg-config --cflags gyre) \
        "$(pkg-config --variable=libdir gyre)/libgyre.a" -pthread
    run "pkg-config static" "$work/static"
fi

CC=$cc CXX=$cxx "$cmake" -S "$here/client" -B "$work/clients" -DCMAKE_PREFIX_PATH="$work/prefix" \
    >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
"$cmake" --build "$work/clients" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
for name in c cpp c_static cf; do run "find_package $name" "$work/clients/client_$name"; done

if readelf -d "$work/clients/client_c_static" | grep -q libgyre; then
    echo "the static client needs libgyre.so"
    exit 1
fi
