#!/usr/bin/env bash
# Compares the types and functions of the shared library with the baseline abi/libgyre.abi:
#   abi.sh LIBRARY            fails where something was removed or changed
#   abi.sh --update LIBRARY   writes the baseline anew
# The library must have been built with -g and not be stripped.
set -u -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
baseline=$here/../abi/libgyre.abi
skip=77
command -v abidw >/dev/null || { echo "abidw is not installed"; exit $skip; }

if [ "$1" = --update ]; then
    exec abidw --headers-dir "$root/include" --drop-private-types --exported-interfaces-only \
        --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed \
        --out-file "$baseline" "$2"
fi
[ -e "$baseline" ] || { echo "there is no baseline: abi.sh --update LIBRARY"; exit 1; }
# What was added is no change for those who were there before.
abidiff --headers-dir2 "$root/include" --no-added-syms "$baseline" "$1"
