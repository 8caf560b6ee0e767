#!/usr/bin/env bash
# Each public header and each compatibility header compiles alone, included twice, and the
# compatibility headers have the signatures of abi/signatures.c; as C11 and as C++17, by every
# compiler that is there, with and without blocks: headers.sh [COMPILER]
set -u -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0 compiled=0
# Nullability is an extension that the headers use on purpose where there is one.
strict=(-fsyntax-only -Wall -Wextra -Wpedantic -Wundef -Wno-nullability-extension -Werror
    -I "$root/cbindings/compat" -I "$root/include")

compile() { # SUBJECT COMMAND...
    compiled=$((compiled + 1))
    "${@:2}" "${strict[@]}" >"$work/log" 2>&1 && return
    failures=$((failures + 1))
    echo "$1: ${*:2}"
    head -n 5 "$work/log"
}

compile_by() { # SUBJECT SOURCE COMPILER: in every language and dialect that the compiler has
    compile "$1" "$3" -x c -std=c11 -Wstrict-prototypes "$2"
    compile "$1" "$3" -x c++ -std=c++17 "$2"
    [ "$has_blocks" = 1 ] || return
    compile "$1" "$3" -fblocks -x c -std=c11 "$2"
    compile "$1" "$3" -fblocks -x c++ -std=c++17 "$2"
}

compilers=()
for cc in "${1:-cc}" gcc clang; do
    path=$(command -v "$cc") && compilers+=("$(readlink -f "$path")")
done
mapfile -t compilers < <(printf '%s\n' "${compilers[@]}" | sort -u)
headers=$(cd "$root/include" && ls gyre/*.h; cd "$root/cbindings/compat" && ls CoreFoundation/*.h)
for cc in "${compilers[@]}"; do
    has_blocks=0
    echo 'void (^b)(void);' | "$cc" -fblocks -fsyntax-only -x c - 2>/dev/null && has_blocks=1
    for header in $headers; do
        printf '#include <%s>\n' "$header" "$header" >"$work/one.c"
        echo 'extern int unused;' >>"$work/one.c"
        compile_by "$header" "$work/one.c" "$cc"
    done
    compile_by signatures "$root/cbindings/abi/signatures.c" "$cc"
done
echo "${#compilers[@]} compilers, $compiled compilations, $failures failures"
[ $failures -eq 0 ]
