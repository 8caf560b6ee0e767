#!/usr/bin/env bash
# Reads the includes of Sources/CGyre and fails on an arrow that layers.txt does not draw.
# Also: a file includes its own header first; headers of the core are named with their folder; no
# file includes the hub gyre/gyre.h; epoll, eventfd and timerfd are known in wait/ alone.
set -u -o pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
cd "$root/Sources/CGyre" || exit 1

# Words that awk reads beside those of layers.txt:
#   file FILE              there is such a file
#   own FILE HEADER        its own header, where it has one
#   include FILE N HEADER  its N-th include; HEADER with its quotes or brackets
facts() {
    local file header
    for file in */*.[ch]; do echo "file $file"; done
    for file in */*.c; do
        header=${file%.c}.h
        if [ -e "$header" ]; then echo "own $file \"$header\""; continue; fi
        header=gyre/$(basename "$header")
        [ -e "$root/include/$header" ] && echo "own $file <$header>"
    done
    awk 'FNR == 1 { n = 0 }
         /^[ \t]*#[ \t]*include/ { print "include", FILENAME, ++n, $2 }' */*.[ch]
}

cat "$here/layers.txt" <(facts) | awk '
function folder(path) { sub(/\/.*/, "", path); return path }
function concept(path) { sub(/\.[ch]$/, "", path); return path }
function bad(file, text) { printf "%s: %s\n", file, text; failures++ }

function check_public(file, name) {
    if (name == "gyre/gyre.h") bad(file, "includes the hub gyre/gyre.h")
    if (name ~ /^sys\/(epoll|eventfd|timerfd)\.h$/ && folder(file) != "wait")
        bad(file, "includes <" name ">, which is for wait/ alone")
}

# What is not listed stands above all that is, and beside the others that are not.
function stands_before(lower, upper) {
    return lower in place && (!(upper in place) || place[lower] < place[upper])
}

function check_private(file, name) {
    if (name !~ /^[a-z]+\/[A-Za-z0-9_]+\.h$/)
        bad(file, "\"" name "\" does not name its folder")
    else if (folder(file) != folder(name) && !((folder(file), folder(name)) in may_use))
        bad(file, "no arrow goes from " folder(file) " to \"" name "\"")
    else if (folder(file) == folder(name) && concept(file) != concept(name) &&
             !stands_before(concept(name), concept(file)))
        bad(file, "\"" name "\" does not come before it")
}

$1 == "uses" { is_layer[$2] = 1; for (i = 3; i <= NF; i++) may_use[$2, $i] = 1 }
$1 == "order" { for (i = 3; i <= NF; i++) place[$2 "/" $i] = ++places }
$1 == "file" {
    files++
    exists[concept($2)] = 1
    if (!(folder($2) in is_layer)) bad($2, "its folder is not in layers.txt")
}
$1 == "own" { own[$2] = $3 }
$1 == "include" {
    if ($3 == 1 && $2 in own && own[$2] != $4) bad($2, "its first include is not " own[$2])
    name = substr($4, 2, length($4) - 2)
    if ($4 ~ /^</) check_public($2, name); else check_private($2, name)
}
END {
    for (name in place) if (!(name in exists)) bad(name, "is in layers.txt and does not exist")
    printf "%d files, %d failures\n", files, failures
    exit failures > 0
}'
