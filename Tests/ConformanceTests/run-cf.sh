#!/usr/bin/env bash
# Runs the cases against the CoreFoundation of a Swift toolchain, whose usr folder SWIFT_USR names,
# or else the swift command tells. Where CoreFoundation is known to be wrong its own trace counts;
# with --strict the right one does. All other arguments are run.sh's.
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
if [ -z "${SWIFT_USR:-}" ]; then
    swift=$(command -v swift) || { echo "run-cf.sh: no swift command; set SWIFT_USR" >&2; exit 2; }
    SWIFT_USR=$(dirname "$(dirname "$(readlink -f "$swift")")")
fi
arguments=(--cf)
if [ "${1:-}" = --strict ]; then
    arguments=()
    shift
fi
libraries=$SWIFT_USR/lib/swift/linux
exec "$here/run.sh" --cc "$SWIFT_USR/bin/clang -fblocks" --cflags "-I$SWIFT_USR/lib/swift" \
    --libs "-L$libraries -lFoundation -lBlocksRuntime -Wl,-rpath,$libraries" \
    ${arguments[@]+"${arguments[@]}"} "$@"
