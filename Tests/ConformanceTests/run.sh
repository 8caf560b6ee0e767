#!/usr/bin/env bash
# Compiles each case against a library, runs it and compares its trace with expected/. README.md
# tells what a case is.
set -u

usage() {
    cat <<'TEXT'
usage: run.sh [option...] [case...]
  --cc COMMAND     the compiler, with whatever flags belong to it   (clang -fblocks)
  --cflags FLAGS   flags before the source: include paths, defines
  --libs FLAGS     flags after the source: libraries, run paths
  --wrap COMMAND   run each program under COMMAND, a memory checker for example
  --repeat N       run each case N times                            (1)
  --timeout N      seconds that one run may take                    (10)
  --jobs N         cases at the same time                           (2)
  --cf             accept NAME.cf.txt, CoreFoundation's own trace, where there is one
  --record FOLDER  write the traces there and compare nothing
  --list           print the names of the cases
A case is a name, or a pattern such as 'timer_*'; none means all.
TEXT
}

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cc="clang -fblocks" cflags="" libs="" wrap="" repeat=1 limit=10 jobs=2 cf=0 record="" list=0
patterns=()
while [ $# -gt 0 ]; do
    case $1 in
        --cc) cc=$2; shift ;;
        --cflags) cflags=$2; shift ;;
        --libs) libs=$2; shift ;;
        --wrap) wrap=$2; shift ;;
        --repeat) repeat=$2; shift ;;
        --timeout) limit=$2; shift ;;
        --jobs) jobs=$2; shift ;;
        --record) record=$2; shift ;;
        --cf) cf=1 ;;
        --list) list=1 ;;
        -h | --help) usage; exit 0 ;;
        -*) echo "run.sh: there is no option $1" >&2; usage >&2; exit 2 ;;
        *) patterns+=("$1") ;;
    esac
    shift
done

work=$(mktemp -d -t conformance.XXXXXX) || exit 2
trap 'rm -rf "$work"' EXIT

is_wanted() { # NAME
    local pattern
    [ ${#patterns[@]} -eq 0 ] && return
    for pattern in "${patterns[@]}"; do
        # shellcheck disable=SC2053 # a pattern, on purpose
        [[ $1 == ${pattern%.c} ]] && return
    done
    return 1
}

compiler_has_blocks() {
    echo 'int main(void) { void (^block)(void) = 0; return block != 0; }' >"$work/probe.c"
    $cc -fsyntax-only "$work/probe.c" >/dev/null 2>&1
}

expected_of() { # NAME: the file with the right trace
    local own="$here/expected/$1.cf.txt"
    if [ $cf = 1 ] && [ -e "$own" ]; then echo "$own"; else echo "$here/expected/$1.txt"; fi
}

first_difference() { # EXPECTED GOT
    diff "$1" "$2" | awk '
        /^[0-9]/ { if (at != "") exit; at = $0 }
        /^</ && expected == "" { expected = substr($0, 3) }
        /^>/ && got == "" { got = substr($0, 3) }
        END { printf "at %s: expected [%s], got [%s]", at, expected, got }'
}

compile() { # NAME
    # shellcheck disable=SC2086 # the flags are words
    $cc $cflags "$here/cases/$1.c" -o "$work/$1" $libs -pthread -lm >"$work/$1.log" 2>&1 && return
    echo "does not compile"
    grep -m1 -E 'error|undefined' "$work/$1.log" || head -n1 "$work/$1.log"
    return 1
}

run_once() { # NAME: leaves the trace, to which an exit status other than 0 belongs
    local status
    # shellcheck disable=SC2086
    timeout -k 2 "$limit" $wrap "$work/$1" >"$work/$1.trace" 2>"$work/$1.errors" </dev/null
    status=$?
    [ $status -eq 0 ] || echo "exit status $status" >>"$work/$1.trace"
}

# Prints what came of a case: "passed", or what was wrong.
judge() { # NAME
    local round expected
    expected=$(expected_of "$1")
    compile "$1" || return
    for ((round = 1; round <= repeat; round++)); do
        run_once "$1"
        if [ -n "$record" ]; then cp "$work/$1.trace" "$record/$1.txt"; continue; fi
        cmp -s "$expected" "$work/$1.trace" && continue
        echo "run $round of $repeat, $(first_difference "$expected" "$work/$1.trace")"
        tail -n 5 "$work/$1.errors"
        return
    done
    echo passed
}

names=() skipped=0
blocks=1
[ $list = 1 ] || compiler_has_blocks || blocks=0
for file in "$here"/cases/*.c; do
    name=$(basename "$file" .c)
    is_wanted "$name" || continue
    if [ $blocks = 0 ] && [[ $name == *_blocks ]]; then skipped=$((skipped + 1)); continue; fi
    names+=("$name")
done
[ ${#names[@]} -gt 0 ] || { echo "run.sh: no such case" >&2; exit 2; }
if [ $list = 1 ]; then printf '%s\n' "${names[@]}"; exit 0; fi
[ -z "$record" ] || mkdir -p "$record" || exit 2

for name in "${names[@]}"; do
    judge "$name" >"$work/$name.verdict" 2>/dev/null &
    while [ "$(jobs -rp | wc -l)" -ge "$jobs" ]; do wait -n; done
done
wait

failed=0
for name in "${names[@]}"; do
    [ "$(cat "$work/$name.verdict")" = passed ] && continue
    failed=$((failed + 1))
    echo "FAIL $name: $(cat "$work/$name.verdict")"
done
[ $skipped -eq 0 ] || echo "$skipped skipped: the compiler has no blocks"
echo "$((${#names[@]} - failed)) passed, $failed failed"
[ $failed -eq 0 ]
