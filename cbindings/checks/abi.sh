#!/usr/bin/env bash
# Compares the types and functions of the shared library with the baseline abi/libgyre.abi:
#   abi.sh LIBRARY            fails where something was removed or changed
#   abi.sh --update LIBRARY   writes the baseline anew
# Skipped where there is no abidw, or the library was built without -g.
set -u -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
baseline=$here/../abi/libgyre.abi
skip=77
command -v abidw >/dev/null || { echo "abidw is not installed"; exit $skip; }

# Without anything that belongs to the machine it was made on. The locations stay: they tell public
# types from private ones.
describe() {
    abidw --headers-dir "$root/include" --exported-interfaces-only --short-locs \
        --no-corpus-path --no-comp-dir-path --no-elf-needed "$1" | sed "s|path='$root/|path='|"
}

if [ "$1" = --update ]; then
    describe "$2" >"$baseline"
    exit
fi
if ! readelf -S --wide "$1" | grep -q ' \.debug_info '; then
    echo "there are no types in $1"
    exit $skip
fi
[ -e "$baseline" ] || { echo "there is no baseline: abi.sh --update LIBRARY"; exit 1; }
# What was added is no change for those who were there before. Which types are private is said by a
# file of ours: by the folder of the headers abidiff would take the C library's integers, whose
# headers lie elsewhere, for private too, and what is returned for unchanged.
abidiff --suppr "$here/../abi/private.suppr" --no-added-syms "$baseline" "$1"
