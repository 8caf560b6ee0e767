#!/usr/bin/env bash
# What the headers declare, what the symbol map lists and what the shared library exports are one
# set of names; the library needs libc alone and has the name it should: symbols.sh LIBRARY
set -u -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
library=$1
export LC_ALL=C
failed=0

# The GY_EXPORT declarations: the name before the first parenthesis, or the last one where a
# constant is declared.
declared() {
    cat "$root"/include/gyre/*.h |
        sed -e 's|//.*||' -e '/^#/d' | tr '\n' ' ' | sed 's|/\*[^*]*\*\+\([^/*][^*]*\*\+\)*/||g' |
        tr ';{}' '\n' | grep 'GY_EXPORT ' |
        sed -E -e 's/.*GY_EXPORT //' -e 's/\(.*//' -e 's/\[.*//' -e 's/[[:space:]]+$//' \
            -e 's/.*[^A-Za-z0-9_]//' | sort -u
}
mapped() { sed -n -E 's/^[[:space:]]+(k?GY[A-Za-z0-9_]+);$/\1/p' "$here/../gyre.map" | sort; }
exported() {
    nm -D --extern-only --defined-only "$library" |
        awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort
}

compare() { # WHAT A B
    local difference
    difference=$(comm -3 "$2" "$3" |
        sed -e 's/^\t/  only in the second: /' -e '/^  only/!s/^/  only in the first: /')
    [ -z "$difference" ] && return
    printf '%s differ:\n%s\n' "$1" "$difference"
    failed=1
}
compare "headers and map" <(declared) <(mapped)
compare "map and library" <(mapped) <(exported)

dynamic() { readelf -d "$library" | sed -n -E "s/.*\\($1\\).*\\[(.*)\\]/\\1/p"; }
[ "$(dynamic SONAME)" = libgyre.so.0 ] || { echo "SONAME is $(dynamic SONAME)"; failed=1; }
needed=$(dynamic NEEDED)
case $needed in
    libc.so.6 | libc.so | libc.musl-*.so.1) ;;
    *) echo "the library needs $needed"; failed=1 ;;
esac
twice=$(mapped | uniq -d)
[ -z "$twice" ] || { echo "twice in the map: $twice"; failed=1; }
grep -qE 'GY.*\*' "$here/../gyre.map" && { echo "the map has a glob"; failed=1; }
echo "$(mapped | wc -l) names, SONAME $(dynamic SONAME), needs $needed"
exit $failed
